/* SPDX-License-Identifier: Apache-2.0 */
/* Writing event files. */
#include "core/program/events.h"

#include "core/program/png.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct LmEvents {
  FILE *file;
  char *path;
  GError *error;
};

/* --- protocol buffers ------------------------------------------------------------------------------ */

typedef enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 } Wire;

static void
put_varint (GByteArray *out, uint64_t v)
{
  do {
    guint8 byte = (guint8)(v & 0x7f) | (v > 0x7f ? 0x80 : 0);
    g_byte_array_append (out, &byte, 1);
    v >>= 7;
  } while (v != 0);
}

static void
put_key (GByteArray *out, guint field, Wire wire)
{
  put_varint (out, field << 3 | wire);
}

static void
put_int (GByteArray *out, guint field, uint64_t v)
{
  put_key (out, field, WIRE_VARINT);
  put_varint (out, v);
}

static void
put_bytes (GByteArray *out, guint field, const void *data, gsize n)
{
  put_key (out, field, WIRE_BYTES);
  put_varint (out, n);
  g_byte_array_append (out, data, (guint)n);
}

static void
put_string (GByteArray *out, guint field, const char *text)
{
  put_bytes (out, field, text, strlen (text));
}

/* Takes the message. */
static void
put_message (GByteArray *out, guint field, GByteArray *message)
{
  put_bytes (out, field, message->data, message->len);
  g_byte_array_unref (message);
}

/* Little-endian bytes of 4 or 8. */
static void
append_little (GByteArray *out, uint64_t bits, guint n)
{
  for (guint i = 0; i < n; i++) {
    guint8 byte = (guint8)(bits >> 8 * i);
    g_byte_array_append (out, &byte, 1);
  }
}

static void
put_double (GByteArray *out, guint field, double v)
{
  uint64_t bits;
  memcpy (&bits, &v, sizeof bits);
  put_key (out, field, WIRE_FIXED64);
  append_little (out, bits, 8);
}

static void
put_float (GByteArray *out, guint field, float v)
{
  uint32_t bits;
  memcpy (&bits, &v, sizeof bits);
  put_key (out, field, WIRE_FIXED32);
  append_little (out, bits, 4);
}

/* --- records ----------------------------------------------------------------------------------------- */

guint32
lm_crc32c (const void *data, gsize bytes)
{
  const guint8 *p = data;
  guint32 crc = 0xffffffffu;
  for (gsize i = 0; i < bytes; i++) {
    crc ^= p[i];
    for (int k = 0; k < 8; k++)
      crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
  }
  return ~crc;
}

/* Rotated and offset, so that the CRC of data that holds CRCs stays a good one. */
static guint32
masked_crc (const void *data, gsize bytes)
{
  guint32 crc = lm_crc32c (data, bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void
fail (LmEvents *e, const char *what)
{
  int code = errno;
  if (e->error == NULL)
    g_set_error (&e->error, LM_ERROR, LM_ERROR_IO, "%s: %s: %s", e->path, what, g_strerror (code));
}

/* length u64, its CRC, the event, its CRC */
static void
write_event (LmEvents *e, const GByteArray *event)
{
  g_autoptr (GByteArray) record = g_byte_array_new ();
  append_little (record, event->len, 8);
  append_little (record, masked_crc (record->data, 8), 4);
  g_byte_array_append (record, event->data, event->len);
  append_little (record, masked_crc (event->data, event->len), 4);
  if (e->error == NULL && fwrite (record->data, 1, record->len, e->file) != record->len)
    fail (e, "cannot write the event file");
}

/* Event: wall_time 1, step 2, file_version 3, summary 5 (value 1). Takes value. */
static void
write_value (LmEvents *e, uint64_t step, GByteArray *value)
{
  g_autoptr (GByteArray) event = g_byte_array_new ();
  GByteArray *summary = g_byte_array_new ();
  put_double (event, 1, (double)g_get_real_time () / 1e6);
  put_int (event, 2, step);
  put_message (summary, 1, value);
  put_message (event, 5, summary);
  write_event (e, event);
}

/* --- values: Summary.Value: tag 1, simple_value 2, image 4, tensor 8, metadata 9 ------------------------ */

static GByteArray *
value_new (const char *tag)
{
  GByteArray *value = g_byte_array_new ();
  put_string (value, 1, tag);
  return value;
}

/* SummaryMetadata: plugin_data 1 (plugin_name 1), data_class 4 (2: a tensor). */
static void
put_plugin (GByteArray *value, const char *plugin)
{
  GByteArray *metadata = g_byte_array_new (), *data = g_byte_array_new ();
  put_string (data, 1, plugin);
  put_message (metadata, 1, data);
  put_int (metadata, 4, 2);
  put_message (value, 9, metadata);
}

void
lm_events_scalar (LmEvents *e, uint64_t step, const char *tag, double v)
{
  GByteArray *value = value_new (tag);
  put_float (value, 2, (float)v);
  write_value (e, step, value);
}

/* TensorProto: dtype 1 (7: string), tensor_shape 2 (dim 2 (size 1)), string_val 8. */
void
lm_events_text (LmEvents *e, uint64_t step, const char *tag, const char *text, gsize bytes)
{
  GByteArray *value = value_new (tag), *tensor = g_byte_array_new ();
  put_int (tensor, 1, 7);
  put_message (tensor, 2, g_byte_array_new ());
  put_bytes (tensor, 8, text, bytes);
  put_message (value, 8, tensor);
  put_plugin (value, "text");
  write_value (e, step, value);
}

static void
put_dim (GByteArray *shape, uint64_t size)
{
  GByteArray *dim = g_byte_array_new ();
  put_int (dim, 1, size);
  put_message (shape, 2, dim);
}

/* TensorProto: dtype 1 (2: double), tensor_shape 2, tensor_content 4. */
void
lm_events_histogram (LmEvents *e, uint64_t step, const char *tag, const double *rows, guint n)
{
  GByteArray *value = value_new (tag), *tensor = g_byte_array_new ();
  GByteArray *shape = g_byte_array_new (), *content = g_byte_array_new ();
  put_int (tensor, 1, 2);
  put_dim (shape, n);
  put_dim (shape, 3);
  put_message (tensor, 2, shape);
  for (guint i = 0; i < 3 * n; i++) {
    uint64_t bits;
    memcpy (&bits, &rows[i], sizeof bits);
    append_little (content, bits, 8);
  }
  put_message (tensor, 4, content);
  put_message (value, 8, tensor);
  put_plugin (value, "histograms");
  write_value (e, step, value);
}

/* Summary.Image: height 1, width 2, colorspace 3, encoded_image_string 4. */
void
lm_events_image (LmEvents *e, uint64_t step, const char *tag, const guint8 *pixels,
                 const int64_t size[3])
{
  g_autoptr (GByteArray) png = lm_png_encode (pixels, size);
  if (png == NULL)
    return; /* nothing to see */
  GByteArray *value = value_new (tag), *image = g_byte_array_new ();
  put_int (image, 1, (uint64_t)size[0]);
  put_int (image, 2, (uint64_t)size[1]);
  put_int (image, 3, (uint64_t)size[2]);
  put_bytes (image, 4, png->data, png->len);
  put_message (value, 4, image);
  write_value (e, step, value);
}

/* --- files ------------------------------------------------------------------------------------------- */

/* A name that no other writer has: by time, host, process and number. */
static FILE *
open_new (const char *folder, char **out_path)
{
  char host[256] = "localhost";
  if (gethostname (host, sizeof host - 1) != 0)
    strcpy (host, "localhost");
  for (guint n = 0; n < 1000; n++) {
    g_autofree char *name =
        g_strdup_printf ("events.out.tfevents.%010" G_GINT64_FORMAT ".%s.%ld.%u",
                         g_get_real_time () / G_USEC_PER_SEC, host, (long)getpid (), n);
    g_free (*out_path);
    *out_path = g_build_filename (folder, name, NULL);
    FILE *file = fopen (*out_path, "wbxe");
    if (file != NULL || errno != EEXIST)
      return file;
  }
  return NULL;
}

LmEvents *
lm_events_new (const char *folder, GError **error)
{
  g_autoptr (LmEvents) e = g_new0 (LmEvents, 1);
  e->path = g_strdup (folder);
  if (g_mkdir_with_parents (folder, 0777) != 0)
    fail (e, "cannot make the folder for event files");
  else if ((e->file = open_new (folder, &e->path)) == NULL)
    fail (e, "cannot make the event file");
  if (e->error != NULL) {
    g_propagate_error (error, g_steal_pointer (&e->error));
    return NULL;
  }
  g_autoptr (GByteArray) event = g_byte_array_new ();
  put_double (event, 1, (double)g_get_real_time () / 1e6);
  put_string (event, 3, "brain.Event:2");
  write_event (e, event);
  return lm_events_flush (e, error) ? g_steal_pointer (&e) : NULL;
}

void
lm_events_free (LmEvents *e)
{
  if (e == NULL)
    return;
  if (e->file != NULL)
    fclose (e->file);
  g_clear_error (&e->error);
  g_free (e->path);
  g_free (e);
}

const char *
lm_events_path (const LmEvents *e)
{
  return e->path;
}

bool
lm_events_flush (LmEvents *e, GError **error)
{
  if (e->error == NULL && fflush (e->file) != 0)
    fail (e, "cannot write the event file");
  if (e->error == NULL)
    return true;
  g_propagate_error (error, g_error_copy (e->error));
  return false;
}
