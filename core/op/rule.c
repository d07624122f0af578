/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that type rules share, and attribute lists of equations. */
#include "core/op/rule.h"

#include <string.h>

bool
lm_rule_refuse (LmTypeCtx *c, uint32_t k, const char *format, ...)
{
  g_autofree char *got = lm_type_to_string (c->operands[k]);
  g_autofree char *wanted = NULL;
  va_list args;
  va_start (args, format);
  wanted = g_strdup_vprintf (format, args);
  va_end (args);
  return lm_type_fail (c, "operand %u is %s, wanted %s", k, got, wanted);
}

static uint32_t
kind_of (lam_dtype dtype)
{
  if (lam_dtype_is_float (dtype))
    return LM_FLOATS;
  if (lam_dtype_is_signed (dtype))
    return LM_SIGNED;
  return lam_dtype_is_unsigned (dtype) ? LM_UNSIGNED : LM_BOOLS;
}

bool
lm_rule_kind (LmTypeCtx *c, uint32_t k, uint32_t kinds)
{
  static const struct {
    uint32_t kinds;
    const char *words;
  } names[] = {{LM_FLOATS, "floats"},
               {LM_INTS, "integers"},
               {LM_BOOLS, "bool"},
               {LM_UNSIGNED, "unsigned integers"},
               {LM_INTS | LM_BOOLS, "integers or bool"},
               {LM_FLOATS | LM_SIGNED, "floats or signed integers"},
               {LM_NUMBERS, "numbers (floats or integers)"}};
  if (kind_of (c->operands[k]->dtype) & kinds)
    return true;
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].kinds == kinds)
      return lm_rule_refuse (c, k, "%s; convert it first", names[i].words);
  return lm_rule_refuse (c, k, "another dtype; convert it first");
}

bool
lm_rule_same_type (LmTypeCtx *c, uint32_t k, uint32_t j)
{
  if (lm_type_equal (c->operands[k], c->operands[j]))
    return true;
  g_autofree char *other = lm_type_to_string (c->operands[j]);
  return lm_rule_refuse (c, k, "%s (the type of operand %u)", other, j);
}

bool
lm_rule_same_dtype (LmTypeCtx *c, uint32_t k, uint32_t j)
{
  if (c->operands[k]->dtype == c->operands[j]->dtype)
    return true;
  return lm_rule_refuse (c, k, "dtype %s (that of operand %u)",
                         lam_dtype_name (c->operands[j]->dtype), j);
}

bool
lm_rule_axes (LmTypeCtx *c, const char *key, int64_t rank, bool sorted)
{
  uint64_t n;
  const int64_t *axes = lm_type_attr_ints (c, key, &n);
  uint32_t seen = 0;
  for (uint64_t i = 0; i < n; i++) {
    if (axes[i] < 0 || axes[i] >= rank)
      return lm_type_fail (c,
                           "%s[%" G_GUINT64_FORMAT "] is %" G_GINT64_FORMAT
                           ", wanted an axis of 0 to %" G_GINT64_FORMAT,
                           key, i, axes[i], rank - 1);
    if (seen >> axes[i] & 1)
      return lm_type_fail (c, "%s names axis %" G_GINT64_FORMAT " twice, wanted distinct axes", key,
                           axes[i]);
    if (sorted && i > 0 && axes[i] < axes[i - 1])
      return lm_type_fail (
          c, "%s has %" G_GINT64_FORMAT " after %" G_GINT64_FORMAT ", wanted increasing axes", key,
          axes[i], axes[i - 1]);
    seen |= 1u << axes[i];
  }
  return true;
}

bool
lm_rule_list (LmTypeCtx *c, const char *key, int64_t n, int64_t absent, int64_t min, int64_t *out)
{
  const lam_attr *a = lm_type_attr (c, key);
  if (a != NULL && a->n != (uint64_t)n)
    return lm_type_fail (c, "%s has %" G_GUINT64_FORMAT " numbers, wanted %" G_GINT64_FORMAT, key,
                         a->n, n);
  for (int64_t i = 0; i < n; i++) {
    out[i] = a != NULL ? ((const int64_t *)a->data)[i] : absent;
    if (out[i] < min)
      return lm_type_fail (
          c, "%s[%" G_GINT64_FORMAT "] is %" G_GINT64_FORMAT ", wanted at least %" G_GINT64_FORMAT,
          key, i, out[i], min);
  }
  return true;
}

bool
lm_rule_word (LmTypeCtx *c, const char *key, const char *absent, const char *const *words)
{
  const char *word = lm_type_attr_str (c, key, absent);
  if (g_strv_contains (words, word))
    return true;
  g_autofree char *wanted = g_strjoinv (", ", (char **)words);
  g_autoptr (GString) hint = g_string_new (NULL);
  lm_append_did_you_mean (hint, word, words);
  return lm_type_fail (c, "%s is \"%s\", wanted one of: %s%s", key, word, wanted, hint->str);
}

bool
lm_rule_computation (LmTypeCtx *c)
{
  static const char *const words[] = {"add", "multiply", "maximum", "minimum", "and", "or", NULL};
  if (!lm_rule_word (c, "computation", "", words))
    return false;
  const char *word = lm_type_attr_str (c, "computation", "");
  if (strcmp (word, "and") == 0 || strcmp (word, "or") == 0)
    return lm_rule_kind (c, 0, LM_INTS | LM_BOOLS);
  return true;
}

bool
lm_rule_result (LmTypeCtx *c, lam_dtype dtype, int64_t rank, const int64_t *dims)
{
  if (rank > LAM_MAX_RANK)
    return lm_type_fail (c, "the result has rank %" G_GINT64_FORMAT ", wanted at most %d", rank,
                         LAM_MAX_RANK);
  c->results[0] = lm_type (dtype, (int32_t)rank, dims);
  return true;
}

bool
lm_rule_result_like (LmTypeCtx *c, uint32_t k)
{
  c->results[0] = *c->operands[k];
  return true;
}

bool
lm_rule_stated (LmTypeCtx *c, lam_dtype dtype, int64_t rank, const int64_t *dims)
{
  lam_type type = lm_type (dtype, (int32_t)rank, dims);
  if (!lm_type_equal (c->wanted, &type)) {
    g_autofree char *got = lm_type_to_string (c->wanted);
    g_autofree char *wanted = lm_type_to_string (&type);
    return lm_type_fail (c, "the stated result type is %s, wanted %s", got, wanted);
  }
  c->results[0] = type;
  return true;
}

void
lm_eq_list (const lam_function *f, const lam_equation *e, const char *key, int64_t n,
            int64_t absent, int64_t *out)
{
  uint64_t given;
  const int64_t *list = lam_attr_ints (f, e, key, &given);
  for (int64_t i = 0; i < n; i++)
    out[i] = list != NULL ? list[i] : absent;
}

LmFunction *
lm_decomposed (const LmFunction *f, const lam_equation *e, GError **error)
{
  g_autofree LmValue *in = g_new (LmValue, e->n_operands + 1);
  g_autofree LmValue *out = g_new (LmValue, e->n_results);
  LmBuilder *b = lm_builder_new (lm_op_info (e->op)->name);
  for (uint32_t k = 0; k < e->n_operands; k++)
    in[k] = lm_builder_param (b, lam_value_type (&f->ir, lam_operand (&f->ir, e, k)));
  lm_rules (e->op)->decompose (b, f, e, in, out);
  return lm_builder_finish (b, out, e->n_results, error);
}

uint32_t
lm_axis_set (const int64_t *axes, uint64_t n)
{
  uint32_t set = 0;
  for (uint64_t i = 0; i < n; i++)
    set |= 1u << axes[i];
  return set;
}

LmValue
lm_expand (LmBuilder *b, LmValue x, const lam_type *type, uint32_t axes)
{
  int64_t dims[LAM_MAX_RANK];
  uint64_t n = 0;
  for (int32_t i = 0; i < type->rank; i++)
    if (!(axes >> i & 1))
      dims[n++] = i;
  lam_type wide = *type;
  wide.dtype = lm_builder_type (b, x)->dtype;
  return lm_broadcast (b, x, &wide, dims, n);
}
