/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of ops that cut and join along axes: slice pad concatenate. */
#include "core/op/rule.h"

static const int64_t zeros[LAM_MAX_RANK];

/* --- slice ----------------------------------------------------------------------------------- */

static bool
slice_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0];
  int64_t start[LAM_MAX_RANK], limit[LAM_MAX_RANK], stride[LAM_MAX_RANK], dims[LAM_MAX_RANK];
  if (!lm_rule_list (c, "start_indices", x->rank, 0, 0, start)
      || !lm_rule_list (c, "limit_indices", x->rank, 0, 0, limit)
      || !lm_rule_list (c, "strides", x->rank, 1, 1, stride))
    return false;
  for (int32_t i = 0; i < x->rank; i++) {
    if (start[i] > limit[i] || limit[i] > x->dims[i])
      return lm_rule_refuse (c, 0,
                             "axis %d to hold start %" G_GINT64_FORMAT " <= limit %" G_GINT64_FORMAT
                             " <= %" G_GINT64_FORMAT,
                             i, start[i], limit[i], x->dims[i]);
    dims[i] = limit[i] == start[i] ? 0 : (limit[i] - start[i] - 1) / stride[i] + 1;
  }
  return lm_rule_result (c, x->dtype, x->rank, dims);
}

/* Zeros go back where elements were left out. */
static void
slice_vjp (LmVjpCtx *c)
{
  const lam_type *x = lm_vjp_in_type (c, 0), *y = lm_vjp_out_type (c, 0);
  int64_t low[LAM_MAX_RANK], high[LAM_MAX_RANK], stride[LAM_MAX_RANK];
  lm_eq_list (&c->f->ir, c->e, "start_indices", x->rank, 0, low);
  lm_eq_list (&c->f->ir, c->e, "strides", x->rank, 1, stride);
  for (int32_t i = 0; i < x->rank; i++) {
    high[i] = x->dims[i] - low[i] - lm_dilated (y->dims[i], stride[i]);
    stride[i] -= 1;
  }
  lam_type scalar = lm_scalar_type (y->dtype);
  c->d_in[0] = lm_pad (c->b, c->ct[0], lm_splat (c->b, &scalar, 0), low, high, stride);
}

static bool
slice_fold (LmFoldCtx *c)
{
  /* Of full size it starts at 0 with stride 1, except where one element is all there is. */
  if (lm_type_equal (lm_fold_in_type (c, 0), lm_fold_type (c)))
    return lm_fold_to (c, c->in[0]);
  return lm_fold_splat (c);
}

static void
slice_batch (LmBatchCtx *c)
{
  int64_t start[LAM_MAX_RANK + 1], limit[LAM_MAX_RANK + 1], stride[LAM_MAX_RANK + 1];
  LmValue x = lm_batch_front (c, 0);
  lam_attr attrs[] = {lm_batch_list (c, "start_indices", 1, 0, 0, start),
                      lm_batch_list (c, "limit_indices", 1, 0, c->size, limit),
                      lm_batch_list (c, "strides", 1, 1, 1, stride)};
  lm_batch_emit (c, &x, attrs, 3, 0);
}

const LmRules lm_rules_slice = {
    .type = slice_type, .vjp = slice_vjp, .fold = slice_fold, .batch = slice_batch};

/* --- pad ------------------------------------------------------------------------------------- */

static bool
pad_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0];
  int64_t low[LAM_MAX_RANK], high[LAM_MAX_RANK], holes[LAM_MAX_RANK], dims[LAM_MAX_RANK];
  if (c->operands[1]->rank != 0)
    return lm_rule_refuse (c, 1, "a scalar");
  if (!lm_rule_same_dtype (c, 1, 0)
      || !lm_rule_list (c, "edge_padding_low", x->rank, 0, -INT64_MAX, low)
      || !lm_rule_list (c, "edge_padding_high", x->rank, 0, -INT64_MAX, high)
      || !lm_rule_list (c, "interior_padding", x->rank, 0, 0, holes))
    return false;
  for (int32_t i = 0; i < x->rank; i++) {
    int64_t between = x->dims[i] > 0 ? x->dims[i] - 1 : 0, n;
    if (__builtin_mul_overflow (between, holes[i], &n) || __builtin_add_overflow (n, x->dims[i], &n)
        || __builtin_add_overflow (n, low[i], &n) || __builtin_add_overflow (n, high[i], &n))
      return lm_type_fail (c, "axis %d of the result does not fit 64 bits", i);
    if (n < 0)
      return lm_rule_refuse (c, 0,
                             "edges that leave at least 0 elements on axis %d, they leave "
                             "%" G_GINT64_FORMAT,
                             i, n);
    dims[i] = n;
  }
  return lm_rule_result (c, x->dtype, x->rank, dims);
}

/* True where the padded array holds an element of the operand; false in the padding. */
static LmValue
pad_mask (const LmVjpCtx *c, const int64_t *low, const int64_t *high, const int64_t *holes)
{
  lam_type mask = *lm_vjp_in_type (c, 0), scalar = lm_scalar_type (LAM_PRED);
  mask.dtype = LAM_PRED;
  return lm_pad (c->b, lm_splat_int (c->b, &mask, 1), lm_splat_int (c->b, &scalar, 0), low, high,
                 holes);
}

static void
pad_vjp (LmVjpCtx *c)
{
  const lam_type *x = lm_vjp_in_type (c, 0);
  int64_t low[LAM_MAX_RANK], high[LAM_MAX_RANK], holes[LAM_MAX_RANK];
  int64_t cut_low[LAM_MAX_RANK], cut_high[LAM_MAX_RANK], stride[LAM_MAX_RANK];
  int64_t limit[LAM_MAX_RANK];
  lm_eq_list (&c->f->ir, c->e, "edge_padding_low", x->rank, 0, low);
  lm_eq_list (&c->f->ir, c->e, "edge_padding_high", x->rank, 0, high);
  lm_eq_list (&c->f->ir, c->e, "interior_padding", x->rank, 0, holes);
  if (c->wanted[0]) {
    /* Negated edges cut the padding and bring back cut elements as zeros; strides skip holes. */
    for (int32_t i = 0; i < x->rank; i++) {
      cut_low[i] = -low[i];
      cut_high[i] = -high[i];
      stride[i] = holes[i] + 1;
      limit[i] = lm_dilated (x->dims[i], stride[i]);
    }
    lam_type scalar = lm_scalar_type (x->dtype);
    LmValue zero = lm_splat (c->b, &scalar, 0);
    LmValue d = lm_pad (c->b, c->ct[0], zero, cut_low, cut_high, NULL);
    c->d_in[0] = lm_slice (c->b, d, zeros, limit, stride);
  }
  if (c->wanted[1]) {
    LmValue mask = pad_mask (c, low, high, holes);
    LmValue d = lm_select (c->b, mask, lm_zeros_like (c->b, c->ct[0]), c->ct[0]);
    c->d_in[1] = lm_reduce_all (c->b, d, "add");
  }
}

static bool
pad_fold (LmFoldCtx *c)
{
  const lam_type *x = lm_fold_in_type (c, 0);
  int64_t low[LAM_MAX_RANK], high[LAM_MAX_RANK], holes[LAM_MAX_RANK];
  lm_eq_list (&c->f->ir, c->e, "edge_padding_low", x->rank, 0, low);
  lm_eq_list (&c->f->ir, c->e, "edge_padding_high", x->rank, 0, high);
  lm_eq_list (&c->f->ir, c->e, "interior_padding", x->rank, 0, holes);
  for (int32_t i = 0; i < x->rank; i++)
    if (low[i] != 0 || high[i] != 0 || (holes[i] != 0 && x->dims[i] > 1))
      return false;
  return lm_fold_to (c, c->in[0]);
}

/* A fill for each row cannot be the scalar: it is chosen where a padded mask is false. */
static void
pad_batch (LmBatchCtx *c)
{
  LmBuilder *b = c->b;
  int64_t low[LAM_MAX_RANK + 1], high[LAM_MAX_RANK + 1], holes[LAM_MAX_RANK + 1], front = 0;
  lam_attr attrs[] = {lm_batch_list (c, "edge_padding_low", 1, 0, 0, low),
                      lm_batch_list (c, "edge_padding_high", 1, 0, 0, high),
                      lm_batch_list (c, "interior_padding", 1, 0, 0, holes)};
  LmValue in[] = {lm_batch_full (c, 0, 0), c->in[1]}, fill = c->in[1];
  if (c->axis[1] < 0) {
    lm_batch_emit (c, in, attrs, 3, 0);
    return;
  }
  lam_type scalar = lm_scalar_type (lm_batch_in_type (c, 0)->dtype);
  in[1] = lm_splat_int (b, &scalar, 0);
  lm_batch_emit (c, in, attrs, 3, 0);
  lam_type mask = *lm_builder_type (b, in[0]), full = *lm_builder_type (b, c->out[0]);
  mask.dtype = scalar.dtype = LAM_PRED;
  LmValue inside =
      lm_pad (b, lm_splat_int (b, &mask, 1), lm_splat_int (b, &scalar, 0), low, high, holes);
  c->out[0] = lm_select (b, inside, c->out[0], lm_broadcast (b, fill, &full, &front, 1));
}

const LmRules lm_rules_pad = {
    .type = pad_type, .vjp = pad_vjp, .fold = pad_fold, .batch = pad_batch};

/* --- concatenate ----------------------------------------------------------------------------- */

static bool
concatenate_type (LmTypeCtx *c)
{
  lam_type y = *c->operands[0];
  int64_t axis = lm_type_attr_int (c, "dimension", 0);
  if (axis < 0 || axis >= y.rank)
    return lm_type_fail (c, "dimension is %" G_GINT64_FORMAT ", wanted an axis of 0 to %d", axis,
                         y.rank - 1);
  for (uint32_t k = 1; k < c->n_operands; k++) {
    lam_type fits = *c->operands[k];
    fits.dims[axis < fits.rank ? axis : 0] = c->operands[0]->dims[axis];
    if (!lm_type_equal (&fits, c->operands[0])) {
      g_autofree char *first = lm_type_to_string (c->operands[0]);
      return lm_rule_refuse (c, k, "%s (operand 0) but for axis %" G_GINT64_FORMAT, first, axis);
    }
    if (__builtin_add_overflow (y.dims[axis], c->operands[k]->dims[axis], &y.dims[axis]))
      return lm_type_fail (c, "axis %" G_GINT64_FORMAT " of the result does not fit 64 bits", axis);
  }
  return lm_rule_result (c, y.dtype, y.rank, y.dims);
}

static void
concatenate_vjp (LmVjpCtx *c)
{
  int64_t axis = lam_attr_int (&c->f->ir, c->e, "dimension", 0), at = 0;
  for (uint32_t k = 0; k < c->e->n_operands; k++) {
    const lam_type *x = lm_vjp_in_type (c, k);
    int64_t start[LAM_MAX_RANK] = {0}, limit[LAM_MAX_RANK];
    for (int32_t i = 0; i < x->rank; i++)
      limit[i] = x->dims[i];
    start[axis] = at;
    at += x->dims[axis];
    limit[axis] = at;
    if (c->wanted[k])
      c->d_in[k] = lm_slice (c->b, c->ct[0], start, limit, NULL);
  }
}

static bool
concatenate_fold (LmFoldCtx *c)
{
  return c->e->n_operands == 1 && lm_fold_to (c, c->in[0]);
}

static void
concatenate_batch (LmBatchCtx *c)
{
  g_autofree LmValue *in = g_new (LmValue, c->e->n_operands);
  lam_attr attr = lm_attr_int ("dimension", lam_attr_int (&c->f->ir, c->e, "dimension", 0) + 1);
  for (uint32_t k = 0; k < c->e->n_operands; k++)
    in[k] = lm_batch_full (c, k, 0);
  lm_batch_emit (c, in, &attr, 1, 0);
}

const LmRules lm_rules_concatenate = {.type = concatenate_type,
                                      .vjp = concatenate_vjp,
                                      .fold = concatenate_fold,
                                      .batch = concatenate_batch};
