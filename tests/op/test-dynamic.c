/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/dynamic.c: dynamic_slice dynamic_update_slice. */
#include "tests/lib/fixture.h"
#include "tests/lib/opcheck.h"

#define SLICE(sizes) "dynamic_slice(%0, %1, %2) {slice_sizes = [" sizes "]}"
#define UPDATE       "dynamic_update_slice(%0, %1, %2)"
#define STARTS(dt, a, b)                                                                           \
  " %7 = constant() {value = [" a "]} : " dt "[]\n %8 = constant() {value = [" b "]} : " dt "[]\n"
/* A slice of a parameter at two constant starts. */
#define READ(x, a, b, sizes, y)                                                                    \
  "func @f(%0: " x ") -> (" y                                                                      \
  ") {\n" STARTS ("i32", a, b) " %9 = dynamic_slice(%0, %7, %8) {slice_sizes = [" sizes "]} : " y  \
                               "\n return %9\n}\n"
#define WRITE(x, u, a, b)                                                                          \
  "func @f(%0: " x ", %1: " u ") -> (" x                                                           \
  ") {\n" STARTS ("i32", a, b) " %9 = dynamic_update_slice(%0, %1, %7, %8) : " x                   \
                               "\n return %9\n}\n"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F3 ("f32[5,4]", "i32[]", "i32[]", SLICE ("2, 4"), "f32[2,4]"), NULL},
      {LM_F3 ("bool[5,4]", "u8[]", "u8[]", SLICE ("0, 1"), "bool[0,1]"), NULL},
      {LM_F1 ("f32[]", "dynamic_slice(%0) {slice_sizes = []}", "f32[]"), NULL},
      {LM_F2 ("f32[5,4]", "i32[]", "dynamic_slice(%0, %1) {slice_sizes = [2, 2]}", "f32[2,2]"),
       "got 1 starts, wanted 2 (one for each axis of operand 0)"},
      {LM_F3 ("f32[5,4]", "i32[]", "i32[1]", SLICE ("2, 2"), "f32[2,2]"),
       "operand 2 is i32[1], wanted a scalar"},
      {LM_F3 ("f32[5,4]", "i32[]", "i64[]", SLICE ("2, 2"), "f32[2,2]"),
       "operand 2 is i64[], wanted dtype i32"},
      {LM_F3 ("f32[5,4]", "f32[]", "f32[]", SLICE ("2, 2"), "f32[2,2]"),
       "operand 1 is f32[], wanted integers"},
      {LM_F3 ("f32[5,4]", "i32[]", "i32[]", SLICE ("2, 5"), "f32[2,5]"),
       "slice_sizes[1] is 5, wanted at most 4 (axis 1 of operand 0)"},
      {LM_F3 ("f32[5,4]", "i32[]", "i32[]", SLICE ("-1, 2"), "f32[1,2]"), "slice_sizes[0] is -1"},
      {LM_F3 ("f32[5,4]", "i32[]", "i32[]", SLICE ("2"), "f32[2]"),
       "slice_sizes has 1 numbers, wanted 2"},
      {LM_F3 ("f32[5]", "f32[2]", "i32[]", UPDATE, "f32[5]"), NULL},
      {LM_F3 ("u8[5]", "u8[0]", "u64[]", UPDATE, "u8[5]"), NULL},
      {LM_F3 ("f32[5]", "f64[2]", "i32[]", UPDATE, "f32[5]"), "operand 1 is f64[2]"},
      {LM_F3 ("f32[5]", "f32[]", "i32[]", UPDATE, "f32[5]"),
       "operand 1 is f32[], wanted rank 1 (that of operand 0)"},
      {LM_F3 ("f32[5]", "f32[6]", "i32[]", UPDATE, "f32[5]"),
       "operand 1 is f32[6], wanted at most 5 at axis 0"},
      {LM_F3 ("f32[5]", "f32[2]", "bool[]", UPDATE, "f32[5]"), "operand 2 is bool[]"},
      {LM_F2 ("f32[5]", "f32[2]", "dynamic_update_slice(%0, %1)", "f32[5]"),
       "got 0 starts, wanted 1"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

static void
test_folds (void)
{
  const LmFoldCase cases[] = {
      {LM_F2 ("f32[3]", "i32[]", "dynamic_slice(%0, %1) {slice_sizes = [3]}", "f32[3]"),
       "func @f(%0: f32[3], %1: i32[]) -> (f32[3]) {\n return %0\n}"},
      {LM_F2 ("f32[3]", "i32[]", "dynamic_slice(%0, %1) {slice_sizes = [2]}", "f32[2]"), NULL},
      /* starts -7 and 9 are clamped to 0 and 2 */
      {READ ("f32[5,4]", "-7", "9", "3, 2", "f32[3,2]"),
       "func @f(%0: f32[5,4]) -> (f32[3,2]) {\n %1 = slice(%0) {start_indices = [0, 2], "
       "limit_indices = [3, 4]} : f32[3,2]\n return %1\n}"},
      {"func @f(%0: f32[5]) -> (f32[3]) {\n"
       " %1 = constant() {value = [18446744073709551615]} : u64[]\n"
       " %2 = dynamic_slice(%0, %1) {slice_sizes = [3]} : f32[3]\n return %2\n}",
       "func @f(%0: f32[5]) -> (f32[3]) {\n %1 = slice(%0) {start_indices = [2], "
       "limit_indices = [5]} : f32[3]\n return %1\n}"},
      {LM_F3 ("f32[3]", "f32[3]", "i32[]", UPDATE, "f32[3]"),
       "func @f(%0: f32[3], %1: f32[3], %2: i32[]) -> (f32[3]) {\n return %1\n}"},
      {LM_F3 ("f32[3]", "f32[0]", "i32[]", UPDATE, "f32[3]"),
       "func @f(%0: f32[3], %1: f32[0], %2: i32[]) -> (f32[3]) {\n return %0\n}"},
      {LM_F3 ("f32[3]", "f32[2]", "i32[]", UPDATE, "f32[3]"), NULL},
  };
  lm_check_folds (cases, G_N_ELEMENTS (cases));
}

/* In the middle, and at starts that are clamped on either side; a square makes the second one. */
static void
test_grads (void)
{
  const LmGradCase cases[] = {
      {READ ("f64[5,4]", "1", "2", "3, 2", "f64[3,2]"), 0, 0, true},
      {READ ("f64[5,4]", "-3", "99", "2, 3", "f64[2,3]"), 0, 0, true},
      {READ ("f64[5,4]", "0", "0", "0, 3", "f64[0,3]"), 0, 0, false},
      {WRITE ("f64[5,4]", "f64[2,3]", "2", "0"), 0, 0, true},
      {WRITE ("f64[5,4]", "f64[2,3]", "7", "-2"), 0, 0, true},
      {WRITE ("f64[3,2]", "f64[0,2]", "1", "0"), 0, 0, false},
      {"func @f(%0: f64[5,4], %1: f64[2,3]) -> (f64[5,4]) {\n" STARTS (
           "i32", "7", "-2") " %9 = dynamic_update_slice(%0, %1, %7, %8) : f64[5,4]\n"
                             " %10 = multiply(%9, %9) : f64[5,4]\n return %10\n}\n",
       0, 0, true},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

static void
test_decompositions (void)
{
  static const char *const texts[] = {
      LM_F3 ("f32[5,4]", "i32[]", "i32[]", SLICE ("2, 4"), "f32[2,4]"),
      LM_F3 ("i16[5,4]", "i64[]", "i64[]", SLICE ("3, 1"), "i16[3,1]"),
      LM_F3 ("bf16[5,4]", "u64[]", "u64[]", SLICE ("0, 1"), "bf16[0,1]"),
      LM_F1 ("f32[]", "dynamic_slice(%0) {slice_sizes = []}", "f32[]"),
      LM_F3 ("f16[5]", "f16[2]", "i8[]", UPDATE, "f16[5]"),
      LM_F3 ("u64[5]", "u64[5]", "i32[]", UPDATE, "u64[5]"),
      LM_F2 ("f64[]", "f64[]", "dynamic_update_slice(%0, %1)", "f64[]"),
      "func @f(%0: bool[3,4], %1: bool[2,2], %2: u8[], %3: u8[]) -> (bool[3,4]) {\n"
      " %4 = dynamic_update_slice(%0, %1, %2, %3) : bool[3,4]\n return %4\n}\n",
  };
  lm_check_decompositions (texts, G_N_ELEMENTS (texts));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/dynamic/types", test_types);
  g_test_add_func ("/op/dynamic/folds", test_folds);
  g_test_add_func ("/op/dynamic/grads", test_grads);
  g_test_add_func ("/op/dynamic/decompositions", test_decompositions);
  return g_test_run ();
}
