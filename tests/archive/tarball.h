/* SPDX-License-Identifier: Apache-2.0 */
/* Tar files made by hand (POSIX ustar), so that tests do not depend on the writer they test, and can
 * break each rule. */
#ifndef TEST_ARCHIVE_TARBALL_H
#define TEST_ARCHIVE_TARBALL_H

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

static inline void
tar_checksum (guchar *header)
{
  guint sum = 0;

  memset (header + 148, ' ', 8);
  for (int i = 0; i < 512; i++)
    sum += header[i];
  g_snprintf ((char *)header + 148, 8, "%06o", sum);
}

/* A member of `type` ('0' file, '2' symlink ...), its data padded with zeros. */
static inline void
tar_add_type (GByteArray *tar, const char *name, const void *data, guint n, char type,
              const char *link)
{
  guchar header[512] = {0}, zeros[512] = {0};

  g_strlcpy ((char *)header, name, 100);
  memcpy (header + 100, "0000644", 8);
  memcpy (header + 108, "0000000", 8);
  memcpy (header + 116, "0000000", 8);
  g_snprintf ((char *)header + 124, 12, "%011o", n);
  memcpy (header + 136, "00000000000", 12);
  header[156] = (guchar)type;
  g_strlcpy ((char *)header + 157, link, 100);
  memcpy (header + 257, "ustar\00000", 8);
  tar_checksum (header);
  g_byte_array_append (tar, header, 512);
  if (n > 0)
    g_byte_array_append (tar, data, n);
  g_byte_array_append (tar, zeros, (512 - n % 512) % 512);
}

static inline void
tar_add (GByteArray *tar, const char *name, const char *text)
{
  tar_add_type (tar, name, text, (guint)strlen (text), '0', "");
}

static inline void
tar_end (GByteArray *tar)
{
  guchar zeros[1024] = {0};

  g_byte_array_append (tar, zeros, sizeof zeros);
}

/* Adds {"path", "size", "sha256"} of a file to a list in text form. */
static inline void
list_file (GString *files, const char *name, const char *text)
{
  g_autofree char *sha256 = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);

  g_string_append_printf (files, "%s{\"path\":\"%s\",\"size\":%u,\"sha256\":\"%s\"}",
                          files->len > 0 ? "," : "", name, (guint)strlen (text), sha256);
}

/* The manifest of some files; more: further keys, each with a comma before it. */
static inline char *
manifest_of (GString *files, const char *more)
{
  return g_strdup_printf ("{\"format\":\"lam/1\",\"min_reader\":\"1.0\",\"files\":[%s]%s}",
                          files->str, more);
}

#endif
