/* SPDX-License-Identifier: Apache-2.0 */
/* Params at run time: defining, freezing, copying, walking. */
#include "core/base/hyper_private.h"

#include <string.h>

static void
param_free (gpointer data)
{
  Param *param = data;

  g_free (param->name);
  g_free (param->description);
  lm_hyper_value_free (param->value);
  g_free (param);
}

static void
add (LmHyper *params, const char *name, LmHyperValue *value, const char *description)
{
  Param *param = g_new0 (Param, 1);

  param->name = g_strdup (name);
  param->description = g_strdup (description);
  param->value = value;
  g_ptr_array_add (params->all, param);
}

LmHyper *
lm_hyper_new (const char *cls)
{
  LmHyper *params = g_new0 (LmHyper, 1);

  params->all = g_ptr_array_new_with_free_func (param_free);
  if (cls != NULL)
    add (params, "cls", lm_hyper_string (cls), "The type that these parameters are for.");
  return params;
}

void
lm_hyper_free (LmHyper *params)
{
  if (params == NULL)
    return;
  g_ptr_array_unref (params->all);
  g_free (params);
}

LmHyper *
lm_hyper_copy (const LmHyper *params)
{
  LmHyper *copy = lm_hyper_new (NULL);

  for (guint i = 0; i < params->all->len; i++) {
    const Param *param = params->all->pdata[i];
    add (copy, param->name, lm_hyper_value_copy (param->value), param->description);
  }
  copy->frozen = params->frozen;
  return copy;
}

Param *
lm_hyper_find (const LmHyper *params, const char *name)
{
  for (guint i = 0; i < params->all->len; i++) {
    Param *param = params->all->pdata[i];
    if (strcmp (param->name, name) == 0)
      return param;
  }
  return NULL;
}

const char *
lm_hyper_cls (const LmHyper *params)
{
  const Param *cls = lm_hyper_find (params, "cls");

  return cls != NULL ? cls->value->text : NULL;
}

bool
lm_hyper_refuse_frozen (const LmHyper *params, const char *name, GError **error)
{
  if (!params->frozen)
    return false;
  g_set_error (error, LM_ERROR, LM_ERROR_DENIED,
               "%s: these parameters are frozen; change a copy before it is frozen", name);
  return true;
}

/* ^[a-z_][a-z0-9_]*$ */
bool
lm_hyper_check_name (const char *name)
{
  return *name != '\0' && !g_ascii_isdigit (*name)
         && strspn (name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen (name);
}

bool
lm_hyper_define (LmHyper *params, const char *name, LmHyperValue *value, const char *description,
                 GError **error)
{
  g_autoptr (LmHyperValue) taken = value;

  g_return_val_if_fail (value != NULL, false);
  if (lm_hyper_refuse_frozen (params, name, error))
    return false;
  if (!lm_hyper_check_name (name))
    g_set_error (
        error, LM_ERROR, LM_ERROR_INVALID,
        "\"%s\" is no name of a parameter; one is a small letter or _, then small letters, "
        "digits and _",
        name);
  else if (lm_hyper_find (params, name) != NULL)
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "parameter \"%s\" is already defined; set it instead", name);
  else {
    add (params, name, g_steal_pointer (&taken), description);
    return true;
  }
  return false;
}

void
lm_hyper_freeze (LmHyper *params)
{
  params->frozen = true;
}

bool
lm_hyper_is_frozen (const LmHyper *params)
{
  return params->frozen;
}

/* --- the own parameters --------------------------------------------------------------------------- */

guint
lm_hyper_size (const LmHyper *params)
{
  return params->all->len;
}

bool
lm_hyper_has (const LmHyper *params, const char *name)
{
  return lm_hyper_find (params, name) != NULL;
}

static const Param *
param_at (const LmHyper *params, guint i)
{
  return params->all->pdata[i];
}

const char *
lm_hyper_name (const LmHyper *params, guint i)
{
  return param_at (params, i)->name;
}

const char *
lm_hyper_description (const LmHyper *params, guint i)
{
  return param_at (params, i)->description;
}

const LmHyperValue *
lm_hyper_value (const LmHyper *params, guint i)
{
  return param_at (params, i)->value;
}

static int
compare_names (const void *a, const void *b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

const char **
lm_hyper_sorted_names (const LmHyper *params)
{
  guint n = params->all->len;
  const char **names = g_new0 (const char *, n + 1);

  for (guint i = 0; i < n; i++)
    names[i] = lm_hyper_name (params, i);
  if (n > 0)
    qsort (names, n, sizeof *names, compare_names);
  return names;
}

bool
lm_hyper_equal (const LmHyper *a, const LmHyper *b)
{
  if (a->all->len != b->all->len)
    return false;
  for (guint i = 0; i < a->all->len; i++) {
    const Param *other = lm_hyper_find (b, lm_hyper_name (a, i));
    if (other == NULL || !lm_hyper_value_equal (lm_hyper_value (a, i), other->value))
      return false;
  }
  return true;
}

/* --- from one to another -------------------------------------------------------------------------- */

static bool
is_skipped (const char *name, const char *const *skip)
{
  return strcmp (name, "cls") == 0 || (skip != NULL && g_strv_contains (skip, name));
}

/* `known_only` leaves out what `to` does not define. */
static bool
copy_fields (const LmHyper *from, LmHyper *to, const char *const *skip, bool known_only,
             GError **error)
{
  g_autoptr (LmHyper) copy = lm_hyper_copy (from); /* from may be a part of to */

  if (lm_hyper_refuse_frozen (to, "copying into parameters", error))
    return false;
  for (guint i = 0; i < copy->all->len && !known_only; i++) {
    const char *name = lm_hyper_name (copy, i);
    if (!is_skipped (name, skip) && lm_hyper_get (to, name, error) == NULL)
      return false;
  }
  for (guint i = 0; i < copy->all->len; i++) {
    Param *param = copy->all->pdata[i], *goal = lm_hyper_find (to, param->name);
    if (goal != NULL && !is_skipped (param->name, skip)) {
      LmHyperValue *old = goal->value;
      goal->value = param->value;
      param->value = old;
    }
  }
  return true;
}

bool
lm_hyper_copy_fields (const LmHyper *from, LmHyper *to, const char *const *skip, GError **error)
{
  return copy_fields (from, to, skip, false, error);
}

bool
lm_hyper_merge_common (LmHyper *to, const LmHyper *from, GError **error)
{
  return copy_fields (from, to, NULL, true, error);
}

/* --- walking -------------------------------------------------------------------------------------- */

static void visit_value (const LmHyperVisitor *v, GString *key, const LmHyperValue *value);

static void
visit_parts (const LmHyperVisitor *v, GString *key, const LmHyperValue *value)
{
  gsize before = key->len;
  guint n = value->params != NULL ? lm_hyper_size (value->params) : value->items->len;

  for (guint i = 0; i < n; i++) {
    if (value->params != NULL)
      g_string_append_printf (key, "%s%s", before > 0 ? "." : "", lm_hyper_name (value->params, i));
    else if (value->keys != NULL)
      g_string_append_printf (key, "['%s']", (char *)value->keys->pdata[i]);
    else
      g_string_append_printf (key, "[%u]", i);
    visit_value (
        v, key, value->params != NULL ? lm_hyper_value (value->params, i) : value->items->pdata[i]);
    g_string_truncate (key, before);
  }
}

static void
visit_value (const LmHyperVisitor *v, GString *key, const LmHyperValue *value)
{
  bool has_parts = value->params != NULL || value->items != NULL;

  if (!has_parts || (v->enter != NULL && !v->enter (key->str, value, v->user))) {
    v->visit (key->str, value, v->user);
    return;
  }
  visit_parts (v, key, value);
  if (v->leave != NULL)
    v->leave (key->str, value, v->user);
}

void
lm_hyper_visit (const LmHyper *params, const LmHyperVisitor *visitor)
{
  g_autoptr (GString) key = g_string_new (NULL);
  const LmHyperValue top = {.kind = LM_HYPER_PARAMS, .params = (LmHyper *)(uintptr_t)params};

  visit_value (visitor, key, &top);
}
