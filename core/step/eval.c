/* SPDX-License-Identifier: Apache-2.0 */
/* Eval, decode and predict steps (semantics 1.6): the key is folded with the step and not split, and
 * only aux losses are writable. */
#include "core/step/private.h"

#include <string.h>

static const LmStepOptions no_options = {0};

/* Traces the forward half into a fresh trace. */
static LmTrace *
run (LmModel *model, const LmBatchSpec *batch, const LmStepOptions *options, const char *method,
     Forward *out)
{
  g_autofree char *name = g_strdup_printf ("%s_step", strcmp (method, "fprop") ? method : "eval");
  LmTrace *t = lm_model_trace (model, name);
  lm_trace_set_axis_size (t, options->replicas);
  lam_trace *pub = lm_trace_pub (t);
  g_auto (StepParams) p = lm_step_declare (t, model, batch);
  p.key = lam_fold_in (pub, lm_replica_key (pub, p.key), p.step);
  ForwardArgs args = {method, true, LAM_MUTABLE_AUX_LOSS, batch, options};
  lm_forward_run (t, model, &p, &args, out);
  return t;
}

/* Everything over the replicas; eval gives all of it in float32, decode as it is (1.4). */
static void
settle (lam_trace *t, Forward *f, bool to_float32)
{
  lm_replica_metrics (t, (lam_tensor *)(void *)f->metrics->data, f->metrics->len / 2);
  for (guint i = 0; i < f->per_example->len; i++) {
    lam_tensor *x = &g_array_index (f->per_example, lam_tensor, i);
    *x = lm_replica_rows (t, to_float32 ? lm_to_float32 (t, *x) : *x);
  }
  for (guint i = 0; to_float32 && i < f->metrics->len; i++) {
    lam_tensor *x = &g_array_index (f->metrics, lam_tensor, i);
    *x = lm_to_float32 (t, *x);
  }
  for (guint i = 0; i < f->summaries->len; i++) {
    LmSummary *s = &g_array_index (f->summaries, LmSummary, i);
    lm_replica_summary (t, s);
    if (!to_float32)
      continue;
    s->value = lm_to_float32 (t, s->value);
    s->weight = lam_is_nil (s->weight) ? s->weight : lm_to_float32 (t, s->weight);
  }
}

/* loss and weight (when there is a loss), metrics, per example, summaries, watches. */
static LmFunction *
finish (LmStep *step, LmTrace *t, const Forward *f, int loss, GError **error)
{
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (lam_tensor));
  if (loss >= 0)
    g_array_append_vals (results, &g_array_index (f->metrics, lam_tensor, 2 * loss), 2);
  lm_step_add_metrics (step, t, f, results);
  lm_step_add_per_example (step, t, f, results);
  for (guint i = 0; i < f->summaries->len; i++)
    lm_step_add_summary (step, t, "", &g_array_index (f->summaries, LmSummary, i), results);
  for (guint i = 0; i < f->watches->len; i++)
    lm_step_add_watch (step, t, &g_array_index (f->watches, LmWatch, i), results);
  return lm_trace_finish (t, (const lam_tensor *)(void *)results->data, results->len, error);
}

LmStep *
lm_step_new_eval (LmModel *model, const LmBatchSpec *batch, const LmStepOptions *options,
                  GError **error)
{
  options = options != NULL ? options : &no_options;
  g_auto (Learners) learners = {0};
  const char *loss_name =
      lm_learners_init (&learners, model, error) ? lm_learners_loss (&learners, error) : NULL;
  if (loss_name == NULL)
    return NULL;
  g_auto (Forward) f = {0};
  g_autoptr (LmTrace) t = run (model, batch, options, "fprop", &f);
  int loss = lm_forward_loss (t, &f, loss_name);
  settle (lm_trace_pub (t), &f, true);
  g_autoptr (LmStep) step = lm_step_begin (LM_STEP_EVAL, model, batch);
  step->loss_name = g_strdup (loss_name);
  step->function = finish (step, t, &f, loss, error);
  return step->function != NULL ? g_steal_pointer (&step) : NULL;
}

/* decode and predict: a method of the root that the config may lack. */
static LmStep *
new_of_method (LmStepKind kind, LmModel *model, const LmBatchSpec *batch,
               const LmStepOptions *options, GError **error)
{
  LmLayer *root = lm_model_root (model);
  const char *method = kind == LM_STEP_DECODE ? "decode" : "predict";
  if (!lm_layer_has_method (root, method)) {
    g_set_error (error, LM_ERROR, LM_ERROR_NOT_FOUND,
                 "%s (%s) has no method \"%s\"; %s wants a task that has it, such as "
                 "lamina.classification for predict",
                 root->path, root->provided->id, method, method);
    return NULL;
  }
  g_auto (Forward) f = {0};
  g_autoptr (LmTrace) t = run (model, batch, options, method, &f);
  settle (lm_trace_pub (t), &f, kind == LM_STEP_PREDICT);
  g_autoptr (LmStep) step = lm_step_begin (kind, model, batch);
  step->function = finish (step, t, &f, -1, error);
  return step->function != NULL ? g_steal_pointer (&step) : NULL;
}

LmStep *
lm_step_new_decode (LmModel *model, const LmBatchSpec *batch, const LmStepOptions *options,
                    GError **error)
{
  return new_of_method (LM_STEP_DECODE, model, batch, options != NULL ? options : &no_options,
                        error);
}

LmStep *
lm_step_new_predict (LmModel *model, const LmBatchSpec *batch, GError **error)
{
  return new_of_method (LM_STEP_PREDICT, model, batch, &no_options, error);
}
