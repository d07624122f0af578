/* SPDX-License-Identifier: Apache-2.0 */
/* The members of an uncompressed tar, where their bytes lie in the map, and the strict profile. */
#include "core/archive/profile.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#define BLOCK 512u
/* A member's headers: its own block, or before it a pax header of one block with one of text. */
#define PAX_HEADERS (3 * BLOCK)
/* Two zero blocks, then zeros up to a multiple of tar's record of 20 blocks. */
#define MIN_TAIL (2 * BLOCK)
#define MAX_TAIL (2 * BLOCK + 20 * BLOCK)

typedef struct archive Archive;

static void
read_free (Archive *archive)
{
  archive_read_free (archive);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Archive, read_free)

typedef struct Walk {
  Archive *archive;
  const guchar *data;
  uint64_t n, at; /* size of the map; end of the last member with its padding */
  GPtrArray *members;
  const char *where;
  GError **error;
} Walk;

static bool G_GNUC_PRINTF (2, 3) fail (Walk *w, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (w->error, LM_ERROR, LM_ERROR_CORRUPT, "%s: %s", w->where, message);
  return false;
}

static bool
fail_libarchive (Walk *w)
{
  const char *why = archive_error_string (w->archive);

  if (w->at == 0)
    return fail (w, "not a model archive: it is not an uncompressed tar (%s)",
                 why != NULL ? why : "unknown format");
  return fail (w,
               "the tar is damaged behind byte %" G_GUINT64_FORMAT ": %s; is the download "
               "complete?",
               w->at, why != NULL ? why : "no reason given");
}

/* Plain files only; owner, times and the like do not matter. */
static bool
check_kind (Walk *w, struct archive_entry *entry, const char *name)
{
  int format = archive_format (w->archive);
  const char *fault = lm_profile_name_fault (name);

  if (fault != NULL) {
    g_autofree char *shown = g_utf8_make_valid (name, -1);
    return fail (w, "the name \"%.80s\" is not allowed: %s", shown, fault);
  }
  if (format != ARCHIVE_FORMAT_TAR_USTAR && format != ARCHIVE_FORMAT_TAR_PAX_RESTRICTED
      && format != ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE)
    return fail (w, "\"%s\" is not a ustar or pax member; write archives with lamina pack", name);
  if (archive_entry_filetype (entry) != AE_IFREG || archive_entry_hardlink (entry) != NULL
      || archive_entry_symlink (entry) != NULL || archive_entry_sparse_count (entry) > 0
      || (archive_entry_perm (entry) & 07000) != 0)
    return fail (w,
                 "\"%s\" is not a plain file; links, folders, devices and sparse files are not "
                 "allowed",
                 name);
  return (archive_entry_size_is_set (entry) && archive_entry_size (entry) >= 0)
         || fail (w, "\"%s\" has no size", name);
}

/* libarchive's offset must be where the profile says, right behind headers that begin where the last
 * member ended: nothing can hide between members. */
static bool
check_place (Walk *w, const char *name, uint64_t offset, uint64_t size)
{
  uint64_t headers = offset - w->at;
  const guchar *header;

  if (offset < w->at + BLOCK || offset > w->n || size > w->n - offset
      || !(headers == BLOCK || (headers == PAX_HEADERS && w->data[w->at + 156] == 'x')))
    return fail (w,
                 "\"%s\" does not lie where the tar profile puts it, or is cut short "
                 "(%" G_GUINT64_FORMAT " bytes at %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                 "); is the download complete?",
                 name, size, offset, w->n);
  header = w->data + offset - BLOCK;
  return (memcmp (header + 257, "ustar\00000", 8) == 0
          && (header[156] == '0' || header[156] == '\0'))
         || fail (w, "\"%s\" has no plain ustar header before its data", name);
}

static bool
add_member (Walk *w, struct archive_entry *entry)
{
  const char *name = archive_entry_pathname (entry);
  uint64_t offset = (uint64_t)archive_filter_bytes (w->archive, 0), size;
  const LmMember *last = w->members->len > 0 ? w->members->pdata[w->members->len - 1] : NULL;

  if (!check_kind (w, entry, name != NULL ? name : "\xff"))
    return false;
  size = (uint64_t)archive_entry_size (entry);
  if (!check_place (w, name, offset, size))
    return false;
  if (last == NULL && strcmp (name, LM_MANIFEST) != 0)
    return fail (w, "not a model archive: its first member is \"%s\", wanted " LM_MANIFEST, name);
  if (last != NULL && lm_profile_order (last->name, name) >= 0)
    return fail (w,
                 "\"%s\" stands behind \"%s\", against the order of the profile; write archives "
                 "with lamina pack",
                 name, last->name);
  if (w->members->len >= LM_MAX_MEMBERS)
    return fail (w, "more than %u members", LM_MAX_MEMBERS);
  g_ptr_array_add (w->members, lm_member_new (name, offset, size));
  w->at = offset + (size + BLOCK - 1) / BLOCK * BLOCK;
  return true;
}

static bool
check_tail (Walk *w)
{
  uint64_t tail = w->at <= w->n ? w->n - w->at : 0;

  if (tail < MIN_TAIL || tail > MAX_TAIL)
    return fail (w,
                 "%" G_GUINT64_FORMAT " bytes behind the last member, wanted two zero blocks; is "
                 "the download complete?",
                 tail);
  for (uint64_t i = w->at; i < w->n; i++)
    if (w->data[i] != 0)
      return fail (w, "data behind the end of the archive at byte %" G_GUINT64_FORMAT, i);
  return true;
}

GPtrArray *
lm_tar_members (GBytes *map, const char *where, GError **error)
{
  g_autoptr (Archive) archive = archive_read_new ();
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func (lm_member_free);
  gsize n;
  const guchar *data = g_bytes_get_data (map, &n);
  Walk w = {archive, data, n, 0, members, where, error};
  struct archive_entry *entry;
  int status;

  archive_read_support_filter_none (archive);
  archive_read_support_format_tar (archive);
  if (n < 3 * BLOCK || archive_read_open_memory (archive, data, n) != ARCHIVE_OK) {
    fail (&w, "not a model archive: %" G_GSIZE_FORMAT " bytes", n);
    return NULL;
  }
  while ((status = archive_read_next_header (archive, &entry)) == ARCHIVE_OK)
    if (!add_member (&w, entry))
      return NULL;
  if (status != ARCHIVE_EOF) {
    fail_libarchive (&w);
    return NULL;
  }
  if (members->len == 0) {
    fail (&w, "not a model archive: it has no members");
    return NULL;
  }
  if (!check_tail (&w) || !lm_profile_check_names (members, where, error))
    return NULL;
  return g_steal_pointer (&members);
}
