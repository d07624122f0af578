/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation: one pass over an input, sums of (value * weight, weight) in f64. */
#ifndef LM_PROGRAM_EVAL_H
#define LM_PROGRAM_EVAL_H

#include "core/program/input.h"
#include "core/program/replica.h"
#include "core/program/state.h"

typedef struct LmEvalMetric {
  char *name;
  double value;  /* sum (v * w) / sum (w); 0 when the weights sum to 0 (semantics 1.6) */
  double weight; /* sum (w) */
} LmEvalMetric;

typedef struct LmEvalResult {
  guint n;
  LmEvalMetric *metrics; /* "loss" first, then sorted by name */
  int64_t batches;
} LmEvalResult;

void lm_eval_result_free (LmEvalResult *result); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmEvalResult, lm_eval_result_free)

/* An eval step compiled for the input's batch; state and input must outlive it. replica and explain may
 * be NULL. */
typedef struct LmEval LmEval;
LmEval *lm_eval_new (LmState *state, LmInput *input, const LmReplica *replica, GString *explain,
                     GError **error);
void lm_eval_free (LmEval *eval); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmEval, lm_eval_free)
const LmFunction *lm_eval_function (const LmEval *eval); /* as traced */

/* Rewinds the input and runs the step over one epoch. */
LmEvalResult *lm_eval_run (LmEval *eval, GError **error);

/* All at once: rewinds the input, compiles the eval step for its batch, runs it over one epoch: to the input's end,
 * or as many batches as it says an epoch has. */
LmEvalResult *lm_evaluate (LmState *state, LmInput *input, GString *explain, GError **error);

#endif
