/* SPDX-License-Identifier: Apache-2.0 */
/* Reads event files: records with their CRCs, protocol buffers, what an entry says. */
#include "tests/lib/event_file.h"

#include "core/program/events.h"
#include <string.h>

uint64_t
lm_test_little (const guint8 *p, guint n)
{
  uint64_t v = 0;
  for (guint i = 0; i < n; i++)
    v |= (uint64_t)p[i] << 8 * i;
  return v;
}

static uint64_t
varint (LmTestBytes *r)
{
  uint64_t v = 0;
  for (guint shift = 0;; shift += 7) {
    g_assert_true (r->at < r->end && shift < 64);
    guint8 byte = *r->at++;
    v |= (uint64_t)(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0)
      return v;
  }
}

guint
lm_test_field (LmTestBytes *r, uint64_t *value, LmTestBytes *inner)
{
  if (r->at == r->end)
    return 0;
  uint64_t key = varint (r);
  guint bytes = (key & 7) == 1 ? 8 : (key & 7) == 5 ? 4 : 0;
  *inner = (LmTestBytes) {NULL, NULL};
  if ((key & 7) == 0) {
    *value = varint (r);
  } else if ((key & 7) == 2) {
    uint64_t n = varint (r);
    g_assert_cmpuint (n, <=, (uint64_t)(r->end - r->at));
    *inner = (LmTestBytes) {r->at, r->at + n};
    r->at += n;
  } else {
    g_assert_cmpuint (bytes, >, 0);
    *value = lm_test_little (r->at, bytes);
    r->at += bytes;
  }
  return (guint)(key >> 3);
}

LmTestBytes
lm_test_find (LmTestBytes message, guint number, uint64_t *value)
{
  LmTestBytes inner;
  uint64_t v = 0;
  for (guint f; (f = lm_test_field (&message, &v, &inner)) != 0;)
    if (f == number) {
      if (value != NULL)
        *value = v;
      return inner;
    }
  g_error ("no field %u", number);
}

uint64_t
lm_test_find_number (LmTestBytes message, guint number)
{
  uint64_t v;
  lm_test_find (message, number, &v);
  return v;
}

static guint32
mask (guint32 crc)
{
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

GArray *
lm_test_records (const char *data, gsize n)
{
  GArray *records = g_array_new (FALSE, FALSE, sizeof (LmTestBytes));
  for (gsize at = 0; at < n;) {
    const guint8 *p = (const guint8 *)data + at;
    uint64_t bytes = lm_test_little (p, 8);
    g_assert_cmpuint (lm_test_little (p + 8, 4), ==, mask (lm_crc32c (p, 8)));
    g_assert_cmpuint (lm_test_little (p + 12 + bytes, 4), ==, mask (lm_crc32c (p + 12, bytes)));
    LmTestBytes record = {p + 12, p + 12 + bytes};
    g_array_append_val (records, record);
    at += 16 + bytes;
  }
  return records;
}

/* --- entries ------------------------------------------------------------------------------------------- */

static void
entry_clear (gpointer data)
{
  LmTestEntry *e = data;
  g_free (e->tag);
  g_free (e->text);
}

/* The text of a tensor of strings; others have none. */
static char *
text_of (LmTestBytes value)
{
  LmTestBytes tensor = lm_test_find (value, 8, NULL);
  if (lm_test_find_number (tensor, 1) != 7)
    return NULL;
  LmTestBytes text = lm_test_find (tensor, 8, NULL);
  return g_strndup ((const char *)text.at, (gsize)(text.end - text.at));
}

static LmTestEntry
read_entry (LmTestBytes event)
{
  LmTestBytes value = lm_test_find (lm_test_find (event, 5, NULL), 1, NULL), rest = value, inner;
  LmTestBytes tag = lm_test_find (value, 1, NULL);
  LmTestEntry e = {.step = lm_test_find_number (event, 2),
                   .tag = g_strndup ((const char *)tag.at, (gsize)(tag.end - tag.at))};
  uint64_t number = 0;
  for (guint f; (f = lm_test_field (&rest, &number, &inner)) != 0;)
    e.kind = f == 2 || f == 4 || f == 8 ? f : e.kind;
  if (e.kind == 2) {
    guint32 bits = (guint32)lm_test_find_number (value, 2);
    memcpy (&e.number, &bits, sizeof e.number);
  } else if (e.kind == 8) {
    e.text = text_of (value);
  }
  return e;
}

GArray *
lm_test_entries (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  g_assert_no_error (error);
  g_autofree char *path = g_build_filename (folder, g_dir_read_name (dir), NULL), *data = NULL;
  gsize n;
  g_assert_null (g_dir_read_name (dir));
  g_assert_true (g_file_get_contents (path, &data, &n, &error));
  g_autoptr (GArray) records = lm_test_records (data, n);
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (LmTestEntry));
  g_array_set_clear_func (entries, entry_clear);
  for (guint i = 1; i < records->len; i++) { /* the first is the version */
    LmTestEntry e = read_entry (g_array_index (records, LmTestBytes, i));
    g_array_append_val (entries, e);
  }
  return entries;
}

const LmTestEntry *
lm_test_entry (GArray *entries, uint64_t step, const char *tag)
{
  for (guint i = 0; i < entries->len; i++) {
    const LmTestEntry *e = &g_array_index (entries, LmTestEntry, i);
    if (e->step == step && strcmp (e->tag, tag) == 0)
      return e;
  }
  return NULL;
}
