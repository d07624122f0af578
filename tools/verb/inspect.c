/* SPDX-License-Identifier: Apache-2.0 */
/* lamina inspect: what a model archive or folder holds. */
#include "tools/common.h"

static int
run (int argc, char **argv)
{
  g_auto (ToolOptions) options = TOOL_OPTIONS_INIT;
  GError *error = NULL;
  int status;
  const ToolParse parse = {
      .arguments = "MODEL",
      .summary = "Shows what an archive or model folder holds: layers, variables, inputs, plugins "
                 "and whether they are trusted. Runs no code that is not.",
      .description = "Examples:\n"
                     "  lamina inspect my-model/trained.lam\n"
                     "  lamina inspect my-model --json",
      .options = &options,
      .has = TOOL_HAS_PLUGINS | TOOL_HAS_JSON,
      .min = 1,
      .max = 1};
  if (!tool_parse (&parse, &argc, &argv, &status))
    return status;
  g_autoptr (LaminaContext) context = tool_context (&options, &error);
  char *text =
      context != NULL ? lamina_archive_inspect (context, argv[1], options.json, &error) : NULL;
  return tool_print (text, error);
}

const LaminaVerb lamina_verb_inspect = {"inspect", "show what an archive holds", run};
