/* SPDX-License-Identifier: Apache-2.0 */
/* lamina plugin: which plugins there are. */
#include "tools/common.h"

static int
run (int argc, char **argv)
{
  g_auto (ToolOptions) options = TOOL_OPTIONS_INIT;
  gboolean all = FALSE;
  GError *error = NULL;
  int status;
  const GOptionEntry own[] = {{"all", 'a', 0, G_OPTION_ARG_NONE, &all,
                               "Also those that are refused, with the reason, or not used", NULL},
                              {0}};
  const ToolParse parse = {.arguments = "list",
                           .summary = "Lists the plugins on the search path and what they provide. "
                                      "None of their code runs.",
                           .description = "Examples:\n"
                                          "  lamina plugin list\n"
                                          "  lamina plugin list --all --plugin-dir build\n\n"
                                          "Search order: --plugin, --plugin-dir, the model's own, "
                                          "$LAM_PLUGIN_PATH,\n"
                                          "$XDG_DATA_HOME/lamina/plugins, the installed ones.",
                           .own = own,
                           .options = &options,
                           .has = TOOL_HAS_PLUGINS | TOOL_HAS_JSON,
                           .min = 1,
                           .max = 1};
  if (!tool_parse (&parse, &argc, &argv, &status))
    return status;
  if (g_strcmp0 (argv[1], "list") != 0)
    return tool_usage ("unknown command \"%s\"; wanted list", argv[1]);
  g_autoptr (LaminaContext) context = tool_context (&options, &error);
  char *text = context != NULL ? lamina_context_list_plugins (context, all, options.json) : NULL;
  return tool_print (text, error);
}

const LaminaVerb lamina_verb_plugin = {"plugin", "list the plugins there are", run};
