/* SPDX-License-Identifier: Apache-2.0 */
/* Params at run time as text: Python's repr, lingvo's ToText and str. */
#include "core/base/hyper_text.h"

#include <math.h>
#include <string.h>

/* --- repr ----------------------------------------------------------------------------------------- */

/* The shortest digits that read back the same, with an exponent below 1e-4 and from 1e16, as Python's
 * repr of a float. */
static void
append_float (GString *out, double d)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  int digits = 1, exponent;

  if (!isfinite (d)) {
    g_string_append (out, isnan (d) ? "nan" : d > 0 ? "inf" : "-inf");
    return;
  }
  for (;; digits++) {
    char format[8];
    g_snprintf (format, sizeof format, "%%.%de", digits - 1);
    g_ascii_formatd (text, sizeof text, format, d);
    if (digits == 17 || g_ascii_strtod (text, NULL) == d)
      break;
  }
  exponent = (int)g_ascii_strtoll (strchr (text, 'e') + 1, NULL, 10);
  if (exponent >= -4 && exponent < 16) {
    char format[8];
    g_snprintf (format, sizeof format, "%%.%df", MAX (digits - 1 - exponent, 1));
    g_ascii_formatd (text, sizeof text, format, d);
  }
  g_string_append (out, text); /* glibc writes two digits of an exponent at least, as Python does */
}

static guint
count (const char *text, char c)
{
  guint n = 0;

  for (; *text != '\0'; text++)
    n += *text == c;
  return n;
}

/* Double quotes where that saves escapes. */
static void
append_string (GString *out, const char *text)
{
  static const char specials[] = "\n\r\t";
  char quote = strchr (text, '\'') != NULL && strchr (text, '"') == NULL ? '"' : '\'';

  g_string_append_c (out, quote);
  for (; *text != '\0'; text++) {
    const char *special = strchr (specials, *text);
    if (*text == quote || *text == '\\')
      g_string_append_printf (out, "\\%c", *text);
    else if (special != NULL)
      g_string_append_printf (out, "\\%c", "nrt"[special - specials]);
    else if ((guchar)*text < 0x20 || *text == 0x7f)
      g_string_append_printf (out, "\\x%02x", (guint)(guchar)*text);
    else
      g_string_append_c (out, *text);
  }
  g_string_append_c (out, quote);
}

static void append_repr (GString *out, const LmHyperValue *value);

static void
append_items (GString *out, const LmHyperValue *value)
{
  bool tuple = value->kind == LM_HYPER_TUPLE;
  guint n = value->items->len;

  g_string_append_c (out, tuple ? '(' : '[');
  for (guint i = 0; i < n; i++) {
    if (i > 0)
      g_string_append (out, ", ");
    append_repr (out, value->items->pdata[i]);
  }
  g_string_append (out, tuple ? n == 1 ? ",)" : ")" : "]");
}

static int
compare_names (const void *a, const void *b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* A dict or Params. */
static void
append_named (GString *out, const LmHyperValue *value)
{
  const LmHyper *params = value->params;
  guint n = params != NULL ? lm_hyper_size (params) : value->items->len;
  g_autofree const char **names = g_new0 (const char *, n + 1);

  for (guint i = 0; i < n; i++)
    names[i] = params != NULL ? lm_hyper_name (params, i) : value->keys->pdata[i];
  if (n > 0)
    qsort (names, n, sizeof *names, compare_names);
  g_string_append_c (out, '{');
  for (guint i = 0; i < n; i++) {
    if (i > 0)
      g_string_append (out, ", ");
    append_string (out, names[i]);
    g_string_append (out, ": ");
    append_repr (out, params != NULL ? lm_hyper_get (params, names[i], NULL)
                                     : value->items->pdata[lm_hyper_dict_find (value, names[i])]);
  }
  g_string_append_c (out, '}');
}

static void
append_repr (GString *out, const LmHyperValue *value)
{
  switch (value->kind) {
  case LM_HYPER_NONE:
    g_string_append (out, "None");
    return;
  case LM_HYPER_BOOL:
    g_string_append (out, value->b ? "True" : "False");
    return;
  case LM_HYPER_INT:
    g_string_append_printf (out, "%" G_GINT64_FORMAT, value->i);
    return;
  case LM_HYPER_FLOAT:
    append_float (out, value->d);
    return;
  case LM_HYPER_STRING:
    append_string (out, value->text);
    return;
  case LM_HYPER_LIST:
  case LM_HYPER_TUPLE:
    append_items (out, value);
    return;
  default:
    append_named (out, value);
  }
}

char *
lm_hyper_repr (const LmHyperValue *value)
{
  GString *out = g_string_new (NULL);

  append_repr (out, value);
  return g_string_free (out, FALSE);
}

/* --- str ------------------------------------------------------------------------------------------ */

static void
append_params (GString *out, const LmHyper *params, guint depth)
{
  g_autofree const char **names = lm_hyper_sorted_names (params);

  g_string_append (out, "{\n");
  for (const char **name = names; *name != NULL; name++) {
    const LmHyperValue *value = lm_hyper_get (params, *name, NULL);
    g_string_append_printf (out, "%*s%s: ", (int)(2 * depth + 2), "", *name);
    if (value->kind == LM_HYPER_PARAMS)
      append_params (out, value->params, depth + 1);
    else if (value->kind == LM_HYPER_STRING)
      g_string_append_printf (out, "\"%s\"", value->text);
    else
      append_repr (out, value);
    g_string_append_c (out, '\n');
  }
  g_string_append_printf (out, "%*s}", (int)(2 * depth), "");
}

char *
lm_hyper_to_string (const LmHyper *params)
{
  GString *out = g_string_new (NULL);

  append_params (out, params, 0);
  return g_string_free (out, FALSE);
}

/* --- ToText --------------------------------------------------------------------------------------- */

typedef struct Lines {
  GPtrArray *values, *types; /* of char* */
} Lines;

/* Params have lines of their own for what they hold, and so have lists, tuples and dicts of nothing
 * but Params. (lingvo enters empty ones too, which loses them: here they are written.) */
static bool
enter (const char *key G_GNUC_UNUSED, const LmHyperValue *value, gpointer user G_GNUC_UNUSED)
{
  if (value->kind == LM_HYPER_PARAMS)
    return true;
  for (guint i = 0; i < value->items->len; i++)
    if (((const LmHyperValue *)value->items->pdata[i])->kind != LM_HYPER_PARAMS)
      return false;
  return value->items->len > 0;
}

/* Escapes nothing but the quote that needs it less and the backslash: newlines stay. */
static void
append_quoted (GString *out, const char *text)
{
  char quote = count (text, '\'') <= count (text, '"') ? '\'' : '"';

  g_string_append_c (out, quote);
  for (; *text != '\0'; text++) {
    if (*text == quote || *text == '\\')
      g_string_append_c (out, '\\');
    g_string_append_c (out, *text);
  }
  g_string_append_c (out, quote);
}

static void
note_lines (const char *key, const LmHyperValue *value, gpointer user)
{
  Lines *lines = user;
  GString *line = g_string_new (key);

  g_string_append (line, " : ");
  if (value->kind == LM_HYPER_STRING)
    append_quoted (line, value->text);
  else if (value->kind == LM_HYPER_NONE)
    g_string_append (line, "NoneType");
  else
    append_repr (line, value);
  g_ptr_array_add (lines->values, g_string_free (line, FALSE));
  g_ptr_array_add (lines->types,
                   g_strdup_printf ("%s : %s", key, lm_hyper_type_name (value->kind)));
}

/* Sorted by what stands before " : ". */
static int
compare_keys (gconstpointer a, gconstpointer b)
{
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  g_autofree char *key_x = g_strndup (x, (gsize)(strstr (x, " : ") - x));
  g_autofree char *key_y = g_strndup (y, (gsize)(strstr (y, " : ") - y));

  return strcmp (key_x, key_y);
}

static void
append_sorted (GString *out, GPtrArray *lines)
{
  g_ptr_array_sort (lines, compare_keys);
  for (guint i = 0; i < lines->len; i++)
    g_string_append_printf (out, "%s\n", (char *)lines->pdata[i]);
}

char *
lm_hyper_to_text (const LmHyper *params, bool types)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) kinds = g_ptr_array_new_with_free_func (g_free);
  Lines lines = {values, kinds};
  const LmHyperVisitor visitor = {enter, note_lines, NULL, &lines};
  GString *out = g_string_new (NULL);

  lm_hyper_visit (params, &visitor);
  append_sorted (out, values);
  if (types) {
    g_string_append (out, "\n\n");
    append_sorted (out, kinds);
  }
  return g_string_free (out, FALSE);
}
