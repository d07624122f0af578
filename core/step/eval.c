/* SPDX-License-Identifier: Apache-2.0 */
/* Eval and predict steps (semantics 1.6): the key is folded with the step and not split, and only aux
 * losses are writable. */
#include "core/step/private.h"

static LmStep *
step_new (LmStepKind kind, const LmModel *model, const LmBatchSpec *batch)
{
  LmStep *step = g_new0 (LmStep, 1);
  step->kind = kind;
  step->n_vars = lm_model_n_vars (model);
  step->n_batch = batch->n;
  return step;
}

/* Traces the forward half into a fresh trace. */
static bool
run (LmTrace *t, LmModel *model, const LmBatchSpec *batch, const char *method, Forward *out)
{
  g_auto (StepParams) p = lm_step_declare (t, model, batch);
  p.key = lam_fold_in (lm_trace_pub (t), p.key, p.step);
  ForwardArgs args = {method, true, LAM_MUTABLE_AUX_LOSS, batch};
  return lm_forward_run (t, model, &p, &args, out);
}

static void
note_summaries (LmStep *step, LmTrace *t, const Forward *f)
{
  step->n_summaries = f->summaries->len;
  step->summaries = lm_step_outputs_new (step->n_summaries);
  for (guint i = 0; i < step->n_summaries; i++) {
    const LmSummary *s = &g_array_index (f->summaries, LmSummary, i);
    step->summaries[i].name = g_strdup (s->key);
    step->summaries[i].type = s->type;
    lm_trace_type_of (lm_trace_pub (t), s->value, &step->summaries[i].tensor);
  }
}

/* loss and weight (when there is a loss), metrics, per example, summaries. */
static LmFunction *
finish (LmStep *step, LmTrace *t, const Forward *f, int loss, GError **error)
{
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (lam_tensor));
  lm_step_note_outputs (step, t, f);
  note_summaries (step, t, f);
  if (loss >= 0)
    g_array_append_vals (results, &g_array_index (f->metrics, lam_tensor, 2 * loss), 2);
  g_array_append_vals (results, f->metrics->data, f->metrics->len);
  g_array_append_vals (results, f->per_example->data, f->per_example->len);
  for (guint i = 0; i < f->summaries->len; i++)
    g_array_append_val (results, g_array_index (f->summaries, LmSummary, i).value);
  return lm_trace_finish (t, (const lam_tensor *)(void *)results->data, results->len, error);
}

static LmStep *
take (LmStep *step, LmFunction *function)
{
  step->function = function;
  if (function != NULL)
    return step;
  lm_step_free (step);
  return NULL;
}

LmStep *
lm_step_new_eval (LmModel *model, const LmBatchSpec *batch, GError **error)
{
  LmLayer *learner = lm_step_learner (model, error);
  if (learner == NULL)
    return NULL;
  g_autoptr (LmTrace) t = lm_model_trace (model, "eval_step");
  g_auto (Forward) f = {0};
  run (t, model, batch, "fprop", &f);
  int loss = lm_forward_loss (t, &f, lm_learner_loss_name (learner));
  if (loss < 0) {
    g_propagate_error (error, g_error_copy (lm_trace_error (t)));
    return NULL;
  }
  LmStep *step = step_new (LM_STEP_EVAL, model, batch);
  step->loss_name = g_strdup (lm_learner_loss_name (learner));
  return take (step, finish (step, t, &f, loss, error));
}

LmStep *
lm_step_new_predict (LmModel *model, const LmBatchSpec *batch, GError **error)
{
  LmLayer *root = lm_model_root (model);
  if (!lm_layer_has_method (root, "predict")) {
    g_set_error (
        error, LM_ERROR, LM_ERROR_NOT_FOUND,
        "%s (%s) has no method \"predict\"; predict wants a task such as lamina.classification",
        root->path, root->provided->id);
    return NULL;
  }
  g_autoptr (LmTrace) t = lm_model_trace (model, "predict_step");
  g_auto (Forward) f = {0};
  if (!run (t, model, batch, "predict", &f)) {
    g_propagate_error (error, g_error_copy (lm_trace_error (t)));
    return NULL;
  }
  LmStep *step = step_new (LM_STEP_PREDICT, model, batch);
  return take (step, finish (step, t, &f, -1, error));
}
