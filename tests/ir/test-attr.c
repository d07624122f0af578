/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes: schema, equality and hash. */
#include "core/ir/attr.h"

#include <math.h>

static void
test_schema (void)
{
  const LmOpInfo *info = lm_op_info (LAM_OP_gather);
  LmSchemaKey key;

  g_assert_true (lm_schema_find (info, "slice_sizes", &key));
  g_assert_cmpint (key.kind, ==, LAM_ATTR_INTS);
  g_assert_true (key.required);
  g_assert_true (lm_schema_find (info, "mode", &key)); /* has a default */
  g_assert_cmpint (key.kind, ==, LAM_ATTR_STR);
  g_assert_false (key.required);
  g_assert_true (lm_schema_find (info, "offset_dims", &key));
  g_assert_false (key.required);
  g_assert_false (lm_schema_find (info, "mod", &key));
  g_assert_false (lm_schema_find (info, "modes", &key));
  g_assert_false (lm_schema_find (info, "", &key));
}

static void
assert_differ (lam_attr a, lam_attr b)
{
  g_assert_false (lm_attr_equal (&a, &b));
  g_assert_cmpuint (lm_attr_hash (&a), !=, lm_attr_hash (&b));
}

static void
test_equal (void)
{
  const int64_t x[] = {1, 2, 3}, y[] = {1, 2, 3}, z[] = {1, 2, 4};
  lam_attr a = lm_attr_ints ("k", x, 3), b = lm_attr_ints ("k", y, 3);
  lam_attr nan = {.key = "k", .kind = LAM_ATTR_FLOAT, .f = (double)NAN};
  lam_attr zero = {.key = "k", .kind = LAM_ATTR_FLOAT, .f = 0.0}, minus = zero;

  minus.f = -0.0;
  g_assert_true (lm_attr_equal (&a, &b));
  g_assert_cmpuint (lm_attr_hash (&a), ==, lm_attr_hash (&b));
  assert_differ (a, lm_attr_ints ("k", z, 3));
  assert_differ (a, lm_attr_ints ("k", x, 2));
  assert_differ (a, lm_attr_ints ("l", x, 3));
  assert_differ (lm_attr_str ("k", "abc"), lm_attr_str ("k", "abd"));
  assert_differ (lm_attr_int ("k", 1), lm_attr_dtype ("k", LAM_F64)); /* kinds differ */
  assert_differ (zero, minus);                                        /* bits, not values */
  g_assert_true (lm_attr_equal (&nan, &nan));
  b.flags = LAM_ATTR_MUST_UNDERSTAND;
  g_assert_false (lm_attr_equal (&a, &b));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ir/attr/schema", test_schema);
  g_test_add_func ("/ir/attr/equal", test_equal);
  return g_test_run ();
}
