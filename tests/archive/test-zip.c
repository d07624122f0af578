/* SPDX-License-Identifier: Apache-2.0 */
/* Zip members: an npz that numpy wrote, limits, damage, and writing. */
#include "core/archive/zip.h"

#include <glib/gstdio.h>
#include <string.h>

static char *
digits_path (void)
{
  const char *srcdir = g_getenv ("LAMINA_SRCDIR");

  return g_build_filename (srcdir ? srcdir : ".", "tests", "data", "digits.npz", NULL);
}

static void
test_numpy (void)
{
  g_autofree char *path = digits_path ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) members = lm_zip_read (path, 0, &error);
  GHashTableIter iter;
  gpointer name, bytes;

  g_assert_no_error (error);
  g_assert_cmpuint (g_hash_table_size (members), >=, 2);
  g_hash_table_iter_init (&iter, members);
  while (g_hash_table_iter_next (&iter, &name, &bytes)) {
    g_assert_true (g_str_has_suffix (name, ".npy"));
    g_assert_cmpmem (g_bytes_get_data (bytes, NULL), 6, "\x93NUMPY", 6);
  }
}

static void
test_limit (void)
{
  g_autofree char *path = digits_path ();
  g_autoptr (GError) error = NULL;

  g_assert_null (lm_zip_read (path, 1000, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_CORRUPT);
  g_assert_nonnull (strstr (error->message, "more than the 1000 bytes allowed"));
}

static void
test_damaged (void)
{
  g_autofree char *path = digits_path (), *text = NULL;
  gsize n;
  guint refused = 0;

  g_assert_true (g_file_get_contents (path, &text, &n, NULL));
  for (gsize cut = 0; cut < n; cut += n / 23 + 1) {
    g_autofree char *part = g_memdup2 (text, MAX (cut, 1));
    g_autoptr (GError) error = NULL;
    g_assert_null (lm_zip_read_bytes (part, cut, 0, &error));
    g_assert_error (error, LM_ERROR, LM_ERROR_CORRUPT);
    refused++;
  }
  g_assert_cmpuint (refused, >=, 20);
  /* A changed byte of data is found by the member's checksum. */
  text[n / 3] ^= 1;
  g_autoptr (GError) error = NULL;
  g_assert_null (lm_zip_read_bytes (text, n, 0, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_CORRUPT);
}

static void
test_missing (void)
{
  g_autoptr (GError) a = NULL, b = NULL;

  g_assert_null (lm_zip_read ("/no/such.npz", 0, &a));
  g_assert_error (a, LM_ERROR, LM_ERROR_NOT_FOUND);
  g_assert_null (lm_zip_read_bytes ("hello", 5, 0, &b));
  g_assert_error (b, LM_ERROR, LM_ERROR_CORRUPT);
}

/* Python's zipfile is the independent reader. */
static void
check_with_python (const char *path)
{
  const char *argv[] = {"python3", "-c",
                        "import sys, zipfile; z = zipfile.ZipFile (sys.argv[1]); "
                        "assert z.testzip () is None; "
                        "assert z.read ('y.npy') == b'hello', z.namelist (); "
                        "assert all (i.compress_type == 0 for i in z.infolist ())",
                        path, NULL};
  g_autofree char *python = g_find_program_in_path ("python3");
  int status = -1;

  if (python == NULL) {
    g_test_message ("no python3: not checked with zipfile");
    return;
  }
  g_assert_true (g_spawn_sync (NULL, (char **)(uintptr_t)argv, NULL, G_SPAWN_SEARCH_PATH, NULL,
                               NULL, NULL, NULL, &status, NULL));
  g_assert_cmpint (status, ==, 0);
}

static void
test_write (void)
{
  g_autofree char *dir = g_dir_make_tmp ("lamina-zip-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "out.npz", NULL);
  g_autofree char *inside = g_build_filename (path, "x.npz", NULL);
  g_autoptr (GHashTable) members =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_bytes_unref);
  g_autoptr (GHashTable) back = NULL;
  g_autoptr (GError) error = NULL;

  g_hash_table_insert (members, "y.npy", g_bytes_new_static ("hello", 5));
  g_hash_table_insert (members, "x.npy", g_bytes_new_static ("", 0));
  g_assert_true (lm_zip_write (path, members, &error));
  g_assert_no_error (error);
  back = lm_zip_read (path, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_hash_table_size (back), ==, 2);
  g_assert_true (
      g_bytes_equal (g_hash_table_lookup (back, "y.npy"), g_hash_table_lookup (members, "y.npy")));
  check_with_python (path);
  g_assert_false (lm_zip_write (inside, members, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_IO);
  g_unlink (path);
  g_assert_cmpint (g_rmdir (dir), ==, 0); /* no temporary file is left */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/archive/zip/numpy", test_numpy);
  g_test_add_func ("/archive/zip/limit", test_limit);
  g_test_add_func ("/archive/zip/damaged", test_damaged);
  g_test_add_func ("/archive/zip/missing", test_missing);
  g_test_add_func ("/archive/zip/write", test_write);
  return g_test_run ();
}
