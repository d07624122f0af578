/* SPDX-License-Identifier: Apache-2.0 */
/* The program lamina: finds the verb and runs it. */
#include "tools/common.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "tools/verbs.h"

static void
help (void)
{
  printf ("Usage: lamina VERB [ARGUMENT...]\n\n"
          "Trains and runs neural networks whose layers, optimizers, inputs and backends are "
          "plugins.\n\n"
          "Verbs:\n");
  for (guint i = 0; lamina_verbs[i] != NULL; i++)
    printf ("  %-9s %s\n", lamina_verbs[i]->name, lamina_verbs[i]->summary);
  printf ("\n"
          "  lamina VERB --help   options and examples of a verb\n"
          "  lamina --version\n\n"
          "First steps:\n"
          "  lamina new digits-mlp my-model\n"
          "  lamina train my-model\n"
          "  lamina eval my-model/trained.lam\n\n"
          "Exit status: 0 done, 1 wrong usage, 2 a value or config is wrong, 3 not found,\n"
          "4 damaged data, 5 input/output failed, 6 not supported, 7 not trusted or permitted,\n"
          "8 a plugin was refused or failed, 9 no memory, 10 cancelled, 11 a fault in Lamina,\n"
          "130 ended by Ctrl-C (training: after saving).\n");
}

/* Edit distance of two short words, with one row of memory. */
static guint
distance (const char *a, const char *b)
{
  guint row[32], n = (guint)strlen (b);
  if (n >= G_N_ELEMENTS (row))
    return G_MAXUINT;
  for (guint j = 0; j <= n; j++)
    row[j] = j;
  for (guint i = 1; a[i - 1] != '\0'; i++) {
    guint diagonal = row[0];
    row[0] = i;
    for (guint j = 1; j <= n; j++) {
      guint replace = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = MIN (replace, MIN (row[j], row[j - 1]) + 1);
    }
  }
  return row[n];
}

static int
unknown (const char *word)
{
  const LaminaVerb *near = NULL;
  guint best = MAX (2, (guint)strlen (word) / 3) + 1;
  for (guint i = 0; lamina_verbs[i] != NULL; i++) {
    guint d = distance (word, lamina_verbs[i]->name);
    if (d < best) {
      best = d;
      near = lamina_verbs[i];
    }
  }
  if (near != NULL)
    return tool_usage ("unknown verb \"%s\"; did you mean \"%s\"? See lamina --help", word,
                       near->name);
  return tool_usage ("unknown verb \"%s\"; see lamina --help", word);
}

static int
run (const LaminaVerb *verb, int argc, char **argv)
{
  g_autofree char *name = g_strdup_printf ("lamina %s", verb->name);
  g_autofree char **args = g_new0 (char *, argc);
  memcpy (args, argv + 1, sizeof *args * (gsize)(argc - 1));
  args[0] = name;
  g_set_prgname (name);
  return verb->run (argc - 1, args);
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  g_set_prgname ("lamina");
  g_log_writer_default_set_use_stderr (TRUE);
  if (argc < 2 || strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0
      || strcmp (argv[1], "help") == 0) {
    help ();
    return argc < 2 ? TOOL_USAGE : TOOL_OK;
  }
  if (strcmp (argv[1], "--version") == 0) {
    printf ("lamina %s\n", lamina_version ());
    return TOOL_OK;
  }
  for (guint i = 0; lamina_verbs[i] != NULL; i++)
    if (strcmp (argv[1], lamina_verbs[i]->name) == 0)
      return run (lamina_verbs[i], argc, argv);
  return unknown (argv[1]);
}
