/* SPDX-License-Identifier: Apache-2.0 */
/* Steps: pure functions traced from a model, over flat lists of tensors whose order this header fixes.
 * semantics 1.5 (train) and 1.6 (eval) are the rules; one replica. */
#ifndef LM_STEP_STEP_H
#define LM_STEP_STEP_H

#include "core/model/model.h"
#include "core/transform/transform.h"

/* One tensor of a batch. */
typedef struct LmBatchField {
  char *name; /* nest path: "inputs" */
  lam_type type;
} LmBatchField;

/* A list of them, in the input's order. */
typedef struct LmBatchSpec {
  guint n;
  LmBatchField *fields;
} LmBatchSpec;

/* A named result. */
typedef struct LmStepOutput {
  char *name;   /* metric "loss"; per example "logits"; summary key with suffix */
  int32_t type; /* summaries: LAM_SUMMARY_* */
  lam_type tensor;
} LmStepOutput;

typedef enum { LM_STEP_TRAIN, LM_STEP_EVAL, LM_STEP_PREDICT } LmStepKind;

/* A traced step.
 *
 *   train:   vars, states, step u32, key u32[2], batch ->
 *            vars', states', step', loss, (value, weight) of each metric, per_example, summaries
 *   eval:    vars, step, key, batch -> loss, weight of the loss, (value, weight)..., per_example,
 *            summaries
 *   predict: vars, step, key, batch -> outputs of the root's method "predict" (as per_example)
 *
 * vars in flatten order, states as lm_step_state_structure() flattens. Train results 0 .. n_vars +
 * n_states line up with the parameters of the same number: they may be donated. */
typedef struct LmStep {
  LmStepKind kind;
  LmFunction *function;
  guint n_vars, n_states, n_batch;
  guint n_metrics, n_per_example, n_summaries;
  LmStepOutput *metrics, *per_example, *summaries;
  char *loss_name;
} LmStep;

/* The train step with learner 0. with_summaries: false leaves them out of the results. */
LmStep *lm_step_new_train (LmModel *model, const LmBatchSpec *batch, bool with_summaries,
                           GError **error);
LmStep *lm_step_new_eval (LmModel *model, const LmBatchSpec *batch, GError **error);
/* batch need not hold labels; NOT_FOUND when the root has no method "predict". */
LmStep *lm_step_new_predict (LmModel *model, const LmBatchSpec *batch, GError **error);
void lm_step_free (LmStep *step); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmStep, lm_step_free)

/* Number of the first result of each group. */
guint lm_step_loss_index (const LmStep *step);
guint lm_step_metric_index (const LmStep *step, guint i); /* value; weight follows */
guint lm_step_per_example_index (const LmStep *step, guint i);
guint lm_step_summary_index (const LmStep *step, guint i);

/* Learner states: vars -> states in flatten order, and the structure with their paths
 * ("learner.optimizer.slots.m.network.w"): a list of states, one a learner. */
typedef struct LmStateInit {
  LmFunction *function; /* vars in flatten order -> states */
  LmNest *structure;    /* leaf = 1 + index */
  char **paths;         /* of each state, NULL-terminated */
} LmStateInit;
LmStateInit *lm_state_init_new (LmModel *model, GError **error);
void lm_state_init_free (LmStateInit *init);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmStateInit, lm_state_init_free)

/* --- optimizer chain, for core/host's table ------------------------------------------------------- */
lam_tensor lm_optimizer_learning_rate (lam_trace *t, lam_child optimizer, lam_tensor count);
lam_nest lm_optimizer_init (lam_trace *t, lam_child optimizer, lam_nest vars);
lam_nest lm_optimizer_update (lam_trace *t, lam_child optimizer, lam_nest grads, lam_nest states,
                              lam_nest vars);
lam_tensor lm_schedule_value (lam_trace *t, lam_child schedule, lam_tensor count);

#endif
