/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise loops of f32, compares, selects, hot conversions and threefry: the part of the loops
 * that is compiled for each instruction set. Included once by each loops_*.c, which define
 * CPU_SUFFIX. */
#include "vecmath.h"

#define UNARY(name, T, R, expression)                                                              \
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
#define SELECT(name, T)                                                                            \
  static void name (int64_t n, void *const *out, const void *const *in)                            \
  {                                                                                                \
    T *r = out[0];                                                                                 \
    const uint8_t *c = in[0];                                                                      \
    const T *p = in[1], *q = in[2];                                                                \
    CPU_INDEPENDENT                                                                                \
    for (int64_t i = 0; i < n; i++)                                                                \
      r[i] = c[i] ? p[i] : q[i];                                                                   \
  }

/* op, operand dtype, result dtype, expression in x */
#define UNARY_F32(X)                                                                               \
  X (negate, -x)                                                                                   \
  X (abs, fabsf (x))                                                                               \
  X (sign, vm_sign (x))                                                                            \
  X (floor, floorf (x))                                                                            \
  X (ceil, ceilf (x))                                                                              \
  X (round_nearest_even, nearbyintf (x))                                                           \
  X (exponential, vm_exp (x))                                                                      \
  X (exponential_minus_one, vm_expm1 (x))                                                          \
  X (log, vm_log (x))                                                                              \
  X (log_plus_one, vm_log1p (x))                                                                   \
  X (sqrt, sqrtf (x))                                                                              \
  X (rsqrt, 1.0f / sqrtf (x))                                                                      \
  X (cbrt, cbrtf (x))                                                                              \
  X (sine, sinf (x))                                                                               \
  X (cosine, cosf (x))                                                                             \
  X (tan, tanf (x))                                                                                \
  X (tanh, vm_tanh (x))                                                                            \
  X (logistic, vm_logistic (x))                                                                    \
  X (erf, vm_erf (x))                                                                              \
  X (erf_inv, vm_erf_inv (x))

#define BINARY_F32(X)                                                                              \
  X (add, a + b)                                                                                   \
  X (subtract, a - b)                                                                              \
  X (multiply, a *b)                                                                               \
  X (divide, a / b)                                                                                \
  X (remainder, fmodf (a, b))                                                                      \
  X (power, powf (a, b))                                                                           \
  X (maximum, vm_max (a, b))                                                                       \
  X (minimum, vm_min (a, b))                                                                       \
  X (atan2, atan2f (a, b))

#define COMPARE_F32(X)                                                                             \
  X (EQ, a == b)                                                                                   \
  X (NE, a != b)                                                                                   \
  X (LT, a < b)                                                                                    \
  X (LE, a <= b)                                                                                   \
  X (GT, a > b)                                                                                    \
  X (GE, a >= b)

#define DEFINE(op, expression) UNARY (op##_f32, float, float, expression)
UNARY_F32 (DEFINE)
#undef DEFINE
#define DEFINE(op, expression) BINARY (op##_f32, float, float, expression)
BINARY_F32 (DEFINE)
#undef DEFINE
#define DEFINE(direction, expression) BINARY (compare_f32_##direction, float, uint8_t, expression)
COMPARE_F32 (DEFINE)
#undef DEFINE
UNARY (is_finite_f32, float, uint8_t, fabsf (x) < INFINITY)
SELECT (select_1, uint8_t)
SELECT (select_2, uint16_t)
SELECT (select_4, uint32_t)
SELECT (select_8, uint64_t)
UNARY (f32_of_i32, int32_t, float, (float)x)
UNARY (f32_of_u32, uint32_t, float, (float)x)
UNARY (f32_of_bool, uint8_t, float, (float)x)
UNARY (f64_of_f32, float, double, (double)x)
UNARY (f32_of_f64, double, float, (float)x)
UNARY (widen_f16, uint16_t, float, kit_f16_to_f32 (x))
UNARY (narrow_f16, float, uint16_t, kit_f32_to_f16 (x))
UNARY (widen_bf16, uint16_t, float, kit_bf16_to_f32 (x))
UNARY (narrow_bf16, float, uint16_t, kit_f32_to_bf16 (x))
BINARY (add_u32, uint32_t, uint32_t, a + b)
BINARY (multiply_u32, uint32_t, uint32_t, a *b)
BINARY (xor_u32, uint32_t, uint32_t, a ^ b)
BINARY (or_u32, uint32_t, uint32_t, a | b)
BINARY (shift_right_u32, uint32_t, uint32_t, b < 32 ? a >> (b & 31) : 0)
BINARY (and_u8, uint8_t, uint8_t, a &b)
BINARY (or_u8, uint8_t, uint8_t, a | b)
UNARY (not_bool, uint8_t, uint8_t, x ^ 1)

static void
clamp_f32 (int64_t n, void *const *out, const void *const *in)
{
  float *y = out[0];
  const float *low = in[0], *x = in[1], *high = in[2];
  CPU_INDEPENDENT
  for (int64_t i = 0; i < n; i++)
    y[i] = vm_min (vm_max (x[i], low[i]), high[i]);
}

static inline uint32_t
rotate (uint32_t x, int by)
{
  return x << by | x >> (32 - by);
}

/* Four rounds of Threefry-2x32 (Salmon et al., 2011), then a key injection. */
#define FOUR_ROUNDS(r0, r1, r2, r3, ka, kb, count)                                                 \
  a += b, b = rotate (b, r0) ^ a;                                                                  \
  a += b, b = rotate (b, r1) ^ a;                                                                  \
  a += b, b = rotate (b, r2) ^ a;                                                                  \
  a += b, b = rotate (b, r3) ^ a;                                                                  \
  a += (ka), b += (kb) + (count);

static void
threefry (int64_t n, void *const *out, const void *const *in)
{
  uint32_t *y0 = out[0], *y1 = out[1];
  const uint32_t *key0 = in[0], *key1 = in[1], *x0 = in[2], *x1 = in[3];
  CPU_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    uint32_t k0 = key0[i], k1 = key1[i], k2 = k0 ^ k1 ^ 0x1bd11bdau;
    uint32_t a = x0[i] + k0, b = x1[i] + k1;
    FOUR_ROUNDS (13, 15, 26, 6, k1, k2, 1u)
    FOUR_ROUNDS (17, 29, 16, 24, k2, k0, 2u)
    FOUR_ROUNDS (13, 15, 26, 6, k0, k1, 3u)
    FOUR_ROUNDS (17, 29, 16, 24, k1, k2, 4u)
    FOUR_ROUNDS (13, 15, 26, 6, k2, k0, 5u)
    y0[i] = a;
    y1[i] = b;
  }
}

#define ROW(op, expression) {LAM_OP_##op, 0, LAM_F32, op##_f32},
#define COMPARE_ROW(direction, expression)                                                         \
  {LAM_OP_compare, KIT_##direction, LAM_F32, compare_f32_##direction},
static const cpu_loop_entry loops[] = {
    UNARY_F32 (ROW) BINARY_F32 (ROW)
        COMPARE_F32 (COMPARE_ROW) {LAM_OP_is_finite, 0, LAM_F32, is_finite_f32},
    {LAM_OP_clamp, 0, LAM_F32, clamp_f32},
    {LAM_OP_threefry2x32, 0, LAM_U32, threefry},
    /* select goes by width */
    {LAM_OP_select, 1, LAM_PRED, select_1},
    {LAM_OP_select, 2, LAM_PRED, select_2},
    {LAM_OP_select, 4, LAM_PRED, select_4},
    {LAM_OP_select, 8, LAM_PRED, select_8},
    {LAM_OP_convert, LAM_F32, LAM_I32, f32_of_i32},
    {LAM_OP_convert, LAM_F32, LAM_U32, f32_of_u32},
    {LAM_OP_convert, LAM_F32, LAM_PRED, f32_of_bool},
    {LAM_OP_convert, LAM_F64, LAM_F32, f64_of_f32},
    {LAM_OP_convert, LAM_F32, LAM_F64, f32_of_f64},
    {LAM_OP_add, 0, LAM_U32, add_u32},
    {LAM_OP_add, 0, LAM_I32, add_u32},
    {LAM_OP_multiply, 0, LAM_U32, multiply_u32},
    {LAM_OP_multiply, 0, LAM_I32, multiply_u32},
    {LAM_OP_xor, 0, LAM_U32, xor_u32},
    {LAM_OP_or, 0, LAM_U32, or_u32},
    {LAM_OP_shift_right_logical, 0, LAM_U32, shift_right_u32},
    {LAM_OP_and, 0, LAM_PRED, and_u8},
    {LAM_OP_or, 0, LAM_PRED, or_u8},
    {LAM_OP_multiply, 0, LAM_PRED, and_u8},
    {LAM_OP_add, 0, LAM_PRED, or_u8},
    {LAM_OP_not, 0, LAM_PRED, not_bool},
};
