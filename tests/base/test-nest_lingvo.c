/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMap against lingvo's (golden group lingvo) and praxis' (nest_praxis), case by case. Where our
 * rule differs on purpose, the reason stands at the place. Leaves are numbers of interned values; a
 * tuple is a leaf, as in lingvo's Flatten. */
#include "core/base/nest_text.h"
#include "tests/lib/golden.h"

#include <string.h>

/* --- leaves --------------------------------------------------------------------------------------- */

/* JSON texts; leaf = place + 1. Null is the nil leaf. */
static GPtrArray *values;

static uint64_t
intern (const char *text)
{
  for (guint i = 0; i < values->len; i++)
    if (strcmp (values->pdata[i], text) == 0)
      return i + 1;
  g_ptr_array_add (values, g_strdup (text));
  return values->len;
}

static uint64_t
leaf_of (JsonNode *node)
{
  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return 0;
  g_autofree char *text = lm_json_print (node);
  return intern (g_strchomp (text));
}

static uint64_t
leaf_of_string (const char *string)
{
  g_autoptr (JsonNode) node = json_node_init_string (json_node_alloc (), string);
  return leaf_of (node);
}

/* What Python's str () says of the values in the cases. */
static char *
say (uint64_t leaf, gpointer user G_GNUC_UNUSED)
{
  const char *text = leaf != 0 ? values->pdata[leaf - 1] : "null";
  if (strcmp (text, "null") == 0)
    return g_strdup ("None");
  if (*text != '{')
    return g_strdup (text);
  const char *from = strchr (text, '['), *to = strrchr (text, ']'); /* {"tuple": [1, 2]} */
  return g_strdup_printf ("(%.*s)", (int)(to - from - 1), from + 1);
}

static bool
is_even (uint64_t leaf, const char *path, gpointer user)
{
  const char *text = leaf != 0 ? values->pdata[leaf - 1] : "null";
  return g_ascii_isdigit (*text) && g_ascii_strtoll (text, NULL, 10) % 2 == 0;
}

static bool
keep_none (uint64_t leaf, const char *path, gpointer user)
{
  return false;
}

/* --- trees ---------------------------------------------------------------------------------------- */

static JsonArray *
branch (JsonNode *node, const char *kind)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  return object != NULL && json_object_has_member (object, kind)
             ? json_object_get_array_member (object, kind)
             : NULL;
}

/* "map" and "dict" are one thing here. Tuples become lists when `open_tuples`. */
static LmNest *
tree_of (JsonNode *node, bool open_tuples)
{
  JsonArray *map = branch (node, "map"), *list = branch (node, "list");
  if (map == NULL)
    map = branch (node, "dict");
  if (list == NULL && open_tuples)
    list = branch (node, "tuple");
  if (map == NULL && list == NULL)
    return lm_nest_new_leaf (leaf_of (node));
  LmNest *nest = map != NULL ? lm_nest_new_map () : lm_nest_new_list ();
  for (guint i = 0; map != NULL && i < json_array_get_length (map); i++) {
    JsonArray *pair = json_array_get_array_element (map, i);
    lm_nest_put (nest, json_array_get_string_element (pair, 0),
                 tree_of (json_array_get_element (pair, 1), open_tuples));
  }
  for (guint i = 0; map == NULL && i < json_array_get_length (list); i++)
    lm_nest_append (nest, tree_of (json_array_get_element (list, i), open_tuples));
  return nest;
}

static LmNest *
tree_at (JsonObject *attrs, const char *key)
{
  return tree_of (json_object_get_member (attrs, key), false);
}

static void
assert_equal (const LmNest *got, const LmNest *wanted)
{
  g_autoptr (GError) error = NULL;
  g_assert_nonnull (got);
  lm_nest_assert_same_structure (got, wanted, &error);
  g_assert_no_error (error);
  g_autoptr (GArray) a = lm_nest_flatten (got), b = lm_nest_flatten (wanted);
  g_assert_cmpmem (a->data, a->len * 8, b->data, b->len * 8);
}

/* --- results -------------------------------------------------------------------------------------- */

/* NULL when the case wants an error; else the value. */
static JsonNode *
ok_value (JsonObject *attrs, const char *key)
{
  JsonObject *result = json_object_get_object_member (attrs, key);
  return json_object_get_member (result, "ok");
}

/* got equals what `key` says; an error has the class of lingvo's exception. */
static void
check_result (JsonObject *attrs, const char *key, const LmNest *got, GError *error)
{
  JsonNode *ok = ok_value (attrs, key);
  if (ok != NULL) {
    g_assert_no_error (error);
    g_autoptr (LmNest) wanted = tree_of (ok, false);
    assert_equal (got, wanted);
    return;
  }
  const char *class =
      json_object_get_string_member (json_object_get_object_member (attrs, key), "error");
  bool absent = strcmp (class, "KeyError") == 0 || strcmp (class, "IndexError") == 0
                || strcmp (class, "AttributeError") == 0;
  g_assert_null (got);
  g_assert_error (error, LM_ERROR, (absent ? LM_ERROR_NOT_FOUND : LM_ERROR_INVALID));
}

/* --- the cases of one kind ------------------------------------------------------------------------ */

static void
check_key (JsonObject *attrs)
{
  JsonNode *node = json_object_get_member (attrs, "key");
  if (json_node_get_value_type (node) != G_TYPE_STRING)
    return; /* a C string cannot be an integer */
  const char *key = json_node_get_string (node);
  g_autoptr (LmNest) nest = lm_nest_new_map ();
  g_autoptr (GError) error = NULL;
  lm_nest_put (nest, "kept", lm_nest_new_leaf (1));
  /* Fixed: lingvo looks only at how a key begins, so "a b" or "a[0]" could be keys that no path
   * reaches. Here the whole key must follow the rule; "." and [] are paths. */
  bool whole = strspn (key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
               == strlen (key);
  g_assert_cmpint (lm_nest_check_key (key), ==, whole && ok_value (attrs, "CheckKey") != NULL);
  g_assert_cmpint (lm_nest_check_new_key (key, &error), ==,
                   whole && ok_value (attrs, "setitem") != NULL);
  if (error == NULL)
    return;
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, key));
}

/* The constructor and item writes check alike. */
static void
check_key_writers (JsonObject *attrs)
{
  JsonNode *node = json_object_get_member (attrs, "key");
  const char *key =
      json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node) : "5";
  g_autoptr (LmNest) nest = lm_nest_new_map (), made = NULL;
  g_autoptr (JsonNode) json = json_node_new (JSON_NODE_OBJECT);
  bool good = lm_nest_check_new_key (key, NULL);
  json_node_take_object (json, json_object_new ());
  json_object_set_null_member (json_node_get_object (json), key);
  made = lm_nest_from_json (json, NULL, NULL, NULL);
  g_assert_cmpint (made != NULL, ==, good);
  /* A path: ".", [] lead into the tree, where lingvo took them for a key. */
  if (strpbrk (key, ".[") == NULL)
    g_assert_cmpint (lm_nest_set (nest, key, lm_nest_new_leaf (1), NULL), ==, good);
}

static void
check_get (JsonObject *attrs)
{
  const char *path = json_object_get_string_member (attrs, "path");
  g_autoptr (LmNest) nest = tree_at (attrs, "tree"), fallback = lm_nest_new_leaf (intern ("77"));
  g_autoptr (GError) error = NULL;
  if (*path == '\0') { /* Differs: "" is the tree itself, the path of its top in any message. */
    g_assert_true (lm_nest_get (nest, path) == nest);
    g_assert_false (lm_nest_has (nest, path));
    return;
  }
  const LmNest *got = lm_nest_get_item (nest, path, &error);
  check_result (attrs, "GetItem", got, error);
  const LmNest *found = lm_nest_get (nest, path);
  check_result (attrs, "Get_default_77", found != NULL ? found : fallback, NULL);
  /* Fixed: lingvo's Has raises on a path through a leaf or into the wrong container; here the answer
   * is no. */
  JsonNode *has = ok_value (attrs, "Has");
  g_assert_cmpint (lm_nest_has (nest, path), ==, has != NULL && json_node_get_boolean (has));
}

static void
check_set (JsonObject *attrs)
{
  const char *path = json_object_get_string_member (attrs, "path");
  g_autoptr (LmNest) nest = tree_at (attrs, "tree"), before = lm_nest_copy (nest);
  LmNest *leaf = lm_nest_new_leaf (leaf_of (json_object_get_member (attrs, "value")));
  g_autoptr (GError) error = NULL;
  bool ok = lm_nest_set (nest, path, leaf, &error);
  check_result (attrs, "expect", ok ? nest : NULL, error);
  if (ok)
    return;
  g_assert_nonnull (strstr (error->message, path));
  assert_equal (nest, before); /* lingvo leaves an empty list or map behind */
}

static void
check_flatten (JsonObject *attrs)
{
  g_autoptr (LmNest) nest = tree_at (attrs, "tree");
  g_autoptr (GArray) leaves = lm_nest_flatten (nest);
  g_auto (GStrv) paths = lm_nest_paths (nest);
  g_autofree char *debug = lm_nest_debug_string (nest, say, NULL);
  JsonArray *want_paths = json_object_get_array_member (attrs, "expect_paths");
  JsonArray *want_leaves = json_object_get_array_member (attrs, "expect_leaves");
  g_assert_cmpuint (leaves->len, ==, json_array_get_length (want_leaves));
  g_assert_cmpuint (g_strv_length (paths), ==, json_array_get_length (want_paths));
  for (guint i = 0; i < leaves->len; i++) {
    g_assert_cmpstr (paths[i], ==, json_array_get_string_element (want_paths, i));
    g_assert_cmpuint (g_array_index (leaves, uint64_t, i), ==,
                      leaf_of (json_array_get_element (want_leaves, i)));
  }
  g_assert_cmpstr (debug, ==, json_object_get_string_member (attrs, "debug_string"));
}

static void
check_pack_count (const LmNest *nest, const uint64_t *leaves, gsize n)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) paths = lm_nest_paths (nest);
  g_assert_null (lm_nest_pack (nest, leaves, n, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  for (char **p = paths; *p != NULL; p++)
    g_assert_nonnull (strstr (error->message, *p));
}

static void
check_pack (JsonObject *attrs)
{
  g_autoptr (LmNest) nest = tree_at (attrs, "tree"), packed = NULL, copy = NULL;
  JsonArray *list = json_object_get_array_member (attrs, "values");
  guint n = json_array_get_length (list);
  g_autofree uint64_t *leaves = g_new0 (uint64_t, n + 1);
  for (guint i = 0; i < n; i++)
    leaves[i] = leaf_of (json_array_get_element (list, i));
  packed = lm_nest_pack (nest, leaves, n, NULL);
  check_result (attrs, "expect", packed, NULL);
  check_pack_count (nest, leaves, n - 1);
  check_pack_count (nest, leaves, n + 1);
  copy = lm_nest_copy (nest); /* DeepCopy: another tree with the same leaves */
  g_assert_true (copy != nest);
  assert_equal (copy, nest);
}

static uint64_t
path_and_leaf (uint64_t leaf, const char *path, gpointer user)
{
  g_autofree char *text = say (leaf, NULL), *both = g_strdup_printf ("%s=%s", path, text);
  return leaf_of_string (both);
}

static void
check_transform (JsonObject *attrs)
{
  g_autoptr (LmNest) nest = tree_at (attrs, "tree"), got = lm_nest_map (nest, path_and_leaf, NULL);
  check_result (attrs, "expect", got, NULL);
}

static void
check_filter (JsonObject *attrs)
{
  g_autoptr (LmNest) nest = tree_at (attrs, "tree"), even = lm_nest_filter (nest, is_even, NULL),
                     none = lm_nest_filter (nest, keep_none, NULL);
  check_result (attrs, "expect", even, NULL);
  check_result (attrs, "none_kept", none, NULL);
}

static JsonNode *
write_leaf (uint64_t leaf, gpointer user)
{
  const char *text = values->pdata[leaf - 1];
  return lm_json_parse (text, strlen (text), LM_JSON_STRICT, "leaf", NULL);
}

static bool
read_leaf (JsonNode *value, const char *path, uint64_t *out_leaf, gpointer user, GError **error)
{
  *out_leaf = leaf_of (value);
  return true;
}

/* To plain JSON objects and back, with the leaves of the case. A tuple leaf goes out as what write_leaf
 * makes of it; it would come back as a map, so such a tree is only written. */
static void
check_to_dict (JsonObject *attrs)
{
  g_autoptr (LmNest) nest = tree_at (attrs, "tree"),
                     wanted = tree_of (ok_value (attrs, "expect"), false), back = NULL;
  g_autoptr (JsonNode) json = lm_nest_to_json (nest, write_leaf, NULL),
                       plain = lm_nest_to_json (wanted, write_leaf, NULL);
  g_autofree char *text = lm_json_print (json), *plain_text = lm_json_print (plain);
  g_assert_true (JSON_NODE_HOLDS_OBJECT (json));
  g_assert_cmpstr (text, ==, plain_text);
  back = lm_nest_from_json (json, read_leaf, NULL, NULL);
  if (strstr (text, "tuple") == NULL)
    assert_equal (back, nest);
}

static void
check_compatible (JsonObject *attrs)
{
  g_autoptr (LmNest) a = tree_at (attrs, "a"), b = tree_at (attrs, "b");
  g_assert_cmpint (lm_nest_is_compatible (a, b), ==,
                   json_node_get_boolean (ok_value (attrs, "IsCompatible")));
  g_assert_cmpint (lm_nest_assert_same_structure (a, b, NULL), ==,
                   ok_value (attrs, "nest_assert_same_structure") != NULL);
}

static void
check_union (JsonObject *attrs)
{
  g_autoptr (LmNest) a = tree_at (attrs, "a"), b = tree_at (attrs, "b"),
                     both = lm_nest_union (a, b, NULL);
  check_result (attrs, "Union", both, NULL);
  g_assert_true (lm_nest_update (a, b, NULL));
  check_result (attrs, "Update", a, NULL);
}

static void
check_slice (JsonObject *attrs)
{
  JsonArray *keys = json_object_get_array_member (attrs, "keys");
  const char *paths[] = {json_array_get_string_element (keys, 0),
                         json_array_get_string_element (keys, 1), NULL};
  const char *missing[] = {"nope", NULL};
  g_autoptr (LmNest) nest = tree_at (attrs, "tree"), got = lm_nest_slice (nest, paths, NULL);
  g_autoptr (GError) error = NULL;
  check_result (attrs, "expect", got, NULL);
  const LmNest *none = lm_nest_slice (nest, missing, &error);
  check_result (attrs, "missing", none, error);
}

static void
check_missing_key (JsonObject *attrs)
{
  g_autoptr (LmNest) nest = tree_at (attrs, "tree");
  g_autoptr (GError) error = NULL;
  const char *key = json_object_get_string_member (attrs, "attr");
  const LmNest *got = lm_nest_get_item (nest, key, &error);
  check_result (attrs, "getitem", got, error);
  g_assert_nonnull (strstr (error->message, key));
  g_assert_nonnull (strstr (error->message, "there is: a, b"));
}

/* --- praxis --------------------------------------------------------------------------------------- */

static void
check_same_structure (JsonObject *attrs)
{
  g_autoptr (LmNest) a = tree_at (attrs, "a"), b = tree_at (attrs, "b");
  g_autoptr (GError) error = NULL;
  bool same = ok_value (attrs, "expect") != NULL;
  g_assert_cmpint (lm_nest_assert_same_structure (a, b, &error), ==, same);
  if (!same) /* praxis says no more than that; here the place is named */
    g_assert_true (g_str_has_prefix (error->message, "structures differ at "));
}

/* The order of jax.tree_util is that of Flatten; it drops None and opens tuples. */
static void
check_jax_leaves (JsonObject *attrs)
{
  JsonNode *tree = json_object_get_member (attrs, "tree");
  JsonArray *jax = json_object_get_array_member (attrs, "jax_leaves");
  JsonArray *own = json_object_get_array_member (attrs, "lingvo_flatten");
  g_autoptr (LmNest) nest = tree_of (tree, false), opened = tree_of (tree, true);
  g_autoptr (GArray) leaves = lm_nest_flatten (nest), all = lm_nest_flatten (opened);
  guint n = 0;
  g_assert_cmpuint (leaves->len, ==, json_array_get_length (own));
  for (guint i = 0; i < leaves->len; i++)
    g_assert_cmpuint (g_array_index (leaves, uint64_t, i), ==,
                      leaf_of (json_array_get_element (own, i)));
  for (guint i = 0; i < all->len; i++)
    if (g_array_index (all, uint64_t, i) != 0)
      g_assert_cmpuint (g_array_index (all, uint64_t, i), ==,
                        leaf_of (json_array_get_element (jax, n++)));
  g_assert_cmpuint (n, ==, json_array_get_length (jax));
}

static uint64_t
slashed (uint64_t leaf, const char *path, gpointer user)
{
  g_autofree char *text = g_strdelimit (g_strdup (path), ".", '/');
  return leaf_of_string (text);
}

/* praxis joins with "/" where paths have "."; keys hold neither. */
static void
check_prefixed_keys (JsonObject *attrs)
{
  g_autoptr (LmNest) nest = tree_of (json_object_get_member (attrs, "tree"), true),
                     wanted = tree_of (ok_value (attrs, "expect"), true),
                     got = lm_nest_map (nest, slashed, NULL);
  assert_equal (got, wanted);
}

/* --- running -------------------------------------------------------------------------------------- */

typedef struct Kind {
  const char *group, *kind;
  void (*check) (JsonObject *attrs);
  guint n; /* cases it must find */
} Kind;

static const Kind kinds[] = {
    {"lingvo", "lingvo.NestedMap.CheckKey", check_key, 21},
    {"lingvo", "lingvo.NestedMap.CheckKey", check_key_writers, 21},
    {"lingvo", "lingvo.NestedMap.GetItem", check_get, 12},
    {"lingvo", "lingvo.NestedMap.Set", check_set, 11},
    {"lingvo", "lingvo.NestedMap.FlattenItems", check_flatten, 7},
    {"lingvo", "lingvo.NestedMap.Pack", check_pack, 7},
    {"lingvo", "lingvo.NestedMap.TransformWithKey", check_transform, 7},
    {"lingvo", "lingvo.NestedMap.Filter", check_filter, 7},
    {"lingvo", "lingvo.NestedMap.ToNestedDict", check_to_dict, 7},
    {"lingvo", "lingvo.NestedMap.IsCompatible", check_compatible, 5},
    {"lingvo", "lingvo.NestedMap.Union", check_union, 1},
    {"lingvo", "lingvo.NestedMap.GetSlice", check_slice, 1},
    {"lingvo", "lingvo.NestedMap.__getattr__", check_missing_key, 1},
    {"nest_praxis", "praxis.asserts.assert_same_structure", check_same_structure, 8},
    {"nest_praxis", "jax.tree_util.tree_leaves", check_jax_leaves, 3},
    {"nest_praxis", "praxis.extract_prefixed_keys_from_nested_map", check_prefixed_keys, 3},
};

static void
test_kind (gconstpointer data)
{
  const Kind *kind = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) golden = lm_golden_open (kind->group, &error);
  guint n = 0;
  g_assert_no_error (error);
  values = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < lm_golden_n_cases (golden); i++) {
    const LmGoldenCase *c = lm_golden_case (golden, i);
    if (strcmp (c->kind, kind->kind) != 0)
      continue;
    g_test_message ("%s", c->id);
    kind->check (c->attrs);
    n++;
  }
  g_clear_pointer (&values, g_ptr_array_unref);
  g_assert_cmpuint (n, ==, kind->n);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const char *name = strrchr (kinds[i].kind, '.') + 1;
    g_autofree char *path = g_strdup_printf ("/base/nest_lingvo/%s%s", name,
                                             kinds[i].check == check_key_writers ? "_writers" : "");
    g_test_add_data_func (path, &kinds[i], test_kind);
  }
  return g_test_run ();
}
