/* SPDX-License-Identifier: Apache-2.0 */
/* lamina backend: which backends there are. */
#include "tools/common.h"

static int
run (int argc, char **argv)
{
  g_auto (ToolOptions) options = TOOL_OPTIONS_INIT;
  GError *error = NULL;
  int status;
  const ToolParse parse = {.arguments = "list",
                           .summary = "Lists the backends with their device and score; the highest "
                                      "score is taken where nothing else is said.",
                           .description = "Examples:\n"
                                          "  lamina backend list\n"
                                          "  lamina params lamina.cpu   (its options)",
                           .options = &options,
                           .has = TOOL_HAS_PLUGINS | TOOL_HAS_JSON,
                           .min = 1,
                           .max = 1};
  if (!tool_parse (&parse, &argc, &argv, &status))
    return status;
  if (g_strcmp0 (argv[1], "list") != 0)
    return tool_usage ("unknown command \"%s\"; wanted list", argv[1]);
  g_autoptr (LaminaContext) context = tool_context (&options, &error);
  char *text = context != NULL ? lamina_context_list_backends (context, options.json) : NULL;
  return tool_print (text, error);
}

const LaminaVerb lamina_verb_backend = {"backend", "list the backends there are", run};
