/* SPDX-License-Identifier: Apache-2.0 */
/* Results of checks, read from their processes and shown. */
#include "tools/conformance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- reading ----------------------------------------------------------------------------------------- */

static void
row_free (gpointer data)
{
  ConformanceRow *row = data;
  if (row == NULL)
    return;
  g_free (row->dtype);
  g_free (row->message);
  g_free (row->function);
  g_free (row->refusal);
  g_free (row->kept);
  g_free (row);
}

static guint
count (const char *text)
{
  return (guint)g_ascii_strtoull (text, NULL, 10);
}

static ConformanceRow *
read_result (char **fields)
{
  if (g_strv_length (fields) != 12)
    return NULL;
  ConformanceRow *row = g_new0 (ConformanceRow, 1);
  row->dtype = g_strcompress (fields[1]);
  row->cases = count (fields[2]);
  row->failed = count (fields[3]);
  row->refused = count (fields[4]);
  row->number = count (fields[5]);
  row->ulps = g_ascii_strtod (fields[6], NULL);
  row->part = g_ascii_strtod (fields[7], NULL);
  row->message = g_strcompress (fields[8]);
  row->function = g_strcompress (fields[9]);
  row->refusal = g_strcompress (fields[10]);
  row->kept = g_strcompress (fields[11]);
  return row;
}

static ConformanceRow *
read_begin (char **fields)
{
  if (g_strv_length (fields) != 4)
    return NULL;
  ConformanceRow *row = g_new0 (ConformanceRow, 1);
  row->number = count (fields[1]);
  row->dtype = g_strcompress (fields[2]);
  row->function = g_strcompress (fields[3]);
  return row;
}

static ConformanceVerdict
judge (const ConformanceReport *r)
{
  guint cases = 0, refused = 0;
  for (guint i = 0; i < r->rows->len; i++) {
    const ConformanceRow *row = r->rows->pdata[i];
    if (row->failed > 0)
      return CONFORMANCE_FAIL;
    cases += row->cases;
    refused += row->refused;
  }
  return cases == 0 ? CONFORMANCE_NONE : refused == cases ? CONFORMANCE_REFUSED : CONFORMANCE_PASS;
}

ConformanceReport *
conformance_report_new (const char *check, const char *text, ConformanceVerdict verdict)
{
  ConformanceReport *r = g_new0 (ConformanceReport, 1);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  char *last = NULL;
  r->check = check;
  r->rows = g_ptr_array_new_with_free_func (row_free);
  for (char **line = lines; *line != NULL; line++) {
    if (**line == '@')
      last = *line;
    g_auto (GStrv) fields = **line == '=' ? g_strsplit (*line, "\t", -1) : NULL;
    ConformanceRow *row = fields != NULL ? read_result (fields) : NULL;
    if (row != NULL)
      g_ptr_array_add (r->rows, row);
  }
  r->verdict = verdict != CONFORMANCE_PASS ? verdict : judge (r);
  if (last != NULL && (verdict == CONFORMANCE_CRASH || verdict == CONFORMANCE_HANG)) {
    g_auto (GStrv) fields = g_strsplit (last, "\t", -1);
    r->last = read_begin (fields);
  }
  return r;
}

void
conformance_report_free (ConformanceReport *report)
{
  if (report == NULL)
    return;
  g_ptr_array_unref (report->rows);
  row_free (report->last);
  g_free (report->how);
  g_free (report);
}

gboolean
conformance_failed (const ConformanceReport *report)
{
  return report->verdict != CONFORMANCE_PASS && report->verdict != CONFORMANCE_REFUSED
         && report->verdict != CONFORMANCE_NONE;
}

char *
conformance_device (const char *text)
{
  const char *p = g_str_has_prefix (text, "#\t") ? text + 2 : strstr (text, "\n#\t");
  if (p == NULL)
    return NULL;
  p += *p == '\n' ? 3 : 0;
  g_autofree char *line = g_strndup (p, strcspn (p, "\n"));
  return g_strcompress (line);
}

/* --- text -------------------------------------------------------------------------------------------- */

static const char *const verdicts[] = {"PASS", "FAIL", "REFUSED", "CRASH", "HANG", "ERROR", "-"};

/* Each line of text behind the margin. */
static void
print_block (const char *margin, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    if (**line != '\0')
      printf ("%s%s\n", margin, *line);
}

static void
print_row (const ConformanceRow *row)
{
  if (row->failed > 0) {
    printf ("  %s: %u of %u cases; first, case %u: %s\n", row->dtype, row->failed, row->cases,
            row->number, row->message);
    print_block ("      ", row->function);
    if (*row->kept != '\0')
      printf ("      kept: %s\n", row->kept);
  }
  if (row->refused > 0)
    printf ("  %s: %u of %u cases refused: %s\n", row->dtype, row->refused, row->cases,
            row->refusal);
}

static void
print_end (const ConformanceReport *r)
{
  if (r->how != NULL)
    print_block ("  ", r->how);
  if (r->last == NULL)
    return;
  printf ("  in %s, case %u:\n", r->last->dtype, r->last->number);
  print_block ("      ", r->last->function);
  if (r->last->kept != NULL)
    printf ("      kept: %s\n", r->last->kept);
}

static void
totals (const ConformanceReport *r, guint *cases, double *ulps, double *part)
{
  *cases = 0;
  *ulps = *part = 0;
  for (guint i = 0; i < r->rows->len; i++) {
    const ConformanceRow *row = r->rows->pdata[i];
    *cases += row->cases;
    *ulps = MAX (*ulps, row->ulps);
    *part = MAX (*part, row->part);
  }
}

void
conformance_print (const ConformanceReport *r)
{
  guint cases;
  double ulps, part;
  char text[G_ASCII_DTOSTR_BUF_SIZE], worst[64];
  totals (r, &cases, &ulps, &part);
  if (isinf (ulps) || isinf (part)) /* NaN for a number, another integer */
    g_strlcpy (worst, "differs", sizeof worst);
  else
    g_snprintf (
        worst, sizeof worst, "%s %s",
        g_ascii_formatd (text, sizeof text, part > 0 ? "%.2g" : "%.4g", part > 0 ? part : ulps),
        part > 0 ? "of bound" : "ulp");
  printf ("%-23s %6u  %-14s  %-18s  %s\n", r->check, cases, worst,
          lamina_conformance_allows (r->check, NULL), verdicts[r->verdict]);
  for (guint i = 0; i < r->rows->len; i++)
    print_row (r->rows->pdata[i]);
  print_end (r);
  fflush (stdout);
}

/* Words in lines of 96 columns behind the margin. */
static void
print_words (int margin, const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  int column = 0;
  for (char **word = words; *word != NULL; word++) {
    int n = (int)strlen (*word);
    if (column > 0 && margin + column + 1 + n > 96) {
      printf ("\n%*s", margin, "");
      column = 0;
    }
    printf ("%s%s", column > 0 ? " " : "", *word);
    column += n + (column > 0);
  }
  putchar ('\n');
}

void
conformance_print_tolerances (const char *const *checks)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new ();
  printf ("What is allowed, and why\n");
  for (guint i = 0; checks[i] != NULL; i++) {
    const char *why, *allowed = lamina_conformance_allows (checks[i], &why);
    if (allowed == NULL || g_ptr_array_find (seen, why, NULL))
      continue;
    g_ptr_array_add (seen, (gpointer)why);
    printf ("  %-18s  ", allowed);
    print_words (22, why);
  }
}

/* --- JSON -------------------------------------------------------------------------------------------- */

static void
member_text (GString *out, const char *key, const char *text)
{
  if (text == NULL || *text == '\0')
    return;
  g_string_append_printf (out, ", \"%s\": ", key);
  tool_append_json_string (out, text);
}

static void
append_row (GString *out, const ConformanceRow *row)
{
  g_string_append (out, "{\"dtype\": ");
  tool_append_json_string (out, row->dtype);
  g_string_append_printf (out, ", \"cases\": %u, \"failed\": %u, \"refused\": %u, \"worst_ulps\": ",
                          row->cases, row->failed, row->refused);
  tool_append_json_number (out, row->ulps);
  g_string_append (out, ", \"worst_of_bound\": ");
  tool_append_json_number (out, row->part);
  if (row->failed > 0)
    g_string_append_printf (out, ", \"case\": %u", row->number);
  member_text (out, "message", row->message);
  member_text (out, "function", row->function);
  member_text (out, "refusal", row->refusal);
  member_text (out, "kept", row->kept);
  g_string_append_c (out, '}');
}

void
conformance_print_json (const ConformanceReport *r, gboolean first)
{
  g_autoptr (GString) out = g_string_new (first ? "\n    {\"check\": " : ",\n    {\"check\": ");
  const char *why, *allowed = lamina_conformance_allows (r->check, &why);
  g_autofree char *verdict = g_ascii_strdown (verdicts[r->verdict], -1);
  tool_append_json_string (out, r->check);
  member_text (out, "verdict", verdict);
  member_text (out, "allowed", allowed);
  member_text (out, "why", why);
  member_text (out, "how", r->how);
  if (r->last != NULL) {
    g_string_append_printf (out, ", \"case\": %u", r->last->number);
    member_text (out, "dtype", r->last->dtype);
    member_text (out, "function", r->last->function);
    member_text (out, "kept", r->last->kept);
  }
  g_string_append (out, ", \"dtypes\": [");
  for (guint i = 0; i < r->rows->len; i++) {
    g_string_append (out, i > 0 ? ", " : "");
    append_row (out, r->rows->pdata[i]);
  }
  g_string_append (out, "]}");
  fputs (out->str, stdout);
}
