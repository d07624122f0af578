/* SPDX-License-Identifier: Apache-2.0 */
/* Which code from archives may run: by exact sha256 of the file, kept in
 * $XDG_CONFIG_HOME/lamina/trusted.d/<sha256> (one small file each, written atomically, mode 0600,
 * refused when writable by others). */
#ifndef LM_ARCHIVE_TRUST_H
#define LM_ARCHIVE_TRUST_H

#include "core/archive/archive.h"

bool lm_trust_has (const char *sha256);
bool lm_trust_add (const char *sha256, const char *note, GError **error);
bool lm_trust_remove (const char *sha256, GError **error);
GPtrArray *lm_trust_list (GError **error); /* of char*: "sha256  note" */

/* OK when every plugin of the archive for this platform that is not trusted is absent; otherwise one
 * DENIED error that lists each file with id, sha256 and names the next command:
 * "run: lamina trust <archive>". */
bool lm_trust_check (const LmArchive *archive, GError **error);

/* The same over a list of LmArchivePlugin*, for code that no manifest describes; path: what brings it. */
bool lm_trust_check_plugins (const char *path, const GPtrArray *plugins, GError **error);

#endif
