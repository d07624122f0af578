/* SPDX-License-Identifier: Apache-2.0 */
/* Short constructors over the builder, for rules and transforms. */
#include "core/op/emit.h"

#include "core/base/array.h"

#include <string.h>

static LmValue
emit (LmBuilder *b, int32_t op, const LmValue *operands, uint32_t n, const lam_attr *attrs,
      uint32_t n_attrs)
{
  LmOp o = {.op = op, .operands = operands, .n_operands = n, .attrs = attrs, .n_attrs = n_attrs};
  return lm_builder_op (b, &o);
}

/* For the rows with flag T. */
static LmValue
emit_typed (LmBuilder *b, int32_t op, LmValue x, const lam_type *type, const lam_attr *attr)
{
  LmOp o = {.op = op,
            .operands = &x,
            .n_operands = x == LM_NIL ? 0 : 1,
            .attrs = attr,
            .n_attrs = attr != NULL ? 1 : 0,
            .type = type};
  return lm_builder_op (b, &o);
}

LmValue
lm_emit_unary (LmBuilder *b, int32_t op, LmValue x)
{
  return emit (b, op, &x, 1, NULL, 0);
}

LmValue
lm_emit_binary (LmBuilder *b, int32_t op, LmValue x, LmValue y)
{
  LmValue in[] = {x, y};
  return emit (b, op, in, 2, NULL, 0);
}

/* Writes one element; every dtype is at most eight bytes. Returns its size. */
static uint64_t
encode (lam_dtype dtype, double value, int64_t whole, uint8_t out[8])
{
  float narrow = (float)value;
  uint16_t half;
  uint64_t bytes = lam_dtype_bits (dtype) / 8;
  switch (dtype) {
  case LAM_F64:
    memcpy (out, &value, sizeof value);
    break;
  case LAM_F32:
    memcpy (out, &narrow, sizeof narrow);
    break;
  case LAM_F16:
  case LAM_BF16:
    half = dtype == LAM_F16 ? lm_f32_to_f16 (narrow) : lm_f32_to_bf16 (narrow);
    memcpy (out, &half, sizeof half);
    break;
  default:
    for (uint64_t i = 0; i < bytes; i++)
      out[i] = (uint8_t)((uint64_t)whole >> (8 * i));
  }
  return bytes;
}

LmValue
lm_splat (LmBuilder *b, const lam_type *type, double value)
{
  uint8_t element[8] = {0};
  /* Whole numbers only reach integer dtypes from rules; the cast is exact for them. */
  int64_t whole = lam_dtype_is_float (type->dtype) ? 0 : (int64_t)value;
  uint64_t bytes = encode (type->dtype, value, whole, element);
  return lm_constant (b, type, element, bytes);
}

LmValue
lm_splat_int (LmBuilder *b, const lam_type *type, int64_t value)
{
  uint8_t element[8] = {0};
  uint64_t bytes = encode (type->dtype, (double)value, value, element);
  return lm_constant (b, type, element, bytes);
}

LmValue
lm_splat_like (LmBuilder *b, LmValue x, double value)
{
  lam_type type = *lm_builder_type (b, x);
  return x == LM_NIL ? LM_NIL : lm_splat (b, &type, value);
}

LmValue
lm_zeros_like (LmBuilder *b, LmValue x)
{
  return lm_splat_like (b, x, 0);
}

LmValue
lm_constant (LmBuilder *b, const lam_type *type, const void *data, uint64_t bytes)
{
  lam_attr value = lm_attr_bytes ("value", data, bytes);
  return emit_typed (b, LAM_OP_constant, LM_NIL, type, &value);
}

LmValue
lm_iota (LmBuilder *b, const lam_type *type, int64_t dimension)
{
  lam_attr attr = lm_attr_int ("iota_dimension", dimension);
  return emit_typed (b, LAM_OP_iota, LM_NIL, type, &attr);
}

LmValue
lm_mul_scalar (LmBuilder *b, LmValue x, double value)
{
  return lm_mul (b, x, lm_splat_like (b, x, value));
}

LmValue
lm_add_scalar (LmBuilder *b, LmValue x, double value)
{
  return lm_add (b, x, lm_splat_like (b, x, value));
}

LmValue
lm_broadcast (LmBuilder *b, LmValue x, const lam_type *type, const int64_t *dims, uint64_t n)
{
  lam_attr attr = lm_attr_ints ("broadcast_dimensions", dims, n);
  return emit_typed (b, LAM_OP_broadcast_in_dim, x, type, &attr);
}

LmValue
lm_broadcast_scalar (LmBuilder *b, LmValue x, const lam_type *type)
{
  return type->rank == 0 ? x : lm_broadcast (b, x, type, NULL, 0);
}

LmValue
lm_reshape (LmBuilder *b, LmValue x, int32_t rank, const int64_t *dims)
{
  if (x == LM_NIL)
    return LM_NIL;
  lam_type type = lm_type (lm_builder_type (b, x)->dtype, rank, dims);
  return emit_typed (b, LAM_OP_reshape, x, &type, NULL);
}

LmValue
lm_transpose (LmBuilder *b, LmValue x, const int64_t *permutation)
{
  lam_attr attr = lm_attr_ints ("permutation", permutation, (uint64_t)lm_builder_type (b, x)->rank);
  return emit (b, LAM_OP_transpose, &x, 1, &attr, 1);
}

LmValue
lm_reverse (LmBuilder *b, LmValue x, const int64_t *dims, uint64_t n)
{
  lam_attr attr = lm_attr_ints ("dimensions", dims, n);
  return emit (b, LAM_OP_reverse, &x, 1, &attr, 1);
}

LmValue
lm_slice (LmBuilder *b, LmValue x, const int64_t *start, const int64_t *limit,
          const int64_t *strides)
{
  uint64_t rank = (uint64_t)lm_builder_type (b, x)->rank;
  lam_attr attrs[] = {lm_attr_ints ("start_indices", start, rank),
                      lm_attr_ints ("limit_indices", limit, rank),
                      lm_attr_ints ("strides", strides, rank)};
  return emit (b, LAM_OP_slice, &x, 1, attrs, strides != NULL ? 3 : 2);
}

LmValue
lm_pad (LmBuilder *b, LmValue x, LmValue fill, const int64_t *low, const int64_t *high,
        const int64_t *interior)
{
  uint64_t rank = (uint64_t)lm_builder_type (b, x)->rank;
  LmValue in[] = {x, fill};
  lam_attr attrs[] = {lm_attr_ints ("edge_padding_low", low, rank),
                      lm_attr_ints ("edge_padding_high", high, rank),
                      lm_attr_ints ("interior_padding", interior, rank)};
  return emit (b, LAM_OP_pad, in, 2, attrs, interior != NULL ? 3 : 2);
}

LmValue
lm_concatenate (LmBuilder *b, const LmValue *xs, uint32_t n, int64_t dimension)
{
  lam_attr attr = lm_attr_int ("dimension", dimension);
  return emit (b, LAM_OP_concatenate, xs, n, &attr, 1);
}

static LmValue
retype (LmBuilder *b, int32_t op, LmValue x, lam_dtype dtype)
{
  lam_type type = *lm_builder_type (b, x);
  if (x == LM_NIL || type.dtype == dtype)
    return x;
  type.dtype = dtype;
  return emit_typed (b, op, x, &type, NULL);
}

LmValue
lm_convert (LmBuilder *b, LmValue x, lam_dtype dtype)
{
  return retype (b, LAM_OP_convert, x, dtype);
}

LmValue
lm_bitcast (LmBuilder *b, LmValue x, lam_dtype dtype)
{
  return retype (b, LAM_OP_bitcast_convert, x, dtype);
}

LmValue
lm_compare (LmBuilder *b, LmValue x, LmValue y, const char *direction)
{
  LmValue in[] = {x, y};
  lam_attr attr = lm_attr_str ("comparison_direction", direction);
  return emit (b, LAM_OP_compare, in, 2, &attr, 1);
}

LmValue
lm_select (LmBuilder *b, LmValue pred, LmValue on_true, LmValue on_false)
{
  LmValue in[] = {pred, on_true, on_false};
  return emit (b, LAM_OP_select, in, 3, NULL, 0);
}

LmValue
lm_reduce (LmBuilder *b, LmValue x, const char *computation, const int64_t *dims, uint64_t n)
{
  lam_attr attrs[] = {lm_attr_str ("computation", computation),
                      lm_attr_ints ("dimensions", dims, n)};
  return emit (b, LAM_OP_reduce, &x, 1, attrs, 2);
}

LmValue
lm_reduce_all (LmBuilder *b, LmValue x, const char *computation)
{
  static const int64_t axes[LAM_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
  return lm_reduce (b, x, computation, axes, (uint64_t)lm_builder_type (b, x)->rank);
}

LmValue
lm_dot_general (LmBuilder *b, LmValue lhs, LmValue rhs, const LmDotDims *dims)
{
  LmValue in[] = {lhs, rhs};
  lam_attr attrs[] = {
      lm_attr_ints ("lhs_batching_dimensions", dims->lhs_batch, dims->n_batch),
      lm_attr_ints ("rhs_batching_dimensions", dims->rhs_batch, dims->n_batch),
      lm_attr_ints ("lhs_contracting_dimensions", dims->lhs_contract, dims->n_contract),
      lm_attr_ints ("rhs_contracting_dimensions", dims->rhs_contract, dims->n_contract),
      lm_attr_dtype ("out_dtype", dims->out_dtype)};
  return emit (b, LAM_OP_dot_general, in, 2, attrs, dims->out_dtype != LAM_DTYPE_NONE ? 5 : 4);
}

void
lm_threefry (LmBuilder *b, LmValue k0, LmValue k1, LmValue x0, LmValue x1, LmValue y[2])
{
  LmValue in[] = {k0, k1, x0, x1};
  y[0] = emit (b, LAM_OP_threefry2x32, in, 4, NULL, 0);
  y[1] = y[0] == LM_NIL ? LM_NIL : y[0] + 1;
}
