/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ops_reduce.h
 * Functions that combine elements: sums and their kin, windows, matrix products, convolution.
 * Included by ops.h.
 */
#ifndef LAMINA_OPS_REDUCE_H
#define LAMINA_OPS_REDUCE_H

#include <lamina/ops_math.h>
#include <lamina/ops_shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Axes counted from the front, in increasing order, each once; all of them for LAM_EVERY_AXIS. */
static inline lam_axes
lam_axes_of (lam_trace *t, int32_t rank, lam_axes axes)
{
  lam_axes sorted = LAM_NO_AXES;
  uint32_t chosen = axes.rank < 0 ? (1u << rank) - 1 : 0;
  for (int32_t i = 0; i < axes.rank; i++) {
    int32_t axis = lam_axis (t, axes.dims[i], rank);
    chosen |= axis < 0 ? 0 : 1u << axis;
  }
  for (int32_t i = 0; i < rank; i++)
    if ((chosen >> i & 1) != 0)
      sorted.dims[sorted.rank++] = i;
  return sorted;
}

/** Reduces the axes away (or to size 1). computation: "add" "multiply" "maximum" "minimum" "and"
 * "or". Without elements the result is the identity. */
static inline lam_tensor
lam_reduce (lam_trace *t, lam_tensor x, const char *computation, lam_axes axes, bool keepdims)
{
  lam_shape kept = lam_shape_of (t, x);
  lam_attr attrs[2];
  axes = lam_axes_of (t, kept.rank, axes);
  attrs[0] = lam_attr_of_str ("computation", computation);
  attrs[1] = lam_attr_of_axes ("dimensions", &axes);
  for (int32_t i = 0; i < axes.rank; i++)
    kept.dims[axes.dims[i]] = 1;
  x = lam_record_unary (t, LAM_OP_reduce, x, attrs, 2);
  return keepdims ? lam_reshape (t, x, kept) : x;
}

/** Sum over axes, which vanish or (keepdims) have size 1; 0 without elements; f16 and bf16 add
 * in f32. */
static inline lam_tensor
lam_sum (lam_trace *t, lam_tensor x, lam_axes axes, bool keepdims)
{
  return lam_reduce (t, x, "add", axes, keepdims);
}

/** Product over axes; 1 without elements; its gradient is exact also where elements are 0. */
static inline lam_tensor
lam_prod (lam_trace *t, lam_tensor x, lam_axes axes, bool keepdims)
{
  return lam_reduce (t, x, "multiply", axes, keepdims);
}

/** The largest element; NaN if there is one; ties share the gradient. */
static inline lam_tensor
lam_max_over (lam_trace *t, lam_tensor x, lam_axes axes, bool keepdims)
{
  return lam_reduce (t, x, "maximum", axes, keepdims);
}

/** The smallest element; NaN if there is one; ties share the gradient. */
static inline lam_tensor
lam_min_over (lam_trace *t, lam_tensor x, lam_axes axes, bool keepdims)
{
  return lam_reduce (t, x, "minimum", axes, keepdims);
}

/** bool: all are true. */
static inline lam_tensor
lam_all (lam_trace *t, lam_tensor x, lam_axes axes, bool keepdims)
{
  return lam_reduce (t, x, "and", axes, keepdims);
}

/** bool: one is true. */
static inline lam_tensor
lam_any (lam_trace *t, lam_tensor x, lam_axes axes, bool keepdims)
{
  return lam_reduce (t, x, "or", axes, keepdims);
}

/** Sum divided by the number of elements; NaN without elements. */
static inline lam_tensor
lam_mean (lam_trace *t, lam_tensor x, lam_axes axes, bool keepdims)
{
  lam_type type = lam_type_of (t, x);
  lam_axes sorted = lam_axes_of (t, type.rank, axes);
  double n = 1;
  for (int32_t i = 0; i < sorted.rank; i++)
    n *= (double)type.dims[sorted.dims[i]];
  return lam_div_scalar (t, lam_sum (t, x, axes, keepdims), n);
}

/** Biased variance: mean of squared distances from the mean. */
static inline lam_tensor
lam_variance (lam_trace *t, lam_tensor x, lam_axes axes, bool keepdims)
{
  lam_tensor centred = lam_sub (t, x, lam_mean (t, x, axes, true));
  return lam_mean (t, lam_square (t, centred), axes, keepdims);
}

/* argmax or argmin as i32. */
static inline lam_tensor
lam_arg_ (lam_trace *t, int32_t op, lam_tensor x, int32_t axis)
{
  lam_shape shape = lam_shape_of (t, x);
  lam_op_call call = lam_op_call_make (op, &x, 1);
  lam_attr attr;
  lam_type type;
  axis = lam_axis (t, axis, shape.rank);
  if (axis < 0)
    return lam_nil ();
  for (int32_t i = axis + 1; i < shape.rank; i++)
    shape.dims[i - 1] = shape.dims[i];
  shape.rank--;
  type = lam_type_make (LAM_I32, shape);
  attr = lam_attr_of_int ("dimension", axis);
  call.attrs = &attr;
  call.n_attrs = 1;
  call.type = &type;
  return lam_record (t, &call);
}

/** i32 index of the first largest element along axis, which is removed; the first NaN wins. */
static inline lam_tensor
lam_argmax (lam_trace *t, lam_tensor x, int32_t axis)
{
  return lam_arg_ (t, LAM_OP_argmax, x, axis);
}

/** i32 index of the first smallest element along axis, which is removed; the first NaN wins. */
static inline lam_tensor
lam_argmin (lam_trace *t, lam_tensor x, int32_t axis)
{
  return lam_arg_ (t, LAM_OP_argmin, x, axis);
}

/** Windows over every axis of a tensor; rank numbers each, padding 2 * rank: low0 high0 low1 ... */
typedef struct lam_window {
  int32_t rank, reserved; /**< axes of the tensor */
  /** elements of a window, step between windows, added around (negative: cut) */
  int64_t size[LAM_MAX_RANK], strides[LAM_MAX_RANK], padding[2 * LAM_MAX_RANK];
  /** distance of neighbours of the tensor, of a window */
  int64_t base_dilations[LAM_MAX_RANK], window_dilations[LAM_MAX_RANK];
} lam_window;

/** Windows of one element, stride 1, no padding: change what differs. */
static inline lam_window
lam_window_make (int32_t rank)
{
  lam_window w;
  w.rank = rank;
  w.reserved = 0;
  for (int i = 0; i < LAM_MAX_RANK; i++) {
    w.size[i] = w.strides[i] = w.base_dilations[i] = w.window_dilations[i] = 1;
    w.padding[2 * i] = w.padding[2 * i + 1] = 0;
  }
  return w;
}

/** Reduces each window; padding holds the identity. computation as lam_reduce. */
static inline lam_tensor
lam_reduce_window (lam_trace *t, lam_tensor x, const char *computation, const lam_window *w)
{
  uint64_t n = (uint64_t)w->rank;
  lam_attr attrs[6];
  attrs[0] = lam_attr_of_str ("computation", computation);
  attrs[1] = lam_attr_of_ints ("window_dimensions", w->size, n);
  attrs[2] = lam_attr_of_ints ("window_strides", w->strides, n);
  attrs[3] = lam_attr_of_ints ("padding", w->padding, 2 * n);
  attrs[4] = lam_attr_of_ints ("base_dilations", w->base_dilations, n);
  attrs[5] = lam_attr_of_ints ("window_dilations", w->window_dilations, n);
  return lam_record_unary (t, LAM_OP_reduce_window, x, attrs, 6);
}

/** Dimension numbers of a matrix product: axes of each side, in pairs. */
typedef struct lam_dot_dims {
  /** axes that run along, that are summed */
  lam_axes lhs_batch, rhs_batch, lhs_contract, rhs_contract;
  lam_dtype out_dtype; /**< LAM_DTYPE_NONE: the operands' */
} lam_dot_dims;

/** Batched matrix product; result axes: batch, free axes of a, free axes of b. */
static inline lam_tensor
lam_dot_general (lam_trace *t, lam_tensor a, lam_tensor b, const lam_dot_dims *dims)
{
  lam_tensor operands[2];
  lam_attr attrs[5];
  operands[0] = a;
  operands[1] = b;
  lam_op_call call = lam_op_call_make (LAM_OP_dot_general, operands, 2);
  attrs[0] = lam_attr_of_axes ("lhs_batching_dimensions", &dims->lhs_batch);
  attrs[1] = lam_attr_of_axes ("rhs_batching_dimensions", &dims->rhs_batch);
  attrs[2] = lam_attr_of_axes ("lhs_contracting_dimensions", &dims->lhs_contract);
  attrs[3] = lam_attr_of_axes ("rhs_contracting_dimensions", &dims->rhs_contract);
  attrs[4] = lam_attr_of_dtype ("out_dtype", dims->out_dtype);
  call.attrs = attrs;
  call.n_attrs = dims->out_dtype == LAM_DTYPE_NONE ? 4 : 5;
  return lam_record (t, &call);
}

/** x (..., K) times w (K, N) -> (..., N). */
static inline lam_tensor
lam_dot (lam_trace *t, lam_tensor x, lam_tensor w)
{
  lam_dot_dims dims;
  int32_t rank = lam_rank_of (t, x);
  dims.lhs_batch = dims.rhs_batch = LAM_NO_AXES;
  dims.lhs_contract = LAM_AXES (rank > 0 ? rank - 1 : 0);
  dims.rhs_contract = LAM_AXES (0);
  dims.out_dtype = LAM_DTYPE_NONE;
  return lam_dot_general (t, x, w, &dims);
}

/** y plus a bias of its last axis. */
static inline lam_tensor
lam_add_bias (lam_trace *t, lam_tensor y, lam_tensor bias)
{
  return lam_add (t, y, bias);
}

/** A convolution over n_spatial axes; specs as in ops.def. */
typedef struct lam_conv_dims {
  int32_t n_spatial, reserved; /**< axes beside batch and feature */
  /** of each spatial axis; padding low0 high0 low1 ... */
  int64_t strides[LAM_MAX_RANK], padding[2 * LAM_MAX_RANK];
  /** distance of neighbours of x, of w */
  int64_t lhs_dilation[LAM_MAX_RANK], rhs_dilation[LAM_MAX_RANK];
  lam_axes lhs_spec, rhs_spec, out_spec;          /**< axes by role */
  int64_t feature_group_count, batch_group_count; /**< one of both is 1 */
} lam_conv_dims;

/** Channels last: x (B, spatial ..., C), w (spatial ..., C / groups, D) -> (B, spatial ..., D); stride
 * and dilation 1, no padding, one group: change what differs. */
static inline lam_conv_dims
lam_conv_dims_make (int32_t n_spatial)
{
  lam_conv_dims d;
  d.n_spatial = n_spatial;
  d.reserved = 0;
  for (int i = 0; i < LAM_MAX_RANK; i++) {
    d.strides[i] = d.lhs_dilation[i] = d.rhs_dilation[i] = 1;
    d.padding[2 * i] = d.padding[2 * i + 1] = 0;
  }
  d.lhs_spec = d.rhs_spec = LAM_NO_AXES;
  d.lhs_spec.rank = d.rhs_spec.rank = n_spatial + 2;
  d.lhs_spec.dims[1] = d.rhs_spec.dims[0] = n_spatial + 1;
  d.rhs_spec.dims[1] = n_spatial;
  for (int32_t i = 0; i < n_spatial; i++) {
    d.lhs_spec.dims[2 + i] = 1 + i;
    d.rhs_spec.dims[2 + i] = i;
  }
  d.out_spec = d.lhs_spec;
  d.feature_group_count = d.batch_group_count = 1;
  return d;
}

/** Cross-correlation of x with w. */
static inline lam_tensor
lam_conv (lam_trace *t, lam_tensor x, lam_tensor w, const lam_conv_dims *d)
{
  uint64_t n = (uint64_t)d->n_spatial;
  lam_tensor operands[2];
  lam_attr attrs[9];
  operands[0] = x;
  operands[1] = w;
  lam_op_call call = lam_op_call_make (LAM_OP_convolution, operands, 2);
  attrs[0] = lam_attr_of_ints ("window_strides", d->strides, n);
  attrs[1] = lam_attr_of_ints ("padding", d->padding, 2 * n);
  attrs[2] = lam_attr_of_ints ("lhs_dilation", d->lhs_dilation, n);
  attrs[3] = lam_attr_of_ints ("rhs_dilation", d->rhs_dilation, n);
  attrs[4] = lam_attr_of_axes ("lhs_spec", &d->lhs_spec);
  attrs[5] = lam_attr_of_axes ("rhs_spec", &d->rhs_spec);
  attrs[6] = lam_attr_of_axes ("out_spec", &d->out_spec);
  attrs[7] = lam_attr_of_int ("feature_group_count", d->feature_group_count);
  attrs[8] = lam_attr_of_int ("batch_group_count", d->batch_group_count);
  call.attrs = attrs;
  call.n_attrs = 9;
  return lam_record (t, &call);
}

#ifdef __cplusplus
}
#endif
#endif
