/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions of f32 without branches or tables, so that a loop over them becomes vector
 * code. Worst errors are stated in ulp; infinities, NaN, signed zeros and denormals are right.
 * exp, log and tanh use the polynomials of Cephes (S. Moshier), erf one by N. Juffa, erf_inv one by
 * M. Giles. Included by loops_*.c after the choice of the instruction set. */
#ifndef CPU_VECMATH_H
#define CPU_VECMATH_H

#include <kit/float16.h>
#include <math.h>

/* One rounding where the processor has it; in the baseline a call would cost more than it gives. */
#ifdef CPU_HAS_FMA
#define FMA(a, b, c) __builtin_fmaf (a, b, c)
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#endif

#define SHIFTER 12582912.0f /* 1.5 * 2^23: adding it rounds to an integer in the low bits */

static inline float
vm_pow2 (uint32_t n) /* 2^n for n in -126 .. 127 as two's complement */
{
  return kit_f32_of_bits ((n + 127u) << 23);
}

/* e^r - 1 - r over |r| <= ln 2 / 2, divided by r^2. */
static inline float
vm_exp_tail (float r)
{
  float p = 1.9875691500e-4f;
  p = FMA (p, r, 1.3981999507e-3f);
  p = FMA (p, r, 8.3334519073e-3f);
  p = FMA (p, r, 4.1665795894e-2f);
  p = FMA (p, r, 1.6666665459e-1f);
  return FMA (p, r, 5.0000001201e-1f);
}

/* 1 ulp. The factor 2^n is applied in halves, so that denormal results are rounded once. */
static inline float
vm_exp (float x)
{
  float c = x < -104.0f ? -104.0f : x > 89.0f ? 89.0f : x;
  float t = c * 1.44269504f + SHIFTER, n = t - SHIFTER;
  uint32_t i = kit_bits_of_f32 (t) - kit_bits_of_f32 (SHIFTER);
  uint32_t half = (uint32_t)((int32_t)i >> 1);
  float r = FMA (n, -0.693359375f, c);
  float y;
  r = FMA (n, 2.12194440e-4f, r);
  y = FMA (vm_exp_tail (r), r * r, r) + 1.0f;
  y = y * vm_pow2 (half) * vm_pow2 (i - half);
  return x != x ? x : y;
}

/* 2 ulp. */
static inline float
vm_expm1 (float x)
{
  float c = x < -30.0f ? -30.0f : x > 89.0f ? 89.0f : x;
  float t = c * 1.44269504f + SHIFTER, n = t - SHIFTER;
  uint32_t i = kit_bits_of_f32 (t) - kit_bits_of_f32 (SHIFTER);
  float half = vm_pow2 (i - 1u);
  float r = FMA (n, -0.693359375f, c);
  float y;
  r = FMA (n, 2.12194440e-4f, r);
  y = FMA (vm_exp_tail (r), r * r, r);
  y = 2.0f * FMA (y, half, half - 0.5f);
  y = fabsf (x) < 0x1p-25f ? x : y;
  return x != x ? x : y;
}

/* log (m * 2^e) for m in sqrt (1/2) .. sqrt (2), given m - 1. */
static inline float
vm_log_reduced (float d, float e)
{
  float z = d * d, p = 7.0376836292e-2f, y;
  p = FMA (p, d, -1.1514610310e-1f);
  p = FMA (p, d, 1.1676998740e-1f);
  p = FMA (p, d, -1.2420140846e-1f);
  p = FMA (p, d, 1.4249322787e-1f);
  p = FMA (p, d, -1.6668057665e-1f);
  p = FMA (p, d, 2.0000714765e-1f);
  p = FMA (p, d, -2.4999993993e-1f);
  p = FMA (p, d, 3.3333331174e-1f);
  y = p * d * z;
  y = FMA (e, -2.12194440e-4f, y);
  y = FMA (z, -0.5f, y);
  return FMA (e, 0.693359375f, d + y);
}

/* 1 ulp for x > 0; the caller handles the rest. */
static inline float
vm_log_positive (float x)
{
  bool tiny = x < 0x1p-126f;
  uint32_t u = kit_bits_of_f32 (tiny ? x * 0x1p23f : x);
  /* exponent such that the mantissa lies in sqrt (1/2) .. sqrt (2) */
  uint32_t k = u - 0x3f3504f3u;
  float e = (float)((int32_t)k >> 23) - (tiny ? 23.0f : 0.0f);
  float m = kit_f32_of_bits ((k & 0x7fffffu) + 0x3f3504f3u);
  return vm_log_reduced (m - 1.0f, e);
}

static inline float
vm_log (float x)
{
  float y = vm_log_positive (x);
  y = x == INFINITY ? x : y;
  y = x == 0.0f ? -INFINITY : y;
  return !(x >= 0.0f) ? NAN : y;
}

/* 2 ulp: log of the rounded 1 + x, plus what the rounding lost. */
static inline float
vm_log1p (float x)
{
  float u = 1.0f + x;
  float lost = x > 1.0f ? 1.0f - (u - x) : x - (u - 1.0f);
  float y = vm_log_positive (u) + lost / u;
  y = fabsf (x) < 0x1p-25f ? x : y;
  y = x == INFINITY ? x : y;
  y = x == -1.0f ? -INFINITY : y;
  return !(x >= -1.0f) ? NAN : y;
}

/* 2 ulp. */
static inline float
vm_tanh (float x)
{
  float a = fabsf (x), z = x * x;
  float e = vm_exp (2.0f * a);
  float big = 1.0f - 2.0f / (e + 1.0f);
  float p = -5.70498872745e-3f;
  p = FMA (p, z, 2.06390887954e-2f);
  p = FMA (p, z, -5.37397155531e-2f);
  p = FMA (p, z, 1.33314422036e-1f);
  p = FMA (p, z, -3.33332819422e-1f);
  p = FMA (p * z, x, x);
  return a < 0.625f ? p : copysignf (big, x);
}

/* 2 ulp; through e^-|x|, so that neither end overflows. */
static inline float
vm_logistic (float x)
{
  float e = vm_exp (-fabsf (x));
  float y = (x >= 0.0f ? 1.0f : e) / (1.0f + e);
  return x != x ? x : y;
}

/* 1.5 ulp. */
static inline float
vm_erf (float x)
{
  float t = fabsf (x), s = x * x;
  float r = FMA (-1.72853470e-5f, t, 3.83197126e-4f);
  float u = FMA (-3.88396438e-3f, t, 2.42546219e-2f);
  float p = -5.96761703e-4f;
  r = FMA (r, s, u);
  r = FMA (r, t, -1.06777877e-1f);
  r = FMA (r, t, -6.34846687e-1f);
  r = FMA (r, t, -1.28717512e-1f);
  r = FMA (r, t, -t);
  r = copysignf (1.0f - vm_exp (t > 4.0f ? -30.0f : r), x);
  p = FMA (p, s, 4.99119423e-3f);
  p = FMA (p, s, -2.67681349e-2f);
  p = FMA (p, s, 1.12819925e-1f);
  p = FMA (p, s, -3.76125336e-1f);
  p = FMA (p, s, 1.28379166e-1f);
  p = FMA (p, x, x);
  r = t > 0.927734375f ? r : p;
  return x != x ? x : r;
}

/* M. Giles, "Approximating the erfinv function" (2010), as XLA has it. */
static inline float
vm_erf_inv (float x)
{
  float w = -vm_log1p (-x * x);
  bool centre = w < 5.0f;
  float v = centre ? w - 2.5f : sqrtf (w) - 3.0f;
  float p = centre ? 2.81022636e-08f : -0.000200214257f;
  p = FMA (p, v, centre ? 3.43273939e-07f : 0.000100950558f);
  p = FMA (p, v, centre ? -3.5233877e-06f : 0.00134934322f);
  p = FMA (p, v, centre ? -4.39150654e-06f : -0.00367342844f);
  p = FMA (p, v, centre ? 0.00021858087f : 0.00573950773f);
  p = FMA (p, v, centre ? -0.00125372503f : -0.0076224613f);
  p = FMA (p, v, centre ? -0.00417768164f : 0.00943887047f);
  p = FMA (p, v, centre ? 0.246640727f : 1.00167406f);
  p = FMA (p, v, centre ? 1.50140941f : 2.83297682f);
  return fabsf (x) == 1.0f ? x * INFINITY : p * x;
}

static inline float
vm_sign (float x)
{
  return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x;
}

/* NaN if either is NaN, +0 above -0. */
static inline float
vm_max (float a, float b)
{
  float r = a > b ? a : b;
  r = a == b ? kit_f32_of_bits (kit_bits_of_f32 (a) & kit_bits_of_f32 (b)) : r;
  return a != a || b != b ? a + b : r;
}

static inline float
vm_min (float a, float b)
{
  float r = a < b ? a : b;
  r = a == b ? kit_f32_of_bits (kit_bits_of_f32 (a) | kit_bits_of_f32 (b)) : r;
  return a != a || b != b ? a + b : r;
}

#endif
