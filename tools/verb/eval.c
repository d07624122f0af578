/* SPDX-License-Identifier: Apache-2.0 */
/* lamina eval: the metrics of a model over one of its inputs. */
#include "tools/common.h"

#include <stdio.h>

static int
print_metrics (LaminaModel *model, const char *input, const ToolOptions *options)
{
  GError *error = NULL;
  g_autoptr (LaminaMetrics) m = lamina_model_evaluate (model, input, &error);
  if (m == NULL)
    return tool_fail (error);
  if (lamina_model_rank (model) > 0)
    return TOOL_OK;
  tool_explain (model, options);
  g_autoptr (GString) out = g_string_new (NULL);
  if (options->json) {
    g_string_append (out, "{\"model\": ");
    tool_append_json_string (out, lamina_model_name (model));
    g_string_append_printf (
        out, ", \"step\": %" G_GUINT64_FORMAT ", \"backend\": ", lamina_model_step (model));
    tool_append_json_string (out, lamina_model_backend (model));
    g_string_append (out, ", ");
    tool_append_json_metrics (out, m);
    g_string_append (out, ", \"weight\": ");
    tool_append_json_number (out, m->weights[0]);
    g_string_append_printf (out, ", \"batches\": %" G_GINT64_FORMAT "}", m->batches);
  } else {
    tool_append_metrics (out, m);
    g_string_append (out, "  over weight ");
    tool_append_number (out, m->weights[0]);
  }
  printf ("%s\n", out->str);
  return TOOL_OK;
}

static int
evaluate (const char *path, const char *input, const char *weights, const ToolOptions *options)
{
  GError *error = NULL;
  g_autoptr (LaminaContext) context = tool_context (options, &error);
  g_autoptr (LaminaModel) model =
      context != NULL ? tool_open_model (context, path, options, weights, &error) : NULL;
  return model != NULL ? print_metrics (model, input != NULL ? input : "eval", options)
                       : tool_fail (error);
}

static int
run (int argc, char **argv)
{
  g_auto (ToolOptions) options = TOOL_OPTIONS_INIT;
  g_autofree char *input = NULL, *init = NULL;
  int status;
  const GOptionEntry own[] = {
      {"input", 'i', 0, G_OPTION_ARG_STRING, &input, "Input of the config (default: eval)", "NAME"},
      {"init", 0, 0, G_OPTION_ARG_FILENAME, &init,
       "Evaluate these variables (.safetensors or .npz)", "FILE"},
      {0}};
  const ToolParse parse = {
      .arguments = "MODEL",
      .summary = "Runs a model over one pass of an input: each metric is sum (value * weight) / "
                 "sum (weight).",
      .description = "Examples:\n"
                     "  lamina eval my-model/trained.lam\n"
                     "  lamina eval my-model/trained.lam --backend reference --json\n"
                     "  lamina eval my-model/trained.lam --input train",
      .own = own,
      .options = &options,
      .has = TOOL_HAS_PLUGINS | TOOL_HAS_BACKEND | TOOL_HAS_MODEL | TOOL_HAS_JSON | TOOL_HAS_EXPLAIN
             | TOOL_HAS_REPLICAS,
      .min = 1,
      .max = 1};
  return tool_parse (&parse, &argc, &argv, &status) ? evaluate (argv[1], input, init, &options)
                                                    : status;
}

const LaminaVerb lamina_verb_eval = {"eval", "evaluate a model on its test data", run};
