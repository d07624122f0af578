/* SPDX-License-Identifier: Apache-2.0 */
/* The safetensors format, strictly: contiguous offsets, no holes or overlap, no duplicate keys,
 * checked products. Unknown dtypes are refused by name. Names "__pad.N" are alignment, hidden. */
#ifndef LM_ARCHIVE_SAFETENSORS_H
#define LM_ARCHIVE_SAFETENSORS_H

#include "core/base/array.h"

/* Names of pads begin with this. */
#define LM_SAFETENSORS_PAD "__pad."

/* name -> LmArray* views that keep `bytes` alive; misaligned tensors are copied. where: for errors.
 * *out_metadata (may be NULL): the "__metadata__" map, string -> string, or NULL. */
GHashTable *lm_safetensors_read (GBytes *bytes, const char *where, GHashTable **out_metadata,
                                 GError **error);

/* Reads a file by mapping it. */
GHashTable *lm_safetensors_read_file (const char *path, GError **error);

/* Writes all tensors, sorted by dtype size descending then name; the header is padded with blanks so
 * that data start at a multiple of data_align counted from file_offset; tensors >= 4096 bytes are
 * 64-byte aligned by pad tensors. metadata may be NULL. */
GBytes *lm_safetensors_write (GHashTable *tensors, GHashTable *metadata, gsize file_offset,
                              gsize data_align, GError **error);

/* UTF-8 without control characters, not empty. */
bool lm_safetensors_name_ok (const char *name);

/* "F32", "BF16", "BOOL" ...: the format's name of a dtype. */
const char *lm_safetensors_dtype_name (lam_dtype dtype);

#endif
