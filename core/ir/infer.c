/* SPDX-License-Identifier: Apache-2.0 */
/* Type inference of one equation: what all ops have in common (arity, attribute schema, sizes),
 * around the op's own type rule; and the helpers that type rules are written with. */
#include "core/ir/rules.h"

#include "core/ir/attr.h"

#include <string.h>

const lam_attr *
lm_type_attr (const LmTypeCtx *c, const char *key)
{
  for (uint32_t i = 0; i < c->n_attrs; i++)
    if (strcmp (c->attrs[i].key, key) == 0)
      return &c->attrs[i];
  return NULL;
}

int64_t
lm_type_attr_int (const LmTypeCtx *c, const char *key, int64_t absent)
{
  const lam_attr *a = lm_type_attr (c, key);
  return a != NULL ? a->i : absent;
}

const int64_t *
lm_type_attr_ints (const LmTypeCtx *c, const char *key, uint64_t *out_n)
{
  const lam_attr *a = lm_type_attr (c, key);
  *out_n = a != NULL ? a->n : 0;
  return a != NULL ? a->data : NULL;
}

const char *
lm_type_attr_str (const LmTypeCtx *c, const char *key, const char *absent)
{
  const lam_attr *a = lm_type_attr (c, key);
  return a != NULL ? a->data : absent;
}

bool
lm_type_fail (LmTypeCtx *c, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  if (c->error == NULL || *c->error == NULL)
    g_set_error (c->error, LM_ERROR, LM_ERROR_INVALID, "%s: %s", c->info->name, text);
  return false;
}

static bool
check_arity (LmTypeCtx *c)
{
  const LmOpInfo *info = c->info;
  bool too_many = info->max_operands >= 0 && c->n_operands > (uint32_t)info->max_operands;

  if (c->n_operands < (uint32_t)info->min_operands || too_many) {
    if (info->max_operands < 0)
      return lm_type_fail (c, "got %u operands, wanted at least %d", c->n_operands,
                           info->min_operands);
    if (info->max_operands == info->min_operands)
      return lm_type_fail (c, "got %u operands, wanted %d", c->n_operands, info->min_operands);
    return lm_type_fail (c, "got %u operands, wanted %d to %d", c->n_operands, info->min_operands,
                         info->max_operands);
  }
  if (c->n_regions > 0 && info->op_class != LM_CLASS_CONTROL)
    return lm_type_fail (c, "got %u regions, this op has none", c->n_regions);
  return true;
}

static const char **
schema_keys (const LmOpInfo *info, LmArena *arena)
{
  const char **keys = lm_arena_new0 (arena, const char *, LM_MAX_ATTRS + 1);
  const char *cursor = info->attrs;
  LmSchemaKey key;

  for (guint n = 0; n < LM_MAX_ATTRS && lm_schema_next (&cursor, &key); n++)
    keys[n] = lm_arena_strndup (arena, key.key, key.key_len);
  return keys;
}

static bool
fail_unknown_key (LmTypeCtx *c, const char *key)
{
  g_autoptr (LmArena) arena = lm_arena_new ();
  g_autoptr (GString) hint = g_string_new (NULL);

  lm_append_did_you_mean (hint, key, schema_keys (c->info, arena));
  return lm_type_fail (c, "attribute \"%s\" is unknown here and must be understood%s", key,
                       hint->str);
}

static bool
check_attr (LmTypeCtx *c, uint32_t i)
{
  const lam_attr *a = &c->attrs[i];
  LmSchemaKey key;

  for (uint32_t j = 0; j < i; j++)
    if (strcmp (c->attrs[j].key, a->key) == 0)
      return lm_type_fail (c, "attribute \"%s\" is given twice", a->key);
  if (!lm_schema_find (c->info, a->key, &key)) {
    if (a->flags & LAM_ATTR_MUST_UNDERSTAND)
      return fail_unknown_key (c, a->key);
  } else if (a->kind != key.kind) {
    return lm_type_fail (c, "attribute \"%s\" is of kind %s, wanted %s", a->key,
                         lm_attr_kind_name (a->kind), lm_attr_kind_name (key.kind));
  }
  if (a->kind == LAM_ATTR_DTYPE
      && (a->i < 0 || a->i > INT32_MAX || !lam_dtype_bits ((lam_dtype)a->i)))
    return lm_type_fail (c, "attribute \"%s\" is no known dtype (code %" G_GINT64_FORMAT ")",
                         a->key, a->i);
  return true;
}

static bool
check_attrs (LmTypeCtx *c)
{
  g_autoptr (GString) missing = NULL;
  const char *cursor = c->info->attrs;
  LmSchemaKey key;

  if (c->n_attrs > LM_MAX_ATTRS)
    return lm_type_fail (c, "got %u attributes, at most %d are allowed", c->n_attrs, LM_MAX_ATTRS);
  for (uint32_t i = 0; i < c->n_attrs; i++)
    if (!check_attr (c, i))
      return false;

  while (lm_schema_next (&cursor, &key)) {
    uint32_t i = 0;
    while (i < c->n_attrs
           && (strncmp (c->attrs[i].key, key.key, key.key_len) != 0
               || c->attrs[i].key[key.key_len] != '\0'))
      i++;
    if (i < c->n_attrs || !key.required)
      continue;
    if (missing == NULL)
      missing = g_string_new (NULL);
    g_string_append_printf (missing, "%s\"%.*s\" (%s)", missing->len > 0 ? ", " : "",
                            (int)key.key_len, key.key, lm_attr_kind_name (key.kind));
  }
  return missing == NULL || lm_type_fail (c, "missing attributes: %s", missing->str);
}

static bool
check_wanted (LmTypeCtx *c)
{
  bool states = lm_op_has_flag (c->info, 'T');

  if (states && c->wanted == NULL)
    return lm_type_fail (c, "the result type must be stated, it cannot be inferred");
  if (!states)
    c->wanted = NULL;
  if (c->wanted != NULL
      && (!lam_dtype_bits (c->wanted->dtype) || !lm_type_checked_bytes (c->wanted, NULL, NULL)))
    return lm_type_fail (c,
                         "the stated result type has an unknown dtype, a negative dimension, a "
                         "rank above %d or more bytes than 64 bits count",
                         LAM_MAX_RANK);
  return true;
}

static bool
check_results (LmTypeCtx *c)
{
  if (c->n_results == 0)
    return lm_type_fail (c, "an equation needs a result");
  if (c->info->n_results >= 0 && c->n_results != (uint32_t)c->info->n_results)
    return lm_type_fail (c, "the type rule gave %u results, wanted %d", c->n_results,
                         c->info->n_results);
  for (uint32_t i = 0; i < c->n_results; i++)
    if (!lam_dtype_bits (c->results[i].dtype)
        || !lm_type_checked_bytes (&c->results[i], NULL, NULL))
      return lm_type_fail (c, "result %u is too large: its bytes do not fit 64 bits", i);
  return true;
}

bool
lm_infer_types (LmTypeCtx *c)
{
  const LmRules *rules = lm_rules (c->info->number);

  c->n_results = 0;
  if (!check_arity (c) || !check_attrs (c) || !check_wanted (c))
    return false;
  if (c->info->n_results > 0 && c->max_results < (uint32_t)c->info->n_results)
    return lm_type_fail (c, "no room for %d result types", c->info->n_results);
  if (c->info->n_results > 0)
    c->n_results = (uint32_t)c->info->n_results;
  return rules->type (c) && check_results (c);
}
