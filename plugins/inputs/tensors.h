/* SPDX-License-Identifier: Apache-2.0 */
/* Finds one tensor in a safetensors file in memory; trusts nothing in it. Layout: u64 bytes of a JSON
 * header {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}, then the data. */
#ifndef LAMINA_INPUTS_TENSORS_H
#define LAMINA_INPUTS_TENSORS_H

#include "extent.h"

#include <string.h>

/* What is left of the header's text. */
typedef struct {
  const char *p, *end;
  const char *error; /* the first one */
} tensors_cursor;

/* One entry of the header. */
typedef struct {
  char name[256]; /* cut where it is longer */
  lam_type type;
  int64_t offsets[2];
  bool is_tensor; /* false: __metadata__ */
} tensors_entry;

static inline bool
tensors_fail (tensors_cursor *c, const char *error)
{
  if (c->error == NULL)
    c->error = error;
  c->p = c->end;
  return false;
}

static inline bool
tensors_take (tensors_cursor *c, char wanted)
{
  while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t' || *c->p == '\r'))
    c->p++;
  if (c->p == c->end || *c->p != wanted)
    return false;
  c->p++;
  return true;
}

static inline bool
tensors_want (tensors_cursor *c, char wanted)
{
  return tensors_take (c, wanted) || tensors_fail (c, "the header is not the JSON of tensors");
}

/* Appends the code of \uXXXX as UTF-8; surrogates stay apart (no name that is asked for has them). */
static inline bool
tensors_unicode (tensors_cursor *c, char out[4], size_t *n)
{
  unsigned code = 0;
  for (int i = 0; i < 4; i++, c->p++) {
    char d = c->p < c->end ? *c->p : '\0';
    int v = d >= '0' && d <= '9'                 ? d - '0'
            : (d | 32) >= 'a' && (d | 32) <= 'f' ? (d | 32) - 'a' + 10
                                                 : -1;
    if (v < 0)
      return tensors_fail (c, "the header has a broken escape in a name");
    code = code << 4 | (unsigned)v;
  }
  *n = 0;
  if (code >= 0x800) {
    out[(*n)++] = (char)(0xe0 | code >> 12);
    out[(*n)++] = (char)(0x80 | (code >> 6 & 63));
  } else if (code >= 0x80)
    out[(*n)++] = (char)(0xc0 | code >> 6);
  out[(*n)++] = (char)(code >= 0x80 ? 0x80 | (code & 63) : code);
  return true;
}

/* One character of a string, escapes resolved, to out. */
static inline bool
tensors_character (tensors_cursor *c, char out[4], size_t *n)
{
  static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
  char code = *c->p++;
  *n = 1;
  out[0] = code;
  if ((unsigned char)code < 32)
    return tensors_fail (c, "the header has a control character in a name");
  if (code != '\\')
    return true;
  code = c->p < c->end ? *c->p++ : '\0';
  if (code == 'u')
    return tensors_unicode (c, out, n);
  for (const char *e = escapes; *e != '\0'; e += 2)
    if (*e == code) {
      out[0] = e[1];
      return true;
    }
  return tensors_fail (c, "the header has a broken escape in a name");
}

/* A string; what does not fit is left out. */
static inline bool
tensors_string (tensors_cursor *c, char *out, size_t capacity)
{
  size_t length = 0, n;
  char piece[4];
  if (!tensors_want (c, '"'))
    return false;
  while (c->p < c->end && *c->p != '"') {
    if (!tensors_character (c, piece, &n))
      return false;
    for (size_t i = 0; i < n && length + 1 < capacity; i++)
      out[length++] = piece[i];
  }
  out[length] = '\0';
  return c->p < c->end ? (c->p++, true) : tensors_fail (c, "the header ends inside a name");
}

/* "[1, 2]": at most `most` integers >= 0; returns how many, -1 on an error. */
static inline int32_t
tensors_integers (tensors_cursor *c, int64_t *out, int32_t most)
{
  int32_t n = 0;
  if (!tensors_want (c, '['))
    return -1;
  if (tensors_take (c, ']'))
    return 0;
  do {
    int64_t v = 0;
    while (c->p < c->end && *c->p == ' ')
      c->p++;
    if (n == most || c->p == c->end || *c->p < '0' || *c->p > '9') {
      tensors_fail (c, n == most ? "the header has a shape of more than 8 axes or too many offsets"
                                 : "the header has something else than an integer >= 0 in a list");
      return -1;
    }
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
      if (v > (INT64_MAX - 9) / 10) {
        tensors_fail (c, "the header has a number that is too large");
        return -1;
      }
      v = 10 * v + (*c->p - '0');
    }
    out[n++] = v;
  } while (tensors_take (c, ','));
  return tensors_want (c, ']') ? n : -1;
}

static inline bool
tensors_dtype (tensors_cursor *c, lam_dtype *out)
{
  static const struct {
    char name[6];
    lam_dtype dtype;
  } rows[] = {{"F64", LAM_F64},  {"F32", LAM_F32}, {"F16", LAM_F16}, {"BF16", LAM_BF16},
              {"I64", LAM_I64},  {"I32", LAM_I32}, {"I16", LAM_I16}, {"I8", LAM_I8},
              {"U64", LAM_U64},  {"U32", LAM_U32}, {"U16", LAM_U16}, {"U8", LAM_U8},
              {"BOOL", LAM_PRED}};
  char name[16];
  if (!tensors_string (c, name, sizeof name))
    return false;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (strcmp (rows[i].name, name) == 0) {
      *out = rows[i].dtype;
      return true;
    }
  *out = LAM_DTYPE_NONE; /* an error only where this tensor is asked for */
  return true;
}

/* {"dtype": ..., "shape": ..., "data_offsets": ...} in any order. */
static inline bool
tensors_value (tensors_cursor *c, tensors_entry *e)
{
  char key[16];
  unsigned seen = 0, bit;
  if (!tensors_want (c, '{'))
    return false;
  do {
    if (!tensors_string (c, key, sizeof key) || !tensors_want (c, ':'))
      return false;
    bit = strcmp (key, "dtype") == 0 ? 1 : strcmp (key, "shape") == 0 ? 2 : 4;
    if ((bit == 4 && strcmp (key, "data_offsets") != 0) || (seen & bit) != 0)
      return tensors_fail (c, "the header has a tensor with an unknown key or a key twice");
    seen |= bit;
    if (bit == 1 && !tensors_dtype (c, &e->type.dtype))
      return false;
    if (bit == 2 && (e->type.rank = tensors_integers (c, e->type.dims, LAM_MAX_RANK)) < 0)
      return false;
    if (bit == 4 && tensors_integers (c, e->offsets, 2) != 2)
      return tensors_fail (c, "the header has data_offsets that are not two numbers");
  } while (tensors_take (c, ','));
  return tensors_want (c, '}')
         && (seen == 7
             || tensors_fail (c, "the header has a tensor without dtype, shape or offsets"));
}

static inline bool
tensors_metadata (tensors_cursor *c)
{
  char text[8];
  if (!tensors_want (c, '{'))
    return false;
  if (tensors_take (c, '}'))
    return true;
  do {
    if (!tensors_string (c, text, sizeof text) || !tensors_want (c, ':')
        || !tensors_string (c, text, sizeof text))
      return false;
  } while (tensors_take (c, ','));
  return tensors_want (c, '}');
}

/* The next entry; false at the end and on an error. */
static inline bool
tensors_next (tensors_cursor *c, tensors_entry *e, bool first)
{
  memset (e, 0, sizeof *e);
  if (first && !tensors_want (c, '{'))
    return false;
  if (tensors_take (c, '}')) {
    while (c->p < c->end && *c->p == ' ')
      c->p++;
    if (c->p != c->end)
      tensors_fail (c, "there is text after the header's JSON");
    return false;
  }
  if ((!first && !tensors_want (c, ',')) || !tensors_string (c, e->name, sizeof e->name)
      || !tensors_want (c, ':'))
    return false;
  e->is_tensor = strcmp (e->name, "__metadata__") != 0;
  return e->is_tensor ? tensors_value (c, e) : tensors_metadata (c);
}

/* The header of the file in size bytes at data; NULL or what is wrong. */
static inline const char *
tensors_open (const void *data, uint64_t size, tensors_cursor *out)
{
  const unsigned char *p = (const unsigned char *)data;
  uint64_t length = 0;
  if (size < 10)
    return "it is too short for a safetensors file";
  for (int i = 0; i < 8; i++)
    length |= (uint64_t)p[i] << (8 * i);
  if (length > size - 8)
    return "it does not start as a safetensors file does, or ends inside its header";
  out->p = (const char *)p + 8;
  out->end = out->p + length;
  out->error = NULL;
  return NULL;
}

/* Place and number of elements of a tensor; NULL or what is wrong. */
static inline const char *
tensors_place (const void *data, uint64_t size, const tensors_cursor *c, const tensors_entry *e,
               const unsigned char **out, int64_t *elements)
{
  const unsigned char *start = (const unsigned char *)c->end;
  uint64_t left = size - (uint64_t)(start - (const unsigned char *)data);
  if (e->type.dtype == LAM_DTYPE_NONE)
    return "its dtype is not one of F64 F32 F16 BF16 I64 I32 I16 I8 U64 U32 U16 U8 BOOL";
  if (e->offsets[0] > e->offsets[1] || (uint64_t)e->offsets[1] > left)
    return "its data lie outside the file";
  uint64_t bytes = (uint64_t)(e->offsets[1] - e->offsets[0]);
  if (!extent_count (&e->type, bytes, elements)
      || (uint64_t)*elements * (lam_dtype_bits (e->type.dtype) / 8) != bytes)
    return "its shape and its data_offsets say different sizes";
  *out = start + e->offsets[0];
  return NULL;
}

#endif
