/* SPDX-License-Identifier: Apache-2.0 */
/* Host arrays: memory, views, element access, and the rules of `convert` (sdk/lamina/ops.def:
 * float to integer truncates, saturates, NaN gives 0; integers wrap; floats round to even). */
#include "core/base/array.h"

#include <math.h>
#include <string.h>

static LmArray *
array_of (lam_dtype dtype, int64_t n, const void *data)
{
  lam_type type = lm_type (dtype, 1, &n);
  g_autoptr (GError) error = NULL;
  LmArray *array = lm_array_new_copy (&type, data, &error);

  g_assert_no_error (error);
  return array;
}

static void
test_new (void)
{
  lam_type type = lm_type (LAM_F32, 2, (int64_t[]) {3, 5});
  g_autoptr (LmArray) array = lm_array_new (&type, NULL);
  lam_type empty = lm_type (LAM_F32, 1, (int64_t[]) {0});
  g_autoptr (LmArray) none = lm_array_new (&empty, NULL);

  g_assert_cmpuint ((uintptr_t)array->data % 64, ==, 0);
  g_assert_cmpint (array->bytes, ==, 60);
  g_assert_false (array->read_only);
  for (int64_t i = 0; i < 15; i++)
    g_assert_cmpfloat (lm_array_get_double (array, i), ==, 0);
  g_assert_nonnull (none->data);
  g_assert_cmpint (none->bytes, ==, 0);
}

static void
test_too_big (void)
{
  lam_type overflow = lm_type (LAM_F32, 2, (int64_t[]) {INT64_C (1) << 40, INT64_C (1) << 40});
  lam_type huge = lm_type (LAM_F32, 1, (int64_t[]) {INT64_C (1) << 59});
  lam_type untyped = lm_scalar_type (LAM_DTYPE_NONE);
  g_autoptr (GError) a = NULL, b = NULL, c = NULL;

  g_assert_null (lm_array_new (&overflow, &a));
  g_assert_error (a, LM_ERROR, LM_ERROR_INVALID);
  g_assert_null (lm_array_new (&huge, &b));
  g_assert_error (b, LM_ERROR, LM_ERROR_NO_MEMORY);
  g_assert_nonnull (strstr (b->message, "f32[576460752303423488]"));
  g_assert_null (lm_array_new (&untyped, &c));
  g_assert_error (c, LM_ERROR, LM_ERROR_INVALID);
}

static void
count (gpointer owner)
{
  ++*(int *)owner;
}

static void
test_view (void)
{
  /* A view need not be aligned. */
  char bytes[9] = {0};
  const float x[2] = {1.5f, -2.0f};
  lam_type type = lm_type (LAM_F32, 1, (int64_t[]) {2});
  int freed = 0;

  memcpy (bytes + 1, x, sizeof x);
  LmArray *view = lm_array_new_view (&type, bytes + 1, &freed, count);
  g_assert_true (view->read_only && view->data == bytes + 1);
  g_assert_cmpfloat (lm_array_get_double (view, 1), ==, -2.0);
  lm_array_unref (lm_array_ref (view));
  g_assert_cmpint (freed, ==, 0);
  lm_array_unref (view);
  g_assert_cmpint (freed, ==, 1);
  lm_array_unref (NULL);
}

static void
test_get (void)
{
  const uint64_t u64 = UINT64_MAX;
  const int8_t i8 = -3;
  const uint8_t flag = 1;
  const uint16_t half = 0xc000; /* -2 */
  g_autoptr (LmArray) a = array_of (LAM_U64, 1, &u64), b = array_of (LAM_I8, 1, &i8);
  g_autoptr (LmArray) c = array_of (LAM_PRED, 1, &flag), d = array_of (LAM_F16, 1, &half);

  g_assert_cmpfloat (lm_array_get_double (a, 0), ==, 0x1p64);
  g_assert_cmpint (lm_array_get_int (a, 0), ==, -1); /* the same bits */
  g_assert_cmpint (lm_array_get_int (b, 0), ==, -3);
  g_assert_cmpfloat (lm_array_get_double (b, 0), ==, -3);
  g_assert_cmpint (lm_array_get_int (c, 0), ==, 1);
  g_assert_cmpfloat (lm_array_get_double (d, 0), ==, -2);
}

/* n values of `from` become the n bit patterns `wanted` of `to`. */
static void
check_convert (lam_dtype from, lam_dtype to, int64_t n, const void *data, const void *wanted)
{
  g_autoptr (LmArray) array = array_of (from, n, data);
  g_autoptr (LmArray) result = lm_array_convert (array, to, NULL);

  g_assert_cmpint (result->type.dtype, ==, to);
  g_assert_cmpmem (result->data, (gsize)result->bytes, wanted, (gsize)n * lam_dtype_bits (to) / 8);
}

static void
test_float_to_int (void)
{
  const double x[] = {2.9, -2.9, 300, -300, NAN, INFINITY, -INFINITY, 1e30};
  const int8_t i8[] = {2, -2, 127, -128, 0, 127, -128, 127};
  const uint8_t u8[] = {2, 0, 255, 0, 0, 255, 0, 255};
  const int64_t i64[] = {2, -2, 300, -300, 0, INT64_MAX, INT64_MIN, INT64_MAX};
  const uint64_t u64[] = {2, 0, 300, 0, 0, UINT64_MAX, 0, UINT64_MAX};
  const uint8_t flags[] = {1, 1, 1, 1, 1, 1, 1, 1};
  const double zeros[] = {0.0, -0.0, 5e-324};
  const uint8_t zero_flags[] = {0, 0, 1};

  check_convert (LAM_F64, LAM_I8, 8, x, i8);
  check_convert (LAM_F64, LAM_U8, 8, x, u8);
  check_convert (LAM_F64, LAM_I64, 8, x, i64);
  check_convert (LAM_F64, LAM_U64, 8, x, u64);
  check_convert (LAM_F64, LAM_PRED, 8, x, flags);
  check_convert (LAM_F64, LAM_PRED, 3, zeros, zero_flags);
}

static void
test_int_to_int (void)
{
  const int32_t x[] = {300, -1, 128, 0};
  const int8_t i8[] = {44, -1, -128, 0};
  const uint64_t u64[] = {300, UINT64_MAX, 128, 0};
  const uint8_t flags[] = {1, 1, 1, 0};

  check_convert (LAM_I32, LAM_I8, 4, x, i8);
  check_convert (LAM_I32, LAM_U64, 4, x, u64);
  check_convert (LAM_I32, LAM_PRED, 4, x, flags);
}

/* Values just above or at the middle of two 16-bit floats, by less than f32 (or f64) can hold: a
 * second rounding would go wrong. 1 + 2^-11 is the middle of 1 (even) and 1 + 2^-10. */
static void
test_round_once (void)
{
  const double x[] = {1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11, 1 + 0x1p-11 - 0x1p-40, 1e300, -1e300};
  const uint16_t f16[] = {0x3c01, 0x3c00, 0x3c00, 0x7c00, 0xfc00};
  const double y[] = {1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8, 1 + 0x1p-8 - 0x1p-40};
  const uint16_t bf16[] = {0x3f81, 0x3f80, 0x3f80};
  /* 2^62 + 2^54 is the middle of two bf16 numbers, one more tips it. */
  const int64_t n[] = {(INT64_C (1) << 62) + (INT64_C (1) << 54),
                       (INT64_C (1) << 62) + (INT64_C (1) << 54) + 1};
  const uint16_t from_int[] = {0x5e80, 0x5e81};
  const float f32[] = {0x1p62f, 0x1p62f};
  const int64_t m[] = {INT64_MIN, 3};
  const double f64[] = {-0x1p63, 3};

  static const lam_type two = {.dtype = LAM_BF16, .rank = 1, .dims = {2}};
  g_autoptr (GError) error = NULL;
  g_autoptr (LmArray) set = lm_array_new (&two, &error);
  g_assert_no_error (error);
  lm_array_set_double (set, 1, y[0]);
  g_assert_cmphex (((const uint16_t *)set->data)[1], ==, bf16[0]);

  check_convert (LAM_F64, LAM_F16, 5, x, f16);
  check_convert (LAM_F64, LAM_BF16, 3, y, bf16);
  check_convert (LAM_I64, LAM_BF16, 2, n, from_int);
  check_convert (LAM_I64, LAM_F32, 1, (int64_t[]) {(INT64_C (1) << 62) + 1}, f32);
  check_convert (LAM_I64, LAM_F64, 2, m, f64);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/array/new", test_new);
  g_test_add_func ("/base/array/too_big", test_too_big);
  g_test_add_func ("/base/array/view", test_view);
  g_test_add_func ("/base/array/get", test_get);
  g_test_add_func ("/base/array/float_to_int", test_float_to_int);
  g_test_add_func ("/base/array/int_to_int", test_int_to_int);
  g_test_add_func ("/base/array/round_once", test_round_once);
  return g_test_run ();
}
