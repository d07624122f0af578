/* SPDX-License-Identifier: Apache-2.0 */
/* One writer at a time of a file, over processes. Only who asks is kept out. */
#ifndef LM_ARCHIVE_LOCK_H
#define LM_ARCHIVE_LOCK_H

#include "core/base/error.h"

typedef struct LmFileLock LmFileLock;

/* Of the file that will be written as path, which need not exist; code IO if another has it. The lock is
 * on ".NAME.lock" beside it, which goes when it is given back; that of a killed process no longer counts.
 * *out is NULL where the file system has no locks or the folder cannot be written: no lock, no error. */
bool lm_file_lock (const char *path, LmFileLock **out, GError **error);
void lm_file_unlock (LmFileLock *lock); /* accepts NULL */

#endif
