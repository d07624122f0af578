/* SPDX-License-Identifier: Apache-2.0 */
/* lamina trust: allows the code of an archive to run. */
#include "tools/common.h"

#include <stdio.h>
#include <unistd.h>

/* A person at a terminal sees the files and answers; a script has said what it wants by the verb. */
static gboolean
agrees (const char *list)
{
  char answer[16];
  printf ("%sTheir code will run with all your rights. Trust these files? [y/N] ", list);
  fflush (stdout);
  return fgets (answer, sizeof answer, stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y');
}

static int
trust (const char *path, gboolean yes)
{
  GError *error = NULL;
  g_autofree char *list = lamina_archive_list_code (path, &error);
  if (list == NULL)
    return tool_fail (error);
  if (*list == '\0') {
    printf ("%s brings no code for this machine: there is nothing to trust\n", path);
    return TOOL_OK;
  }
  if (!yes && isatty (STDIN_FILENO) && isatty (STDOUT_FILENO) && !agrees (list)) {
    printf ("nothing was changed\n");
    return LAMINA_ERROR_DENIED + 1;
  }
  if (!lamina_archive_trust (path, &error))
    return tool_fail (error);
  g_autofree char *now = lamina_archive_list_code (path, &error);
  return tool_print (g_steal_pointer (&now), error);
}

static int
run (int argc, char **argv)
{
  gboolean list = FALSE, show = FALSE, yes = FALSE;
  g_autofree char *remove = NULL;
  GError *error = NULL;
  int status;
  const GOptionEntry own[] = {
      {"show", 's', 0, G_OPTION_ARG_NONE, &show, "Only show the code of the archive", NULL},
      {"yes", 'y', 0, G_OPTION_ARG_NONE, &yes, "Do not ask, also on a terminal", NULL},
      {"list", 'l', 0, G_OPTION_ARG_NONE, &list, "List all trusted files", NULL},
      {"remove", 0, 0, G_OPTION_ARG_STRING, &remove, "Trust this file no more", "SHA256"},
      {0}};
  const ToolParse parse = {
      .arguments = "ARCHIVE",
      .summary = "Trusts the plugin files of an archive or model folder: exactly these bytes, by "
                 "sha256. Their code runs with all your rights. On a terminal it asks first.",
      .description = "Examples:\n"
                     "  lamina trust --show m.lam\n"
                     "  lamina trust m.lam\n"
                     "  lamina trust --list",
      .own = own,
      .max = 1};
  if (!tool_parse (&parse, &argc, &argv, &status))
    return status;
  if (list)
    return tool_print (lamina_trust_list (&error), error);
  if (remove != NULL)
    return lamina_trust_remove (remove, &error) ? TOOL_OK : tool_fail (error);
  if (argc != 2)
    return tool_usage ("wanted ARCHIVE; see lamina trust --help");
  if (show)
    return tool_print (lamina_archive_list_code (argv[1], &error), error);
  return trust (argv[1], yes);
}

const LaminaVerb lamina_verb_trust = {"trust", "let the code of an archive run", run};
