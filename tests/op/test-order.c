/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/order.c: sort top_k. (Values: test-golden_ops.) */
#include "core/transform/transform.h"
#include "tests/lib/fixture.h"
#include "tests/lib/opcheck.h"

#define SORT2(a, b, attrs)                                                                         \
  "func @f(%0: " a ", %1: " b ") -> (" a ", " b ") {\n %2, %3 = sort(%0, %1) {" attrs "} : " a     \
  ", " b "\n return %2, %3\n}"
#define TOP_K(x, k, y)                                                                             \
  "func @f(%0: " x ") -> (" y ") {\n %1, %2 = top_k(%0) {k = " k "}\n return %1\n}"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F1 ("f32[5,4]", "sort(%0) {dimension = 1}", "f32[5,4]"), NULL},
      {LM_F1 ("bool[0]", "sort(%0) {dimension = 0, is_stable = 1}", "bool[0]"), NULL},
      {SORT2 ("f32[5,4]", "i8[5,4]", "dimension = 0, num_keys = 2"), NULL},
      {LM_F1 ("f32[5]", "sort(%0)", "f32[5]"), "\"dimension\""},
      {LM_F1 ("f32[5]", "sort(%0) {dimension = 1}", "f32[5]"),
       "dimension is 1, wanted an axis of 0 to 0"},
      {LM_F1 ("f32[5]", "sort(%0) {dimension = 0, num_keys = 2}", "f32[5]"),
       "num_keys is 2, wanted 1 to 1 (the operands)"},
      {LM_F1 ("f32[5]", "sort(%0) {dimension = 0, num_keys = 0}", "f32[5]"), "num_keys is 0"},
      {LM_F1 ("f32[5]", "sort(%0) {dimension = 0, is_stable = 2}", "f32[5]"),
       "is_stable is 2, wanted 0 or 1"},
      {SORT2 ("f32[5,4]", "i8[4,5]", "dimension = 0"),
       "operand 1 is i8[4,5], wanted i8[5,4] (the shape of operand 0)"},
      {TOP_K ("f32[5,4]", "3", "f32[5,3]"), NULL},
      {TOP_K ("u64[4]", "0", "u64[0]"), NULL},
      {TOP_K ("f32[5,4]", "5", "f32[5,5]"), "k is 5, wanted 0 to 4 (the last axis of operand 0)"},
      {TOP_K ("f32[4]", "-1", "f32[0]"), "k is -1"},
      {TOP_K ("f32[]", "0", "f32[]"), "operand 0 is f32[], wanted at least one axis"},
      {TOP_K ("bool[4]", "1", "bool[1]"), "operand 0 is bool[4], wanted numbers"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

static void
test_folds (void)
{
  const LmFoldCase cases[] = {
      {LM_F1 ("f32[1,3]", "sort(%0) {dimension = 0}", "f32[1,3]"),
       "func @f(%0: f32[1,3]) -> (f32[1,3]) {\n return %0\n}"},
      {"func @f() -> (i32[4]) {\n %0 = constant() {value = [7]} : i32[4]\n"
       " %1 = sort(%0) {dimension = 0} : i32[4]\n return %1\n}",
       LM_F0 ("constant() {value = [7]}", "i32[4]")},
      {"func @f(%0: f32[4,3]) -> (f32[4,3]) {\n %1 = sort(%0) {dimension = 0} : f32[4,3]\n"
       " %2 = sort(%1) {dimension = 0, is_stable = 1} : f32[4,3]\n return %2\n}",
       LM_F1 ("f32[4,3]", "sort(%0) {dimension = 0}", "f32[4,3]")},
      {"func @f(%0: f32[4,3]) -> (f32[4,3]) {\n %1 = sort(%0) {dimension = 0} : f32[4,3]\n"
       " %2 = sort(%1) {dimension = 1} : f32[4,3]\n return %2\n}",
       NULL},
      {SORT2 ("f32[1]", "i8[1]", "dimension = 0"), NULL},
  };
  lm_check_folds (cases, G_N_ELEMENTS (cases));
}

/* Squares of what is ordered, so that there is a second derivative; operands that go along; keys that
 * tie (a constant) and leave the order to the next. */
static void
test_grads (void)
{
  const LmGradCase cases[] = {
      {"func @f(%0: f64[3,5]) -> (f64[3,5]) {\n %1 = sort(%0) {dimension = 1} : f64[3,5]\n"
       " %2 = multiply(%1, %1) : f64[3,5]\n return %2\n}",
       0, 0, true},
      {"func @f(%0: f64[4,3]) -> (f64[4,3]) {\n"
       " %1 = sort(%0) {dimension = 0, is_stable = 1} : f64[4,3]\n"
       " %2 = multiply(%1, %0) : f64[4,3]\n return %2\n}",
       0, 0, true},
      {SORT2 ("f64[7]", "f64[7]", "dimension = 0, is_stable = 1"), 0, 0, true},
      {SORT2 ("f64[2,3,2]", "f64[2,3,2]", "dimension = 1, num_keys = 2"), 0, 0, true},
      {"func @f(%0: f64[6], %1: f64[6]) -> (f64[6], f64[6]) {\n"
       " %2 = constant() {value = [2, 1, 2, 1, 1, 2]} : i32[6]\n"
       " %3, %4, %5 = sort(%2, %0, %1) {dimension = 0, num_keys = 2} : i32[6], f64[6], f64[6]\n"
       " %6 = multiply(%4, %5) : f64[6]\n return %5, %6\n}",
       0, 0, true},
      {LM_F1 ("f64[0,2]", "sort(%0) {dimension = 0}", "f64[0,2]"), 0, 0, false},
      {TOP_K ("f64[3,6]", "2", "f64[3,2]"), 0, 0, true},
      {TOP_K ("f64[5]", "5", "f64[5]"), 0, 0, true},
      {TOP_K ("f64[5]", "0", "f64[0]"), 0, 0, false},
      {"func @f(%0: f64[2,5]) -> (f64[2,3]) {\n %1, %2 = top_k(%0) {k = 3}\n"
       " %3 = multiply(%1, %1) : f64[2,3]\n return %3\n}",
       0, 0, true},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

/* Ties: each element keeps the cotangent of its own place. */
static void
test_tied_gradient (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f =
      lm_test_parse (LM_F1 ("f64[5]", "sort(%0) {dimension = 0, is_stable = 1}", "f64[5]"));
  g_autoptr (LmFunction) vjp = lm_vjp (f, (bool[]) {true}, (bool[]) {true}, &error);
  g_assert_no_error (error);
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_check_backend (registry);
  g_autoptr (LmArray) x = lm_test_array (lm_param_type (f, 0), (double[]) {2, 1, 2, 1, 2});
  g_autoptr (LmArray) ct = lm_test_array (lm_param_type (f, 0), (double[]) {10, 20, 30, 40, 50});
  LmArray *in[] = {x, ct}, *out[2];
  lm_test_run (backend, vjp, in, out);
  const double d_x[] = {30, 10, 40, 20, 50};
  for (int i = 0; i < 5; i++)
    g_assert_cmpfloat (lm_array_get_double (out[1], i), ==, d_x[i]);
  lm_array_unref (out[0]);
  lm_array_unref (out[1]);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

#define BOTH(x, k, y)                                                                              \
  "func @f(%0: " x ") -> (" y ") {\n %1, %2 = top_k(%0) {k = " k "}\n return %1, %2\n}"

static void
test_decompositions (void)
{
  static const char *const texts[] = {
      BOTH ("f64[3,20]", "7", "f64[3,7], i32[3,7]"), BOTH ("f32[30]", "30", "f32[30], i32[30]"),
      BOTH ("f16[30]", "9", "f16[9], i32[9]"),       BOTH ("bf16[30]", "9", "bf16[9], i32[9]"),
      BOTH ("i64[30]", "9", "i64[9], i32[9]"),       BOTH ("i8[2,30]", "9", "i8[2,9], i32[2,9]"),
      BOTH ("u32[30]", "9", "u32[9], i32[9]"),       BOTH ("u64[30]", "1", "u64[1], i32[1]"),
      BOTH ("u16[4]", "0", "u16[0], i32[0]"),
  };
  lm_check_decompositions (texts, G_N_ELEMENTS (texts));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/order/types", test_types);
  g_test_add_func ("/op/order/folds", test_folds);
  g_test_add_func ("/op/order/grads", test_grads);
  g_test_add_func ("/op/order/tied-gradient", test_tied_gradient);
  g_test_add_func ("/op/order/decompositions", test_decompositions);
  return g_test_run ();
}
