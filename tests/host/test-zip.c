/* SPDX-License-Identifier: Apache-2.0 */
/* The zip extension as an input sees it. */
#include "tests/lib/fixture.h"

#include "core/archive/zip.h"
#include "core/plugin/error.h"
#include <glib/gstdio.h>
#include <lamina/ext/zip.h>

static const lam_ext_zip *
ext (void)
{
  const lam_host *host = lm_host_tables ()->host;
  return host->get_extension (host, LAM_EXT_ZIP);
}

static void
test_members (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lamina-zip-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "x.zip", NULL), *data = NULL;
  g_autoptr (GHashTable) members =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_bytes_unref);
  g_hash_table_insert (members, "b", g_bytes_new ("bee", 3));
  g_hash_table_insert (members, "a", g_bytes_new ("", 0));
  g_assert_true (lm_zip_write (path, members, &error));
  gsize n;
  g_assert_true (g_file_get_contents (path, &data, &n, &error));
  lam_zip *zip = NULL;
  g_assert_cmpint (ext ()->open (data, n, &zip, NULL), ==, LAM_OK);
  g_clear_pointer (&data, g_free); /* data may be freed afterwards */
  g_assert_cmpstr (ext ()->name (zip, 0), ==, "a");
  g_assert_cmpstr (ext ()->name (zip, 1), ==, "b");
  g_assert_null (ext ()->name (zip, 2));
  uint64_t size = 99;
  const void *bee = ext ()->member (zip, "b", &size);
  g_assert_cmpmem (bee, size, "bee", 3);
  g_assert_nonnull (ext ()->member (zip, "a", &size));
  g_assert_cmpuint (size, ==, 0);
  g_assert_null (ext ()->member (zip, "c", &size));
  ext ()->close (zip);
  ext ()->close (NULL);
  g_remove (path);
  g_remove (folder);
}

static void
test_damaged (void)
{
  g_autoptr (GError) error = NULL;
  lam_zip *zip = NULL;
  lam_error slot;
  lm_plugin_error_init (&slot);
  lam_status status = ext ()->open ("no zip at all", 13, &zip, &slot);
  g_assert_cmpint (status, ==, LAM_E_CORRUPT);
  g_assert_null (zip);
  g_assert_false (lm_plugin_error_take (&slot, status, "input", &error));
  lm_test_assert_error (&error, LM_ERROR_CORRUPT, "zip", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/host/zip/members", test_members);
  g_test_add_func ("/host/zip/damaged", test_damaged);
  return g_test_run ();
}
