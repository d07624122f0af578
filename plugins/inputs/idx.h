/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the header of an IDX file (the format of MNIST, "idx3-ubyte") from memory; trusts nothing in
 * it. Layout: two zero bytes, a type, the rank, big-endian u32 dims, big-endian elements. */
#ifndef LAMINA_INPUTS_IDX_H
#define LAMINA_INPUTS_IDX_H

#include "extent.h"

#include <string.h>

static inline lam_dtype
idx_dtype (unsigned char code)
{
  static const struct {
    unsigned char code;
    lam_dtype dtype;
  } rows[] = {{0x08, LAM_U8},  {0x09, LAM_I8},  {0x0b, LAM_I16},
              {0x0c, LAM_I32}, {0x0d, LAM_F32}, {0x0e, LAM_F64}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].code == code)
      return rows[i].dtype;
  return LAM_DTYPE_NONE;
}

/* The array in size bytes at data: its type, elements and their place. Returns NULL or what is wrong. */
static inline const char *
idx_read (const void *data, uint64_t size, lam_type *type, int64_t *elements,
          const unsigned char **out)
{
  const unsigned char *p = (const unsigned char *)data;
  uint64_t start;
  memset (type, 0, sizeof *type);
  if (size >= 2 && p[0] == 0x1f && p[1] == 0x8b)
    return "it is compressed by gzip; unpack it first (gunzip)";
  if (size < 4 || p[0] != 0 || p[1] != 0)
    return "it does not start as an IDX file does, with two zero bytes";
  type->dtype = idx_dtype (p[2]);
  if (type->dtype == LAM_DTYPE_NONE)
    return "its type is not one of 0x08 (u8), 0x09 (i8), 0x0b (i16), 0x0c (i32), 0x0d (f32), 0x0e "
           "(f64)";
  if (p[3] < 1 || p[3] > LAM_MAX_RANK)
    return "it wants 1 to 8 axes";
  type->rank = p[3];
  start = 4 + 4 * (uint64_t)p[3];
  if (size < start)
    return "it ends inside its header";
  for (int32_t i = 0; i < type->rank; i++) {
    const unsigned char *d = p + 4 + 4 * i;
    type->dims[i] = (int64_t)d[0] << 24 | (int64_t)d[1] << 16 | (int64_t)d[2] << 8 | d[3];
  }
  if (!extent_count (type, size - start, elements))
    return "it ends before its last element";
  if ((uint64_t)*elements * (lam_dtype_bits (type->dtype) / 8) != size - start)
    return "there are bytes after its last element";
  *out = p + start;
  return NULL;
}

#endif
