/* SPDX-License-Identifier: Apache-2.0 */
/* core/program/events.c and png.c: records, messages and images read back by a reader of the test's
 * own; CRCs against RFC 3720. That TensorBoard itself reads the files is tests/e2e/tensorboard.sh. */
#include "core/program/events.h"
#include "core/program/png.h"
#include "tests/lib/event_file.h"

#include <glib/gstdio.h>
#include <string.h>
#include <zlib.h>

static void
assert_text (LmTestBytes r, const char *text)
{
  g_assert_cmpmem (r.at, r.end - r.at, text, strlen (text));
}

/* A file of one's own, and its records. */
typedef struct File {
  char *folder, *data;
  LmEvents *events;
  GArray *records; /* of LmTestBytes */
} File;

static void
file_open (File *f)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *top = g_dir_make_tmp ("lamina-events-XXXXXX", &error);
  g_assert_no_error (error);
  f->folder = g_build_filename (top, "a", "b", NULL); /* is made */
  f->events = lm_events_new (f->folder, &error);
  g_assert_no_error (error);
}

static void
file_read (File *f)
{
  g_autoptr (GError) error = NULL;
  gsize n;
  g_assert_true (lm_events_flush (f->events, &error));
  g_assert_true (g_file_get_contents (lm_events_path (f->events), &f->data, &n, &error));
  f->records = lm_test_records (f->data, n);
}

static void
file_close (File *f)
{
  g_remove (lm_events_path (f->events));
  lm_events_free (f->events);
  for (guint i = 0; i < 3; i++) {
    g_rmdir (f->folder);
    g_autofree char *up = g_path_get_dirname (f->folder);
    g_free (f->folder);
    f->folder = i < 2 ? g_steal_pointer (&up) : NULL;
  }
  g_array_unref (f->records);
  g_free (f->data);
}

/* Value of record i (the first record is the version), with its step and tag checked. */
static LmTestBytes
value_of (const File *f, guint i, uint64_t step, const char *tag)
{
  LmTestBytes event = g_array_index (f->records, LmTestBytes, i);
  g_assert_cmpuint (lm_test_find_number (event, 2), ==, step);
  LmTestBytes value = lm_test_find (lm_test_find (event, 5, NULL), 1, NULL);
  assert_text (lm_test_find (value, 1, NULL), tag);
  return value;
}

/* --- tests ------------------------------------------------------------------------------------------ */

/* RFC 3720, B.4, and the check value of CRC catalogues. */
static void
test_crc (void)
{
  guint8 bytes[32] = {0};
  g_assert_cmpuint (lm_crc32c ("123456789", 9), ==, 0xe3069283u);
  g_assert_cmpuint (lm_crc32c (bytes, 32), ==, 0x8a9136aau);
  memset (bytes, 0xff, 32);
  g_assert_cmpuint (lm_crc32c (bytes, 32), ==, 0x62a8ab43u);
  for (guint i = 0; i < 32; i++)
    bytes[i] = (guint8)i;
  g_assert_cmpuint (lm_crc32c (bytes, 32), ==, 0x46dd794eu);
}

static void
test_values (void)
{
  File f = {0};
  const double rows[] = {0, 1, 5, 1, 2, 7};
  file_open (&f);
  lm_events_scalar (f.events, 7, "loss", 0.75);
  lm_events_text (f.events, 300, "note", "h\xc3\xa9llo", 6);
  lm_events_histogram (f.events, 1, "h", rows, 2);
  file_read (&f);
  g_assert_cmpuint (f.records->len, ==, 4);
  assert_text (lm_test_find (g_array_index (f.records, LmTestBytes, 0), 3, NULL), "brain.Event:2");
  float loss;
  guint32 bits = (guint32)lm_test_find_number (value_of (&f, 1, 7, "loss"), 2);
  memcpy (&loss, &bits, sizeof loss);
  g_assert_cmpfloat (loss, ==, 0.75f);

  LmTestBytes text = value_of (&f, 2, 300, "note");
  assert_text (lm_test_find (lm_test_find (lm_test_find (text, 9, NULL), 1, NULL), 1, NULL),
               "text");
  assert_text (lm_test_find (lm_test_find (text, 8, NULL), 8, NULL), "h\xc3\xa9llo");

  LmTestBytes histogram = value_of (&f, 3, 1, "h"), tensor = lm_test_find (histogram, 8, NULL);
  assert_text (lm_test_find (lm_test_find (lm_test_find (histogram, 9, NULL), 1, NULL), 1, NULL),
               "histograms");
  g_assert_cmpuint (lm_test_find_number (tensor, 1), ==, 2); /* DT_DOUBLE */
  LmTestBytes content = lm_test_find (tensor, 4, NULL);
  g_assert_cmpmem (content.at, content.end - content.at, rows, sizeof rows);
  g_assert_cmpuint (lm_test_find_number (lm_test_find (lm_test_find (tensor, 2, NULL), 2, NULL), 1),
                    ==, 2);
  file_close (&f);
}

/* A PNG inflates to its rows, each behind filter byte 0; chunk CRCs hold. */
static void
test_png (void)
{
  static const guint8 pixels[2 * 3 * 3] = {1,  2,  3,  4,  5,  6,  7,  8,  9,
                                           10, 11, 12, 13, 14, 15, 16, 17, 18};
  g_autoptr (GByteArray) png = lm_png_encode (pixels, (int64_t[]) {2, 3, 3});
  g_assert_cmpmem (png->data, 8, "\x89PNG\r\n\x1a\n", 8);
  const guint8 *p = png->data + 8, *end = png->data + png->len;
  guint seen = 0;
  for (guint i = 0; p < end; i++) {
    static const char *const kinds[] = {"IHDR", "IDAT", "IEND"};
    guint32 n = (guint32)p[0] << 24 | (guint32)p[1] << 16 | (guint32)p[2] << 8 | p[3];
    const guint8 *c = p + 8 + n;
    guint32 crc = (guint32)c[0] << 24 | (guint32)c[1] << 16 | (guint32)c[2] << 8 | c[3];
    g_assert_cmpmem (p + 4, 4, kinds[i], 4);
    g_assert_cmpuint (crc, ==, crc32 (0, p + 4, n + 4));
    if (i == 0)
      g_assert_cmpmem (p + 8, 13, "\0\0\0\3\0\0\0\2\10\2\0\0\0", 13);
    if (i == 1) {
      guint8 raw[2 * 10];
      uLongf size = sizeof raw;
      g_assert_cmpint (uncompress (raw, &size, p + 8, n), ==, Z_OK);
      g_assert_cmpuint (size, ==, 20);
      g_assert_cmpmem (raw, 1, "\0", 1);
      g_assert_cmpmem (raw + 1, 9, pixels, 9);
      g_assert_cmpmem (raw + 11, 9, pixels + 9, 9);
    }
    seen++;
    p = c + 4;
  }
  g_assert_cmpuint (seen, ==, 3);
  g_assert_null (lm_png_encode (pixels, (int64_t[]) {2, 3, 5}));
  g_assert_null (lm_png_encode (pixels, (int64_t[]) {0, 3, 3}));
}

static void
test_image (void)
{
  File f = {0};
  file_open (&f);
  lm_events_image (f.events, 2, "i", (const guint8 *)"\1\2", (int64_t[]) {1, 2, 1});
  lm_events_image (f.events, 2, "none", (const guint8 *)"", (int64_t[]) {0, 2, 1});
  file_read (&f);
  g_assert_cmpuint (f.records->len, ==, 2);
  LmTestBytes image = lm_test_find (value_of (&f, 1, 2, "i"), 4, NULL);
  g_assert_cmpuint (lm_test_find_number (image, 1), ==, 1);
  g_assert_cmpuint (lm_test_find_number (image, 2), ==, 2);
  g_assert_cmpuint (lm_test_find_number (image, 3), ==, 1);
  g_autoptr (GByteArray) png = lm_png_encode ((const guint8 *)"\1\2", (int64_t[]) {1, 2, 1});
  LmTestBytes data = lm_test_find (image, 4, NULL);
  g_assert_cmpmem (data.at, data.end - data.at, png->data, png->len);
  file_close (&f);
}

/* Two writers in one folder at one time have two files; a folder that cannot be is an error. */
static void
test_files (void)
{
  File f = {0};
  GError *error = NULL;
  file_open (&f);
  LmEvents *second = lm_events_new (f.folder, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (lm_events_path (second), !=, lm_events_path (f.events));
  g_assert_null (lm_events_new (lm_events_path (f.events), &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "cannot make"));
  g_clear_error (&error);
  g_remove (lm_events_path (second));
  lm_events_free (second);
  file_read (&f);
  file_close (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/events/crc", test_crc);
  g_test_add_func ("/program/events/values", test_values);
  g_test_add_func ("/program/events/png", test_png);
  g_test_add_func ("/program/events/image", test_image);
  g_test_add_func ("/program/events/files", test_files);
  return g_test_run ();
}
