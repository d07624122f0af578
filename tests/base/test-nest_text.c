/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMaps as JSON both ways, and as text; the leaves here are the integers themselves. */
#include "core/base/nest_text.h"

#include <string.h>

static bool
read_int (JsonNode *value, const char *path, uint64_t *out_leaf, gpointer user, GError **error)
{
  if (json_node_get_value_type (value) == G_TYPE_INT64) {
    *out_leaf = (uint64_t)json_node_get_int (value);
    return true;
  }
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s: %s", path, (const char *)user);
  return false;
}

static JsonNode *
write_int (uint64_t leaf, gpointer user G_GNUC_UNUSED)
{
  return json_node_init_int (json_node_alloc (), (gint64)leaf);
}

static LmNest *
parse (const char *text, GError **error)
{
  g_autoptr (JsonNode) node = lm_json_parse (text, strlen (text), LM_JSON_STRICT, "test", NULL);

  g_assert_nonnull (node);
  return lm_nest_from_json (node, read_int, (gpointer) "wanted an integer", error);
}

static void
test_json (void)
{
  static const char text[] =
      "{\n  \"a\": [\n    1,\n    null\n  ],\n  \"b\": {\n    \"c\": {},\n    \"d\": 7\n  },\n"
      "  \"e\": []\n}\n";
  g_autoptr (LmNest) nest = parse (text, NULL);
  g_autoptr (JsonNode) node = lm_nest_to_json (nest, write_int, NULL);
  g_autofree char *again = lm_json_print (node);

  g_assert_cmpuint (lm_nest_leaf (lm_nest_get (nest, "b.d")), ==, 7);
  g_assert_cmpuint (lm_nest_leaf (lm_nest_get (nest, "a[1]")), ==, 0);
  g_assert_cmpstr (again, ==, text);
}

static void
check_refused (const char *text, const char *wanted)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (parse (text, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_true (g_str_has_prefix (error->message, wanted));
}

/* Every key of every object is checked, and every leaf is the reader's to judge. */
static void
test_json_refused (void)
{
  check_refused ("{\"a b\": 1}", "the top: \"a b\" is no key");
  check_refused ("{\"a\": [1, {\"keys\": 1}]}", "a[1]: \"keys\" is a reserved key");
  check_refused ("{\"a\": {\"b\": [0, \"x\"]}}", "a.b[1]: wanted an integer");
}

static char *
say (uint64_t leaf, gpointer user)
{
  return leaf == 0 ? g_strdup (user) : g_strdup_printf ("%u", (guint)leaf);
}

static void
test_debug_string (void)
{
  g_autoptr (LmNest) nest = parse ("{\"b\": [{\"long\": 1}], \"a\": null}", NULL), none = NULL;
  g_autofree char *text = lm_nest_debug_string (nest, say, (gpointer) "None"), *empty = NULL;

  g_assert_cmpstr (text, ==, "a            None\nb[0].long    1");
  none = lm_nest_new_map ();
  empty = lm_nest_debug_string (none, say, (gpointer) "None");
  g_assert_cmpstr (empty, ==, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/nest_text/json", test_json);
  g_test_add_func ("/base/nest_text/json_refused", test_json_refused);
  g_test_add_func ("/base/nest_text/debug_string", test_debug_string);
  return g_test_run ();
}
