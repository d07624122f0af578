/* SPDX-License-Identifier: Apache-2.0 */
/* The half that all steps share: parameters, running the root layer, reading results. */
#include "core/step/private.h"
#include <lamina/metric.h>

#include <string.h>

void
lm_forward_clear (Forward *f)
{
  g_clear_pointer (&f->metric_names, g_ptr_array_unref);
  g_clear_pointer (&f->per_example_names, g_ptr_array_unref);
  g_clear_pointer (&f->metrics, g_array_unref);
  g_clear_pointer (&f->per_example, g_array_unref);
  g_clear_pointer (&f->summaries, g_array_unref);
  g_clear_pointer (&f->watches, g_array_unref);
  g_clear_pointer (&f->strings, g_string_chunk_free);
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

lam_nest
lm_batch_nest (LmTrace *t, const LmBatchSpec *batch, const lam_tensor *tensors)
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
  const LmNest *value = metric != NULL ? lm_nest_get (metric, "value") : NULL;
  const LmNest *weight = metric != NULL ? lm_nest_get (metric, "weight") : NULL;
  if (value == NULL || weight == NULL || lm_nest_kind (metric) != LM_NEST_MAP
      || lm_nest_size (metric) != 2 || lm_nest_leaf (value) == 0 || lm_nest_leaf (weight) == 0) {
    lm_trace_failf (t, LM_ERROR_INVALID, "metric %s: wanted a map of two tensors {value, weight}",
                    name);
    return false;
  }
  for (guint i = 0; i < out->metric_names->len; i++)
    if (strcmp (out->metric_names->pdata[i], name) == 0) {
      lm_trace_failf (t, LM_ERROR_INVALID,
                      "metric %s: the model has one of that name; give the config's another", name);
      return false;
    }
  lam_tensor pair[2] = {lm_trace_leaf (t, lm_nest_leaf (value)),
                        lm_trace_leaf (t, lm_nest_leaf (weight))};
  g_ptr_array_add (out->metric_names, g_strdup (name));
  g_array_append_vals (out->metrics, pair, 2);
  return true;
}

static bool
read_metrics (LmTrace *t, const LmNest *metrics, Forward *out)
{
  for (guint i = 0; i < lm_nest_size (metrics); i++)
    if (!read_metric (t, lm_nest_key (metrics, i), lm_nest_child (metrics, i), out))
      return false;
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

/* What the root's method returned: {"metrics", rows}; rows: "per_example" or "results". */
static bool
read_result (LmTrace *t, const LmNest *result, const char *method, const char *rows, Forward *out)
{
  const LmNest *metrics = result != NULL ? lm_nest_get (result, "metrics") : NULL;
  if (lm_trace_error (t) != NULL)
    return false;
  if (metrics == NULL || lm_nest_kind (metrics) != LM_NEST_MAP) {
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "the root layer's %s must return a map with \"metrics\" (name -> {value, "
                    "weight}) and \"%s\"; is the root a task, such as lamina.classification?",
                    method, rows);
    return false;
  }
  if (!read_metrics (t, metrics, out))
    return false;
  const LmNest *per_example = lm_nest_get (result, rows);
  if (per_example != NULL)
    read_per_example (t, per_example, out);
  return true;
}

/* --- the config's metrics ----------------------------------------------------------------------------- */

/* The value and the weight of the metric that was read last are float scalars. */
static void
check_pair (LmTrace *t, const LmLayer *metric, const Forward *out)
{
  for (guint k = 0; k < 2; k++) {
    lam_type type;
    lam_tensor x = g_array_index (out->metrics, lam_tensor, out->metrics->len - 2 + k);
    if (!lm_trace_type_of (lm_trace_pub (t), x, &type)
        || (type.rank == 0 && lam_dtype_is_float (type.dtype)))
      continue;
    g_autofree char *got = lm_type_to_string (&type);
    lm_trace_failf (t, LM_ERROR_PLUGIN, "metric %s (%s): its %s wants a float scalar, got %s",
                    metric->name, metric->provided->id, k == 0 ? "value" : "weight", got);
  }
}

static void
run_metric (LmTrace *t, LmLayer *metric, lam_nest in, Forward *out)
{
  const lam_metric_vt *vt = metric->provided->vtable;
  g_autofree char *name_space = g_strdup_printf ("%s.value", metric->name);
  LmTraceLayer entered = {metric->id, metric->path, name_space};
  lm_trace_enter (t, &entered);
  lam_nest pair = vt->value (metric->instance, lm_trace_pub (t), in);
  lm_trace_leave (t);
  if (lm_trace_error (t) == NULL
      && read_metric (t, metric->name, lm_trace_nest_peek (t, pair), out))
    check_pair (t, metric, out);
}

/* in: the batch; result: what fprop returned. Each metric gets a tree of its own, which it may change. */
static void
run_metrics (LmTrace *t, LmModel *model, lam_nest in, lam_nest result, Forward *out)
{
  lam_trace *pub = lm_trace_pub (t);
  for (guint i = 0; i < lm_model_n_metrics (model) && lm_trace_error (t) == NULL; i++) {
    lam_nest both = lam_nest_map (pub);
    lam_nest_set (pub, both, "inputs", in);
    if (lam_nest_has (pub, result, "per_example"))
      lam_nest_set (pub, both, "per_example", lam_nest_get (pub, result, "per_example"));
    run_metric (t, lm_model_metric (model, i), both, out);
  }
}

/* --- dtypes: 1.4 ---------------------------------------------------------------------------------------- */

lam_tensor
lm_to_float32 (lam_trace *t, lam_tensor x)
{
  return lam_dtype_of (t, x) == LAM_BF16 ? lam_cast (t, x, LAM_F32) : x;
}

static lam_tensor
to_bfloat16 (lam_trace *t, lam_tensor x)
{
  return lam_dtype_of (t, x) == LAM_F32 ? lam_cast (t, x, LAM_BF16) : x;
}

/* Copies of the variables and the batch as the layers see them. */
static StepParams
cast_params (lam_trace *t, const LmModel *model, const LmBatchSpec *batch, const StepParams *p)
{
  bool half = lm_model_fprop_dtype (model) == LAM_BF16;
  guint n = lm_model_n_vars (model);
  StepParams cast = {.vars = g_memdup2 (p->vars, (n + 1) * sizeof *p->vars),
                     .batch = g_memdup2 (p->batch, (batch->n + 1) * sizeof *p->batch),
                     .step = p->step,
                     .key = p->key};
  for (guint i = 0; half && i < n; i++)
    if (!(lm_model_var_infos (model)[i]->collections & LAM_DISALLOW_BFLOAT16_CONVERSION))
      cast.vars[i] = to_bfloat16 (t, p->vars[i]);
  for (guint i = 0; half && i < batch->n; i++)
    cast.batch[i] = to_bfloat16 (t, p->batch[i]);
  return cast;
}

/* --- running ---------------------------------------------------------------------------------------------- */

lam_context_args
lm_step_context (const LmStepOptions *options, bool do_eval, lam_key key, lam_tensor step)
{
  return (lam_context_args) {.struct_size = sizeof (lam_context_args),
                             .do_eval = do_eval,
                             .original_keys = options->original_keys ? 1 : -1,
                             .key = key,
                             .global_step = step,
                             .check_numerics = options->check_numerics,
                             .enable_asserts = options->enable_asserts,
                             .verbosity = options->verbosity};
}

static void
forward_init (Forward *out, guint n_vars)
{
  *out = (Forward) {.metric_names = g_ptr_array_new_with_free_func (g_free),
                    .per_example_names = g_ptr_array_new_with_free_func (g_free),
                    .metrics = g_array_new (FALSE, FALSE, sizeof (lam_tensor)),
                    .per_example = g_array_new (FALSE, FALSE, sizeof (lam_tensor)),
                    .summaries = g_array_new (FALSE, FALSE, sizeof (LmSummary)),
                    .watches = g_array_new (FALSE, FALSE, sizeof (LmWatch)),
                    .strings = g_string_chunk_new (256),
                    .updated = g_new0 (lam_tensor, n_vars + 1)};
}

/* What the context gathered; strings outlive the trace. */
static void
take_effects (LmTrace *t, const LmStepOptions *options, Forward *out)
{
  const LmSummary *summaries;
  const LmWatch *watches;
  guint n = options->with_summaries ? lm_trace_summaries (t, &summaries) : 0;
  for (guint i = 0; i < n; i++) {
    LmSummary s = summaries[i];
    s.key = g_string_chunk_insert (out->strings, s.key);
    g_array_append_val (out->summaries, s);
  }
  n = lm_trace_watches (t, &watches);
  for (guint i = 0; i < n; i++) {
    LmWatch w = watches[i];
    w.name = g_string_chunk_insert (out->strings, w.name);
    g_array_append_val (out->watches, w);
  }
  lm_trace_updated (t, out->updated);
  out->aux = lm_trace_aux_loss (t);
}

bool
lm_forward_run (LmTrace *t, LmModel *model, const StepParams *p, const ForwardArgs *args,
                Forward *out)
{
  lam_trace *pub = lm_trace_pub (t);
  lam_context_args context = lm_step_context (args->options, args->do_eval, p->key, p->step);
  g_auto (StepParams) cast = cast_params (pub, model, args->batch, p);
  g_autofree lam_tensor *by_id = lm_vars_by_id (model, cast.vars);
  forward_init (out, lm_model_n_vars (model));
  lm_trace_context_push (pub, &context);
  lm_trace_bind_all (t, by_id, args->mutables);
  lam_nest in = lm_batch_nest (t, args->batch, cast.batch);
  lam_nest result = lm_layer_call (t, lm_model_root (model), args->method, in);
  const LmNest *tree = lm_trace_nest_peek (t, result);
  if (strcmp (args->method, "fprop") == 0) {
    if (read_result (t, tree, "fprop", "per_example", out))
      run_metrics (t, model, in, result, out);
  } else if (strcmp (args->method, "decode") == 0) {
    read_result (t, tree, "decode", "results", out);
  } else if (tree != NULL) {
    read_per_example (t, tree, out);
  }
  take_effects (t, args->options, out);
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
