/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of convolution. Both gradients are convolutions again (JAX,
 * _conv_general_dilated_transpose_lhs and _rhs), so every order exists. */
#include "core/op/contract.h"

#include <string.h>

/* All attributes, whatever their defaults. */
typedef struct Conv {
  int64_t spatial;                                                 /* rank - 2 */
  LmWindow w;                                                      /* sizes are the kernel's */
  int64_t lhs[LAM_MAX_RANK], rhs[LAM_MAX_RANK], out[LAM_MAX_RANK]; /* specs */
  int64_t feature_groups, batch_groups;
} Conv;

/* --- type rule ------------------------------------------------------------------------------- */

static bool
spec (LmTypeCtx *c, const char *key, int64_t rank, int64_t *out)
{
  return lm_rule_list (c, key, rank, 0, 0, out) && lm_rule_axes (c, key, rank, false);
}

static bool
read_attrs (LmTypeCtx *c, Conv *v)
{
  int64_t rank = c->operands[0]->rank, n = rank - 2;
  v->spatial = v->w.rank = n;
  v->feature_groups = lm_type_attr_int (c, "feature_group_count", 1);
  v->batch_groups = lm_type_attr_int (c, "batch_group_count", 1);
  return spec (c, "lhs_spec", rank, v->lhs) && spec (c, "rhs_spec", rank, v->rhs)
         && spec (c, "out_spec", rank, v->out)
         && lm_rule_list (c, "window_strides", n, 1, 1, v->w.stride)
         && lm_rule_list (c, "padding", 2 * n, 0, -INT64_MAX, v->w.padding)
         && lm_rule_list (c, "lhs_dilation", n, 1, 1, v->w.base_dilation)
         && lm_rule_list (c, "rhs_dilation", n, 1, 1, v->w.dilation);
}

static bool
divides (LmTypeCtx *c, uint32_t k, int64_t axis, int64_t groups, const char *key)
{
  if (c->operands[k]->dims[axis] % groups == 0)
    return true;
  return lm_rule_refuse (c, k,
                         "a size at axis %" G_GINT64_FORMAT " that %s %" G_GINT64_FORMAT " divides",
                         axis, key, groups);
}

static bool
check_groups (LmTypeCtx *c, const Conv *v)
{
  const lam_type *x = c->operands[0], *k = c->operands[1];
  int64_t f = v->feature_groups, g = v->batch_groups;
  if (f < 1 || g < 1 || (f > 1 && g > 1))
    return lm_type_fail (c,
                         "feature_group_count is %" G_GINT64_FORMAT
                         " and batch_group_count %" G_GINT64_FORMAT
                         ", wanted at least 1 and one of them 1",
                         f, g);
  if (!divides (c, 0, v->lhs[1], f, "feature_group_count")
      || !divides (c, 1, v->rhs[0], f, "feature_group_count")
      || !divides (c, 0, v->lhs[0], g, "batch_group_count")
      || !divides (c, 1, v->rhs[0], g, "batch_group_count"))
    return false;
  if (k->dims[v->rhs[1]] != x->dims[v->lhs[1]] / f)
    return lm_rule_refuse (c, 1,
                           "%" G_GINT64_FORMAT " input features at axis %" G_GINT64_FORMAT
                           " (those of operand 0 / feature_group_count)",
                           x->dims[v->lhs[1]] / f, v->rhs[1]);
  return true;
}

static bool
conv_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0], *k = c->operands[1];
  Conv v = {.spatial = 0};
  lam_dtype dtype;
  int64_t in[LAM_MAX_RANK], n[LAM_MAX_RANK], dims[LAM_MAX_RANK];
  if (x->rank < 2)
    return lm_rule_refuse (c, 0, "rank 2 or more (batch, feature, spatial ...)");
  if (k->rank != x->rank)
    return lm_rule_refuse (c, 1, "rank %d (that of operand 0)", x->rank);
  if (!lm_rule_contract_dtype (c, &dtype) || !read_attrs (c, &v) || !check_groups (c, &v))
    return false;
  for (int64_t i = 0; i < v.spatial; i++) {
    in[i] = x->dims[v.lhs[i + 2]];
    v.w.size[i] = k->dims[v.rhs[i + 2]];
    if (v.w.size[i] < 1)
      return lm_rule_refuse (c, 1, "at least 1 element at axis %" G_GINT64_FORMAT " (spatial)",
                             v.rhs[i + 2]);
  }
  if (!lm_rule_window (c, &v.w, in, n))
    return false;
  dims[v.out[0]] = x->dims[v.lhs[0]] / v.batch_groups;
  dims[v.out[1]] = k->dims[v.rhs[0]];
  for (int64_t i = 0; i < v.spatial; i++)
    dims[v.out[i + 2]] = n[i];
  return lm_rule_result (c, dtype, x->rank, dims);
}

/* --- vjp rule -------------------------------------------------------------------------------- */

static void
eq_conv (const LmVjpCtx *c, Conv *v)
{
  const lam_function *f = &c->f->ir;
  int64_t rank = lm_vjp_in_type (c, 0)->rank, n = rank - 2;
  v->spatial = v->w.rank = n;
  lm_eq_list (f, c->e, "lhs_spec", rank, 0, v->lhs);
  lm_eq_list (f, c->e, "rhs_spec", rank, 0, v->rhs);
  lm_eq_list (f, c->e, "out_spec", rank, 0, v->out);
  lm_eq_list (f, c->e, "window_strides", n, 1, v->w.stride);
  lm_eq_list (f, c->e, "padding", 2 * n, 0, v->w.padding);
  lm_eq_list (f, c->e, "lhs_dilation", n, 1, v->w.base_dilation);
  lm_eq_list (f, c->e, "rhs_dilation", n, 1, v->w.dilation);
  v->feature_groups = lam_attr_int (f, c->e, "feature_group_count", 1);
  v->batch_groups = lam_attr_int (f, c->e, "batch_group_count", 1);
  for (int64_t i = 0; i < n; i++)
    v->w.size[i] = lm_vjp_in_type (c, 1)->dims[v->rhs[i + 2]];
}

static LmValue
emit_conv (LmBuilder *b, LmValue lhs, LmValue rhs, const Conv *v)
{
  uint64_t n = (uint64_t)v->spatial, rank = n + 2;
  LmValue in[] = {lhs, rhs};
  lam_attr attrs[] = {lm_attr_ints ("window_strides", v->w.stride, n),
                      lm_attr_ints ("padding", v->w.padding, 2 * n),
                      lm_attr_ints ("lhs_dilation", v->w.base_dilation, n),
                      lm_attr_ints ("rhs_dilation", v->w.dilation, n),
                      lm_attr_ints ("lhs_spec", v->lhs, rank),
                      lm_attr_ints ("rhs_spec", v->rhs, rank),
                      lm_attr_ints ("out_spec", v->out, rank),
                      lm_attr_int ("feature_group_count", v->feature_groups),
                      lm_attr_int ("batch_group_count", v->batch_groups)};
  LmOp o = {.op = LAM_OP_convolution,
            .operands = in,
            .n_operands = 2,
            .attrs = attrs,
            .n_attrs = G_N_ELEMENTS (attrs)};
  return lm_builder_op (b, &o);
}

/* move_groups where one more axis does not fit: a slice a group. */
static LmValue
move_groups_by_slices (LmBuilder *b, LmValue x, int64_t groups, int64_t from, int64_t to)
{
  lam_type type = *lm_builder_type (b, x);
  int64_t start[LAM_MAX_RANK] = {0}, limit[LAM_MAX_RANK], rest = type.dims[from] / groups;
  g_autofree LmValue *parts = g_new (LmValue, (gsize)groups);
  memcpy (limit, type.dims, sizeof limit);
  for (int64_t i = 0; i < groups; i++) {
    start[from] = i * rest;
    limit[from] = start[from] + rest;
    parts[i] = lm_slice (b, x, start, limit, NULL);
  }
  return lm_concatenate (b, parts, (uint32_t)groups, to);
}

/* Moves the groups out of axis `from` (its outer part) into axis `to` (as its outer part). */
static LmValue
move_groups (LmBuilder *b, LmValue x, int64_t groups, int64_t from, int64_t to)
{
  lam_type type = *lm_builder_type (b, x);
  int64_t dims[LAM_MAX_RANK + 1], out[LAM_MAX_RANK], order[LAM_MAX_RANK + 1];
  int32_t rank = type.rank, n = 0, m = 0;
  if (x == LM_NIL)
    return LM_NIL;
  if (rank == LAM_MAX_RANK)
    return move_groups_by_slices (b, x, groups, from, to);
  /* split: axis `from` becomes (groups, rest); every later axis moves up by one */
  for (int32_t i = 0; i < rank; i++) {
    if (i == from)
      dims[n++] = groups;
    dims[n++] = i == from ? type.dims[i] / groups : type.dims[i];
  }
  for (int32_t i = 0; i < rank; i++) {
    if (i == to)
      order[m++] = from; /* the groups' axis after the split */
    order[m++] = i < from ? i : i + 1;
    out[i] = type.dims[i];
  }
  out[from] /= groups;
  out[to] *= groups;
  x = lm_transpose (b, lm_reshape (b, x, rank + 1, dims), order);
  return lm_reshape (b, x, rank, out);
}

static LmValue
lhs_ct (LmVjpCtx *c, const Conv *v, LmValue ct, LmValue rhs)
{
  const lam_type *x = lm_vjp_in_type (c, 0), *y = lm_vjp_out_type (c, 0);
  int64_t groups = v->feature_groups * v->batch_groups; /* one of them is 1 */
  Conv t = *v;
  memcpy (t.lhs, v->out, sizeof t.lhs);
  memcpy (t.out, v->lhs, sizeof t.out);
  t.rhs[0] = v->rhs[1];
  t.rhs[1] = v->rhs[0];
  t.feature_groups = groups;
  t.batch_groups = 1;
  if (groups > 1)
    rhs = move_groups (c->b, rhs, groups, v->rhs[0], v->rhs[1]);
  for (int64_t i = 0; i < v->spatial; i++) {
    int64_t window = lm_dilated (v->w.size[i], v->w.dilation[i]);
    int64_t before = window - v->w.padding[2 * i] - 1;
    t.w.stride[i] = v->w.base_dilation[i];
    t.w.base_dilation[i] = v->w.stride[i];
    t.w.padding[2 * i] = before;
    t.w.padding[2 * i + 1] = lm_dilated (x->dims[v->lhs[i + 2]], v->w.base_dilation[i]) + window - 1
                             - lm_dilated (y->dims[v->out[i + 2]], v->w.stride[i]) - before;
  }
  rhs = lm_reverse (c->b, rhs, v->rhs + 2, (uint64_t)v->spatial);
  LmValue d = emit_conv (c->b, ct, rhs, &t);
  if (v->batch_groups > 1)
    d = move_groups (c->b, d, v->batch_groups, v->lhs[1], v->lhs[0]);
  return d;
}

static void
swapped (const int64_t *spec, int64_t *out)
{
  memcpy (out, spec, LAM_MAX_RANK * sizeof *out);
  out[0] = spec[1];
  out[1] = spec[0];
}

/* Batch and feature change places everywhere; groups of one kind become groups of the other. */
static LmValue
rhs_ct (LmVjpCtx *c, const Conv *v, LmValue ct, LmValue lhs)
{
  const lam_type *x = lm_vjp_in_type (c, 0), *y = lm_vjp_out_type (c, 0);
  Conv t = *v;
  swapped (v->lhs, t.lhs);
  swapped (v->out, t.rhs);
  swapped (v->rhs, t.out);
  t.feature_groups = v->batch_groups;
  t.batch_groups = v->feature_groups;
  for (int64_t i = 0; i < v->spatial; i++) {
    int64_t low = v->w.padding[2 * i];
    t.w.stride[i] = v->w.dilation[i];
    t.w.dilation[i] = v->w.stride[i];
    t.w.padding[2 * i] = low;
    t.w.padding[2 * i + 1] = lm_dilated (y->dims[v->out[i + 2]], v->w.stride[i])
                             - lm_dilated (x->dims[v->lhs[i + 2]], v->w.base_dilation[i])
                             + lm_dilated (v->w.size[i], v->w.dilation[i]) - low - 1;
  }
  return emit_conv (c->b, lhs, ct, &t);
}

static void
conv_vjp (LmVjpCtx *c)
{
  lam_dtype dtype = lm_contract_ct_dtype (c), in = lm_vjp_in_type (c, 0)->dtype;
  Conv v;
  /* Without an output element both gradients are zero, and a kernel without elements is refused. */
  if (lam_type_elements (lm_vjp_out_type (c, 0)) == 0)
    return;
  eq_conv (c, &v);
  LmValue ct = lm_convert (c->b, c->ct[0], dtype);
  if (c->wanted[0]) {
    LmValue d = lhs_ct (c, &v, ct, lm_convert (c->b, c->in[1], dtype));
    c->d_in[0] = lm_convert (c->b, d, in);
  }
  if (c->wanted[1]) {
    LmValue d = rhs_ct (c, &v, ct, lm_convert (c->b, c->in[0], dtype));
    c->d_in[1] = lm_convert (c->b, d, in);
  }
}

/* --- batching rule: batch axes merge into axes of the convolution (JAX,
 * _conv_general_dilated_batch_rule) ------------------------------------------------------------- */

/* x without axis `from`, which becomes the outer part of the axis that is then `to`. */
static LmValue
merge_axis (LmBuilder *b, LmValue x, int64_t from, int64_t to)
{
  int64_t dims[LAM_MAX_RANK];
  int32_t n = 0;
  x = lm_move_axis (b, x, (int32_t)from, (int32_t)to);
  lam_type type = *lm_builder_type (b, x);
  for (int32_t i = 0; i < type.rank; i++)
    if (i == to + 1)
      dims[to] *= type.dims[i];
    else
      dims[n++] = type.dims[i];
  return lm_reshape (b, x, n, dims);
}

/* Axis `axis` becomes two: (size, rest). */
static LmValue
split_axis (LmBuilder *b, LmValue x, int64_t size, int64_t axis)
{
  int64_t dims[LAM_MAX_RANK + 1];
  lam_type type = *lm_builder_type (b, x);
  int32_t n = 0;
  for (int32_t i = 0; i < type.rank; i++) {
    if (i == axis)
      dims[n++] = size;
    dims[n++] = i == axis ? type.dims[i] / size : type.dims[i];
  }
  return lm_reshape (b, x, n, dims);
}

/* x (B, row ...) with the batch in the row's axis: groups stay outermost, (groups, B, rest). */
static LmValue
merge_below (LmBuilder *b, LmValue x, int64_t groups, int64_t axis)
{
  if (groups == 1)
    return merge_axis (b, x, 0, axis);
  x = split_axis (b, x, groups, axis + 1); /* (B, ..., groups, rest, ...) */
  x = merge_axis (b, x, 0, axis + 1);      /* (..., groups, B * rest, ...) */
  return merge_axis (b, x, axis, axis);
}

/* The convolution of merged operands; its axis `axis` is (groups, B, rest). */
static void
conv_merged (LmBatchCtx *c, const LmValue *in, const Conv *v, int64_t groups, int64_t axis)
{
  LmBuilder *b = c->b;
  lam_attr attrs[] = {lm_attr_int ("feature_group_count", v->feature_groups),
                      lm_attr_int ("batch_group_count", v->batch_groups)};
  lm_batch_emit (c, in, attrs, 2, (int32_t)axis);
  LmValue y = c->out[0];
  if (groups == 1) {
    c->out[0] = split_axis (b, y, c->size, axis);
    return;
  }
  y = split_axis (b, split_axis (b, y, groups, axis), c->size, axis + 1);
  y = lm_move_axis (b, y, (int32_t)axis + 1, (int32_t)axis); /* (..., B, groups, rest, ...) */
  c->out[0] = merge_axis (b, y, axis + 1, axis + 1);
}

static void
conv_batch (LmBatchCtx *c)
{
  const lam_function *f = &c->f->ir;
  int32_t rank = lm_batch_in_type (c, 0)->rank;
  Conv v = {.feature_groups = lam_attr_int (f, c->e, "feature_group_count", 1),
            .batch_groups = lam_attr_int (f, c->e, "batch_group_count", 1)};
  bool lhs = c->axis[0] >= 0, rhs = c->axis[1] >= 0;
  int64_t groups = v.feature_groups * v.batch_groups; /* one of them is 1 */
  LmValue in[] = {lm_batch_front (c, 0), lm_batch_front (c, 1)};
  lm_eq_list (f, c->e, "lhs_spec", rank, 0, v.lhs);
  lm_eq_list (f, c->e, "rhs_spec", rank, 0, v.rhs);
  lm_eq_list (f, c->e, "out_spec", rank, 0, v.out);
  if (rank + 2 > LAM_MAX_RANK && groups > 1 && !(lhs && rhs)) {
    lm_batch_unroll (c); /* no room to take groups apart */
  } else if (lhs && rhs) {
    /* A group of its own for each row, outermost: (B, groups). */
    in[0] = merge_axis (c->b, in[0], 0, v.batch_groups > 1 ? v.lhs[0] : v.lhs[1]);
    in[1] = merge_axis (c->b, in[1], 0, v.rhs[0]);
    *(v.batch_groups > 1 ? &v.batch_groups : &v.feature_groups) *= c->size;
    conv_merged (c, in, &v, 1, v.out[1]);
  } else if (lhs) {
    in[0] = merge_below (c->b, in[0], v.batch_groups, v.lhs[0]);
    conv_merged (c, in, &v, 1, v.out[0]);
  } else {
    in[1] = merge_below (c->b, in[1], groups, v.rhs[0]);
    conv_merged (c, in, &v, groups, v.out[1]);
  }
}

const LmRules lm_rules_convolution = {.type = conv_type, .vjp = conv_vjp, .batch = conv_batch};
