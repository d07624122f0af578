/* SPDX-License-Identifier: Apache-2.0 */
/* Members to a file or folder, aside and then renamed. */
#ifndef LM_ARCHIVE_EMIT_H
#define LM_ARCHIVE_EMIT_H

#include "core/base/error.h"

typedef struct LmEmit {
  const char *name;
  GBytes *bytes;
} LmEmit;

/* items: of LmEmit, in profile order, names checked. Equal items give equal bytes. */
bool lm_emit_tar (const char *path, const GArray *items, GError **error);

/* path must not exist. */
bool lm_emit_tree (const char *path, const GArray *items, GError **error);

#endif
