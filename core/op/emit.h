/* SPDX-License-Identifier: Apache-2.0 */
/* Short constructors for rules and transforms: one a row of ops.def that needs arguments. All take
 * and give values of builder b; an error is sticky in b. Elementwise ops want equal shapes; the
 * _scalar forms splat a constant of x's dtype. */
#ifndef LM_OP_EMIT_H
#define LM_OP_EMIT_H

#include "core/ir/ir.h"

LmValue lm_emit_unary (LmBuilder *b, int32_t op, LmValue x);
LmValue lm_emit_binary (LmBuilder *b, int32_t op, LmValue x, LmValue y);

static inline LmValue
lm_add (LmBuilder *b, LmValue x, LmValue y)
{
  return lm_emit_binary (b, LAM_OP_add, x, y);
}

static inline LmValue
lm_sub (LmBuilder *b, LmValue x, LmValue y)
{
  return lm_emit_binary (b, LAM_OP_subtract, x, y);
}

static inline LmValue
lm_mul (LmBuilder *b, LmValue x, LmValue y)
{
  return lm_emit_binary (b, LAM_OP_multiply, x, y);
}

static inline LmValue
lm_div (LmBuilder *b, LmValue x, LmValue y)
{
  return lm_emit_binary (b, LAM_OP_divide, x, y);
}

static inline LmValue
lm_neg (LmBuilder *b, LmValue x)
{
  return lm_emit_unary (b, LAM_OP_negate, x);
}

/* Constants: one element of `type` filled with value (rounded to the dtype). */
LmValue lm_splat (LmBuilder *b, const lam_type *type, double value);
LmValue lm_splat_int (LmBuilder *b, const lam_type *type, int64_t value);
LmValue lm_splat_like (LmBuilder *b, LmValue x, double value);
LmValue lm_zeros_like (LmBuilder *b, LmValue x);
LmValue lm_constant (LmBuilder *b, const lam_type *type, const void *data, uint64_t bytes);
LmValue lm_iota (LmBuilder *b, const lam_type *type, int64_t dimension);
LmValue lm_mul_scalar (LmBuilder *b, LmValue x, double value);
LmValue lm_add_scalar (LmBuilder *b, LmValue x, double value);

/* Shapes. */
LmValue lm_broadcast (LmBuilder *b, LmValue x, const lam_type *type, const int64_t *dims,
                      uint64_t n);
LmValue lm_broadcast_scalar (LmBuilder *b, LmValue x, const lam_type *type); /* rank 0 -> type */
LmValue lm_reshape (LmBuilder *b, LmValue x, int32_t rank, const int64_t *dims);
LmValue lm_transpose (LmBuilder *b, LmValue x, const int64_t *permutation);
LmValue lm_reverse (LmBuilder *b, LmValue x, const int64_t *dims, uint64_t n);
LmValue lm_slice (LmBuilder *b, LmValue x, const int64_t *start, const int64_t *limit,
                  const int64_t *strides); /* strides NULL: 1 */
LmValue lm_pad (LmBuilder *b, LmValue x, LmValue fill, const int64_t *low, const int64_t *high,
                const int64_t *interior); /* interior NULL: 0 */
LmValue lm_concatenate (LmBuilder *b, const LmValue *xs, uint32_t n, int64_t dimension);
LmValue lm_convert (LmBuilder *b, LmValue x, lam_dtype dtype); /* x itself if equal */
LmValue lm_bitcast (LmBuilder *b, LmValue x, lam_dtype dtype);

/* Choice. direction: "EQ" ... */
LmValue lm_compare (LmBuilder *b, LmValue x, LmValue y, const char *direction);
LmValue lm_select (LmBuilder *b, LmValue pred, LmValue on_true, LmValue on_false);

/* Reductions and contractions. */
LmValue lm_reduce (LmBuilder *b, LmValue x, const char *computation, const int64_t *dims,
                   uint64_t n);
LmValue lm_reduce_all (LmBuilder *b, LmValue x, const char *computation);
typedef struct LmDotDims {
  const int64_t *lhs_batch, *rhs_batch, *lhs_contract, *rhs_contract;
  uint64_t n_batch, n_contract;
  lam_dtype out_dtype; /* LAM_DTYPE_NONE: as the operands */
} LmDotDims;
LmValue lm_dot_general (LmBuilder *b, LmValue lhs, LmValue rhs, const LmDotDims *dims);

/* Threefry: y[0], y[1] = threefry2x32 (k0, k1, x0, x1). */
void lm_threefry (LmBuilder *b, LmValue k0, LmValue k1, LmValue x0, LmValue x1, LmValue y[2]);

#endif
