/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of a NestedMap, shared by nest.c and nest_path.c only. */
#ifndef LM_BASE_NEST_PRIVATE_H
#define LM_BASE_NEST_PRIVATE_H

#include "core/base/nest.h"

struct LmNest {
  LmNestKind kind;
  uint64_t value;      /* of a leaf */
  GPtrArray *keys;     /* of a map: char*, sorted bytewise, parallel to children */
  GPtrArray *children; /* of a map or list: LmNest* */
};

/* Length of the key that text starts with; 0 if none. */
size_t lm_nest_key_length (const char *text);

/* Where key is, or where it belongs. */
bool lm_nest_find_key (const LmNest *map, const char *key, guint *out_at);

/* Frees child i and takes `child` in its place. */
void lm_nest_replace_child (LmNest *nest, guint i, LmNest *child);

#endif
