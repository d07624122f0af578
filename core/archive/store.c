/* SPDX-License-Identifier: Apache-2.0 */
/* The content store: plugin files copied out of archives under their sha256, private to the user. */
#include "core/archive/archive.h"

#include "core/archive/file.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *
store_path (void)
{
  const char *cache = g_getenv ("XDG_CACHE_HOME");

  if (cache != NULL && g_path_is_absolute (cache))
    return g_build_filename (cache, "lamina", "so", NULL);
  return g_build_filename (g_get_home_dir (), ".cache", "lamina", "so", NULL);
}

/* Makes the folder; others must not be able to write in it. */
static bool
make_private (const char *path, GError **error)
{
  struct stat st;

  if (g_mkdir_with_parents (path, 0700) != 0 || g_lstat (path, &st) != 0) {
    g_set_error (error, LM_ERROR, LM_ERROR_IO, "cannot make %s: %s", path, g_strerror (errno));
    return false;
  }
  if (S_ISDIR (st.st_mode) && st.st_uid == geteuid () && (st.st_mode & 022) == 0)
    return true;
  g_set_error (
      error, LM_ERROR, LM_ERROR_DENIED,
      "%s is not a folder of yours alone, so code is not loaded from it; run: chmod go-w %s", path,
      path);
  return false;
}

/* True if the file is there with these contents and only ours to change. */
static bool
is_stored (const char *path, const char *sha256)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *found = NULL;
  struct stat st;

  if (g_lstat (path, &st) != 0 || !S_ISREG (st.st_mode) || st.st_uid != geteuid ()
      || (st.st_mode & 022) != 0)
    return false;
  bytes = lm_map_file (path, false, NULL);
  if (bytes == NULL)
    return false;
  found = lm_sha256 (bytes);
  return strcmp (found, sha256) == 0;
}

static bool
write_file (const char *path, GBytes *bytes, GError **error)
{
  LmNewFile file;
  gsize n;
  const void *data = g_bytes_get_data (bytes, &n);

  if (!lm_new_file_open (&file, path, 0500, error))
    return false;
  if (!lm_new_file_write (&file, data, n, error)) {
    lm_new_file_abandon (&file);
    return false;
  }
  return lm_new_file_commit (&file, error);
}

char *
lm_archive_extract_plugin (LmArchive *archive, const LmArchivePlugin *plugin, GError **error)
{
  g_autoptr (GBytes) bytes = lm_archive_read (archive, plugin->file, error);
  g_autofree char *store = store_path (), *folder = NULL, *path = NULL, *name = NULL, *found = NULL;

  if (bytes == NULL)
    return NULL;
  /* The digest of the very bytes that are written, whatever the reader checked before. */
  found = lm_sha256 (bytes);
  if (strcmp (found, plugin->sha256) != 0) {
    g_set_error (error, LM_ERROR, LM_ERROR_CORRUPT, "%s: \"%s\" changed while it was read",
                 lm_archive_path (archive), plugin->file);
    return NULL;
  }
  folder = g_build_filename (store, plugin->sha256, NULL);
  name = g_path_get_basename (plugin->file);
  path = g_build_filename (folder, name, NULL);
  if (!make_private (store, error) || !make_private (folder, error))
    return NULL;
  if (!is_stored (path, plugin->sha256) && !write_file (path, bytes, error))
    return NULL;
  return g_steal_pointer (&path);
}
