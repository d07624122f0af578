/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/choose.c: compare select clamp. */
#include "tests/lib/opcheck.h"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F2 ("f32[2]", "f32[2]", "compare(%0, %1) {comparison_direction = \"LT\"}", "bool[2]"),
       NULL},
      {LM_F2 ("bool[2]", "bool[2]", "compare(%0, %1) {comparison_direction = \"EQ\"}", "bool[2]"),
       NULL},
      {LM_F2 ("f32[2]", "f32[2]", "compare(%0, %1) {comparison_direction = \"LESS\"}", "bool[2]"),
       "comparison_direction is \"LESS\", wanted one of: EQ, NE, LT, LE, GT, GE"},
      {LM_F2 ("f32[2]", "f32[1]", "compare(%0, %1) {comparison_direction = \"LT\"}", "bool[2]"),
       "compare: operand 1 is f32[1], wanted f32[2]"},
      {LM_F2 ("f32[2]", "f32[2]", "compare(%0, %1)", "bool[2]"), "comparison_direction"},
      {LM_F3 ("bool[2]", "f32[2]", "f32[2]", "select(%0, %1, %2)", "f32[2]"), NULL},
      {LM_F3 ("bool[]", "f32[2]", "f32[2]", "select(%0, %1, %2)", "f32[2]"), NULL},
      {LM_F3 ("bool[1]", "f32[2]", "f32[2]", "select(%0, %1, %2)", "f32[2]"),
       "operand 0 is bool[1], wanted bool or bool[2] (the shape of operand 1)"},
      {LM_F3 ("u8[2]", "f32[2]", "f32[2]", "select(%0, %1, %2)", "f32[2]"), "operand 0 is u8[2]"},
      {LM_F3 ("bool[2]", "f32[2]", "f64[2]", "select(%0, %1, %2)", "f32[2]"),
       "operand 2 is f64[2]"},
      {LM_F3 ("f32[]", "f32[2]", "f32[2]", "clamp(%0, %1, %2)", "f32[2]"), NULL},
      {LM_F3 ("f32[1]", "f32[2]", "f32[2]", "clamp(%0, %1, %2)", "f32[2]"), "operand 0 is f32[1]"},
      {LM_F3 ("f32[]", "f32[2]", "f64[]", "clamp(%0, %1, %2)", "f32[2]"),
       "operand 2 is f64[], wanted dtype f32"},
      {LM_F3 ("bool[]", "bool[2]", "bool[]", "clamp(%0, %1, %2)", "bool[2]"), "wanted numbers"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

#define COMPARED(a, b, t, direction)                                                               \
  "func @f() -> (bool[3]) {\n %0 = constant() {value = [" a "]} : " t                              \
  "\n %1 = constant() {value = [" b "]} : " t                                                      \
  "\n %2 = compare(%0, %1) {comparison_direction = \"" direction "\"} : bool[3]\n return %2\n}"
#define IS(v) LM_F0 ("constant() {value = [" v "]}", "bool[3]")
#define PICKED(v)                                                                                  \
  "func @f(%0: f32[2], %1: f32[2]) -> (f32[2]) {\n %2 = constant() {value = [" v "]} : bool[]\n"   \
  " %3 = select(%2, %0, %1) : f32[2]\n return %3\n}"

static void
test_folds (void)
{
  const LmFoldCase cases[] = {
      {COMPARED ("1, 2, 3", "2", "i32[3]", "EQ"), IS ("false, true, false")},
      {COMPARED ("1, 2, 3", "2", "i32[3]", "NE"), IS ("true, false, true")},
      {COMPARED ("1, 2, 3", "2", "i32[3]", "LT"), IS ("true, false, false")},
      {COMPARED ("1, 2, 3", "2", "i32[3]", "LE"), IS ("true, true, false")},
      {COMPARED ("1, 2, 3", "2", "i32[3]", "GT"), IS ("false, false, true")},
      {COMPARED ("1, 2, 3", "2", "i32[3]", "GE"), IS ("false, true, true")},
      {COMPARED ("-1, 0, 1", "0", "i8[3]", "GT"), IS ("false, false, true")},
      {COMPARED ("18446744073709551615, 0, 1", "0", "u64[3]", "GT"), IS ("true, false, true")},
      {COMPARED ("1.0", "2.0", "f32[3]", "GT"), NULL},
      {PICKED ("true"), "func @f(%0: f32[2], %1: f32[2]) -> (f32[2]) {\n return %0\n}"},
      {PICKED ("false"), "func @f(%0: f32[2], %1: f32[2]) -> (f32[2]) {\n return %1\n}"},
      {LM_F2 ("bool[2]", "f32[2]", "select(%0, %1, %1)", "f32[2]"),
       "func @f(%0: bool[2], %1: f32[2]) -> (f32[2]) {\n return %1\n}"},
      {LM_F1 ("f32[3]", "compare(%0, %0) {comparison_direction = \"EQ\"}", "bool[3]"), NULL},
      {LM_F1 ("i32[3]", "compare(%0, %0) {comparison_direction = \"LE\"}", "bool[3]"),
       "func @f(%0: i32[3]) -> (bool[3]) {\n %1 = constant() {value = [true]} : bool[3]\n return "
       "%1\n}"},
  };
  lm_check_folds (cases, G_N_ELEMENTS (cases));
}

static void
test_grads (void)
{
  const LmGradCase cases[] = {
      {"func @f(%0: f64[3], %1: f64[3]) -> (f64[3]) {\n"
       " %2 = constant() {value = [true, false, true]} : bool[3]\n"
       " %3 = select(%2, %0, %1) : f64[3]\n return %3\n}",
       0, 0, true},
      {"func @f(%0: f64[3], %1: f64[3]) -> (f64[3]) {\n"
       " %2 = constant() {value = [false]} : bool[]\n %3 = select(%2, %0, %1) : f64[3]\n return "
       "%3\n}",
       0, 0, true},
      {"func @f(%0: f64[3], %1: f64[3]) -> (f64[3]) {\n"
       " %2 = compare(%0, %1) {comparison_direction = \"GT\"} : bool[3]\n"
       " %3 = multiply(%0, %1) : f64[3]\n %4 = select(%2, %0, %3) : f64[3]\n return %4\n}",
       0, 0, true},
      /* Random bounds in both orders: below, inside, above, low above high. */
      {LM_F3 ("f64[9]", "f64[9]", "f64[9]", "clamp(%0, %1, %2)", "f64[9]"), 0, 0, true},
      {"func @f(%0: f64[], %1: f64[9], %2: f64[]) -> (f64[9]) {\n"
       " %3 = constant() {value = [0.97]} : f64[]\n %4 = subtract(%0, %3) : f64[]\n"
       " %5 = add(%2, %3) : f64[]\n %6 = clamp(%4, %1, %5) : f64[9]\n return %6\n}",
       0, 0, true},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/choose/types", test_types);
  g_test_add_func ("/op/choose/folds", test_folds);
  g_test_add_func ("/op/choose/grads", test_grads);
  return g_test_run ();
}
