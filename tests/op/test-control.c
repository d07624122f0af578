/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/control.c: composite name stop_gradient optimization_barrier. */
#include "core/transform/transform.h"
#include "tests/lib/fixture.h"
#include "tests/lib/opcheck.h"

#define SQUARE                                                                                     \
  "(func @body(%0: f64[3]) -> (f64[3]) {\n %1 = multiply(%0, %0) : f64[3]\n return %1\n})"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F1 ("f64[3]", "composite(%0) {name = \"square\"} " SQUARE, "f64[3]"), NULL},
      {LM_F1 ("f64[3]", "composite(%0) {name = \"square\"}", "f64[3]"),
       "got 0 regions, wanted 1 (the decomposition)"},
      {LM_F1 ("f64[2]", "composite(%0) {name = \"square\"} " SQUARE, "f64[3]"),
       "operand 0 is f64[2], wanted f64[3] (parameter 0 of the region @body)"},
      {LM_F2 ("f64[3]", "f64[3]", "composite(%0, %1) {name = \"square\"} " SQUARE, "f64[3]"),
       "has 1 parameters, wanted 2"},
      {LM_F1 ("f64[3]", "composite(%0) {version = 1} " SQUARE, "f64[3]"), "name"},
      {LM_F1 ("f64[3]", "name(%0) {name = \"h\"}", "f64[3]"), NULL},
      {LM_F1 ("f64[3]", "name(%0)", "f64[3]"), "\"name\""},
      {LM_F1 ("f64[3]", "stop_gradient(%0) " SQUARE, "f64[3]"), "got 1 regions, wanted none"},
      {LM_F1 ("i8[3]", "stop_gradient(%0)", "i8[3]"), NULL},
      {"func @f(%0: f64[3], %1: i8[]) -> (f64[3], i8[]) {\n"
       " %2, %3 = optimization_barrier(%0, %1) : f64[3], i8[]\n return %2, %3\n}",
       NULL},
      {"func @f() -> (f64[3]) {\n %0 = optimization_barrier() : f64[3]\n return %0\n}",
       "wanted at least 1"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

/* Nothing looks through a barrier, and names stay for legalize. */
static void
test_folds (void)
{
  const LmFoldCase cases[] = {
      {"func @f(%0: f64[3]) -> (f64[3]) {\n %1 = negate(%0) : f64[3]\n"
       " %2 = optimization_barrier(%1) : f64[3]\n %3 = negate(%2) : f64[3]\n return %3\n}",
       NULL},
      {"func @f() -> (i32[]) {\n %0 = constant() {value = [1]} : i32[]\n"
       " %1 = optimization_barrier(%0) : i32[]\n %2 = add(%1, %1) : i32[]\n return %2\n}",
       NULL},
      {LM_F1 ("f64[3]", "name(%0) {name = \"h\"}", "f64[3]"), NULL},
      {LM_F1 ("f64[3]", "stop_gradient(%0)", "f64[3]"), NULL},
  };
  lm_check_folds (cases, G_N_ELEMENTS (cases));
}

static void
test_grads (void)
{
  const LmGradCase cases[] = {
      {LM_F1 ("f64[3]", "composite(%0) {name = \"square\"} " SQUARE, "f64[3]"), 0, 0, true},
      {"func @f(%0: f64[3]) -> (f64[3]) {\n %1 = name(%0) {name = \"h\"} : f64[3]\n"
       " %2 = multiply(%0, %1) : f64[3]\n return %2\n}",
       0, 0, true},
      {"func @f(%0: f64[3], %1: f64[2]) -> (f64[3], f64[2]) {\n"
       " %2, %3 = optimization_barrier(%0, %1) : f64[3], f64[2]\n"
       " %4 = multiply(%0, %2) : f64[3]\n return %4, %3\n}",
       0, 0, true},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

/* x stop (x): the gradient is x, not 2 x. */
static void
test_stop_gradient (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f =
      lm_test_parse ("func @f(%0: f64[1]) -> (f64[1]) {\n %1 = stop_gradient(%0) : f64[1]\n"
                     " %2 = multiply(%0, %1) : f64[1]\n return %2\n}");
  bool yes = true;
  g_autoptr (LmFunction) vjp = lm_vjp (f, &yes, &yes, &error);
  g_assert_no_error (error);
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_check_backend (registry);
  g_autoptr (LmArray) x = lm_test_array (lm_param_type (f, 0), (double[]) {3});
  g_autoptr (LmArray) ct = lm_test_array (lm_param_type (f, 0), (double[]) {1});
  LmArray *in[] = {x, ct}, *out[2];
  lm_test_run (backend, vjp, in, out);
  g_assert_cmpfloat (((double *)out[0]->data)[0], ==, 9);
  g_assert_cmpfloat (((double *)out[1]->data)[0], ==, 3);
  lm_array_unref (out[0]);
  lm_array_unref (out[1]);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/control/types", test_types);
  g_test_add_func ("/op/control/folds", test_folds);
  g_test_add_func ("/op/control/grads", test_grads);
  g_test_add_func ("/op/control/stop-gradient", test_stop_gradient);
  return g_test_run ();
}
