/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMap, nodes: the key rule, reserved keys, order of keys (lingvo's nested_map.py). */
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
test_reserved (void)
{
  static const char *const names[] = {"clear",      "copy",   "fromkeys", "get",
                                      "items",      "keys",   "pop",      "popitem",
                                      "setdefault", "update", "values",   "__len__"};
  g_autoptr (LmNest) nest = lm_nest_new_map ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_true (lm_nest_check_key (names[i])); /* its letters are fine */
    g_assert_false (lm_nest_set (nest, names[i], lm_nest_new_leaf (1), &error));
    g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
    g_assert_nonnull (strstr (error->message, names[i]));
    g_assert_nonnull (strstr (error->message, "reserved"));
  }
  g_assert_true (lm_nest_set (nest, "__x", lm_nest_new_leaf (1), NULL));
  g_assert_true (lm_nest_set (nest, "____", lm_nest_new_leaf (1), NULL));
  g_assert_true (lm_nest_set (nest, "key", lm_nest_new_leaf (1), NULL));
  g_assert_cmpuint (lm_nest_size (nest), ==, 3);
}

static void
test_become (void)
{
  g_autoptr (LmNest) nest = lm_nest_new_map ();

  lm_nest_put (nest, "a", lm_nest_new_leaf (1));
  lm_nest_become (nest, lm_nest_new_list ());
  g_assert_cmpint (lm_nest_kind (nest), ==, LM_NEST_LIST);
  g_assert_cmpuint (lm_nest_size (nest), ==, 0);
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/nest/keys", test_keys);
  g_test_add_func ("/base/nest/reserved", test_reserved);
  g_test_add_func ("/base/nest/order", test_order);
  g_test_add_func ("/base/nest/become", test_become);
  return g_test_run ();
}
