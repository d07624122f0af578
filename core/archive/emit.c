/* SPDX-License-Identifier: Apache-2.0 */
/* Writes members as a reproducible tar or as a new folder. */
#include "core/archive/emit.h"

#include "core/archive/file.h"
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

static bool
is_code (const char *name)
{
  return g_str_has_prefix (name, "plugins/");
}

static bool
write_member (struct archive *archive, const LmEmit *item)
{
  struct archive_entry *entry = archive_entry_new ();
  gsize n, done = 0;
  const char *data = g_bytes_get_data (item->bytes, &n);
  bool ok;

  archive_entry_set_pathname (entry, item->name);
  archive_entry_set_size (entry, (la_int64_t)n);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_perm (entry, is_code (item->name) ? 0755 : 0644);
  archive_entry_set_mtime (entry, 0, 0);
  archive_entry_set_uid (entry, 0);
  archive_entry_set_gid (entry, 0);
  ok = archive_write_header (archive, entry) == ARCHIVE_OK;
  while (ok && done < n) {
    la_ssize_t step = archive_write_data (archive, data + done, MIN (n - done, (gsize)1 << 30));
    ok = step > 0;
    done += ok ? (gsize)step : 0;
  }
  archive_entry_free (entry);
  return ok;
}

static bool
write_members (int fd, const GArray *items, const char *path, GError **error)
{
  struct archive *archive = archive_write_new ();
  bool ok = archive_write_set_format_pax_restricted (archive) == ARCHIVE_OK
            && archive_write_open_fd (archive, fd) == ARCHIVE_OK;

  for (guint i = 0; ok && i < items->len; i++)
    ok = write_member (archive, &g_array_index (items, LmEmit, i));
  ok = ok && archive_write_close (archive) == ARCHIVE_OK;
  if (!ok) {
    int code = archive_errno (archive); /* libarchive's own text is "Write error" */
    const char *text = archive_error_string (archive);
    g_set_error (error, LM_ERROR, LM_ERROR_IO, "cannot write %s: %s", path,
                 code > 0       ? g_strerror (code)
                 : text != NULL ? text
                                : "no reason");
  }
  archive_write_free (archive);
  return ok;
}

bool
lm_emit_tar (const char *path, const GArray *items, GError **error)
{
  LmNewFile file;

  if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "%s is a folder, and is not overwritten by an archive; choose another name", path);
    return false;
  }
  if (!lm_new_file_open (&file, path, 0666, error))
    return false;
  if (!write_members (file.fd, items, path, error)) {
    lm_new_file_abandon (&file);
    return false;
  }
  return lm_new_file_commit (&file, error);
}

/* Of a folder that we made ourselves: no links in it. */
static void
remove_tree (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *entry = g_build_filename (path, name, NULL);
    if (g_unlink (entry) != 0)
      remove_tree (entry);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_rmdir (path);
}

static bool
write_file (const char *root, const LmEmit *item, GError **error)
{
  g_autofree char *path = g_build_filename (root, item->name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);
  gsize n;
  const void *data = g_bytes_get_data (item->bytes, &n);
  LmNewFile file;

  if (g_mkdir_with_parents (folder, 0777) != 0) {
    g_set_error (error, LM_ERROR, LM_ERROR_IO, "cannot make %s: %s", folder, g_strerror (errno));
    return false;
  }
  if (!lm_new_file_open (&file, path, is_code (item->name) ? 0777 : 0666, error))
    return false;
  if (!lm_new_file_write (&file, data, n, error)) {
    lm_new_file_abandon (&file);
    return false;
  }
  return lm_new_file_commit (&file, error);
}

bool
lm_emit_tree (const char *path, const GArray *items, GError **error)
{
  g_autofree char *goal = g_canonicalize_filename (path, NULL);
  g_autofree char *parent = g_path_get_dirname (goal);
  g_autofree char *aside = lm_temporary_name (goal);
  bool ok = true;

  if (g_file_test (goal, G_FILE_TEST_EXISTS) || g_file_test (goal, G_FILE_TEST_IS_SYMLINK)) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "%s exists and is not overwritten by a folder; choose another name", path);
    return false;
  }
  if (g_mkdir (aside, 0777) != 0) {
    g_set_error (error, LM_ERROR, LM_ERROR_IO, "cannot make %s: %s", aside, g_strerror (errno));
    return false;
  }
  for (guint i = 0; ok && i < items->len; i++)
    ok = write_file (aside, &g_array_index (items, LmEmit, i), error);
  if (ok && g_rename (aside, goal) != 0) {
    g_set_error (error, LM_ERROR, LM_ERROR_IO, "cannot make %s: %s", goal, g_strerror (errno));
    ok = false;
  }
  if (ok)
    return lm_sync_folder (parent, error);
  remove_tree (aside);
  return false;
}
