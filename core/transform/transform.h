/* SPDX-License-Identifier: Apache-2.0 */
/* Function -> function. Each transform reads its input, never edits it, and returns a new reference
 * (maybe to the same function when nothing changed). With LM_DEBUG_VERIFY each result is verified. */
#ifndef LM_TRANSFORM_TRANSFORM_H
#define LM_TRANSFORM_TRANSFORM_H

#include "core/ir/ir.h"
#include <lamina/backend.h>

/* f: (p...) -> (r...)  gives  (p..., ct of each result with ct_given[j]) -> (r..., d p of each
 * wanted[i]). One reverse walk; result order and count of f are kept, so updates, summaries and aux
 * values pass through. wanted parameters must be floats (else INVALID). Closed: the result can be
 * differentiated again. Nil cotangents become zeros only at the very end. */
LmFunction *lm_vjp (const LmFunction *f, const bool *wanted, const bool *ct_given, GError **error);

/* Same, for a scalar float result `loss_index` with cotangent 1: (p...) -> (r..., d p wanted...). */
LmFunction *lm_value_and_grad (const LmFunction *f, uint32_t loss_index, const bool *wanted,
                               GError **error);

/* f: (p...) -> (r...)  over `size` rows: parameter i has a new axis of that size at in_axes[i], or
 * (-1) is the same for all rows; result j gets one at out_axes[j] (repeated if it does not depend on
 * the row), or (-1) none, which is an error if it does depend on it. As JAX's vmap. Composites that
 * see a row are inlined (core/op/control.c says why). Closed under grad and itself. */
LmFunction *lm_vmap (const LmFunction *f, const int32_t *in_axes, const int32_t *out_axes,
                     int64_t size, GError **error);

LmFunction *lm_simplify (const LmFunction *f, GError **error); /* fold rules, exact only */
LmFunction *lm_cse (const LmFunction *f, GError **error); /* equal (op, operands, attrs, type) */
LmFunction *lm_dce (const LmFunction *f, GError **error); /* unused equations go */

/* Sums over replicas (all_reduce "add") in messages of at most bucket_bytes, unless one tensor is larger,
 * each as soon as its operands are there. */
#define LM_BUCKET_BYTES (UINT64_C (4) << 20)
LmFunction *lm_bucket (const LmFunction *f, uint64_t bucket_bytes, GError **error);

/* What a backend claims, as the host asked it (core/run) or a test says. */
typedef struct LmClaims {
  uint32_t ir_minor; /* newest row the backend reads */
  void *ctx;
  /* verdict on one equation that the backend could run: mandatory rows need no question */
  bool (*claims) (void *ctx, const lam_function *f, const lam_equation *e);
  GString *explain; /* may be NULL: what lm_pipeline hands to lm_legalize */
} LmClaims;

/* Until every equation is claimed: unclaimed composites are inlined, derived or too-new rows take
 * their decomposition; stop_gradient and name become their operand. UNSUPPORTED error (naming op,
 * dtype, layer path) when something is left. `explain` (may be NULL) gets a line a decision. */
LmFunction *lm_legalize (const LmFunction *f, const LmClaims *claims, GString *explain,
                         GError **error);

/* The ordered pipeline between a traced function and compile: simplify, cse, dce, legalize,
 * simplify, cse, dce, bucket. stage names: "trace", "simplify", "cse", "dce", "legalize", "final".
 * dump (may be NULL) is called after each stage with its function. */
typedef void (*LmStageFn) (const char *stage, const LmFunction *f, gpointer user);
LmFunction *lm_pipeline (const LmFunction *f, const LmClaims *claims, LmStageFn dump, gpointer user,
                         GError **error);

#endif
