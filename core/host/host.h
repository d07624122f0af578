/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that plugins see, one file of this folder for each header of the SDK that has one. */
#ifndef LM_HOST_HOST_H
#define LM_HOST_HOST_H

#include "core/model/model.h"

/* All tables; constant, valid for ever. */
const LmHostTables *lm_host_tables (void);

/* Where the inputs of one model find their files: the archive's members first (assets/<path>, then
 * <path>), then the directory it lies in (or is). What a .lam file names stays inside of these; a
 * project directory may also name absolute paths and "..". Give to lam_input_args.files. archive may be NULL; kept by reference to the caller's
 * object, which must outlive it. */
struct LmArchive;
struct lam_files *lm_files_new (struct LmArchive *archive, const char *directory);
void lm_files_free (struct lam_files *files); /* accepts NULL */

/* Member that stands for an input's path in an archive: "assets/<path>"; for a path that leaves its
 * folder "assets/<last part>". */
char *lm_files_asset_name (const char *path);

/* What was opened so far: path as asked -> GBytes*; a new table. (For saving: an archive carries its
 * small data files.) */
GHashTable *lm_files_opened (struct lam_files *files);

#endif
