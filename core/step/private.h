/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of steps, shared by the files of core/step only. */
#ifndef LM_STEP_PRIVATE_H
#define LM_STEP_PRIVATE_H

#include "core/step/step.h"
#include <lamina/layer.h>

/* Parameters of a traced step: handles of its trace. */
typedef struct StepParams {
  lam_tensor *vars; /* flatten order */
  lam_tensor *batch;
  lam_tensor step;
  lam_key key;
} StepParams;

void lm_step_params_clear (StepParams *p);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (StepParams, lm_step_params_clear)

/* Declares vars, then step, key, batch. */
StepParams lm_step_declare (LmTrace *t, const LmModel *model, const LmBatchSpec *batch);
void lm_step_declare_vars (LmTrace *t, const LmModel *model, StepParams *p);
void lm_step_declare_rest (LmTrace *t, const LmBatchSpec *batch, StepParams *p);

/* Values by id - 1 from values in flatten order; free with g_free. */
lam_tensor *lm_vars_by_id (const LmModel *model, const lam_tensor *flat);

/* The variable tree with these leaves (flatten order). */
lam_nest lm_vars_nest (LmTrace *t, const LmModel *model, const lam_tensor *flat);

/* A map of the batch's tensors by their paths. */
lam_nest lm_batch_nest (LmTrace *t, const LmBatchSpec *batch, const lam_tensor *tensors);

/* --- forward.c: running the root layer --------------------------------------------------------- */

/* What one run of the root layer's method gave. Handles of the trace it ran in; strings its own. */
typedef struct Forward {
  GPtrArray *metric_names, *per_example_names; /* char* */
  GArray *metrics;                             /* of lam_tensor: value, weight of each */
  GArray *per_example;                         /* of lam_tensor */
  GArray *summaries;                           /* of LmSummary; keys are `strings`' */
  GArray *watches;                             /* of LmWatch; names are `strings`' */
  GStringChunk *strings;
  lam_tensor aux;      /* sum of aux losses, nil if none */
  lam_tensor *updated; /* by id - 1: new values of non-trainable variables */
} Forward;

void lm_forward_clear (Forward *f);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Forward, lm_forward_clear)

/* Runs the root's `method` in a fresh context (key, step) bound with `mutables`, variables and batch
 * cast as the model's fprop_dtype says (1.4), and takes the results apart. fprop must return
 * {"metrics": {name: {"value", "weight"}}, "per_example": {...}}, decode {"metrics", "results"};
 * predict returns any map of tensors, read as per_example. The config's metrics follow the model's.
 * False after an error of the trace. */
typedef struct ForwardArgs {
  const char *method;
  bool do_eval;
  uint32_t mutables;
  const LmBatchSpec *batch;
  const LmStepOptions *options;
} ForwardArgs;
bool lm_forward_run (LmTrace *t, LmModel *model, const StepParams *p, const ForwardArgs *args,
                     Forward *out);

/* Arguments of the context that a step runs layers in. */
lam_context_args lm_step_context (const LmStepOptions *options, bool do_eval, lam_key key,
                                  lam_tensor step);

/* Index of the loss among the metrics, checked to be scalar; -1 after an error. */
int lm_forward_loss (LmTrace *t, const Forward *f, const char *loss_name);

/* bf16 -> f32, others as they are (1.4). */
lam_tensor lm_to_float32 (lam_trace *t, lam_tensor x);

/* --- replicas.c: what differs where an axis is named; without one all give back what they got ------ */

/* Each replica's own key: fold_in (key, axis_index). */
lam_key lm_replica_key (lam_trace *t, lam_key key);

/* n pairs value, weight in place: sum (v w) / (sum w + 1e-8) and sum w over the replicas. */
void lm_replica_metrics (lam_trace *t, lam_tensor *pairs, guint n);

/* The rows of all replicas in input order; scalars as they are. */
lam_tensor lm_replica_rows (lam_trace *t, lam_tensor x);

/* Scalars: mean; images: all rows, the first 64; aggregates by weight; counts of histograms: sum. */
void lm_replica_summary (lam_trace *t, LmSummary *summary);

/* The new value of a non-trainable variable by its collections (1.5, 9d, 9e); also casts it back. */
lam_tensor lm_replica_sync (lam_trace *t, const lam_var_info *info, lam_tensor old, lam_tensor new);

/* --- learners.c --------------------------------------------------------------------------------- */

/* A learner and the variables it learns. */
typedef struct Learning {
  LmLayer *layer;
  const lam_learner_vt *vt;
  const char *loss_name;
  lam_var_info *own;          /* copies, `learnable` as this learner has it */
  const lam_var_info **infos; /* flatten order */
} Learning;

typedef struct Learners {
  guint n, n_vars;
  Learning *all;
} Learners;

/* Asks each for its variables; an error where two learn one. No learner is fine here. */
bool lm_learners_init (Learners *l, LmModel *model, GError **error);
void lm_learners_clear (Learners *l);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Learners, lm_learners_clear)

/* The first learner's loss, or an error that there is none. */
const char *lm_learners_loss (const Learners *l, GError **error);

/* Enters the learner's namespace "<name>.<method>"; lm_trace_leave ends it. */
void lm_learning_enter (LmTrace *t, const Learning *learning, const char *method);

/* --- learn.c: the second half of the train step ------------------------------------------------------ */

typedef struct Second {
  LmModel *model;
  LmTrace *t;
  const Learners *learners;
  const StepParams *p;
  const LmStateInit *init;
  const lam_tensor *states; /* flat */
  const lam_tensor *grads;  /* flatten order of the variables; zeros where none learns */
  lam_tensor *new_vars, *new_states;
} Second;

/* 1.5, 9: runs every learner inside the context at hand and fills new_vars and new_states. */
void lm_learn (const Second *s);

/* --- loss.c: the first half ---------------------------------------------------------------------------- */

/* (vars, step, Kf, batch) -> weighted loss of each learner, metrics, per example, new values of
 * non-trainable variables, summaries with their weights, watches. */
typedef struct Loss {
  LmFunction *function;
  Forward forward; /* names and types; its handles are dead */
  GArray *kept;    /* of guint: flatten numbers of the non-trainable variables, in result order */
} Loss;

bool lm_loss_trace (Loss *loss, LmModel *model, const Learners *learners, const LmBatchSpec *batch,
                    const LmStepOptions *options, GError **error);
void lm_loss_clear (Loss *loss);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Loss, lm_loss_clear)

/* --- outputs.c: the step's tables ------------------------------------------------------------------------ */

/* Appends what `f` holds (with this trace's handles) to results and names it in the step's tables. */
void lm_step_add_metrics (LmStep *step, LmTrace *t, const Forward *f, GArray *results);
void lm_step_add_per_example (LmStep *step, LmTrace *t, const Forward *f, GArray *results);

/* Appends a summary under prefix + key / a watch. */
void lm_step_add_summary (LmStep *step, LmTrace *t, const char *prefix, const LmSummary *s,
                          GArray *results);
void lm_step_add_watch (LmStep *step, LmTrace *t, const LmWatch *w, GArray *results);

/* A step over this model and batch without its function. */
LmStep *lm_step_begin (LmStepKind kind, const LmModel *model, const LmBatchSpec *batch);

#endif
