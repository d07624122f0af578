/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of cases for the rules of ops: types (text in, message out), folds (text in, text out),
 * gradients (finite differences). */
#ifndef LM_TESTS_LIB_OPCHECK_H
#define LM_TESTS_LIB_OPCHECK_H

#include "core/ir/ir.h"
#include "core/run/run.h"

/* Functions of one equation over 0 to 4 parameters, e.g. LM_F2 ("f32[3]", "f32[3]", "add(%0, %1)",
 * "f32[3]"). */
#define LM_F0(eq, y)    "func @f() -> (" y ") {\n  %0 = " eq " : " y "\n  return %0\n}\n"
#define LM_F1(a, eq, y) "func @f(%0: " a ") -> (" y ") {\n  %1 = " eq " : " y "\n  return %1\n}\n"
#define LM_F2(a, b, eq, y)                                                                         \
  "func @f(%0: " a ", %1: " b ") -> (" y ") {\n  %2 = " eq " : " y "\n  return %2\n}\n"
#define LM_F3(a, b, c, eq, y)                                                                      \
  "func @f(%0: " a ", %1: " b ", %2: " c ") -> (" y ") {\n  %3 = " eq " : " y "\n  return %3\n}\n"

/* message: a piece of the error that must come; NULL: the function must parse. */
typedef struct LmTypeCase {
  const char *text;
  const char *message;
} LmTypeCase;

void lm_check_types (const LmTypeCase *cases, guint n);

/* simplify then dce of `text` prints as `wanted` (whitespace and names aside, from "{" on); NULL:
 * stays as it is. */
typedef struct LmFoldCase {
  const char *text;
  const char *wanted;
} LmFoldCase;

void lm_check_folds (const LmFoldCase *cases, guint n);

/* Legalised for a backend that claims nothing, the functions have only mandatory rows and give equal bits (any NaN for a NaN) on reference: for inputs with NaN, infinities,
 * both zeros and subnormals, and integers from -9 to 9. */
void lm_check_decompositions (const char *const *texts, guint n);

/* A function of f64 (and constants) whose gradient is compared with finite differences at points
 * spread evenly over (low, high) in random order, so that no two elements are close: far from ties. */
typedef struct LmGradCase {
  const char *text;
  double low, high; /* both 0: -2 to 2 */
  bool second;      /* also the gradient of the gradient */
} LmGradCase;

/* The backend that gradients run on: reference, or $LAMINA_TEST_BACKEND. */
LmBackend *lm_check_backend (LmRegistry *registry);

void lm_check_grads (const LmGradCase *cases, guint n);

#endif
