/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of slices at starts known only when they run: dynamic_slice dynamic_update_slice. Each is
 * the other's gradient. */
#include "core/op/rule.h"

/* --- what both check -------------------------------------------------------------------------- */

/* Operands from `first` on: one scalar start an axis of operand 0, of one integer dtype. */
static bool
check_starts (LmTypeCtx *c, uint32_t first)
{
  uint32_t rank = (uint32_t)c->operands[0]->rank;
  if (c->n_operands != first + rank)
    return lm_type_fail (c, "got %u starts, wanted %u (one for each axis of operand 0)",
                         c->n_operands - first, rank);
  for (uint32_t k = first; k < c->n_operands; k++) {
    if (c->operands[k]->rank != 0)
      return lm_rule_refuse (c, k, "a scalar");
    if (!lm_rule_kind (c, k, LM_INTS) || !lm_rule_same_dtype (c, k, first))
      return false;
  }
  return true;
}

/* Constant starts, clamped so that a window of these sizes fits. */
static bool
constant_starts (const LmFoldCtx *c, uint32_t first, const int64_t *sizes, int64_t *out)
{
  const lam_type *x = lm_fold_in_type (c, 0);
  for (int32_t i = 0; i < x->rank; i++) {
    LmConst k;
    if (!lm_fold_const (c, first + (uint32_t)i, &k))
      return false;
    int64_t start = lm_const_int (&k, 0), limit = x->dims[i] - sizes[i];
    if (k.type.dtype == LAM_U64 && start < 0) /* beyond every axis */
      start = limit;
    out[i] = CLAMP (start, 0, limit);
  }
  return true;
}

/* --- constructors ----------------------------------------------------------------------------- */

static LmValue
emit_slice (LmBuilder *b, LmValue x, const LmValue *starts, int32_t rank, const int64_t *sizes)
{
  LmValue in[1 + LAM_MAX_RANK] = {x};
  lam_attr attr = lm_attr_ints ("slice_sizes", sizes, (uint64_t)rank);
  for (int32_t i = 0; i < rank; i++)
    in[1 + i] = starts[i];
  LmOp o = {.op = LAM_OP_dynamic_slice,
            .operands = in,
            .n_operands = 1 + (uint32_t)rank,
            .attrs = &attr,
            .n_attrs = 1};
  return lm_builder_op (b, &o);
}

static LmValue
emit_update (LmBuilder *b, LmValue x, LmValue update, const LmValue *starts, int32_t rank)
{
  LmValue in[2 + LAM_MAX_RANK] = {x, update};
  for (int32_t i = 0; i < rank; i++)
    in[2 + i] = starts[i];
  LmOp o = {.op = LAM_OP_dynamic_update_slice, .operands = in, .n_operands = 2 + (uint32_t)rank};
  return lm_builder_op (b, &o);
}

/* The starts (scalars, at least one) as one index vector. */
static LmValue
index_vector (LmBuilder *b, const LmValue *starts, int32_t rank)
{
  LmValue parts[LAM_MAX_RANK];
  int64_t one = 1;
  for (int32_t i = 0; i < rank; i++)
    parts[i] = lm_reshape (b, starts[i], 1, &one);
  return lm_concatenate (b, parts, (uint32_t)rank, 0);
}

static const int64_t every_axis[LAM_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};

/* --- batching --------------------------------------------------------------------------------- */

/* With the same starts in every row the batch axis is one more axis, from 0 on; else rows gather and
 * scatter. `windows` operands come before the starts. */
static void
dynamic_batch (LmBatchCtx *c, uint32_t windows)
{
  uint32_t n = c->e->n_operands;
  LmValue in[3 + LAM_MAX_RANK];
  lam_type scalar = lm_scalar_type (LAM_I32);
  for (uint32_t k = windows; k < n; k++) {
    scalar = *lm_batch_in_type (c, k);
    if (c->axis[k] >= 0) {
      lm_batch_decomposed (c);
      return;
    }
    in[k + 1] = c->in[k];
  }
  for (uint32_t k = 0; k < windows; k++)
    in[k] = lm_batch_full (c, k, 0);
  in[windows] = lm_splat_int (c->b, &scalar, 0);
  int32_t rank = lm_batch_in_type (c, 0)->rank + 1;
  int64_t sizes[LAM_MAX_RANK + 1] = {c->size};
  lm_eq_list (&c->f->ir, c->e, "slice_sizes", rank - 1, 0, sizes + 1);
  c->out[0] = windows == 1 ? emit_slice (c->b, in[0], in + 1, rank, sizes)
                           : emit_update (c->b, in[0], in[1], in + 2, rank);
  c->out_axis[0] = 0;
}

static void
slice_batch (LmBatchCtx *c)
{
  dynamic_batch (c, 1);
}

static void
update_batch (LmBatchCtx *c)
{
  dynamic_batch (c, 2);
}

/* --- dynamic_slice ---------------------------------------------------------------------------- */

static bool
slice_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0];
  int64_t sizes[LAM_MAX_RANK];
  if (!check_starts (c, 1) || !lm_rule_list (c, "slice_sizes", x->rank, 0, 0, sizes))
    return false;
  for (int32_t i = 0; i < x->rank; i++)
    if (sizes[i] > x->dims[i])
      return lm_type_fail (c,
                           "slice_sizes[%d] is %" G_GINT64_FORMAT
                           ", wanted at most %" G_GINT64_FORMAT " (axis %d of operand 0)",
                           i, sizes[i], x->dims[i], i);
  return lm_rule_result (c, x->dtype, x->rank, sizes);
}

/* Zeros, but for where the slice was read: the starts are clamped in the same way. */
static void
slice_vjp (LmVjpCtx *c)
{
  const lam_type *x = lm_vjp_in_type (c, 0);
  c->d_in[0] = emit_update (c->b, lm_splat (c->b, x, 0), c->ct[0], c->in + 1, x->rank);
}

static bool
slice_fold (LmFoldCtx *c)
{
  const lam_type *y = lm_fold_type (c);
  int64_t start[LAM_MAX_RANK], limit[LAM_MAX_RANK];
  if (lm_type_equal (lm_fold_in_type (c, 0), y)) /* of full size, every start is clamped to 0 */
    return lm_fold_to (c, c->in[0]);
  if (!constant_starts (c, 1, y->dims, start))
    return lm_fold_splat (c);
  for (int32_t i = 0; i < y->rank; i++)
    limit[i] = start[i] + y->dims[i];
  return lm_fold_to (c, lm_slice (c->b, c->in[0], start, limit, NULL));
}

static void
slice_decompose (LmBuilder *b, const LmFunction *f, const lam_equation *e, const LmValue *in,
                 LmValue *out)
{
  const lam_type *y = lam_value_type (&f->ir, e->first_result);
  uint64_t rank = (uint64_t)y->rank;
  out[0] = in[0];
  if (rank == 0)
    return;
  LmValue operands[] = {in[0], index_vector (b, in + 1, y->rank)};
  lam_attr attrs[] = {lm_attr_ints ("offset_dims", every_axis, rank),
                      lm_attr_ints ("start_index_map", every_axis, rank),
                      lm_attr_int ("index_vector_dim", 0),
                      lm_attr_ints ("slice_sizes", y->dims, rank)};
  LmOp o = {
      .op = LAM_OP_gather, .operands = operands, .n_operands = 2, .attrs = attrs, .n_attrs = 4};
  out[0] = lm_builder_op (b, &o);
}

const LmRules lm_rules_dynamic_slice = {.type = slice_type,
                                        .vjp = slice_vjp,
                                        .fold = slice_fold,
                                        .batch = slice_batch,
                                        .decompose = slice_decompose};

/* --- dynamic_update_slice --------------------------------------------------------------------- */

static bool
update_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0], *u = c->operands[1];
  if (!lm_rule_same_dtype (c, 1, 0))
    return false;
  if (u->rank != x->rank)
    return lm_rule_refuse (c, 1, "rank %d (that of operand 0)", x->rank);
  for (int32_t i = 0; i < x->rank; i++)
    if (u->dims[i] > x->dims[i])
      return lm_rule_refuse (c, 1, "at most %" G_GINT64_FORMAT " at axis %d (that of operand 0)",
                             x->dims[i], i);
  return check_starts (c, 2) && lm_rule_result_like (c, 0);
}

/* What was overwritten gets nothing; the update gets what stands in its place. */
static void
update_vjp (LmVjpCtx *c)
{
  const lam_type *u = lm_vjp_in_type (c, 1);
  if (c->wanted[0])
    c->d_in[0] = emit_update (c->b, c->ct[0], lm_splat (c->b, u, 0), c->in + 2, u->rank);
  if (c->wanted[1])
    c->d_in[1] = emit_slice (c->b, c->ct[0], c->in + 2, u->rank, u->dims);
}

static bool
update_fold (LmFoldCtx *c)
{
  const lam_type *u = lm_fold_in_type (c, 1);
  if (lm_type_equal (u, lm_fold_type (c)))
    return lm_fold_to (c, c->in[1]);
  return lam_type_elements (u) == 0 && lm_fold_to (c, c->in[0]);
}

static void
update_decompose (LmBuilder *b, const LmFunction *f, const lam_equation *e, const LmValue *in,
                  LmValue *out)
{
  const lam_type *y = lam_value_type (&f->ir, e->first_result);
  uint64_t rank = (uint64_t)y->rank;
  out[0] = in[1];
  if (rank == 0)
    return;
  LmValue operands[] = {in[0], index_vector (b, in + 2, y->rank), in[1]};
  lam_attr attrs[] = {lm_attr_ints ("update_window_dims", every_axis, rank),
                      lm_attr_ints ("scatter_dims_to_operand_dims", every_axis, rank),
                      lm_attr_int ("index_vector_dim", 0), lm_attr_str ("computation", "update"),
                      lm_attr_int ("unique", 1)};
  LmOp o = {
      .op = LAM_OP_scatter, .operands = operands, .n_operands = 3, .attrs = attrs, .n_attrs = 5};
  out[0] = lm_builder_op (b, &o);
}

const LmRules lm_rules_dynamic_update_slice = {.type = update_type,
                                               .vjp = update_vjp,
                                               .fold = update_fold,
                                               .batch = update_batch,
                                               .decompose = update_decompose};
