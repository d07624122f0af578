/* SPDX-License-Identifier: Apache-2.0 */
/* Prediction and evaluation with an opened model. */
#include "core/api/private.h"

GHashTable *
lamina_model_predict (LaminaModel *model, GHashTable *batch, GError **error)
{
  g_autoptr (GHashTable) arrays = lm_arrays_from_tensors (batch);
  g_autoptr (GHashTable) out = lm_predictor_run (model->predictor, arrays, model->explain, error);
  return out != NULL ? lm_tensors_from_arrays (out) : NULL;
}

GHashTable *
lamina_model_batch (LaminaModel *model, const char *name, guint64 index, GError **error)
{
  g_autoptr (LmInput) input = lm_input_open (model->model, name, model->files, error);
  bool end = input == NULL;
  for (guint64 i = 0; !end && i <= index; i++)
    if (!lm_input_next (input, &end, error))
      return NULL;
  if (input == NULL)
    return NULL;
  if (end) {
    g_set_error (error, LM_ERROR, LM_ERROR_NOT_FOUND,
                 "inputs.%s: there is no batch %" G_GUINT64_FORMAT, name, index);
    return NULL;
  }
  g_autoptr (GHashTable) arrays = lm_arrays_new ();
  const LmBatchSpec *spec = lm_input_spec (input);
  for (guint i = 0; i < spec->n; i++)
    g_hash_table_insert (arrays, g_strdup (spec->fields[i].name),
                         lm_array_ref (lm_input_arrays (input)[i]));
  return lm_tensors_from_arrays (arrays);
}

LaminaMetrics *
lamina_model_evaluate (LaminaModel *model, const char *name, GError **error)
{
  g_autoptr (LmReplicas) replicas = lm_model_replicas_new (model, error);
  g_autoptr (LmEvalResult) result =
      replicas != NULL ? lm_replicas_evaluate (replicas, name, error) : NULL;
  if (result == NULL) {
    lm_model_give_up (model);
    return NULL;
  }
  LaminaMetrics *metrics = g_new0 (LaminaMetrics, 1);
  metrics->n = result->n;
  metrics->batches = result->batches;
  metrics->names = g_new0 (char *, result->n + 1);
  metrics->values = g_new0 (double, result->n + 1);
  metrics->weights = g_new0 (double, result->n + 1);
  for (guint i = 0; i < result->n; i++) {
    metrics->names[i] = g_strdup (result->metrics[i].name);
    metrics->values[i] = result->metrics[i].value;
    metrics->weights[i] = result->metrics[i].weight;
  }
  return metrics;
}

void
lamina_metrics_free (LaminaMetrics *metrics)
{
  if (metrics == NULL)
    return;
  g_strfreev (metrics->names);
  g_free (metrics->values);
  g_free (metrics->weights);
  g_free (metrics);
}
