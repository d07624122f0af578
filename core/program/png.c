/* SPDX-License-Identifier: Apache-2.0 */
/* PNG: a signature and three chunks, the rows deflated by zlib. */
#include "core/program/png.h"

#include <string.h>
#include <zlib.h>

#define MAX_SIDE 16384

static void
append_big (GByteArray *out, guint32 v)
{
  guint8 bytes[4] = {(guint8)(v >> 24), (guint8)(v >> 16), (guint8)(v >> 8), (guint8)v};
  g_byte_array_append (out, bytes, 4);
}

/* Length, kind, data, CRC-32 of kind and data. */
static void
append_chunk (GByteArray *out, const char kind[5], const guint8 *data, guint n)
{
  append_big (out, n);
  guint first = out->len;
  g_byte_array_append (out, (const guint8 *)kind, 4);
  g_byte_array_append (out, data, n);
  append_big (out, (guint32)crc32 (0, out->data + first, n + 4));
}

/* Each row behind its filter byte 0, deflated; NULL when that fails. */
static guint8 *
deflate_rows (const guint8 *pixels, gsize height, gsize row, uLongf *out_bytes)
{
  gsize bytes = height * (row + 1);
  g_autofree guint8 *raw = g_try_malloc (bytes);
  *out_bytes = compressBound (bytes);
  g_autofree guint8 *packed = g_try_malloc (*out_bytes);
  if (raw == NULL || packed == NULL)
    return NULL;
  for (gsize y = 0; y < height; y++) {
    raw[y * (row + 1)] = 0;
    memcpy (raw + y * (row + 1) + 1, pixels + y * row, row);
  }
  return compress2 (packed, out_bytes, raw, bytes, 6) == Z_OK ? g_steal_pointer (&packed) : NULL;
}

GByteArray *
lm_png_encode (const guint8 *pixels, const int64_t size[3])
{
  static const guint8 signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  static const guint8 colour[5] = {0, 0, 4, 2, 6}; /* by channels */
  if (size[0] < 1 || size[1] < 1 || size[2] < 1 || size[2] > 4 || size[0] > MAX_SIDE
      || size[1] > MAX_SIDE)
    return NULL;
  uLongf n;
  g_autofree guint8 *packed = deflate_rows (pixels, (gsize)size[0], (gsize)(size[1] * size[2]), &n);
  if (packed == NULL)
    return NULL;
  GByteArray *out = g_byte_array_new ();
  g_autoptr (GByteArray) head = g_byte_array_new ();
  append_big (head, (guint32)size[1]);
  append_big (head, (guint32)size[0]);
  g_byte_array_append (head, (guint8[]) {8, colour[size[2]], 0, 0, 0}, 5);
  g_byte_array_append (out, signature, 8);
  append_chunk (out, "IHDR", head->data, head->len);
  append_chunk (out, "IDAT", packed, (guint)n);
  append_chunk (out, "IEND", NULL, 0);
  return out;
}
