/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise loops and reductions of the integers and of bool; wrap-around goes through the unsigned
 * type of the same width. Plain loops that the compiler vectorises for the baseline. */
#include "kernels.h"
#include <kit/ops.h>

#define BINARY(name, T, R, expression)                                                             \
  static void name (int64_t n, void *const *out, const void *const *in)                            \
  {                                                                                                \
    R *r = out[0];                                                                                 \
    const T *p = in[0], *q = in[1];                                                                \
    CPU_INDEPENDENT                                                                                \
    for (int64_t i = 0; i < n; i++) {                                                              \
      T a = p[i], b = q[i];                                                                        \
      r[i] = (R)(expression);                                                                      \
    }                                                                                              \
  }
#define UNARY(name, T, expression)                                                                 \
  static void name (int64_t n, void *const *out, const void *const *in)                            \
  {                                                                                                \
    T *r = out[0];                                                                                 \
    const T *p = in[0];                                                                            \
    CPU_INDEPENDENT                                                                                \
    for (int64_t i = 0; i < n; i++) {                                                              \
      T x = p[i];                                                                                  \
      r[i] = (T)(expression);                                                                      \
    }                                                                                              \
  }
#define CLAMP(name, T)                                                                             \
  static void name (int64_t n, void *const *out, const void *const *in)                            \
  {                                                                                                \
    T *r = out[0];                                                                                 \
    const T *low = in[0], *x = in[1], *high = in[2];                                               \
    CPU_INDEPENDENT                                                                                \
    for (int64_t i = 0; i < n; i++) {                                                              \
      T y = x[i] > low[i] ? x[i] : low[i];                                                         \
      r[i] = y < high[i] ? y : high[i];                                                            \
    }                                                                                              \
  }

/* Products of narrow types are formed as unsigned 64-bit numbers, where nothing overflows. */
#define WRAP(a) ((uint64_t)(a))
#define BITS    ((int)sizeof (a) * 8)

/* Loops of one type T with its unsigned twin U, code S. MIN: least value (0 if unsigned). */
#define COMMON(S, T, U)                                                                            \
  BINARY (S##_add, T, T, (U)(WRAP (a) + WRAP (b)))                                                 \
  BINARY (S##_subtract, T, T, (U)(WRAP (a) - WRAP (b)))                                            \
  BINARY (S##_multiply, T, T, (U)(WRAP (a) * WRAP (b)))                                            \
  BINARY (S##_maximum, T, T, a > b ? a : b)                                                        \
  BINARY (S##_minimum, T, T, a < b ? a : b)                                                        \
  BINARY (S##_and, T, T, a &b)                                                                     \
  BINARY (S##_or, T, T, a | b)                                                                     \
  BINARY (S##_xor, T, T, a ^ b)                                                                    \
  BINARY (S##_left, T, T, (U)b < BITS ? (U)(WRAP (a) << (b & (BITS - 1))) : 0)                     \
  BINARY (S##_right, T, T, (U)b < BITS ? (U)a >> (b & (BITS - 1)) : 0)                             \
  BINARY (S##_EQ, T, uint8_t, a == b)                                                              \
  BINARY (S##_NE, T, uint8_t, a != b)                                                              \
  BINARY (S##_LT, T, uint8_t, a < b)                                                               \
  BINARY (S##_LE, T, uint8_t, a <= b)                                                              \
  BINARY (S##_GT, T, uint8_t, a > b)                                                               \
  BINARY (S##_GE, T, uint8_t, a >= b)                                                              \
  UNARY (S##_negate, T, (U)(0 - WRAP (x)))                                                         \
  UNARY (S##_not, T, ~x)                                                                           \
  UNARY (S##_count, T, __builtin_popcountll ((U)x))                                                \
  CLAMP (S##_clamp, T)

#define SIGNED(S, T, U, MIN)                                                                       \
  COMMON (S, T, U)                                                                                 \
  BINARY (S##_divide, T, T, b == 0 ? -1 : b == -1 ? (T)(U)(0 - WRAP (a)) : a / b)                  \
  BINARY (S##_remainder, T, T, b == 0 ? a : b == -1 ? 0 : a % b)                                   \
  BINARY (S##_arithmetic, T, T, (U)b < BITS ? a >> (b & (BITS - 1)) : a < 0 ? -1 : 0)              \
  UNARY (S##_abs, T, x < 0 ? (T)(U)(0 - WRAP (x)) : x)                                             \
  UNARY (S##_sign, T, x > 0 ? 1 : x < 0 ? -1 : 0)

#define UNSIGNED(S, T)                                                                             \
  COMMON (S, T, T)                                                                                 \
  BINARY (S##_divide, T, T, b == 0 ? (T) ~(T)0 : a / b)                                            \
  BINARY (S##_remainder, T, T, b == 0 ? a : a % b)                                                 \
  BINARY (S##_arithmetic, T, T, b < BITS ? (T)(a >> (b & (BITS - 1))) : 0)                         \
  UNARY (S##_abs, T, x)                                                                            \
  UNARY (S##_sign, T, x > 0)

SIGNED (i64, int64_t, uint64_t, INT64_MIN)
SIGNED (i32, int32_t, uint32_t, INT32_MIN)
SIGNED (i16, int16_t, uint16_t, INT16_MIN)
SIGNED (i8, int8_t, uint8_t, INT8_MIN)
UNSIGNED (u64, uint64_t)
UNSIGNED (u32, uint32_t)
UNSIGNED (u16, uint16_t)
UNSIGNED (u8, uint8_t)

#define ROWS(S, D)                                                                                 \
  {LAM_OP_add, 0, D, S##_add}, {LAM_OP_subtract, 0, D, S##_subtract},                              \
      {LAM_OP_multiply, 0, D, S##_multiply}, {LAM_OP_divide, 0, D, S##_divide},                    \
      {LAM_OP_remainder, 0, D, S##_remainder}, {LAM_OP_maximum, 0, D, S##_maximum},                \
      {LAM_OP_minimum, 0, D, S##_minimum}, {LAM_OP_and, 0, D, S##_and}, {LAM_OP_or, 0, D, S##_or}, \
      {LAM_OP_xor, 0, D, S##_xor}, {LAM_OP_shift_left, 0, D, S##_left},                            \
      {LAM_OP_shift_right_logical, 0, D, S##_right},                                               \
      {LAM_OP_shift_right_arithmetic, 0, D, S##_arithmetic}, {LAM_OP_compare, KIT_EQ, D, S##_EQ},  \
      {LAM_OP_compare, KIT_NE, D, S##_NE}, {LAM_OP_compare, KIT_LT, D, S##_LT},                    \
      {LAM_OP_compare, KIT_LE, D, S##_LE}, {LAM_OP_compare, KIT_GT, D, S##_GT},                    \
      {LAM_OP_compare, KIT_GE, D, S##_GE}, {LAM_OP_negate, 0, D, S##_negate},                      \
      {LAM_OP_not, 0, D, S##_not}, {LAM_OP_population_count, 0, D, S##_count},                     \
      {LAM_OP_abs, 0, D, S##_abs}, {LAM_OP_sign, 0, D, S##_sign},                                  \
  {                                                                                                \
    LAM_OP_clamp, 0, D, S##_clamp                                                                  \
  }

const cpu_loop_entry cpu_loops_int[] = {
    ROWS (i64, LAM_I64),
    ROWS (i32, LAM_I32),
    ROWS (i16, LAM_I16),
    ROWS (i8, LAM_I8),
    ROWS (u64, LAM_U64),
    ROWS (u32, LAM_U32),
    ROWS (u16, LAM_U16),
    ROWS (u8, LAM_U8),
    /* bool is one byte, 0 or 1: add, multiply, and, or, not stand in loops_f32.h */
    {LAM_OP_maximum, 0, LAM_PRED, u8_or},
    {LAM_OP_minimum, 0, LAM_PRED, u8_and},
    {LAM_OP_xor, 0, LAM_PRED, u8_xor},
    {LAM_OP_clamp, 0, LAM_PRED, u8_clamp},
    {LAM_OP_compare, KIT_EQ, LAM_PRED, u8_EQ},
    {LAM_OP_compare, KIT_NE, LAM_PRED, u8_NE},
    {LAM_OP_compare, KIT_LT, LAM_PRED, u8_LT},
    {LAM_OP_compare, KIT_LE, LAM_PRED, u8_LE},
    {LAM_OP_compare, KIT_GT, LAM_PRED, u8_GT},
    {LAM_OP_compare, KIT_GE, LAM_PRED, u8_GE},
};
const uint32_t cpu_n_loops_int = sizeof cpu_loops_int / sizeof cpu_loops_int[0];

#include "loops_reduce.h"

#define REDUCERS(S, T, LOW, HIGH)                                                                  \
  REDUCER (S##_sum, T, T, 0, WRAP (a) + WRAP (b))                                                  \
  REDUCER (S##_product, T, T, 1, WRAP (a) * WRAP (b))                                              \
  REDUCER (S##_max, T, T, LOW, a > b ? a : b)                                                      \
  REDUCER (S##_min, T, T, HIGH, a < b ? a : b)                                                     \
  REDUCER (S##_all, T, T, ~(T)0, a &b)                                                             \
  REDUCER (S##_any, T, T, 0, a | b)

REDUCERS (i64, int64_t, INT64_MIN, INT64_MAX)
REDUCERS (i32, int32_t, INT32_MIN, INT32_MAX)
REDUCERS (i16, int16_t, INT16_MIN, INT16_MAX)
REDUCERS (i8, int8_t, INT8_MIN, INT8_MAX)
REDUCERS (u64, uint64_t, 0, UINT64_MAX)
REDUCERS (u32, uint32_t, 0, UINT32_MAX)
REDUCERS (u16, uint16_t, 0, UINT16_MAX)
REDUCERS (u8, uint8_t, 0, UINT8_MAX)
REDUCER (all, uint8_t, uint8_t, 1, a &b)
REDUCER (any, uint8_t, uint8_t, 0, a | b)

#define REDUCER_ROWS(S, D)                                                                         \
  REDUCER_ROW (ADD, D, D, S##_sum), REDUCER_ROW (MULTIPLY, D, D, S##_product),                     \
      REDUCER_ROW (MAXIMUM, D, D, S##_max), REDUCER_ROW (MINIMUM, D, D, S##_min),                  \
      REDUCER_ROW (AND, D, D, S##_all), REDUCER_ROW (OR, D, D, S##_any)

const cpu_reducer cpu_reducers_int[] = {
    REDUCER_ROWS (i64, LAM_I64),
    REDUCER_ROWS (i32, LAM_I32),
    REDUCER_ROWS (i16, LAM_I16),
    REDUCER_ROWS (i8, LAM_I8),
    REDUCER_ROWS (u64, LAM_U64),
    REDUCER_ROWS (u32, LAM_U32),
    REDUCER_ROWS (u16, LAM_U16),
    REDUCER_ROWS (u8, LAM_U8),
    REDUCER_ROW (ADD, LAM_PRED, LAM_PRED, any),
    REDUCER_ROW (MULTIPLY, LAM_PRED, LAM_PRED, all),
    REDUCER_ROW (MAXIMUM, LAM_PRED, LAM_PRED, any),
    REDUCER_ROW (MINIMUM, LAM_PRED, LAM_PRED, all),
    REDUCER_ROW (AND, LAM_PRED, LAM_PRED, all),
    REDUCER_ROW (OR, LAM_PRED, LAM_PRED, any),
};
const uint32_t cpu_n_reducers_int = sizeof cpu_reducers_int / sizeof cpu_reducers_int[0];
