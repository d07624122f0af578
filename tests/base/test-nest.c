/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMap, access: the key rule, paths, order of keys (lingvo's nested_map.py). */
#include "core/base/nest.h"

#include <string.h>

static void
test_keys (void)
{
  g_assert_true (lm_nest_check_key ("_a9"));
  g_assert_false (lm_nest_check_key ("9a"));
  g_assert_false (lm_nest_check_key (""));
  g_assert_false (lm_nest_check_key ("a.b"));
  g_assert_false (lm_nest_check_key ("a b"));
  g_assert_false (lm_nest_check_key ("é"));
}

static void
test_set_get (void)
{
  g_autoptr (LmNest) nest = lm_nest_new_map ();

  g_assert_true (lm_nest_set (nest, "lm.stack", lm_nest_new_list (), NULL));
  g_assert_true (lm_nest_set (nest, "lm.stack[0]", lm_nest_new_map (), NULL)); /* appends */
  g_assert_true (lm_nest_set (nest, "lm.stack[0].w", lm_nest_new_leaf (7), NULL));
  g_assert_true (lm_nest_set (nest, "lm.stack[0].w", lm_nest_new_leaf (8), NULL)); /* replaces */
  g_assert_cmpuint (lm_nest_leaf (lm_nest_get (nest, "lm.stack[0].w")), ==, 8);
  g_assert_cmpint (lm_nest_kind (lm_nest_get (nest, "lm.stack")), ==, LM_NEST_LIST);
  g_assert_true (lm_nest_get (nest, "") == nest);
  g_assert_null (lm_nest_get (nest, "lm.stack[1]"));
  g_assert_null (lm_nest_get (nest, "lm.stack.w"));
  g_assert_null (lm_nest_get (nest, "lm..stack"));
  g_assert_null (lm_nest_get (nest, ".lm"));
  g_assert_null (lm_nest_get (nest, "lm.stack[0"));
  g_assert_null (lm_nest_get (nest, "lm.stack[-1]"));
  g_assert_null (lm_nest_get (nest, "lm.stack[99999999999999999999]"));
}

static void
check_refused (LmNest *nest, const char *path, const char *why)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (lm_nest_set (nest, path, lm_nest_new_leaf (1), &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_nonnull (strstr (error->message, why));
}

static void
test_set_errors (void)
{
  g_autoptr (LmNest) nest = lm_nest_new_map ();

  lm_nest_set (nest, "a", lm_nest_new_leaf (1), NULL);
  lm_nest_set (nest, "l", lm_nest_new_list (), NULL);
  check_refused (nest, "a.b", "goes through a leaf");
  check_refused (nest, "l[1]", "index 1 is beyond the end of a list of 0");
  check_refused (nest, "l.x", "goes through a list");
  check_refused (nest, "new[0]", "only maps are made");
  check_refused (nest, "9", "keys [A-Za-z_]");
  check_refused (nest, "", "keys [A-Za-z_]");
  check_refused (nest, "a b", "keys [A-Za-z_]");
  /* A refused set leaves nothing behind. */
  g_assert_cmpuint (lm_nest_size (nest), ==, 2);
  g_assert_cmpuint (lm_nest_size (lm_nest_get (nest, "l")), ==, 0);
}

static void
test_order (void)
{
  static const char *const keys[] = {"b", "B", "a10", "a2", "_"};
  static const char *const sorted[] = {"B", "_", "a10", "a2", "b"}; /* ASCII */
  g_autoptr (LmNest) nest = lm_nest_new_map ();

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    lm_nest_put (nest, keys[i], lm_nest_new_leaf (i + 1));
  for (guint i = 0; i < G_N_ELEMENTS (sorted); i++)
    g_assert_cmpstr (lm_nest_key (nest, i), ==, sorted[i]);
  g_assert_cmpuint (lm_nest_leaf (lm_nest_child (nest, 1)), ==, 5);
}

static void
test_remove (void)
{
  g_autoptr (LmNest) nest = lm_nest_new_map ();
  LmNest *list = lm_nest_new_list ();

  lm_nest_append (list, lm_nest_new_leaf (1));
  lm_nest_append (list, lm_nest_new_leaf (2));
  lm_nest_put (nest, "x", list);
  lm_nest_put (nest, "y", lm_nest_new_leaf (3));
  g_assert_true (lm_nest_remove (nest, "x[0]"));
  g_assert_cmpuint (lm_nest_leaf (lm_nest_get (nest, "x[0]")), ==, 2);
  g_assert_false (lm_nest_remove (nest, "x[1]"));
  g_assert_false (lm_nest_remove (nest, "z"));
  g_assert_true (lm_nest_remove (nest, "x"));
  g_assert_cmpstr (lm_nest_key (nest, 0), ==, "y");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/nest/keys", test_keys);
  g_test_add_func ("/base/nest/set_get", test_set_get);
  g_test_add_func ("/base/nest/set_errors", test_set_errors);
  g_test_add_func ("/base/nest/order", test_order);
  g_test_add_func ("/base/nest/remove", test_remove);
  return g_test_run ();
}
