/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file random.h
 * Random numbers from a key, bit for bit as jax.random makes them from the same bits. Included by
 * context.h. All: [trace], errors sticky. Shapes as LAM_SHAPE (...); dtype a float.
 */
#ifndef LAMINA_RANDOM_H
#define LAMINA_RANDOM_H

#include <lamina/ops_math.h>

#ifdef __cplusplus
extern "C" {
#endif

/** n new keys into out; key itself must not be used again. */
static inline void
lam_split (lam_trace *t, lam_key key, uint32_t n, lam_key *out)
{
  t->api->split (t, key, n, out);
}

/** A key made from key and a u32 scalar. */
static inline lam_key
lam_fold_in (lam_trace *t, lam_key key, lam_tensor data)
{
  return t->api->fold_in (t, key, data);
}

/** Uniform bits; width 8, 16, 32 or 64: the dtype is u8 ... u64. */
static inline lam_tensor
lam_random_bits (lam_trace *t, lam_key key, uint32_t width, lam_shape shape)
{
  return t->api->random_bits (t, key, width, &shape);
}

/** How a float dtype is laid out, and how many random bits JAX draws for it. */
typedef struct lam_float_layout {
  lam_dtype bits_dtype;            /**< unsigned, as wide */
  uint32_t width, fraction, drawn; /**< bits: of an element, of its fraction, drawn for it */
  uint64_t one;                    /**< bits of 1.0 */
} lam_float_layout;

/** Layout of a float dtype. */
static inline lam_float_layout
lam_float_layout_of (lam_dtype dtype)
{
  lam_float_layout f;
  f.width = lam_dtype_bits (dtype);
  f.bits_dtype = f.width == 64 ? LAM_U64 : f.width == 32 ? LAM_U32 : LAM_U16;
  f.fraction = dtype == LAM_F64 ? 52 : dtype == LAM_F32 ? 23 : dtype == LAM_F16 ? 10 : 7;
  f.drawn = f.fraction < 8 ? 8 : f.width;
  f.one = lam_dtype_encode (dtype, 1.0);
  return f;
}

/** U [0, 1): random bits as the fraction of a number in [1, 2), minus 1. */
static inline lam_tensor
lam_uniform (lam_trace *t, lam_key key, lam_shape shape, lam_dtype dtype)
{
  lam_float_layout f = lam_float_layout_of (dtype);
  lam_tensor bits, shift;
  if (!lam_dtype_is_float (dtype)) {
    lam_fail (t, "random numbers want a float dtype; draw lam_random_bits for integers");
    return lam_nil ();
  }
  bits = lam_cast (t, lam_random_bits (t, key, f.drawn, shape), f.bits_dtype);
  shift = lam_full_bits (t, f.bits_dtype, LAM_SCALAR, f.drawn - f.fraction);
  bits = lam_shift_right_logical (t, bits, shift);
  bits = lam_or (t, bits, lam_full_bits (t, f.bits_dtype, LAM_SCALAR, f.one));
  return lam_sub_scalar (t, lam_bitcast (t, bits, dtype), 1);
}

/* a + b rounded to nearest, f64; *rest is what the rounding took (Knuth's TwoSum: exact). */
static inline lam_tensor
lam_two_sum_ (lam_trace *t, lam_tensor a, lam_tensor b, lam_tensor *rest)
{
  lam_tensor sum = lam_add (t, a, b), part = lam_sub (t, sum, a);
  *rest = lam_add (t, lam_sub (t, a, lam_sub (t, sum, part)), lam_sub (t, b, part));
  return sum;
}

/* a + b rounded to odd, f64: where inexact, the neighbour whose last bit is 1. A later rounding to
 * nearest is then that of the exact sum (Boldo and Melquiond, 2008). */
static inline lam_tensor
lam_add_odd_ (lam_trace *t, lam_tensor a, lam_tensor b)
{
  lam_tensor rest, sum = lam_two_sum_ (t, a, b, &rest), zero = lam_scalar (t, LAM_F64, 0);
  lam_tensor bits = lam_bitcast (t, sum, LAM_U64), one = lam_full_bits (t, LAM_U64, LAM_SCALAR, 1);
  lam_tensor away = lam_eq (t, lam_gt (t, rest, zero), lam_gt (t, sum, zero));
  lam_tensor next = lam_where (t, away, lam_add (t, bits, one), lam_sub (t, bits, one));
  lam_tensor even = lam_eq (t, lam_and (t, bits, one), lam_sub (t, one, one));
  lam_tensor moves = lam_and (t, even, lam_ne (t, rest, zero));
  return lam_bitcast (t, lam_where (t, moves, next, bits), LAM_F64);
}

/* The upper half of the digits of x, f64 (Veltkamp); |x| < 2^995. */
static inline lam_tensor
lam_upper_half_ (lam_trace *t, lam_tensor x)
{
  lam_tensor y = lam_mul_scalar (t, x, 134217729.0);
  return lam_sub (t, y, lam_sub (t, y, x));
}

/* x y + z in one rounding, f64: Dekker's exact product, then Boldo and Melquiond's sum. */
static inline lam_tensor
lam_fma_f64_ (lam_trace *t, lam_tensor x, lam_tensor y, lam_tensor z)
{
  lam_tensor product = lam_mul (t, x, y), x1 = lam_upper_half_ (t, x), y1 = lam_upper_half_ (t, y);
  lam_tensor x0 = lam_sub (t, x, x1), y0 = lam_sub (t, y, y1), low, sum, rest;
  low = lam_sub (t, lam_mul (t, x1, y1), product);
  low = lam_add (t, lam_add (t, low, lam_mul (t, x1, y0)), lam_mul (t, x0, y1));
  low = lam_add (t, low, lam_mul (t, x0, y0));
  low = lam_two_sum_ (t, z, low, &rest);
  sum = lam_two_sum_ (t, product, low, &low);
  return lam_add (t, sum, lam_add_odd_ (t, rest, low));
}

/* x y + z in one rounding; 16-bit floats: in two, as XLA. */
static inline lam_tensor
lam_fma_ (lam_trace *t, lam_tensor x, lam_tensor y, lam_tensor z)
{
  lam_dtype dtype = lam_dtype_of (t, x);
  if (dtype == LAM_F64)
    return lam_fma_f64_ (t, x, y, z);
  if (dtype != LAM_F32)
    return lam_add (t, lam_mul (t, x, y), z);
  x = lam_mul (t, lam_cast (t, x, LAM_F64), lam_cast (t, y, LAM_F64)); /* exact: 48 of 53 bits */
  return lam_cast (t, lam_add_odd_ (t, x, lam_cast (t, z, LAM_F64)), dtype);
}

/* fma (u, high - low, low), at least low, as XLA contracts what JAX writes; low and high are scalars
 * of the result's dtype. */
static inline lam_tensor
lam_uniform_between_ (lam_trace *t, lam_key key, lam_shape shape, lam_tensor low, lam_tensor high)
{
  lam_tensor u = lam_uniform (t, key, shape, lam_dtype_of (t, low));
  return lam_max (t, low, lam_fma_ (t, u, lam_sub (t, high, low), low));
}

/** U [low, high). */
static inline lam_tensor
lam_uniform_range (lam_trace *t, lam_key key, lam_shape shape, lam_dtype dtype,
                   const double range[2])
{
  lam_tensor low = lam_scalar (t, dtype, range[0]), high = lam_scalar (t, dtype, range[1]);
  return lam_uniform_between_ (t, key, shape, low, high);
}

#define LAM_SQRT2_ 1.41421356237309504880

/* The neighbour of v in a dtype, above or below: floats of one sign are ordered as their bits. */
static inline lam_tensor
lam_neighbour_ (lam_trace *t, lam_dtype dtype, double v, bool above)
{
  uint64_t sign = UINT64_C (1) << (lam_dtype_bits (dtype) - 1), bits = lam_dtype_encode (dtype, v);
  if ((bits & ~sign) == 0)
    bits = above ? 1 : sign | 1;
  else
    bits = above == ((bits & sign) == 0) ? bits + 1 : bits - 1;
  return lam_full_bits (t, dtype, LAM_SCALAR, bits);
}

/** N (0, 1): sqrt (2) * erf_inv (U), U in (-1, 1). */
static inline lam_tensor
lam_normal (lam_trace *t, lam_key key, lam_shape shape, lam_dtype dtype)
{
  lam_tensor low = lam_neighbour_ (t, dtype, -1, true), high = lam_scalar (t, dtype, 1);
  lam_tensor u = lam_uniform_between_ (t, key, shape, low, high);
  return lam_mul_scalar (t, lam_erf_inv (t, u), LAM_SQRT2_);
}

/** N (0, 1) cut to (range[0], range[1]), by the inverse of the distribution; range[0] < range[1]. */
static inline lam_tensor
lam_truncated_normal (lam_trace *t, lam_key key, lam_shape shape, lam_dtype dtype,
                      const double range[2])
{
  lam_tensor root = lam_scalar (t, dtype, LAM_SQRT2_);
  lam_tensor low = lam_erf (t, lam_div (t, lam_scalar (t, dtype, range[0]), root));
  lam_tensor high = lam_erf (t, lam_div (t, lam_scalar (t, dtype, range[1]), root));
  lam_tensor u, y;
  if (!(lam_dtype_is_float (dtype) && range[0] < range[1])) {
    lam_fail (t, "lam_truncated_normal: wants a float dtype and range[0] < range[1]");
    return lam_nil ();
  }
  u = lam_uniform_between_ (t, key, shape, low, high);
  y = lam_mul (t, lam_erf_inv (t, u), root);
  low = lam_neighbour_ (t, dtype, range[0], true);
  return lam_clamp (t, low, y, lam_neighbour_ (t, dtype, range[1], false));
}

/** bool, true with probability p: U < p, U drawn in dtype. */
static inline lam_tensor
lam_bernoulli (lam_trace *t, lam_key key, lam_shape shape, lam_dtype dtype, double p)
{
  return lam_lt (t, lam_uniform (t, key, shape, dtype), lam_scalar (t, dtype, p));
}

#undef LAM_SQRT2_

#ifdef __cplusplus
}
#endif
#endif
