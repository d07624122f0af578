/* SPDX-License-Identifier: Apache-2.0 */
/* The training loop: the train step compiled once for the input's batch, its state donated and
 * updated in place. Nothing is allocated between steps. */
#ifndef LM_PROGRAM_TRAIN_H
#define LM_PROGRAM_TRAIN_H

#include "core/program/input.h"
#include "core/program/state.h"

/* The config's section "train". */
typedef struct LmTrainConfig {
  int64_t steps;
} LmTrainConfig;

void lm_train_config_declare (lam_fields *f); /* its field table */
bool lm_train_config_read (const LmModel *model, LmTrainConfig *out, GError **error);

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
} LmTrainReport;

typedef struct LmTrainLoop LmTrainLoop;

/* state (with learner states) and input must outlive the loop. explain may be NULL. */
LmTrainLoop *lm_train_loop_new (LmState *state, LmInput *input, GString *explain, GError **error);
void lm_train_loop_free (LmTrainLoop *loop); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmTrainLoop, lm_train_loop_free)

/* One step. NULL without an error when the input has no more batches. */
const LmTrainReport *lm_train_loop_step (LmTrainLoop *loop, GError **error);

#endif
