/* SPDX-License-Identifier: Apache-2.0 */
/* Host extension "lamina.host.files/1" (sdk/lamina/ext/files.h): where an input's paths are looked
 * up. An archive may come from a stranger: what its config names stays inside of it and of the
 * folder it lies in. A project directory is the user's own and may name any file. */
#include "core/host/private.h"

#include "core/archive/archive.h"
#include "core/archive/file.h"
#include "core/plugin/error.h"
#include <string.h>

struct lam_files {
  LmArchive *archive; /* borrowed, may be NULL */
  char *directory;
  GMutex lock;
  GHashTable *opened; /* path as asked -> GBytes* */
};

struct lam_file {
  GBytes *bytes;
};

struct lam_files *
lm_files_new (struct LmArchive *archive, const char *directory)
{
  struct lam_files *files = g_new0 (struct lam_files, 1);
  files->archive = archive;
  files->directory = g_strdup (directory);
  files->opened =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  g_mutex_init (&files->lock);
  return files;
}

void
lm_files_free (struct lam_files *files)
{
  if (files == NULL)
    return;
  g_hash_table_unref (files->opened);
  g_mutex_clear (&files->lock);
  g_free (files->directory);
  g_free (files);
}

/* True for a relative path that goes nowhere up. */
static bool
stays_inside (const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  bool inside = !g_path_is_absolute (path);
  for (guint i = 0; parts[i] != NULL; i++)
    inside = inside && strcmp (parts[i], "..") != 0;
  return inside;
}

/* "./a//b" -> "a/b". */
static char *
plain_path (const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  GString *out = g_string_new (NULL);
  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0' && strcmp (parts[i], ".") != 0)
      g_string_append_printf (out, "%s%s", out->len > 0 ? "/" : "", parts[i]);
  return g_string_free (out, FALSE);
}

char *
lm_files_asset_name (const char *path)
{
  g_autofree char *inside = stays_inside (path) ? plain_path (path) : g_path_get_basename (path);
  return g_strconcat ("assets/", inside, NULL);
}

/* The member that stands for path, or NULL. */
static GBytes *
open_member (const struct lam_files *files, const char *path, GError **error)
{
  if (files->archive == NULL)
    return NULL;
  g_autofree char *asset = lm_files_asset_name (path);
  if (lm_archive_has (files->archive, asset))
    return lm_archive_read (files->archive, asset, error);
  g_autofree char *plain = stays_inside (path) ? plain_path (path) : NULL;
  if (plain != NULL && lm_archive_has (files->archive, plain))
    return lm_archive_read (files->archive, plain, error);
  return NULL;
}

static GBytes *
open_path (const struct lam_files *files, const char *path, GError **error)
{
  bool packed = files->archive != NULL && !lm_archive_is_directory (files->archive);
  if (packed && !stays_inside (path)) {
    g_set_error (
        error, LM_ERROR, LM_ERROR_DENIED,
        "%s: the archive %s does not hold this file, and may name no file outside its own "
        "folder; unpack the archive and change the path in its config, or pack it with the file",
        path, lm_archive_path (files->archive));
    return NULL;
  }
  g_autofree char *full =
      g_path_is_absolute (path) ? g_strdup (path) : g_build_filename (files->directory, path, NULL);
  GBytes *bytes = lm_map_file (full, true, error);
  if (bytes == NULL && files->archive != NULL)
    g_prefix_error (error, "neither in %s nor beside it: ", lm_archive_path (files->archive));
  return bytes;
}

static lam_status
files_open (const lam_files *files, const char *path, lam_file **out, lam_error *error)
{
  g_autoptr (GError) why = NULL;
  if (path == NULL || *path == '\0')
    return lm_plugin_error_set (error, LAM_E_INVALID, "the path of a file is empty");
  GBytes *bytes = open_member (files, path, &why);
  if (bytes == NULL && why == NULL)
    bytes = open_path (files, path, &why);
  if (bytes == NULL) {
    lam_status status = why->code == LM_ERROR_NOT_FOUND ? LAM_E_NOT_FOUND
                        : why->code == LM_ERROR_DENIED  ? LAM_E_DENIED
                        : why->code == LM_ERROR_CORRUPT ? LAM_E_CORRUPT
                                                        : LAM_E_IO;
    return lm_plugin_error_set (error, status, why->message);
  }
  struct lam_files *changed = (struct lam_files *)(uintptr_t)files;
  g_mutex_lock (&changed->lock);
  g_hash_table_replace (changed->opened, g_strdup (path), g_bytes_ref (bytes));
  g_mutex_unlock (&changed->lock);
  lam_file *file = g_new0 (lam_file, 1);
  file->bytes = bytes;
  *out = file;
  return LAM_OK;
}

GHashTable *
lm_files_opened (struct lam_files *files)
{
  GHashTable *copy =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  GHashTableIter iter;
  gpointer path, bytes;
  g_mutex_lock (&files->lock);
  g_hash_table_iter_init (&iter, files->opened);
  while (g_hash_table_iter_next (&iter, &path, &bytes))
    g_hash_table_insert (copy, g_strdup (path), g_bytes_ref (bytes));
  g_mutex_unlock (&files->lock);
  return copy;
}

static const void *
files_data (const lam_file *file, uint64_t *out_size)
{
  gsize size;
  const void *data = g_bytes_get_data (file->bytes, &size);
  *out_size = size;
  return data != NULL ? data : "";
}

static void
files_close (lam_file *file)
{
  if (file == NULL)
    return;
  g_bytes_unref (file->bytes);
  g_free (file);
}

const lam_ext_files lm_host_files = {
    .struct_size = sizeof (lam_ext_files),
    .open = files_open,
    .data = files_data,
    .close = files_close,
};
