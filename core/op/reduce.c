/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of reduce argmax argmin. */
#include "core/op/rule.h"

#include <string.h>

/* Dims of operand 0 without the axes of the set. Returns the rank. */
static int64_t
dims_without (const lam_type *x, uint32_t axes, int64_t *out)
{
  int64_t rank = 0;
  for (int32_t i = 0; i < x->rank; i++)
    if (!(axes >> i & 1))
      out[rank++] = x->dims[i];
  return rank;
}

/* --- reduce ---------------------------------------------------------------------------------- */

static bool
reduce_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0];
  int64_t dims[LAM_MAX_RANK];
  uint64_t n;
  if (!lm_rule_computation (c) || !lm_rule_axes (c, "dimensions", x->rank, false))
    return false;
  const int64_t *axes = lm_type_attr_ints (c, "dimensions", &n);
  return lm_rule_result (c, x->dtype, dims_without (x, lm_axis_set (axes, n), dims), dims);
}

static uint32_t
reduced_axes (const lam_function *f, const lam_equation *e)
{
  uint64_t n;
  const int64_t *axes = lam_attr_ints (f, e, "dimensions", &n);
  return lm_axis_set (axes, n);
}

/* All winners of a maximum or minimum share evenly; NaN wins nothing. They are counted in f32 when
 * the dtype has 16 bits, for it holds no count above 256 (bf16) or 2048 (f16) exactly. */
static void
extremum_vjp (LmVjpCtx *c, uint32_t axes)
{
  LmBuilder *b = c->b;
  const lam_type *x = lm_vjp_in_type (c, 0);
  lam_dtype dtype = lam_dtype_bits (x->dtype) < 32 ? LAM_F32 : x->dtype;
  uint64_t n;
  const int64_t *dims = lam_attr_ints (&c->f->ir, c->e, "dimensions", &n);
  LmValue won = lm_compare (b, c->in[0], lm_expand (b, c->out[0], x, axes), "EQ");
  LmValue count = lm_reduce (b, lm_convert (b, won, dtype), "add", dims, n);
  LmValue share = lm_div (b, lm_convert (b, c->ct[0], dtype), count);
  LmValue wide = lm_expand (b, lm_convert (b, share, x->dtype), x, axes);
  c->d_in[0] = lm_select (b, won, wide, lm_zeros_like (b, wide));
}

/* x with the reduced axes last, flattened into one: (kept ..., n). *out_order: the permutation. */
static LmValue
reduced_last (LmVjpCtx *c, uint32_t axes, int64_t *out_order, lam_type *out_moved)
{
  const lam_type *x = lm_vjp_in_type (c, 0);
  int64_t dims[LAM_MAX_RANK], n = 1;
  int32_t at = 0, kept;
  for (int32_t i = 0; i < x->rank; i++)
    if (!(axes >> i & 1))
      out_order[at++] = i;
  kept = at;
  for (int32_t i = 0; i < x->rank; i++)
    if (axes >> i & 1)
      out_order[at++] = i;
  *out_moved = *x;
  for (int32_t i = 0; i < x->rank; i++) {
    out_moved->dims[i] = x->dims[out_order[i]];
    if (i < kept)
      dims[i] = out_moved->dims[i];
    else
      n *= out_moved->dims[i];
  }
  dims[kept] = n;
  return lm_reshape (c->b, lm_transpose (c->b, c->in[0], out_order), kept + 1, dims);
}

/* Elements [from, from + n) along the last axis. */
static LmValue
part (LmBuilder *b, LmValue x, int64_t from, int64_t n)
{
  lam_type type = *lm_builder_type (b, x);
  int64_t start[LAM_MAX_RANK] = {0}, limit[LAM_MAX_RANK];
  if (x == LM_NIL)
    return LM_NIL;
  memcpy (limit, type.dims, sizeof limit);
  start[type.rank - 1] = from;
  limit[type.rank - 1] = from + n;
  return lm_slice (b, x, start, limit, NULL);
}

/* Product along the last axis of x (kept ..., n) by halves, then back down: the cotangent of one half
 * is that of the product times the other half. Exact where elements are 0, unlike ct * y / x. */
static LmValue
product_ct (LmBuilder *b, LmValue x, LmValue ct, int64_t n)
{
  LmValue level[64]; /* level[k + 1]: products of the two halves of level[k] */
  int64_t size[64];
  int k = 0;
  int32_t axis = lm_builder_type (b, x)->rank - 1;
  for (level[0] = x, size[0] = n; size[k] > 1; k++) {
    int64_t half = size[k] / 2;
    LmValue y = lm_mul (b, part (b, level[k], 0, half), part (b, level[k], half, half));
    if (size[k] % 2 == 1) {
      LmValue both[] = {y, part (b, level[k], 2 * half, 1)};
      y = lm_concatenate (b, both, 2, axis);
    }
    level[k + 1] = y;
    size[k + 1] = half + size[k] % 2;
  }
  for (k--; k >= 0; k--) {
    int64_t half = size[k] / 2;
    LmValue d = part (b, ct, 0, half);
    LmValue joined[] = {lm_mul (b, d, part (b, level[k], half, half)),
                        lm_mul (b, d, part (b, level[k], 0, half)), LM_NIL};
    if (size[k] % 2 == 1)
      joined[2] = part (b, ct, half, 1);
    ct = lm_concatenate (b, joined, size[k] % 2 == 1 ? 3 : 2, axis);
  }
  return ct;
}

static void
multiply_vjp (LmVjpCtx *c, uint32_t axes)
{
  LmBuilder *b = c->b;
  const lam_type *x = lm_vjp_in_type (c, 0), *y = lm_vjp_out_type (c, 0);
  int64_t order[LAM_MAX_RANK], back[LAM_MAX_RANK] = {0}, dims[LAM_MAX_RANK];
  lam_type moved;
  if (lam_type_elements (x) == 0)
    return;
  if (axes == 0) {
    c->d_in[0] = c->ct[0];
    return;
  }
  LmValue flat = reduced_last (c, axes, order, &moved);
  memcpy (dims, y->dims, sizeof dims);
  dims[y->rank] = 1;
  LmValue ct = lm_reshape (b, c->ct[0], y->rank + 1, dims);
  int64_t n = lam_type_elements (x) / lam_type_elements (y);
  LmValue d = lm_reshape (b, product_ct (b, flat, ct, n), x->rank, moved.dims);
  for (int32_t i = 0; i < x->rank; i++)
    back[order[i]] = i;
  c->d_in[0] = lm_transpose (b, d, back);
}

static void
reduce_vjp (LmVjpCtx *c)
{
  const char *computation = lam_attr_str (&c->f->ir, c->e, "computation", "");
  uint32_t axes = reduced_axes (&c->f->ir, c->e);
  if (strcmp (computation, "add") == 0)
    c->d_in[0] = lm_expand (c->b, c->ct[0], lm_vjp_in_type (c, 0), axes);
  else if (strcmp (computation, "multiply") == 0)
    multiply_vjp (c, axes);
  else
    extremum_vjp (c, axes);
}

/* Over axes of size 1 the elements stay, but for a float sum: 0 + -0 is +0. */
static bool
reduce_fold (LmFoldCtx *c)
{
  const lam_type *x = lm_fold_in_type (c, 0), *y = lm_fold_type (c);
  const char *computation = lam_attr_str (&c->f->ir, c->e, "computation", "");
  uint32_t axes = reduced_axes (&c->f->ir, c->e);
  if (lam_dtype_is_float (x->dtype) && strcmp (computation, "add") == 0)
    return false;
  for (int32_t i = 0; i < x->rank; i++)
    if ((axes >> i & 1) && x->dims[i] != 1)
      return false;
  return lm_fold_to (c, axes == 0 ? c->in[0] : lm_reshape (c->b, c->in[0], y->rank, y->dims));
}

static void
reduce_batch (LmBatchCtx *c)
{
  int64_t axes[LAM_MAX_RANK + 1];
  uint64_t n = lm_batch_axes (c, "dimensions", false, axes);
  LmValue x = lm_batch_front (c, 0);
  lam_attr attr = lm_attr_ints ("dimensions", axes, n);
  lm_batch_emit (c, &x, &attr, 1, 0);
}

const LmRules lm_rules_reduce = {
    .type = reduce_type, .vjp = reduce_vjp, .fold = reduce_fold, .batch = reduce_batch};

/* --- argmax, argmin --------------------------------------------------------------------------- */

static bool
arg_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0];
  int64_t axis = lm_type_attr_int (c, "dimension", 0), dims[LAM_MAX_RANK];
  lam_dtype dtype = c->wanted->dtype;
  if (axis < 0 || axis >= x->rank)
    return lm_type_fail (c, "dimension is %" G_GINT64_FORMAT ", wanted an axis of 0 to %d", axis,
                         x->rank - 1);
  if (x->dims[axis] == 0)
    return lm_rule_refuse (c, 0, "at least 1 element at axis %" G_GINT64_FORMAT, axis);
  if (!lam_dtype_is_signed (dtype) && !lam_dtype_is_unsigned (dtype))
    return lm_type_fail (c, "the stated result is %s, wanted an integer dtype",
                         lam_dtype_name (dtype));
  return lm_rule_stated (c, dtype, dims_without (x, 1u << axis, dims), dims);
}

static void
arg_batch (LmBatchCtx *c)
{
  LmValue x = lm_batch_front (c, 0);
  lam_attr attr = lm_attr_int ("dimension", lam_attr_int (&c->f->ir, c->e, "dimension", 0) + 1);
  lm_batch_emit (c, &x, &attr, 1, 0);
}

/* No gradient: an index is an integer. */
const LmRules lm_rules_argmax = {.type = arg_type, .batch = arg_batch};
const LmRules lm_rules_argmin = {.type = arg_type, .batch = arg_batch};
