/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMap by path: get, has, set, remove, and what their errors name. */
#include "core/base/nest.h"

#include <string.h>

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
  g_assert_true (lm_nest_has (nest, "lm.stack[0].w"));
  g_assert_false (lm_nest_has (nest, "lm.stack[0].w.x")); /* through a leaf: no error */
  g_assert_false (lm_nest_has (nest, ""));
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
  check_refused (nest, "new[1]", "index 1 is beyond the end of a list of 0");
  check_refused (nest, "x.y[0].z[2]", "index 2 is beyond the end of a list of 0");
  check_refused (nest, "x.keys.y", "reserved");
  check_refused (nest, "9", "keys [A-Za-z_]");
  check_refused (nest, "", "keys [A-Za-z_]");
  check_refused (nest, "a b", "keys [A-Za-z_]");
  /* A refused set leaves nothing behind. */
  g_assert_cmpuint (lm_nest_size (nest), ==, 2);
  g_assert_cmpuint (lm_nest_size (lm_nest_get (nest, "l")), ==, 0);
}

/* What is missing on the way is made: maps for keys, lists for index 0, any depth. */
static void
test_set_makes (void)
{
  g_autoptr (LmNest) nest = lm_nest_new_map ();

  g_assert_true (lm_nest_set (nest, "a.b[0][0].c", lm_nest_new_leaf (1), NULL));
  g_assert_true (lm_nest_set (nest, "a.b[0][1]", lm_nest_new_leaf (2), NULL));
  g_assert_true (lm_nest_set (nest, "a.b[1]", lm_nest_new_leaf (0), NULL));
  g_assert_true (lm_nest_set (nest, "a.b[1].d", lm_nest_new_leaf (3), NULL)); /* nil: vacant */
  g_auto (GStrv) paths = lm_nest_paths (nest);
  g_autofree char *list = g_strjoinv (" ", paths);
  g_assert_cmpstr (list, ==, "a.b[0][0].c a.b[0][1] a.b[1].d");
}

static void
check_missing (const LmNest *nest, const char *path, LmErrorCode code, const char *wanted)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (lm_nest_get_item (nest, path, &error));
  g_assert_error (error, LM_ERROR, (int)code);
  g_assert_cmpstr (error->message, ==, wanted);
}

static void
test_missing (void)
{
  g_autoptr (LmNest) nest = lm_nest_new_map ();

  lm_nest_set (nest, "net.bias", lm_nest_new_leaf (1), NULL);
  lm_nest_set (nest, "net.weight", lm_nest_new_leaf (2), NULL);
  lm_nest_set (nest, "net.layers[0]", lm_nest_new_map (), NULL);
  check_missing (
      nest, "net.wieght", LM_ERROR_NOT_FOUND,
      "nothing at \"net.wieght\": \"net\" has no key \"wieght\"; there is: bias, layers, "
      "weight; did you mean \"weight\"?");
  check_missing (nest, "x.y", LM_ERROR_NOT_FOUND,
                 "nothing at \"x.y\": the top has no key \"x\"; there is: net");
  check_missing (nest, "net.layers[0].w", LM_ERROR_NOT_FOUND,
                 "nothing at \"net.layers[0].w\": \"net.layers[0]\" has no key \"w\"; the map is "
                 "empty");
  check_missing (
      nest, "net.layers[3]", LM_ERROR_NOT_FOUND,
      "nothing at \"net.layers[3]\": index 3 is beyond the end of \"net.layers\", a list "
      "of 1");
  check_missing (nest, "net.bias.x", LM_ERROR_INVALID,
                 "nothing at \"net.bias.x\": \"net.bias\" is a leaf, which has no keys");
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
  g_test_add_func ("/base/nest_path/set_get", test_set_get);
  g_test_add_func ("/base/nest_path/set_errors", test_set_errors);
  g_test_add_func ("/base/nest_path/set_makes", test_set_makes);
  g_test_add_func ("/base/nest_path/missing", test_missing);
  g_test_add_func ("/base/nest_path/remove", test_remove);
  return g_test_run ();
}
