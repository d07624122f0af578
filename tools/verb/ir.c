/* SPDX-License-Identifier: Apache-2.0 */
/* lamina ir: the functions of a model as text, at any stage. */
#include "tools/common.h"

static char *
show (const char *path, const char *which, const char *stage, const ToolOptions *options,
      GError **error)
{
  g_autoptr (LaminaContext) context = tool_context (options, error);
  if (context == NULL)
    return NULL;
  if (g_str_has_suffix (path, ".lir"))
    return lamina_ir_file (context, path, options->backend, stage, error);
  g_autoptr (LaminaModel) model = tool_open_model (context, path, options, NULL, error);
  return model != NULL ? lamina_model_ir (model, which, stage, error) : NULL;
}

static int
run (int argc, char **argv)
{
  g_auto (ToolOptions) options = TOOL_OPTIONS_INIT;
  g_autofree char *which = NULL, *stage = NULL;
  GError *error = NULL;
  int status;
  const GOptionEntry own[] = {
      {"which", 'w', 0, G_OPTION_ARG_STRING, &which,
       "init, train, eval or predict (default: train)", "NAME"},
      {"stage", 's', 0, G_OPTION_ARG_STRING, &stage,
       "trace, simplify, cse, dce, legalize, final or plan (default: final)", "STAGE"},
      {0}};
  const ToolParse parse = {
      .arguments = "MODEL|FILE.lir",
      .summary = "Shows a function of a model, or of a file in text form, after a stage of its way "
                 "to the backend; plan: its memory.",
      .description = "Examples:\n"
                     "  lamina ir my-model --which eval --stage trace\n"
                     "  lamina ir my-model --stage plan\n"
                     "  lamina ir f.lir --backend reference",
      .own = own,
      .options = &options,
      .has = TOOL_HAS_PLUGINS | TOOL_HAS_BACKEND | TOOL_HAS_MODEL,
      .min = 1,
      .max = 1};
  if (!tool_parse (&parse, &argc, &argv, &status))
    return status;
  char *text = show (argv[1], which != NULL ? which : "train", stage != NULL ? stage : "final",
                     &options, &error);
  return tool_print (text, error);
}

const LaminaVerb lamina_verb_ir = {"ir", "show a model's functions at any stage", run};
