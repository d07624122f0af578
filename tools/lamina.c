/* SPDX-License-Identifier: Apache-2.0 */
/* The program lamina: finds the verb and runs it. */
#include "tools/common.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
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
    printf ("  %-12s %s\n", lamina_verbs[i]->name, lamina_verbs[i]->summary);
  printf ("\n"
          "  lamina VERB --help   options and examples of a verb; also: lamina help VERB\n"
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

static const LaminaVerb *
find (const char *word)
{
  for (guint i = 0; lamina_verbs[i] != NULL; i++)
    if (strcmp (word, lamina_verbs[i]->name) == 0)
      return lamina_verbs[i];
  return NULL;
}

/* argv[0] is the verb as given. A result that could not be written is no result. */
static int
run (int argc, char **argv)
{
  const LaminaVerb *verb = find (argv[0]);
  if (verb == NULL)
    return unknown (argv[0]);
  g_autofree char *name = g_strdup_printf ("lamina %s", verb->name);
  g_autofree char **args = g_new0 (char *, argc + 1);
  memcpy (args, argv, sizeof *args * (gsize)argc);
  args[0] = name;
  g_set_prgname (name);
  int status = verb->run (argc, args);
  if ((fflush (stdout) != 0 || ferror (stdout)) && status == TOOL_OK) {
    fprintf (stderr, "%s: cannot write to standard output: %s\n", name, g_strerror (errno));
    status = LAMINA_ERROR_IO + 1;
  }
  return status;
}

int
main (int argc, char **argv)
{
  setlocale (LC_CTYPE, ""); /* how file names and the terminal are encoded; numbers stay in C */
  g_set_prgname ("lamina");
  signal (SIGXFSZ, SIG_IGN); /* a file size limit is a failed write, which cleans up after itself */
  g_log_writer_default_set_use_stderr (TRUE);
  gboolean is_help = argc > 1 && strcmp (argv[1], "help") == 0;
  if (argc < 2 || strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0
      || (is_help && argc == 2)) {
    help ();
    return argc < 2 ? TOOL_USAGE : TOOL_OK;
  }
  if (is_help)
    return run (2, (char *[]) {argv[2], "--help", NULL});
  if (strcmp (argv[1], "--version") == 0) {
    printf ("lamina %s\n", lamina_version ());
    return TOOL_OK;
  }
  return run (argc - 1, argv + 1);
}
