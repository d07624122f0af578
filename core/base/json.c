/* SPDX-License-Identifier: Apache-2.0 */
/* A strict JSON reader that builds json-glib's tree itself: with a single parser there is no second
 * one to disagree with about duplicates, NUL bytes or numbers. */
#include "core/base/json.h"

#include <math.h>
#include <string.h>

#define MAX_BYTES   (100u << 20)
#define MAX_INTEGER (INT64_C (1) << 53)

typedef struct Reader {
  const char *text, *end, *p;
  const char *where;
  LmJsonFlags flags;
  guint depth;
  GError *error; /* the first one; the reader is inert from there */
} Reader;

static JsonNode *read_value (Reader *r);

/* Line and column, both from 1, of the place `at`. */
static void G_GNUC_PRINTF (3, 4) fail (Reader *r, const char *at, const char *format, ...)
{
  g_autofree char *message = NULL;
  guint line = 1;
  const char *start = r->text;
  va_list args;

  if (r->error != NULL)
    return;
  for (const char *p = r->text; p < at; p++)
    if (*p == '\n') {
      line++;
      start = p + 1;
    }
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (&r->error, LM_ERROR, LM_ERROR_CORRUPT, "%s:%u:%u: %s", r->where, line,
               (guint)(at - start) + 1, message);
}

static bool
starts (const Reader *r, const char *word)
{
  size_t n = strlen (word);

  return (size_t)(r->end - r->p) >= n && memcmp (r->p, word, n) == 0;
}

/* Skips one comment; false if there is none (or it does not end: an error). */
static bool
skip_comment (Reader *r)
{
  const char *start = r->p;

  if (starts (r, "//")) {
    while (r->p < r->end && *r->p != '\n')
      r->p++;
    return true;
  }
  if (!starts (r, "/*"))
    return false;
  for (r->p += 2; r->p < r->end; r->p++)
    if (starts (r, "*/")) {
      r->p += 2;
      return true;
    }
  fail (r, start, "the comment that starts here does not end");
  return false;
}

static void
skip_blank (Reader *r)
{
  for (;;) {
    while (r->p < r->end && strchr (" \t\r\n", *r->p) != NULL && *r->p != '\0')
      r->p++;
    if (r->p < r->end && *r->p == '/' && (r->flags & LM_JSON_COMMENTS) == 0)
      fail (r, r->p, "comments are not allowed here");
    if (r->error != NULL || !skip_comment (r))
      return;
  }
}

/* What stands at r->p, for messages. */
static char *
seen (const Reader *r)
{
  if (r->p >= r->end)
    return g_strdup ("the end of the text");
  if (g_ascii_isgraph (*r->p))
    return g_strdup_printf ("'%c'", *r->p);
  return g_strdup_printf ("byte 0x%02x", (guint)(guchar)*r->p);
}

static bool
expect (Reader *r, char wanted, const char *what)
{
  if (r->error != NULL)
    return false;
  if (r->p < r->end && *r->p == wanted) {
    r->p++;
    return true;
  }
  g_autofree char *got = seen (r);
  fail (r, r->p, "expected %s, got %s", what, got);
  return false;
}

/* The four hex digits behind "\u"; -1 and an error when they are not. */
static int
read_hex (Reader *r)
{
  int value = 0;

  for (int i = 0; i < 4; i++, r->p++) {
    int digit = r->p < r->end ? g_ascii_xdigit_value (*r->p) : -1;
    if (digit < 0) {
      fail (r, r->p, "\\u needs four hexadecimal digits");
      return -1;
    }
    value = value * 16 + digit;
  }
  return value;
}

static void
read_unicode (Reader *r, GString *out)
{
  const char *start = r->p;
  int high = read_hex (r), low;

  if (high >= 0xd800 && high < 0xdc00 && starts (r, "\\u")) {
    r->p += 2;
    low = read_hex (r);
    if (low >= 0xdc00 && low < 0xe000) {
      g_string_append_unichar (out, (gunichar)(0x10000 + ((high - 0xd800) << 10) + low - 0xdc00));
      return;
    }
  }
  if (high == 0 || (high >= 0xd800 && high < 0xe000))
    fail (r, start, "\\u%04x is not a character that a string may hold", (guint)high);
  else if (high > 0)
    g_string_append_unichar (out, (gunichar)high);
}

static void
read_escape (Reader *r, GString *out)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  char c = r->p < r->end ? *r->p : '\0';
  const char *found = c != '\0' ? strchr (from, c) : NULL;

  if (found != NULL) {
    r->p++;
    g_string_append_c (out, to[found - from]);
  } else if (c == 'u') {
    r->p++;
    read_unicode (r, out);
  } else {
    fail (r, r->p, "unknown escape in a string");
  }
}

/* The text between quotes, or NULL. UTF-8 was checked for the whole text. */
static char *
read_string (Reader *r, const char *what)
{
  g_autoptr (GString) out = NULL;
  const char *start = r->p;

  if (!expect (r, '"', what))
    return NULL;
  out = g_string_new (NULL);
  while (r->error == NULL) {
    if (r->p >= r->end) {
      fail (r, start, "the string that starts here does not end");
    } else if (*r->p == '"') {
      r->p++;
      return g_string_free (g_steal_pointer (&out), FALSE);
    } else if (*r->p == '\\') {
      r->p++;
      read_escape (r, out);
    } else if ((guchar)*r->p < 0x20) {
      fail (r, r->p, "a control character must be escaped in a string");
    } else {
      g_string_append_c (out, *r->p++);
    }
  }
  return NULL;
}

static const char *
skip_digits (const Reader *r, const char *p)
{
  while (p < r->end && g_ascii_isdigit (*p))
    p++;
  return p;
}

/* The end of the number at r->p by JSON's grammar, or NULL. */
static const char *
scan_number (const Reader *r, bool *is_float)
{
  const char *p = r->p, *q;

  if (p < r->end && *p == '-')
    p++;
  q = skip_digits (r, p);
  if (q == p || (*p == '0' && q > p + 1))
    return NULL;
  p = q;
  if (p < r->end && *p == '.') {
    *is_float = true;
    q = skip_digits (r, ++p);
    if (q == p)
      return NULL;
    p = q;
  }
  if (p < r->end && (*p == 'e' || *p == 'E')) {
    *is_float = true;
    if (++p < r->end && (*p == '+' || *p == '-'))
      p++;
    q = skip_digits (r, p);
    if (q == p)
      return NULL;
    p = q;
  }
  return p;
}

static JsonNode *
read_number (Reader *r)
{
  bool is_float = false;
  const char *end = scan_number (r, &is_float);
  g_autofree char *text = NULL;
  double value;

  if (end == NULL) {
    g_autofree char *got = seen (r);
    fail (r, r->p, "expected a value, got %s", got);
    return NULL;
  }
  text = g_strndup (r->p, (gsize)(end - r->p));
  value = g_ascii_strtod (text, NULL);
  if (!isfinite (value) || (!is_float && fabs (value) > (double)MAX_INTEGER)) {
    fail (r, r->p, "the number %.40s is %s", text,
          is_float ? "too large" : "an integer beyond 2^53, which not every reader keeps");
    return NULL;
  }
  r->p = end;
  if (is_float)
    return json_node_init_double (json_node_alloc (), value);
  return json_node_init_int (json_node_alloc (), g_ascii_strtoll (text, NULL, 10));
}

static void
read_member (Reader *r, JsonObject *object)
{
  const char *start = r->p;
  g_autofree char *key = read_string (r, "a key in quotes or '}'");
  JsonNode *value;

  if (key == NULL)
    return;
  if (json_object_has_member (object, key)) {
    fail (r, start, "the key \"%s\" is there twice", key);
    return;
  }
  skip_blank (r);
  if (!expect (r, ':', "':' after the key"))
    return;
  value = read_value (r);
  if (value != NULL)
    json_object_set_member (object, key, value);
}

/* The elements of an array (object NULL) or object up to its closing character. */
static void
read_elements (Reader *r, JsonObject *object, JsonArray *array)
{
  char close = object != NULL ? '}' : ']';

  r->p++;
  skip_blank (r);
  if (r->p < r->end && *r->p == close) {
    r->p++;
    return;
  }
  while (r->error == NULL) {
    JsonNode *value = NULL;
    skip_blank (r);
    if (object != NULL)
      read_member (r, object);
    else
      value = read_value (r);
    if (value != NULL)
      json_array_add_element (array, value);
    skip_blank (r);
    if (r->error == NULL && r->p < r->end && *r->p == close) {
      r->p++;
      return;
    }
    expect (r, ',', object != NULL ? "',' or '}'" : "',' or ']'");
  }
}

static JsonNode *
read_container (Reader *r)
{
  JsonNode *node = json_node_alloc ();

  if (++r->depth > LM_JSON_MAX_DEPTH)
    fail (r, r->p, "nesting is deeper than %d", LM_JSON_MAX_DEPTH);
  if (*r->p == '{') {
    JsonObject *object = json_object_new ();
    if (r->error == NULL)
      read_elements (r, object, NULL);
    json_node_take_object (json_node_init (node, JSON_NODE_OBJECT), object);
  } else {
    JsonArray *array = json_array_new ();
    if (r->error == NULL)
      read_elements (r, NULL, array);
    json_node_take_array (json_node_init (node, JSON_NODE_ARRAY), array);
  }
  r->depth--;
  return node;
}

static JsonNode *
read_word (Reader *r)
{
  JsonNode *node = json_node_alloc ();

  if (starts (r, "true") || starts (r, "false")) {
    json_node_init_boolean (node, *r->p == 't');
    r->p += *r->p == 't' ? 4 : 5;
  } else if (starts (r, "null")) {
    json_node_init_null (node);
    r->p += 4;
  } else {
    json_node_unref (node);
    return read_number (r);
  }
  return node;
}

static JsonNode *
read_value (Reader *r)
{
  skip_blank (r);
  if (r->error != NULL)
    return NULL;
  if (r->p < r->end && (*r->p == '{' || *r->p == '['))
    return read_container (r);
  if (r->p < r->end && *r->p == '"') {
    g_autofree char *text = read_string (r, "a string");
    return text != NULL ? json_node_init_string (json_node_alloc (), text) : NULL;
  }
  return read_word (r);
}

JsonNode *
lm_json_parse (const char *text, gsize n, LmJsonFlags flags, const char *where, GError **error)
{
  Reader r = {text, text + n, text, where, flags, 0, NULL};
  JsonNode *node = NULL;
  const char *bad;

  if (n > MAX_BYTES)
    fail (&r, text, "%" G_GSIZE_FORMAT " bytes of JSON; at most %u are read", n, MAX_BYTES);
  else if (!g_utf8_validate_len (text, n, &bad))
    fail (&r, bad, "not UTF-8 (byte 0x%02x)", (guint)(guchar)*bad);
  else
    node = read_value (&r);
  skip_blank (&r);
  if (r.error == NULL && r.p < r.end) {
    g_autofree char *got = seen (&r);
    fail (&r, r.p, "%s after the end of the value", got);
  }
  if (r.error == NULL)
    return node;
  g_clear_pointer (&node, json_node_unref);
  g_propagate_error (error, r.error);
  return NULL;
}
