/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison: what is near enough and what is not, for each kind of tolerance. */
#include "core/conformance/cases.h"
#include "tests/lib/fixture.h"

#include <math.h>
#include <string.h>

static LmArray *
bits_array (lam_dtype dtype, uint64_t bits)
{
  lam_type type = lm_type (dtype, 1, (int64_t[]) {1});
  LmArray *a = lm_array_new (&type, NULL);
  memcpy (a->data, &bits, lam_dtype_bits (dtype) / 8);
  return a;
}

static bool
fits (LmComparison *c, lam_dtype dtype, uint64_t got, uint64_t want)
{
  g_autoptr (LmArray) a = bits_array (dtype, got), b = bits_array (dtype, want);
  g_autofree char *message = NULL;
  bool ok = lm_case_compare (c, a, b, &message);
  g_assert_true (ok == (message == NULL));
  return ok;
}

#define ONE  0x3f800000u
#define QNAN 0x7fc00000u

static void
test_bits (void)
{
  LmComparison c = {.allow = LM_ALLOW_BITS, .rule = lm_rule_of ("slice")};
  g_assert_true (fits (&c, LAM_F32, ONE, ONE));
  g_assert_true (fits (&c, LAM_F32, QNAN + 1, QNAN + 1));
  g_assert_false (fits (&c, LAM_F32, QNAN + 1, QNAN));
  g_assert_false (fits (&c, LAM_F32, 0x80000000u, 0));
  g_assert_false (fits (&c, LAM_F32, ONE + 1, ONE));
  g_assert_false (fits (&c, LAM_I8, 3, 4));
}

static void
test_equal (void)
{
  LmComparison c = {.allow = LM_ALLOW_EQUAL, .rule = lm_rule_of ("add")};
  g_assert_true (fits (&c, LAM_F32, QNAN + 1, 0xffc00000u));
  g_assert_false (fits (&c, LAM_F32, QNAN, 0x7f800000u)); /* inf */
  g_assert_false (fits (&c, LAM_F32, 0x80000000u, 0));    /* -0 is not 0 */
  g_assert_false (fits (&c, LAM_F32, 1, 0));              /* nor is a denormal flushed */
  g_assert_false (fits (&c, LAM_BF16, 0x3f81, 0x3f80));
  g_assert_true (fits (&c, LAM_BF16, 3, 4)); /* denormals of bf16: rounded twice */
  g_assert_false (fits (&c, LAM_BF16, 2, 4));
  g_assert_false (fits (&c, LAM_F16, 3, 4));
  g_assert_false (fits (&c, LAM_U64, UINT64_MAX, UINT64_MAX - 1));
  g_assert_true (isinf (c.worst_ulps));
}

static void
test_ulps (void)
{
  LmComparison c = {.allow = LM_ALLOW_ULPS, .rule = lm_rule_of ("exponential")};
  g_assert_true (fits (&c, LAM_F32, ONE - 4, ONE));
  g_assert_cmpfloat (c.worst_ulps, ==, 4);
  g_assert_false (fits (&c, LAM_F32, ONE + 5, ONE));
  g_assert_true (fits (&c, LAM_F16, 0x3c01, 0x3c00));
  g_assert_false (fits (&c, LAM_F16, 0x3c02, 0x3c00));
  g_assert_true (
      fits (&c, LAM_F64, 0x3fa4a65342552904, 0x3fa4a65342552900)); /* no double can count that */
  g_assert_false (fits (&c, LAM_F64, 0x3fa4a65342552905, 0x3fa4a65342552900));
  g_assert_true (fits (&c, LAM_F32, 0x7f7fffffu, 0x7f800000u)); /* the last number, and infinity */
  g_assert_false (fits (&c, LAM_F32, 0x7f7ffffeu, 0x7f800000u));
  g_assert_false (fits (&c, LAM_F32, 0xff7fffffu, 0x7f800000u));
  g_assert_true (fits (&c, LAM_F32, 0x80000001u, 1)); /* across 0 it is two steps */
  g_assert_false (fits (&c, LAM_F32, QNAN, ONE));
  c.rule = lm_rule_of ("logistic");
  g_assert_true (fits (&c, LAM_F32, 0, 0x00700000u)); /* below the smallest normal number */
  g_assert_false (fits (&c, LAM_F32, 0, 0x00900000u));
}

static bool
terms_fit (const char *op, lam_dtype dtype, double got, double want, double size, double count)
{
  lam_type type = lm_type (dtype, 1, (int64_t[]) {1}), wide = lm_type (LAM_F64, 1, type.dims);
  g_autoptr (LmArray) a = lm_test_array (&type, &got), b = lm_test_array (&type, &want);
  g_autoptr (LmArray) s = lm_test_array (&wide, &size), n = lm_test_array (&wide, &count);
  g_autofree char *message = NULL;
  LmComparison c = {.allow = LM_ALLOW_SUM,
                    .rule = lm_rule_of (op),
                    .accumulator = dtype == LAM_F64 ? LAM_F64 : LAM_F32,
                    .size = s,
                    .count = n};
  return lm_case_compare (&c, a, b, &message);
}

static bool
sum_fits (lam_dtype dtype, double got, double want, double size, double count)
{
  return terms_fit ("reduce", dtype, got, want, size, count);
}

/* 8 (sqrt n + 1) u sum |term| + 1 ulp by hand. */
static void
test_sum (void)
{
  double u = 0x1p-24, bound = 8 * (10 + 1) * u * 50; /* 100 terms of size 1/2 */
  g_assert_true (sum_fits (LAM_F32, 1 + bound, 1, 50, 100));
  g_assert_false (sum_fits (LAM_F32, 1 + bound + 4 * u, 1, 50, 100));
  g_assert_true (
      sum_fits (LAM_F32, 0, bound, 50, 100)); /* what cancels is not small beside its terms */
  g_assert_false (sum_fits (LAM_F32, 0, 1.1 * bound, 50, 100));
  g_assert_true (sum_fits (LAM_F16, 1 + 0x1p-10, 1, 1, 1)); /* f16 sums in f32: the last rounding */
  g_assert_false (sum_fits (LAM_F16, 1 + 0x1p-9, 1, 1, 1));
  g_assert_false (sum_fits (LAM_F16, 257, 256, 256, 512)); /* 4 units: f16 was the accumulator */
  g_assert_true (sum_fits (LAM_F64, 1 + 8 * 11 * 0x1p-53 * 50, 1, 50, 100));
  g_assert_false (sum_fits (LAM_F64, 1 + 0x1p-30, 1, 50, 100));
}

/* Products of 2^-80: in f32 they are 0, in a wider accumulator not. */
static void
test_products (void)
{
  double least = 0x1p-149, tiny = 0x1p-160;
  g_assert_true (terms_fit ("dot_general", LAM_F32, 3 * least, 0, 3 * tiny, 3));
  g_assert_true (terms_fit ("convolution", LAM_F32, 0, 3 * least, 3 * tiny, 3));
  g_assert_false (terms_fit ("dot_general", LAM_F32, 5 * least, 0, 3 * tiny, 3));
  g_assert_false (terms_fit ("cumsum", LAM_F32, 3 * least, 0, 3 * tiny, 3));
  g_assert_false (sum_fits (LAM_F32, 3 * least, 0, 3 * tiny, 3));
}

static void
test_step (void)
{
  lam_type type = lm_type (LAM_F32, 1, (int64_t[]) {2});
  g_autoptr (LmArray) want = lm_test_array (&type, (double[]) {8, 0.001});
  g_autoptr (LmArray) near = lm_test_array (&type, (double[]) {8, 0.001 + 8000 * 0x1p-24});
  g_autoptr (LmArray) far = lm_test_array (&type, (double[]) {8, 0.001 + 8400 * 0x1p-24});
  g_autofree char *message = NULL;
  LmComparison c = {.allow = LM_ALLOW_STEP, .rule = lm_rule_of ("steps_mlp")};
  g_assert_true (lm_case_compare (&c, near, want, &message));
  g_assert_false (lm_case_compare (&c, far, want, &message));
  g_assert_nonnull (strstr (message, "element [1]: wanted 0.001"));
  g_assert_nonnull (strstr (message, "1 of 2 elements"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conformance/compare/bits", test_bits);
  g_test_add_func ("/conformance/compare/equal", test_equal);
  g_test_add_func ("/conformance/compare/ulps", test_ulps);
  g_test_add_func ("/conformance/compare/sum", test_sum);
  g_test_add_func ("/conformance/compare/products", test_products);
  g_test_add_func ("/conformance/compare/step", test_step);
  return g_test_run ();
}
