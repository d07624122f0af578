/* SPDX-License-Identifier: Apache-2.0 */
/* Random typed functions for property tests: every op of ops.def over every dtype it takes, shapes with
 * axes of 0 and 1, and the numbers to run on. Each equation runs on reference while the function grows, so
 * that a generator can ask for what an op's meaning needs (no NaN below a bitcast, no kink below a
 * gradient). */
#ifndef LM_TESTS_LIB_RANDOM_FN_H
#define LM_TESTS_LIB_RANDOM_FN_H

#include "core/run/run.h"

/* Rows of ops.def have numbers below this. */
#define LM_RANDOM_OPS 256

typedef struct LmRandomOptions {
  guint32 seed;
  guint equations; /* at most */
  bool smooth;     /* floats are f64, differentiable at the inputs with room around them */
  LmBackend *reference;
  guint *counts; /* [LM_RANDOM_OPS] of each op, grows; may be NULL */
} LmRandomOptions;

/* A function; in gets one array for each parameter. Where a value has the type of parameter 0, result 0
 * is one. Never NULL. */
LmFunction *lm_random_function (const LmRandomOptions *options, GPtrArray *in);

#endif
