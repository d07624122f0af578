/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ops_shape.h
 * Functions that move elements: reshape, transpose, slice, pad, concatenate, gather, scatter.
 * Included by ops.h.
 */
#ifndef LAMINA_OPS_SHAPE_H
#define LAMINA_OPS_SHAPE_H

#include <lamina/ops_base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Same elements in row-major order; one dim of shape may be -1: what is left over. */
static inline lam_tensor
lam_reshape (lam_trace *t, lam_tensor x, lam_shape shape)
{
  lam_type type = lam_type_of (t, x);
  lam_op_call call = lam_op_call_make (LAM_OP_reshape, &x, 1);
  int64_t known = 1, total = lam_type_elements (&type);
  int32_t open = -1;
  for (int32_t i = 0; i < shape.rank; i++) {
    if (shape.dims[i] == -1 && open < 0)
      open = i;
    else
      known *= shape.dims[i];
  }
  if (open >= 0 && known > 0)
    shape.dims[open] = total / known;
  type = lam_type_make (type.dtype, shape);
  call.type = &type;
  return lam_record (t, &call);
}

/** x with a new axis of size 1 before axis (-1: after the last). */
static inline lam_tensor
lam_expand_dims (lam_trace *t, lam_tensor x, int32_t axis)
{
  lam_shape shape = lam_shape_of (t, x), out = LAM_SCALAR;
  axis = lam_axis (t, axis, shape.rank + 1);
  if (axis < 0 || shape.rank >= LAM_MAX_RANK)
    return lam_nil ();
  out.rank = shape.rank + 1;
  for (int32_t i = 0; i < out.rank; i++)
    out.dims[i] = i == axis ? 1 : shape.dims[i < axis ? i : i - 1];
  return lam_reshape (t, x, out);
}

/** x without the given axes, which must have size 1. */
static inline lam_tensor
lam_squeeze (lam_trace *t, lam_tensor x, lam_axes axes)
{
  lam_shape shape = lam_shape_of (t, x), out = LAM_SCALAR;
  uint32_t gone = 0;
  for (int32_t i = 0; i < axes.rank; i++) {
    int32_t axis = lam_axis (t, axes.dims[i], shape.rank);
    gone |= axis < 0 ? 0 : 1u << axis;
  }
  for (int32_t i = 0; i < shape.rank; i++)
    if ((gone >> i & 1) == 0)
      out.dims[out.rank++] = shape.dims[i];
  return lam_reshape (t, x, out);
}

/** Result axis i is axis permutation[i] of x. */
static inline lam_tensor
lam_transpose (lam_trace *t, lam_tensor x, lam_axes permutation)
{
  lam_attr attr = lam_attr_of_axes ("permutation", &permutation);
  return lam_record_unary (t, LAM_OP_transpose, x, &attr, 1);
}

/** Reverses the order of elements along each of the axes. */
static inline lam_tensor
lam_reverse (lam_trace *t, lam_tensor x, lam_axes axes)
{
  lam_attr attr = lam_attr_of_axes ("dimensions", &axes);
  int32_t rank = lam_rank_of (t, x);
  for (int32_t i = 0; i < axes.rank; i++)
    axes.dims[i] = lam_axis (t, axes.dims[i], rank);
  return lam_record_unary (t, LAM_OP_reverse, x, &attr, 1);
}

/** Elements start, start + stride ... below limit on each axis. */
static inline lam_tensor
lam_slice_strided (lam_trace *t, lam_tensor x, lam_axes start, lam_axes limit, lam_axes strides)
{
  lam_attr attrs[3];
  attrs[0] = lam_attr_of_axes ("start_indices", &start);
  attrs[1] = lam_attr_of_axes ("limit_indices", &limit);
  attrs[2] = lam_attr_of_axes ("strides", &strides);
  return lam_record_unary (t, LAM_OP_slice, x, attrs, 3);
}

/** Elements start ... limit - 1 on each axis. */
static inline lam_tensor
lam_slice (lam_trace *t, lam_tensor x, lam_axes start, lam_axes limit)
{
  lam_attr attrs[2];
  attrs[0] = lam_attr_of_axes ("start_indices", &start);
  attrs[1] = lam_attr_of_axes ("limit_indices", &limit);
  return lam_record_unary (t, LAM_OP_slice, x, attrs, 2);
}

/** Elements start ... limit - 1 of one axis, everything on the others. */
static inline lam_tensor
lam_slice_axis (lam_trace *t, lam_tensor x, int32_t axis, int64_t start, int64_t limit)
{
  lam_shape from = lam_shape_of (t, x), to = from;
  axis = lam_axis (t, axis, from.rank);
  if (axis < 0)
    return lam_nil ();
  for (int32_t i = 0; i < from.rank; i++)
    from.dims[i] = 0;
  from.dims[axis] = start;
  to.dims[axis] = limit;
  return lam_slice (t, x, from, to);
}

/** x with low[i] before and high[i] after on each axis, filled with value; negative ones cut. */
static inline lam_tensor
lam_pad (lam_trace *t, lam_tensor x, lam_axes low, lam_axes high, double value)
{
  lam_tensor operands[2];
  lam_attr attrs[2];
  operands[0] = x;
  operands[1] = lam_scalar_like (t, x, value);
  lam_op_call call = lam_op_call_make (LAM_OP_pad, operands, 2);
  attrs[0] = lam_attr_of_axes ("edge_padding_low", &low);
  attrs[1] = lam_attr_of_axes ("edge_padding_high", &high);
  call.attrs = attrs;
  call.n_attrs = 2;
  return lam_record (t, &call);
}

/** Joins n tensors along one axis. */
static inline lam_tensor
lam_concat (lam_trace *t, const lam_tensor *xs, uint32_t n, int32_t axis)
{
  lam_op_call call = lam_op_call_make (LAM_OP_concatenate, xs, n);
  lam_attr attr =
      lam_attr_of_int ("dimension", n > 0 ? lam_axis (t, axis, lam_rank_of (t, xs[0])) : 0);
  call.attrs = &attr;
  call.n_attrs = 1;
  return lam_record (t, &call);
}

/** Counts 0, 1 ... along one axis. */
static inline lam_tensor
lam_iota (lam_trace *t, lam_dtype dtype, lam_shape shape, int32_t axis)
{
  lam_type type = lam_type_make (dtype, shape);
  lam_op_call call = lam_op_call_make (LAM_OP_iota, NULL, 0);
  lam_attr attr = lam_attr_of_int ("iota_dimension", lam_axis (t, axis, shape.rank));
  call.attrs = &attr;
  call.n_attrs = 1;
  call.type = &type;
  return lam_record (t, &call);
}

/** @name Out-of-range starts of gather and scatter */
/**@{*/
#define LAM_CLIP "clip" /**< starts are clamped */
#define LAM_FILL "fill" /**< a slice reads as 0, an update is dropped */
/**@}*/

/** Dimension numbers of a gather, named as in ops.def. */
typedef struct lam_gather_dims {
  /** see the op gather */
  lam_axes offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims;
  lam_axes start_index_map, slice_sizes; /**< see the op gather */
  int64_t index_vector_dim; /**< axis of the components; rank of the indices: one component each */
  const char *mode;         /**< LAM_CLIP or LAM_FILL */
} lam_gather_dims;

/** Slices of x at the integer starts in indices. */
static inline lam_tensor
lam_gather (lam_trace *t, lam_tensor x, lam_tensor indices, const lam_gather_dims *dims)
{
  lam_tensor operands[2];
  lam_attr attrs[8];
  operands[0] = x;
  operands[1] = indices;
  lam_op_call call = lam_op_call_make (LAM_OP_gather, operands, 2);
  attrs[0] = lam_attr_of_axes ("offset_dims", &dims->offset_dims);
  attrs[1] = lam_attr_of_axes ("collapsed_slice_dims", &dims->collapsed_slice_dims);
  attrs[2] = lam_attr_of_axes ("operand_batching_dims", &dims->operand_batching_dims);
  attrs[3] = lam_attr_of_axes ("start_indices_batching_dims", &dims->start_indices_batching_dims);
  attrs[4] = lam_attr_of_axes ("start_index_map", &dims->start_index_map);
  attrs[5] = lam_attr_of_int ("index_vector_dim", dims->index_vector_dim);
  attrs[6] = lam_attr_of_axes ("slice_sizes", &dims->slice_sizes);
  attrs[7] = lam_attr_of_str ("mode", dims->mode);
  call.attrs = attrs;
  call.n_attrs = 8;
  return lam_record (t, &call);
}

/** x[..., indices, ...] on one axis, as numpy's take: the shape of indices replaces the axis. */
static inline lam_tensor
lam_take (lam_trace *t, lam_tensor x, lam_tensor indices, int32_t axis)
{
  lam_gather_dims dims;
  lam_shape shape = lam_shape_of (t, x);
  int32_t n = lam_rank_of (t, indices);
  axis = lam_axis (t, axis, shape.rank);
  if (axis < 0)
    return lam_nil ();
  dims.offset_dims = dims.operand_batching_dims = dims.start_indices_batching_dims = LAM_NO_AXES;
  for (int32_t i = 0; i < shape.rank; i++)
    if (i != axis)
      dims.offset_dims.dims[dims.offset_dims.rank++] = i < axis ? i : i - 1 + n;
  dims.collapsed_slice_dims = dims.start_index_map = LAM_AXES (axis);
  dims.slice_sizes = shape;
  dims.slice_sizes.dims[axis] = 1;
  dims.index_vector_dim = n;
  dims.mode = LAM_CLIP;
  return lam_gather (t, x, indices, &dims);
}

/** Dimension numbers of a scatter, named as in ops.def. */
typedef struct lam_scatter_dims {
  /** see the op scatter */
  lam_axes update_window_dims, inserted_window_dims, input_batching_dims;
  lam_axes scatter_indices_batching_dims, scatter_dims_to_operand_dims; /**< see the op scatter */
  int64_t index_vector_dim; /**< axis of the components; rank of the indices: one component each */
  const char *computation;  /**< "add" "multiply" "minimum" "maximum" "update" */
  const char *mode;         /**< LAM_CLIP or LAM_FILL */
} lam_scatter_dims;

/** x with updates combined in at the integer starts in indices. */
static inline lam_tensor
lam_scatter (lam_trace *t, lam_tensor x, lam_tensor indices, lam_tensor updates,
             const lam_scatter_dims *dims)
{
  lam_tensor operands[3];
  lam_attr attrs[8];
  operands[0] = x;
  operands[1] = indices;
  operands[2] = updates;
  lam_op_call call = lam_op_call_make (LAM_OP_scatter, operands, 3);
  attrs[0] = lam_attr_of_axes ("update_window_dims", &dims->update_window_dims);
  attrs[1] = lam_attr_of_axes ("inserted_window_dims", &dims->inserted_window_dims);
  attrs[2] = lam_attr_of_axes ("input_batching_dims", &dims->input_batching_dims);
  attrs[3] =
      lam_attr_of_axes ("scatter_indices_batching_dims", &dims->scatter_indices_batching_dims);
  attrs[4] = lam_attr_of_axes ("scatter_dims_to_operand_dims", &dims->scatter_dims_to_operand_dims);
  attrs[5] = lam_attr_of_int ("index_vector_dim", dims->index_vector_dim);
  attrs[6] = lam_attr_of_str ("computation", dims->computation);
  attrs[7] = lam_attr_of_str ("mode", dims->mode);
  call.attrs = attrs;
  call.n_attrs = 8;
  return lam_record (t, &call);
}

#ifdef __cplusplus
}
#endif
#endif
