/* SPDX-License-Identifier: Apache-2.0 */
/* The training loop: the train step compiled once for the input's batch, its state donated and
 * updated in place. Nothing is allocated between steps. */
#ifndef LM_PROGRAM_TRAIN_H
#define LM_PROGRAM_TRAIN_H

#include "core/program/input.h"
#include "core/program/replica.h"
#include "core/program/state.h"

/* The config's section "train". */
typedef struct LmTrainConfig {
  int64_t steps;
  int64_t summary_interval_steps, norm_interval_steps, summary_verbosity;
  bool check_numerics, enable_asserts;
  int64_t replicas; /* 0: none */
} LmTrainConfig;

#define LM_MAX_REPLICAS 1024

void lm_train_config_declare (lam_fields *f); /* its field table */
bool lm_train_config_read (const LmModel *model, LmTrainConfig *out, GError **error);

/* How a loop runs. */
typedef struct LmTrainOptions {
  LmTrainConfig config; /* read from the model's, then changed as the caller likes */
  bool scalars;         /* every report has the scalar summaries */
  const char *events;   /* folder for TensorBoard's event files, or NULL */
  GString *explain;     /* or NULL */
  LmReplica replica;    /* all zero: no replicas */
} LmTrainOptions;

/* A named number of a step; weight 1 for summaries. */
typedef struct LmNumber {
  const char *name;
  double value, weight;
} LmNumber;

/* What a step gave; valid until the next one. */
typedef struct LmTrainReport {
  uint64_t step; /* number of the step just made, from 0 */
  double loss;
  guint n_metrics, n_scalars;
  const LmNumber *metrics; /* without the one named "loss" when that is the loss */
  const LmNumber *scalars; /* scalar summaries, "backward@learner..." */
  guint n_prints;          /* of lam_debug_print */
  const char *const *print_names;
  const LmArray *const *print_values;
} LmTrainReport;

typedef struct LmTrainLoop LmTrainLoop;

/* state (with learner states) and input must outlive the loop, the options only the call. The step is
 * compiled once without summaries and once with them, as reports and events ask; the two leave the same
 * state, bit for bit. */
LmTrainLoop *lm_train_loop_new (LmState *state, LmInput *input, const LmTrainOptions *options,
                                GError **error);
void lm_train_loop_free (LmTrainLoop *loop); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmTrainLoop, lm_train_loop_free)

/* The step that was compiled, as traced. */
const LmFunction *lm_train_loop_function (const LmTrainLoop *loop);

/* One step. NULL without an error when the input has no more batches. A failed check of numerics or an
 * assert is an error that names it and the step; the state is then the one after that step. */
const LmTrainReport *lm_train_loop_step (LmTrainLoop *loop, GError **error);

#endif
