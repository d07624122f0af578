/* SPDX-License-Identifier: Apache-2.0 */
/* Elements as text: every 16-bit pattern, the corners of the others, what is refused. */
#include "core/ir/text_number.h"

#include <string.h>

static void
assert_prints (lam_dtype dtype, const void *element, const char *wanted)
{
  g_autoptr (GString) text = g_string_new (NULL);

  lm_number_print (text, dtype, element);
  g_assert_cmpstr (text->str, ==, wanted);
}

static void
assert_round_trip (lam_dtype dtype, uint64_t bits)
{
  g_autoptr (GString) text = g_string_new (NULL);
  uint64_t again = 0;

  lm_number_print (text, dtype, &bits);
  g_assert_true (lm_number_parse (text->str, text->len, dtype, &again));
  if (bits != again)
    g_error ("%s: 0x%" G_GINT64_MODIFIER "x prints as %s", lam_dtype_name (dtype), bits, text->str);
}

static void
test_float_forms (void)
{
  assert_prints (LAM_F32, &(float) {1}, "1.0");
  assert_prints (LAM_F32, &(float) {-0.0f}, "-0.0");
  assert_prints (LAM_F32, &(float) {0.1f}, "0.1"); /* not 0.100000001490116 */
  assert_prints (LAM_F64, &(double) {0.1}, "0.1");
  assert_prints (LAM_F64, &(double) {1.0 / 3}, "0.3333333333333333");
  assert_prints (LAM_F32, &(float) {16777216}, "16777216.0");
  assert_prints (LAM_F16, &(uint16_t) {0x2e66}, "0.1"); /* the f16 nearest to 0.1 */
  assert_prints (LAM_F32, &(uint32_t) {0x7fc00000}, "nan");
  assert_prints (LAM_F32, &(uint32_t) {0xffc00000}, "0xffc00000");
  assert_prints (LAM_F32, &(uint32_t) {0x7f800001}, "0x7f800001");
  assert_prints (LAM_F64, &(uint64_t) {UINT64_C (0xfff0000000000000)}, "-inf");
}

static void
test_int_forms (void)
{
  assert_prints (LAM_I8, &(int8_t) {-128}, "-128");
  assert_prints (LAM_U8, &(uint8_t) {255}, "255");
  assert_prints (LAM_I64, &(int64_t) {INT64_MIN}, "-9223372036854775808");
  assert_prints (LAM_U64, &(uint64_t) {UINT64_MAX}, "18446744073709551615");
  assert_prints (LAM_PRED, &(uint8_t) {1}, "true");
}

static void
test_16_bits (void)
{
  for (uint64_t bits = 0; bits < 0x10000; bits++) {
    assert_round_trip (LAM_F16, bits);
    assert_round_trip (LAM_BF16, bits);
    assert_round_trip (LAM_I16, bits);
    assert_round_trip (LAM_U16, bits);
  }
}

/* Random bits, so all exponents, subnormals and NaNs. */
static void
test_wide (void)
{
  for (int i = 0; i < 20000; i++) {
    uint64_t high = g_test_rand_int (), low = (uint32_t)g_test_rand_int ();
    uint64_t bits = high << 32 | low;
    assert_round_trip (LAM_F32, low);
    assert_round_trip (LAM_F64, bits);
    assert_round_trip (LAM_I64, bits);
    assert_round_trip (LAM_U64, bits);
  }
  assert_round_trip (LAM_F32, 1); /* smallest subnormal */
  assert_round_trip (LAM_F64, 1);
  assert_round_trip (LAM_F32, 0x7f7fffff); /* largest */
}

static void
test_refused (void)
{
  static const struct {
    lam_dtype dtype;
    const char *token;
  } cases[] = {
      {LAM_F32, "1e39"},
      {LAM_F16, "65520"},
      {LAM_F64, "1e309"},
      {LAM_F32, ""},
      {LAM_F32, "1.0x"},
      {LAM_F32, "0x"},
      {LAM_F32, "0x123456789"},
      {LAM_F32, "0x1p3"},
      {LAM_F32, "infinity"},
      {LAM_F32, "NaN"},
      {LAM_F32, "true"},
      {LAM_I8, "128"},
      {LAM_I8, "-129"},
      {LAM_I8, "1.0"},
      {LAM_I8, "-"},
      {LAM_U8, "256"},
      {LAM_U8, "-1"},
      {LAM_I64, "9223372036854775808"},
      {LAM_U64, "18446744073709551616"},
      {LAM_PRED, "1"},
      {LAM_I32, "+1"},
  };
  uint64_t element;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    if (lm_number_parse (cases[i].token, strlen (cases[i].token), cases[i].dtype, &element))
      g_error ("\"%s\" was taken for %s", cases[i].token, lam_dtype_name (cases[i].dtype));
  g_assert_true (lm_number_parse ("-0", 2, LAM_U8, &element)); /* a zero all the same */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ir/text_number/float_forms", test_float_forms);
  g_test_add_func ("/ir/text_number/int_forms", test_int_forms);
  g_test_add_func ("/ir/text_number/16_bits", test_16_bits);
  g_test_add_func ("/ir/text_number/wide", test_wide);
  g_test_add_func ("/ir/text_number/refused", test_refused);
  return g_test_run ();
}
