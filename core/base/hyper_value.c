/* SPDX-License-Identifier: Apache-2.0 */
/* Values of hyper-parameters: making, copying, comparing. */
#include "core/base/hyper_value.h"

#include "core/base/hyper.h"
#include <string.h>

static const char *const type_names[] = {"NoneType", "bool",  "int",  "float", "str",
                                         "list",     "tuple", "dict", "Params"};

const char *
lm_hyper_type_name (LmHyperKind kind)
{
  return type_names[kind];
}

static LmHyperValue *
value_new (LmHyperKind kind)
{
  LmHyperValue *value = g_new0 (LmHyperValue, 1);

  value->kind = kind;
  return value;
}

static void
value_free (gpointer value)
{
  lm_hyper_value_free (value);
}

LmHyperValue *
lm_hyper_none (void)
{
  return value_new (LM_HYPER_NONE);
}

LmHyperValue *
lm_hyper_bool (bool b)
{
  LmHyperValue *value = value_new (LM_HYPER_BOOL);

  value->b = b;
  return value;
}

LmHyperValue *
lm_hyper_int (int64_t i)
{
  LmHyperValue *value = value_new (LM_HYPER_INT);

  value->i = i;
  return value;
}

LmHyperValue *
lm_hyper_float (double d)
{
  LmHyperValue *value = value_new (LM_HYPER_FLOAT);

  value->d = d;
  return value;
}

LmHyperValue *
lm_hyper_string (const char *text)
{
  LmHyperValue *value = value_new (LM_HYPER_STRING);

  value->text = g_strdup (text);
  return value;
}

LmHyperValue *
lm_hyper_sequence (LmHyperKind kind)
{
  LmHyperValue *value = value_new (kind);

  value->items = g_ptr_array_new_with_free_func (value_free);
  return value;
}

LmHyperValue *
lm_hyper_dict (void)
{
  LmHyperValue *value = lm_hyper_sequence (LM_HYPER_DICT);

  value->keys = g_ptr_array_new_with_free_func (g_free);
  return value;
}

LmHyperValue *
lm_hyper_of (LmHyper *params)
{
  LmHyperValue *value = value_new (LM_HYPER_PARAMS);

  value->params = params;
  return value;
}

void
lm_hyper_value_free (LmHyperValue *value)
{
  if (value == NULL)
    return;
  g_free (value->text);
  g_clear_pointer (&value->items, g_ptr_array_unref);
  g_clear_pointer (&value->keys, g_ptr_array_unref);
  lm_hyper_free (value->params);
  g_free (value);
}

bool
lm_hyper_is_sequence (const LmHyperValue *value)
{
  return value->kind == LM_HYPER_LIST || value->kind == LM_HYPER_TUPLE;
}

void
lm_hyper_append (LmHyperValue *sequence, LmHyperValue *item)
{
  g_return_if_fail (lm_hyper_is_sequence (sequence) && item != NULL);
  g_ptr_array_add (sequence->items, item);
}

gint
lm_hyper_dict_find (const LmHyperValue *dict, const char *key)
{
  for (guint i = 0; i < dict->keys->len; i++)
    if (strcmp (dict->keys->pdata[i], key) == 0)
      return (gint)i;
  return -1;
}

void
lm_hyper_put (LmHyperValue *dict, const char *key, LmHyperValue *item)
{
  gint at;

  g_return_if_fail (dict->kind == LM_HYPER_DICT && item != NULL);
  at = lm_hyper_dict_find (dict, key);
  if (at >= 0) {
    lm_hyper_value_free (dict->items->pdata[at]);
    dict->items->pdata[at] = item;
    return;
  }
  g_ptr_array_add (dict->keys, g_strdup (key));
  g_ptr_array_add (dict->items, item);
}

LmHyperValue *
lm_hyper_value_copy (const LmHyperValue *value)
{
  LmHyperValue *copy = value_new (value->kind);

  copy->b = value->b;
  copy->i = value->i;
  copy->d = value->d;
  copy->text = g_strdup (value->text);
  if (value->params != NULL)
    copy->params = lm_hyper_copy (value->params);
  if (value->items != NULL)
    copy->items = g_ptr_array_new_with_free_func (value_free);
  if (value->keys != NULL)
    copy->keys = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; value->items != NULL && i < value->items->len; i++) {
    g_ptr_array_add (copy->items, lm_hyper_value_copy (value->items->pdata[i]));
    if (value->keys != NULL)
      g_ptr_array_add (copy->keys, g_strdup (value->keys->pdata[i]));
  }
  return copy;
}

static bool
is_number (const LmHyperValue *value)
{
  return value->kind == LM_HYPER_BOOL || value->kind == LM_HYPER_INT
         || value->kind == LM_HYPER_FLOAT;
}

/* Integers exactly; a float equals an integer when it is that integer. */
static bool
numbers_equal (const LmHyperValue *a, const LmHyperValue *b)
{
  int64_t i = a->kind == LM_HYPER_BOOL ? a->b : a->i, j = b->kind == LM_HYPER_BOOL ? b->b : b->i;

  if (a->kind == LM_HYPER_FLOAT && b->kind == LM_HYPER_FLOAT)
    return a->d == b->d;
  if (b->kind == LM_HYPER_FLOAT)
    return numbers_equal (b, a);
  if (a->kind == LM_HYPER_FLOAT)
    return a->d >= -0x1p63 && a->d < 0x1p63 && (double)(int64_t)a->d == a->d && (int64_t)a->d == j;
  return i == j;
}

static bool
items_equal (const LmHyperValue *a, const LmHyperValue *b)
{
  if (a->items->len != b->items->len)
    return false;
  for (guint i = 0; i < a->items->len; i++) {
    gint at = a->keys != NULL ? lm_hyper_dict_find (b, a->keys->pdata[i]) : (gint)i;
    if (at < 0 || !lm_hyper_value_equal (a->items->pdata[i], b->items->pdata[at]))
      return false;
  }
  return true;
}

bool
lm_hyper_value_equal (const LmHyperValue *a, const LmHyperValue *b)
{
  if (is_number (a) && is_number (b))
    return numbers_equal (a, b);
  if (a->kind != b->kind)
    return false;
  if (a->kind == LM_HYPER_STRING)
    return strcmp (a->text, b->text) == 0;
  if (a->kind == LM_HYPER_PARAMS)
    return lm_hyper_equal (a->params, b->params);
  return a->items == NULL || items_equal (a, b);
}
