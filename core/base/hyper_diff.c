/* SPDX-License-Identifier: Apache-2.0 */
/* lingvo's TextDiff of two Params. */
#include "core/base/hyper_text.h"

#include <string.h>

typedef struct Diff {
  GString *out;
  guint spaces; /* of the level at hand */
} Diff;

/* str () of Python: a string as it stands, Params over several lines. */
static void
append_line (Diff *diff, char side, const char *key, const LmHyperValue *value)
{
  g_autofree char *text = value->kind == LM_HYPER_STRING   ? g_strdup (value->text)
                          : value->kind == LM_HYPER_PARAMS ? lm_hyper_to_string (value->params)
                                                           : lm_hyper_repr (value);

  g_string_append_printf (diff->out, "%c%*s%s: %s\n", side, (int)diff->spaces, "", key, text);
}

static bool
is_named (const LmHyperValue *value)
{
  return value->kind == LM_HYPER_PARAMS || value->kind == LM_HYPER_DICT;
}

/* Of a dict or Params; NULL if absent. */
static const LmHyperValue *
named_item (const LmHyperValue *value, const char *key)
{
  gint at;

  if (value->params != NULL)
    return lm_hyper_has (value->params, key) ? lm_hyper_get (value->params, key, NULL) : NULL;
  at = lm_hyper_dict_find (value, key);
  return at >= 0 ? value->items->pdata[at] : NULL;
}

static void
add_names (GPtrArray *names, const LmHyperValue *value)
{
  guint n = value->params != NULL ? lm_hyper_size (value->params) : value->keys->len;

  for (guint i = 0; i < n; i++) {
    const char *name =
        value->params != NULL ? lm_hyper_name (value->params, i) : value->keys->pdata[i];
    if (!g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
      g_ptr_array_add (names, (char *)(uintptr_t)name);
  }
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

static void diff_values (Diff *diff, const char *key, const LmHyperValue *a, const LmHyperValue *b);

/* Either may be NULL: then the other side's line alone. */
static void
diff_items (Diff *diff, const char *key, const LmHyperValue *a, const LmHyperValue *b)
{
  if (a != NULL && b != NULL)
    diff_values (diff, key, a, b);
  else if (a != NULL)
    append_line (diff, '>', key, a);
  else
    append_line (diff, '<', key, b);
}

static void
diff_named (Diff *diff, const LmHyperValue *a, const LmHyperValue *b)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  add_names (names, a);
  add_names (names, b);
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    diff_items (diff, names->pdata[i], named_item (a, names->pdata[i]),
                named_item (b, names->pdata[i]));
}

static void
diff_values (Diff *diff, const char *key, const LmHyperValue *a, const LmHyperValue *b)
{
  if (lm_hyper_value_equal (a, b))
    return;
  if (is_named (a) && is_named (b)) {
    g_string_append_printf (diff->out, "?%*s%s:\n", (int)diff->spaces, "", key);
    diff->spaces += 2;
    diff_named (diff, a, b);
    diff->spaces -= 2;
  } else if (lm_hyper_is_sequence (a) && lm_hyper_is_sequence (b)) {
    guint n = a->items->len, m = b->items->len;
    for (guint i = 0; i < MAX (n, m); i++) {
      g_autofree char *part = g_strdup_printf ("%s[%u]", key, i);
      diff_items (diff, part, i < n ? a->items->pdata[i] : NULL, i < m ? b->items->pdata[i] : NULL);
    }
  } else {
    append_line (diff, '>', key, a);
    append_line (diff, '<', key, b);
  }
}

char *
lm_hyper_diff (const LmHyper *a, const LmHyper *b)
{
  Diff diff = {g_string_new (NULL), 1};
  const LmHyperValue x = {.kind = LM_HYPER_PARAMS, .params = (LmHyper *)(uintptr_t)a};
  const LmHyperValue y = {.kind = LM_HYPER_PARAMS, .params = (LmHyper *)(uintptr_t)b};

  diff_named (&diff, &x, &y);
  return g_string_free (diff.out, FALSE);
}
