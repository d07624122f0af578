/* SPDX-License-Identifier: Apache-2.0 */
/* Where the paths of inputs lead: into the archive, beside it, and nowhere else. */
#include "tests/lib/fixture.h"

#include "core/archive/writer.h"
#include "core/plugin/error.h"
#include <glib/gstdio.h>
#include <lamina/ext/files.h>
#include <string.h>

/* A folder with "beside.txt", "sub/deep.txt" and m.lam, which holds assets/data/in.txt, assets/last.txt
 * and docs/plain.txt. */
typedef struct Fixture {
  char *folder, *inner, *lam;
  LmArchive *archive;
  struct lam_files *files;
} Fixture;

static void
write_text (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
add (LmArchiveWriter *writer, const char *name, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  lm_archive_writer_add (writer, name, bytes);
}

static void
set_up (Fixture *f, gconstpointer directory)
{
  g_autoptr (GError) error = NULL;
  f->folder = g_dir_make_tmp ("lamina-files-XXXXXX", NULL);
  f->inner = g_build_filename (f->folder, "inner", NULL);
  f->lam = g_build_filename (f->inner, "m.lam", NULL);
  write_text (f->folder, "outside.txt", "outside");
  write_text (f->inner, "beside.txt", "beside");
  write_text (f->inner, "sub/deep.txt", "deep");
  g_autoptr (LmArchiveWriter) writer = lm_archive_writer_new ();
  add (writer, "config/model.json", "{}");
  add (writer, "assets/data/in.txt", "in the archive");
  add (writer, "assets/last.txt", "by its last part");
  add (writer, "docs/plain.txt", "plain member");
  add (writer, "assets/beside.txt", "archive first");
  g_assert_true (lm_archive_writer_finish (writer, f->lam, directory != NULL, &error));
  f->archive = lm_archive_open (f->lam, &error);
  g_assert_no_error (error);
  f->files = lm_files_new (f->archive, directory != NULL ? f->lam : f->inner);
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *child = g_build_filename (path, name, NULL);
    remove_tree (child);
  }
  g_remove (path);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  lm_files_free (f->files);
  lm_archive_free (f->archive);
  remove_tree (f->folder);
  g_free (f->folder);
  g_free (f->inner);
  g_free (f->lam);
}

static const lam_ext_files *
ext (void)
{
  const lam_host *host = lm_host_tables ()->host;
  return host->get_extension (host, LAM_EXT_FILES);
}

static void
assert_opens (struct lam_files *files, const char *path, const char *text)
{
  lam_file *file = NULL;
  uint64_t n = 0;
  g_assert_cmpint (ext ()->open (files, path, &file, NULL), ==, LAM_OK);
  const void *data = ext ()->data (file, &n);
  g_assert_cmpmem (data, n, text, strlen (text));
  ext ()->close (file);
}

static void
assert_refused (struct lam_files *files, const char *path, lam_status wanted, const char *says)
{
  g_autoptr (GError) error = NULL;
  lam_file *file = NULL;
  lam_error slot;
  lm_plugin_error_init (&slot);
  lam_status status = ext ()->open (files, path, &file, &slot);
  g_assert_cmpint (status, ==, wanted);
  g_assert_null (file);
  g_assert_false (lm_plugin_error_take (&slot, status, "input", &error));
  g_assert_nonnull (strstr (error->message, says));
}

static void
test_lookup (Fixture *f, gconstpointer unused)
{
  assert_opens (f->files, "data/in.txt", "in the archive");
  assert_opens (f->files, "./data//in.txt", "in the archive");
  assert_opens (f->files, "docs/plain.txt", "plain member");
  assert_opens (f->files, "beside.txt", "archive first");
  assert_opens (f->files, "sub/deep.txt", "deep");
  assert_opens (f->files, "/somewhere/last.txt", "by its last part");
  assert_opens (f->files, "../x/last.txt", "by its last part");
  assert_refused (f->files, "none.txt", LAM_E_NOT_FOUND, "none.txt");
  assert_refused (f->files, "", LAM_E_INVALID, "empty");
}

/* An archive's config may come from a stranger: it reaches nothing outside its folder. */
static void
test_escape (Fixture *f, gconstpointer unused)
{
  g_autofree char *absolute = g_build_filename (f->inner, "sub", "deep.txt", NULL);
  assert_refused (f->files, "../outside.txt", LAM_E_DENIED, "../outside.txt");
  assert_refused (f->files, "sub/../../outside.txt", LAM_E_DENIED, "outside");
  assert_refused (f->files, absolute, LAM_E_DENIED, "unpack");
  assert_refused (f->files, "/etc/passwd", LAM_E_DENIED, "/etc/passwd");
}

/* A project directory is the user's own. */
static void
test_directory (Fixture *f, gconstpointer unused)
{
  g_autofree char *absolute = g_build_filename (f->inner, "sub", "deep.txt", NULL);
  assert_opens (f->files, "data/in.txt", "in the archive");
  assert_opens (f->files, absolute, "deep");
  assert_opens (f->files, "../../outside.txt", "outside");
}

static void
test_opened (Fixture *f, gconstpointer unused)
{
  assert_opens (f->files, "data/in.txt", "in the archive");
  assert_opens (f->files, "sub/deep.txt", "deep");
  ext ()->open (f->files, "none.txt", &(lam_file *) {NULL}, NULL);
  g_autoptr (GHashTable) opened = lm_files_opened (f->files);
  g_assert_cmpuint (g_hash_table_size (opened), ==, 2);
  GBytes *bytes = g_hash_table_lookup (opened, "sub/deep.txt");
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "deep", 4);
}

static void
test_asset_name (void)
{
  static const char *const cases[][2] = {{"data/x.npz", "assets/data/x.npz"},
                                         {"./data/./x.npz", "assets/data/x.npz"},
                                         {"/data/x.npz", "assets/x.npz"},
                                         {"../data/x.npz", "assets/x.npz"},
                                         {"a/../b/x.npz", "assets/x.npz"}};
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *name = lm_files_asset_name (cases[i][0]);
    g_assert_cmpstr (name, ==, cases[i][1]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/host/files/lookup", Fixture, NULL, set_up, test_lookup, tear_down);
  g_test_add ("/host/files/escape", Fixture, NULL, set_up, test_escape, tear_down);
  g_test_add ("/host/files/directory", Fixture, "", set_up, test_directory, tear_down);
  g_test_add ("/host/files/opened", Fixture, NULL, set_up, test_opened, tear_down);
  g_test_add_func ("/host/files/asset_name", test_asset_name);
  return g_test_run ();
}
