/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMaps as JSON and back (lingvo's FromNestedDict, ToNestedDict), and as text for people
 * (DebugString). */
#include "core/base/nest_text.h"

#include <string.h>

typedef struct Reader {
  LmNestReadFn fn;
  gpointer user;
  GString *path; /* of the node at hand */
  GError **error;
} Reader;

static LmNest *read_node (Reader *r, JsonNode *node);

static LmNest *
read_object (Reader *r, JsonObject *object)
{
  g_autoptr (LmNest) map = lm_nest_new_map ();
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;

  json_object_iter_init (&iter, object);
  while (json_object_iter_next (&iter, &key, &node)) {
    gsize before = r->path->len;
    if (!lm_nest_check_new_key (key, r->error)) {
      g_prefix_error (r->error, "%s: ", before > 0 ? r->path->str : "the top");
      return NULL;
    }
    g_string_append_printf (r->path, "%s%s", before > 0 ? "." : "", key);
    LmNest *child = read_node (r, node);
    if (child == NULL)
      return NULL;
    lm_nest_put (map, key, child);
    g_string_truncate (r->path, before);
  }
  return g_steal_pointer (&map);
}

static LmNest *
read_array (Reader *r, JsonArray *array)
{
  g_autoptr (LmNest) list = lm_nest_new_list ();

  for (guint i = 0; i < json_array_get_length (array); i++) {
    gsize before = r->path->len;
    g_string_append_printf (r->path, "[%u]", i);
    LmNest *child = read_node (r, json_array_get_element (array, i));
    if (child == NULL)
      return NULL;
    lm_nest_append (list, child);
    g_string_truncate (r->path, before);
  }
  return g_steal_pointer (&list);
}

static LmNest *
read_node (Reader *r, JsonNode *node)
{
  uint64_t leaf = 0;

  switch (JSON_NODE_TYPE (node)) {
  case JSON_NODE_OBJECT:
    return read_object (r, json_node_get_object (node));
  case JSON_NODE_ARRAY:
    return read_array (r, json_node_get_array (node));
  case JSON_NODE_NULL:
    return lm_nest_new_leaf (0);
  default:
    return r->fn (node, r->path->str, &leaf, r->user, r->error) ? lm_nest_new_leaf (leaf) : NULL;
  }
}

LmNest *
lm_nest_from_json (JsonNode *node, LmNestReadFn fn, gpointer user, GError **error)
{
  g_autoptr (GString) path = g_string_new (NULL);
  Reader reader = {fn, user, path, error};

  return read_node (&reader, node);
}

JsonNode *
lm_nest_to_json (const LmNest *nest, LmNestWriteFn fn, gpointer user)
{
  guint n = lm_nest_size (nest);
  uint64_t leaf = lm_nest_leaf (nest);
  JsonNode *node;

  switch (lm_nest_kind (nest)) {
  case LM_NEST_MAP: {
    JsonObject *object = json_object_new ();
    for (guint i = 0; i < n; i++)
      json_object_set_member (object, lm_nest_key (nest, i),
                              lm_nest_to_json (lm_nest_child (nest, i), fn, user));
    node = json_node_new (JSON_NODE_OBJECT);
    json_node_take_object (node, object);
    return node;
  }
  case LM_NEST_LIST: {
    JsonArray *array = json_array_new ();
    for (guint i = 0; i < n; i++)
      json_array_add_element (array, lm_nest_to_json (lm_nest_child (nest, i), fn, user));
    node = json_node_new (JSON_NODE_ARRAY);
    json_node_take_array (node, array);
    return node;
  }
  default:
    return leaf != 0 ? fn (leaf, user) : json_node_new (JSON_NODE_NULL);
  }
}

static int
compare_lines (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

char *
lm_nest_debug_string (const LmNest *nest, LmNestTextFn fn, gpointer user)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) leaves = lm_nest_flatten (nest);
  g_auto (GStrv) paths = lm_nest_paths (nest);
  size_t width = 0;

  for (guint i = 0; i < leaves->len; i++)
    width = MAX (width, strlen (paths[i]));
  for (guint i = 0; i < leaves->len; i++) {
    g_autofree char *text = fn (g_array_index (leaves, uint64_t, i), user);
    g_ptr_array_add (lines, g_strdup_printf ("%-*s%s", (int)width + 4, paths[i], text));
  }
  g_ptr_array_sort (lines, compare_lines);
  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("\n", (char **)lines->pdata);
}
