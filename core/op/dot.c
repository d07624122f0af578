/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of dot_general, and the dtype in which a contraction's gradient is computed. */
#include "core/op/contract.h"

#include <string.h>

bool
lm_rule_contract_dtype (LmTypeCtx *c, lam_dtype *out)
{
  lam_dtype in = c->operands[0]->dtype;
  if (!lm_rule_kind (c, 0, LM_NUMBERS) || !lm_rule_same_dtype (c, 1, 0))
    return false;
  *out = (lam_dtype)lm_type_attr_int (c, "out_dtype", in);
  if (*out == LAM_PRED || lam_dtype_is_float (*out) != lam_dtype_is_float (in))
    return lm_type_fail (c, "out_dtype is %s, wanted %s (operands are %s)", lam_dtype_name (*out),
                         lam_dtype_is_float (in) ? "a float" : "an integer", lam_dtype_name (in));
  return true;
}

lam_dtype
lm_contract_ct_dtype (const LmVjpCtx *c)
{
  lam_dtype in = lm_vjp_in_type (c, 0)->dtype, out = lm_vjp_out_type (c, 0)->dtype;
  uint32_t a = lam_dtype_bits (in), b = lam_dtype_bits (out);
  if (in == out || a > b)
    return in;
  return b > a ? out : LAM_F32; /* f16 and bf16: neither holds the other */
}

/* --- type rule ------------------------------------------------------------------------------- */

/* Lists of both sides have equal length, are disjoint, and name axes of equal size. */
static bool
paired (LmTypeCtx *c, const char *left, const char *right)
{
  uint64_t n, m;
  const int64_t *l = lm_type_attr_ints (c, left, &n), *r = lm_type_attr_ints (c, right, &m);
  if (!lm_rule_axes (c, left, c->operands[0]->rank, false)
      || !lm_rule_axes (c, right, c->operands[1]->rank, false))
    return false;
  if (n != m)
    return lm_type_fail (
        c, "%s has %" G_GUINT64_FORMAT " axes and %s %" G_GUINT64_FORMAT ", wanted as many", left,
        n, right, m);
  for (uint64_t i = 0; i < n; i++)
    if (c->operands[0]->dims[l[i]] != c->operands[1]->dims[r[i]])
      return lm_rule_refuse (c, 1,
                             "size %" G_GINT64_FORMAT " at axis %" G_GINT64_FORMAT
                             " (axis %" G_GINT64_FORMAT " of operand 0)",
                             c->operands[0]->dims[l[i]], r[i], l[i]);
  return true;
}

static bool
disjoint (LmTypeCtx *c, const char *batch, const char *contract, uint32_t *out_set)
{
  uint64_t n, m;
  const int64_t *x = lm_type_attr_ints (c, batch, &n), *y = lm_type_attr_ints (c, contract, &m);
  uint32_t left = lm_axis_set (x, n), right = lm_axis_set (y, m);
  if (left & right)
    return lm_type_fail (c, "%s and %s name the same axis, wanted distinct axes", batch, contract);
  *out_set = left | right;
  return true;
}

static bool
dot_type (LmTypeCtx *c)
{
  static const char *const batch[] = {"lhs_batching_dimensions", "rhs_batching_dimensions"};
  static const char *const contract[] = {"lhs_contracting_dimensions",
                                         "rhs_contracting_dimensions"};
  lam_dtype dtype;
  uint32_t gone[2];
  uint64_t n;
  int64_t dims[2 * LAM_MAX_RANK], rank = 0;
  if (!lm_rule_contract_dtype (c, &dtype) || !paired (c, batch[0], batch[1])
      || !paired (c, contract[0], contract[1]) || !disjoint (c, batch[0], contract[0], &gone[0])
      || !disjoint (c, batch[1], contract[1], &gone[1]))
    return false;
  const int64_t *axes = lm_type_attr_ints (c, batch[0], &n);
  for (uint64_t i = 0; i < n; i++)
    dims[rank++] = c->operands[0]->dims[axes[i]];
  for (int side = 0; side < 2; side++)
    for (int32_t i = 0; i < c->operands[side]->rank; i++)
      if (!(gone[side] >> i & 1))
        dims[rank++] = c->operands[side]->dims[i];
  return lm_rule_result (c, dtype, rank, dims);
}

/* --- vjp rule -------------------------------------------------------------------------------- */

/* One operand's axes. */
typedef struct Side {
  int32_t rank;
  const int64_t *batch, *contract;
  uint64_t n_batch, n_contract;
  int64_t kept[LAM_MAX_RANK];
  uint64_t n_kept;
} Side;

static Side
side_of (const LmVjpCtx *c, int k)
{
  const lam_function *f = &c->f->ir;
  Side s = {.rank = lm_vjp_in_type (c, (uint32_t)k)->rank};
  s.batch = lam_attr_ints (f, c->e, k == 0 ? "lhs_batching_dimensions" : "rhs_batching_dimensions",
                           &s.n_batch);
  s.contract = lam_attr_ints (
      f, c->e, k == 0 ? "lhs_contracting_dimensions" : "rhs_contracting_dimensions", &s.n_contract);
  uint32_t gone = lm_axis_set (s.batch, s.n_batch) | lm_axis_set (s.contract, s.n_contract);
  for (int32_t i = 0; i < s.rank; i++)
    if (!(gone >> i & 1))
      s.kept[s.n_kept++] = i;
  return s;
}

/* Where each axis of x stands in its gradient as dot_general gives it: batch, then x's free axes and its
 * contracted ones in the order of the other's, or the other way round. True if that is x's own order. */
static bool
gradient_order (const Side *x, const Side *y, bool free_first, int64_t *to)
{
  int64_t n = 0;
  for (uint64_t i = 0; i < x->n_batch; i++)
    to[x->batch[i]] = n++;
  for (int part = 0; part < 2; part++) {
    if ((part == 0) == free_first)
      for (uint64_t i = 0; i < x->n_kept; i++)
        to[x->kept[i]] = n++;
    else
      for (int32_t axis = 0; axis < y->rank; axis++)
        for (uint64_t i = 0; i < y->n_contract; i++)
          if (y->contract[i] == axis)
            to[x->contract[i]] = n++;
  }
  bool same = true;
  for (int32_t i = 0; i < x->rank; i++)
    same = same && to[i] == i;
  return same;
}

/* Contracts the cotangent with the other operand over that one's free axes (the ct's axes from ct_from
 * on). As JAX's _dot_general_transpose_lhs, but the operands are taken in the order that needs no transpose
 * after it, where there is one: the gradient of a weight then is written once, in its own layout. */
static LmValue
dot_ct (LmVjpCtx *c, const Side *x, const Side *y, LmValue other, uint64_t ct_from)
{
  int64_t ct_batch[LAM_MAX_RANK], ct_contract[LAM_MAX_RANK], to[LAM_MAX_RANK];
  lam_dtype dtype = lm_contract_ct_dtype (c);
  for (uint64_t i = 0; i < x->n_batch; i++)
    ct_batch[i] = (int64_t)i;
  for (uint64_t i = 0; i < y->n_kept; i++)
    ct_contract[i] = (int64_t)(ct_from + i);
  LmValue ct = lm_convert (c->b, c->ct[0], dtype), by = lm_convert (c->b, other, dtype);
  if (gradient_order (x, y, false, to)) {
    LmDotDims dims = {.lhs_batch = y->batch,
                      .rhs_batch = ct_batch,
                      .n_batch = x->n_batch,
                      .lhs_contract = y->kept,
                      .rhs_contract = ct_contract,
                      .n_contract = y->n_kept};
    return lm_dot_general (c->b, by, ct, &dims);
  }
  LmDotDims dims = {.lhs_batch = ct_batch,
                    .rhs_batch = y->batch,
                    .n_batch = x->n_batch,
                    .lhs_contract = ct_contract,
                    .rhs_contract = y->kept,
                    .n_contract = y->n_kept};
  bool same = gradient_order (x, y, true, to);
  LmValue d = lm_dot_general (c->b, ct, by, &dims);
  return same ? d : lm_transpose (c->b, d, to);
}

static void
dot_vjp (LmVjpCtx *c)
{
  Side l = side_of (c, 0), r = side_of (c, 1);
  lam_dtype dtype = lm_vjp_in_type (c, 0)->dtype;
  if (c->wanted[0])
    c->d_in[0] = lm_convert (c->b, dot_ct (c, &l, &r, c->in[1], l.n_batch + l.n_kept), dtype);
  if (c->wanted[1])
    c->d_in[1] = lm_convert (c->b, dot_ct (c, &r, &l, c->in[0], l.n_batch), dtype);
}

/* --- batching rule ----------------------------------------------------------------------------- */

/* Both batched: one batching axis more, the first. One: its batch axis is its first free one, and
 * stays where the result has it. */
static void
dot_batch (LmBatchCtx *c)
{
  static const char *const keys[] = {"lhs_batching_dimensions", "lhs_contracting_dimensions",
                                     "rhs_batching_dimensions", "rhs_contracting_dimensions"};
  int64_t axes[4][LAM_MAX_RANK + 1];
  lam_attr attrs[4];
  uint32_t n = 0;
  bool both = c->axis[0] >= 0 && c->axis[1] >= 0;
  LmValue in[] = {lm_batch_front (c, 0), lm_batch_front (c, 1)};
  for (uint32_t i = 0; i < 4; i++) {
    bool batching = i % 2 == 0;
    if (c->axis[i / 2] < 0)
      continue;
    uint64_t length = lm_batch_axes (c, keys[i], both && batching, axes[i]);
    attrs[n++] = lm_attr_ints (keys[i], axes[i], length);
  }
  uint64_t n_batch, n_contract;
  lam_attr_ints (&c->f->ir, c->e, keys[0], &n_batch);
  lam_attr_ints (&c->f->ir, c->e, keys[1], &n_contract);
  int32_t axis = both ? 0 : (int32_t)n_batch;
  if (c->axis[0] < 0)
    axis = lm_batch_in_type (c, 0)->rank - (int32_t)n_contract;
  lm_batch_emit (c, in, attrs, n, axis);
}

const LmRules lm_rules_dot_general = {.type = dot_type, .vjp = dot_vjp, .batch = dot_batch};
