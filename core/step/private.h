/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of steps, shared by the files of core/step only. */
#ifndef LM_STEP_PRIVATE_H
#define LM_STEP_PRIVATE_H

#include "core/step/step.h"
#include <lamina/layer.h>

/* What one run of the root layer's method gave, as handles of the trace it ran in. */
typedef struct Forward {
  GPtrArray *metric_names, *per_example_names; /* char* */
  GArray *metrics;                             /* of lam_tensor: value, weight of each */
  GArray *per_example;                         /* of lam_tensor */
  GArray *summaries;                           /* of LmSummary; keys owned by the trace */
  lam_tensor aux;                              /* sum of aux losses, nil if none */
  lam_tensor *updated; /* by id - 1: new values of non-trainable variables */
  guint n_vars;
} Forward;

void lm_forward_clear (Forward *f);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Forward, lm_forward_clear)

/* Parameters of a traced step: handles of its trace. */
typedef struct StepParams {
  lam_tensor *vars; /* flatten order */
  lam_tensor *batch;
  lam_tensor step;
  lam_key key;
} StepParams;

void lm_step_params_clear (StepParams *p);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (StepParams, lm_step_params_clear)

/* Declares vars, then states (n_states types, may be 0; handles to out_states), step, key, batch. */
StepParams lm_step_declare (LmTrace *t, const LmModel *model, const LmBatchSpec *batch);
void lm_step_declare_vars (LmTrace *t, const LmModel *model, StepParams *p);
void lm_step_declare_rest (LmTrace *t, const LmBatchSpec *batch, StepParams *p);

/* Runs the root's `method` in a fresh context (key, step) bound with `mutables`, and takes the results
 * apart. fprop must return {"metrics": {name: {"value", "weight"}}, "per_example": {...}}; predict
 * returns any map of tensors, read as per_example. False after an error of the trace. */
typedef struct ForwardArgs {
  const char *method;
  bool do_eval;
  uint32_t mutables;
  const LmBatchSpec *batch;
} ForwardArgs;
bool lm_forward_run (LmTrace *t, LmModel *model, const StepParams *p, const ForwardArgs *args,
                     Forward *out);

/* Index of the loss among the metrics, checked to be scalar; -1 after an error. */
int lm_forward_loss (LmTrace *t, const Forward *f, const char *loss_name);

/* Values by id - 1 from values in flatten order; free with g_free. */
lam_tensor *lm_vars_by_id (const LmModel *model, const lam_tensor *flat);

/* The variable tree with these leaves (flatten order). */
lam_nest lm_vars_nest (LmTrace *t, const LmModel *model, const lam_tensor *flat);

/* Fills the step's tables of outputs from what forward found; types read from the trace. */
void lm_step_note_outputs (LmStep *step, LmTrace *t, const Forward *f);
LmStepOutput *lm_step_outputs_new (guint n);

/* The only learner, or an error. */
LmLayer *lm_step_learner (const LmModel *model, GError **error);
const char *lm_learner_loss_name (const LmLayer *learner);

#endif
