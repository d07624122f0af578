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

/* How a float dtype is laid out, and how many random bits JAX draws for it. */
typedef struct lam_float_layout {
  lam_dtype bits_dtype;
  uint32_t width, fraction, drawn;
  uint64_t one; /* bits of 1.0 */
} lam_float_layout;

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

/* u (high - low) + low, at least low; low and high are scalars of the result's dtype. */
static inline lam_tensor
lam_uniform_between_ (lam_trace *t, lam_key key, lam_shape shape, lam_tensor low, lam_tensor high)
{
  lam_tensor u = lam_uniform (t, key, shape, lam_dtype_of (t, low));
  u = lam_add (t, lam_mul (t, u, lam_sub (t, high, low)), low);
  return lam_max (t, low, u);
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

/* The neighbour of v, not 0, in a dtype, towards 0: floats of one sign are ordered as their bits. */
static inline lam_tensor
lam_inwards_ (lam_trace *t, lam_dtype dtype, double v)
{
  return lam_full_bits (t, dtype, LAM_SCALAR, lam_dtype_encode (dtype, v) - 1);
}

/** N (0, 1): sqrt (2) * erf_inv (U), U in (-1, 1). */
static inline lam_tensor
lam_normal (lam_trace *t, lam_key key, lam_shape shape, lam_dtype dtype)
{
  lam_tensor low = lam_inwards_ (t, dtype, -1), high = lam_scalar (t, dtype, 1);
  lam_tensor u = lam_uniform_between_ (t, key, shape, low, high);
  return lam_mul_scalar (t, lam_erf_inv (t, u), LAM_SQRT2_);
}

/** N (0, 1) cut to (range[0], range[1]), by the inverse of the distribution; range[0] < 0 < range[1]. */
static inline lam_tensor
lam_truncated_normal (lam_trace *t, lam_key key, lam_shape shape, lam_dtype dtype,
                      const double range[2])
{
  lam_tensor root = lam_scalar (t, dtype, LAM_SQRT2_);
  lam_tensor low = lam_erf (t, lam_div (t, lam_scalar (t, dtype, range[0]), root));
  lam_tensor high = lam_erf (t, lam_div (t, lam_scalar (t, dtype, range[1]), root));
  lam_tensor u, y;
  if (!(range[0] < 0 && range[1] > 0)) {
    lam_fail (t, "lam_truncated_normal: wants a range around 0");
    return lam_nil ();
  }
  u = lam_uniform_between_ (t, key, shape, low, high);
  y = lam_mul (t, lam_erf_inv (t, u), root);
  return lam_clamp (t, lam_inwards_ (t, dtype, range[0]), y, lam_inwards_ (t, dtype, range[1]));
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
