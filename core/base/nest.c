/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMap: maps with sorted keys, lists and leaves, and what may be a key. */
#include "core/base/nest_private.h"

#include <string.h>

static void
nest_free (gpointer nest)
{
  lm_nest_free (nest);
}

static LmNest *
nest_new (LmNestKind kind, uint64_t value)
{
  LmNest *nest = g_new0 (LmNest, 1);

  nest->kind = kind;
  nest->value = value;
  if (kind == LM_NEST_MAP)
    nest->keys = g_ptr_array_new_with_free_func (g_free);
  if (kind != LM_NEST_LEAF)
    nest->children = g_ptr_array_new_with_free_func (nest_free);
  return nest;
}

LmNest *
lm_nest_new_leaf (uint64_t value)
{
  return nest_new (LM_NEST_LEAF, value);
}

LmNest *
lm_nest_new_map (void)
{
  return nest_new (LM_NEST_MAP, 0);
}

LmNest *
lm_nest_new_list (void)
{
  return nest_new (LM_NEST_LIST, 0);
}

void
lm_nest_free (LmNest *nest)
{
  if (nest == NULL)
    return;
  g_clear_pointer (&nest->keys, g_ptr_array_unref);
  g_clear_pointer (&nest->children, g_ptr_array_unref);
  g_free (nest);
}

LmNestKind
lm_nest_kind (const LmNest *nest)
{
  return nest->kind;
}

uint64_t
lm_nest_leaf (const LmNest *nest)
{
  return nest->value;
}

guint
lm_nest_size (const LmNest *nest)
{
  return nest->children != NULL ? nest->children->len : 0;
}

const char *
lm_nest_key (const LmNest *map, guint i)
{
  g_return_val_if_fail (map->kind == LM_NEST_MAP && i < map->keys->len, NULL);
  return map->keys->pdata[i];
}

LmNest *
lm_nest_child (const LmNest *nest, guint i)
{
  g_return_val_if_fail (i < lm_nest_size (nest), NULL);
  return nest->children->pdata[i];
}

size_t
lm_nest_key_length (const char *text)
{
  size_t n = 0;

  if (g_ascii_isalpha (text[0]) || text[0] == '_')
    while (g_ascii_isalnum (text[n]) || text[n] == '_')
      n++;
  return n;
}

bool
lm_nest_check_key (const char *key)
{
  size_t n = lm_nest_key_length (key);

  return n > 0 && key[n] == '\0';
}

/* What Python's dict has as attributes: a NestedMap there could not be read by map.key. All of
 * __x__ is Python's own, whatever its version has today. */
static bool
is_reserved (const char *key)
{
  static const char *const methods[] = {"clear",      "copy",   "fromkeys", "get",
                                        "items",      "keys",   "pop",      "popitem",
                                        "setdefault", "update", "values",   NULL};

  return g_strv_contains (methods, key)
         || (strlen (key) > 4 && g_str_has_prefix (key, "__") && g_str_has_suffix (key, "__"));
}

bool
lm_nest_check_new_key (const char *key, GError **error)
{
  if (!lm_nest_check_key (key))
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "\"%s\" is no key of a map; a key is a letter or _, then letters, digits and _",
                 key);
  else if (is_reserved (key))
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "\"%s\" is a reserved key (Python's dict has that name); choose another one", key);
  else
    return true;
  return false;
}

bool
lm_nest_find_key (const LmNest *map, const char *key, guint *out_at)
{
  guint low = 0, high = map->keys->len;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    int order = strcmp (map->keys->pdata[middle], key);
    if (order == 0) {
      *out_at = middle;
      return true;
    }
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  *out_at = low;
  return false;
}

void
lm_nest_replace_child (LmNest *nest, guint i, LmNest *child)
{
  lm_nest_free (nest->children->pdata[i]);
  nest->children->pdata[i] = child;
}

void
lm_nest_put (LmNest *map, const char *key, LmNest *child)
{
  guint at;

  g_return_if_fail (map->kind == LM_NEST_MAP && child != NULL && *key != '\0');
  if (lm_nest_find_key (map, key, &at)) {
    lm_nest_replace_child (map, at, child);
    return;
  }
  g_ptr_array_insert (map->keys, (gint)at, g_strdup (key));
  g_ptr_array_insert (map->children, (gint)at, child);
}

void
lm_nest_become (LmNest *nest, LmNest *other)
{
  LmNest old = *nest;

  *nest = *other;
  *other = old;
  lm_nest_free (other);
}

void
lm_nest_append (LmNest *list, LmNest *child)
{
  g_return_if_fail (list->kind == LM_NEST_LIST && child != NULL);
  g_ptr_array_add (list->children, child);
}
