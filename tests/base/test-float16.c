/* SPDX-License-Identifier: Apache-2.0 */
/* 16-bit floats against their definition: value = mantissa * 2^exponent, and nearest-even search. */
#include "core/base/array.h"

#include <math.h>

/* IEEE 754 binary16 by its formula. */
static double
f16_value (uint16_t h)
{
  int exponent = (h >> 10) & 31, mantissa = h & 1023;
  double sign = h & 0x8000 ? -1 : 1;

  if (exponent == 31)
    return mantissa != 0 ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? ldexp (mantissa, -24) : ldexp (1024 + mantissa, exponent - 25));
}

static void
test_f16_all (void)
{
  for (guint32 h = 0; h < 65536; h++) {
    double wanted = f16_value ((uint16_t)h);
    float got = lm_f16_to_f32 ((uint16_t)h);
    if (isnan (wanted)) {
      g_assert_true (isnan (got));
      g_assert_true (isnan (lm_f16_to_f32 (lm_f32_to_f16 (got))));
      continue;
    }
    g_assert_true ((double)got == wanted && !signbit (got) == !signbit (wanted));
    g_assert_cmphex (lm_f32_to_f16 (got), ==, h);
  }
}

/* Between each two neighbours: below the middle, the middle (to even), above it. */
static void
test_f16_rounding (void)
{
  for (guint32 h = 0; h < 0x7c00; h++) {
    double low = f16_value ((uint16_t)h);
    double high = h == 0x7bff ? 65536 : f16_value ((uint16_t)(h + 1)); /* inf stands at 2^16 */
    float middle = (float)((low + high) / 2);
    guint even = h % 2 == 0 ? h : h + 1;
    g_assert_cmphex (lm_f32_to_f16 (middle), ==, even);
    g_assert_cmphex (lm_f32_to_f16 (-middle), ==, even | 0x8000);
    g_assert_cmphex (lm_f32_to_f16 (nextafterf (middle, 0)), ==, h);
    g_assert_cmphex (lm_f32_to_f16 (nextafterf (middle, INFINITY)), ==, h + 1);
  }
  g_assert_cmphex (lm_f32_to_f16 (INFINITY), ==, 0x7c00);
  g_assert_cmphex (lm_f32_to_f16 (1e30f), ==, 0x7c00);
}

static float
bf16_value (guint32 h)
{
  guint32 exponent = (h >> 7) & 255, mantissa = h & 127;

  if (exponent == 0)
    return (float)ldexp (mantissa, -133);
  return (float)ldexp (128 + mantissa, (int)exponent - 134);
}

static void
test_bf16 (void)
{
  for (guint32 h = 0; h < 0x7f7f; h++) {
    float low = bf16_value (h), high = bf16_value (h + 1);
    float middle = (float)(((double)low + (double)high) / 2);
    g_assert_true (lm_bf16_to_f32 ((uint16_t)h) == low);
    g_assert_cmphex (lm_f32_to_bf16 (low), ==, h);
    g_assert_cmphex (lm_f32_to_bf16 (middle), ==, h % 2 == 0 ? h : h + 1);
    g_assert_cmphex (lm_f32_to_bf16 (-nextafterf (middle, 0)), ==, h | 0x8000);
    g_assert_cmphex (lm_f32_to_bf16 (nextafterf (middle, INFINITY)), ==, h + 1);
  }
  g_assert_cmphex (lm_f32_to_bf16 (INFINITY), ==, 0x7f80);
  g_assert_cmphex (lm_f32_to_bf16 (3.4e38f), ==, 0x7f80); /* nearer to 2^128 than to the greatest */
  g_assert_true (isnan (lm_bf16_to_f32 (lm_f32_to_bf16 (NAN))));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/float16/f16_all", test_f16_all);
  g_test_add_func ("/base/float16/f16_rounding", test_f16_rounding);
  g_test_add_func ("/base/float16/bf16", test_bf16);
  return g_test_run ();
}
