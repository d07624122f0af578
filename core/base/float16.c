/* SPDX-License-Identifier: Apache-2.0 */
/* 16-bit floats: exact widening, narrowing to nearest even. */
#include "core/base/array.h"

#include <string.h>

static uint32_t
bits_of (float f)
{
  uint32_t u;

  memcpy (&u, &f, sizeof u);
  return u;
}

static float
float_of (uint32_t u)
{
  float f;

  memcpy (&f, &u, sizeof f);
  return f;
}

float
lm_f16_to_f32 (uint16_t h)
{
  uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
  uint32_t exponent = (h >> 10) & 0x1fu, mantissa = h & 0x3ffu;
  float value;

  if (exponent == 0x1fu) /* infinity and NaN keep their payload */
    return float_of (sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0) { /* zero and subnormals: mantissa * 2^-24 is exact */
    value = (float)mantissa * 0x1p-24f;
    return float_of (bits_of (value) | sign);
  }
  return float_of (sign | (exponent + 112) << 23 | mantissa << 13);
}

uint16_t
lm_f32_to_f16 (float f)
{
  uint32_t u = bits_of (f), sign = (u >> 16) & 0x8000u, magnitude = u & 0x7fffffffu;
  uint32_t shift, mantissa, rest, half, result;

  if (magnitude > 0x7f800000u) /* NaN: quiet, upper payload */
    return (uint16_t)(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
  if (magnitude >= 0x477ff000u) /* 65520 and above rounds to infinity */
    return (uint16_t)(sign | 0x7c00u);
  if (magnitude < 0x33000000u) /* below 2^-25 rounds to zero */
    return (uint16_t)sign;

  mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  if (magnitude < 0x38800000u) { /* subnormal result: unit 2^-24 */
    shift = 126 - (magnitude >> 23);
    result = mantissa >> shift;
  } else {
    shift = 13;
    result = (magnitude >> 13) - (112u << 10);
  }
  rest = mantissa & ((1u << shift) - 1);
  half = 1u << (shift - 1);
  if (rest > half || (rest == half && (result & 1u) != 0))
    result++; /* a carry into the exponent is right */
  return (uint16_t)(sign | result);
}

float
lm_bf16_to_f32 (uint16_t h)
{
  return float_of ((uint32_t)h << 16);
}

uint16_t
lm_f32_to_bf16 (float f)
{
  uint32_t u = bits_of (f);

  if ((u & 0x7fffffffu) > 0x7f800000u) /* rounding a NaN could carry into infinity */
    return (uint16_t)(u >> 16 | 0x40u);
  return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}
