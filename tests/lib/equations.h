/* SPDX-License-Identifier: Apache-2.0 */
/* Functions taken apart, for property tests: every equation run alone, all values shown, and pieces of a
 * function that still fail. */
#ifndef LM_TESTS_LIB_EQUATIONS_H
#define LM_TESTS_LIB_EQUATIONS_H

#include "core/run/run.h"

/* Equation i of f alone: its operands are the parameters, its results the results. */
LmFunction *lm_equation_alone (const LmFunction *f, uint32_t i);

/* f with all values, parameters too, as its results in order of their numbers. */
LmFunction *lm_equations_shown (const LmFunction *f);

/* All values of f (n_values new arrays), each equation compiled and run alone: what no transform has
 * touched. */
LmArray **lm_equations_run (LmBackend *backend, const LmFunction *f, LmArray *const *in);
void lm_equations_free (LmArray **arrays, guint n);

/* The first element where the bits differ (any NaN for a NaN), or -1. */
int64_t lm_first_difference (const LmArray *a, const LmArray *b);

/* A property: NULL if it holds, else what is wrong. */
typedef char *(*LmProperty) (const LmFunction *f, LmArray *const *in, gpointer user);

/* Given a function that fails, makes a smaller one that does: results left out, equations replaced by
 * parameters that hold what they gave. The report has its text, the numbers it runs on and the message. */
char *lm_shrink (const LmFunction *f, LmArray *const *in, LmBackend *reference, LmProperty property,
                 gpointer user);

#endif
