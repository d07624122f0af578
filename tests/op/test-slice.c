/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/slice.c: slice pad concatenate. */
#include "tests/lib/opcheck.h"

#define SLICE(start, limit, strides)                                                               \
  "slice(%0) {start_indices = [" start "], limit_indices = [" limit "], strides = [" strides "]}"
#define PAD(low, high, interior)                                                                   \
  "pad(%0, %1) {edge_padding_low = [" low "], edge_padding_high = [" high                          \
  "], interior_padding = [" interior "]}"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F1 ("f32[5,4]", SLICE ("1, 0", "4, 4", "2, 3"), "f32[2,2]"), NULL},
      {LM_F1 ("f32[5]", "slice(%0) {start_indices = [2], limit_indices = [2]}", "f32[0]"), NULL},
      {LM_F1 ("f32[5]", SLICE ("1", "6", "1"), "f32[5]"),
       "operand 0 is f32[5], wanted axis 0 to hold start 1 <= limit 6 <= 5"},
      {LM_F1 ("f32[5]", SLICE ("3", "2", "1"), "f32[0]"), "start 3 <= limit 2"},
      {LM_F1 ("f32[5]", SLICE ("0", "5", "0"), "f32[5]"), "strides[0] is 0, wanted at least 1"},
      {LM_F1 ("f32[5]", SLICE ("-1", "5", "1"), "f32[5]"), "start_indices[0] is -1"},
      {LM_F1 ("f32[5]", SLICE ("0, 0", "5", "1"), "f32[5]"),
       "start_indices has 2 numbers, wanted 1"},
      {LM_F1 ("f32[5]", SLICE ("0", "5", "9223372036854775807"), "f32[1]"), NULL},
      {LM_F2 ("f32[3,3]", "f32[]", PAD ("1, -1", "-1, 2", "1, 0"), "f32[5,4]"), NULL},
      {LM_F2 ("f32[0]", "f32[]", PAD ("1", "1", "5"), "f32[2]"), NULL},
      {LM_F2 ("bool[2]", "bool[]", PAD ("0", "1", "0"), "bool[3]"), NULL},
      {LM_F2 ("f32[3]", "f32[1]", PAD ("1", "1", "0"), "f32[5]"),
       "operand 1 is f32[1], wanted a scalar"},
      {LM_F2 ("f32[3]", "f64[]", PAD ("1", "1", "0"), "f32[5]"), "wanted dtype f32"},
      {LM_F2 ("f32[3]", "f32[]", PAD ("-4", "0", "0"), "f32[0]"), "they leave -1"},
      {LM_F2 ("f32[3]", "f32[]", PAD ("0", "0", "-1"), "f32[1]"), "interior_padding[0] is -1"},
      {LM_F2 ("f32[3]", "f32[]", PAD ("0", "0", "9223372036854775807"), "f32[1]"),
       "axis 0 of the result does not fit 64 bits"},
      {LM_F2 ("f32[3]", "f32[]", PAD ("9223372036854775807", "0", "0"), "f32[1]"),
       "does not fit 64 bits"},
      {LM_F2 ("f32[2,3]", "f32[2,1]", "concatenate(%0, %1) {dimension = 1}", "f32[2,4]"), NULL},
      {LM_F2 ("f32[2,3]", "f32[2,1]", "concatenate(%0, %1) {dimension = 0}", "f32[4,3]"),
       "operand 1 is f32[2,1], wanted f32[2,3] (operand 0) but for axis 0"},
      {LM_F2 ("f32[2]", "f64[2]", "concatenate(%0, %1) {dimension = 0}", "f32[4]"),
       "operand 1 is f64[2]"},
      {LM_F2 ("f32[2]", "f32[]", "concatenate(%0, %1) {dimension = 0}", "f32[4]"),
       "operand 1 is f32[]"},
      {LM_F2 ("f32[2]", "f32[2]", "concatenate(%0, %1) {dimension = 1}", "f32[4]"),
       "dimension is 1, wanted an axis of 0 to 0"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

static void
test_folds (void)
{
  const char *const same = "func @f(%0: f32[3]) -> (f32[3]) {\n return %0\n}";
  const LmFoldCase cases[] = {
      {LM_F1 ("f32[3]", SLICE ("0", "3", "1"), "f32[3]"), same},
      {LM_F1 ("f32[3]", SLICE ("0", "2", "1"), "f32[2]"), NULL},
      {LM_F2 ("f32[3]", "f32[]", PAD ("0", "0", "0"), "f32[3]"),
       "func @f(%0: f32[3], %1: f32[]) -> (f32[3]) {\n return %0\n}"},
      {LM_F2 ("f32[3]", "f32[]", PAD ("1", "-1", "0"), "f32[3]"), NULL},
      {LM_F1 ("f32[3]", "concatenate(%0) {dimension = 0}", "f32[3]"), same},
  };
  lm_check_folds (cases, G_N_ELEMENTS (cases));
}

static void
test_grads (void)
{
  const LmGradCase cases[] = {
      {LM_F1 ("f64[5,4]", SLICE ("1, 0", "4, 4", "2, 3"), "f64[2,2]"), 0, 0, true},
      {LM_F1 ("f64[5]", SLICE ("2", "2", "1"), "f64[0]"), 0, 0, false},
      {LM_F2 ("f64[3,3]", "f64[]", PAD ("1, -1", "-1, 2", "1, 0"), "f64[5,4]"), 0, 0, true},
      {LM_F2 ("f64[4]", "f64[]", PAD ("-3", "-2", "2"), "f64[5]"), 0, 0, true},
      {LM_F2 ("f64[0,2]", "f64[]", PAD ("1, 0", "2, 1", "1, 1"), "f64[3,4]"), 0, 0, false},
      {LM_F2 ("f64[2,3]", "f64[2,1]", "concatenate(%0, %1) {dimension = 1}", "f64[2,4]"), 0, 0,
       true},
      {LM_F2 ("f64[2]", "f64[0]", "concatenate(%0, %1) {dimension = 0}", "f64[2]"), 0, 0, false},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/slice/types", test_types);
  g_test_add_func ("/op/slice/folds", test_folds);
  g_test_add_func ("/op/slice/grads", test_grads);
  return g_test_run ();
}
