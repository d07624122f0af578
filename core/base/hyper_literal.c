/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a Python literal: what ast.literal_eval takes of numbers, strings, True, False, None, lists,
 * tuples and dicts with string keys. */
#include "core/base/hyper_text.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MAX_DEPTH 32

typedef struct Reader {
  const char *p, *start;
  guint depth;
  const char *fault; /* the first one; the reader is inert from there */
} Reader;

static LmHyperValue *read_value (Reader *r);

static gpointer
fail (Reader *r, const char *fault)
{
  if (r->fault == NULL)
    r->fault = fault;
  return NULL;
}

static void
skip_blank (Reader *r)
{
  while (g_ascii_isspace (*r->p))
    r->p++;
}

static bool
take (Reader *r, char c)
{
  skip_blank (r);
  if (*r->p != c)
    return false;
  r->p++;
  return true;
}

static bool
take_word (Reader *r, const char *word)
{
  size_t n = strlen (word);

  if (strncmp (r->p, word, n) != 0 || g_ascii_isalnum (r->p[n]) || r->p[n] == '_')
    return false;
  r->p += n;
  return true;
}

static LmHyperValue *
read_number (Reader *r)
{
  const char *p = r->p + (*r->p == '-' || *r->p == '+');
  size_t n = strspn (p, "0123456789");
  double sign = *r->p == '-' ? -1 : 1;
  char *end;

  if (n > 0 && p[n] != '.' && g_ascii_tolower (p[n]) != 'e') {
    errno = 0;
    int64_t i = g_ascii_strtoll (r->p, &end, 10);
    r->p = end;
    return errno == 0 ? lm_hyper_int (i) : fail (r, "an integer of more than 64 bits");
  }
  if (n > 0 || (*p == '.' && g_ascii_isdigit (p[1]))) {
    double d = g_ascii_strtod (r->p, &end);
    r->p = end;
    return lm_hyper_float (d);
  }
  r->p = p;
  if (take_word (r, "inf"))
    return lm_hyper_float (sign * INFINITY);
  if (take_word (r, "nan"))
    return lm_hyper_float (NAN);
  return fail (r, "a number, string, True, False, None, list, tuple or dict is wanted");
}

/* \xNN, \uNNNN: the code of n digits. */
static bool
read_code (Reader *r, GString *out, guint n)
{
  gunichar code = 0;

  for (guint i = 0; i < n; i++, r->p++) {
    if (!g_ascii_isxdigit (*r->p))
      return false;
    code = code * 16 + (gunichar)g_ascii_xdigit_value (*r->p);
  }
  if (code == 0 || !g_unichar_validate (code))
    return false;
  g_string_append_unichar (out, code);
  return true;
}

/* Behind a backslash; an escape that Python does not know stays as it stands. */
static bool
read_escape (Reader *r, GString *out)
{
  static const char letters[] = "nrt\\'\"", codes[] = "\n\r\t\\'\"";
  char c = *r->p;
  const char *found = c != '\0' ? strchr (letters, c) : NULL;

  if (c == '\0')
    return false;
  r->p++;
  if (c == 'x' || c == 'u')
    return read_code (r, out, c == 'x' ? 2 : 4);
  if (found == NULL)
    g_string_append_c (out, '\\');
  g_string_append_c (out, found != NULL ? codes[found - letters] : c);
  return true;
}

static LmHyperValue *
read_string (Reader *r)
{
  g_autoptr (GString) out = g_string_new (NULL);
  char quote = *r->p++;

  while (*r->p != quote) {
    if (*r->p == '\0')
      return fail (r, "the string does not end");
    if (*r->p != '\\')
      g_string_append_c (out, *r->p++);
    else if (r->p++, !read_escape (r, out))
      return fail (r, "an escape in a string is wrong");
  }
  r->p++;
  return lm_hyper_string (out->str);
}

/* Behind the bracket; one element in round ones without a comma is that element. */
static LmHyperValue *
read_sequence (Reader *r, char close)
{
  g_autoptr (LmHyperValue) list = lm_hyper_sequence (close == ')' ? LM_HYPER_TUPLE : LM_HYPER_LIST);
  bool comma = true, any_comma = false;

  while (!take (r, close)) {
    LmHyperValue *item =
        comma ? read_value (r) : fail (r, "a comma or the end of a list is wanted");
    if (item == NULL)
      return NULL;
    lm_hyper_append (list, item);
    comma = take (r, ',');
    any_comma = any_comma || comma;
  }
  if (close == ')' && list->items->len == 1 && !any_comma)
    return g_ptr_array_steal_index (list->items, 0);
  return g_steal_pointer (&list);
}

static LmHyperValue *
read_dict (Reader *r)
{
  g_autoptr (LmHyperValue) dict = lm_hyper_dict ();
  bool comma = true;

  while (!take (r, '}')) {
    skip_blank (r);
    if (!comma || (*r->p != '\'' && *r->p != '"'))
      return fail (r, comma ? "a dict wants string keys" : "a comma or } is wanted");
    g_autoptr (LmHyperValue) key = read_string (r);
    if (key == NULL || !take (r, ':'))
      return fail (r, "a colon is wanted");
    LmHyperValue *item = read_value (r);
    if (item == NULL)
      return NULL;
    lm_hyper_put (dict, key->text, item);
    comma = take (r, ',');
  }
  return g_steal_pointer (&dict);
}

static LmHyperValue *
read_nested (Reader *r)
{
  char open = *r->p++;
  LmHyperValue *value;

  if (++r->depth > MAX_DEPTH)
    return fail (r, "lists nest deeper than 32");
  value = open == '{' ? read_dict (r) : read_sequence (r, open == '(' ? ')' : ']');
  r->depth--;
  return value;
}

static LmHyperValue *
read_value (Reader *r)
{
  skip_blank (r);
  if (*r->p != '\0' && strchr ("[({", *r->p) != NULL)
    return read_nested (r);
  if (*r->p == '\'' || *r->p == '"')
    return read_string (r);
  if (take_word (r, "None"))
    return lm_hyper_none ();
  if (take_word (r, "True"))
    return lm_hyper_bool (true);
  if (take_word (r, "False"))
    return lm_hyper_bool (false);
  return read_number (r);
}

LmHyperValue *
lm_hyper_parse (const char *text, const char *where, GError **error)
{
  Reader r = {text, text, 0, NULL};
  g_autoptr (LmHyperValue) value = read_value (&r);

  skip_blank (&r);
  if (r.fault == NULL && *r.p != '\0')
    fail (&r, "something follows the value");
  if (r.fault == NULL)
    return g_steal_pointer (&value);
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s: cannot read %s: %s (at character %u)", where,
               text, r.fault, (guint)(r.p - r.start) + 1);
  return NULL;
}
