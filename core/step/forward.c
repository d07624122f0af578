/* SPDX-License-Identifier: Apache-2.0 */
/* The half that train, eval and predict share: parameters, running the root layer, reading results. */
#include "core/step/private.h"

#include <string.h>

void
lm_forward_clear (Forward *f)
{
  g_clear_pointer (&f->metric_names, g_ptr_array_unref);
  g_clear_pointer (&f->per_example_names, g_ptr_array_unref);
  g_clear_pointer (&f->metrics, g_array_unref);
  g_clear_pointer (&f->per_example, g_array_unref);
  g_clear_pointer (&f->summaries, g_array_unref);
  g_clear_pointer (&f->updated, g_free);
}

void
lm_step_params_clear (StepParams *p)
{
  g_clear_pointer (&p->vars, g_free);
  g_clear_pointer (&p->batch, g_free);
}

void
lm_step_declare_vars (LmTrace *t, const LmModel *model, StepParams *p)
{
  guint n = lm_model_n_vars (model);
  const lam_var_info *const *infos = lm_model_var_infos (model);
  p->vars = g_new0 (lam_tensor, n + 1);
  for (guint i = 0; i < n; i++)
    p->vars[i] = lm_trace_param (t, &infos[i]->type);
}

void
lm_step_declare_rest (LmTrace *t, const LmBatchSpec *batch, StepParams *p)
{
  lam_type step = lm_scalar_type (LAM_U32), key = lm_type (LAM_U32, 1, (int64_t[]) {2});
  p->step = lm_trace_param (t, &step);
  p->key.bits = lm_trace_param (t, &key);
  p->batch = g_new0 (lam_tensor, batch->n + 1);
  for (guint i = 0; i < batch->n; i++)
    p->batch[i] = lm_trace_param (t, &batch->fields[i].type);
}

StepParams
lm_step_declare (LmTrace *t, const LmModel *model, const LmBatchSpec *batch)
{
  StepParams p = {0};
  lm_step_declare_vars (t, model, &p);
  lm_step_declare_rest (t, batch, &p);
  return p;
}

lam_tensor *
lm_vars_by_id (const LmModel *model, const lam_tensor *flat)
{
  guint n = lm_model_n_vars (model);
  lam_tensor *by_id = g_new0 (lam_tensor, n + 1);
  for (guint i = 0; i < n; i++)
    by_id[lm_model_var_order (model)[i] - 1] = flat[i];
  return by_id;
}

lam_nest
lm_vars_nest (LmTrace *t, const LmModel *model, const lam_tensor *flat)
{
  guint n = lm_model_n_vars (model);
  g_autofree uint64_t *leaves = g_new0 (uint64_t, n + 1);
  for (guint i = 0; i < n; i++)
    leaves[i] = flat[i].id;
  return lm_trace_nest (t, lm_nest_pack (lm_model_var_tree (model), leaves, n, NULL));
}

static lam_nest
batch_nest (LmTrace *t, const LmBatchSpec *batch, const lam_tensor *tensors)
{
  LmNest *map = lm_nest_new_map ();
  GError *error = NULL;
  for (guint i = 0; i < batch->n && error == NULL; i++)
    lm_nest_set (map, batch->fields[i].name, lm_nest_new_leaf (tensors[i].id), &error);
  if (error != NULL)
    lm_trace_failf (t, LM_ERROR_INVALID, "batch: %s", error->message);
  g_clear_error (&error);
  return lm_trace_nest (t, map);
}

/* --- results ---------------------------------------------------------------------------------------- */

static bool
read_metric (LmTrace *t, const char *name, const LmNest *metric, Forward *out)
{
  const LmNest *value = lm_nest_get (metric, "value"), *weight = lm_nest_get (metric, "weight");
  if (lm_nest_kind (metric) != LM_NEST_MAP || lm_nest_size (metric) != 2 || value == NULL
      || weight == NULL || lm_nest_leaf (value) == 0 || lm_nest_leaf (weight) == 0) {
    lm_trace_failf (t, LM_ERROR_INVALID, "metric %s: wanted a map of two tensors {value, weight}",
                    name);
    return false;
  }
  lam_tensor pair[2] = {lm_trace_leaf (t, lm_nest_leaf (value)),
                        lm_trace_leaf (t, lm_nest_leaf (weight))};
  g_ptr_array_add (out->metric_names, g_strdup (name));
  g_array_append_vals (out->metrics, pair, 2);
  return true;
}

static void
read_per_example (LmTrace *t, const LmNest *tree, Forward *out)
{
  g_auto (GStrv) paths = lm_nest_paths (tree);
  g_autoptr (GArray) leaves = lm_nest_flatten (tree);
  for (guint i = 0; i < leaves->len; i++) {
    lam_tensor x = lm_trace_leaf (t, g_array_index (leaves, uint64_t, i));
    if (lam_is_nil (x))
      continue;
    g_ptr_array_add (out->per_example_names, g_strdup (paths[i]));
    g_array_append_val (out->per_example, x);
  }
}

static bool
read_fprop (LmTrace *t, const LmNest *result, Forward *out)
{
  const LmNest *metrics = result != NULL ? lm_nest_get (result, "metrics") : NULL;
  if (metrics == NULL || lm_nest_kind (metrics) != LM_NEST_MAP) {
    lm_trace_failf (
        t, LM_ERROR_INVALID,
        "the root layer's fprop must return a map with \"metrics\" (name -> {value, weight}) "
        "and \"per_example\"; is the root a task, such as lamina.classification?");
    return false;
  }
  for (guint i = 0; i < lm_nest_size (metrics); i++)
    if (!read_metric (t, lm_nest_key (metrics, i), lm_nest_child (metrics, i), out))
      return false;
  const LmNest *per_example = lm_nest_get (result, "per_example");
  if (per_example != NULL)
    read_per_example (t, per_example, out);
  return true;
}

bool
lm_forward_run (LmTrace *t, LmModel *model, const StepParams *p, const ForwardArgs *args,
                Forward *out)
{
  lam_trace *pub = lm_trace_pub (t);
  lam_context_args context = {.struct_size = sizeof context,
                              .do_eval = args->do_eval,
                              .original_keys = -1,
                              .key = p->key,
                              .global_step = p->step};
  g_autofree lam_tensor *by_id = lm_vars_by_id (model, p->vars);
  *out = (Forward) {.metric_names = g_ptr_array_new_with_free_func (g_free),
                    .per_example_names = g_ptr_array_new_with_free_func (g_free),
                    .metrics = g_array_new (FALSE, FALSE, sizeof (lam_tensor)),
                    .per_example = g_array_new (FALSE, FALSE, sizeof (lam_tensor)),
                    .summaries = g_array_new (FALSE, FALSE, sizeof (LmSummary)),
                    .n_vars = lm_model_n_vars (model)};
  out->updated = g_new0 (lam_tensor, out->n_vars + 1);
  lm_trace_context_push (pub, &context);
  lm_trace_bind_all (t, by_id, args->mutables);
  lam_nest in = batch_nest (t, args->batch, p->batch);
  lam_nest result = lm_layer_call (t, lm_model_root (model), args->method, in);
  const LmNest *tree = lm_trace_nest_peek (t, result);
  if (strcmp (args->method, "fprop") == 0)
    read_fprop (t, tree, out);
  else if (tree != NULL)
    read_per_example (t, tree, out);
  const LmSummary *summaries;
  guint n = lm_trace_summaries (t, &summaries);
  if (n > 0)
    g_array_append_vals (out->summaries, summaries, n);
  lm_trace_updated (t, out->updated);
  out->aux = lm_trace_aux_loss (t);
  lm_trace_context_pop (pub);
  return lm_trace_error (t) == NULL;
}

int
lm_forward_loss (LmTrace *t, const Forward *f, const char *loss_name)
{
  if (lm_trace_error (t) != NULL)
    return -1;
  for (guint i = 0; i < f->metric_names->len; i++) {
    if (strcmp (f->metric_names->pdata[i], loss_name) != 0)
      continue;
    for (guint k = 0; k < 2; k++) {
      lam_type type;
      lm_trace_type_of (lm_trace_pub (t), g_array_index (f->metrics, lam_tensor, 2 * i + k), &type);
      if (type.rank != 0 || !lam_dtype_is_float (type.dtype)) {
        g_autofree char *got = lm_type_to_string (&type);
        lm_trace_failf (t, LM_ERROR_INVALID,
                        "metric %s is the loss: its %s wants a float scalar, got %s", loss_name,
                        k == 0 ? "value" : "weight", got);
        return -1;
      }
    }
    return (int)i;
  }
  g_autoptr (GString) message = g_string_new (NULL);
  g_ptr_array_add (f->metric_names, NULL);
  g_autofree char *list = g_strjoinv (", ", (char **)f->metric_names->pdata);
  g_string_printf (message,
                   "the learner's loss_name \"%s\" is not a metric of the model; it has: %s",
                   loss_name, *list != '\0' ? list : "none");
  lm_append_did_you_mean (message, loss_name, (const char *const *)f->metric_names->pdata);
  g_ptr_array_set_size (f->metric_names, (gint)f->metric_names->len - 1);
  lm_trace_failf (t, LM_ERROR_INVALID, "%s", message->str);
  return -1;
}

/* --- the step's tables ---------------------------------------------------------------------------------- */

LmStepOutput *
lm_step_outputs_new (guint n)
{
  return g_new0 (LmStepOutput, n + 1);
}

void
lm_step_note_outputs (LmStep *step, LmTrace *t, const Forward *f)
{
  lam_trace *pub = lm_trace_pub (t);
  step->n_metrics = f->metric_names->len;
  step->n_per_example = f->per_example_names->len;
  step->metrics = lm_step_outputs_new (step->n_metrics);
  step->per_example = lm_step_outputs_new (step->n_per_example);
  for (guint i = 0; i < step->n_metrics; i++) {
    step->metrics[i].name = g_strdup (f->metric_names->pdata[i]);
    lm_trace_type_of (pub, g_array_index (f->metrics, lam_tensor, 2 * i), &step->metrics[i].tensor);
  }
  for (guint i = 0; i < step->n_per_example; i++) {
    step->per_example[i].name = g_strdup (f->per_example_names->pdata[i]);
    lm_trace_type_of (pub, g_array_index (f->per_example, lam_tensor, i),
                      &step->per_example[i].tensor);
  }
}

static void
outputs_free (LmStepOutput *outputs, guint n)
{
  for (guint i = 0; outputs != NULL && i < n; i++)
    g_free (outputs[i].name);
  g_free (outputs);
}

void
lm_step_free (LmStep *step)
{
  if (step == NULL)
    return;
  outputs_free (step->metrics, step->n_metrics);
  outputs_free (step->per_example, step->n_per_example);
  outputs_free (step->summaries, step->n_summaries);
  lm_function_unref (step->function);
  g_free (step->loss_name);
  g_free (step);
}

guint
lm_step_loss_index (const LmStep *step)
{
  return step->kind == LM_STEP_TRAIN ? step->n_vars + step->n_states + 1 : 0;
}

guint
lm_step_metric_index (const LmStep *step, guint i)
{
  guint after_loss = step->kind == LM_STEP_TRAIN  ? lm_step_loss_index (step) + 1
                     : step->kind == LM_STEP_EVAL ? 2
                                                  : 0;
  return after_loss + 2 * i;
}

guint
lm_step_per_example_index (const LmStep *step, guint i)
{
  return lm_step_metric_index (step, step->n_metrics) + i;
}

guint
lm_step_summary_index (const LmStep *step, guint i)
{
  return lm_step_per_example_index (step, step->n_per_example) + i;
}

/* --- learners ----------------------------------------------------------------------------------------------- */

LmLayer *
lm_step_learner (const LmModel *model, GError **error)
{
  guint n = lm_model_n_learners (model);
  if (n == 1)
    return lm_model_learner (model, 0);
  g_set_error (
      error, LM_ERROR, LM_ERROR_INVALID,
      "config: learners: this step wants exactly one learner, got %u; add \"learners\": [ { "
      "\"type\": \"lamina.learner\", ... } ]",
      n);
  return NULL;
}

const char *
lm_learner_loss_name (const LmLayer *learner)
{
  const lam_learner_vt *vt = learner->provided->vtable;
  const char *name = vt->loss_name (learner->instance);
  return name != NULL ? name : "";
}
