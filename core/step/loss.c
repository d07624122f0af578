/* SPDX-License-Identifier: Apache-2.0 */
/* The loss as a function of its own (semantics 1.5, 3), so that it can be differentiated. */
#include "core/step/private.h"

void
lm_loss_clear (Loss *l)
{
  g_clear_pointer (&l->function, lm_function_unref);
  lm_forward_clear (&l->forward);
  g_clear_pointer (&l->kept, g_array_unref);
}

/* 3e: w = stop (w) / sum of w, over the replicas where an axis is named: NaN when nothing weighs. */
static lam_tensor
normalised (lam_trace *t, lam_tensor weight, lam_dtype dtype)
{
  lam_tensor w = lam_cast (t, lam_stop_gradient (t, weight), dtype);
  return lam_div (t, w, lam_psum (t, w));
}

/* 3e, 3f: loss * w plus the aux losses, each divided by the number of replicas; 3g: in float32. */
static lam_tensor
weighted_loss (LmTrace *trace, const Forward *f, int loss)
{
  lam_trace *t = lm_trace_pub (trace);
  lam_tensor value = g_array_index (f->metrics, lam_tensor, 2 * loss);
  lam_dtype dtype = lam_dtype_of (t, value);
  lam_tensor w = normalised (t, g_array_index (f->metrics, lam_tensor, 2 * loss + 1), dtype);
  lam_tensor weighted = lam_mul (t, value, w);
  if (!lam_is_nil (f->aux)) {
    double replicas = lam_axis_size (t) > 1 ? (double)lam_axis_size (t) : 1;
    lam_tensor aux = lam_cast (t, f->aux, dtype);
    weighted = lam_add (t, weighted, replicas > 1 ? lam_div_scalar (t, aux, replicas) : aux);
  }
  return lm_to_float32 (t, weighted);
}

static void
append_updated (Loss *l, const LmModel *model, GArray *results)
{
  l->kept = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < lm_model_n_vars (model); i++) {
    lam_tensor x = l->forward.updated[lm_model_var_order (model)[i] - 1];
    if (lam_is_nil (x))
      continue;
    g_array_append_val (results, x);
    g_array_append_val (l->kept, i);
  }
}

static void
append_effects (const Forward *f, GArray *results)
{
  for (guint i = 0; i < f->summaries->len; i++) {
    const LmSummary *s = &g_array_index (f->summaries, LmSummary, i);
    g_array_append_val (results, s->value);
    if (!lam_is_nil (s->weight))
      g_array_append_val (results, s->weight);
  }
  for (guint i = 0; i < f->watches->len; i++)
    g_array_append_val (results, g_array_index (f->watches, LmWatch, i).value);
}

static bool
append_losses (LmTrace *t, const Learners *learners, Loss *l, GArray *results)
{
  for (guint k = 0; k < learners->n; k++) {
    int loss = lm_forward_loss (t, &l->forward, learners->all[k].loss_name);
    if (loss < 0)
      return false;
    lam_tensor weighted = weighted_loss (t, &l->forward, loss);
    lam_check_numerics (lm_trace_pub (t), learners->all[k].loss_name, weighted);
    g_array_append_val (results, weighted);
  }
  return true;
}

bool
lm_loss_trace (Loss *l, LmModel *model, const Learners *learners, const LmBatchSpec *batch,
               const LmStepOptions *options, GError **error)
{
  g_autoptr (LmTrace) t = lm_model_trace (model, "loss");
  lm_trace_set_axis_size (t, options->replicas);
  g_auto (StepParams) p = lm_step_declare (t, model, batch);
  ForwardArgs args = {"fprop", false, LAM_MUTABLE_VARS | LAM_MUTABLE_AUX_LOSS, batch, options};
  lm_forward_run (t, model, &p, &args, &l->forward);
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (lam_tensor));
  if (append_losses (t, learners, l, results)) {
    g_array_append_vals (results, l->forward.metrics->data, l->forward.metrics->len);
    g_array_append_vals (results, l->forward.per_example->data, l->forward.per_example->len);
    append_updated (l, model, results);
    append_effects (&l->forward, results);
  }
  l->function = lm_trace_finish (t, (const lam_tensor *)(void *)results->data, results->len, error);
  return l->function != NULL;
}
