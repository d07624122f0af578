/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the header of a .npy file (NumPy format 1.0, 2.0, 3.0) from memory; trusts nothing in it. */
#ifndef LAMINA_INPUTS_NPY_H
#define LAMINA_INPUTS_NPY_H

#include "extent.h"

#include <string.h>

/* An array in memory. */
typedef struct {
  lam_type type;
  int64_t elements;
  const unsigned char *data; /* elements, little-endian, row-major; not aligned */
} npy_array;

/* What is left of the header's text. */
typedef struct {
  const char *p, *end;
  const char *error; /* the first one */
} npy_cursor;

static inline bool
npy_fail (npy_cursor *c, const char *error)
{
  if (c->error == NULL)
    c->error = error;
  c->p = c->end;
  return false;
}

/* The next character that is not blank, '\0' at the end. */
static inline char
npy_peek (npy_cursor *c)
{
  while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t' || *c->p == '\r'))
    c->p++;
  return c->p < c->end ? *c->p : '\0';
}

static inline bool
npy_take (npy_cursor *c, char wanted)
{
  if (npy_peek (c) != wanted)
    return false;
  c->p++;
  return true;
}

static inline bool
npy_take_word (npy_cursor *c, const char *word)
{
  size_t n = strlen (word);
  npy_peek (c);
  if ((size_t)(c->end - c->p) < n || memcmp (c->p, word, n) != 0)
    return false;
  c->p += n;
  return true;
}

/* A string in quotes, without escapes, into out. */
static inline bool
npy_string (npy_cursor *c, char *out, size_t capacity)
{
  char quote = npy_peek (c);
  size_t n = 0;
  if (quote != '\'' && quote != '"')
    return npy_fail (c, "the header wants a quoted text (structured dtypes are not supported)");
  for (c->p++; c->p < c->end && *c->p != quote; c->p++) {
    if (n + 1 >= capacity || *c->p == '\\')
      return npy_fail (c, "the header has a text that is too long or has escapes");
    out[n++] = *c->p;
  }
  out[n] = '\0';
  return c->p < c->end ? (c->p++, true) : npy_fail (c, "the header ends inside a text");
}

static inline bool
npy_dtype (npy_cursor *c, const char *descr, lam_dtype *out)
{
  static const struct {
    char code[3];
    lam_dtype dtype;
  } rows[] = {{"f8", LAM_F64}, {"f4", LAM_F32}, {"f2", LAM_F16}, {"i8", LAM_I64},
              {"i4", LAM_I32}, {"i2", LAM_I16}, {"i1", LAM_I8},  {"u8", LAM_U64},
              {"u4", LAM_U32}, {"u2", LAM_U16}, {"u1", LAM_U8},  {"b1", LAM_PRED}};
  if (descr[0] == '>')
    return npy_fail (c, "the elements are big-endian; save them with astype ('<f4') or the like");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (strcmp (descr + (descr[0] != '\0'), rows[i].code) != 0)
      continue;
    *out = rows[i].dtype;
    if (descr[0] == '<' || (descr[0] == '|' && rows[i].code[1] == '1'))
      return true;
  }
  return npy_fail (c, "the dtype is not one of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1");
}

/* "(3, 4)", "(3,)", "()" */
static inline bool
npy_shape (npy_cursor *c, lam_type *type)
{
  type->rank = 0;
  if (!npy_take (c, '('))
    return npy_fail (c, "the header's shape is not a tuple");
  while (!npy_take (c, ')')) {
    int64_t dim = 0;
    char digit = npy_peek (c);
    if (digit < '0' || digit > '9')
      return npy_fail (c, "the header's shape has something else than a number >= 0");
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
      if (dim > (INT64_MAX - 9) / 10)
        return npy_fail (c, "a dim of the header's shape is too large");
      dim = 10 * dim + (*c->p - '0');
    }
    if (type->rank == LAM_MAX_RANK)
      return npy_fail (c, "the array has more than 8 axes");
    type->dims[type->rank++] = dim;
    if (!npy_take (c, ',') && npy_peek (c) != ')')
      return npy_fail (c, "the header's shape is not a tuple of numbers");
  }
  return true;
}

/* One "key: value" of the dictionary; seen: bit by key. */
static inline bool
npy_entry (npy_cursor *c, lam_type *type, unsigned *seen)
{
  char key[16], descr[16];
  unsigned bit;
  if (!npy_string (c, key, sizeof key))
    return false;
  if (!npy_take (c, ':'))
    return npy_fail (c, "the header has a key without a value");
  bit = strcmp (key, "descr") == 0 ? 1 : strcmp (key, "fortran_order") == 0 ? 2 : 4;
  if (bit == 4 && strcmp (key, "shape") != 0)
    return npy_fail (c, "the header has another key than descr, fortran_order, shape");
  if ((*seen & bit) != 0)
    return npy_fail (c, "the header has a key twice");
  *seen |= bit;
  if (bit == 1)
    return npy_string (c, descr, sizeof descr) && npy_dtype (c, descr, &type->dtype);
  if (bit == 4)
    return npy_shape (c, type);
  if (npy_take_word (c, "False"))
    return true;
  return npy_fail (c, npy_take_word (c, "True")
                          ? "the array is in Fortran order; save numpy.ascontiguousarray (x)"
                          : "the header's fortran_order is neither True nor False");
}

static inline bool
npy_dictionary (npy_cursor *c, lam_type *type)
{
  unsigned seen = 0;
  if (!npy_take (c, '{'))
    return npy_fail (c, "the header is not a dictionary");
  while (!npy_take (c, '}')) {
    if (!npy_entry (c, type, &seen))
      return false;
    if (!npy_take (c, ',') && npy_peek (c) != '}')
      return npy_fail (c, "the header's dictionary does not end");
  }
  return seen == 7 || npy_fail (c, "the header lacks descr, fortran_order or shape");
}

/* Reads the array in size bytes at data. Returns NULL, or what is wrong. out->data points into data. */
static inline const char *
npy_read (const void *data, uint64_t size, npy_array *out)
{
  const unsigned char *p = (const unsigned char *)data;
  uint64_t start, length;
  npy_cursor c;
  memset (out, 0, sizeof *out);
  if (size < 12 || memcmp (p, "\x93NUMPY", 6) != 0)
    return "it does not start as a .npy file does";
  if (p[6] < 1 || p[6] > 3)
    return "its format version is not 1, 2 or 3";
  start = p[6] == 1 ? 10 : 12;
  length = (uint64_t)p[8] | (uint64_t)p[9] << 8;
  if (p[6] > 1)
    length |= (uint64_t)p[10] << 16 | (uint64_t)p[11] << 24;
  if (length > size - start)
    return "it ends inside its header";
  c.p = (const char *)p + start;
  c.end = c.p + length;
  c.error = NULL;
  if (!npy_dictionary (&c, &out->type))
    return c.error;
  if (npy_peek (&c) != '\0' || c.p != c.end)
    return "there is text after the header's dictionary";
  out->data = p + start + length;
  if (!extent_count (&out->type, size - start - length, &out->elements))
    return "it ends before its last element";
  return NULL;
}

#endif
