/* SPDX-License-Identifier: Apache-2.0 */
/* A model archive: the strict tar profile "lam/1" or the same tree as a directory (reference:
 * sdk/doc/archive-format). Members are read in place from a read-only map; nothing is extracted
 * except plugin files, by digest, into a private store. The only caller of libarchive. */
#ifndef LM_ARCHIVE_ARCHIVE_H
#define LM_ARCHIVE_ARCHIVE_H

#include "core/base/array.h"
#include "core/base/json.h"

typedef struct LmArchive LmArchive;

/* Opens a .lam file or a directory; checks the whole structure (names, types, order, duplicates, the
 * manifest's list against the members, sizes) before returning. sha256 of config, plugin and other
 * small files is checked when they are read; weights when verify_weights. A directory may be a
 * hand-made project: without manifest.json it needs config/model.json (or model.json at its top),
 * and has no listed plugins. */
LmArchive *lm_archive_open (const char *path, GError **error);
/* A project that is nothing but a config made in memory; its path is `folder`. */
LmArchive *lm_archive_new_config (const char *folder, JsonObject *config);
void lm_archive_free (LmArchive *archive);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmArchive, lm_archive_free)

const char *lm_archive_path (const LmArchive *archive);
bool lm_archive_is_directory (const LmArchive *archive);
JsonObject *lm_archive_manifest (const LmArchive *archive); /* NULL in a bare project */

/* Member names in archive order, NULL-terminated, owned by the archive. */
const char *const *lm_archive_members (const LmArchive *archive);
bool lm_archive_has (const LmArchive *archive, const char *name);

/* Bytes of a member: mapped, valid while the archive lives (the GBytes keeps the map alive). The
 * sha256 of the manifest, when listed, is verified once. */
GBytes *lm_archive_read (LmArchive *archive, const char *name, GError **error);

/* Config as JSON ("config/model.json", comments allowed). */
JsonNode *lm_archive_config (LmArchive *archive, GError **error);

/* All tensors of weights/ (or of state/<name>.safetensors): name -> LmArray view into the map.
 * NULL and no error when there are none. */
GHashTable *lm_archive_weights (LmArchive *archive, GError **error);
GHashTable *lm_archive_state (LmArchive *archive, const char *name, GError **error);

/* The plugin directory that the manifest describes, for this platform. */
typedef struct LmArchivePlugin {
  char *id, *version, *platform, *file, *sha256;
  char **provides; /* "kind:id@rev" */
  bool here;       /* platform is this machine's */
} LmArchivePlugin;
void lm_archive_plugin_free (gpointer plugin);                  /* for lists of them */
const GPtrArray *lm_archive_plugins (const LmArchive *archive); /* of LmArchivePlugin* */

/* Copies a plugin member (digest checked) into the content store
 * $XDG_CACHE_HOME/lamina/so/<sha256>/<basename>, mode 0500, and returns that path. */
char *lm_archive_extract_plugin (LmArchive *archive, const LmArchivePlugin *plugin, GError **error);

/* The default backend id of the manifest ("backend" key) or config, NULL if none. */
const char *lm_archive_backend (const LmArchive *archive);

/* This machine's platform triplet, "x86_64-linux-gnu". */
const char *lm_platform (void);

#endif
