/* SPDX-License-Identifier: Apache-2.0 */
/* Strides, views, and the check before compiling. */
#include "tests/lib/fixture.h"

#include <kit/walk.h>
#include <string.h>

static void
test_next (void)
{
  const int64_t dims[] = {2, 3};
  int64_t index[] = {0, 0}, strides[2];
  int n = 1;
  kit_strides (2, dims, strides);
  g_assert_cmpint (strides[0], ==, 3);
  g_assert_cmpint (strides[1], ==, 1);
  for (; kit_next (2, dims, index); n++)
    g_assert_cmpint (kit_dot_index (2, index, strides), ==, n);
  g_assert_cmpint (n, ==, 6);
  g_assert_cmpint (kit_elements (0, dims), ==, 1);
  g_assert_false (kit_next (0, dims, index));
}

/* The elements of the operand 0, 1, 2 ... that the first equation's result shows. */
static void
check_view (const char *text, const char *wanted)
{
  g_autoptr (LmFunction) f = lm_test_parse (text);
  g_autoptr (GString) got = g_string_new (NULL);
  kit_view v, merged;
  g_assert_true (kit_view_of (&f->ir, lam_equation_at (&f->ir, 0), &v));
  merged = v;
  kit_view_merge (&merged);
  g_assert_cmpint (kit_elements (merged.rank, merged.dims), ==, kit_elements (v.rank, v.dims));
  int64_t i[LAM_MAX_RANK] = {0}, j[LAM_MAX_RANK] = {0};
  int64_t n = kit_elements (v.rank, v.dims);
  for (; n > 0; n--) {
    int64_t at = v.offset + kit_dot_index (v.rank, i, v.strides);
    g_string_append_printf (got, "%" G_GINT64_FORMAT " ", at);
    g_assert_cmpint (at, ==, merged.offset + kit_dot_index (merged.rank, j, merged.strides));
    kit_next (v.rank, v.dims, i);
    kit_next (merged.rank, merged.dims, j);
  }
  g_assert_cmpstr (got->str, ==, wanted);
}

#define VIEW(a, eq, y) "func @f(%0: " a ") -> (" y ") {\n  %1 = " eq " : " y "\n  return %1\n}\n"

static void
test_views (void)
{
  check_view (VIEW ("f32[2,3]", "transpose(%0) {permutation = [1, 0]}", "f32[3,2]"),
              "0 3 1 4 2 5 ");
  check_view (VIEW ("f32[2,3]", "reverse(%0) {dimensions = [1]}", "f32[2,3]"), "2 1 0 5 4 3 ");
  check_view (VIEW ("f32[3]", "broadcast_in_dim(%0) {broadcast_dimensions = [1]}", "f32[2,3]"),
              "0 1 2 0 1 2 ");
  check_view (VIEW ("f32[2,1]", "broadcast_in_dim(%0) {broadcast_dimensions = [0, 1]}", "f32[2,2]"),
              "0 0 1 1 ");
  check_view (VIEW ("f32[8]", "slice(%0) {start_indices = [1], limit_indices = [8], strides = [3]}",
                    "f32[3]"),
              "1 4 7 ");
  check_view (
      VIEW ("f32[3,4]", "slice(%0) {start_indices = [1, 2], limit_indices = [3, 4]}", "f32[2,2]"),
      "6 7 10 11 ");
  check_view (VIEW ("f32[2,3]", "reshape(%0)", "f32[6]"), "0 1 2 3 4 5 ");
  check_view (VIEW ("f32[0,3]", "transpose(%0) {permutation = [1, 0]}", "f32[3,0]"), "");
}

static void
test_merge (void)
{
  kit_view dense = {3, {2, 1, 6}, {6, 6, 1}, 0}, rows = {2, {2, 3}, {8, 1}, 0};
  kit_view_merge (&dense);
  g_assert_cmpint (dense.rank, ==, 1);
  g_assert_cmpint (dense.dims[0], ==, 12);
  kit_view_merge (&rows);
  g_assert_cmpint (rows.rank, ==, 2);
}

static void
test_check (void)
{
  char message[300] = "";
  g_autoptr (LmFunction) f =
      lm_test_parse ("func @f(%0: f32[2]) -> (f32[2]) {\n"
                     "  %1 = negate(%0) : f32[2]  # lm.layer\n  return %1\n}\n");
  g_assert_true (kit_check (&f->ir, message, sizeof message));
  lam_function broken = f->ir;
  lam_equation e = *lam_equation_at (&f->ir, 0);
  broken.equations = &e;
  e.op = LAM_OP_scan;
  g_assert_false (kit_check (&broken, message, sizeof message));
  g_assert_nonnull (strstr (message, "scan"));
  g_assert_nonnull (strstr (message, "lm.layer"));
  e.op = LAM_OP_negate;
  lam_attr attr = {"mystery", LAM_ATTR_INT, 0, 1, 0, NULL, 0};
  e.first_attr = 0;
  e.n_attrs = broken.n_attrs = 1;
  broken.attrs = &attr;
  g_assert_true (kit_check (&broken, message, sizeof message));
  attr.flags = LAM_ATTR_MUST_UNDERSTAND;
  g_assert_false (kit_check (&broken, message, sizeof message));
  g_assert_nonnull (strstr (message, "mystery"));
  g_assert_cmpstr (kit_op_name (LAM_OP_dot_general), ==, "dot_general");
  g_assert_cmpstr (kit_op_name (9999), ==, "?");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kit/walk/next", test_next);
  g_test_add_func ("/kit/walk/views", test_views);
  g_test_add_func ("/kit/walk/merge", test_merge);
  g_test_add_func ("/kit/walk/check", test_check);
  return g_test_run ();
}
