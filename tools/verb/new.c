/* SPDX-License-Identifier: Apache-2.0 */
/* lamina new: a model folder from a template. */
#include "tools/common.h"

#include <stdio.h>

static int
list (void)
{
  g_auto (GStrv) names = lamina_templates ();
  for (guint i = 0; names[i] != NULL; i++)
    printf ("%s\n", names[i]);
  return TOOL_OK;
}

static int
run (int argc, char **argv)
{
  gboolean only_list = FALSE;
  GError *error = NULL;
  int status;
  const GOptionEntry own[] = {
      {"list", 'l', 0, G_OPTION_ARG_NONE, &only_list, "Name the templates", NULL}, {0}};
  const ToolParse parse = {.arguments = "TEMPLATE FOLDER",
                           .summary = "Makes a model folder from a template: its config, with "
                                      "comments, and its data.",
                           .description = "Examples:\n"
                                          "  lamina new --list\n"
                                          "  lamina new digits-mlp my-model\n"
                                          "  lamina train my-model",
                           .own = own,
                           .max = 2};
  if (!tool_parse (&parse, &argc, &argv, &status))
    return status;
  if (only_list)
    return list ();
  if (argc != 3)
    return tool_usage ("wanted TEMPLATE FOLDER; lamina new --list names the templates");
  if (!lamina_template_create (argv[1], argv[2], &error))
    return tool_fail (error);
  printf ("made %s; next: lamina train %s\n", argv[2], argv[2]);
  return TOOL_OK;
}

const LaminaVerb lamina_verb_new = {"new", "make a model folder from a template", run};
