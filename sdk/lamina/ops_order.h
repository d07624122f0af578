/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ops_order.h
 * Functions over the order of elements and over places known only at run time: dynamic slices, running
 * sums, sorting, the largest k, rounding to fewer bits. Included by ops.h. They record rows of IR
 * minor 1: a plugin that calls one needs a host of at least that minor.
 */
#ifndef LAMINA_OPS_ORDER_H
#define LAMINA_OPS_ORDER_H

#include <lamina/ops_base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** sizes elements of x from the starts on. starts: one scalar for each axis of x, integers of one
 * dtype; they are clamped so that the slice fits, a negative one is 0. */
static inline lam_tensor
lam_dynamic_slice (lam_trace *t, lam_tensor x, const lam_tensor *starts, lam_axes sizes)
{
  lam_tensor operands[1 + LAM_MAX_RANK];
  lam_attr attr = lam_attr_of_axes ("slice_sizes", &sizes);
  uint32_t n = 0;
  operands[n++] = x;
  for (int32_t i = 0; i < lam_rank_of (t, x); i++)
    operands[n++] = starts[i];
  lam_op_call call = lam_op_call_make (LAM_OP_dynamic_slice, operands, n);
  call.attrs = &attr;
  call.n_attrs = 1;
  return lam_record (t, &call);
}

/** x with update written over it from the starts on (as lam_dynamic_slice). A backend may do it in
 * place where x is not read again: how a cache of keys and values grows. */
static inline lam_tensor
lam_dynamic_update_slice (lam_trace *t, lam_tensor x, lam_tensor update, const lam_tensor *starts)
{
  lam_tensor operands[2 + LAM_MAX_RANK];
  uint32_t n = 0;
  operands[n++] = x;
  operands[n++] = update;
  for (int32_t i = 0; i < lam_rank_of (t, x); i++)
    operands[n++] = starts[i];
  lam_op_call call = lam_op_call_make (LAM_OP_dynamic_update_slice, operands, n);
  return lam_record (t, &call);
}

/** Running sums along axis: element i is the sum of elements 0 to i; reverse: of those from i to the
 * last; exclusive: without element i itself. */
static inline lam_tensor
lam_cumsum (lam_trace *t, lam_tensor x, int32_t axis, bool reverse, bool exclusive)
{
  lam_attr attrs[3];
  attrs[0] = lam_attr_of_int ("dimension", lam_axis (t, axis, lam_rank_of (t, x)));
  attrs[1] = lam_attr_of_int ("reverse", reverse);
  attrs[2] = lam_attr_of_int ("exclusive", exclusive);
  return lam_record_unary (t, LAM_OP_cumsum, x, attrs, 3);
}

/** Moves n tensors of one shape alike along axis, so that the first ascends there; where it is equal
 * the second, and so on for num_keys of them. Stable; NaN of either sign is last, -0 equals 0. out
 * has room for n tensors and is not xs. */
static inline void
lam_sort_with (lam_trace *t, const lam_tensor *xs, uint32_t n, int32_t axis, uint32_t num_keys,
               lam_tensor *out)
{
  lam_op_call call = lam_op_call_make (LAM_OP_sort, xs, n);
  lam_attr attrs[3];
  attrs[0] = lam_attr_of_int ("dimension", n > 0 ? lam_axis (t, axis, lam_rank_of (t, xs[0])) : 0);
  attrs[1] = lam_attr_of_int ("num_keys", num_keys);
  attrs[2] = lam_attr_of_int ("is_stable", 1);
  call.attrs = attrs;
  call.n_attrs = 3;
  call.n_results = n;
  call.results = out;
  t->api->op (t, &call);
}

/** x in ascending order along axis; NaN last. */
static inline lam_tensor
lam_sort (lam_trace *t, lam_tensor x, int32_t axis)
{
  lam_tensor y = lam_nil ();
  lam_sort_with (t, &x, 1, axis, 1, &y);
  return y;
}

/** i32 places of x's elements in ascending order along axis, as numpy's stable argsort. */
static inline lam_tensor
lam_argsort (lam_trace *t, lam_tensor x, int32_t axis)
{
  lam_tensor in[2], out[2];
  lam_type type = lam_type_make (LAM_I32, lam_shape_of (t, x));
  lam_op_call call = lam_op_call_make (LAM_OP_iota, NULL, 0);
  lam_attr attr = lam_attr_of_int ("iota_dimension", lam_axis (t, axis, type.rank));
  call.attrs = &attr;
  call.n_attrs = 1;
  call.type = &type;
  in[0] = x;
  in[1] = lam_record (t, &call);
  lam_sort_with (t, in, 2, axis, 1, out);
  return out[1];
}

/** The k largest elements along the last axis, in descending order, into out_values, and their i32
 * places there into out_indices. Of equal ones the first comes first; NaN is above infinity. */
static inline void
lam_top_k (lam_trace *t, lam_tensor x, int64_t k, lam_tensor *out_values, lam_tensor *out_indices)
{
  lam_tensor results[2];
  lam_op_call call = lam_op_call_make (LAM_OP_top_k, &x, 1);
  lam_attr attr = lam_attr_of_int ("k", k);
  call.attrs = &attr;
  call.n_attrs = 1;
  call.n_results = 2;
  call.results = results;
  t->api->op (t, &call);
  *out_values = results[0];
  *out_indices = results[1];
}

/** x rounded to a float of so many exponent and fraction bits, in its own dtype: (8, 7) is bf16,
 * (5, 10) f16 without its subnormals. No backend keeps the result wider. */
static inline lam_tensor
lam_reduce_precision (lam_trace *t, lam_tensor x, int32_t exponent_bits, int32_t mantissa_bits)
{
  lam_attr attrs[2];
  attrs[0] = lam_attr_of_int ("exponent_bits", exponent_bits);
  attrs[1] = lam_attr_of_int ("mantissa_bits", mantissa_bits);
  return lam_record_unary (t, LAM_OP_reduce_precision, x, attrs, 2);
}

#ifdef __cplusplus
}
#endif
#endif
