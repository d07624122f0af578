/* SPDX-License-Identifier: Apache-2.0 */
/* Host tensors: allocation, views, element access and conversion. */
#include "core/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 64
/* More than any address space here; a request beyond it would only confuse the allocator. */
#define MAX_BYTES (INT64_C (1) << 47)

/* LmArray is the public head of this. */
typedef struct Array {
  LmArray base;
  gint refs;
  void *owner; /* of the data; NULL: ours */
  GDestroyNotify destroy;
} Array;

static Array *
array_alloc (const lam_type *type, int64_t bytes)
{
  Array *array = g_new0 (Array, 1);

  array->base.type = *type;
  array->base.bytes = bytes;
  array->refs = 1;
  return array;
}

LmArray *
lm_array_new (const lam_type *type, GError **error)
{
  g_autofree char *text = NULL;
  int64_t bytes;
  Array *array;
  void *data = NULL;

  text = lm_type_to_string (type);
  if (lam_dtype_bits (type->dtype) == 0 || !lm_type_checked_bytes (type, NULL, &bytes)) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "cannot make an array %s: unknown dtype, negative dimension, rank above %d, or "
                 "more bytes than 64 bits count",
                 text, LAM_MAX_RANK);
    return NULL;
  }
  /* aligned_alloc wants a multiple of the alignment; empty arrays get a real pointer too. */
  if (bytes <= MAX_BYTES)
    data = aligned_alloc (ALIGN, ((size_t)MAX (bytes, 1) + ALIGN - 1) / ALIGN * ALIGN);
  if (data == NULL) {
    g_set_error (error, LM_ERROR, LM_ERROR_NO_MEMORY,
                 "no memory for an array %s (%" G_GINT64_FORMAT " bytes); use a smaller batch or "
                 "model, or a machine with more memory",
                 text, bytes);
    return NULL;
  }
  memset (data, 0, (size_t)bytes);
  array = array_alloc (type, bytes);
  array->base.data = data;
  return &array->base;
}

LmArray *
lm_array_new_copy (const lam_type *type, const void *data, GError **error)
{
  LmArray *array = lm_array_new (type, error);

  if (array != NULL && array->bytes > 0)
    memcpy (array->data, data, (size_t)array->bytes);
  return array;
}

LmArray *
lm_array_new_view (const lam_type *type, const void *data, void *owner, GDestroyNotify destroy)
{
  int64_t bytes;
  Array *array;

  g_return_val_if_fail (lm_type_checked_bytes (type, NULL, &bytes), NULL);
  array = array_alloc (type, bytes);
  array->base.data = (void *)(uintptr_t)data;
  array->base.read_only = true;
  array->owner = owner;
  array->destroy = destroy;
  return &array->base;
}

LmArray *
lm_array_ref (LmArray *array)
{
  g_atomic_int_inc (&((Array *)array)->refs);
  return array;
}

void
lm_array_unref (LmArray *array)
{
  Array *self = (Array *)array;

  if (self == NULL || !g_atomic_int_dec_and_test (&self->refs))
    return;
  if (!self->base.read_only)
    free (self->base.data);
  else if (self->destroy != NULL)
    self->destroy (self->owner);
  g_free (self);
}

/* The bits of element i, zero-extended; memcpy, as a view may be less aligned than its dtype. */
static uint64_t
load_bits (lam_dtype dtype, const void *p, int64_t i)
{
  size_t bytes = lam_dtype_bits (dtype) / 8;
  uint64_t bits = 0;

  memcpy (&bits, (const char *)p + (size_t)i * bytes, bytes);
  return bits;
}

static double
load_float (lam_dtype dtype, const void *p, int64_t i)
{
  uint64_t bits = load_bits (dtype, p, i);
  uint32_t low = (uint32_t)bits;
  double d;
  float f;

  switch (dtype) {
  case LAM_F64:
    memcpy (&d, &bits, sizeof d);
    return d;
  case LAM_F32:
    memcpy (&f, &low, sizeof f);
    return (double)f;
  case LAM_F16:
    return (double)lm_f16_to_f32 ((uint16_t)bits);
  default:
    return (double)lm_bf16_to_f32 ((uint16_t)bits);
  }
}

/* Two's complement bits of an integer or bool, extended to 64 by its own sign. */
static int64_t
load_int (lam_dtype dtype, const void *p, int64_t i)
{
  uint64_t bits = load_bits (dtype, p, i);

  switch (dtype) {
  case LAM_I32:
    return (int32_t)(uint32_t)bits;
  case LAM_I16:
    return (int16_t)(uint16_t)bits;
  case LAM_I8:
    return (int8_t)(uint8_t)bits;
  case LAM_PRED:
    return bits != 0;
  default:
    return (int64_t)bits;
  }
}

/* Truncates and saturates; NaN gives 0. The bounds are powers of two, so exact. */
static int64_t
float_to_int (double x, lam_dtype dtype)
{
  bool is_signed = lam_dtype_is_signed (dtype);
  int bits = (int)lam_dtype_bits (dtype) - (is_signed ? 1 : 0);
  double limit = ldexp (1, bits); /* first value too large */

  if (isnan (x))
    return 0;
  if (x >= limit)
    return is_signed ? (int64_t)((UINT64_C (1) << bits) - 1) : (int64_t)(UINT64_MAX >> (64 - bits));
  if (!is_signed)
    return x <= 0 ? 0 : (int64_t)(uint64_t)x;
  if (x < -limit)
    return (int64_t)(~UINT64_C (0) << bits);
  return (int64_t)x;
}

double
lm_array_get_double (const LmArray *array, int64_t i)
{
  lam_dtype dtype = array->type.dtype;
  int64_t x;

  if (lam_dtype_is_float (dtype))
    return load_float (dtype, array->data, i);
  x = load_int (dtype, array->data, i);
  return dtype == LAM_U64 ? (double)(uint64_t)x : (double)x;
}

int64_t
lm_array_get_int (const LmArray *array, int64_t i)
{
  lam_dtype dtype = array->type.dtype;

  if (lam_dtype_is_float (dtype))
    return float_to_int (load_float (dtype, array->data, i), LAM_I64);
  return load_int (dtype, array->data, i);
}

static void
store_int (lam_dtype dtype, void *p, int64_t i, int64_t x)
{
  size_t bytes = lam_dtype_bits (dtype) / 8;

  memcpy ((char *)p + (size_t)i * bytes, &x, bytes); /* little-endian: low bytes wrap */
}

/* f32 that keeps what a second rounding to 16 bits needs: truncated, last bit set if inexact. */
static float
to_odd_float (double x)
{
  float f = (float)x;
  uint32_t u;

  if ((double)f == x || isnan (x))
    return f;
  if (fabs ((double)f) > fabs (x))
    f = nextafterf (f, 0);
  memcpy (&u, &f, sizeof u);
  u |= 1u;
  memcpy (&f, &u, sizeof f);
  return f;
}

/* Likewise: 53 bits of an integer, the last one set if bits below are lost. */
static double
to_odd_double (int64_t x, bool is_unsigned)
{
  uint64_t magnitude = !is_unsigned && x < 0 ? -(uint64_t)x : (uint64_t)x;
  double d;

  if (magnitude >> 53 != 0 && (magnitude & 0x7ff) != 0)
    magnitude = (magnitude & ~UINT64_C (0x7ff)) | 0x800;
  d = (double)magnitude;
  return !is_unsigned && x < 0 ? -d : d;
}

static void
store_float (lam_dtype dtype, void *p, int64_t i, double x)
{
  float f = (float)x;
  uint16_t h;

  switch (dtype) {
  case LAM_F64:
    memcpy ((double *)p + i, &x, sizeof x);
    return;
  case LAM_F32:
    memcpy ((float *)p + i, &f, sizeof f);
    return;
  case LAM_F16:
    h = lm_f32_to_f16 (to_odd_float (x));
    break;
  default:
    h = lm_f32_to_bf16 (to_odd_float (x));
    break;
  }
  memcpy ((uint16_t *)p + i, &h, sizeof h);
}

void
lm_array_set_double (LmArray *array, int64_t i, double x)
{
  g_return_if_fail (lam_dtype_is_float (array->type.dtype));
  store_float (array->type.dtype, array->data, i, x);
}

static void
convert_float (const LmArray *from, LmArray *to, int64_t n)
{
  lam_dtype dtype = to->type.dtype;

  for (int64_t i = 0; i < n; i++) {
    double x = load_float (from->type.dtype, from->data, i);
    if (lam_dtype_is_float (dtype))
      store_float (dtype, to->data, i, x);
    else if (dtype == LAM_PRED)
      store_int (dtype, to->data, i, x != 0);
    else
      store_int (dtype, to->data, i, float_to_int (x, dtype));
  }
}

static void
convert_int (const LmArray *from, LmArray *to, int64_t n)
{
  bool is_u64 = from->type.dtype == LAM_U64;
  lam_dtype dtype = to->type.dtype;

  for (int64_t i = 0; i < n; i++) {
    int64_t x = load_int (from->type.dtype, from->data, i);
    if (dtype == LAM_F64) {
      double d = is_u64 ? (double)(uint64_t)x : (double)x;
      store_float (dtype, to->data, i, d);
    } else if (lam_dtype_is_float (dtype)) {
      store_float (dtype, to->data, i, to_odd_double (x, is_u64));
    } else {
      store_int (dtype, to->data, i, dtype == LAM_PRED ? x != 0 : x);
    }
  }
}

LmArray *
lm_array_convert (const LmArray *array, lam_dtype dtype, GError **error)
{
  lam_type type = array->type;
  int64_t n;
  LmArray *result;

  type.dtype = dtype;
  result = lm_array_new (&type, error);
  if (result == NULL)
    return NULL;
  lm_type_checked_bytes (&array->type, &n, NULL);
  if (lam_dtype_is_float (array->type.dtype))
    convert_float (array, result, n);
  else
    convert_int (array, result, n);
  return result;
}
