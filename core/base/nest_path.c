/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMap by path: reading, setting and removing "a.b[2].c" (lingvo's GetItem, Has, Set). */
#include "core/base/nest_private.h"

#include <string.h>

#define PATH_RULE "a path is keys [A-Za-z_][A-Za-z0-9_]* joined by dots, and [indices]"

/* One component of a path: a key, or an index when key is NULL. */
typedef struct Step {
  char *key;
  guint index;
  gsize end; /* bytes of the path up to and with this step */
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
    Step step = {NULL, 0, 0};
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
      n = lm_nest_key_length (p);
      if (n == 0)
        return NULL;
      step.key = g_strndup (p, n);
      p += n;
    }
    step.end = (gsize)(p - path);
    g_array_append_val (steps, step);
  }
  return g_steal_pointer (&steps);
}

static const Step *
step_at (const GArray *steps, guint i)
{
  return &g_array_index (steps, Step, i);
}

/* The child that step names, or NULL; *out_at is its index where it exists. */
static LmNest *
step_into (const LmNest *nest, const Step *step, guint *out_at)
{
  *out_at = step->index;
  if (step->key != NULL) {
    if (nest->kind != LM_NEST_MAP || !lm_nest_find_key (nest, step->key, out_at))
      return NULL;
  } else if (nest->kind != LM_NEST_LIST || step->index >= nest->children->len) {
    return NULL;
  }
  return nest->children->pdata[*out_at];
}

LmNest *
lm_nest_get (const LmNest *nest, const char *path)
{
  return lm_nest_get_item (nest, path, NULL);
}

bool
lm_nest_has (const LmNest *nest, const char *path)
{
  return *path != '\0' && lm_nest_get (nest, path) != NULL;
}

static const char *
kind_name (const LmNest *nest)
{
  if (nest->kind == LM_NEST_LEAF)
    return nest->value == 0 ? "a nil leaf" : "a leaf";
  return nest->kind == LM_NEST_MAP ? "a map" : "a list";
}

static void
append_keys (GString *message, const LmNest *map)
{
  g_string_append (message, map->keys->len > 0 ? "; there is: " : "; the map is empty");
  for (guint i = 0; i < map->keys->len; i++)
    g_string_append_printf (message, "%s%s", i > 0 ? ", " : "", (char *)map->keys->pdata[i]);
}

/* Why `step` leads nowhere from nest, which stands at the first `n` bytes of path. A name that is not
 * there is NOT_FOUND (Python's KeyError and IndexError), one that cannot be is INVALID (TypeError). */
static void
refuse_step (const LmNest *nest, const Step *step, const char *path, gsize n, GError **error)
{
  g_autoptr (GString) message = g_string_new (NULL);
  g_autofree char *place =
      n > 0 ? g_strdup_printf ("\"%.*s\"", (int)n, path) : g_strdup ("the top");
  LmErrorCode code = LM_ERROR_NOT_FOUND;

  g_string_printf (message, "nothing at \"%s\": ", path);
  if (nest->kind == LM_NEST_MAP && step->key != NULL) {
    g_string_append_printf (message, "%s has no key \"%s\"", place, step->key);
    append_keys (message, nest);
    g_autoptr (GPtrArray) keys = g_ptr_array_new ();
    g_ptr_array_extend (keys, nest->keys, NULL, NULL);
    g_ptr_array_add (keys, NULL);
    lm_append_did_you_mean (message, step->key, (const char *const *)keys->pdata);
  } else if (nest->kind == LM_NEST_MAP) {
    g_string_append_printf (message, "%s is a map, which has no indices", place);
    append_keys (message, nest);
  } else if (nest->kind == LM_NEST_LIST && step->key == NULL) {
    g_string_append_printf (message, "index %u is beyond the end of %s, a list of %u", step->index,
                            place, nest->children->len);
  } else {
    code = LM_ERROR_INVALID;
    g_string_append_printf (message, "%s is %s, which has no %s", place, kind_name (nest),
                            step->key != NULL ? "keys" : "indices");
  }
  g_set_error_literal (error, LM_ERROR, code, message->str);
}

LmNest *
lm_nest_get_item (const LmNest *nest, const char *path, GError **error)
{
  g_autoptr (GArray) steps = parse_path (path);
  LmNest *at = (LmNest *)(uintptr_t)nest;
  gsize done = 0;

  if (steps == NULL) {
    g_set_error (error, LM_ERROR, LM_ERROR_NOT_FOUND, "nothing at \"%s\": " PATH_RULE, path);
    return NULL;
  }
  for (guint i = 0; i < steps->len; i++) {
    const Step *step = step_at (steps, i);
    guint index;
    LmNest *next = step_into (at, step, &index);
    if (next == NULL) {
      if (error != NULL)
        refuse_step (at, step, path, done, error);
      return NULL;
    }
    at = next;
    done = step->end;
  }
  return at;
}

/* --- setting -------------------------------------------------------------------------------------- */

/* True if `step` can put a child into nest, an existing node. */
static bool
can_put (const LmNest *nest, const Step *step, GString *why)
{
  if (step->key != NULL && nest->kind == LM_NEST_MAP)
    return true;
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
  return true;
}

/* child below the steps from `from` on, all new: a map for a key, a list for an index. */
static LmNest *
wrap (const GArray *steps, guint from, LmNest *child)
{
  for (guint i = steps->len; i > from; i--) {
    const Step *step = step_at (steps, i - 1);
    LmNest *outer = step->key != NULL ? lm_nest_new_map () : lm_nest_new_list ();
    if (step->key != NULL)
      lm_nest_put (outer, step->key, child);
    else
      lm_nest_append (outer, child);
    child = outer;
  }
  return child;
}

/* A new list can only take its first element, a new map only a good key. */
static bool
check_steps (const GArray *steps, guint first_new, GString *why)
{
  for (guint i = 0; i < steps->len; i++) {
    const Step *step = step_at (steps, i);
    g_autoptr (GError) error = NULL;
    if (i >= first_new && step->key == NULL && step->index > 0) {
      g_string_printf (why, "index %u is beyond the end of a list of 0", step->index);
      return false;
    }
    if (i + 1 >= first_new && step->key != NULL && !lm_nest_check_new_key (step->key, &error)) {
      g_string_assign (why, error->message);
      return false;
    }
  }
  return true;
}

/* Checks all before it changes anything. */
static bool
set_steps (LmNest *nest, const GArray *steps, LmNest *child, GString *why)
{
  const Step *step;
  guint i, at;

  for (i = 0;; i++) {
    step = step_at (steps, i);
    LmNest *next = step_into (nest, step, &at);
    bool vacant = next == NULL /* a nil element of a list is a place that was kept free */
                  || (step->key == NULL && next->kind == LM_NEST_LEAF && next->value == 0);
    if (vacant || i + 1 == steps->len)
      break;
    nest = next;
  }
  if (!can_put (nest, step, why) || !check_steps (steps, i + 1, why))
    return false;
  child = wrap (steps, i + 1, child);
  if (step->key != NULL)
    lm_nest_put (nest, step->key, child);
  else if (step->index == nest->children->len)
    lm_nest_append (nest, child);
  else
    lm_nest_replace_child (nest, step->index, child);
  return true;
}

bool
lm_nest_set (LmNest *nest, const char *path, LmNest *child, GError **error)
{
  g_autoptr (GArray) steps = parse_path (path);
  g_autoptr (GString) why = g_string_new (NULL);

  g_return_val_if_fail (child != NULL, false);
  if (steps == NULL || steps->len == 0)
    g_string_assign (why, PATH_RULE);
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
    nest = step_into (nest, step_at (steps, i), &at);
    if (nest == NULL)
      return false;
  }
  if (parent->keys != NULL)
    g_ptr_array_remove_index (parent->keys, at);
  g_ptr_array_remove_index (parent->children, at);
  return true;
}
