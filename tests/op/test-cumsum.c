/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/cumsum.c: cumsum. */
#include "tests/lib/opcheck.h"

#define CUMSUM(dimension, reverse, exclusive)                                                      \
  "cumsum(%0) {dimension = " dimension ", reverse = " reverse ", exclusive = " exclusive "}"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F1 ("f32[5,4]", CUMSUM ("1", "1", "0"), "f32[5,4]"), NULL},
      {LM_F1 ("u8[0]", "cumsum(%0) {dimension = 0}", "u8[0]"), NULL},
      {LM_F1 ("f32[5]", "cumsum(%0)", "f32[5]"), "\"dimension\""},
      {LM_F1 ("f32[5]", CUMSUM ("1", "0", "0"), "f32[5]"),
       "dimension is 1, wanted an axis of 0 to 0"},
      {LM_F1 ("f32[5]", CUMSUM ("-1", "0", "0"), "f32[5]"), "dimension is -1"},
      {LM_F1 ("f32[5]", CUMSUM ("0", "2", "0"), "f32[5]"), "reverse is 2, wanted 0 or 1"},
      {LM_F1 ("f32[5]", CUMSUM ("0", "0", "-1"), "f32[5]"), "exclusive is -1, wanted 0 or 1"},
      {LM_F1 ("bool[5]", CUMSUM ("0", "0", "0"), "bool[5]"),
       "operand 0 is bool[5], wanted numbers"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

static void
test_folds (void)
{
  const LmFoldCase cases[] = {
      {LM_F1 ("f32[1,3]", CUMSUM ("0", "1", "0"), "f32[1,3]"),
       "func @f(%0: f32[1,3]) -> (f32[1,3]) {\n return %0\n}"},
      {LM_F1 ("f32[1,3]", CUMSUM ("0", "0", "1"), "f32[1,3]"),
       "func @f(%0: f32[1,3]) -> (f32[1,3]) {\n %1 = constant() {value = [0.0]} : f32[1,3]\n"
       " return %1\n}"},
      {LM_F1 ("f32[2,3]", CUMSUM ("0", "0", "1"), "f32[2,3]"), NULL},
  };
  lm_check_folds (cases, G_N_ELEMENTS (cases));
}

/* A square behind the sum makes a second derivative. */
#define SQUARED(reverse, exclusive)                                                                \
  "func @f(%0: f64[3,4,2]) -> (f64[3,4,2]) {\n %1 = " CUMSUM (                                     \
      "1", reverse, exclusive) " : f64[3,4,2]\n %2 = multiply(%1, %1) : f64[3,4,2]\n return %2\n}"

static void
test_grads (void)
{
  const LmGradCase cases[] = {
      {SQUARED ("0", "0"), 0, 0, true},
      {SQUARED ("0", "1"), 0, 0, true},
      {SQUARED ("1", "0"), 0, 0, true},
      {SQUARED ("1", "1"), 0, 0, true},
      {LM_F1 ("f64[0,2]", CUMSUM ("0", "0", "0"), "f64[0,2]"), 0, 0, false},
      {LM_F1 ("f64[5]", CUMSUM ("0", "1", "1"), "f64[5]"), 0, 0, true},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

/* Whole eighths: floats add up exactly in any order (f32 in double). */
static void
test_decompositions (void)
{
  static const char *const texts[] = {
      LM_F1 ("i32[3,4,2]", CUMSUM ("1", "0", "0"), "i32[3,4,2]"),
      LM_F1 ("u8[7]", CUMSUM ("0", "0", "1"), "u8[7]"),
      LM_F1 ("i64[7]", CUMSUM ("0", "1", "0"), "i64[7]"),
      LM_F1 ("i16[4,3]", CUMSUM ("0", "1", "1"), "i16[4,3]"),
      LM_F1 ("f32[4,3]", CUMSUM ("1", "1", "1"), "f32[4,3]"),
      LM_F1 ("bf16[40]", CUMSUM ("0", "0", "0"), "bf16[40]"),
      LM_F1 ("f64[1,2]", CUMSUM ("0", "0", "1"), "f64[1,2]"),
      LM_F1 ("f64[0,2]", CUMSUM ("0", "0", "1"), "f64[0,2]"),
  };
  lm_check_decompositions (texts, G_N_ELEMENTS (texts));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/cumsum/types", test_types);
  g_test_add_func ("/op/cumsum/folds", test_folds);
  g_test_add_func ("/op/cumsum/grads", test_grads);
  g_test_add_func ("/op/cumsum/decompositions", test_decompositions);
  return g_test_run ();
}
