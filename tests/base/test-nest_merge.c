/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMaps together: compatible, update, union, slice. */
#include "core/base/nest.h"

#include <string.h>

/* Leaves 1, 2 ... at the paths of a list of words. */
static LmNest *
build (const char *paths)
{
  g_auto (GStrv) words = g_strsplit (paths, " ", -1);
  LmNest *nest = lm_nest_new_map ();

  for (guint i = 0; words[i] != NULL; i++)
    g_assert_true (lm_nest_set (nest, words[i], lm_nest_new_leaf (i + 1), NULL));
  return nest;
}

static char *
show (const LmNest *nest)
{
  g_autoptr (GArray) leaves = lm_nest_flatten (nest);
  g_auto (GStrv) paths = lm_nest_paths (nest);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < leaves->len; i++)
    g_string_append_printf (out, "%s%s=%u", i > 0 ? " " : "", paths[i],
                            (guint)g_array_index (leaves, uint64_t, i));
  return g_string_free (out, FALSE);
}

static void
test_compatible (void)
{
  g_autoptr (LmNest) a = build ("x.y l[0] l[1]"), b = build ("l[0] l[1] x.y"), c = build ("x.y");

  g_assert_true (lm_nest_is_compatible (a, b)); /* other leaves, other order of making */
  g_assert_false (lm_nest_is_compatible (a, c));
  lm_nest_put (b, "empty", lm_nest_new_map ());
  g_assert_true (lm_nest_is_compatible (a, b)); /* no leaf, no path */
  g_assert_false (lm_nest_assert_same_structure (a, b, NULL));
}

static void
test_update (void)
{
  g_autoptr (LmNest) nest = build ("a b.c l[0]"), more = build ("b.d l[0] l[1] z");
  g_autofree char *after = NULL;

  g_assert_true (lm_nest_update (nest, more, NULL));
  after = show (nest);
  g_assert_cmpstr (after, ==, "a=1 b.c=2 b.d=1 l[0]=2 l[1]=3 z=4");
}

/* One leaf that does not fit: nothing has changed. */
static void
test_update_refused (void)
{
  g_autoptr (LmNest) nest = build ("b.c"), more = build ("a b.c.d");
  g_autoptr (GError) error = NULL;
  g_autofree char *after = NULL;

  g_assert_false (lm_nest_update (nest, more, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "b.c.d"));
  after = show (nest);
  g_assert_cmpstr (after, ==, "b.c=1");
  g_assert_null (lm_nest_union (nest, more, NULL));
}

static void
test_union (void)
{
  g_autoptr (LmNest) a = build ("a b.c"), b = build ("b.c b.d"), both = NULL;
  g_autofree char *after = NULL, *before = NULL;

  lm_nest_put (a, "empty", lm_nest_new_map ());
  both = lm_nest_union (a, b, NULL);
  after = show (both);
  g_assert_cmpstr (after, ==, "a=1 b.c=1 b.d=2");
  g_assert_null (lm_nest_get (both, "empty")); /* leaf by leaf */
  before = show (a);
  g_assert_cmpstr (before, ==, "a=1 b.c=2"); /* untouched */
}

static void
test_slice (void)
{
  static const char *const paths[] = {"b", "l[0]", NULL}, *const gap[] = {"l[1]", NULL},
                           *const unknown[] = {"b", "nope", NULL};
  g_autoptr (LmNest) nest = build ("a b.c b.d l[0] l[1]"), part = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *after = NULL;

  part = lm_nest_slice (nest, paths, NULL);
  after = show (part);
  g_assert_cmpstr (after, ==, "b.c=2 b.d=3 l[0]=4");
  g_assert_null (lm_nest_slice (nest, gap, NULL)); /* an element without those before it */
  g_assert_null (lm_nest_slice (nest, unknown, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "there is: a, b, l"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/nest_merge/compatible", test_compatible);
  g_test_add_func ("/base/nest_merge/update", test_update);
  g_test_add_func ("/base/nest_merge/update_refused", test_update_refused);
  g_test_add_func ("/base/nest_merge/union", test_union);
  g_test_add_func ("/base/nest_merge/slice", test_slice);
  return g_test_run ();
}
