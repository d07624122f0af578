/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an archive: members are collected first, then the whole is written aside, fsynced and
 * renamed, so that a reader sees the old file or the new one. Reproducible: same members, same bytes. */
#ifndef LM_ARCHIVE_WRITER_H
#define LM_ARCHIVE_WRITER_H

#include "core/archive/archive.h"

typedef struct LmArchiveWriter LmArchiveWriter;

LmArchiveWriter *lm_archive_writer_new (void);
void lm_archive_writer_free (LmArchiveWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmArchiveWriter, lm_archive_writer_free)

/* Adds a member; the name must follow the profile. Errors are sticky and reported by finish. */
void lm_archive_writer_add (LmArchiveWriter *writer, const char *name, GBytes *bytes);
/* Adds a file from disk as a member (streamed at finish). */
void lm_archive_writer_add_file (LmArchiveWriter *writer, const char *name, const char *path);
/* Adds tensors (name -> LmArray*) as one safetensors member, data 4096-aligned in the archive. */
void lm_archive_writer_add_tensors (LmArchiveWriter *writer, const char *name, GHashTable *tensors);
/* A plugin for a platform: copied to plugins/<platform>/, described from its ELF notes in the
 * manifest: id, version, provides, sha256. `notes` come from core/plugin via the caller. */
void lm_archive_writer_add_plugin (LmArchiveWriter *writer, const char *path, const char *platform,
                                   JsonObject *description);
/* Keys of the manifest besides files, plugins, format ("model", "backend", "requires" ...). */
void lm_archive_writer_set (LmArchiveWriter *writer, const char *key, JsonNode *value);

/* Builds the manifest and writes `path`: a tar (atomic: temporary beside, fsync, rename) or, with
 * directory, an unpacked tree (new directory, renamed when whole). Refuses to overwrite a directory. */
bool lm_archive_writer_finish (LmArchiveWriter *writer, const char *path, bool directory,
                               GError **error);

/* pack / unpack: lossless conversion between the two forms, each member checked on the way. A bare
 * project gets a manifest; its model.json becomes config/model.json. */
bool lm_archive_convert (LmArchive *archive, const char *path, bool directory, GError **error);

#endif
