/* SPDX-License-Identifier: Apache-2.0 */
/* The safetensors writer: order, alignment, equal bytes for equal tensors. */
#include "core/archive/safetensors.h"

#include <string.h>

static void
add (GHashTable *tensors, const char *name, lam_dtype dtype, int64_t n)
{
  lam_type type = lm_type (dtype, 1, &n);
  LmArray *array = lm_array_new (&type, NULL);

  memset (array->data, (int)strlen (name), (size_t)array->bytes);
  g_hash_table_insert (tensors, g_strdup (name), array);
}

static GHashTable *
new_tensors (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)lm_array_unref);
}

static guint64
header_bytes (GBytes *bytes)
{
  guint64 n;

  memcpy (&n, g_bytes_get_data (bytes, NULL), 8);
  return GUINT64_FROM_LE (n);
}

static void
test_layout (void)
{
  g_autoptr (GHashTable) tensors = new_tensors (), back = NULL, metadata = NULL, seen = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const char *order, *p;
  const LmArray *big;

  add (tensors, "half", LAM_BF16, 3);
  add (tensors, "b\"ig", LAM_F32, 5000);
  add (tensors, "wide", LAM_F64, 1);
  add (tensors, "bytes", LAM_U8, 5);
  metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_insert (metadata, "z", "1");
  g_hash_table_insert (metadata, "a", "2");
  bytes = lm_safetensors_write (tensors, metadata, 1536, 4096, NULL);
  g_assert_cmpuint ((1536 + 8 + header_bytes (bytes)) % 4096, ==, 0);
  p = (const char *)g_bytes_get_data (bytes, NULL) + 8;
  order = "{\"__metadata__\":{\"a\":\"2\",\"z\":\"1\"},\"wide\":{\"dtype\":\"F64\",\"shape\":[1],"
          "\"data_offsets\":[0,8]},\"__pad.0\":{\"dtype\":\"U8\",\"shape\":[56],\"data_offsets\":"
          "[8,64]},\"b\\\"ig\":{";
  g_assert_cmpmem (p, strlen (order), order, strlen (order));

  back = lm_safetensors_read (bytes, "w", &seen, NULL);
  g_assert_cmpuint (g_hash_table_size (back), ==, 4);
  g_assert_cmpstr (g_hash_table_lookup (seen, "a"), ==, "2");
  big = g_hash_table_lookup (back, "b\"ig");
  g_assert_cmpuint (((const char *)big->data - p - header_bytes (bytes)) % 64, ==, 0);
  g_assert_cmpint (((guchar *)big->data)[19999], ==, 4);
}

/* Equal tensors give equal bytes, whatever the order they were added in. */
static void
test_reproducible (void)
{
  g_autoptr (GHashTable) x = new_tensors (), y = new_tensors (), none = new_tensors ();
  g_autoptr (GBytes) a = NULL, b = NULL, c = NULL;
  g_autoptr (GHashTable) back = NULL;

  for (int i = 0; i < 50; i++) {
    g_autofree char *name = g_strdup_printf ("w%d", i), *other = g_strdup_printf ("w%d", 49 - i);
    add (x, name, LAM_F32, 3);
    add (y, other, LAM_F32, 3);
  }
  a = lm_safetensors_write (x, NULL, 0, 64, NULL);
  b = lm_safetensors_write (y, NULL, 0, 64, NULL);
  g_assert_true (g_bytes_equal (a, b));
  c = lm_safetensors_write (none, NULL, 0, 0, NULL);
  back = lm_safetensors_read (c, "w", NULL, NULL);
  g_assert_cmpuint (g_hash_table_size (back), ==, 0);
}

static void
test_refused (void)
{
  static const char *const names[] = {"", "a\nb", "__pad.1", "__metadata__"};

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GHashTable) tensors = new_tensors ();
    g_autoptr (GError) error = NULL;
    add (tensors, names[i], LAM_U8, 1);
    g_assert_null (lm_safetensors_write (tensors, NULL, 0, 64, &error));
    g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/archive/safetensors_write/layout", test_layout);
  g_test_add_func ("/archive/safetensors_write/reproducible", test_reproducible);
  g_test_add_func ("/archive/safetensors_write/refused", test_refused);
  return g_test_run ();
}
