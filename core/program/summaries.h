/* SPDX-License-Identifier: Apache-2.0 */
/* What a training run writes for TensorBoard (semantics 1.2, writer): every N steps the loss, the rate
 * of steps, the metrics and all summaries; less often the norm of each variable; at the start the
 * model. Private to core/program. */
#ifndef LM_PROGRAM_SUMMARIES_H
#define LM_PROGRAM_SUMMARIES_H

#include "core/program/events.h"
#include "core/program/runner.h"

/* At step 0: texts "Model" (its tree of layers and variables) and "Total Num Params". */
bool lm_summaries_write_model (LmEvents *events, const LmModel *model, GError **error);

/* After lm_runner_read of everything: "loss", "Steps/sec", "Metrics/<k>", "Metrics/<k>-weight" and the
 * summaries under their keys. */
bool lm_summaries_write_step (LmEvents *events, const LmRunner *runner, uint64_t step,
                              double steps_per_second, GError **error);

/* "Vars/<path>": sqrt (mean of squares) of each variable. */
bool lm_summaries_write_norms (LmEvents *events, LmState *state, uint64_t step, GError **error);

#endif
