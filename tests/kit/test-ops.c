/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of op families as structs, on small functions worked out by hand. */
#include "tests/lib/fixture.h"

#include <kit/ops.h>

#define READ(text, reader, out)                                                                    \
  do {                                                                                             \
    g_autoptr (LmFunction) f_ = lm_test_parse (text);                                              \
    reader (&f_->ir, lam_equation_at (&f_->ir, 0), out);                                           \
  } while (0)

/* 5 elements, low -1, high 2, one hole between: result coordinates -1 1 3 5 7 of 10. */
static void
test_pad (void)
{
  kit_pad p;
  READ ("func @f(%0: f32[5], %1: f32[]) -> (f32[10]) {\n"
        "  %2 = pad(%0, %1) {edge_padding_low = [-1], edge_padding_high = [2], interior_padding = "
        "[1]} : f32[10]\n  return %2\n}\n",
        kit_read_pad, &p);
  g_assert_cmpint (p.low[0], ==, -1);
  g_assert_cmpint (p.step[0], ==, 2);
  g_assert_cmpint (p.from[0], ==, 1);
  g_assert_cmpint (p.to[0], ==, 5);
  READ ("func @f(%0: f32[5], %1: f32[]) -> (f32[3]) {\n"
        "  %2 = pad(%0, %1) {edge_padding_low = [-1], edge_padding_high = [-1]} : f32[3]\n"
        "  return %2\n}\n",
        kit_read_pad, &p);
  g_assert_cmpint (p.step[0], ==, 1);
  g_assert_cmpint (p.from[0], ==, 1);
  g_assert_cmpint (p.to[0], ==, 4);
}

static void
test_reduce (void)
{
  kit_reduce r;
  READ ("func @f(%0: f32[2,3,4]) -> (f32[3]) {\n"
        "  %1 = reduce(%0) {computation = \"maximum\", dimensions = [0, 2]} : f32[3]\n"
        "  return %1\n}\n",
        kit_read_reduce, &r);
  g_assert_cmpint (r.combine, ==, KIT_COMBINE_MAXIMUM);
  g_assert_cmpint (r.kept.rank, ==, 1);
  g_assert_cmpint (r.kept.strides[0], ==, 4);
  g_assert_cmpint (r.reduced.rank, ==, 2);
  g_assert_cmpint (r.reduced.strides[0], ==, 12);
  g_assert_cmpint (r.reduced.strides[1], ==, 1);
}

/* Base dilation 2 puts elements 0 1 2 at 0 2 4; low padding 1; window of 2, dilated by 3. */
static void
test_window (void)
{
  kit_window w;
  READ (
      "func @f(%0: f32[3]) -> (f32[3]) {\n"
      "  %1 = reduce_window(%0) {computation = \"add\", window_dimensions = [2], padding = [1, 0], "
      "base_dilations = [2], window_dilations = [3]} : f32[3]\n  return %1\n}\n",
      kit_read_window, &w);
  static const int64_t wanted[3][2] = {{-1, 1}, {0, -1}, {-1, 2}};
  for (int64_t o = 0; o < 3; o++)
    for (int64_t p = 0; p < 2; p++)
      g_assert_cmpint (kit_window_at (&w, 0, o, p), ==, wanted[o][p]);
  g_assert_cmpint (w.stride[0], ==, 1);
}

static void
test_dot (void)
{
  kit_dot d;
  READ ("func @f(%0: f32[5,2,3], %1: f32[4,3,5]) -> (f32[5,2,4]) {\n"
        "  %2 = dot_general(%0, %1) {lhs_batching_dimensions = [0], rhs_batching_dimensions = [2], "
        "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]} : f32[5,2,4]\n"
        "  return %2\n}\n",
        kit_read_dot, &d);
  g_assert_cmpint (d.batch, ==, 5);
  g_assert_cmpint (d.m, ==, 2);
  g_assert_cmpint (d.n, ==, 4);
  g_assert_cmpint (d.k, ==, 3);
  g_assert_cmpint (kit_view_stride (&d.lhs_batch), ==, 6);
  g_assert_cmpint (kit_view_stride (&d.rhs_batch), ==, 1);
  g_assert_cmpint (kit_view_stride (&d.lhs_contract), ==, 1);
  g_assert_cmpint (kit_view_stride (&d.rhs_contract), ==, 5);
  g_assert_cmpint (kit_view_stride (&d.rhs_free), ==, 15);
  g_assert_cmpint (d.out_dtype, ==, LAM_F32);
  READ (
      "func @f(%0: f32[2,3,4], %1: f32[3]) -> (f32[2,4]) {\n"
      "  %2 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
      "[0]} : f32[2,4]\n  return %2\n}\n",
      kit_read_dot, &d);
  g_assert_cmpint (kit_view_stride (&d.lhs_free), ==, -1); /* rows of 4 at distance 12 */
}

static void
test_conv (void)
{
  kit_conv c;
  READ ("func @f(%0: f32[2,8,6,4], %1: f32[3,3,2,10]) -> (f32[2,4,3,10]) {\n"
        "  %2 = convolution(%0, %1) {window_strides = [2, 2], padding = [1, 0, 1, 1], lhs_spec = "
        "[0, 3, "
        "1, 2], rhs_spec = [3, 2, 0, 1], out_spec = [0, 3, 1, 2], feature_group_count = 2} : "
        "f32[2,4,3,10]\n  return %2\n}\n",
        kit_read_conv, &c);
  g_assert_cmpint (c.batch, ==, 2);
  g_assert_cmpint (c.out_features, ==, 10);
  g_assert_cmpint (c.group_features, ==, 2);
  g_assert_cmpint (c.feature_groups, ==, 2);
  g_assert_cmpint (c.batch_groups, ==, 1);
  g_assert_cmpint (c.window.rank, ==, 2);
  g_assert_cmpint (c.window.in_dims[0], ==, 8);
  g_assert_cmpint (c.window.size[1], ==, 3);
  g_assert_cmpint (c.window.out_dims[1], ==, 3);
  g_assert_cmpint (c.window.high[0], ==, 0);
  g_assert_cmpint (c.window.high[1], ==, 1);
  g_assert_cmpint (c.window.window_dilation[0], ==, 1);
  g_assert_cmpint (c.lhs_spatial[0], ==, 24);
  g_assert_cmpint (c.lhs_feature, ==, 1);
  g_assert_cmpint (c.rhs_out, ==, 1);
  g_assert_cmpint (c.rhs_in, ==, 10);
  g_assert_cmpint (c.rhs_spatial[0], ==, 60);
  g_assert_cmpint (c.out_spatial[1], ==, 10);
}

/* Row i of the result is operand row indices[i]: [i, j] -> start * 3 + j. */
static void
test_gather (void)
{
  kit_index x;
  READ ("func @f(%0: f32[5,3], %1: i32[4,1]) -> (f32[4,3]) {\n"
        "  %2 = gather(%0, %1) {offset_dims = [1], collapsed_slice_dims = [0], start_index_map = "
        "[0], "
        "index_vector_dim = 1, slice_sizes = [1, 3], mode = \"fill\"} : f32[4,3]\n  return %2\n}\n",
        kit_read_gather, &x);
  g_assert_cmpint (x.rank, ==, 2);
  g_assert_cmpint (x.operand_strides[0], ==, 0);
  g_assert_cmpint (x.operand_strides[1], ==, 1);
  g_assert_cmpint (x.index_strides[0], ==, 1);
  g_assert_cmpint (x.index_strides[1], ==, 0);
  g_assert_cmpuint (x.n_starts, ==, 1);
  g_assert_cmpint (x.start_strides[0], ==, 3);
  g_assert_cmpint (x.limits[0], ==, 4);
  g_assert_true (x.fill);
  g_assert_false (x.unique);
  g_assert_cmpint (x.index_dtype, ==, LAM_I32);
}

/* Updates [i, j] go to operand [starts (i), j .. j + 2): limits leave room for the window. */
static void
test_scatter (void)
{
  kit_index x;
  READ ("func @f(%0: f32[5,3], %1: i32[4,2], %2: f32[4,2]) -> (f32[5,3]) {\n"
        "  %3 = scatter(%0, %1, %2) {update_window_dims = [1], inserted_window_dims = [0], "
        "scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1, computation = \"maximum\"} : "
        "f32[5,3]\n  return %3\n}\n",
        kit_read_scatter, &x);
  g_assert_cmpuint (x.n_starts, ==, 2);
  g_assert_cmpint (x.limits[0], ==, 4);
  g_assert_cmpint (x.limits[1], ==, 1);
  g_assert_cmpint (x.start_strides[0], ==, 3);
  g_assert_cmpint (x.start_strides[1], ==, 1);
  g_assert_cmpint (x.index_strides[0], ==, 2);
  g_assert_cmpint (x.start_stride, ==, 1);
  g_assert_cmpint (x.operand_strides[1], ==, 1);
  g_assert_cmpint (x.combine, ==, KIT_COMBINE_MAXIMUM);
  g_assert_false (x.fill);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kit/ops/pad", test_pad);
  g_test_add_func ("/kit/ops/reduce", test_reduce);
  g_test_add_func ("/kit/ops/window", test_window);
  g_test_add_func ("/kit/ops/dot", test_dot);
  g_test_add_func ("/kit/ops/conv", test_conv);
  g_test_add_func ("/kit/index/gather", test_gather);
  g_test_add_func ("/kit/index/scatter", test_scatter);
  return g_test_run ();
}
