/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/reduce.c: reduce argmax argmin. */
#include "tests/lib/opcheck.h"

#define REDUCE(how, dims) "reduce(%0) {computation = \"" how "\", dimensions = [" dims "]}"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F1 ("f32[2,3,4]", REDUCE ("add", "2, 0"), "f32[3]"), NULL},
      {LM_F1 ("f32[2]", REDUCE ("maximum", ""), "f32[2]"), NULL},
      {LM_F1 ("bool[2]", REDUCE ("and", "0"), "bool[]"), NULL},
      {LM_F1 ("bool[2]", REDUCE ("add", "0"), "bool[]"), NULL},
      {LM_F1 ("f32[2]", REDUCE ("or", "0"), "f32[]"),
       "operand 0 is f32[2], wanted integers or bool"},
      {LM_F1 ("f32[2]", REDUCE ("sum", "0"), "f32[]"),
       "computation is \"sum\", wanted one of: add"},
      {LM_F1 ("f32[2]", REDUCE ("maximun", "0"), "f32[]"), "did you mean \"maximum\""},
      {LM_F1 ("f32[2]", REDUCE ("add", "1"), "f32[]"),
       "dimensions[0] is 1, wanted an axis of 0 to 0"},
      {LM_F1 ("f32[2,2]", REDUCE ("add", "0, 0"), "f32[]"), "dimensions names axis 0 twice"},
      {LM_F1 ("f32[2]", "reduce(%0) {computation = \"add\"}", "f32[]"), "dimensions"},
      {LM_F1 ("f32[2,3]", "argmax(%0) {dimension = 1}", "i32[2]"), NULL},
      {LM_F1 ("f32[2,3]", "argmin(%0) {dimension = 0}", "u8[3]"), NULL},
      {LM_F1 ("f32[2,3]", "argmax(%0) {dimension = 1}", "f32[2]"), "wanted an integer dtype"},
      {LM_F1 ("f32[2,3]", "argmax(%0) {dimension = 1}", "i32[3]"), "wanted i32[2]"},
      {LM_F1 ("f32[2,3]", "argmin(%0) {dimension = 2}", "i32[2]"), "dimension is 2"},
      {LM_F1 ("f32[2,0]", "argmin(%0) {dimension = 1}", "i32[2]"),
       "operand 0 is f32[2,0], wanted at least 1 element at axis 1"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

static void
test_folds (void)
{
  const LmFoldCase cases[] = {
      {LM_F1 ("f32[2,1]", REDUCE ("maximum", "1"), "f32[2]"),
       LM_F1 ("f32[2,1]", "reshape(%0)", "f32[2]")},
      {LM_F1 ("f32[2,1]", REDUCE ("multiply", ""), "f32[2,1]"),
       "func @f(%0: f32[2,1]) -> (f32[2,1]) {\n return %0\n}"},
      {LM_F1 ("i32[2,1]", REDUCE ("add", "1"), "i32[2]"),
       LM_F1 ("i32[2,1]", "reshape(%0)", "i32[2]")},
      {LM_F1 ("f32[2,1]", REDUCE ("add", "1"), "f32[2]"), NULL}, /* 0 + -0 is +0 */
      {LM_F1 ("i32[2,1]", REDUCE ("add", "0"), "i32[1]"), NULL},
  };
  lm_check_folds (cases, G_N_ELEMENTS (cases));
}

static void
test_grads (void)
{
  const LmGradCase cases[] = {
      {LM_F1 ("f64[2,3,4]", REDUCE ("add", "2, 0"), "f64[3]"), 0, 0, true},
      {LM_F1 ("f64[3]", REDUCE ("add", "0"), "f64[]"), 0, 0, false},
      {LM_F1 ("f64[2,3,4]", REDUCE ("maximum", "1"), "f64[2,4]"), 0, 0, true},
      {LM_F1 ("f64[2,3,4]", REDUCE ("minimum", "0, 1, 2"), "f64[]"), 0, 0, true},
      {LM_F1 ("f64[2,5]", REDUCE ("multiply", "1"), "f64[2]"), 0, 0, true},
      {LM_F1 ("f64[2,3,2]", REDUCE ("multiply", "0, 2"), "f64[3]"), 0, 0, true},
      {LM_F1 ("f64[3,1]", REDUCE ("multiply", "1"), "f64[3]"), 0, 0, true},
      {LM_F1 ("f64[3]", REDUCE ("multiply", ""), "f64[3]"), 0, 0, false},
      {LM_F1 ("f64[3,0]", REDUCE ("multiply", "1"), "f64[3]"), 0, 0, false},
      {LM_F1 ("f64[3,0]", REDUCE ("add", "1"), "f64[3]"), 0, 0, false},
      /* zeros inside: the product of the others, not y / x */
      {"func @f(%0: f64[2,4]) -> (f64[2]) {\n"
       " %1 = constant() {value = [0, 1, 1, 1, 0, 1, 0, 1]} : i32[2,4]\n %2 = convert(%1) : "
       "f64[2,4]\n"
       " %3 = multiply(%0, %2) : f64[2,4]\n %4 = "
       "reduce(%3) {computation = \"multiply\", dimensions = [1]}"
       " : f64[2]\n return %4\n}",
       0, 0, true},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/reduce/types", test_types);
  g_test_add_func ("/op/reduce/folds", test_folds);
  g_test_add_func ("/op/reduce/grads", test_grads);
  return g_test_run ();
}
