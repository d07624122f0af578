/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/precision.c: reduce_precision. (Values: test-golden_ops.) */
#include "core/transform/transform.h"
#include "tests/lib/fixture.h"
#include "tests/lib/opcheck.h"

#include <math.h>

#define PRECISION(e, m) "reduce_precision(%0) {exponent_bits = " e ", mantissa_bits = " m "}"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F1 ("f32[5]", PRECISION ("5", "10"), "f32[5]"), NULL},
      {LM_F1 ("bf16[5]", PRECISION ("1", "0"), "bf16[5]"), NULL},
      {LM_F1 ("f32[5]", PRECISION ("70", "99"), "f32[5]"), NULL},
      {LM_F1 ("f32[5]", PRECISION ("0", "10"), "f32[5]"), "exponent_bits is 0, wanted at least 1"},
      {LM_F1 ("f32[5]", PRECISION ("5", "-1"), "f32[5]"), "mantissa_bits is -1, wanted at least 0"},
      {LM_F1 ("i32[5]", PRECISION ("5", "10"), "i32[5]"), "operand 0 is i32[5], wanted floats"},
      {LM_F1 ("f32[5]", "reduce_precision(%0) {exponent_bits = 5}", "f32[5]"), "\"mantissa_bits\""},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

#define TWICE(e, m, e2, m2)                                                                        \
  "func @f(%0: f32[3]) -> (f32[3]) {\n %1 = " PRECISION (                                          \
      e, m) " : f32[3]\n"                                                                          \
            " %2 = reduce_precision(%1) {exponent_bits = " e2 ", mantissa_bits = " m2              \
            "} : f32[3]\n"                                                                         \
            " return %2\n}"

/* The own precision of 16 bits is a place to round at and stays. */
static void
test_folds (void)
{
  const LmFoldCase cases[] = {
      {LM_F1 ("f32[3]", PRECISION ("8", "23"), "f32[3]"),
       "func @f(%0: f32[3]) -> (f32[3]) {\n return %0\n}"},
      {LM_F1 ("f64[3]", PRECISION ("11", "60"), "f64[3]"),
       "func @f(%0: f64[3]) -> (f64[3]) {\n return %0\n}"},
      {LM_F1 ("f64[3]", PRECISION ("8", "52"), "f64[3]"), NULL},
      {LM_F1 ("bf16[3]", PRECISION ("8", "7"), "bf16[3]"), NULL},
      {LM_F1 ("f16[3]", PRECISION ("8", "23"), "f16[3]"), NULL},
      {TWICE ("5", "10", "5", "10"), LM_F1 ("f32[3]", PRECISION ("5", "10"), "f32[3]")},
      {TWICE ("5", "10", "8", "7"), NULL},
  };
  lm_check_folds (cases, G_N_ELEMENTS (cases));
}

/* Cotangents are rounded as the values are: 1.0625 with two fraction bits is 1, 1.1875 is 1.25. */
static void
test_gradient (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f = lm_test_parse (LM_F1 ("f64[3]", PRECISION ("5", "2"), "f64[3]"));
  g_autoptr (LmFunction) vjp = lm_vjp (f, (bool[]) {true}, (bool[]) {true}, &error);
  g_assert_no_error (error);
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_check_backend (registry);
  g_autoptr (LmArray) x = lm_test_array (lm_param_type (f, 0), (double[]) {1.1, -3.3, 1e9});
  g_autoptr (LmArray) ct = lm_test_array (lm_param_type (f, 0), (double[]) {1.0625, 1.1875, -8});
  LmArray *in[] = {x, ct}, *out[2];
  lm_test_run (backend, vjp, in, out);
  const double y[] = {1, -3.5, INFINITY}, d_x[] = {1, 1.25, -8};
  for (int i = 0; i < 3; i++) {
    g_assert_cmpfloat (lm_array_get_double (out[0], i), ==, y[i]);
    g_assert_cmpfloat (lm_array_get_double (out[1], i), ==, d_x[i]);
  }
  lm_array_unref (out[0]);
  lm_array_unref (out[1]);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

#define EVERY(e, m)                                                                                \
  LM_F1 ("f64[99]", PRECISION (e, m), "f64[99]"), LM_F1 ("f32[99]", PRECISION (e, m), "f32[99]"),  \
      LM_F1 ("f16[99]", PRECISION (e, m), "f16[99]"),                                              \
      LM_F1 ("bf16[99]", PRECISION (e, m), "bf16[99]")

static void
test_decompositions (void)
{
  static const char *const texts[] = {EVERY ("5", "10"),  EVERY ("8", "7"), EVERY ("4", "3"),
                                      EVERY ("5", "2"),   EVERY ("1", "0"), EVERY ("2", "52"),
                                      EVERY ("60", "60"), EVERY ("8", "0")};
  lm_check_decompositions (texts, G_N_ELEMENTS (texts));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/precision/types", test_types);
  g_test_add_func ("/op/precision/folds", test_folds);
  g_test_add_func ("/op/precision/gradient", test_gradient);
  g_test_add_func ("/op/precision/decompositions", test_decompositions);
  return g_test_run ();
}
