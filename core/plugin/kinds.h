/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of each kind of provided thing: what must be there and where its functions are. */
#ifndef LM_PLUGIN_KINDS_H
#define LM_PLUGIN_KINDS_H

#include "core/base/error.h"
#include "core/plugin/module.h"

typedef struct LmKindMember {
  const char *name;
  size_t offset;
} LmKindMember;

typedef struct LmKind {
  const char *id, *name; /* "lamina.layer/1", "layer" */
  size_t size;           /* of the host's table */
  size_t required;       /* end of the last member of version 1.0 */
  size_t instance_size;  /* offset of that uint64_t member */
  const LmKindMember *functions;
  guint n_functions;
} LmKind;

/* NULL for a kind that this version cannot use. */
const LmKind *lm_kind_find (const char *id);

/* Copies the plugin's table (minimum of both sizes) into new zeroed memory, and checks the copy: size,
 * required members, functions in the plugin's own code, methods of a layer. `what` names the thing
 * in errors. Free with g_free. */
void *lm_kind_copy (const LmKind *kind, const void *vtable, const LmModule *module,
                    const char *what, GError **error);

#endif
