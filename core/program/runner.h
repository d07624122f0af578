/* SPDX-License-Identifier: Apache-2.0 */
/* A train step compiled for a state, with room for its results. Private to core/program. */
#ifndef LM_PROGRAM_RUNNER_H
#define LM_PROGRAM_RUNNER_H

#include "core/program/scalar.h"
#include "core/program/state.h"

typedef struct LmRunner {
  LmState *state; /* borrowed */
  LmStep *step;
  LmExecutable *exe;
  guint n_state, n_batch, n_results; /* n_state: vars, learner states, step */
  LmBuffer **out;                    /* all results; the first n_state are the state's */
  LmReadout loss;
  LmReadout *metrics;   /* value, weight of each */
  LmReadout *summaries; /* value, weight of each; the weight's host is NULL where there is none */
  LmReadout *watches;
} LmRunner;

/* explain may be NULL. */
LmRunner *lm_runner_new (LmState *state, const LmBatchSpec *batch, const LmStepOptions *options,
                         GString *explain, GError **error);
void lm_runner_free (LmRunner *runner); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmRunner, lm_runner_free)

/* One step over the function's parameters: the state's buffers, key, batch. A failure leaves the state
 * broken. */
bool lm_runner_run (LmRunner *runner, LmBuffer *const *in, GError **error);

/* Copies a group of results to the host. */
bool lm_runner_read (LmReadout *readouts, guint n, GError **error);

/* The first failed check as an error that names it; true when all hold. After lm_runner_read of the
 * watches. */
bool lm_runner_check (const LmRunner *runner, GError **error);

#endif
