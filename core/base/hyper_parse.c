/* SPDX-License-Identifier: Apache-2.0 */
/* lingvo's FromText: "path : value" lines into Params. */
#include "core/base/hyper_text.h"

#include <errno.h>
#include <string.h>

typedef struct Entry {
  char *key, *text;
} Entry;

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_free (entry->key);
  g_free (entry->text);
  g_free (entry);
}

static void
add_entry (GPtrArray *entries, const char *key, const char *text)
{
  Entry *entry = g_new0 (Entry, 1);

  entry->key = g_strdup (key);
  entry->text = g_strdup (text);
  g_ptr_array_add (entries, entry);
}

/* --- lines ---------------------------------------------------------------------------------------- */

/* True if text ends with the quote, and no backslash escapes it. */
static bool
ends_with_quote (const char *text, char quote)
{
  size_t n = strlen (text), backslashes = 0;

  if (n == 0 || text[n - 1] != quote)
    return false;
  while (backslashes + 1 < n && text[n - 2 - backslashes] == '\\')
    backslashes++;
  return backslashes % 2 == 0;
}

/* The string that begins in `value`; *at goes behind its last line. NULL if it does not end. Blanks at
 * the end of a line belong to it, unless it is the last one. */
static char *
join_string (const char *value, char **lines, guint *at)
{
  g_autoptr (GString) out = g_string_new (NULL);
  const char *line = value;

  for (;;) {
    g_autofree char *chomped = g_strchomp (g_strdup (line));
    if (ends_with_quote (line == value ? chomped + 1 : chomped, *value)) {
      g_string_append (out, chomped);
      return g_string_free (g_steal_pointer (&out), FALSE);
    }
    if (lines[*at] == NULL)
      return NULL;
    g_string_append_printf (out, "%s\n", line);
    line = lines[(*at)++];
  }
}

static void
split_lines (const char *text, GPtrArray *entries, GPtrArray *problems)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL;) {
    g_autofree char *line = g_strchug (g_strdup (lines[i++]));
    char *colon = strchr (line, ':');
    guint first = i;
    if (*line == '\0' || *line == '#')
      continue;
    if (colon == NULL) {
      g_ptr_array_add (problems,
                       g_strdup_printf ("line %u: wanted <key>:<value>, got: %s", i, line));
      continue;
    }
    *colon = '\0';
    char *key = g_strchomp (line), *value = g_strchug (colon + 1);
    g_autofree char *whole = *value == '\'' || *value == '"' ? join_string (value, lines, &i)
                                                             : g_strchomp (g_strdup (value));
    if (whole != NULL)
      add_entry (entries, key, whole);
    else
      g_ptr_array_add (problems,
                       g_strdup_printf ("line %u: the string of %s does not end", first, key));
  }
}

/* --- values --------------------------------------------------------------------------------------- */

static LmHyperValue *
read_int (const char *text)
{
  char *end;

  errno = 0;
  int64_t i = g_ascii_strtoll (text, &end, 10);
  return errno == 0 && end != text && *end == '\0' ? lm_hyper_int (i) : NULL;
}

static LmHyperValue *
read_float (const char *text)
{
  char *end;
  double d = g_ascii_strtod (text, &end);
  bool hex = strpbrk (text, "xX") != NULL;

  return !hex && end != text && *end == '\0' ? lm_hyper_float (d) : NULL;
}

/* In quotes only what ToText escapes is an escape; without them it is the literal text. A list in it
 * is one (lingvo: "we may have stored a list as a string"). */
static LmHyperValue *
read_string (const char *text)
{
  g_autoptr (GString) out = g_string_new (NULL);
  size_t n = strlen (text);
  bool quoted = n > 1 && (*text == '\'' || *text == '"') && ends_with_quote (text + 1, *text);

  for (size_t i = quoted; i < n - quoted; i++) {
    if (quoted && text[i] == '\\' && i + 2 < n && strchr ("\\'\"", text[i + 1]) != NULL)
      i++;
    g_string_append_c (out, text[i]);
  }
  if (out->len > 1 && out->str[0] == '[' && out->str[out->len - 1] == ']') {
    LmHyperValue *list = lm_hyper_parse (out->str, "list", NULL);
    if (list != NULL)
      return list;
  }
  return lm_hyper_string (out->str);
}

/* A value that was None says nothing of its type: None or a bool (lingvo also reads classes). */
static LmHyperValue *
read_none (const char *text)
{
  if (strcmp (text, "NoneType") == 0)
    return lm_hyper_none ();
  if (g_ascii_strcasecmp (text, "true") == 0 || g_ascii_strcasecmp (text, "false") == 0)
    return lm_hyper_bool (g_ascii_tolower (*text) == 't');
  return NULL;
}

static LmHyperValue *
read_as (LmHyperKind kind, const char *key, const char *text, GError **error)
{
  LmHyperValue *value = NULL;

  switch (kind) {
  case LM_HYPER_BOOL: /* as lingvo: everything but these is true */
    value =
        lm_hyper_bool (*text != '\0' && strcmp (text, "False") != 0 && strcmp (text, "false") != 0);
    break;
  case LM_HYPER_INT:
    value = read_int (text);
    break;
  case LM_HYPER_FLOAT:
    value = read_float (text);
    break;
  case LM_HYPER_STRING:
    value = read_string (text);
    break;
  case LM_HYPER_NONE:
    value = read_none (text);
    break;
  case LM_HYPER_DICT:
    if (strcmp (text, "dict") == 0)
      return lm_hyper_dict ();
    return lm_hyper_parse (text, key, error);
  case LM_HYPER_LIST:
  case LM_HYPER_TUPLE:
    return lm_hyper_parse (text, key, error);
  default:
    break;
  }
  if (value == NULL)
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s: cannot read %s as %s", key, text,
                 lm_hyper_type_name (kind));
  return value;
}

/* The type that the text gives for the key, else the one of its value now. */
static bool
find_kind (const LmHyperValue *old, const char *key, GHashTable *types, LmHyperKind *out,
           GError **error)
{
  const char *name = types != NULL ? g_hash_table_lookup (types, key) : NULL;

  *out = old->kind;
  if (name == NULL)
    return true;
  for (int kind = LM_HYPER_NONE; kind < LM_HYPER_PARAMS; kind++)
    if (strcmp (lm_hyper_type_name ((LmHyperKind)kind), name) == 0) {
      *out = (LmHyperKind)kind;
      return true;
    }
  g_set_error (
      error, LM_ERROR, LM_ERROR_INVALID,
      "%s: unknown type \"%s\"; wanted NoneType, bool, int, float, str, list, tuple or dict", key,
      name);
  return false;
}

/* --- all of it ------------------------------------------------------------------------------------ */

static bool
apply_entry (LmHyper *params, const Entry *entry, GHashTable *types, GError **error)
{
  const LmHyperValue *old = lm_hyper_get (params, entry->key, error);
  LmHyperKind kind;

  if (old == NULL || !find_kind (old, entry->key, types, &kind, error))
    return false;
  LmHyperValue *value = read_as (kind, entry->key, entry->text, error);
  return value != NULL && lm_hyper_set (params, entry->key, value, error);
}

/* One problem keeps its code; several are INVALID. */
static bool
apply (LmHyper *params, GPtrArray *entries, GHashTable *types, GPtrArray *problems, int *out_code)
{
  for (guint i = 0; i < entries->len; i++) {
    g_autoptr (GError) why = NULL;
    if (!apply_entry (params, entries->pdata[i], types, &why)) {
      *out_code = problems->len == 0 ? why->code : LM_ERROR_INVALID;
      g_ptr_array_add (problems, g_strdup (why->message));
    }
  }
  return problems->len == 0;
}

/* Cuts the types off `text`, which begin behind the last blank line: strings may hold one. */
static GHashTable *
cut_types (char *text, GPtrArray *problems)
{
  GHashTable *types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  char *blank = g_strrstr (text, "\n\n");

  if (blank == NULL) {
    g_ptr_array_add (problems, g_strdup ("there is no blank line, which the types come behind"));
    return types;
  }
  split_lines (blank + 2, entries, problems);
  *blank = '\0';
  for (guint i = 0; i < entries->len; i++) {
    Entry *entry = entries->pdata[i];
    g_hash_table_insert (types, g_steal_pointer (&entry->key), g_steal_pointer (&entry->text));
  }
  return types;
}

bool
lm_hyper_from_text (LmHyper *params, const char *text, bool with_types, GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *values = g_strdup (text);
  g_autoptr (GHashTable) types = with_types ? cut_types (values, problems) : NULL;
  g_autoptr (LmHyper) trial = lm_hyper_copy (params);
  int code = LM_ERROR_INVALID;

  if (lm_hyper_is_frozen (params)) {
    g_set_error (error, LM_ERROR, LM_ERROR_DENIED,
                 "reading parameters from text: these parameters are frozen");
    return false;
  }
  split_lines (values, entries, problems);
  if (apply (trial, entries, types, problems, &code)) /* first on a copy: all or nothing */
    return apply (params, entries, types, problems, &code);
  guint n = problems->len;
  g_ptr_array_add (problems, NULL);
  g_autofree char *list = g_strjoinv ("\n  ", (char **)problems->pdata);
  if (n == 1)
    g_set_error_literal (error, LM_ERROR, code, list);
  else
    g_set_error (error, LM_ERROR, code, "%u problems in the text of parameters:\n  %s", n, list);
  return false;
}
