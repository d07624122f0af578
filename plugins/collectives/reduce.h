/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces the same elements of every rank in the order of ranks, ((x0 + x1) + x2) + ...: what all
 * collectives share, so that all of them give the same bits. */
#ifndef COLLECTIVES_REDUCE_H
#define COLLECTIVES_REDUCE_H

#include <kit/float16.h>
#include <lamina/collective.h>
#include <math.h>
#include <string.h>

/* Elements that are reduced at once: what stays in L1. */
#define REDUCE_BLOCK 1024

/* A block of results, in the dtype. */
typedef union reduce_block {
  double f64[REDUCE_BLOCK];
  float f32[REDUCE_BLOCK];
  uint64_t u64[REDUCE_BLOCK];
  int64_t i64[REDUCE_BLOCK];
  uint32_t u32[REDUCE_BLOCK];
  int32_t i32[REDUCE_BLOCK];
  uint16_t u16[REDUCE_BLOCK];
  int16_t i16[REDUCE_BLOCK];
  uint8_t u8[REDUCE_BLOCK];
  int8_t i8[REDUCE_BLOCK];
} reduce_block;

/* block gets elements [from, from + n) of in[0] .. in[ranks - 1] reduced; n <= REDUCE_BLOCK. */
typedef void (*reduce_fn) (int32_t reduction, const void *const *in, uint32_t ranks, uint64_t from,
                           uint64_t n, reduce_block *block);

/* As in IEEE 754's maximum: a NaN wins, +0 is above -0. */
#define REDUCE_FLOATS(T)                                                                           \
  static inline T reduce_max_##T (T a, T b)                                                        \
  {                                                                                                \
    if (isnan (a) || isnan (b))                                                                    \
      return isnan (a) ? a : b;                                                                    \
    return a == b ? (signbit (a) ? b : a) : (a > b ? a : b);                                       \
  }                                                                                                \
  static inline T reduce_min_##T (T a, T b)                                                        \
  {                                                                                                \
    if (isnan (a) || isnan (b))                                                                    \
      return isnan (a) ? a : b;                                                                    \
    return a == b ? (signbit (a) ? a : b) : (a < b ? a : b);                                       \
  }
REDUCE_FLOATS (float)
REDUCE_FLOATS (double)

#define REDUCE_ADD(a, b) ((a) + (b))
#define REDUCE_MAX(a, b) ((a) > (b) ? (a) : (b))
#define REDUCE_MIN(a, b) ((a) < (b) ? (a) : (b))
#define REDUCE_SAME(x)   (x)

/* acc: an array of the block or of the function in which results are formed. */
#define REDUCE_LOOPS(T, A, load, add, max, min)                                                    \
  for (uint64_t i = 0; i < n; i++)                                                                 \
    acc[i] = load (((const T *)in[0])[from + i]);                                                  \
  for (uint32_t r = 1; r < ranks; r++) {                                                           \
    const T *x = (const T *)in[r] + from;                                                          \
    if (reduction == LAM_REDUCE_ADD)                                                               \
      for (uint64_t i = 0; i < n; i++)                                                             \
        acc[i] = (A)add (acc[i], load (x[i]));                                                     \
    else if (reduction == LAM_REDUCE_MAXIMUM)                                                      \
      for (uint64_t i = 0; i < n; i++)                                                             \
        acc[i] = (A)max (acc[i], load (x[i]));                                                     \
    else                                                                                           \
      for (uint64_t i = 0; i < n; i++)                                                             \
        acc[i] = (A)min (acc[i], load (x[i]));                                                     \
  }

#define REDUCE_FN(name, T, add, max, min)                                                          \
  static void reduce_##name (int32_t reduction, const void *const *in, uint32_t ranks,             \
                             uint64_t from, uint64_t n, reduce_block *block)                       \
  {                                                                                                \
    T *acc = block->name;                                                                          \
    REDUCE_LOOPS (T, T, REDUCE_SAME, add, max, min)                                                \
  }
#define REDUCE_INTS_ADD(a, b) ((uint64_t)(a) + (uint64_t)(b)) /* wraps */
REDUCE_FN (f64, double, REDUCE_ADD, reduce_max_double, reduce_min_double)
REDUCE_FN (f32, float, REDUCE_ADD, reduce_max_float, reduce_min_float)
REDUCE_FN (u64, uint64_t, REDUCE_INTS_ADD, REDUCE_MAX, REDUCE_MIN)
REDUCE_FN (i64, int64_t, REDUCE_INTS_ADD, REDUCE_MAX, REDUCE_MIN)
REDUCE_FN (u32, uint32_t, REDUCE_INTS_ADD, REDUCE_MAX, REDUCE_MIN)
REDUCE_FN (i32, int32_t, REDUCE_INTS_ADD, REDUCE_MAX, REDUCE_MIN)
REDUCE_FN (u16, uint16_t, REDUCE_INTS_ADD, REDUCE_MAX, REDUCE_MIN)
REDUCE_FN (i16, int16_t, REDUCE_INTS_ADD, REDUCE_MAX, REDUCE_MIN)
REDUCE_FN (u8, uint8_t, REDUCE_INTS_ADD, REDUCE_MAX, REDUCE_MIN)
REDUCE_FN (i8, int8_t, REDUCE_INTS_ADD, REDUCE_MAX, REDUCE_MIN)

/* 16-bit floats: in f32, rounded once. */
#define REDUCE_NARROW(name, widen, narrow)                                                         \
  static void reduce_##name (int32_t reduction, const void *const *in, uint32_t ranks,             \
                             uint64_t from, uint64_t n, reduce_block *block)                       \
  {                                                                                                \
    float acc[REDUCE_BLOCK];                                                                       \
    REDUCE_LOOPS (uint16_t, float, widen, REDUCE_ADD, reduce_max_float, reduce_min_float)          \
    for (uint64_t i = 0; i < n; i++)                                                               \
      block->u16[i] = narrow (acc[i]);                                                             \
  }
REDUCE_NARROW (f16, kit_f16_to_f32, kit_f32_to_f16)
REDUCE_NARROW (bf16, kit_bf16_to_f32, kit_f32_to_bf16)

/* NULL: no numbers. */
static inline reduce_fn
reduce_find (lam_dtype dtype)
{
  static const struct {
    lam_dtype dtype;
    reduce_fn fn;
  } rows[] = {{LAM_F64, reduce_f64},   {LAM_F32, reduce_f32}, {LAM_F16, reduce_f16},
              {LAM_BF16, reduce_bf16}, {LAM_U64, reduce_u64}, {LAM_I64, reduce_i64},
              {LAM_U32, reduce_u32},   {LAM_I32, reduce_i32}, {LAM_U16, reduce_u16},
              {LAM_I16, reduce_i16},   {LAM_U8, reduce_u8},   {LAM_I8, reduce_i8}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].dtype == dtype)
      return rows[i].fn;
  return NULL;
}

/* Elements [*out_from, result) of count that rank works on: whole cache lines of them. */
static inline uint64_t
reduce_slice (uint64_t count, uint32_t ranks, uint32_t rank, uint64_t *out_from)
{
  uint64_t each = (count / ranks + 64) / 64 * 64;
  uint64_t from = each * rank < count ? each * rank : count;
  *out_from = from;
  return from + each < count ? from + each : count;
}

static inline uint64_t
reduce_size (lam_dtype dtype)
{
  return lam_dtype_bits (dtype) / 8;
}

/* LAM_OK, or what a call is refused for by *out_why. */
static inline lam_status
reduce_check (const lam_collective_call *call, const char **out_why)
{
  *out_why = "unknown reduction";
  if (call->reduction < LAM_REDUCE_ADD || call->reduction > LAM_REDUCE_MINIMUM)
    return LAM_E_UNSUPPORTED;
  *out_why = "all_reduce takes numbers only";
  for (uint32_t i = 0; i < call->n; i++)
    if (reduce_find (call->dtypes[i]) == NULL)
      return LAM_E_UNSUPPORTED;
  return LAM_OK;
}

#endif
