/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file random_draws.h
 * Draws above bits and uniforms: gumbel, categorical, randint, exponential, permutation; as jax.random
 * (mode "low").
 * Included by context.h. All: [trace], errors sticky.
 */
#ifndef LAMINA_RANDOM_DRAWS_H
#define LAMINA_RANDOM_DRAWS_H

#include <lamina/ops_order.h>
#include <lamina/ops_reduce.h>
#include <lamina/random.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Standard Gumbel: -log (-log U), U from the smallest normal number of dtype to 1. */
static inline lam_tensor
lam_gumbel (lam_trace *t, lam_key key, lam_shape shape, lam_dtype dtype)
{
  double range[2];
  range[0] = dtype == LAM_F64 ? 0x1p-1022 : dtype == LAM_F16 ? 0x1p-14 : 0x1p-126;
  range[1] = 1;
  lam_tensor u = lam_uniform_range (t, key, shape, dtype, range);
  return lam_neg (t, lam_log (t, lam_neg (t, lam_log (t, u))));
}

/** One class for each row of unnormalised log probabilities along axis, i32; the first on ties. */
static inline lam_tensor
lam_categorical (lam_trace *t, lam_key key, lam_tensor logits, int32_t axis)
{
  lam_tensor noise = lam_gumbel (t, key, lam_shape_of (t, logits), lam_dtype_of (t, logits));
  return lam_argmax (t, lam_add (t, noise, logits), axis);
}

/** Exponential of rate 1: -log1p (-U). */
static inline lam_tensor
lam_exponential (lam_trace *t, lam_key key, lam_shape shape, lam_dtype dtype)
{
  return lam_neg (t, lam_log1p (t, lam_neg (t, lam_uniform (t, key, shape, dtype))));
}

/* Bits of the remainder's multiplier: (2^(width / 2) mod n)^2 mod n, the product cut to width bits;
 * n is 0 for a range of all values, where x rem 0 is x. */
static inline uint64_t
lam_randint_factor_ (uint32_t width, uint64_t n)
{
  uint64_t power = UINT64_C (1) << (width / 2);
  power = n == 0 ? power : power % n;
  power *= power;
  power = width == 64 ? power : power & UINT32_MAX;
  return n == 0 ? power : power % n;
}

/* True if dtype is an integer one that holds range[0] and range[1] - 1, range[0] < range[1]. */
static inline bool
lam_randint_fits_ (lam_dtype dtype, const int64_t range[2])
{
  uint32_t width = lam_dtype_bits (dtype);
  bool is_signed = dtype >= LAM_I64 && dtype <= LAM_I8;
  bool is_unsigned = dtype >= LAM_U64 && dtype <= LAM_U8;
  int64_t top = width == 64 ? INT64_MAX : (INT64_C (1) << (width - is_signed)) - 1;
  return (is_signed || is_unsigned) && range[0] < range[1] && range[1] - 1 <= top
         && range[0] >= (is_signed ? -top - 1 : 0);
}

/**
 * Integers of range[0] ... range[1] - 1; dtype must hold both. Made from two words of 32 bits (of 64
 * for 64-bit dtypes), so that the bias of the remainder is small; products wrap, as in JAX.
 */
static inline lam_tensor
lam_randint (lam_trace *t, lam_key key, lam_shape shape, lam_dtype dtype, const int64_t range[2])
{
  uint32_t width = lam_dtype_bits (dtype) == 64 ? 64 : 32;
  lam_dtype bits = width == 64 ? LAM_U64 : LAM_U32;
  lam_key keys[2];
  lam_tensor high, low, span;
  uint64_t n = (uint64_t)range[1] - (uint64_t)range[0];
  if (!lam_randint_fits_ (dtype, range)) {
    lam_fail (t, "lam_randint: wants an integer dtype that holds low ... high - 1, and low < high");
    return lam_nil ();
  }
  n = width == 64 ? n : n & UINT32_MAX;
  lam_split (t, key, 2, keys);
  span = lam_full_bits (t, bits, LAM_SCALAR, n);
  high = lam_rem (t, lam_random_bits (t, keys[0], width, shape), span);
  low = lam_rem (t, lam_random_bits (t, keys[1], width, shape), span);
  high = lam_mul (t, high, lam_full_bits (t, bits, LAM_SCALAR, lam_randint_factor_ (width, n)));
  low = lam_rem (t, lam_add (t, high, low), span);
  return lam_add (t, lam_cast (t, low, dtype),
                  lam_full_bits (t, dtype, LAM_SCALAR, (uint64_t)range[0]));
}

/**
 * The numbers 0 ... n-1 in random order, i32[n]: sorted by random words, as often as it takes for equal
 * words to be unlikely (ceil (3 log n / log (2^32 - 1)) times).
 */
static inline lam_tensor
lam_permutation (lam_trace *t, lam_key key, int64_t n)
{
  int rounds = n <= 1 ? 0 : n <= 1625 ? 1 : n <= 2642245 ? 2 : 3;
  lam_tensor order;
  if (n < 0 || n > INT32_MAX) {
    lam_fail (t, "lam_permutation: wants 0 to 2^31 - 1 numbers");
    return lam_nil ();
  }
  order = lam_iota (t, LAM_I32, LAM_SHAPE (n), 0);
  for (; rounds > 0; rounds--) {
    lam_key keys[2];
    lam_tensor in[2], out[2];
    lam_split (t, key, 2, keys);
    key = keys[0];
    in[0] = lam_random_bits (t, keys[1], 32, LAM_SHAPE (n));
    in[1] = order;
    lam_sort_with (t, in, 2, 0, 1, out);
    order = out[1];
  }
  return order;
}

#ifdef __cplusplus
}
#endif
#endif
