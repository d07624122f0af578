/* SPDX-License-Identifier: Apache-2.0 */
/* lamina predict: the outputs of a model for given tensors. */
#include "tools/common.h"

#include <stdio.h>

typedef struct Predict {
  ToolOptions options;
  char *in, *input, *out;
  int batch;
} Predict;

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (a, b);
}

static void
append_json_tensor (GString *out, const LaminaTensor *x)
{
  g_autofree char *type = lamina_tensor_type (x);
  g_string_append (out, "{\"type\": ");
  tool_append_json_string (out, type);
  g_string_append (out, ", \"data\": [");
  for (gint64 i = 0; i < lamina_tensor_elements (x); i++) {
    g_string_append (out, i > 0 ? ", " : "");
    tool_append_json_number (out, lamina_tensor_get (x, i));
  }
  g_string_append (out, "]}");
}

/* The first few numbers, enough to see what it is. */
static void
append_tensor (GString *out, const char *name, const LaminaTensor *x)
{
  g_autofree char *type = lamina_tensor_type (x);
  gint64 n = lamina_tensor_elements (x);
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_printf (out, "%-14s %-14s", name, type);
  for (gint64 i = 0; i < MIN (n, 10); i++)
    g_string_append_printf (out, " %s",
                            g_ascii_formatd (text, sizeof text, "%.4g", lamina_tensor_get (x, i)));
  g_string_append (out, n > 10 ? " ...\n" : "\n");
}

static void
print_outputs (GHashTable *outputs, gboolean json)
{
  g_autoptr (GString) out = g_string_new (json ? "{" : NULL);
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (outputs), by_text);
  for (GList *l = names; l != NULL; l = l->next) {
    const LaminaTensor *x = g_hash_table_lookup (outputs, l->data);
    if (json) {
      g_string_append (out, l != names ? ", " : "");
      tool_append_json_string (out, l->data);
      g_string_append (out, ": ");
      append_json_tensor (out, x);
    } else {
      append_tensor (out, l->data, x);
    }
  }
  printf ("%s%s", out->str, json ? "}\n" : "");
}

static GHashTable *
read_batch (const Predict *p, LaminaModel *model, GError **error)
{
  if (p->in != NULL)
    return lamina_tensors_load (p->in, error);
  return lamina_model_batch (model, p->input != NULL ? p->input : "eval", (guint64)p->batch, error);
}

static int
predict (const Predict *p, const char *path)
{
  GError *error = NULL;
  g_autoptr (LaminaContext) context = tool_context (&p->options, &error);
  g_autoptr (LaminaModel) model =
      context != NULL ? tool_open_model (context, path, &p->options, NULL, &error) : NULL;
  g_autoptr (GHashTable) batch = model != NULL ? read_batch (p, model, &error) : NULL;
  g_autoptr (GHashTable) outputs =
      batch != NULL ? lamina_model_predict (model, batch, &error) : NULL;
  if (outputs == NULL)
    return tool_fail (error);
  tool_explain (model, &p->options);
  if (p->out == NULL)
    print_outputs (outputs, p->options.json);
  else if (!lamina_tensors_save (outputs, p->out, &error))
    return tool_fail (error);
  return TOOL_OK;
}

static int
run (int argc, char **argv)
{
  Predict p = {.options = TOOL_OPTIONS_INIT};
  int status;
  const GOptionEntry own[] = {
      {"in", 0, 0, G_OPTION_ARG_FILENAME, &p.in,
       "Tensors to run on (.npz, .safetensors), named as the model wants them", "FILE"},
      {"input", 'i', 0, G_OPTION_ARG_STRING, &p.input,
       "Run on a batch of this input of the config (default: eval)", "NAME"},
      {"batch", 0, 0, G_OPTION_ARG_INT, &p.batch, "Which batch of it, from 0", "N"},
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &p.out,
       "Write the outputs (.npz, .safetensors) instead of showing them", "FILE"},
      {0}};
  const ToolParse parse = {
      .arguments = "MODEL",
      .summary = "Runs a model's method predict on tensors of a file or of one of its inputs.",
      .description = "Examples:\n"
                     "  lamina predict my-model/trained.lam\n"
                     "  lamina predict my-model/trained.lam --in images.npz --out classes.npz",
      .own = own,
      .options = &p.options,
      .has =
          TOOL_HAS_PLUGINS | TOOL_HAS_BACKEND | TOOL_HAS_MODEL | TOOL_HAS_JSON | TOOL_HAS_EXPLAIN,
      .min = 1,
      .max = 1};
  if (tool_parse (&parse, &argc, &argv, &status))
    status = p.batch < 0                       ? tool_usage ("--batch: wanted a number from 0")
             : p.in != NULL && p.input != NULL ? tool_usage ("--in and --input exclude each other")
                                               : predict (&p, argv[1]);
  g_free (p.in);
  g_free (p.input);
  g_free (p.out);
  tool_options_clear (&p.options);
  return status;
}

const LaminaVerb lamina_verb_predict = {"predict", "run a model on tensors of a file", run};
