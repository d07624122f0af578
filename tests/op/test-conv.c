/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/conv.c: convolution. */
#include "tests/lib/opcheck.h"

#define NHWC        "lhs_spec = [0, 3, 1, 2], rhs_spec = [3, 2, 0, 1], out_spec = [0, 3, 1, 2]"
#define NCW         "lhs_spec = [0, 1, 2], rhs_spec = [0, 1, 2], out_spec = [0, 1, 2]"
#define CONV(attrs) "convolution(%0, %1) {" attrs "}"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F2 ("f32[2,5,5,3]", "f32[3,3,3,4]", CONV (NHWC), "f32[2,3,3,4]"), NULL},
      {LM_F2 ("f32[2,5,5,3]", "f32[3,3,3,4]",
              CONV (NHWC ", window_strides = [2, 1], padding = [1, 1, -1, 0]"), "f32[2,3,2,4]"),
       NULL},
      {LM_F2 ("f32[2,4,5]", "f32[6,2,3]", CONV (NCW ", feature_group_count = 2"), "f32[2,6,3]"),
       NULL},
      {LM_F2 ("f32[4,2,5]", "f32[6,2,3]", CONV (NCW ", batch_group_count = 2"), "f32[2,6,3]"),
       NULL},
      {LM_F2 ("f32[2,3]", "f32[4,3]",
              CONV ("lhs_spec = [0, 1], rhs_spec = [0, 1], out_spec = [0, 1]"), "f32[2,4]"),
       NULL},
      {LM_F2 ("bf16[2,2,5]", "bf16[6,2,3]", CONV (NCW ", out_dtype = f32"), "f32[2,6,3]"), NULL},
      {LM_F2 ("f32[2,2,5]", "f32[6,3,3]", CONV (NCW), "f32[2,6,3]"),
       "operand 1 is f32[6,3,3], wanted 2 input features at axis 1"},
      {LM_F2 ("f32[2,2,5]", "f32[6,2]", CONV (NCW), "f32[2,6,3]"),
       "operand 1 is f32[6,2], wanted rank 3"},
      {LM_F2 ("f32[5]", "f32[5]", CONV (NCW), "f32[5]"), "wanted rank 2 or more"},
      {LM_F2 ("f32[2,2,5]", "f64[6,2,3]", CONV (NCW), "f32[2,6,3]"), "wanted dtype f32"},
      {LM_F2 ("bool[2,2,5]", "bool[6,2,3]", CONV (NCW), "bool[2,6,3]"), "wanted numbers"}};
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

static void
test_attributes (void)
{
  const LmTypeCase cases[] = {
      {LM_F2 ("f32[2,3,5]", "f32[6,1,3]", CONV (NCW ", feature_group_count = 2"), "f32[2,6,3]"),
       "operand 0 is f32[2,3,5], wanted a size at axis 1 that feature_group_count 2 divides"},
      {LM_F2 ("f32[2,4,5]", "f32[5,2,3]", CONV (NCW ", feature_group_count = 2"), "f32[2,5,3]"),
       "operand 1 is f32[5,2,3], wanted a size at axis 0"},
      {LM_F2 ("f32[3,2,5]", "f32[6,2,3]", CONV (NCW ", batch_group_count = 2"), "f32[2,6,3]"),
       "batch_group_count 2 divides"},
      {LM_F2 ("f32[2,2,5]", "f32[6,2,3]",
              CONV (NCW ", batch_group_count = 2, feature_group_count = 2"), "f32[2,6,3]"),
       "wanted at least 1 and one of them 1"},
      {LM_F2 ("f32[2,2,5]", "f32[6,2,3]", CONV (NCW ", feature_group_count = 0"), "f32[2,6,3]"),
       "feature_group_count is 0"},
      {LM_F2 ("f32[2,2,5]", "f32[6,2,3]",
              CONV ("lhs_spec = [0, 0, 2], rhs_spec = [0, 1, 2], out_spec = [0, 1, 2]"),
              "f32[2,6,3]"),
       "lhs_spec names axis 0 twice"},
      {LM_F2 ("f32[2,2,5]", "f32[6,2,3]",
              CONV ("lhs_spec = [0, 1], rhs_spec = [0, 1, 2], out_spec = [0, 1, 2]"), "f32[2,6,3]"),
       "lhs_spec has 2 numbers, wanted 3"},
      {LM_F2 ("f32[2,2,5]", "f32[6,2,0]", CONV (NCW), "f32[2,6,3]"),
       "wanted at least 1 element at axis 2"},
      {LM_F2 ("f32[2,2,5]", "f32[6,2,3]", CONV (NCW ", padding = [-4, -2]"), "f32[2,6,0]"),
       "padding leaves -1 elements"},
      {LM_F2 ("f32[2,2,5]", "f32[6,2,3]", CONV (NCW ", rhs_dilation = [0]"), "f32[2,6,3]"),
       "rhs_dilation[0] is 0"},
      {LM_F2 ("f32[2,2,5]", "f32[6,2,3]", CONV (NCW ", lhs_dilation = [9223372036854775807]"),
              "f32[2,6,3]"),
       "does not fit 64 bits"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

static void
test_grads (void)
{
  const LmGradCase cases[] = {
      {LM_F2 ("f64[2,4,3,2]", "f64[2,2,2,3]", CONV (NHWC), "f64[2,3,2,3]"), 0, 0, true},
      {LM_F2 ("f64[1,5,4,1]", "f64[3,2,1,2]",
              CONV (NHWC ", window_strides = [2, 3], padding = [1, 0, 0, 1]"), "f64[1,2,2,2]"),
       0, 0, true},
      {LM_F2 ("f64[1,2,6]", "f64[2,2,2]", CONV (NCW ", rhs_dilation = [3], padding = [1, 0]"),
              "f64[1,2,4]"),
       0, 0, true},
      {LM_F2 ("f64[1,2,4]", "f64[2,2,3]",
              CONV (NCW ", lhs_dilation = [2], padding = [2, 1], window_strides = [3]"),
              "f64[1,2,3]"),
       0, 0, true},
      {LM_F2 ("f64[1,1,6]", "f64[2,1,2]", CONV (NCW ", padding = [-1, -2]"), "f64[1,2,2]"), 0, 0,
       true},
      {LM_F2 ("f64[1,1,3]", "f64[1,1,2]", CONV (NCW ", padding = [-1, 2], lhs_dilation = [2]"),
              "f64[1,1,5]"),
       0, 0, true},
      {LM_F2 ("f64[2,4,4]", "f64[6,2,2]", CONV (NCW ", feature_group_count = 2"), "f64[2,6,3]"), 0,
       0, true},
      {LM_F2 ("f64[1,3,4]", "f64[6,1,2]",
              CONV (NCW ", feature_group_count = 3, window_strides = [2], padding = [0, 1]"),
              "f64[1,6,2]"),
       0, 0, true},
      {LM_F2 ("f64[4,2,4]", "f64[4,2,2]", CONV (NCW ", batch_group_count = 2"), "f64[2,4,3]"), 0, 0,
       true},
      {LM_F2 ("f64[2,1,4]", "f64[2,1,3]",
              CONV (NCW ", batch_group_count = 2, rhs_dilation = [2], padding = [2, 1]"),
              "f64[1,2,3]"),
       0, 0, true},
      /* other orders of the axes */
      {LM_F2 ("f64[4,2,3]", "f64[2,3,2]",
              CONV ("lhs_spec = [1, 2, 0], rhs_spec = [2, 1, 0], out_spec = [2, 0, 1]"),
              "f64[2,3,2]"),
       0, 0, true},
      {LM_F2 ("f64[2,3]", "f64[4,3]",
              CONV ("lhs_spec = [0, 1], rhs_spec = [0, 1], out_spec = [0, 1]"), "f64[2,4]"),
       0, 0, true},
      /* no output element */
      {LM_F2 ("f64[1,1,2]", "f64[1,1,3]", CONV (NCW), "f64[1,1,0]"), 0, 0, false},
      /* rank 8: the groups have no axis of their own */
      {LM_F2 ("f64[1,2,2,1,1,1,1,1]", "f64[2,1,2,1,1,1,1,1]",
              CONV ("lhs_spec = [0, 1, 2, 3, 4, 5, 6, 7], rhs_spec = [0, 1, 2, 3, 4, 5, 6, 7], "
                    "out_spec = [0, 1, 2, 3, 4, 5, 6, 7], feature_group_count = 2"),
              "f64[1,2,1,1,1,1,1,1]"),
       0, 0, true},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/conv/types", test_types);
  g_test_add_func ("/op/conv/attributes", test_attributes);
  g_test_add_func ("/op/conv/grads", test_grads);
  return g_test_run ();
}
