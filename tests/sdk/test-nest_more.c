/* SPDX-License-Identifier: Apache-2.0 */
/* sdk/lamina/nest_more.h (and what of nest.h no layer uses yet) inside a trace. */
#include "tests/lib/fixture.h"
#include <lamina/nest_more.h>

#include <string.h>

typedef struct Fixture {
  LmTrace *trace;
  lam_trace *t;
  lam_tensor x, y; /* (3), (2, 4) */
  lam_nest nest;   /* {b: [x, nil, {c: y}], empty: {}, a: y} */
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  lam_type vector = lm_type (LAM_F32, 1, (int64_t[]) {3});
  lam_type matrix = lm_type (LAM_BF16, 2, (int64_t[]) {2, 4});
  f->trace = lm_trace_new ("test", lm_host_tables ()->trace, NULL, LAM_F32);
  f->t = lm_trace_pub (f->trace);
  f->x = lm_trace_param (f->trace, &vector);
  f->y = lm_trace_param (f->trace, &matrix);
  f->nest = lam_nest_map (f->t);
  lam_nest_set (f->t, f->nest, "b", lam_nest_list (f->t));
  lam_nest_set_tensor (f->t, f->nest, "b[0]", f->x);
  lam_nest_set_tensor (f->t, f->nest, "b[1]", lam_nil ());
  lam_nest_set_tensor (f->t, f->nest, "b[2].c", f->y);
  lam_nest_set (f->t, f->nest, "empty", lam_nest_map (f->t));
  lam_nest_set_tensor (f->t, f->nest, "a", f->y);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  lm_trace_free (f->trace);
}

static void
assert_failed (Fixture *f, const char *piece)
{
  g_assert_nonnull (lm_trace_error (f->trace));
  GError *error = g_error_copy (lm_trace_error (f->trace));
  lm_test_assert_error (&error, LM_ERROR_INVALID, piece, NULL);
}

static void
assert_text (Fixture *f, lam_nest nest, const char *wanted)
{
  char text[512];
  g_assert_cmpuint (lam_nest_debug_text (f->t, nest, text, sizeof text), ==, strlen (wanted));
  g_assert_cmpstr (text, ==, wanted);
}

static void
test_nodes (Fixture *f, gconstpointer unused)
{
  lam_nest list = lam_nest_get (f->t, f->nest, "b");
  g_assert_cmpint (lam_nest_kind (f->t, list), ==, LAM_NEST_LIST);
  g_assert_cmpuint (lam_nest_size (f->t, list), ==, 3);
  g_assert_cmpstr (lam_nest_key (f->t, f->nest, 2), ==, "empty");
  g_assert_null (lam_nest_key (f->t, f->nest, 3));
  g_assert_cmpint (lam_nest_kind (f->t, lam_nest_child (f->t, list, 2)), ==, LAM_NEST_MAP);
  lam_nest_append (f->t, list, lam_nest_of (f->t, f->x));
  g_assert_cmpuint (lam_nest_size (f->t, list), ==, 4);
  g_assert_cmpuint (lam_nest_size (f->t, lam_nest_get (f->t, f->nest, "b")), ==, 3); /* a copy */
  g_assert_false (lam_nest_same_structure (f->t, list, lam_nest_get (f->t, f->nest, "b")));
  g_assert_true (lam_nest_same_structure (f->t, f->nest, f->nest));
  lam_nest_child (f->t, list, 4);
  assert_failed (f, "no child 4");
}

static void
test_debug_text (Fixture *f, gconstpointer unused)
{
  char text[8];
  assert_text (f, f->nest,
               "a         bf16[2,4]\nb[0]      f32[3]\nb[1]      nil\nb[2].c    bf16[2,4]");
  assert_text (f, lam_nest_map (f->t), "");
  g_assert_cmpuint (lam_nest_debug_text (f->t, f->nest, text, sizeof text), >, sizeof text);
  g_assert_cmpstr (text, ==, "a      "); /* cut, ended */
}

static lam_tensor
doubled (void *user, lam_trace *t, const char *path, lam_tensor x)
{
  g_string_append_printf (user, "%s ", path);
  return lam_is_nil (x) ? lam_scalar (t, LAM_F32, 1.0) : lam_add (t, x, x);
}

static void
test_map_leaves (Fixture *f, gconstpointer unused)
{
  g_autoptr (GString) paths = g_string_new (NULL);
  lam_nest out = lam_nest_map_leaves (f->t, f->nest, doubled, paths);
  g_assert_cmpstr (paths->str, ==, "a b[0] b[1] b[2].c ");
  g_assert_true (lam_nest_same_structure (f->t, f->nest, out));
  assert_text (f, out,
               "a         bf16[2,4]\nb[0]      f32[3]\nb[1]      f32[]\nb[2].c    bf16[2,4]");
  g_assert_true (lam_is_ok (f->t));
}

static lam_tensor
failing (void *user, lam_trace *t, const char *path, lam_tensor x)
{
  ++*(guint *)user;
  lam_fail (t, "no more");
  return x;
}

/* The first error ends the walk. */
static void
test_map_fails (Fixture *f, gconstpointer unused)
{
  guint n = 0;
  lam_nest_map_leaves (f->t, f->nest, failing, &n);
  g_assert_cmpuint (n, ==, 1);
  assert_failed (f, "no more");
}

static bool
keep_path (void *user, lam_trace *t, const char *path, lam_tensor x)
{
  return strcmp (path, user) == 0;
}

static void
test_filter (Fixture *f, gconstpointer unused)
{
  lam_nest c = lam_nest_filter (f->t, f->nest, keep_path, (void *)"b[2].c");
  assert_text (f, c, "b[0].c    bf16[2,4]"); /* the element moved up */
  g_assert_true (lam_nest_has (f->t, c, "empty"));
  g_assert_false (lam_nest_has (f->t, c, "a"));
  lam_nest a = lam_nest_filter (f->t, f->nest, keep_path, (void *)"a");
  g_assert_false (lam_nest_has (f->t, a, "b")); /* emptied: gone */
  lam_nest leaf = lam_nest_of (f->t, f->x);
  lam_nest none = lam_nest_filter (f->t, leaf, keep_path, (void *)"a");
  g_assert_cmpint (lam_nest_kind (f->t, none), ==, LAM_NEST_MAP);
}

static void
test_union (Fixture *f, gconstpointer unused)
{
  lam_nest more = lam_nest_map (f->t);
  lam_nest_set_tensor (f->t, more, "a", f->x);
  lam_nest_set_tensor (f->t, more, "b[3]", f->x); /* no list has a fourth without a third */
  assert_failed (f, "index 3 is beyond the end");
  tear_down (f, NULL);
  set_up (f, NULL);
  more = lam_nest_map (f->t);
  lam_nest_set_tensor (f->t, more, "a", f->x);
  lam_nest_set_tensor (f->t, more, "d.e", f->x);
  lam_nest both = lam_nest_union (f->t, f->nest, more);
  assert_text (f, both,
               "a         f32[3]\nb[0]      f32[3]\nb[1]      nil\nb[2].c    bf16[2,4]\n"
               "d.e       f32[3]");
  assert_text (f, more, "a      f32[3]\nd.e    f32[3]");
}

static void
test_slice (Fixture *f, gconstpointer unused)
{
  static const char *const paths[] = {"b", "a"}, *const unknown[] = {"a", "c"};
  lam_nest part = lam_nest_slice (f->t, f->nest, paths, 1);
  assert_text (f, part, "b[0]      f32[3]\nb[1]      nil\nb[2].c    bf16[2,4]");
  lam_nest_slice (f->t, f->nest, unknown, 2);
  assert_failed (f, "has no key \"c\"; there is: a, b, empty");
}

static void
test_get_default (Fixture *f, gconstpointer unused)
{
  lam_nest other = lam_nest_of (f->t, f->y);
  g_assert_cmpuint (lam_nest_get_default (f->t, f->nest, "nope", other).id, ==, other.id);
  g_assert_cmpuint (lam_nest_get_default (f->t, f->nest, "a.deeper", other).id, ==, other.id);
  assert_text (f, lam_nest_get_default (f->t, f->nest, "b[2]", other), "c    bf16[2,4]");
  g_assert_cmpuint (lam_nest_get_tensor_default (f->t, f->nest, "b[0]", f->y).id, ==, f->x.id);
  g_assert_cmpuint (lam_nest_get_tensor_default (f->t, f->nest, "b[1]", f->y).id, ==, f->y.id);
  g_assert_true (lam_is_nil (lam_nest_get_tensor_default (f->t, f->nest, "z", lam_nil ())));
  g_assert_true (lam_is_ok (f->t));
}

static void
test_compatible (Fixture *f, gconstpointer unused)
{
  lam_nest copy = lam_nest_get (f->t, f->nest, ""), bare = lam_nest_map (f->t);
  g_assert_true (lam_nest_is_compatible (f->t, f->nest, copy));
  lam_nest_set (f->t, copy, "more", lam_nest_list (f->t));
  g_assert_true (lam_nest_is_compatible (f->t, f->nest, copy)); /* no leaf, no path */
  g_assert_false (lam_nest_same_structure (f->t, f->nest, copy));
  lam_nest_set_tensor (f->t, copy, "more[0]", f->x);
  g_assert_false (lam_nest_is_compatible (f->t, f->nest, copy));
  g_assert_false (lam_nest_is_compatible (f->t, lam_nest_of (f->t, f->x), bare));
}

/* A path may not outgrow the buffer. */
static void
test_long_path (Fixture *f, gconstpointer unused)
{
  g_autofree char *key = g_strnfill (600, 'k');
  lam_nest inner = lam_nest_map (f->t), outer = lam_nest_map (f->t);
  guint n = 0;
  lam_nest_set_tensor (f->t, inner, key, f->x);
  lam_nest_set (f->t, outer, key, inner);
  lam_nest_map_leaves (f->t, outer, failing, &n);
  g_assert_cmpuint (n, ==, 0);
  assert_failed (f, "longer than 1023 bytes");
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*test) (Fixture *f, gconstpointer unused);
  } tests[] = {
      {"/sdk/nest_more/nodes", test_nodes},
      {"/sdk/nest_more/debug_text", test_debug_text},
      {"/sdk/nest_more/map_leaves", test_map_leaves},
      {"/sdk/nest_more/map_fails", test_map_fails},
      {"/sdk/nest_more/filter", test_filter},
      {"/sdk/nest_more/union", test_union},
      {"/sdk/nest_more/slice", test_slice},
      {"/sdk/nest_more/get_default", test_get_default},
      {"/sdk/nest_more/compatible", test_compatible},
      {"/sdk/nest_more/long_path", test_long_path},
  };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].name, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run ();
}
