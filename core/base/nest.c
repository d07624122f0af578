/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMap: maps with sorted keys, lists and leaves, and access by path. */
#include "core/base/nest.h"

#include <string.h>

struct LmNest {
  LmNestKind kind;
  uint64_t value;      /* of a leaf */
  GPtrArray *keys;     /* of a map: char*, sorted bytewise, parallel to children */
  GPtrArray *children; /* of a map or list: LmNest* */
};

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

/* Length of the key that text starts with; 0 if none. */
static size_t
key_length (const char *text)
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
  size_t n = key_length (key);

  return n > 0 && key[n] == '\0';
}

/* Where key is, or where it belongs. */
static bool
find_key (const LmNest *map, const char *key, guint *out_at)
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

static void
replace_child (LmNest *nest, guint i, LmNest *child)
{
  lm_nest_free (nest->children->pdata[i]);
  nest->children->pdata[i] = child;
}

void
lm_nest_put (LmNest *map, const char *key, LmNest *child)
{
  guint at;

  g_return_if_fail (map->kind == LM_NEST_MAP && child != NULL && *key != '\0');
  if (find_key (map, key, &at)) {
    replace_child (map, at, child);
    return;
  }
  g_ptr_array_insert (map->keys, (gint)at, g_strdup (key));
  g_ptr_array_insert (map->children, (gint)at, child);
}

void
lm_nest_append (LmNest *list, LmNest *child)
{
  g_return_if_fail (list->kind == LM_NEST_LIST && child != NULL);
  g_ptr_array_add (list->children, child);
}

/* One component of a path: a key, or an index when key is NULL. */
typedef struct Step {
  char *key;
  guint index;
} Step;

static void
step_clear (gpointer step)
{
  g_free (((Step *)step)->key);
}

/* The steps of `path`, or NULL when it is malformed. The empty path has none. */
static GArray *
parse_path (const char *path)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, TRUE, sizeof (Step));
  bool first = true;

  g_array_set_clear_func (steps, step_clear);
  for (const char *p = path; *p != '\0'; first = false) {
    Step step = {NULL, 0};
    if (*p == '[') {
      char *end;
      guint64 index = g_ascii_isdigit (p[1]) ? g_ascii_strtoull (p + 1, &end, 10) : G_MAXUINT64;
      if (index > G_MAXINT || *end != ']')
        return NULL;
      step.index = (guint)index;
      p = end + 1;
    } else {
      size_t n;
      if (!first && *p++ != '.')
        return NULL;
      n = key_length (p);
      if (n == 0)
        return NULL;
      step.key = g_strndup (p, n);
      p += n;
    }
    g_array_append_val (steps, step);
  }
  return g_steal_pointer (&steps);
}

/* The child that step names, or NULL; *out_at is its index where it exists. */
static LmNest *
step_into (const LmNest *nest, const Step *step, guint *out_at)
{
  *out_at = step->index;
  if (step->key != NULL) {
    if (nest->kind != LM_NEST_MAP || !find_key (nest, step->key, out_at))
      return NULL;
  } else if (nest->kind != LM_NEST_LIST || step->index >= nest->children->len) {
    return NULL;
  }
  return nest->children->pdata[*out_at];
}

LmNest *
lm_nest_get (const LmNest *nest, const char *path)
{
  g_autoptr (GArray) steps = parse_path (path);
  LmNest *at = (LmNest *)(uintptr_t)nest;
  guint index;

  if (steps == NULL)
    return NULL;
  for (guint i = 0; i < steps->len && at != NULL; i++)
    at = step_into (at, &g_array_index (steps, Step, i), &index);
  return at;
}

static const char *
kind_name (const LmNest *nest)
{
  if (nest->kind == LM_NEST_LEAF)
    return nest->value == 0 ? "a nil leaf" : "a leaf";
  return nest->kind == LM_NEST_MAP ? "a map" : "a list";
}

/* Puts child at the last step below nest, an existing container. */
static bool
put_step (LmNest *nest, const Step *step, LmNest *child, GString *why)
{
  if (step->key != NULL && nest->kind == LM_NEST_MAP) {
    lm_nest_put (nest, step->key, child);
    return true;
  }
  if (step->key != NULL || nest->kind != LM_NEST_LIST) {
    g_string_printf (why, "it goes through %s, which has no %s", kind_name (nest),
                     step->key != NULL ? "keys" : "indices");
    return false;
  }
  if (step->index > nest->children->len) {
    g_string_printf (why, "index %u is beyond the end of a list of %u", step->index,
                     nest->children->len);
    return false;
  }
  if (step->index == nest->children->len)
    g_ptr_array_add (nest->children, child);
  else
    replace_child (nest, step->index, child);
  return true;
}

static bool
set_steps (LmNest *nest, const GArray *steps, LmNest *child, GString *why)
{
  for (guint i = 0; i + 1 < steps->len; i++) {
    const Step *step = &g_array_index (steps, Step, i);
    guint index;
    LmNest *next = step_into (nest, step, &index);
    if (next == NULL) {
      if (g_array_index (steps, Step, i + 1).key == NULL) {
        g_string_assign (why, "only maps are made on the way, and an index needs a list");
        return false;
      }
      next = lm_nest_new_map ();
      if (!put_step (nest, step, next, why)) {
        lm_nest_free (next);
        return false;
      }
    }
    nest = next;
  }
  return put_step (nest, &g_array_index (steps, Step, steps->len - 1), child, why);
}

bool
lm_nest_set (LmNest *nest, const char *path, LmNest *child, GError **error)
{
  g_autoptr (GArray) steps = parse_path (path);
  g_autoptr (GString) why = g_string_new (NULL);

  g_return_val_if_fail (child != NULL, false);
  if (steps == NULL || steps->len == 0)
    g_string_assign (why, "a path is keys [A-Za-z_][A-Za-z0-9_]* joined by dots, and [indices]");
  else if (set_steps (nest, steps, child, why))
    return true;
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "cannot set \"%s\": %s", path, why->str);
  lm_nest_free (child);
  return false;
}

bool
lm_nest_remove (LmNest *nest, const char *path)
{
  g_autoptr (GArray) steps = parse_path (path);
  LmNest *parent = NULL;
  guint at = 0;

  if (steps == NULL || steps->len == 0)
    return false;
  for (guint i = 0; i < steps->len; i++) {
    parent = nest;
    nest = step_into (nest, &g_array_index (steps, Step, i), &at);
    if (nest == NULL)
      return false;
  }
  if (parent->keys != NULL)
    g_ptr_array_remove_index (parent->keys, at);
  g_ptr_array_remove_index (parent->children, at);
  return true;
}
