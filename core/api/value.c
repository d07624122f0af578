/* SPDX-License-Identifier: Apache-2.0 */
/* Values of hyper-parameters for applications: LaminaValue is the core's LmHyperValue. */
#include "core/api/private.h"

#include "core/base/hyper_text.h"

/* The two enums are one. */
G_STATIC_ASSERT ((int)LAMINA_VALUE_PARAMS == (int)LM_HYPER_PARAMS);
G_STATIC_ASSERT ((int)LAMINA_VALUE_DICT == (int)LM_HYPER_DICT);
G_STATIC_ASSERT ((int)LAMINA_VALUE_STRING == (int)LM_HYPER_STRING);

static LmHyperValue *
core (LaminaValue *value)
{
  return (LmHyperValue *)value;
}

static const LmHyperValue *
peek (const LaminaValue *value)
{
  return (const LmHyperValue *)value;
}

static LaminaValue *
wrap (LmHyperValue *value)
{
  return (LaminaValue *)value;
}

LaminaValue *
lamina_value_none (void)
{
  return wrap (lm_hyper_none ());
}

LaminaValue *
lamina_value_bool (gboolean b)
{
  return wrap (lm_hyper_bool (b != FALSE));
}

LaminaValue *
lamina_value_int (gint64 i)
{
  return wrap (lm_hyper_int (i));
}

LaminaValue *
lamina_value_float (double d)
{
  return wrap (lm_hyper_float (d));
}

LaminaValue *
lamina_value_string (const char *text)
{
  g_return_val_if_fail (text != NULL && g_utf8_validate (text, -1, NULL), NULL);
  return wrap (lm_hyper_string (text));
}

LaminaValue *
lamina_value_list (void)
{
  return wrap (lm_hyper_sequence (LM_HYPER_LIST));
}

LaminaValue *
lamina_value_tuple (void)
{
  return wrap (lm_hyper_sequence (LM_HYPER_TUPLE));
}

LaminaValue *
lamina_value_dict (void)
{
  return wrap (lm_hyper_dict ());
}

LaminaValue *
lamina_value_params (LaminaParams *params)
{
  g_return_val_if_fail (params != NULL, NULL);
  return wrap (lm_hyper_of ((LmHyper *)params));
}

LaminaValue *
lamina_value_parse (const char *text, GError **error)
{
  return wrap (lm_hyper_parse (text, "value", error));
}

LaminaValue *
lamina_value_copy (const LaminaValue *value)
{
  return wrap (lm_hyper_value_copy (peek (value)));
}

void
lamina_value_free (LaminaValue *value)
{
  lm_hyper_value_free (core (value));
}

void
lamina_value_append (LaminaValue *sequence, LaminaValue *item)
{
  lm_hyper_append (core (sequence), core (item));
}

void
lamina_value_put (LaminaValue *dict, const char *key, LaminaValue *item)
{
  lm_hyper_put (core (dict), key, core (item));
}

/* --- reading -------------------------------------------------------------------------------------- */

LaminaValueKind
lamina_value_kind (const LaminaValue *value)
{
  return (LaminaValueKind)peek (value)->kind;
}

gboolean
lamina_value_get_bool (const LaminaValue *value)
{
  return peek (value)->b;
}

gint64
lamina_value_get_int (const LaminaValue *value)
{
  return peek (value)->i;
}

double
lamina_value_get_float (const LaminaValue *value)
{
  const LmHyperValue *v = peek (value);
  return v->kind == LM_HYPER_INT ? (double)v->i : v->d;
}

const char *
lamina_value_get_string (const LaminaValue *value)
{
  return peek (value)->text;
}

LaminaParams *
lamina_value_get_params (const LaminaValue *value)
{
  return (LaminaParams *)peek (value)->params;
}

guint
lamina_value_size (const LaminaValue *value)
{
  return peek (value)->items != NULL ? peek (value)->items->len : 0;
}

const LaminaValue *
lamina_value_item (const LaminaValue *value, guint i)
{
  return i < lamina_value_size (value) ? wrap (peek (value)->items->pdata[i]) : NULL;
}

const char *
lamina_value_key (const LaminaValue *dict, guint i)
{
  const LmHyperValue *v = peek (dict);
  return v->keys != NULL && i < v->keys->len ? v->keys->pdata[i] : NULL;
}

char *
lamina_value_to_text (const LaminaValue *value)
{
  return lm_hyper_repr (peek (value));
}

gboolean
lamina_value_equal (const LaminaValue *a, const LaminaValue *b)
{
  return lm_hyper_value_equal (peek (a), peek (b));
}
