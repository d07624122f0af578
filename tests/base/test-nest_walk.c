/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMap, walks: flatten order, pack, map, filter (what lingvo's Filter does with empty
 * containers), comparison. */
#include "core/base/nest.h"

#include <string.h>

/* {b: [1, nil, {c: 3}], a: {}, z: 4} */
static LmNest *
sample (void)
{
  LmNest *nest = lm_nest_new_map (), *list = lm_nest_new_list ();

  lm_nest_append (list, lm_nest_new_leaf (1));
  lm_nest_append (list, lm_nest_new_leaf (0));
  lm_nest_append (list, lm_nest_new_map ());
  lm_nest_put (nest, "z", lm_nest_new_leaf (4));
  lm_nest_put (nest, "b", list);
  lm_nest_put (nest, "a", lm_nest_new_map ());
  g_assert_true (lm_nest_set (nest, "b[2].c", lm_nest_new_leaf (3), NULL));
  return nest;
}

static void
check_paths (const LmNest *nest, const char *wanted)
{
  g_auto (GStrv) paths = lm_nest_paths (nest);
  g_autofree char *got = g_strjoinv (" ", paths);

  g_assert_cmpstr (got, ==, wanted);
}

static void
test_flatten (void)
{
  g_autoptr (LmNest) nest = sample (), leaf = lm_nest_new_leaf (9);
  g_autoptr (GArray) leaves = lm_nest_flatten (nest);
  const uint64_t wanted[] = {1, 0, 3, 4};

  check_paths (nest, "b[0] b[1] b[2].c z");
  g_assert_cmpmem (leaves->data, leaves->len * sizeof (uint64_t), wanted, sizeof wanted);
  check_paths (leaf, "");
}

static void
test_pack (void)
{
  g_autoptr (LmNest) nest = sample (), packed = NULL;
  const uint64_t leaves[] = {10, 20, 30, 40, 50};
  g_autoptr (GError) error = NULL;

  packed = lm_nest_pack (nest, leaves, 4, NULL);
  g_assert_true (lm_nest_assert_same_structure (nest, packed, NULL));
  g_assert_cmpuint (lm_nest_leaf (lm_nest_get (packed, "b[1]")), ==, 20);
  g_assert_cmpuint (lm_nest_leaf (lm_nest_get (packed, "z")), ==, 40);
  g_assert_null (lm_nest_pack (nest, leaves, 5, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
}

static uint64_t
note_path (uint64_t leaf, const char *path, gpointer user)
{
  g_string_append_printf (user, "%s=%u;", path, (guint)leaf);
  return leaf * 2;
}

static void
test_map (void)
{
  g_autoptr (LmNest) nest = sample (), twice = NULL, copy = lm_nest_copy (nest);
  g_autoptr (GString) text = g_string_new (NULL);

  twice = lm_nest_map (nest, note_path, text);
  g_assert_cmpstr (text->str, ==, "b[0]=1;b[1]=0;b[2].c=3;z=4;");
  g_assert_cmpuint (lm_nest_leaf (lm_nest_get (twice, "z")), ==, 8);
  g_assert_nonnull (lm_nest_get (twice, "a"));
  g_assert_cmpuint (lm_nest_leaf (lm_nest_get (copy, "b[2].c")), ==, 3);
}

static bool
keep_named (uint64_t leaf G_GNUC_UNUSED, const char *path, gpointer user)
{
  return strcmp (path, user) == 0;
}

static void
test_filter (void)
{
  g_autoptr (LmNest) nest = sample ();
  g_autoptr (LmNest) z = lm_nest_filter (nest, keep_named, "z");
  g_autoptr (LmNest) c = lm_nest_filter (nest, keep_named, "b[2].c");
  g_autoptr (LmNest) leaf = lm_nest_new_leaf (1), none = lm_nest_filter (leaf, keep_named, "x");

  check_paths (z, "z");
  g_assert_null (lm_nest_get (z, "b"));    /* became empty: gone */
  g_assert_nonnull (lm_nest_get (z, "a")); /* was empty: stays */
  check_paths (c, "b[0].c");
  g_assert_cmpint (lm_nest_kind (none), ==, LM_NEST_MAP);
  g_assert_cmpuint (lm_nest_size (none), ==, 0);
}

static void
check_differs (const char *path, LmNest *child, const char *message)
{
  g_autoptr (LmNest) a = sample (), b = sample ();
  g_autoptr (GError) error = NULL;

  g_assert_true (lm_nest_set (b, path, child, NULL));
  g_assert_false (lm_nest_assert_same_structure (a, b, &error));
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_same_structure (void)
{
  g_autoptr (LmNest) a = sample (), b = sample ();

  lm_nest_set (b, "b[0]", lm_nest_new_leaf (77), NULL); /* values never matter */
  g_assert_true (lm_nest_assert_same_structure (a, b, NULL));
  check_differs ("b[2].c", lm_nest_new_list (),
                 "structures differ at b[2].c: a leaf and a list of 0");
  check_differs ("b[2].d", lm_nest_new_leaf (1),
                 "structures differ at b[2]: a map with keys {c} and a map with keys {c, d}");
  check_differs ("y", lm_nest_new_leaf (1),
                 "structures differ at the top: a map with keys {a, b, z} and a map with keys "
                 "{a, b, y, z}");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/nest_walk/flatten", test_flatten);
  g_test_add_func ("/base/nest_walk/pack", test_pack);
  g_test_add_func ("/base/nest_walk/map", test_map);
  g_test_add_func ("/base/nest_walk/filter", test_filter);
  g_test_add_func ("/base/nest_walk/same_structure", test_same_structure);
  return g_test_run ();
}
