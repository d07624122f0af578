/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file prng.h
 * Threefry keys on the host, for inputs: the same bits as jax.random gives in its default
 * ("partitionable") layout, so that a shuffle can be repeated elsewhere. Plain C, no host needed.
 *
 * Threefry-2x32 with 20 rounds: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1,
 * 2, 3" (2011). Inside a trace use random.h.
 */
#ifndef LAMINA_PRNG_H
#define LAMINA_PRNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A Threefry key. */
typedef struct lam_prng_key {
  uint32_t word[2]; /**< as JAX prints them: high, low */
} lam_prng_key;

/* Four rounds with the rotations of r. */
static inline void
lam_prng_rounds_ (uint32_t x[2], const uint8_t r[4])
{
  for (int i = 0; i < 4; i++) {
    x[0] += x[1];
    x[1] = x[1] << r[i] | x[1] >> (32 - r[i]);
    x[1] ^= x[0];
  }
}

/** One block: the counter (hi, lo) under a key. */
static inline lam_prng_key
lam_prng_block (lam_prng_key key, uint32_t hi, uint32_t lo)
{
  static const uint8_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  uint32_t ks[3], x[2];
  lam_prng_key out;
  ks[0] = key.word[0];
  ks[1] = key.word[1];
  ks[2] = key.word[0] ^ key.word[1] ^ 0x1bd11bdau;
  x[0] = hi + ks[0];
  x[1] = lo + ks[1];
  for (uint32_t i = 0; i < 5; i++) {
    lam_prng_rounds_ (x, rotations[i % 2]);
    x[0] += ks[(i + 1) % 3];
    x[1] += ks[(i + 2) % 3] + i + 1;
  }
  out.word[0] = x[0];
  out.word[1] = x[1];
  return out;
}

/** jax.random.PRNGKey (seed). */
static inline lam_prng_key
lam_prng_seed (uint64_t seed)
{
  lam_prng_key key;
  key.word[0] = (uint32_t)(seed >> 32);
  key.word[1] = (uint32_t)seed;
  return key;
}

/** jax.random.fold_in (key, data). */
static inline lam_prng_key
lam_prng_fold_in (lam_prng_key key, uint32_t data)
{
  return lam_prng_block (key, 0, data);
}

/** jax.random.split (key, n)[i], for any n > i. */
static inline lam_prng_key
lam_prng_split (lam_prng_key key, uint32_t i)
{
  return lam_prng_block (key, 0, i);
}

/** Element i (row-major) of jax.random.bits (key, shape, uint32). */
static inline uint32_t
lam_prng_bits (lam_prng_key key, uint64_t i)
{
  lam_prng_key block = lam_prng_block (key, (uint32_t)(i >> 32), (uint32_t)i);
  return block.word[0] ^ block.word[1];
}

/* ceil (3 ln n / ln (2^32 - 1)) for n >= 1, exactly: the least r with (2^32 - 1)^r >= n^3. */
static inline int
lam_prng_shuffle_rounds_ (uint32_t n)
{
  return n <= 1 ? 0 : n <= 1625 ? 1 : n <= 2642245 ? 2 : 3;
}

/* Sorts n pairs (key in the upper half) by key, keeping the order of equal ones; other: n spare. */
static inline void
lam_prng_sort_ (uint64_t *pairs, uint64_t *other, uint32_t n)
{
  for (int shift = 32; shift < 64; shift += 8) {
    size_t at[256], sum = 0;
    uint64_t *swap = pairs;
    for (int i = 0; i < 256; i++)
      at[i] = 0;
    for (uint32_t i = 0; i < n; i++)
      at[pairs[i] >> shift & 255]++;
    for (int i = 0; i < 256; i++) {
      size_t count = at[i];
      at[i] = sum;
      sum += count;
    }
    for (uint32_t i = 0; i < n; i++)
      other[at[pairs[i] >> shift & 255]++] = pairs[i];
    pairs = other;
    other = swap;
  }
}

/** jax.random.permutation (key, n) into out; scratch holds 2 n numbers. */
static inline void
lam_prng_permutation (lam_prng_key key, uint32_t n, uint32_t *out, uint64_t *scratch)
{
  for (uint32_t i = 0; i < n; i++)
    out[i] = i;
  for (int round = lam_prng_shuffle_rounds_ (n); round > 0; round--) {
    lam_prng_key sub = lam_prng_split (key, 1);
    key = lam_prng_split (key, 0);
    for (uint32_t i = 0; i < n; i++)
      scratch[i] = (uint64_t)lam_prng_bits (sub, i) << 32 | out[i];
    lam_prng_sort_ (scratch, scratch + n, n);
    for (uint32_t i = 0; i < n; i++)
      out[i] = (uint32_t)scratch[i];
  }
}

#ifdef __cplusplus
}
#endif
#endif
