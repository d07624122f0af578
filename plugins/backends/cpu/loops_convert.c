/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions between all dtypes: floats to integers truncate, saturate and turn NaN into 0; integers
 * wrap; every float result is rounded once. f16 and bf16 operands come widened to f32. */
#include "kernels.h"
#include <kit/float16.h>

#define LOOP(name, T, R, expression)                                                               \
  static void name (int64_t n, void *const *out, const void *const *in)                            \
  {                                                                                                \
    R *y = out[0];                                                                                 \
    const T *a = in[0];                                                                            \
    CPU_INDEPENDENT                                                                                \
    for (int64_t i = 0; i < n; i++) {                                                              \
      T x = a[i];                                                                                  \
      y[i] = (R)(expression);                                                                      \
    }                                                                                              \
  }

/* below and above: the largest float range in which truncation is defined, as exact bounds. */
#define SATURATE(R, low, high, least, most)                                                        \
  (x != x ? 0 : x < (low) ? (least) : x >= (high) ? (most) : (R)x)

#define FROM_FLOAT(S, T)                                                                           \
  LOOP (S##_i64, T, int64_t, SATURATE (int64_t, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX))          \
  LOOP (S##_i32, T, int32_t, SATURATE (int32_t, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX))          \
  LOOP (S##_i16, T, int16_t, SATURATE (int16_t, -0x1p15f, 0x1p15f, INT16_MIN, INT16_MAX))          \
  LOOP (S##_i8, T, int8_t, SATURATE (int8_t, -0x1p7f, 0x1p7f, INT8_MIN, INT8_MAX))                 \
  LOOP (S##_u64, T, uint64_t, SATURATE (uint64_t, 0, 0x1p64f, 0, UINT64_MAX))                      \
  LOOP (S##_u32, T, uint32_t, SATURATE (uint32_t, 0, 0x1p32f, 0, UINT32_MAX))                      \
  LOOP (S##_u16, T, uint16_t, SATURATE (uint16_t, 0, 0x1p16f, 0, UINT16_MAX))                      \
  LOOP (S##_u8, T, uint8_t, SATURATE (uint8_t, 0, 0x1p8f, 0, UINT8_MAX))                           \
  LOOP (S##_bool, T, uint8_t, x != 0)

/* An integer as a double that rounds to f16 and bf16 as the integer itself would: beyond 53 bits the
 * bits that would be lost leave a mark in the last one that is kept. */
static inline double
sticky_u64 (uint64_t x)
{
  return x < (uint64_t)1 << 53 ? (double)x : (double)((x & ~0xfffull) | (x & 0xfff ? 0x800 : 0));
}

static inline double
sticky_i64 (int64_t x)
{
  return x < 0 ? -sticky_u64 (0 - (uint64_t)x) : sticky_u64 ((uint64_t)x);
}

#define FROM_INT(S, T, STICKY)                                                                     \
  LOOP (S##_f64, T, double, x)                                                                     \
  LOOP (S##_f32, T, float, x)                                                                      \
  LOOP (S##_f16, T, uint16_t, kit_f64_to_f16 (STICKY (x)))                                         \
  LOOP (S##_bf16, T, uint16_t, kit_f64_to_bf16 (STICKY (x)))                                       \
  LOOP (S##_w64, T, uint64_t, x)                                                                   \
  LOOP (S##_w32, T, uint32_t, x)                                                                   \
  LOOP (S##_w16, T, uint16_t, x)                                                                   \
  LOOP (S##_w8, T, uint8_t, x)                                                                     \
  LOOP (S##_bool, T, uint8_t, x != 0)

FROM_FLOAT (f64, double)
FROM_FLOAT (f32, float)
LOOP (f32_f64, float, double, x)
LOOP (f64_f32, double, float, x)
LOOP (f32_f16, float, uint16_t, kit_f32_to_f16 (x))
LOOP (f32_bf16, float, uint16_t, kit_f32_to_bf16 (x))
LOOP (f64_f16, double, uint16_t, kit_f64_to_f16 (x))
LOOP (f64_bf16, double, uint16_t, kit_f64_to_bf16 (x))
LOOP (f32_f32, float, float, x)
LOOP (f64_f64, double, double, x)
FROM_INT (i64, int64_t, sticky_i64)
FROM_INT (i32, int32_t, (double))
FROM_INT (i16, int16_t, (double))
FROM_INT (i8, int8_t, (double))
FROM_INT (u64, uint64_t, sticky_u64)
FROM_INT (u32, uint32_t, (double))
FROM_INT (u16, uint16_t, (double))
FROM_INT (u8, uint8_t, (double))

#define ROW(from, to, loop)                                                                        \
  {                                                                                                \
    LAM_OP_convert, to, from, loop                                                                 \
  }
#define FLOAT_ROWS(S, D)                                                                           \
  ROW (D, LAM_I64, S##_i64), ROW (D, LAM_I32, S##_i32), ROW (D, LAM_I16, S##_i16),                 \
      ROW (D, LAM_I8, S##_i8), ROW (D, LAM_U64, S##_u64), ROW (D, LAM_U32, S##_u32),               \
      ROW (D, LAM_U16, S##_u16), ROW (D, LAM_U8, S##_u8), ROW (D, LAM_PRED, S##_bool),             \
      ROW (D, LAM_F16, S##_f16), ROW (D, LAM_BF16, S##_bf16)
#define INT_ROWS(S, D)                                                                             \
  ROW (D, LAM_F64, S##_f64), ROW (D, LAM_F32, S##_f32), ROW (D, LAM_F16, S##_f16),                 \
      ROW (D, LAM_BF16, S##_bf16), ROW (D, LAM_I64, S##_w64), ROW (D, LAM_I32, S##_w32),           \
      ROW (D, LAM_I16, S##_w16), ROW (D, LAM_I8, S##_w8), ROW (D, LAM_U64, S##_w64),               \
      ROW (D, LAM_U32, S##_w32), ROW (D, LAM_U16, S##_w16), ROW (D, LAM_U8, S##_w8),               \
      ROW (D, LAM_PRED, S##_bool)

const cpu_loop_entry cpu_loops_convert[] = {
    FLOAT_ROWS (f64, LAM_F64),       ROW (LAM_F64, LAM_F32, f64_f32),
    ROW (LAM_F64, LAM_F64, f64_f64), /* accumulators of reductions */
    FLOAT_ROWS (f32, LAM_F32),       ROW (LAM_F32, LAM_F64, f32_f64),
    ROW (LAM_F32, LAM_F32, f32_f32), /* widened f16 and bf16 */
    INT_ROWS (i64, LAM_I64),         INT_ROWS (i32, LAM_I32),
    INT_ROWS (i16, LAM_I16),         INT_ROWS (i8, LAM_I8),
    INT_ROWS (u64, LAM_U64),         INT_ROWS (u32, LAM_U32),
    INT_ROWS (u16, LAM_U16),         INT_ROWS (u8, LAM_U8),
    INT_ROWS (u8, LAM_PRED),
};
const uint32_t cpu_n_loops_convert = sizeof cpu_loops_convert / sizeof cpu_loops_convert[0];
