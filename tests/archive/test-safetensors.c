/* SPDX-License-Identifier: Apache-2.0 */
/* The safetensors reader: files of the Python library (tests/golden), and every rule broken once. */
#include "core/archive/safetensors.h"

#include <string.h>

static GBytes *
file_of (const char *header, gsize n_data)
{
  gsize n = strlen (header), total = 8 + n + n_data;
  guchar *p = g_malloc0 (total);

  p[0] = (guchar)n;
  p[1] = (guchar)(n >> 8);
  memcpy (p + 8, header, n);
  for (gsize i = 0; i < n_data; i++)
    p[8 + n + i] = (guchar)i;
  return g_bytes_new_take (p, total);
}

static void
test_read (void)
{
  /* 79 bytes of header and 8 of length: the data are misaligned for f32. */
  g_autoptr (GBytes) bytes =
      file_of ("{\"__metadata__\":{\"format\":\"np\"},"
               "\"a\":{\"dtype\":\"U8\",\"shape\":[2,2],\"data_offsets\":[0,4]},"
               "\"__pad.0\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[4,5]},"
               "\"b\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[5,9]},"
               "\"e\":{\"dtype\":\"I64\",\"shape\":[0,7],\"data_offsets\":[9,9]}}",
               9);
  g_autoptr (GHashTable) metadata = NULL, tensors = NULL;
  g_autoptr (GError) error = NULL;
  const LmArray *a, *b;

  tensors = lm_safetensors_read (bytes, "w", &metadata, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_hash_table_size (tensors), ==, 3); /* the pad is hidden */
  g_assert_cmpstr (g_hash_table_lookup (metadata, "format"), ==, "np");
  a = g_hash_table_lookup (tensors, "a");
  g_assert_cmpint (a->type.rank, ==, 2);
  g_assert_cmpint (lm_array_get_int (a, 3), ==, 3);
  b = g_hash_table_lookup (tensors, "b");
  g_assert_cmpint (b->type.rank, ==, 0);
  g_assert_cmpuint ((uintptr_t)b->data % 4, ==, 0);
  g_assert_cmpmem (b->data, 4, "\5\6\7\10", 4);
  g_assert_cmpint (((LmArray *)g_hash_table_lookup (tensors, "e"))->bytes, ==, 0);
}

/* keys.json states what keys.safetensors holds; here: that f32 and u32 tensors are found and sane. */
static void
test_golden (void)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("LAMINA_SRCDIR") ? g_getenv ("LAMINA_SRCDIR") : ".", "tests",
                        "golden", "digits_mlp_init_f32.safetensors", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) tensors = lm_safetensors_read_file (path, &error);
  GHashTableIter iter;
  gpointer array;

  g_assert_no_error (error);
  g_assert_cmpuint (g_hash_table_size (tensors), >, 0);
  g_hash_table_iter_init (&iter, tensors);
  while (g_hash_table_iter_next (&iter, NULL, &array))
    g_assert_cmpint (((LmArray *)array)->type.dtype, ==, LAM_F32);
}

static void
check_refused (const char *header, gsize n_data, LmErrorCode code, const char *why)
{
  g_autoptr (GBytes) bytes = file_of (header, n_data);
  g_autoptr (GHashTable) metadata = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_null (lm_safetensors_read (bytes, "w.safetensors", &metadata, &error));
  g_assert_null (metadata);
  g_assert_error (error, LM_ERROR, (gint)code);
  if (!g_str_has_prefix (error->message, "w.safetensors:") || strstr (error->message, why) == NULL)
    g_error ("\"%s\" is not in: %s", why, error->message);
}

#define ENTRY(dtype, shape, offsets)                                                               \
  "{\"x\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

static void
test_refused (void)
{
  const LmErrorCode corrupt = LM_ERROR_CORRUPT;

  check_refused (ENTRY ("F8_E4M3", "[4]", "[0,4]"), 4, LM_ERROR_UNSUPPORTED, "F8_E4M3");
  check_refused (ENTRY ("F32", "[4]", "[0,4]"), 4, corrupt, "\"x\" f32[4] does not take");
  check_refused (ENTRY ("F32", "[1]", "[4,0]"), 4, corrupt, "does not take");
  check_refused (ENTRY ("F32", "[1]", "[0,4]"), 3, corrupt, "take 4 bytes, but 3");
  check_refused (ENTRY ("F32", "[1]", "[0,4]"), 5, corrupt, "take 4 bytes, but 5");
  check_refused (ENTRY ("F32", "[1]", "[1,5]"), 5, corrupt, "holes and overlaps");
  check_refused (ENTRY ("F32", "[-1]", "[0,4]"), 4, corrupt, "shape");
  check_refused (ENTRY ("F32", "[1.0]", "[0,4]"), 4, corrupt, "shape");
  check_refused (ENTRY ("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4, corrupt, "shape");
  check_refused (ENTRY ("U8", "[9007199254740992,9007199254740992]", "[0,4]"), 4, corrupt, "take");
  check_refused (ENTRY ("U8", "[4]", "[0,4],\"more\":1"), 4, corrupt, "wanted dtype, shape");
  check_refused (ENTRY ("BOOL", "[3]", "[0,3]"), 3, corrupt, "a bool is 0 or 1, got 2");
  check_refused ("{\"x\":1}", 0, corrupt, "not an object");
  check_refused ("{\"\\u0001\":{}}", 0, corrupt, "control characters");
  check_refused ("{\"__metadata__\":{\"a\":1}}", 0, corrupt, "not a string");
  check_refused ("{\"x\":{},\"x\":{}}", 0, corrupt, "twice");
  check_refused ("[]", 0, corrupt, "does not start with '{'");
  check_refused ("", 0, corrupt, "does not start with '{'");
  check_refused ("{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
                 "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}",
                 3, corrupt, "\"b\" begins at 1, but the one before it ends at 2");
}

static void
test_truncated (void)
{
  g_autoptr (GBytes) whole = file_of (ENTRY ("U8", "[4]", "[0,4]"), 4);

  for (gsize n = 0; n < g_bytes_get_size (whole); n++) {
    /* On the heap, so that a read beyond the end is seen. */
    g_autoptr (GBytes) part = g_bytes_new (g_bytes_get_data (whole, NULL), n);
    g_autoptr (GError) error = NULL;
    g_assert_null (lm_safetensors_read (part, "w", NULL, &error));
    g_assert_error (error, LM_ERROR, LM_ERROR_CORRUPT);
  }
}

static void
test_no_file (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (lm_safetensors_read_file ("/no/such.safetensors", &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_NOT_FOUND);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/archive/safetensors/read", test_read);
  g_test_add_func ("/archive/safetensors/golden", test_golden);
  g_test_add_func ("/archive/safetensors/refused", test_refused);
  g_test_add_func ("/archive/safetensors/truncated", test_truncated);
  g_test_add_func ("/archive/safetensors/no_file", test_no_file);
  return g_test_run ();
}
