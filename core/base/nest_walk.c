/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over NestedMaps: map, filter, flatten, pack, comparison. */
#include "core/base/nest.h"

#include <string.h>

static size_t
path_push (GString *path, const LmNest *nest, guint i)
{
  size_t before = path->len;

  if (lm_nest_kind (nest) == LM_NEST_LIST)
    g_string_append_printf (path, "[%u]", i);
  else
    g_string_append_printf (path, "%s%s", before > 0 ? "." : "", lm_nest_key (nest, i));
  return before;
}

static LmNest *
same_container (const LmNest *nest)
{
  return lm_nest_kind (nest) == LM_NEST_MAP ? lm_nest_new_map () : lm_nest_new_list ();
}

/* Adds what became of child i of nest. */
static void
add_child (LmNest *result, const LmNest *nest, guint i, LmNest *child)
{
  if (lm_nest_kind (nest) == LM_NEST_MAP)
    lm_nest_put (result, lm_nest_key (nest, i), child);
  else
    lm_nest_append (result, child);
}

/* A structure of the same shape; fn NULL keeps the leaves. */
static LmNest *
map_node (const LmNest *nest, GString *path, LmNestMapFn fn, gpointer user)
{
  uint64_t leaf = lm_nest_leaf (nest);
  LmNest *result;

  if (lm_nest_kind (nest) == LM_NEST_LEAF)
    return lm_nest_new_leaf (fn != NULL ? fn (leaf, path->str, user) : leaf);
  result = same_container (nest);
  for (guint i = 0; i < lm_nest_size (nest); i++) {
    size_t before = path_push (path, nest, i);
    add_child (result, nest, i, map_node (lm_nest_child (nest, i), path, fn, user));
    g_string_truncate (path, before);
  }
  return result;
}

LmNest *
lm_nest_map (const LmNest *nest, LmNestMapFn fn, gpointer user)
{
  g_autoptr (GString) path = g_string_new (NULL);

  return map_node (nest, path, fn, user);
}

LmNest *
lm_nest_copy (const LmNest *nest)
{
  return lm_nest_map (nest, NULL, NULL);
}

static void
flatten_into (const LmNest *nest, GArray *leaves)
{
  uint64_t leaf = lm_nest_leaf (nest);

  if (lm_nest_kind (nest) == LM_NEST_LEAF)
    g_array_append_val (leaves, leaf);
  for (guint i = 0; i < lm_nest_size (nest); i++)
    flatten_into (lm_nest_child (nest, i), leaves);
}

GArray *
lm_nest_flatten (const LmNest *nest)
{
  GArray *leaves = g_array_new (FALSE, FALSE, sizeof (uint64_t));

  flatten_into (nest, leaves);
  return leaves;
}

static void
paths_into (const LmNest *nest, GString *path, GPtrArray *paths)
{
  if (lm_nest_kind (nest) == LM_NEST_LEAF)
    g_ptr_array_add (paths, g_strdup (path->str));
  for (guint i = 0; i < lm_nest_size (nest); i++) {
    size_t before = path_push (path, nest, i);
    paths_into (lm_nest_child (nest, i), path, paths);
    g_string_truncate (path, before);
  }
}

char **
lm_nest_paths (const LmNest *nest)
{
  g_autoptr (GString) path = g_string_new (NULL);
  GPtrArray *paths = g_ptr_array_new ();

  paths_into (nest, path, paths);
  g_ptr_array_add (paths, NULL);
  return (char **)g_ptr_array_free (paths, FALSE);
}

static uint64_t
next_leaf (uint64_t leaf G_GNUC_UNUSED, const char *path G_GNUC_UNUSED, gpointer user)
{
  const uint64_t **leaves = user;

  return *(*leaves)++;
}

LmNest *
lm_nest_pack (const LmNest *structure, const uint64_t *leaves, gsize n, GError **error)
{
  g_autoptr (GArray) old = lm_nest_flatten (structure);

  if (old->len != n) {
    g_auto (GStrv) paths = lm_nest_paths (structure);
    g_autofree char *list = g_strjoinv (", ", paths);
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "cannot pack %" G_GSIZE_FORMAT " leaves into a structure of %u: %s", n, old->len,
                 list);
    return NULL;
  }
  return lm_nest_map (structure, next_leaf, &leaves);
}

/* NULL when nest is a leaf that goes, or a container that became empty by that; containers that
 * were empty before stay (lingvo's Filter). */
static LmNest *
filter_node (const LmNest *nest, GString *path, LmNestFilterFn keep, gpointer user)
{
  uint64_t leaf = lm_nest_leaf (nest);
  LmNest *result;

  if (lm_nest_kind (nest) == LM_NEST_LEAF)
    return keep (leaf, path->str, user) ? lm_nest_new_leaf (leaf) : NULL;
  result = same_container (nest);
  for (guint i = 0; i < lm_nest_size (nest); i++) {
    size_t before = path_push (path, nest, i);
    LmNest *child = filter_node (lm_nest_child (nest, i), path, keep, user);
    g_string_truncate (path, before);
    if (child != NULL)
      add_child (result, nest, i, child);
  }
  if (lm_nest_size (result) == 0 && lm_nest_size (nest) > 0)
    g_clear_pointer (&result, lm_nest_free);
  return result;
}

LmNest *
lm_nest_filter (const LmNest *nest, LmNestFilterFn keep, gpointer user)
{
  g_autoptr (GString) path = g_string_new (NULL);
  LmNest *result = filter_node (nest, path, keep, user);

  return result != NULL ? result : lm_nest_new_map ();
}

static void
describe (GString *out, const LmNest *nest)
{
  switch (lm_nest_kind (nest)) {
  case LM_NEST_LEAF:
    g_string_append (out, "a leaf");
    return;
  case LM_NEST_LIST:
    g_string_append_printf (out, "a list of %u", lm_nest_size (nest));
    return;
  default:
    break;
  }
  g_string_append (out, "a map with keys {");
  for (guint i = 0; i < lm_nest_size (nest); i++)
    g_string_append_printf (out, "%s%s", i > 0 ? ", " : "", lm_nest_key (nest, i));
  g_string_append_c (out, '}');
}

static bool
same_keys (const LmNest *a, const LmNest *b)
{
  if (lm_nest_kind (a) != lm_nest_kind (b) || lm_nest_size (a) != lm_nest_size (b))
    return false;
  for (guint i = 0; lm_nest_kind (a) == LM_NEST_MAP && i < lm_nest_size (a); i++)
    if (strcmp (lm_nest_key (a, i), lm_nest_key (b, i)) != 0)
      return false;
  return true;
}

static bool
same_node (const LmNest *a, const LmNest *b, GString *path, GString *why)
{
  if (!same_keys (a, b)) {
    describe (why, a);
    g_string_append (why, " and ");
    describe (why, b);
    return false;
  }
  for (guint i = 0; i < lm_nest_size (a); i++) {
    size_t before = path_push (path, a, i);
    if (!same_node (lm_nest_child (a, i), lm_nest_child (b, i), path, why))
      return false;
    g_string_truncate (path, before);
  }
  return true;
}

bool
lm_nest_assert_same_structure (const LmNest *a, const LmNest *b, GError **error)
{
  g_autoptr (GString) path = g_string_new (NULL);
  g_autoptr (GString) why = g_string_new (NULL);

  if (same_node (a, b, path, why))
    return true;
  if (path->len == 0)
    g_string_assign (path, "the top");
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "structures differ at %s: %s", path->str,
               why->str);
  return false;
}
