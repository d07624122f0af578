/* SPDX-License-Identifier: Apache-2.0 */
/* The code that a model brings along: plugins that a manifest describes, or the shared objects below
 * plugins/<platform>/ of a hand-made project, described by their ELF notes. */
#ifndef LM_PROGRAM_CODE_H
#define LM_PROGRAM_CODE_H

#include "core/archive/archive.h"
#include "core/archive/writer.h"
#include "core/plugin/registry.h"

/* Of LmArchivePlugin*; free with g_ptr_array_unref. A file of a project for this platform that is no
 * sound plugin is an error. */
GPtrArray *lm_code_list (LmArchive *archive, GError **error);

/* Refuses code that is not trusted (one DENIED error that names the next command), then adds the
 * plugins for this platform to the registry. They run when something is asked of them. */
bool lm_code_register (LmArchive *archive, LmRegistry *registry, GError **error);

/* The revisions that the manifest's "requires" names against what the registry provides: all that are
 * too old in one PLUGIN error. Things that are not there are left to whoever asks for them. */
bool lm_code_check_requires (LmArchive *archive, LmRegistry *registry, GError **error);

/* Adds to a writer what an archive holds beside config, weights and state: plugins with their
 * descriptions and, when there is a manifest, every other member; of a hand-made project only
 * assets/, README.md and LICENSE. Members in `except` (a set of names, may be NULL) stay out. */
bool lm_carry_members (LmArchive *archive, GHashTable *except, LmArchiveWriter *writer,
                       GError **error);

#endif
