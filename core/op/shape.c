/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of ops that make or rearrange elements: constant iota broadcast_in_dim reshape transpose
 * reverse. */
#include "core/op/rule.h"

#include <string.h>

/* --- constant -------------------------------------------------------------------------------- */

static bool
constant_type (LmTypeCtx *c)
{
  const lam_attr *value = lm_type_attr (c, "value");
  uint64_t one = lam_dtype_bits (c->wanted->dtype) / 8;
  uint64_t all = (uint64_t)lam_type_bytes (c->wanted);
  if (value->n != one && value->n != all)
    return lm_type_fail (c,
                         "value has %" G_GUINT64_FORMAT " bytes, wanted %" G_GUINT64_FORMAT
                         " (one element) or %" G_GUINT64_FORMAT " (all)",
                         value->n, one, all);
  if (c->wanted->dtype == LAM_PRED)
    for (uint64_t i = 0; i < value->n; i++)
      if (((const uint8_t *)value->data)[i] > 1)
        return lm_type_fail (c, "byte %" G_GUINT64_FORMAT " of value is %u, wanted 0 or 1 (bool)",
                             i, ((const uint8_t *)value->data)[i]);
  c->results[0] = *c->wanted;
  return true;
}

const LmRules lm_rules_constant = {.type = constant_type};

/* --- iota ------------------------------------------------------------------------------------ */

static bool
iota_type (LmTypeCtx *c)
{
  int64_t axis = lm_type_attr_int (c, "iota_dimension", 0);
  if (axis < 0 || axis >= c->wanted->rank)
    return lm_type_fail (c, "iota_dimension is %" G_GINT64_FORMAT ", wanted an axis of 0 to %d",
                         axis, c->wanted->rank - 1);
  if (c->wanted->dtype == LAM_PRED)
    return lm_type_fail (c, "the stated result is bool, wanted numbers");
  c->results[0] = *c->wanted;
  return true;
}

const LmRules lm_rules_iota = {.type = iota_type};

/* --- broadcast_in_dim ------------------------------------------------------------------------ */

static bool
broadcast_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0], *y = c->wanted;
  int64_t to[LAM_MAX_RANK];
  if (!lm_rule_list (c, "broadcast_dimensions", x->rank, 0, 0, to)
      || !lm_rule_axes (c, "broadcast_dimensions", y->rank, true))
    return false;
  if (x->dtype != y->dtype)
    return lm_rule_refuse (c, 0, "dtype %s (that of the stated result)", lam_dtype_name (y->dtype));
  for (int32_t i = 0; i < x->rank; i++)
    if (x->dims[i] != 1 && x->dims[i] != y->dims[to[i]])
      return lm_rule_refuse (c, 0,
                             "size 1 or %" G_GINT64_FORMAT " at axis %d (axis %" G_GINT64_FORMAT
                             " of the result)",
                             y->dims[to[i]], i, to[i]);
  c->results[0] = *y;
  return true;
}

/* Repeated elements add up. */
static void
broadcast_vjp (LmVjpCtx *c)
{
  const lam_type *x = lm_vjp_in_type (c, 0), *y = lm_vjp_out_type (c, 0);
  int64_t to[LAM_MAX_RANK], summed[LAM_MAX_RANK];
  uint64_t n = 0;
  uint32_t kept = 0;
  lm_eq_list (&c->f->ir, c->e, "broadcast_dimensions", x->rank, 0, to);
  for (int32_t i = 0; i < x->rank; i++)
    if (x->dims[i] == y->dims[to[i]])
      kept |= 1u << to[i];
  for (int32_t i = 0; i < y->rank; i++)
    if (!(kept >> i & 1))
      summed[n++] = i;
  LmValue d = n > 0 ? lm_reduce (c->b, c->ct[0], "add", summed, n) : c->ct[0];
  if (y->rank - (int32_t)n != x->rank)
    d = lm_reshape (c->b, d, x->rank, x->dims);
  c->d_in[0] = d;
}

static bool
broadcast_fold (LmFoldCtx *c)
{
  /* Increasing axes of equal count are the identity. */
  if (lm_type_equal (lm_fold_in_type (c, 0), lm_fold_type (c)))
    return lm_fold_to (c, c->in[0]);
  return lm_fold_splat (c);
}

static void
broadcast_batch (LmBatchCtx *c)
{
  int64_t to[LAM_MAX_RANK + 1];
  uint64_t n = lm_batch_axes (c, "broadcast_dimensions", true, to);
  LmValue x = lm_batch_front (c, 0);
  lam_attr attr = lm_attr_ints ("broadcast_dimensions", to, n);
  lm_batch_emit (c, &x, &attr, 1, 0);
}

const LmRules lm_rules_broadcast_in_dim = {
    .type = broadcast_type, .vjp = broadcast_vjp, .fold = broadcast_fold, .batch = broadcast_batch};

/* --- reshape --------------------------------------------------------------------------------- */

static bool
reshape_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0], *y = c->wanted;
  if (x->dtype != y->dtype)
    return lm_rule_refuse (c, 0, "dtype %s (that of the stated result)", lam_dtype_name (y->dtype));
  if (lam_type_elements (x) != lam_type_elements (y)) {
    g_autofree char *result = lm_type_to_string (y);
    return lm_rule_refuse (c, 0, "%" G_GINT64_FORMAT " elements (those of the stated result %s)",
                           lam_type_elements (y), result);
  }
  c->results[0] = *y;
  return true;
}

static void
reshape_vjp (LmVjpCtx *c)
{
  const lam_type *x = lm_vjp_in_type (c, 0);
  c->d_in[0] = lm_reshape (c->b, c->ct[0], x->rank, x->dims);
}

static bool
reshape_fold (LmFoldCtx *c)
{
  const lam_type *y = lm_fold_type (c);
  LmOp inner;
  LmConst k;
  if (lm_type_equal (lm_fold_in_type (c, 0), y))
    return lm_fold_to (c, c->in[0]);
  if (lm_fold_inner (c, &inner)) {
    LmValue x = inner.operands[0];
    bool same = lm_type_equal (lm_builder_type (c->b, x), y);
    return lm_fold_to (c, same ? x : lm_reshape (c->b, x, y->rank, y->dims));
  }
  if (lm_fold_const (c, 0, &k) && !k.splat && k.n <= LM_FOLD_MAX) {
    uint8_t data[LM_FOLD_MAX * 8];
    uint64_t bytes = (uint64_t)lam_type_bytes (y);
    memcpy (data, k.data, bytes);
    return lm_fold_to (c, lm_constant (c->b, y, data, bytes));
  }
  return lm_fold_splat (c);
}

static void
reshape_batch (LmBatchCtx *c)
{
  LmValue x = lm_batch_front (c, 0);
  lm_batch_emit (c, &x, NULL, 0, 0);
}

const LmRules lm_rules_reshape = {
    .type = reshape_type, .vjp = reshape_vjp, .fold = reshape_fold, .batch = reshape_batch};

/* --- transpose ------------------------------------------------------------------------------- */

static bool
transpose_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0];
  int64_t from[LAM_MAX_RANK], dims[LAM_MAX_RANK];
  if (!lm_rule_list (c, "permutation", x->rank, 0, 0, from)
      || !lm_rule_axes (c, "permutation", x->rank, false))
    return false;
  for (int32_t i = 0; i < x->rank; i++)
    dims[i] = x->dims[from[i]];
  return lm_rule_result (c, x->dtype, x->rank, dims);
}

static void
transpose_vjp (LmVjpCtx *c)
{
  int64_t from[LAM_MAX_RANK], back[LAM_MAX_RANK] = {0};
  int32_t rank = lm_vjp_in_type (c, 0)->rank;
  lm_eq_list (&c->f->ir, c->e, "permutation", rank, 0, from);
  for (int32_t i = 0; i < rank; i++)
    back[from[i]] = i;
  c->d_in[0] = lm_transpose (c->b, c->ct[0], back);
}

static bool
transpose_fold (LmFoldCtx *c)
{
  int64_t from[LAM_MAX_RANK];
  int32_t rank = lm_fold_type (c)->rank;
  LmOp inner;
  bool same = true;
  lm_eq_list (&c->f->ir, c->e, "permutation", rank, 0, from);
  for (int32_t i = 0; i < rank; i++)
    same = same && from[i] == i;
  if (same)
    return lm_fold_to (c, c->in[0]);
  if (lm_fold_inner (c, &inner)) {
    const int64_t *first = lm_op_attr (&inner, "permutation")->data;
    LmValue x = inner.operands[0];
    for (int32_t i = 0; i < rank; i++)
      from[i] = first[from[i]];
    return lm_fold_to (c, lm_transpose (c->b, x, from));
  }
  return lm_fold_splat (c);
}

static void
transpose_batch (LmBatchCtx *c)
{
  int64_t from[LAM_MAX_RANK + 1];
  uint64_t n = lm_batch_axes (c, "permutation", true, from);
  LmValue x = lm_batch_front (c, 0);
  lam_attr attr = lm_attr_ints ("permutation", from, n);
  lm_batch_emit (c, &x, &attr, 1, 0);
}

const LmRules lm_rules_transpose = {
    .type = transpose_type, .vjp = transpose_vjp, .fold = transpose_fold, .batch = transpose_batch};

/* --- reverse --------------------------------------------------------------------------------- */

static bool
reverse_type (LmTypeCtx *c)
{
  return lm_rule_axes (c, "dimensions", c->operands[0]->rank, false) && lm_rule_result_like (c, 0);
}

static void
reverse_vjp (LmVjpCtx *c)
{
  uint64_t n;
  const int64_t *axes = lam_attr_ints (&c->f->ir, c->e, "dimensions", &n);
  c->d_in[0] = lm_reverse (c->b, c->ct[0], axes, n);
}

static bool
reverse_fold (LmFoldCtx *c)
{
  uint64_t n;
  const int64_t *axes = lam_attr_ints (&c->f->ir, c->e, "dimensions", &n);
  const lam_type *x = lm_fold_in_type (c, 0);
  LmOp inner;
  bool moves = false;
  for (uint64_t i = 0; i < n; i++)
    moves = moves || x->dims[axes[i]] > 1;
  if (!moves)
    return lm_fold_to (c, c->in[0]);
  if (lm_fold_inner (c, &inner)) {
    const lam_attr *first = lm_op_attr (&inner, "dimensions");
    if (lm_axis_set (first->data, first->n) == lm_axis_set (axes, n))
      return lm_fold_to (c, inner.operands[0]);
  }
  return lm_fold_splat (c);
}

static void
reverse_batch (LmBatchCtx *c)
{
  int64_t axes[LAM_MAX_RANK + 1];
  uint64_t n = lm_batch_axes (c, "dimensions", false, axes);
  LmValue x = lm_batch_front (c, 0);
  lam_attr attr = lm_attr_ints ("dimensions", axes, n);
  lm_batch_emit (c, &x, &attr, 1, 0);
}

const LmRules lm_rules_reverse = {
    .type = reverse_type, .vjp = reverse_vjp, .fold = reverse_fold, .batch = reverse_batch};
