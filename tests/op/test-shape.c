/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/shape.c: constant iota broadcast_in_dim reshape transpose reverse. */
#include "tests/lib/opcheck.h"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F0 ("constant() {value = [1.0, 2.0]}", "f32[2]"), NULL},
      {LM_F0 ("constant() {value = [3]}", "i8[2,2]"), NULL},
      {LM_F0 ("constant() {value = 0x\"000102\"}", "bool[3]"),
       "byte 2 of value is 2, wanted 0 or 1"},
      {LM_F0 ("iota() {iota_dimension = 1}", "bf16[2,3]"), NULL},
      {LM_F0 ("iota() {iota_dimension = 2}", "i32[2,3]"),
       "iota_dimension is 2, wanted an axis of 0 to 1"},
      {LM_F0 ("iota() {iota_dimension = 0}", "bool[2]"), "wanted numbers"},
      {LM_F0 ("iota() {}", "i32[2]"), "iota_dimension"},
      {LM_F1 ("f32[3]", "broadcast_in_dim(%0) {broadcast_dimensions = [1]}", "f32[2,3]"), NULL},
      {LM_F1 ("f32[1]", "broadcast_in_dim(%0) {broadcast_dimensions = [0]}", "f32[2,3]"), NULL},
      {LM_F1 ("f32[3]", "broadcast_in_dim(%0) {broadcast_dimensions = [0]}", "f32[2,3]"),
       "operand 0 is f32[3], wanted size 1 or 2 at axis 0 (axis 0 of the result)"},
      {LM_F1 ("f32[3]", "broadcast_in_dim(%0) {broadcast_dimensions = [2]}", "f32[2,3]"),
       "broadcast_dimensions[0] is 2, wanted an axis of 0 to 1"},
      {LM_F1 ("f32[2,3]", "broadcast_in_dim(%0) {broadcast_dimensions = [1, 0]}", "f32[3,2]"),
       "wanted increasing axes"},
      {LM_F1 ("f32[2,3]", "broadcast_in_dim(%0) {broadcast_dimensions = [1]}", "f32[3,2]"),
       "broadcast_dimensions has 1 numbers, wanted 2"},
      {LM_F1 ("f32[3]", "broadcast_in_dim(%0) {broadcast_dimensions = [0]}", "f64[3]"),
       "wanted dtype f64"},
      {LM_F1 ("f32[2,3]", "reshape(%0)", "f32[3,1,2]"), NULL},
      {LM_F1 ("f32[2,3]", "reshape(%0)", "f32[7]"),
       "operand 0 is f32[2,3], wanted 7 elements (those of the stated result f32[7])"},
      {LM_F1 ("f32[2,3]", "reshape(%0)", "f16[6]"), "wanted dtype f16"},
      {LM_F1 ("f32[2,3,4]", "transpose(%0) {permutation = [2, 0, 1]}", "f32[4,2,3]"), NULL},
      {LM_F1 ("f32[2,3]", "transpose(%0) {permutation = [0, 0]}", "f32[2,3]"), "axis 0 twice"},
      {LM_F1 ("f32[2,3]", "transpose(%0) {permutation = [0]}", "f32[2,3]"),
       "permutation has 1 numbers, wanted 2"},
      {LM_F1 ("f32[2,3]", "reverse(%0) {dimensions = [1, 0]}", "f32[2,3]"), NULL},
      {LM_F1 ("f32[2,3]", "reverse(%0) {dimensions = [-1]}", "f32[2,3]"), "dimensions[0] is -1"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

static void
test_folds (void)
{
  const LmFoldCase cases[] = {
      {LM_F1 ("f32[2,3]", "broadcast_in_dim(%0) {broadcast_dimensions = [0, 1]}", "f32[2,3]"),
       "func @f(%0: f32[2,3]) -> (f32[2,3]) {\n return %0\n}"},
      {LM_F1 ("f32[1,3]", "broadcast_in_dim(%0) {broadcast_dimensions = [0, 1]}", "f32[2,3]"),
       NULL},
      {"func @f() -> (f32[2,3]) {\n %0 = constant() {value = [2.0]} : f32[]\n"
       " %1 = broadcast_in_dim(%0) {broadcast_dimensions = []} : f32[2,3]\n return %1\n}",
       LM_F0 ("constant() {value = [2.0]}", "f32[2,3]")},
      {LM_F1 ("f32[2,3]", "reshape(%0)", "f32[2,3]"),
       "func @f(%0: f32[2,3]) -> (f32[2,3]) {\n return %0\n}"},
      {"func @f(%0: f32[2,3]) -> (f32[6,1]) {\n %1 = reshape(%0) : f32[6]\n"
       " %2 = reshape(%1) : f32[6,1]\n return %2\n}",
       LM_F1 ("f32[2,3]", "reshape(%0)", "f32[6,1]")},
      {"func @f(%0: f32[2,3]) -> (f32[2,3]) {\n %1 = reshape(%0) : f32[6]\n"
       " %2 = reshape(%1) : f32[2,3]\n return %2\n}",
       "func @f(%0: f32[2,3]) -> (f32[2,3]) {\n return %0\n}"},
      {"func @f() -> (i32[2,1]) {\n %0 = constant() {value = [2, 3]} : i32[2]\n"
       " %1 = reshape(%0) : i32[2,1]\n return %1\n}",
       LM_F0 ("constant() {value = [2, 3]}", "i32[2,1]")},
      {LM_F1 ("f32[2,3]", "transpose(%0) {permutation = [0, 1]}", "f32[2,3]"),
       "func @f(%0: f32[2,3]) -> (f32[2,3]) {\n return %0\n}"},
      {"func @f(%0: f32[2,3,4]) -> (f32[3,4,2]) {\n"
       " %1 = transpose(%0) {permutation = [2, 0, 1]} : f32[4,2,3]\n"
       " %2 = transpose(%1) {permutation = [2, 0, 1]} : f32[3,4,2]\n return %2\n}",
       LM_F1 ("f32[2,3,4]", "transpose(%0) {permutation = [1, 2, 0]}", "f32[3,4,2]")},
      {"func @f(%0: f32[2,3]) -> (f32[2,3]) {\n"
       " %1 = transpose(%0) {permutation = [1, 0]} : f32[3,2]\n"
       " %2 = transpose(%1) {permutation = [1, 0]} : f32[2,3]\n return %2\n}",
       /* the composed permutation is the identity; the next run of simplify removes it */
       LM_F1 ("f32[2,3]", "transpose(%0) {permutation = [0, 1]}", "f32[2,3]")},
      {LM_F1 ("f32[1,3]", "reverse(%0) {dimensions = [0]}", "f32[1,3]"),
       "func @f(%0: f32[1,3]) -> (f32[1,3]) {\n return %0\n}"},
      {"func @f(%0: f32[2,3]) -> (f32[2,3]) {\n %1 = reverse(%0) {dimensions = [0, 1]} : f32[2,3]\n"
       " %2 = reverse(%1) {dimensions = [1, 0]} : f32[2,3]\n return %2\n}",
       "func @f(%0: f32[2,3]) -> (f32[2,3]) {\n return %0\n}"},
      {LM_F1 ("f32[2,3]", "reverse(%0) {dimensions = [1]}", "f32[2,3]"), NULL},
  };
  lm_check_folds (cases, G_N_ELEMENTS (cases));
}

static void
test_grads (void)
{
  const LmGradCase cases[] = {
      {LM_F1 ("f64[3]", "broadcast_in_dim(%0) {broadcast_dimensions = [1]}", "f64[2,3]"), 0, 0,
       true},
      {LM_F1 ("f64[1,3]", "broadcast_in_dim(%0) {broadcast_dimensions = [1, 2]}", "f64[2,4,3]"), 0,
       0, false},
      {LM_F1 ("f64[]", "broadcast_in_dim(%0) {broadcast_dimensions = []}", "f64[2,2]"), 0, 0,
       false},
      {LM_F1 ("f64[1]", "broadcast_in_dim(%0) {broadcast_dimensions = [0]}", "f64[3]"), 0, 0,
       false},
      {LM_F1 ("f64[2,3]", "reshape(%0)", "f64[3,1,2]"), 0, 0, true},
      {LM_F1 ("f64[2,3,4]", "transpose(%0) {permutation = [2, 0, 1]}", "f64[4,2,3]"), 0, 0, true},
      {LM_F1 ("f64[2,3]", "reverse(%0) {dimensions = [1]}", "f64[2,3]"), 0, 0, true},
      {LM_F1 ("f64[0,3]", "broadcast_in_dim(%0) {broadcast_dimensions = [0, 2]}", "f64[0,2,3]"), 0,
       0, false},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/shape/types", test_types);
  g_test_add_func ("/op/shape/folds", test_folds);
  g_test_add_func ("/op/shape/grads", test_grads);
  return g_test_run ();
}
