/* SPDX-License-Identifier: Apache-2.0 */
/* 16-bit floats: every pattern there and back, rounding of doubles once. */
#include <glib.h>
#include <kit/float16.h>
#include <math.h>

/* IEEE 754 binary16 and bfloat16 by their definition: sign, exponent, fraction. */
static double
decode (uint16_t h, int fraction_bits, int bias)
{
  int exponent = (h & 0x7fff) >> fraction_bits, fraction = h & ((1 << fraction_bits) - 1);
  int top = (1 << (15 - fraction_bits)) - 1;
  double sign = (h & 0x8000) != 0 ? -1 : 1;
  if (exponent == top)
    return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * ldexp (fraction, 1 - bias - fraction_bits);
  return sign * ldexp ((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
}

static void
check_pattern (uint16_t h)
{
  double f = decode (h, 10, 15), b = decode (h, 7, 127);
  if (isnan (f)) {
    g_assert_true (isnan (kit_f16_to_f32 (h)));
    g_assert_true (isnan (kit_f16_to_f32 (kit_f32_to_f16 (kit_f16_to_f32 (h)))));
  } else {
    g_assert_cmpfloat ((double)kit_f16_to_f32 (h), ==, f);
    g_assert_cmphex (kit_f32_to_f16 ((float)f), ==, h);
    g_assert_cmphex (kit_f64_to_f16 (f), ==, h);
  }
  if (isnan (b)) {
    g_assert_true (isnan (kit_bf16_to_f32 (h)));
    g_assert_true (isnan (kit_bf16_to_f32 (kit_f32_to_bf16 (kit_bf16_to_f32 (h)))));
  } else {
    g_assert_cmpfloat ((double)kit_bf16_to_f32 (h), ==, b);
    g_assert_cmphex (kit_f32_to_bf16 ((float)b), ==, h);
    g_assert_cmphex (kit_f64_to_bf16 (b), ==, h);
  }
}

static void
test_patterns (void)
{
  for (uint32_t h = 0; h < 0x10000; h++)
    check_pattern ((uint16_t)h);
}

/* Between two neighbours: below the middle down, above up, the middle to the even one. The values next
 * to the middle differ from it by less than a float can hold, so a detour over f32 would get them wrong. */
static void
check_middle (uint16_t h, int fraction_bits, int bias, uint16_t (*narrow) (double))
{
  double low = decode (h, fraction_bits, bias),
         high = decode ((uint16_t)(h + 1), fraction_bits, bias);
  double middle = low + (high - low) / 2;
  g_assert_cmphex (narrow (nextafter (middle, low)), ==, h);
  g_assert_cmphex (narrow (nextafter (middle, high)), ==, h + 1);
  g_assert_cmphex (narrow (middle), ==, (h & 1) != 0 ? h + 1 : h);
  g_assert_cmphex (narrow (-middle), ==, 0x8000 | ((h & 1) != 0 ? h + 1 : h));
}

static void
test_ties (void)
{
  for (uint32_t h = 0; h < 0x7bff; h++)
    check_middle ((uint16_t)h, 10, 15, kit_f64_to_f16);
  for (uint32_t h = 1; h < 0x7f7f; h++)
    check_middle ((uint16_t)h, 7, 127, kit_f64_to_bf16);
}

static void
test_ends (void)
{
  g_assert_cmphex (kit_f64_to_f16 (65519.999), ==, 0x7bff);
  g_assert_cmphex (kit_f64_to_f16 (65520), ==, 0x7c00);
  g_assert_cmphex (kit_f64_to_f16 (-1e300), ==, 0xfc00);
  g_assert_cmphex (kit_f64_to_f16 (1e-300), ==, 0);
  g_assert_cmphex (kit_f64_to_f16 (-1e-300), ==, 0x8000);
  g_assert_cmphex (kit_f64_to_bf16 (0x1.fefffffp127), ==, 0x7f7f);
  g_assert_cmphex (kit_f64_to_bf16 (0x1.ffp127), ==, 0x7f80);
  g_assert_cmphex (kit_f64_to_bf16 (1e300), ==, 0x7f80);
  g_assert_true (isnan (kit_bf16_to_f32 (kit_f64_to_bf16 (NAN))));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kit/float16/patterns", test_patterns);
  g_test_add_func ("/kit/float16/ties", test_ties);
  g_test_add_func ("/kit/float16/ends", test_ends);
  return g_test_run ();
}
