/* SPDX-License-Identifier: Apache-2.0 */
/* Parses types and attributes of the text form. */
#include "core/ir/attr.h"
#include "core/ir/text_number.h"
#include "core/ir/text_parse.h"

#include <string.h>

static lam_dtype
token_dtype (const LmToken *token)
{
  char name[8];

  if (token->n >= sizeof name)
    return LAM_DTYPE_NONE;
  memcpy (name, token->p, token->n);
  name[token->n] = '\0';
  return lm_dtype_from_name (name);
}

bool
lm_parse_type (LmScan *s, lam_type *out)
{
  LmToken token;

  memset (out, 0, sizeof *out);
  if (!lm_scan_word (s, "_", "a type like f32[2,3]", &token))
    return false;
  out->dtype = token_dtype (&token);
  if (out->dtype == LAM_DTYPE_NONE)
    return lm_scan_fail (s, token.p,
                         "\"%.*s\" is no dtype; known: f64 f32 f16 bf16 i64 i32 i16 i8 "
                         "u64 u32 u16 u8 bool",
                         (int)MIN (token.n, 40), token.p);
  if (!lm_scan_expect (s, '['))
    return false;
  if (lm_scan_accept (s, ']'))
    return true;
  do {
    if (out->rank == LAM_MAX_RANK)
      return lm_scan_fail (s, lm_scan_here (s), "more than %d dimensions", LAM_MAX_RANK);
    if (!lm_scan_int (s, &out->dims[out->rank]))
      return false;
    if (out->dims[out->rank++] < 0)
      return lm_scan_fail (s, token.p, "a dimension is negative");
  } while (lm_scan_accept (s, ','));
  if (!lm_scan_expect (s, ']'))
    return false;
  if (!lm_type_checked_bytes (out, NULL, NULL))
    return lm_scan_fail (s, token.p, "this type has more bytes than 64 bits count");
  return true;
}

/* --- literals --------------------------------------------------------------------------------- */

static bool
parse_ints (LmScan *s, LmParsedEquation *e, lam_attr *a)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (int64_t));
  int64_t value;

  a->kind = LAM_ATTR_INTS;
  if (!lm_scan_expect (s, '['))
    return false;
  if (lm_scan_accept (s, ']'))
    return true;
  do {
    if (!lm_scan_int (s, &value))
      return false;
    g_array_append_val (values, value);
  } while (lm_scan_accept (s, ','));
  a->n = values->len;
  a->data = lm_arena_memdup (e->arena, values->data, values->len * sizeof value, 8);
  return lm_scan_expect (s, ']');
}

static bool
parse_str (LmScan *s, LmParsedEquation *e, lam_attr *a)
{
  g_autoptr (GString) text = g_string_new (NULL);

  a->kind = LAM_ATTR_STR;
  if (!lm_scan_string (s, text))
    return false;
  a->n = text->len;
  a->data = lm_arena_memdup (e->arena, text->str, text->len + 1, 1);
  return true;
}

/* The digits between the quotes of 0x"..."; s->p stands on the first one. */
static bool
parse_hex (LmScan *s, LmParsedEquation *e, lam_attr *a)
{
  const char *close = memchr (s->p, '"', (gsize)(s->end - s->p));
  gsize n = close != NULL ? (gsize)(close - s->p) : 0;
  unsigned char *data;

  a->kind = LAM_ATTR_BYTES;
  if (close == NULL || n % 2 != 0)
    return lm_scan_fail (s, s->p,
                         close ? "an odd number of hex digits" : "these hex digits do not end");
  data = g_try_malloc (n / 2 + 1);
  if (data == NULL)
    return lm_scan_fail (s, s->p, "no memory for %" G_GSIZE_FORMAT " bytes", n / 2);
  for (gsize i = 0; i < n; i++, s->p++) {
    int digit = g_ascii_xdigit_value (*s->p);
    if (digit < 0) {
      g_free (data);
      return lm_scan_fail (s, s->p, "not a hex digit");
    }
    data[i / 2] = (unsigned char)(i % 2 == 0 ? digit << 4 : data[i / 2] | digit);
  }
  a->n = n / 2;
  a->data = lm_arena_memdup (e->arena, data, n / 2, 64);
  g_free (data);
  s->last = s->p = close + 1;
  return true;
}

/* int, float, dtype or bytes: all begin with a word. */
static bool
parse_word (LmScan *s, LmParsedEquation *e, lam_attr *a)
{
  LmToken token;

  if (!lm_scan_word (s, "-+.", "a value", &token))
    return false;
  if (lm_token_is (&token, "0x") && s->p < s->end && *s->p == '"') {
    s->p++;
    return parse_hex (s, e, a);
  }
  a->kind = LAM_ATTR_INT;
  if (lm_number_parse (token.p, token.n, LAM_I64, &a->i))
    return true;
  a->kind = LAM_ATTR_DTYPE;
  a->i = token_dtype (&token);
  if (a->i != LAM_DTYPE_NONE)
    return true;
  a->i = 0;
  a->kind = LAM_ATTR_FLOAT;
  if (lm_number_parse (token.p, token.n, LAM_F64, &a->f))
    return true;
  return lm_scan_fail (s, token.p,
                       "\"%.*s\" is no integer, float, dtype, list, string or 0x\"bytes\"",
                       (int)MIN (token.n, 40), token.p);
}

/* Skips a list; its elements wait for the dtype. */
static bool
skip_list (LmScan *s, LmParsedEquation *e, lam_attr *a)
{
  a->kind = LAM_ATTR_BYTES;
  if (e->has_list)
    return lm_scan_fail (s, s->p, "a second list of elements");
  e->has_list = true;
  e->list_attr = e->attrs->len;
  e->list = s->p;
  while (s->p < s->end && *s->p != ']')
    s->p++;
  return lm_scan_expect (s, ']');
}

static bool
parse_attr (LmScan *s, const LmOpInfo *info, LmParsedEquation *e)
{
  lam_attr a = {0};
  LmSchemaKey key;
  LmToken token;
  bool ok;
  char next;

  if (lm_scan_accept (s, '!'))
    a.flags = LAM_ATTR_MUST_UNDERSTAND;
  if (!lm_scan_word (s, "_", "an attribute's key", &token))
    return false;
  a.key = lm_arena_strndup (e->arena, token.p, token.n);
  if (!lm_scan_expect (s, '='))
    return false;
  next = lm_scan_here (s) < s->end ? *s->p : '\0';
  if (next == '"')
    ok = parse_str (s, e, &a);
  else if (next != '[')
    ok = parse_word (s, e, &a);
  else if (lm_op_has_flag (info, 'T') && lm_schema_find (info, a.key, &key)
           && key.kind == LAM_ATTR_BYTES)
    ok = skip_list (s, e, &a);
  else
    ok = parse_ints (s, e, &a);
  if (ok)
    g_array_append_val (e->attrs, a);
  return ok;
}

bool
lm_parse_attrs (LmScan *s, const LmOpInfo *info, LmParsedEquation *e)
{
  if (!lm_scan_accept (s, '{'))
    return s->error == NULL;
  if (lm_scan_accept (s, '}'))
    return true;
  do {
    if (e->attrs->len == LM_MAX_ATTRS)
      return lm_scan_fail (s, lm_scan_here (s), "more than %d attributes", LM_MAX_ATTRS);
    if (!parse_attr (s, info, e))
      return false;
  } while (lm_scan_accept (s, ','));
  return lm_scan_expect (s, '}');
}

bool
lm_parse_list (LmScan *s, LmParsedEquation *e, lam_dtype dtype)
{
  lam_attr *a = &g_array_index (e->attrs, lam_attr, e->list_attr);
  g_autoptr (GByteArray) data = g_byte_array_new ();
  const char *after = s->p, *last = s->last;
  uint64_t element;
  LmToken token;

  s->p = e->list + 1;
  while (!lm_scan_accept (s, ']')) {
    if (!lm_scan_word (s, "-+.", "an element", &token))
      return false;
    if (!lm_number_parse (token.p, token.n, dtype, &element))
      return lm_scan_fail (s, token.p, "\"%.*s\" is no element of %s", (int)MIN (token.n, 40),
                           token.p, lam_dtype_name (dtype));
    g_byte_array_append (data, (const guint8 *)&element, lam_dtype_bits (dtype) / 8);
    if (lm_scan_accept (s, ','))
      continue;
    if (!lm_scan_expect (s, ']'))
      return false;
    break;
  }
  a->n = data->len;
  a->data = lm_arena_memdup (e->arena, data->data, data->len, 64);
  s->p = after;
  s->last = last;
  return true;
}
