/* SPDX-License-Identifier: Apache-2.0 */
/* Reads comma-separated values (RFC 4180) from memory, cell by cell, and numbers out of cells. Strict:
 * what a spreadsheet would guess at is an error. Lines may end in CR LF or LF. */
#ifndef LAMINA_INPUTS_CSV_H
#define LAMINA_INPUTS_CSV_H

#include <lamina/types.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#define CSV_NUMBER 128 /* most bytes that a number may have */

typedef struct {
  const char *p, *end;
  uint64_t line; /* of p, from 1 */
  char delimiter;
  const char *error; /* the first one */
} csv_cursor;

/* A cell: the bytes inside the quotes, if it has any; doubled quotes are still doubled. */
typedef struct {
  const char *at;
  uint64_t size;
  bool quoted, last; /* last: of its record */
} csv_cell;

/* A file, past its byte order mark. */
static inline csv_cursor
csv_start (const void *data, uint64_t size, char delimiter)
{
  const char *p = (const char *)data;
  csv_cursor c = {p, p + size, 1, delimiter, NULL};
  if (size >= 3 && memcmp (p, "\xef\xbb\xbf", 3) == 0)
    c.p += 3;
  return c;
}

static inline bool
csv_fail (csv_cursor *c, const char *error)
{
  if (c->error == NULL)
    c->error = error;
  c->p = c->end;
  return false;
}

/* Past the end of a cell: a delimiter, the end of a line, or of the file. */
static inline bool
csv_cell_end (csv_cursor *c, csv_cell *out)
{
  out->last = true;
  if (c->p == c->end)
    return true;
  if (*c->p == c->delimiter) {
    out->last = false;
    c->p++;
    return true;
  }
  if (*c->p == '\r')
    c->p++;
  if (c->p == c->end || *c->p != '\n')
    return csv_fail (c, out->quoted ? "there is text after the closing quote"
                                    : "a carriage return is not followed by a line feed");
  c->p++;
  c->line++;
  return true;
}

static inline bool
csv_quoted (csv_cursor *c, csv_cell *out)
{
  uint64_t line = c->line;
  out->quoted = true;
  out->at = ++c->p;
  for (; c->p < c->end; c->p++) {
    if (*c->p == '\n')
      c->line++;
    if (*c->p != '"')
      continue;
    if (c->end - c->p < 2 || c->p[1] != '"')
      break;
    c->p++;
  }
  if (c->p == c->end) {
    c->line = line; /* where it was opened */
    return csv_fail (c, "a quote is not closed");
  }
  out->size = (uint64_t)(c->p - out->at);
  c->p++;
  return csv_cell_end (c, out);
}

/* The next cell of a record that has begun; false on an error. */
static inline bool
csv_take (csv_cursor *c, csv_cell *out)
{
  memset (out, 0, sizeof *out);
  if (c->p < c->end && *c->p == '"')
    return csv_quoted (c, out);
  out->at = c->p;
  while (c->p < c->end && *c->p != c->delimiter && *c->p != '\n' && *c->p != '\r') {
    if (*c->p == '"')
      return csv_fail (c, "a quote stands inside a cell that does not begin with one");
    if (*c->p == '\0')
      return csv_fail (c, "there is a zero byte");
    c->p++;
  }
  out->size = (uint64_t)(c->p - out->at);
  return csv_cell_end (c, out);
}

/* True if there is another record. */
static inline bool
csv_more (const csv_cursor *c)
{
  return c->error == NULL && c->p < c->end;
}

/* The cell's text, quotes resolved, cut to capacity - 1 bytes; returns the length of all of it. */
static inline uint64_t
csv_text (const csv_cell *cell, char *out, uint64_t capacity)
{
  uint64_t n = 0;
  for (uint64_t i = 0; i < cell->size; i++, n++) {
    if (n + 1 < capacity)
      out[n] = cell->at[i];
    if (cell->quoted && cell->at[i] == '"')
      i++;
  }
  out[n < capacity ? n : capacity - 1] = '\0';
  return n;
}

/* --- numbers ------------------------------------------------------------------------------------------- */

/* A number as it is in a cell: its bytes fit any dtype up to 8 bytes. */
typedef union {
  double f64;
  float f32;
  int64_t i64;
  int32_t i32;
  int16_t i16;
  int8_t i8;
  uint64_t u64;
  uint32_t u32;
  uint16_t u16;
  uint8_t u8;
} csv_number;

static inline bool
csv_is_word (const char *text, const char *word)
{
  for (; *word != '\0'; text++, word++)
    if ((*text >= 'A' && *text <= 'Z' ? *text + 32 : *text) != *word)
      return false;
  return *text == '\0';
}

/* [+-] digits [. digits] [e [+-] digits], or nan, inf, +inf, -inf, infinity. */
static inline bool
csv_looks_real (const char *p)
{
  bool digits = false;
  p += *p == '+' || *p == '-';
  if (csv_is_word (p, "inf") || csv_is_word (p, "nan") || csv_is_word (p, "infinity"))
    return true;
  for (; *p >= '0' && *p <= '9'; p++)
    digits = true;
  if (*p == '.')
    for (p++; *p >= '0' && *p <= '9'; p++)
      digits = true;
  if (digits && (*p == 'e' || *p == 'E')) {
    p++;
    p += *p == '+' || *p == '-';
    digits = *p >= '0' && *p <= '9';
    while (*p >= '0' && *p <= '9')
      p++;
  }
  return digits && *p == '\0';
}

/* Magnitude and sign of an integer; false where it is none or more than 64 bits hold. */
static inline bool
csv_integer (const char *p, bool *negative, uint64_t *out)
{
  *negative = *p == '-';
  p += *p == '+' || *p == '-';
  *out = 0;
  if (*p == '\0')
    return false;
  for (; *p >= '0' && *p <= '9'; p++) {
    unsigned digit = (unsigned)(*p - '0');
    if (*out > (UINT64_MAX - digit) / 10)
      return false;
    *out = 10 * *out + digit;
  }
  return *p == '\0';
}

static inline bool
csv_bool (const char *text, csv_number *out)
{
  bool yes = csv_is_word (text, "true") || strcmp (text, "1") == 0;
  out->u8 = yes;
  return yes || csv_is_word (text, "false") || strcmp (text, "0") == 0;
}

/* An integer of 8 * width bits. */
static inline bool
csv_fits (bool is_signed, uint32_t bits, bool negative, uint64_t magnitude)
{
  uint64_t most = is_signed ? (UINT64_C (1) << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
  return magnitude <= most + (is_signed && negative) && (is_signed || !negative || magnitude == 0);
}

static inline void
csv_store_integer (lam_dtype dtype, uint64_t value, csv_number *out)
{
  switch (lam_dtype_bits (dtype)) {
  case 64:
    out->u64 = value;
    return;
  case 32:
    out->u32 = (uint32_t)value;
    return;
  case 16:
    out->u16 = (uint16_t)value;
    return;
  default:
    out->u8 = (uint8_t)value;
  }
}

/* The cell as a number of dtype (f64, f32, integers, bool); blanks around it do not count. numbers: the
 * locale "C". NULL, or what was wanted. */
static inline const char *
csv_read (const csv_cell *cell, lam_dtype dtype, locale_t numbers, csv_number *out)
{
  char buffer[CSV_NUMBER], *text = buffer;
  uint64_t n = csv_text (cell, buffer, sizeof buffer), magnitude;
  bool negative;
  if (n >= sizeof buffer || memchr (buffer, '\0', n) != NULL)
    return "a number";
  while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
    text[--n] = '\0';
  while (*text == ' ' || *text == '\t')
    text++;
  memset (out, 0, sizeof *out);
  if (dtype == LAM_PRED)
    return csv_bool (text, out) ? NULL : "0, 1, true or false";
  if (lam_dtype_is_float (dtype)) {
    if (!csv_looks_real (text))
      return "a number";
    if (dtype == LAM_F64)
      out->f64 = strtod_l (text, NULL, numbers);
    else
      out->f32 = strtof_l (text, NULL, numbers);
    return NULL;
  }
  if (!csv_integer (text, &negative, &magnitude))
    return "an integer";
  if (!csv_fits (lam_dtype_is_signed (dtype), lam_dtype_bits (dtype), negative, magnitude))
    return "an integer that its dtype holds";
  csv_store_integer (dtype, negative ? 0 - magnitude : magnitude, out);
  return NULL;
}

/* True for a cell of nothing but blanks. */
static inline bool
csv_is_empty (const csv_cell *cell)
{
  for (uint64_t i = 0; i < cell->size; i++)
    if (cell->at[i] != ' ' && cell->at[i] != '\t')
      return false;
  return true;
}

#endif
