/* SPDX-License-Identifier: Apache-2.0 */
/* What makes the reference backend an oracle: precision where libm does not help, single rounding, and where
 * sums are rounded. */
#include "tests/lib/fixture.h"

#include <math.h>
#include <string.h>

/* One equation over one parameter. */
static LmArray *
run_one (const char *text, LmArray *x)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (LmBackend) backend = lm_test_backend (registry, "reference");
  g_autoptr (LmFunction) f = lm_test_parse (text);
  LmArray *y = NULL;
  lm_test_run (backend, f, &x, &y);
  lm_registry_free (registry);
  return y;
}

/* y = erf_inv (x) solves erf (y) = x; near 1 the residual is looked at through erfc, as a relative error of
 * 1 - x, which the slope turns into one of y. */
static void
check_inverse (double x, double y)
{
  double slope = 2 / sqrt (G_PI) * exp (-y * y);
  double miss = fabs (x) < 0.5 ? erf (y) - x : copysign (1 - fabs (x) - erfc (fabs (y)), x);
  g_assert_cmpfloat (fabs (miss), <=,
                     1e-15 * fabs (y) * slope + 4e-16 * fabs (x < 0.5 ? x : 1 - x));
}

static void
test_erf_inv (void)
{
  double points[130];
  int n = 0;
  for (double x = 0.01; x < 1; x += 0.01)
    points[n++] = x;
  for (double q = 1e-3; q > 1e-16; q /= 10)
    points[n++] = 1 - q;
  for (double x = 1e-3; x > 1e-15 && n < 128; x /= 10)
    points[n++] = x;
  lam_type type = lm_type (LAM_F64, 1, (int64_t[]) {n});
  g_autofree char *text = g_strdup_printf ("func @f(%%0: f64[%d]) -> (f64[%d]) {\n"
                                           "  %%1 = erf_inv(%%0) : f64[%d]\n  return %%1\n}\n",
                                           n, n, n);
  g_autoptr (LmArray) x = lm_test_array (&type, points);
  g_autoptr (LmArray) y = run_one (text, x);
  for (int i = 0; i < n; i++)
    check_inverse (points[i], lm_array_get_double (y, i));
}

static void
test_erf_inv_ends (void)
{
  static const double points[] = {1, -1, 1.5, -2, 0, 0x1p-1074, NAN};
  lam_type type = lm_type (LAM_F64, 1, (int64_t[]) {7});
  g_autoptr (LmArray) x = lm_test_array (&type, points);
  g_autoptr (LmArray) y = run_one ("func @f(%0: f64[7]) -> (f64[7]) {\n"
                                   "  %1 = erf_inv(%0) : f64[7]\n  return %1\n}\n",
                                   x);
  g_assert_cmpfloat (lm_array_get_double (y, 0), ==, INFINITY);
  g_assert_cmpfloat (lm_array_get_double (y, 1), ==, -INFINITY);
  g_assert_true (isnan (lm_array_get_double (y, 2)));
  g_assert_true (isnan (lm_array_get_double (y, 3)));
  g_assert_cmpfloat (lm_array_get_double (y, 4), ==, 0);
  g_assert_cmpfloat (lm_array_get_double (y, 5), ==, 0x1p-1074); /* 0.886 of the least subnormal */
  g_assert_true (isnan (lm_array_get_double (y, 6)));
}

/* 2^54 + 2^30 + 1 lies just above the middle of two f32: a detour over double would lose the 1 and round
 * to even, downwards. */
static void
test_integer_rounds_once (void)
{
  lam_type type = lm_type (LAM_I64, 1, (int64_t[]) {3});
  const int64_t values[] = {(INT64_C (1) << 54) + (1 << 30) + 1, (INT64_C (1) << 54) + (1 << 30),
                            -((INT64_C (1) << 54) + (1 << 30) + 1)};
  g_autoptr (LmArray) x = lm_array_new_copy (&type, values, NULL);
  g_autoptr (LmArray) y = run_one ("func @f(%0: i64[3]) -> (f32[3]) {\n"
                                   "  %1 = convert(%0) : f32[3]\n  return %1\n}\n",
                                   x);
  g_assert_cmpfloat (lm_array_get_double (y, 0), ==, 0x1p54 + 0x1p31);
  g_assert_cmpfloat (lm_array_get_double (y, 1), ==, 0x1p54);
  g_assert_cmpfloat (lm_array_get_double (y, 2), ==, -0x1p54 - 0x1p31);
}

/* 4096 ones: an f16 sum would stick at 2048, a bf16 sum at 256. */
static void
test_narrow_sums (void)
{
  static const lam_dtype dtypes[] = {LAM_F16, LAM_BF16};
  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++) {
    const char *name = lam_dtype_name (dtypes[d]);
    lam_type type = lm_type (dtypes[d], 1, (int64_t[]) {4096});
    g_autofree double *ones = g_new (double, 4096);
    for (int i = 0; i < 4096; i++)
      ones[i] = 1;
    g_autofree char *sum = g_strdup_printf (
        "func @f(%%0: %s[4096]) -> (%s[]) {\n"
        "  %%1 = reduce(%%0) {computation = \"add\", dimensions = [0]} : %s[]\n  return %%1\n}\n",
        name, name, name);
    g_autofree char *dot =
        g_strdup_printf ("func @f(%%0: %s[4096]) -> (%s[]) {\n"
                         "  %%1 = dot_general(%%0, %%0) {lhs_contracting_dimensions = [0], "
                         "rhs_contracting_dimensions = [0]} : %s[]\n  return %%1\n}\n",
                         name, name, name);
    g_autoptr (LmArray) x = lm_test_array (&type, ones);
    g_autoptr (LmArray) a = run_one (sum, x);
    g_autoptr (LmArray) b = run_one (dot, x);
    g_assert_cmpfloat (lm_array_get_double (a, 0), ==, 4096);
    g_assert_cmpfloat (lm_array_get_double (b, 0), ==, 4096);
  }
}

/* Denormals are kept, in every float dtype. */
static void
test_denormals (void)
{
  static const struct {
    lam_dtype dtype;
    double least;
  } cases[] = {{LAM_F64, 0x1p-1074}, {LAM_F32, 0x1p-149}, {LAM_F16, 0x1p-24}, {LAM_BF16, 0x1p-133}};
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *name = lam_dtype_name (cases[i].dtype);
    lam_type type = lm_type (cases[i].dtype, 1, (int64_t[]) {1});
    g_autofree char *text = g_strdup_printf ("func @f(%%0: %s[1]) -> (%s[1]) {\n"
                                             "  %%1 = add(%%0, %%0) : %s[1]\n  return %%1\n}\n",
                                             name, name, name);
    g_autoptr (LmArray) x = lm_test_array (&type, &cases[i].least);
    g_autoptr (LmArray) y = run_one (text, x);
    g_assert_cmpfloat (lm_array_get_double (y, 0), ==, 2 * cases[i].least);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/backends/reference/erf_inv", test_erf_inv);
  g_test_add_func ("/backends/reference/erf_inv_ends", test_erf_inv_ends);
  g_test_add_func ("/backends/reference/integer_rounds_once", test_integer_rounds_once);
  g_test_add_func ("/backends/reference/narrow_sums", test_narrow_sums);
  g_test_add_func ("/backends/reference/denormals", test_denormals);
  return g_test_run ();
}
