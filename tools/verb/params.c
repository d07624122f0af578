/* SPDX-License-Identifier: Apache-2.0 */
/* lamina params: the config keys of a type. */
#include "tools/common.h"

static int
run (int argc, char **argv)
{
  g_auto (ToolOptions) options = TOOL_OPTIONS_INIT;
  GError *error = NULL;
  int status;
  const ToolParse parse = {
      .arguments = "TYPE",
      .summary = "Shows the config keys of a layer, optimizer, learner, schedule, metric, input or "
                 "backend: "
                 "name, type, default, range, meaning.",
      .description = "Examples:\n"
                     "  lamina params config           (the top level of a model's config)\n"
                     "  lamina params lamina.linear\n"
                     "  lamina params lamina.adamw --json",
      .options = &options,
      .has = TOOL_HAS_PLUGINS | TOOL_HAS_JSON,
      .min = 1,
      .max = 1};
  if (!tool_parse (&parse, &argc, &argv, &status))
    return status;
  g_autoptr (LaminaContext) context = tool_context (&options, &error);
  char *text = context != NULL
                   ? lamina_context_describe_type (context, argv[1], options.json, &error)
                   : NULL;
  return tool_print (text, error);
}

const LaminaVerb lamina_verb_params = {"params", "show the config keys of a type", run};
