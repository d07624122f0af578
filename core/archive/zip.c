/* SPDX-License-Identifier: Apache-2.0 */
/* Zip files through libarchive: all members into memory, and stored members out. */
#include "core/archive/zip.h"

#include "core/archive/file.h"
#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#define MAX_MEMBERS   10000u
#define DEFAULT_BYTES (UINT64_C (64) << 30)
#define FIRST_CHUNK   65536

typedef struct archive Archive;

static void
read_free (Archive *archive)
{
  archive_read_free (archive);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Archive, read_free)

static bool
refuse (GError **error, LmErrorCode code, const char *where, const char *why)
{
  g_set_error (error, LM_ERROR, code, "%s: %s", where, why);
  return false;
}

/* Grows *data to hold at least one byte more than `used`, within `most`. */
static bool
grow (guchar **data, gsize *size, gsize used, guint64 most, const char *where, GError **error)
{
  gsize wanted = *size == 0 ? FIRST_CHUNK : *size * 2;
  guchar *larger;

  if (used > most) {
    g_set_error (error, LM_ERROR, LM_ERROR_CORRUPT,
                 "%s: the members unpack to more than the %" G_GUINT64_FORMAT " bytes allowed",
                 where, most);
    return false;
  }
  if (used < *size)
    return true;
  larger = g_try_realloc (*data, wanted);
  if (larger == NULL)
    return refuse (error, LM_ERROR_NO_MEMORY, where, "no memory for a member");
  *data = larger;
  *size = wanted;
  return true;
}

/* The bytes of the current member, or NULL; *left shrinks by their number. */
static GBytes *
read_data (Archive *archive, guint64 *left, const char *where, GError **error)
{
  g_autofree guchar *data = NULL;
  gsize size = 0, used = 0;

  for (;;) {
    la_ssize_t got;
    if (!grow (&data, &size, used, *left, where, error))
      return NULL;
    got = archive_read_data (archive, data + used, size - used);
    if (got < 0) {
      refuse (error, LM_ERROR_CORRUPT, where,
              archive_error_string (archive) ? archive_error_string (archive) : "damaged data");
      return NULL;
    }
    if (got == 0)
      break;
    used += (gsize)got;
  }
  *left -= used;
  return g_bytes_new_take (g_steal_pointer (&data), used);
}

static bool
read_member (Archive *archive, struct archive_entry *entry, GHashTable *members, guint64 *left,
             const char *where, GError **error)
{
  const char *name = archive_entry_pathname (entry);
  GBytes *bytes;

  if (archive_entry_filetype (entry) == AE_IFDIR)
    return true;
  if (name == NULL || *name == '\0' || !g_utf8_validate (name, -1, NULL))
    return refuse (error, LM_ERROR_CORRUPT, where, "a member's name is not UTF-8");
  if (archive_entry_filetype (entry) != AE_IFREG || archive_entry_is_encrypted (entry))
    return refuse (error, LM_ERROR_UNSUPPORTED, where, "a member is encrypted or not a plain file");
  if (g_hash_table_contains (members, name)) {
    g_set_error (error, LM_ERROR, LM_ERROR_CORRUPT, "%s: member \"%s\" is there twice", where,
                 name);
    return false;
  }
  if (g_hash_table_size (members) >= MAX_MEMBERS)
    return refuse (error, LM_ERROR_CORRUPT, where, "more than 10000 members");
  bytes = read_data (archive, left, where, error);
  if (bytes != NULL)
    g_hash_table_insert (members, g_strdup (name), bytes);
  return bytes != NULL;
}

static GHashTable *
read_members (Archive *archive, guint64 max_bytes, const char *where, GError **error)
{
  g_autoptr (GHashTable) members =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  guint64 left = max_bytes == 0 ? DEFAULT_BYTES : max_bytes;
  struct archive_entry *entry;
  int status;

  while ((status = archive_read_next_header (archive, &entry)) == ARCHIVE_OK)
    if (!read_member (archive, entry, members, &left, where, error))
      return NULL;
  if (status == ARCHIVE_EOF)
    return g_steal_pointer (&members);
  refuse (error, LM_ERROR_CORRUPT, where,
          archive_error_string (archive) ? archive_error_string (archive) : "damaged zip file");
  return NULL;
}

/* The seekable reader trusts the central directory alone: no second list to disagree with. */
static Archive *
zip_reader (void)
{
  Archive *archive = archive_read_new ();

  archive_read_support_filter_none (archive);
  archive_read_support_format_zip_seekable (archive);
  return archive;
}

GHashTable *
lm_zip_read (const char *path, guint64 max_bytes, GError **error)
{
  g_autoptr (Archive) archive = zip_reader ();

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
    refuse (error, LM_ERROR_NOT_FOUND, path, "no such file");
    return NULL;
  }
  if (archive_read_open_filename (archive, path, 1 << 16) != ARCHIVE_OK) {
    refuse (error, LM_ERROR_CORRUPT, path, "not a zip file");
    return NULL;
  }
  return read_members (archive, max_bytes, path, error);
}

GHashTable *
lm_zip_read_bytes (const void *data, gsize n, guint64 max_bytes, GError **error)
{
  g_autoptr (Archive) archive = zip_reader ();

  if (archive_read_open_memory (archive, data, n) != ARCHIVE_OK) {
    refuse (error, LM_ERROR_CORRUPT, "zip data", "not a zip file");
    return NULL;
  }
  return read_members (archive, max_bytes, "zip data", error);
}

static bool
write_member (Archive *archive, const char *name, GBytes *bytes)
{
  struct archive_entry *entry = archive_entry_new ();
  gsize n;
  const void *data = g_bytes_get_data (bytes, &n);
  bool ok;

  archive_entry_set_pathname (entry, name);
  archive_entry_set_size (entry, (la_int64_t)n);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_perm (entry, 0644);
  archive_entry_set_mtime (entry, 0, 0);
  ok = archive_write_header (archive, entry) == ARCHIVE_OK
       && (n == 0 || archive_write_data (archive, data, n) == (la_ssize_t)n);
  archive_entry_free (entry);
  return ok;
}

static bool
write_members (int fd, GHashTable *members, GError **error)
{
  Archive *archive = archive_write_new ();
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (members), (GCompareFunc)strcmp);
  bool ok = archive_write_set_format_zip (archive) == ARCHIVE_OK
            && archive_write_zip_set_compression_store (archive) == ARCHIVE_OK
            && archive_write_open_fd (archive, fd) == ARCHIVE_OK;

  for (GList *l = names; ok && l != NULL; l = l->next)
    ok = write_member (archive, l->data, g_hash_table_lookup (members, l->data));
  ok = ok && archive_write_close (archive) == ARCHIVE_OK;
  if (!ok)
    g_set_error (error, LM_ERROR, LM_ERROR_IO, "cannot write a zip file: %s",
                 archive_error_string (archive) ? archive_error_string (archive) : "no reason");
  archive_write_free (archive);
  return ok;
}

bool
lm_zip_write (const char *path, GHashTable *members, GError **error)
{
  LmNewFile file;

  if (!lm_new_file_open (&file, path, 0666, error))
    return false;
  if (!write_members (file.fd, members, error)) {
    lm_new_file_abandon (&file);
    return false;
  }
  return lm_new_file_commit (&file, error);
}
