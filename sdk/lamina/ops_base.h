/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ops_base.h
 * What the inline functions over the op table share: recording, types, scalars, broadcasting, axes.
 * Included by ops.h.
 *
 * Rules of all functions in ops_*.h: [trace]; after an error, or with a nil operand, they record
 * nothing and give nil (a nil result of one call may be handed to the next); negative axes count
 * from the end; the core's type rule writes the message of a wrong shape or dtype.
 */
#ifndef LAMINA_OPS_BASE_H
#define LAMINA_OPS_BASE_H

#include <lamina/setup.h>
#include <lamina/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Axes of a tensor, or any short list of integers; made by LAM_AXES. rank is their number. */
typedef lam_shape lam_axes;

/** 1 to 8 axes: LAM_AXES (-1), LAM_AXES (0, 1, 2). */
#define LAM_AXES(...) LAM_SHAPE (__VA_ARGS__)
/** No axes. */
#define LAM_NO_AXES LAM_SCALAR
/** Every axis of whatever tensor it is used with. */
#define LAM_EVERY_AXIS lam_shape_make (-1, 0, 0, 0, 0, 0, 0, 0, 0)

/** False once the trace has an error. */
static inline bool
lam_is_ok (lam_trace *t)
{
  return t->api->ok (t);
}

/** Sets the sticky error: say what was wanted, what was got, and what to do. */
static inline void
lam_fail (lam_trace *t, const char *message)
{
  t->api->fail (t, LAM_E_INVALID, message);
}

/** True if x has this shape, where -1 stands for any size; else the sticky error says `what` ("conv2d
 * input (B, H, W, C)"), the shape wanted and the type got. */
static inline bool
lam_check_shape (lam_trace *t, const char *what, lam_tensor x, lam_shape wanted)
{
  lam_type type;
  bool fits = t->api->type_of (t, x, &type) && type.rank == wanted.rank;
  for (int32_t i = 0; fits && i < type.rank; i++)
    fits = wanted.dims[i] < 0 || wanted.dims[i] == type.dims[i];
  if (!fits)
    t->api->fail_shape (t, what, &wanted, x);
  return fits;
}

/** Type of x; dtype LAM_DTYPE_NONE and rank 0 for nil or after an error. */
static inline lam_type
lam_type_of (lam_trace *t, lam_tensor x)
{
  lam_type type;
  t->api->type_of (t, x, &type);
  return type;
}

/** dtype of x; LAM_DTYPE_NONE for nil or after an error. */
static inline lam_dtype
lam_dtype_of (lam_trace *t, lam_tensor x)
{
  return lam_type_of (t, x).dtype;
}

/** Number of axes of x; 0 for nil or after an error. */
static inline int32_t
lam_rank_of (lam_trace *t, lam_tensor x)
{
  return lam_type_of (t, x).rank;
}

/** Shape of x; LAM_SCALAR for nil or after an error. */
static inline lam_shape
lam_shape_of (lam_trace *t, lam_tensor x)
{
  lam_type type = lam_type_of (t, x);
  lam_shape shape = LAM_SCALAR;
  shape.rank = type.rank;
  for (int32_t i = 0; i < type.rank; i++)
    shape.dims[i] = type.dims[i];
  return shape;
}

/** A type of this dtype and shape; the dims behind the rank are 0. */
static inline lam_type
lam_type_make (lam_dtype dtype, lam_shape shape)
{
  lam_type type;
  type.dtype = dtype;
  type.rank = shape.rank;
  for (int32_t i = 0; i < LAM_MAX_RANK; i++)
    type.dims[i] = i < shape.rank ? shape.dims[i] : 0;
  return type;
}

/** Axis counted from the front; -1 and a sticky error if the tensor has no such axis. */
static inline int32_t
lam_axis (lam_trace *t, int64_t axis, int32_t rank)
{
  if (axis >= -(int64_t)rank && axis < rank)
    return (int32_t)(axis < 0 ? axis + rank : axis);
  if (lam_is_ok (t))
    lam_fail (t, "an axis is outside the rank of its tensor (negative axes count from the end)");
  return -1;
}

/** @name Attributes of an op; what they point to must live until it is recorded */
/**@{*/
/** An attribute without a value; the others fill it. */
static inline lam_attr
lam_attr_make (const char *key, int32_t kind)
{
  lam_attr a;
  a.key = key;
  a.kind = kind;
  a.flags = 0;
  a.i = 0;
  a.f = 0;
  a.data = NULL;
  a.n = 0;
  return a;
}

/** An integer attribute. */
static inline lam_attr
lam_attr_of_int (const char *key, int64_t value)
{
  lam_attr a = lam_attr_make (key, LAM_ATTR_INT);
  a.i = value;
  return a;
}

/** A dtype as an attribute. */
static inline lam_attr
lam_attr_of_dtype (const char *key, lam_dtype value)
{
  lam_attr a = lam_attr_make (key, LAM_ATTR_DTYPE);
  a.i = value;
  return a;
}

/** A list of n integers; n 0 is an empty list, not the default. */
static inline lam_attr
lam_attr_of_ints (const char *key, const int64_t *values, uint64_t n)
{
  lam_attr a = lam_attr_make (key, LAM_ATTR_INTS);
  a.data = values;
  a.n = n;
  return a;
}

/** The dims of a lam_axes as a list of integers. */
static inline lam_attr
lam_attr_of_axes (const char *key, const lam_axes *axes)
{
  return lam_attr_of_ints (key, axes->dims, (uint64_t)axes->rank);
}

/** text ends with a NUL. */
static inline lam_attr
lam_attr_of_str (const char *key, const char *text)
{
  lam_attr a = lam_attr_make (key, LAM_ATTR_STR);
  a.data = text;
  while (text[a.n] != '\0')
    a.n++;
  return a;
}

/** n bytes: elements in memory order, little-endian. */
static inline lam_attr
lam_attr_of_bytes (const char *key, const void *bytes, uint64_t n)
{
  lam_attr a = lam_attr_make (key, LAM_ATTR_BYTES);
  a.data = bytes;
  a.n = n;
  return a;
}
/**@}*/

/** A call of op with one result, without attributes or stated type: fill those in. */
static inline lam_op_call
lam_op_call_make (int32_t op, const lam_tensor *operands, uint32_t n_operands)
{
  lam_op_call call;
  call.struct_size = (uint32_t)sizeof call;
  call.op = op;
  call.n_operands = n_operands;
  call.n_attrs = 0;
  call.n_results = 1;
  call.reserved = 0;
  call.operands = operands;
  call.attrs = NULL;
  call.type = NULL;
  call.results = NULL;
  return call;
}

/** Records a call that has one result and gives it. */
static inline lam_tensor
lam_record (lam_trace *t, lam_op_call *call)
{
  lam_tensor result = lam_nil ();
  call->results = &result;
  t->api->op (t, call);
  return result;
}

/** Records an op of one operand with attributes and, where the row has flag T, a result type. */
static inline lam_tensor
lam_record_unary (lam_trace *t, int32_t op, lam_tensor x, const lam_attr *attrs, uint32_t n_attrs)
{
  lam_op_call call = lam_op_call_make (op, &x, 1);
  call.attrs = attrs;
  call.n_attrs = n_attrs;
  return lam_record (t, &call);
}

/** Bits of v in a float format of e exponent and m fraction bits, rounded to nearest even. */
static inline uint64_t
lam_narrow_bits (double v, int e, int m)
{
  uint64_t u, full, rest, half, q;
  __builtin_memcpy (&u, &v, sizeof u);
  uint64_t sign = (u >> 63) << (e + m), fraction = u & ((UINT64_C (1) << 52) - 1);
  int bias = (1 << (e - 1)) - 1, top = 2 * bias + 1, wide = (int)(u >> 52 & 0x7ff);
  int exponent = wide - 1023 + bias, shift = 52 - m;
  if (wide == 0x7ff && fraction != 0)
    return sign | (uint64_t)top << m | UINT64_C (1) << (m - 1);
  if (exponent >= top)
    return sign | (uint64_t)top << m;
  full = fraction;
  if (exponent <= 0) {
    full |= UINT64_C (1) << 52;
    shift += 1 - exponent;
    exponent = 0;
  }
  if (shift >= 54)
    return sign;
  q = ((uint64_t)exponent << m) + (full >> shift);
  rest = full & ((UINT64_C (1) << shift) - 1);
  half = UINT64_C (1) << (shift - 1);
  return sign | (q + (rest > half || (rest == half && (q & 1) != 0)));
}

/** The bits of a number as an element of dtype, in the low end: rounded to nearest even (floats),
 * truncated (integers), v != 0 (bool). */
static inline uint64_t
lam_dtype_encode (lam_dtype dtype, double v)
{
  uint64_t u;
  switch (dtype) {
  case LAM_F64:
    __builtin_memcpy (&u, &v, sizeof u);
    return u;
  case LAM_F32:
    return lam_narrow_bits (v, 8, 23);
  case LAM_F16:
    return lam_narrow_bits (v, 5, 10);
  case LAM_BF16:
    return lam_narrow_bits (v, 8, 7);
  case LAM_PRED:
    return v != 0;
  default:
    return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
  }
}

/** Records a constant: `n` bytes of elements, one element or all of them. */
static inline lam_tensor
lam_record_constant (lam_trace *t, const lam_type *type, const void *bytes, uint64_t n)
{
  lam_op_call call = lam_op_call_make (LAM_OP_constant, NULL, 0);
  lam_attr value = lam_attr_of_bytes ("value", bytes, n);
  call.attrs = &value;
  call.n_attrs = 1;
  call.type = type;
  return lam_record (t, &call);
}

/** A tensor whose elements all have the given bits. */
static inline lam_tensor
lam_full_bits (lam_trace *t, lam_dtype dtype, lam_shape shape, uint64_t bits)
{
  lam_type type = lam_type_make (dtype, shape);
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++)
    bytes[i] = (unsigned char)(bits >> (8 * i));
  return lam_record_constant (t, &type, bytes, lam_dtype_bits (dtype) / 8);
}

/** A tensor whose elements are all v, rounded to dtype. */
static inline lam_tensor
lam_full (lam_trace *t, lam_dtype dtype, lam_shape shape, double v)
{
  return lam_full_bits (t, dtype, shape, lam_dtype_encode (dtype, v));
}

/** A tensor of rank 0. */
static inline lam_tensor
lam_scalar (lam_trace *t, lam_dtype dtype, double v)
{
  return lam_full (t, dtype, LAM_SCALAR, v);
}

/** A scalar of x's dtype; nil if x is nil. */
static inline lam_tensor
lam_scalar_like (lam_trace *t, lam_tensor x, double v)
{
  lam_dtype dtype = lam_dtype_of (t, x);
  return dtype == LAM_DTYPE_NONE ? lam_nil () : lam_scalar (t, dtype, v);
}

/** A tensor of x's shape and dtype, all elements v. */
static inline lam_tensor
lam_full_like (lam_trace *t, lam_tensor x, double v)
{
  lam_type type = lam_type_of (t, x);
  return type.dtype == LAM_DTYPE_NONE ? lam_nil ()
                                      : lam_full (t, type.dtype, lam_shape_of (t, x), v);
}

/** Zeros (false) of the shape and dtype of x; nil if x is nil. */
static inline lam_tensor
lam_zeros_like (lam_trace *t, lam_tensor x)
{
  return lam_full_like (t, x, 0);
}

/** The given elements, dense row-major, little-endian; as many as shape has. Copied. */
static inline lam_tensor
lam_constant (lam_trace *t, lam_dtype dtype, lam_shape shape, const void *data)
{
  lam_type type = lam_type_make (dtype, shape);
  return lam_record_constant (t, &type, data, (uint64_t)lam_type_bytes (&type));
}

/** Axis i of x becomes axis axes[i] of a tensor of the given shape (strictly increasing). */
static inline lam_tensor
lam_broadcast_in_dim (lam_trace *t, lam_tensor x, lam_shape shape, lam_axes axes)
{
  lam_type type = lam_type_make (lam_dtype_of (t, x), shape);
  lam_op_call call = lam_op_call_make (LAM_OP_broadcast_in_dim, &x, 1);
  lam_attr dims = lam_attr_of_axes ("broadcast_dimensions", &axes);
  call.attrs = &dims;
  call.n_attrs = 1;
  call.type = &type;
  return lam_record (t, &call);
}

/** x stretched to a shape as in numpy: axes are matched from the last; size 1 stretches. */
static inline lam_tensor
lam_broadcast_to (lam_trace *t, lam_tensor x, lam_shape shape)
{
  lam_type type = lam_type_of (t, x);
  lam_axes axes = LAM_NO_AXES;
  bool same = type.rank == shape.rank;
  for (int32_t i = 0; same && i < shape.rank; i++)
    same = type.dims[i] == shape.dims[i];
  if (same)
    return x;
  if (type.rank > shape.rank) {
    lam_fail (t, "lam_broadcast_to: the tensor has more axes than the wanted shape");
    return lam_nil ();
  }
  axes.rank = type.rank;
  for (int32_t i = 0; i < type.rank; i++)
    axes.dims[i] = shape.rank - type.rank + i;
  return lam_broadcast_in_dim (t, x, shape, axes);
}

/** Shape that a and b broadcast to; false where numpy would refuse. */
static inline bool
lam_broadcast_shape (lam_shape a, lam_shape b, lam_shape *out)
{
  const lam_shape *wide = a.rank >= b.rank ? &a : &b, *narrow = a.rank >= b.rank ? &b : &a;
  *out = *wide;
  for (int32_t i = 1; i <= narrow->rank; i++) {
    int64_t m = wide->dims[wide->rank - i], n = narrow->dims[narrow->rank - i];
    if (m != n && m != 1 && n != 1)
      return false;
    out->dims[wide->rank - i] = m == 1 ? n : m;
  }
  return true;
}

/** Records an elementwise op of two operands, both stretched to their common shape. Shapes that do
 * not fit are recorded as they are: the op's type rule reports them. */
static inline lam_tensor
lam_record_binary (lam_trace *t, int32_t op, lam_tensor a, lam_tensor b, const lam_attr *attr)
{
  lam_tensor operands[2];
  lam_shape shape;
  operands[0] = a;
  operands[1] = b;
  lam_op_call call = lam_op_call_make (op, operands, 2);
  if (lam_broadcast_shape (lam_shape_of (t, a), lam_shape_of (t, b), &shape)) {
    operands[0] = lam_broadcast_to (t, a, shape);
    operands[1] = lam_broadcast_to (t, b, shape);
  }
  call.attrs = attr;
  call.n_attrs = attr != NULL;
  return lam_record (t, &call);
}

#ifdef __cplusplus
}
#endif
#endif
