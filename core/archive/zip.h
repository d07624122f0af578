/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a zip file (npz) through libarchive's zip reader, which is enabled here alone; serves
 * the host extension "lamina.host.zip/1" (sdk/lamina/ext/zip.h). */
#ifndef LM_ARCHIVE_ZIP_H
#define LM_ARCHIVE_ZIP_H

#include "core/base/error.h"

/* name -> GBytes*; limits: 10,000 members, total size max_bytes (0: 64 GiB), names valid UTF-8. */
GHashTable *lm_zip_read (const char *path, guint64 max_bytes, GError **error);
/* The same over memory, for the fuzzer. */
GHashTable *lm_zip_read_bytes (const void *data, gsize n, guint64 max_bytes, GError **error);
/* Writes a stored (uncompressed) zip with libarchive, aside then renamed: for npz output. */
bool lm_zip_write (const char *path, GHashTable *members, GError **error);

#endif
