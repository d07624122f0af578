/* SPDX-License-Identifier: Apache-2.0 */
/* lamina call: runs a function in text form. */
#include "tools/common.h"

#include <stdio.h>

static int
call (const char *path, const char *in, const char *out, const ToolOptions *options)
{
  GError *error = NULL;
  g_autofree char *explain = NULL;
  g_autoptr (LaminaContext) context = tool_context (options, &error);
  g_autoptr (GHashTable) inputs = context == NULL ? NULL
                                  : in != NULL    ? lamina_tensors_load (in, &error)
                                                  : lamina_tensors_new ();
  g_autoptr (GHashTable) results =
      inputs != NULL ? lamina_call_file (context, path, options->backend, inputs, &explain, &error)
                     : NULL;
  if (results == NULL || (out != NULL && !lamina_tensors_save (results, out, &error)))
    return tool_fail (error);
  if (options->explain)
    fputs (explain, stderr);
  for (guint i = 0; out == NULL && i < g_hash_table_size (results); i++) {
    g_autofree char *name = g_strdup_printf ("%u", i);
    const LaminaTensor *x = g_hash_table_lookup (results, name);
    g_autofree char *type = lamina_tensor_type (x);
    g_autoptr (GString) text = g_string_new (NULL);
    for (gint64 k = 0; k < lamina_tensor_elements (x); k++) {
      g_string_append_c (text, ' ');
      tool_append_number (text, lamina_tensor_get (x, k));
    }
    printf ("%s %s%s\n", name, type, text->str);
  }
  return TOOL_OK;
}

static int
run (int argc, char **argv)
{
  g_auto (ToolOptions) options = TOOL_OPTIONS_INIT;
  g_autofree char *in = NULL, *out = NULL;
  int status;
  const GOptionEntry own[] = {
      {"in", 0, 0, G_OPTION_ARG_FILENAME, &in,
       "Inputs (.npz, .npy, .safetensors), named 0, 1 ... or in the order of their names", "FILE"},
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &out,
       "Write the results as 0, 1 ... (.npz, .safetensors) instead of showing them", "FILE"},
      {0}};
  const ToolParse parse = {.arguments = "FILE.lir",
                           .summary = "Runs a function in text form on a backend.",
                           .description =
                               "Examples:\n"
                               "  lamina ir my-model --which predict --stage trace > predict.lir\n"
                               "  lamina call f.lir --in x.npz --out y.npz --backend reference",
                           .own = own,
                           .options = &options,
                           .has = TOOL_HAS_PLUGINS | TOOL_HAS_BACKEND | TOOL_HAS_EXPLAIN,
                           .min = 1,
                           .max = 1};
  return tool_parse (&parse, &argc, &argv, &status) ? call (argv[1], in, out, &options) : status;
}

const LaminaVerb lamina_verb_call = {"call", "run a function in text form", run};
