/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/convert.c: convert bitcast_convert. */
#include "tests/lib/opcheck.h"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F1 ("f32[2]", "convert(%0)", "bool[2]"), NULL},
      {LM_F1 ("i8[2]", "convert(%0)", "bf16[2]"), NULL},
      {LM_F1 ("f32[2]", "convert(%0)", "f64[3]"),
       "the stated result type is f64[3], wanted f64[2]"},
      {LM_F1 ("f32[2]", "bitcast_convert(%0)", "u32[2]"), NULL},
      {LM_F1 ("f32[2]", "bitcast_convert(%0)", "u16[2]"),
       "operand 0 is f32[2], wanted a dtype of 16 bits (that of the stated u16)"},
      {LM_F1 ("u8[2]", "bitcast_convert(%0)", "bool[2]"), "bool has no bits"},
      {LM_F1 ("f32[2]", "bitcast_convert(%0)", "u32[1]"), "wanted u32[2]"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

#define CONVERTED(value, from, to)                                                                 \
  "func @f() -> (" to ") {\n %0 = constant() {value = [" value "]} : " from                        \
  "\n %1 = convert(%0) : " to "\n return %1\n}"

static void
test_folds (void)
{
  const LmFoldCase cases[] = {
      {LM_F1 ("f32[2]", "convert(%0)", "f32[2]"),
       "func @f(%0: f32[2]) -> (f32[2]) {\n return %0\n}"},
      {LM_F1 ("f32[2]", "bitcast_convert(%0)", "f32[2]"),
       "func @f(%0: f32[2]) -> (f32[2]) {\n return %0\n}"},
      {LM_F1 ("f32[2]", "convert(%0)", "f64[2]"), NULL},
      {CONVERTED ("300, -1", "i32[2]", "i8[2]"), LM_F0 ("constant() {value = [44, -1]}", "i8[2]")},
      {CONVERTED ("-1", "i8[2]", "u16[2]"), LM_F0 ("constant() {value = [65535]}", "u16[2]")},
      {CONVERTED ("256, 0", "i32[2]", "bool[2]"),
       LM_F0 ("constant() {value = [true, false]}", "bool[2]")},
      {CONVERTED ("7", "i32[3]", "f32[3]"), LM_F0 ("constant() {value = [7.0]}", "f32[3]")},
      /* rounds, so it stays */
      {CONVERTED ("16777217", "i32[3]", "f32[3]"), NULL},
      {CONVERTED ("18446744073709551615", "u64[3]", "f64[3]"), NULL},
      {CONVERTED ("0.5", "f32[3]", "f64[3]"), NULL},
  };
  lm_check_folds (cases, G_N_ELEMENTS (cases));
}

static void
test_grads (void)
{
  /* f64 -> f64 would fold; through integers nothing flows: floor by way of i32. */
  const LmGradCase cases[] = {
      {"func @f(%0: f64[3]) -> (f64[3]) {\n %1 = convert(%0) : i32[3]\n %2 = convert(%1) : f64[3]\n"
       " %3 = multiply(%0, %2) : f64[3]\n return %3\n}",
       0, 0, true},
      {LM_F1 ("f64[3]", "convert(%0)", "f64[3]"), 0, 0, false},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/convert/types", test_types);
  g_test_add_func ("/op/convert/folds", test_folds);
  g_test_add_func ("/op/convert/grads", test_grads);
  return g_test_run ();
}
