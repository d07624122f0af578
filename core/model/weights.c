/* SPDX-License-Identifier: Apache-2.0 */
/* Taking weights from a table of tensors, and the model as text. */
#include "core/model/private.h"

#include <string.h>

/* One line for variable i: missing, or of another type. */
static void
report_var (const LmModel *model, guint i, GHashTable *weights, GString *report)
{
  const lam_var_info *info = model->flat_infos[i];
  const LmArray *array = g_hash_table_lookup (weights, info->path);
  g_autofree char *wanted = lm_type_to_string (&info->type);
  if (array == NULL) {
    g_string_append_printf (report, "\n  missing %s: wanted %s", info->path, wanted);
  } else if (!lm_type_equal (&array->type, &info->type)) {
    g_autofree char *got = lm_type_to_string (&array->type);
    g_string_append_printf (report, "\n  %s: wanted %s, got %s", info->path, wanted, got);
  }
}

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void
report_extra (const LmModel *model, GHashTable *weights, GString *report)
{
  g_autoptr (GPtrArray) known = g_ptr_array_new (), extra = g_ptr_array_new ();
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < model->vars->len; i++) {
    g_ptr_array_add (known, (gpointer)model->flat_infos[i]->path);
    g_hash_table_add (names, (gpointer)model->flat_infos[i]->path);
  }
  g_ptr_array_add (known, NULL);
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init (&iter, weights);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (!g_hash_table_contains (names, name))
      g_ptr_array_add (extra, name);
  g_ptr_array_sort (extra, by_text);
  for (guint i = 0; i < extra->len; i++) {
    g_string_append_printf (report, "\n  unexpected %s", (char *)extra->pdata[i]);
    lm_append_did_you_mean (report, extra->pdata[i], (const char *const *)known->pdata);
  }
}

bool
lm_model_take_weights (const LmModel *model, GHashTable *weights, const char *where, LmArray **out,
                       GError **error)
{
  g_autoptr (GString) report = g_string_new (NULL);
  for (guint i = 0; i < model->vars->len; i++)
    report_var (model, i, weights, report);
  report_extra (model, weights, report);
  if (report->len > 0) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s: the weights do not fit model %s:%s", where,
                 model->name, report->str);
    return false;
  }
  for (guint i = 0; i < model->vars->len; i++)
    out[i] = lm_array_ref (g_hash_table_lookup (weights, model->flat_infos[i]->path));
  return true;
}

static void
var_text (const LmModel *model, const Var *var, GString *out)
{
  g_autofree char *type = lm_type_to_string (&var->info.type);
  g_string_append_printf (out, "%s %s%s", var->name, type,
                          var->spec.collections & LAM_NON_TRAINABLE ? " (not trainable)" : "");
  if (var->prefix.rank > 0) {
    int64_t n = 1;
    for (int32_t i = 0; i < var->prefix.rank; i++)
      n *= var->prefix.dims[i];
    g_string_append_printf (out, " (%" G_GINT64_FORMAT " repeats)", n);
  }
  if (model->mesh != NULL) {
    g_autofree char *spec = lm_partition_to_text (&var->partition, model->mesh);
    bool silent = !var->partition.given && var->spec.shape.rank >= 2;
    g_string_append_printf (out, " %s%s", spec, silent ? " (no sharding is given)" : "");
  }
  g_string_append_c (out, '\n');
}

static void
layer_text (const LmModel *model, const LmLayer *layer, guint depth, GString *out)
{
  g_string_append_printf (out, "%*s%s: %s", (int)depth * 2, "", layer->name, layer->provided->id);
  if (layer->share != NULL)
    g_string_append_printf (out, " (variables of %s)", layer->share->path);
  g_string_append_c (out, '\n');
  for (guint i = 0; layer->share == NULL && i < layer->var_ids->len; i++) {
    g_string_append_printf (out, "%*s", (int)depth * 2 + 2, "");
    var_text (model, model->vars->pdata[GPOINTER_TO_UINT (layer->var_ids->pdata[i]) - 1], out);
  }
  for (guint i = 0; i < layer->children->len; i++)
    layer_text (model, layer->children->pdata[i], depth + 1, out);
}

char *
lm_model_to_text (const LmModel *model)
{
  GString *out = g_string_new (NULL);
  int64_t total = 0;
  if (model->mesh != NULL) {
    g_string_append (out, "mesh:");
    for (guint i = 0; i < model->mesh->n; i++)
      g_string_append_printf (out, " %s=%" G_GINT64_FORMAT, model->mesh->names[i],
                              model->mesh->sizes[i]);
    g_string_append_c (out, '\n');
  }
  layer_text (model, model->root, 0, out);
  for (guint i = 0; i < model->learners->len; i++)
    layer_text (model, model->learners->pdata[i], 0, out);
  for (guint i = 0; i < model->vars->len; i++)
    total += lam_type_elements (&model->infos[i]->type);
  g_string_append_printf (out, "%u variables, %" G_GINT64_FORMAT " numbers\n", model->vars->len,
                          total);
  return g_string_free (out, FALSE);
}
