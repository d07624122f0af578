/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the text form into a function through the builder, so that types are checked on the way. */
#include "core/ir/text_parse.h"

#include "core/ir/function.h"
#include "core/ir/text.h"
#include "core/ir/verify.h"

#include <string.h>

#define NAME_MAX_BYTES 63

typedef struct Parser {
  LmScan *s;
  LmBuilder *b;
  GHashTable *values; /* name, in the equation's arena -> LmValue */
  LmParsedEquation e;
} Parser;

static LmFunction *parse_function (LmScan *s, guint depth);

/* --- values ------------------------------------------------------------------------------------ */

static bool
parse_name (Parser *p, LmToken *out)
{
  if (!lm_scan_expect (p->s, '%') || !lm_scan_word (p->s, "_.", "a value's name", out))
    return false;
  if (out->n > NAME_MAX_BYTES)
    return lm_scan_fail (p->s, out->p, "this value's name is longer than %d bytes", NAME_MAX_BYTES);
  return true;
}

static bool
define (Parser *p, const LmToken *token, LmValue v)
{
  char *name = lm_arena_strndup (p->e.arena, token->p, token->n);

  if (g_hash_table_contains (p->values, name))
    return lm_scan_fail (p->s, token->p, "%%%s is defined twice", name);
  g_hash_table_insert (p->values, name, GUINT_TO_POINTER (v));
  return true;
}

static bool
parse_use (Parser *p, LmValue *out)
{
  char name[NAME_MAX_BYTES + 1];
  gpointer value;
  LmToken token;

  if (!parse_name (p, &token))
    return false;
  memcpy (name, token.p, token.n);
  name[token.n] = '\0';
  if (!g_hash_table_lookup_extended (p->values, name, NULL, &value))
    return lm_scan_fail (p->s, token.p, "%%%s is not defined before this place", name);
  *out = GPOINTER_TO_UINT (value);
  return true;
}

/* Values up to `close`, which is taken. */
static bool
parse_uses (Parser *p, GArray *out, char close)
{
  LmValue v;

  if (lm_scan_accept (p->s, close))
    return true;
  do {
    if (!parse_use (p, &v))
      return false;
    g_array_append_val (out, v);
  } while (lm_scan_accept (p->s, ','));
  return lm_scan_expect (p->s, close);
}

static bool
parse_types (Parser *p, GArray *out)
{
  lam_type type;

  do {
    if (!lm_parse_type (p->s, &type))
      return false;
    g_array_append_val (out, type);
  } while (lm_scan_accept (p->s, ','));
  return true;
}

/* --- equations --------------------------------------------------------------------------------- */

static void
reset_equation (LmParsedEquation *e)
{
  g_array_set_size (e->names, 0);
  g_array_set_size (e->operands, 0);
  g_array_set_size (e->attrs, 0);
  g_array_set_size (e->types, 0);
  g_ptr_array_set_size (e->regions, 0);
  e->has_list = false;
}

static const LmOpInfo *
parse_op_name (Parser *p)
{
  const LmOpInfo *info = NULL;
  g_autofree const char **names = NULL;
  g_autofree char *name = NULL;
  g_autoptr (GString) hint = NULL;
  LmToken token;
  guint n;

  if (!lm_scan_word (p->s, "_", "an op's name", &token))
    return NULL;
  name = g_strndup (token.p, MIN (token.n, NAME_MAX_BYTES));
  info = token.n <= NAME_MAX_BYTES ? lm_op_info_by_name (name) : NULL;
  if (info != NULL)
    return info;
  hint = g_string_new (NULL);
  lm_op_table (&n);
  names = g_new0 (const char *, n + 1);
  for (guint i = 0; i < n; i++)
    names[i] = lm_op_table (&n)[i].name;
  lm_append_did_you_mean (hint, name, names);
  lm_scan_fail (p->s, token.p, "no op is named \"%s\"%s", name, hint->str);
  return NULL;
}

static bool
parse_regions (Parser *p, guint depth)
{
  if (!lm_scan_accept (p->s, '('))
    return p->s->error == NULL;
  if (depth == LM_MAX_DEPTH)
    return lm_scan_fail (p->s, p->s->p, "regions nest deeper than %d", LM_MAX_DEPTH);
  do {
    LmFunction *region = parse_function (p->s, depth + 1);
    if (region == NULL)
      return false;
    g_ptr_array_add (p->e.regions, region);
  } while (lm_scan_accept (p->s, ','));
  return lm_scan_expect (p->s, ')');
}

/* The builder's verdict, at the op's place, and the stated types against the inferred ones. */
static bool
check_equation (Parser *p, const char *at, LmValue first)
{
  const GArray *types = p->e.types;

  if (lm_builder_error (p->b) != NULL)
    return lm_scan_fail (p->s, at, "%s", lm_builder_error (p->b)->message);
  if (p->e.names->len != lm_builder_n_results (p->b, first))
    return lm_scan_fail (p->s, at, "got %u names for %u results", p->e.names->len,
                         lm_builder_n_results (p->b, first));
  if (types->len > 0 && types->len != p->e.names->len)
    return lm_scan_fail (p->s, at, "got %u types for %u results", types->len, p->e.names->len);
  for (guint i = 0; i < types->len; i++) {
    const lam_type *stated = &g_array_index (types, lam_type, i);
    const lam_type *type = lm_builder_type (p->b, first + i);
    g_autofree char *got = NULL, *wanted = NULL;
    if (lm_type_equal (stated, type))
      continue;
    got = lm_type_to_string (stated);
    wanted = lm_type_to_string (type);
    return lm_scan_fail (p->s, at, "result %u is stated as %s, its type is %s", i, got, wanted);
  }
  return true;
}

static bool
add_equation (Parser *p, const LmOpInfo *info, const char *at)
{
  LmParsedEquation *e = &p->e;
  LmOp op = {
      .op = info->number,
      .operands = (const LmValue *)(const void *)e->operands->data,
      .n_operands = e->operands->len,
      .attrs = (const lam_attr *)(const void *)e->attrs->data,
      .n_attrs = e->attrs->len,
      .regions = (const LmFunction *const *)e->regions->pdata,
      .n_regions = e->regions->len,
      .type = e->types->len > 0 ? (const lam_type *)(const void *)e->types->data : NULL,
  };
  LmValue first = lm_builder_op (p->b, &op);

  if (!check_equation (p, at, first))
    return false;
  for (guint i = 0; i < e->names->len; i++)
    if (!define (p, &g_array_index (e->names, LmToken, i), first + i))
      return false;
  return true;
}

static bool
parse_equation (Parser *p, guint depth)
{
  LmParsedEquation *e = &p->e;
  g_autoptr (GString) path = g_string_new (NULL);
  const LmOpInfo *info;
  const char *at;
  LmToken name;

  reset_equation (e);
  do {
    if (!parse_name (p, &name))
      return false;
    g_array_append_val (e->names, name);
  } while (lm_scan_accept (p->s, ','));
  if (!lm_scan_expect (p->s, '='))
    return false;
  at = lm_scan_here (p->s);
  info = parse_op_name (p);
  if (info == NULL || !lm_scan_expect (p->s, '(') || !parse_uses (p, e->operands, ')')
      || !lm_parse_attrs (p->s, info, e) || !parse_regions (p, depth))
    return false;
  if (lm_scan_accept (p->s, ':') && !parse_types (p, e->types))
    return false;
  if (e->has_list && e->types->len == 0)
    return lm_scan_fail (p->s, at, "the result type must be stated, it cannot be inferred");
  if (e->has_list && !lm_parse_list (p->s, e, g_array_index (e->types, lam_type, 0).dtype))
    return false;
  if (!lm_scan_path (p->s, path))
    return false;
  lm_builder_set_path (p->b, path->str);
  return add_equation (p, info, at);
}

/* --- functions --------------------------------------------------------------------------------- */

static bool
expect_word (LmScan *s, const char *word)
{
  LmToken token;

  if (!lm_scan_word (s, "", word, &token))
    return false;
  return lm_token_is (&token, word) || lm_scan_fail (s, token.p, "wanted \"%s\"", word);
}

static bool
parse_params (Parser *p)
{
  lam_type type;
  LmToken name;

  if (!lm_scan_expect (p->s, '('))
    return false;
  if (lm_scan_accept (p->s, ')'))
    return true;
  do {
    if (!parse_name (p, &name) || !lm_scan_expect (p->s, ':') || !lm_parse_type (p->s, &type)
        || !define (p, &name, lm_builder_param (p->b, &type)))
      return false;
  } while (lm_scan_accept (p->s, ','));
  return lm_scan_expect (p->s, ')');
}

/* "-> (types)" into out. */
static bool
parse_signature (Parser *p, GArray *out)
{
  if (!lm_scan_expect (p->s, '-') || p->s->p == p->s->end || *p->s->p != '>')
    return lm_scan_fail (p->s, p->s->p, "wanted \"->\" and the result types");
  p->s->p++;
  if (!lm_scan_expect (p->s, '('))
    return false;
  if (lm_scan_accept (p->s, ')'))
    return true;
  return parse_types (p, out) && lm_scan_expect (p->s, ')');
}

/* More equations. */
static bool
next_is_value (LmScan *s)
{
  return s->error == NULL && lm_scan_here (s) < s->end && *s->p == '%';
}

static LmFunction *
parse_return (Parser *p, const GArray *stated)
{
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (LmValue));
  const char *at = lm_scan_here (p->s);
  LmFunction *f;

  if (!expect_word (p->s, "return") || !parse_uses (p, results, '}'))
    return NULL;
  if (results->len != stated->len) {
    lm_scan_fail (p->s, at, "%u results are returned, %u are stated", results->len, stated->len);
    return NULL;
  }
  for (guint i = 0; i < results->len; i++) {
    const lam_type *type = lm_builder_type (p->b, g_array_index (results, LmValue, i));
    const lam_type *wanted = &g_array_index (stated, lam_type, i);
    if (!lm_type_equal (type, wanted)) {
      g_autofree char *a = lm_type_to_string (type), *b = lm_type_to_string (wanted);
      lm_scan_fail (p->s, at, "result %u is %s, stated as %s", i, a, b);
      return NULL;
    }
  }
  f = lm_builder_finish (g_steal_pointer (&p->b), (const LmValue *)(const void *)results->data,
                         results->len, &p->s->error);
  return f;
}

static LmFunction *
parse_body (Parser *p, guint depth)
{
  g_autoptr (GArray) stated = g_array_new (FALSE, FALSE, sizeof (lam_type));

  if (!parse_params (p) || !parse_signature (p, stated) || !lm_scan_expect (p->s, '{'))
    return NULL;
  while (next_is_value (p->s))
    if (!parse_equation (p, depth))
      return NULL;
  return parse_return (p, stated);
}

static LmFunction *
parse_function (LmScan *s, guint depth)
{
  Parser p = {.s = s};
  g_autofree char *name = NULL;
  LmFunction *f;
  LmToken token;

  if (!expect_word (s, "func") || !lm_scan_expect (s, '@')
      || !lm_scan_word (s, "_.-", "a function's name", &token))
    return NULL;
  name = g_strndup (token.p, token.n);
  p.b = lm_builder_new (name);
  p.values = g_hash_table_new (g_str_hash, g_str_equal);
  p.e.arena = lm_arena_new ();
  p.e.names = g_array_new (FALSE, FALSE, sizeof (LmToken));
  p.e.operands = g_array_new (FALSE, FALSE, sizeof (LmValue));
  p.e.attrs = g_array_new (FALSE, FALSE, sizeof (lam_attr));
  p.e.types = g_array_new (FALSE, FALSE, sizeof (lam_type));
  p.e.regions = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_function_unref);
  f = parse_body (&p, depth);
  lm_builder_free (p.b);
  g_hash_table_unref (p.values);
  lm_arena_free (p.e.arena);
  g_array_unref (p.e.names);
  g_array_unref (p.e.operands);
  g_array_unref (p.e.attrs);
  g_array_unref (p.e.types);
  g_ptr_array_unref (p.e.regions);
  return f;
}

LmFunction *
lm_text_parse (const char *text, gsize n, const char *where, GError **error)
{
  LmScan s = {.text = text, .p = text, .end = text + n, .last = text, .where = where};
  g_autoptr (LmFunction) f = NULL;

  g_return_val_if_fail (text != NULL || n == 0, NULL);
  f = parse_function (&s, 1);
  if (f != NULL && lm_scan_here (&s) < s.end)
    lm_scan_fail (&s, s.p, "text behind the function");
  if (s.error != NULL) {
    g_propagate_error (error, s.error);
    return NULL;
  }
  return lm_verify (f, "parse", error) ? g_steal_pointer (&f) : NULL;
}
