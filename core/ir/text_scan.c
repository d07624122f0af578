/* SPDX-License-Identifier: Apache-2.0 */
/* The scanner under the parser of the text form. */
#include "core/ir/text_scan.h"

#include "core/ir/text_number.h"

#include <string.h>

bool
lm_scan_fail (LmScan *s, const char *at, const char *format, ...)
{
  g_autofree char *message = NULL;
  const char *line_start = s->text;
  unsigned line = 1;
  va_list args;

  if (s->error != NULL)
    return false;
  for (const char *p = s->text; p < at; p++)
    if (*p == '\n') {
      line++;
      line_start = p + 1;
    }
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  s->error = g_error_new (LM_ERROR, LM_ERROR_INVALID, "%s:%u:%u: %s", s->where, line,
                          (unsigned)(at - line_start) + 1, message);
  return false;
}

const char *
lm_scan_here (LmScan *s)
{
  while (s->p < s->end) {
    if (*s->p == '#') {
      const char *eol = memchr (s->p, '\n', (gsize)(s->end - s->p));
      s->p = eol != NULL ? eol : s->end;
    } else if (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r') {
      s->p++;
    } else {
      break;
    }
  }
  return s->p;
}

bool
lm_scan_accept (LmScan *s, char c)
{
  if (s->error != NULL || lm_scan_here (s) == s->end || *s->p != c)
    return false;
  s->last = ++s->p;
  return true;
}

/* What stands at the cursor, for a message. */
static void
describe_next (LmScan *s, char out[16])
{
  unsigned char c = s->p < s->end ? (unsigned char)*s->p : 0;

  if (s->p == s->end)
    g_snprintf (out, 16, "end of text");
  else if (g_ascii_isgraph (c))
    g_snprintf (out, 16, "'%c'", c);
  else
    g_snprintf (out, 16, "byte 0x%02x", c);
}

bool
lm_scan_expect (LmScan *s, char c)
{
  char got[16];

  if (lm_scan_accept (s, c))
    return true;
  describe_next (s, got);
  return lm_scan_fail (s, s->p, "wanted '%c', got %s", c, got);
}

bool
lm_scan_word (LmScan *s, const char *extra, const char *what, LmToken *out)
{
  char got[16];

  out->p = lm_scan_here (s);
  out->n = 0;
  if (s->error != NULL)
    return false;
  while (s->p < s->end && *s->p != '\0'
         && (g_ascii_isalnum (*s->p) || strchr (extra, *s->p) != NULL))
    s->p++;
  out->n = (gsize)(s->p - out->p);
  s->last = s->p;
  if (out->n > 0)
    return true;
  describe_next (s, got);
  return lm_scan_fail (s, s->p, "wanted %s, got %s", what, got);
}

bool
lm_token_is (const LmToken *token, const char *word)
{
  return strlen (word) == token->n && memcmp (token->p, word, token->n) == 0;
}

bool
lm_scan_int (LmScan *s, int64_t *out)
{
  LmToken token;

  if (!lm_scan_word (s, "-+.", "an integer", &token))
    return false;
  if (!lm_number_parse (token.p, token.n, LAM_I64, out))
    return lm_scan_fail (s, token.p, "\"%.*s\" is no integer of 64 bits", (int)MIN (token.n, 40),
                         token.p);
  return true;
}

/* One escape after the backslash, at *p; false if it is none. */
static bool
unescape (const char **p, const char *end, GString *out)
{
  static const char from[] = "\"\\ntr", to[] = "\"\\\n\t\r";
  const char *known;
  const char *q = *p;

  if (q == end || *q == '\0')
    return false;
  if (*q == 'x') {
    if (end - q < 3 || !g_ascii_isxdigit (q[1]) || !g_ascii_isxdigit (q[2]))
      return false;
    g_string_append_c (out, (char)(g_ascii_xdigit_value (q[1]) * 16 + g_ascii_xdigit_value (q[2])));
    *p = q + 3;
    return true;
  }
  known = strchr (from, *q);
  if (known == NULL)
    return false;
  g_string_append_c (out, to[known - from]);
  *p = q + 1;
  return true;
}

/* [s->p, stop) unescaped into out; s->p moves to the first unescaped quote or to stop. */
static bool
unescape_until (LmScan *s, const char *stop, bool quoted, GString *out)
{
  while (s->p < stop && !(quoted && *s->p == '"')) {
    if (*s->p != '\\') {
      g_string_append_c (out, *s->p++);
      continue;
    }
    s->p++;
    if (!unescape (&s->p, stop, out))
      return lm_scan_fail (s, s->p - 1, "unknown escape; known: \\\" \\\\ \\n \\t \\r \\xNN");
  }
  return true;
}

bool
lm_scan_string (LmScan *s, GString *out)
{
  const char *start = lm_scan_here (s);
  const char *eol;

  if (!lm_scan_expect (s, '"'))
    return false;
  eol = memchr (s->p, '\n', (gsize)(s->end - s->p));
  if (!unescape_until (s, eol != NULL ? eol : s->end, true, out))
    return false;
  if (s->p == s->end || *s->p != '"')
    return lm_scan_fail (s, start, "this string does not end on its line");
  s->last = ++s->p;
  return true;
}

bool
lm_scan_path (LmScan *s, GString *out)
{
  const char *eol;

  s->p = s->last;
  while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
    s->p++;
  if (s->error != NULL || s->p == s->end || *s->p != '#')
    return s->error == NULL;
  s->p++;
  eol = memchr (s->p, '\n', (gsize)(s->end - s->p));
  if (eol == NULL)
    eol = s->end;
  while (s->p < eol && *s->p == ' ')
    s->p++;
  while (eol > s->p && (eol[-1] == ' ' || eol[-1] == '\r'))
    eol--;
  if (!unescape_until (s, eol, false, out))
    return false;
  if (memchr (out->str, '\0', out->len) != NULL || !g_utf8_validate (out->str, -1, NULL))
    return lm_scan_fail (s, eol, "this layer path is not UTF-8 without NUL");
  return true;
}
