/* SPDX-License-Identifier: Apache-2.0 */
/* vmap against a loop: a function over an axis of rows gives, row by row, what the function gives. */
#ifndef LM_TESTS_LIB_BATCHCHECK_H
#define LM_TESTS_LIB_BATCHCHECK_H

#include "core/ir/ir.h"
#include "core/run/run.h"

/* One check: a function and one row of inputs (n_params arrays; the other rows hold the same elements
 * in other places, so that they stay in the op's domain). Results must have equal bits, NaN aside, or
 * with a tolerance be within tolerance * (1 + |value|). */
typedef struct LmBatchCheck {
  const char *id; /* for messages */
  LmBackend *backend;
  const LmFunction *f;
  LmArray *const *in;
  double tolerance;
} LmBatchCheck;

/* Every set of parameters that are batched, at every axis, results at every axis, 3, 1 and no rows;
 * then vmap of vmap. */
void lm_check_batch (const LmBatchCheck *c);

/* For floats: the gradient of vmap and the vmap of the gradient are the loop's gradients (those of
 * parameters without rows summed up). Set by set as above. */
void lm_check_batch_grad (const LmBatchCheck *c);

#endif
