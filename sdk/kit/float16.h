/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file float16.h
 * The two 16-bit floats as bit patterns: exact widening, and narrowing to nearest even that keeps
 * subnormals, infinities and NaN.
 */
#ifndef KIT_FLOAT16_H
#define KIT_FLOAT16_H

#include <stdint.h>
#include <string.h>

/** The bit pattern of a float. */
static inline uint32_t
kit_bits_of_f32 (float x)
{
  uint32_t u;
  memcpy (&u, &x, sizeof u);
  return u;
}

/** The float of a bit pattern. */
static inline float
kit_f32_of_bits (uint32_t u)
{
  float x;
  memcpy (&x, &u, sizeof x);
  return x;
}

/** Exact. */
static inline float
kit_bf16_to_f32 (uint16_t h)
{
  return kit_f32_of_bits ((uint32_t)h << 16);
}

/** To nearest even; a NaN stays one (quiet). */
static inline uint16_t
kit_f32_to_bf16 (float x)
{
  uint32_t u = kit_bits_of_f32 (x);
  if ((u & 0x7fffffffu) > 0x7f800000u)
    return (uint16_t)(u >> 16 | 0x40u); /* NaN stays NaN */
  return (uint16_t)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

/** Exact, subnormals too. */
static inline float
kit_f16_to_f32 (uint16_t h)
{
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = h >> 10 & 31u, mantissa = h & 0x3ffu;
  if (exponent == 31)
    return kit_f32_of_bits (sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0) { /* zero, subnormal: mantissa * 2^-24 is exact */
    float value = (float)mantissa * 0x1p-24f;
    return kit_f32_of_bits (kit_bits_of_f32 (value) | sign);
  }
  return kit_f32_of_bits (sign | (exponent + 112) << 23 | mantissa << 13);
}

/** To nearest even; from 65520 on infinite; a NaN stays one (quiet). */
static inline uint16_t
kit_f32_to_f16 (float x)
{
  uint32_t u = kit_bits_of_f32 (x), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
  uint32_t shift, value, rest, half, h;
  if (a > 0x7f800000u)
    return (uint16_t)(sign | 0x7e00u | (a >> 13 & 0x1ffu));
  if (a >= 0x477ff000u) /* 65520 and more */
    return (uint16_t)(sign | 0x7c00u);
  if (a < 0x33000000u) /* below half of the least subnormal */
    return (uint16_t)sign;
  value = (a & 0x7fffffu) | 0x800000u;
  if (a < 0x38800000u) { /* subnormal */
    shift = 126 - (a >> 23);
    h = value >> shift;
  } else {
    shift = 13;
    h = (a >> 13) - (112u << 10);
  }
  rest = value & ((1u << shift) - 1);
  half = 1u << (shift - 1);
  if (rest > half || (rest == half && (h & 1u) != 0))
    h++;
  return (uint16_t)(sign | h);
}

#ifdef __cplusplus
extern "C" {
#endif

/** Rounds a double once (not through f32, which would round twice). */
uint16_t kit_f64_to_f16 (double x);
/** As kit_f64_to_f16. */
uint16_t kit_f64_to_bf16 (double x);

#ifdef __cplusplus
}
#endif
#endif
