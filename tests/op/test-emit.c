/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/emit.c: constants of every dtype, shortcuts, inertness. */
#include "core/op/emit.h"

#include <string.h>

/* The one stored element of a constant as bits. */
static uint64_t
bits_of (LmBuilder *b, LmValue v)
{
  const lam_attr *a = lm_builder_constant (b, v);
  uint64_t bits = 0;
  g_assert_nonnull (a);
  g_assert_cmpuint (a->n, ==, lam_dtype_bits (lm_builder_type (b, v)->dtype) / 8);
  memcpy (&bits, a->data, a->n);
  return bits;
}

/* Bit patterns of 0.1 and -1 from IEEE 754 (numpy and ml_dtypes give the same). */
static void
test_splats (void)
{
  static const struct {
    lam_dtype dtype;
    double value;
    uint64_t bits;
  } cases[] = {
      {LAM_F64, 0.1, 0x3fb999999999999aull},
      {LAM_F32, 0.1, 0x3dcccccd},
      {LAM_F16, 0.1, 0x2e66},
      {LAM_BF16, 0.1, 0x3dcd},
      {LAM_F32, -0.0, 0x80000000},
      {LAM_I64, -1, UINT64_MAX},
      {LAM_I8, -1, 0xff},
      {LAM_U16, 65535, 0xffff},
      {LAM_PRED, 1, 1},
  };
  g_autoptr (LmBuilder) b = lm_builder_new ("t");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    lam_type type = lm_type (cases[i].dtype, 2, (int64_t[]) {2, 3});
    LmValue v = lm_splat (b, &type, cases[i].value);
    g_assert_cmphex (bits_of (b, v), ==, cases[i].bits);
    g_assert_true (lm_type_equal (lm_builder_type (b, v), &type));
  }
  lam_type wide = lm_scalar_type (LAM_I64), narrow = lm_scalar_type (LAM_F32);
  g_assert_cmphex (bits_of (b, lm_splat_int (b, &wide, INT64_MIN)), ==, 0x8000000000000000ull);
  g_assert_cmphex (bits_of (b, lm_splat_int (b, &narrow, 3)), ==, 0x40400000);
  g_assert_no_error (lm_builder_error (b));
}

static void
test_shortcuts (void)
{
  g_autoptr (LmBuilder) b = lm_builder_new ("t");
  lam_type scalar = lm_scalar_type (LAM_F32);
  LmValue x = lm_builder_param (b, &scalar);
  g_assert_cmpuint (lm_convert (b, x, LAM_F32), ==, x);
  g_assert_cmpuint (lm_bitcast (b, x, LAM_F32), ==, x);
  g_assert_cmpuint (lm_broadcast_scalar (b, x, &scalar), ==, x);
  LmValue key = lm_bitcast (b, x, LAM_U32), y[2];
  lm_threefry (b, key, key, key, key, y);
  g_assert_cmpuint (y[1], ==, y[0] + 1);
  g_assert_cmpint (lm_builder_type (b, y[1])->dtype, ==, LAM_U32);
  g_assert_no_error (lm_builder_error (b));
}

/* After the first error every constructor does nothing, and the error stays. */
static void
test_inert (void)
{
  g_autoptr (LmBuilder) b = lm_builder_new ("t");
  lam_type scalar = lm_scalar_type (LAM_F32), vector = lm_type (LAM_F32, 1, (int64_t[]) {3});
  LmValue x = lm_builder_param (b, &scalar), v = lm_builder_param (b, &vector), y[2];
  int64_t zero = 0;
  LmDotDims none = {.n_batch = 0};
  LmValue bad = lm_add (b, x, v);
  g_assert_cmpuint (bad, ==, LM_NIL);
  g_assert_error (lm_builder_error (b), LM_ERROR, LM_ERROR_INVALID);
  g_autofree char *first = g_strdup (lm_builder_error (b)->message);
  g_assert_cmpuint (lm_reduce (b, bad, "add", &zero, 1), ==, LM_NIL);
  g_assert_cmpuint (lm_reduce_all (b, bad, "add"), ==, LM_NIL);
  g_assert_cmpuint (lm_reshape (b, bad, 1, &zero), ==, LM_NIL);
  g_assert_cmpuint (lm_transpose (b, bad, &zero), ==, LM_NIL);
  g_assert_cmpuint (lm_slice (b, bad, &zero, &zero, NULL), ==, LM_NIL);
  g_assert_cmpuint (lm_pad (b, bad, bad, &zero, &zero, NULL), ==, LM_NIL);
  g_assert_cmpuint (lm_convert (b, bad, LAM_F64), ==, LM_NIL);
  g_assert_cmpuint (lm_zeros_like (b, bad), ==, LM_NIL);
  g_assert_cmpuint (lm_mul_scalar (b, bad, 2), ==, LM_NIL);
  g_assert_cmpuint (lm_dot_general (b, bad, bad, &none), ==, LM_NIL);
  lm_threefry (b, bad, bad, bad, bad, y);
  g_assert_cmpuint (y[0], ==, LM_NIL);
  g_assert_cmpuint (y[1], ==, LM_NIL);
  g_assert_cmpstr (lm_builder_error (b)->message, ==, first);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/emit/splats", test_splats);
  g_test_add_func ("/op/emit/shortcuts", test_shortcuts);
  g_test_add_func ("/op/emit/inert", test_inert);
  return g_test_run ();
}
