/* SPDX-License-Identifier: Apache-2.0 */
/* Steps: pure functions traced from a model, over flat lists of tensors whose order this header fixes.
 * semantics 1.5 (train) and 1.6 (eval) are the rules, on one replica of several or without any. */
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
  char *name;      /* metric "loss"; per example "logits"; summary key with suffix; watch: place */
  int32_t type;    /* summaries: LAM_SUMMARY_*; watches: LmWatchKind */
  bool has_weight; /* LAM_SUMMARY_AGGREGATE_*: the next result is its weight */
  lam_type tensor;
} LmStepOutput;

typedef enum { LM_STEP_TRAIN, LM_STEP_EVAL, LM_STEP_DECODE, LM_STEP_PREDICT } LmStepKind;

/* How a step is traced. All zero: one process without replicas, no summaries, no checks. */
typedef struct LmStepOptions {
  bool with_summaries;
  bool check_numerics, enable_asserts; /* what contexts of the step record */
  int32_t verbosity;                   /* of summaries; 0: the default, 3 */
  uint32_t replicas;  /* of the data-parallel axis, the batch being one's part; 0: none is named */
  bool original_keys; /* what layers draw has JAX's original Threefry layout */
} LmStepOptions;

/* A traced step.
 *
 *   train:   vars, states, step u32, key u32[2], batch ->
 *            vars', states', step', loss, (value, weight) of each metric, per_example, summaries,
 *            watches
 *   eval:    vars, step, key, batch -> loss, weight of the loss, (value, weight)..., per_example,
 *            summaries, watches
 *   decode:  vars, step, key, batch -> (value, weight)..., results of the root's method "decode" (as
 *            per_example), summaries, watches
 *   predict: vars, step, key, batch -> outputs of the root's method "predict" (as per_example), ...
 *
 * vars in flatten order, states as lm_step_state_structure() flattens. Train results 0 .. n_vars +
 * n_states line up with the parameters of the same number: they may be donated. On replicas per_example
 * holds the rows of all of them, in input order; everything else is the same on each. */
typedef struct LmStep {
  LmStepKind kind;
  LmFunction *function;
  guint n_vars, n_states, n_batch;
  guint n_metrics, n_per_example, n_summaries, n_watches;
  LmStepOutput *metrics, *per_example, *summaries, *watches;
  char *loss_name; /* of the first learner */
} LmStep;

/* Several learners: each differentiates its own loss by the variables that it selects, which must not
 * overlap; `loss` is the first one's. options NULL: the zero ones. */
LmStep *lm_step_new_train (LmModel *model, const LmBatchSpec *batch, const LmStepOptions *options,
                           GError **error);
LmStep *lm_step_new_eval (LmModel *model, const LmBatchSpec *batch, const LmStepOptions *options,
                          GError **error);
/* batch need not hold labels; NOT_FOUND when the root has no method "decode" / "predict". */
LmStep *lm_step_new_decode (LmModel *model, const LmBatchSpec *batch, const LmStepOptions *options,
                            GError **error);
LmStep *lm_step_new_predict (LmModel *model, const LmBatchSpec *batch, GError **error);
void lm_step_free (LmStep *step); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmStep, lm_step_free)

/* Number of the first result of each group. */
guint lm_step_loss_index (const LmStep *step);
guint lm_step_metric_index (const LmStep *step, guint i); /* value; weight follows */
guint lm_step_per_example_index (const LmStep *step, guint i);
guint lm_step_summary_index (const LmStep *step, guint i); /* value; weight follows if it has one */
guint lm_step_watch_index (const LmStep *step, guint i);

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
lam_nest lm_optimizer_init_for (lam_trace *t, lam_child optimizer, lam_nest vars, lam_nest learned);
lam_nest lm_optimizer_update (lam_trace *t, lam_child optimizer, lam_nest grads, lam_nest states,
                              lam_nest vars);
lam_tensor lm_schedule_value (lam_trace *t, lam_child schedule, lam_tensor count);

/* The averages of the variables (ema_decay) in the states of one learner, child k of
 * LmStateInit.structure (of a list of them: the first that has any): a tree with the variables'
 * paths, part of `states`, leaves as there. Variables that it lacks have no average. NULL: there are
 * none. */
const LmNest *lm_optimizer_find_ema (const LmNest *states);

#endif
