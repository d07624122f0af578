/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMaps as JSON, and as text for people. What a leaf reads like is the caller's: a leaf is an
 * opaque number. */
#ifndef LM_BASE_NEST_TEXT_H
#define LM_BASE_NEST_TEXT_H

#include "core/base/json.h"
#include "core/base/nest.h"

/* Objects become maps at every depth (their keys are checked), arrays lists, null the nil leaf; fn
 * reads every other value, which stands at path, and may refuse it. */
typedef bool (*LmNestReadFn) (JsonNode *value, const char *path, uint64_t *out_leaf, gpointer user,
                              GError **error);
LmNest *lm_nest_from_json (JsonNode *node, LmNestReadFn fn, gpointer user, GError **error);

/* The way back; fn gives a new node for a leaf that is not nil. */
typedef JsonNode *(*LmNestWriteFn) (uint64_t leaf, gpointer user);
JsonNode *lm_nest_to_json (const LmNest *nest, LmNestWriteFn fn, gpointer user);

/* One line a leaf, sorted: the path, blanks up to four past the longest, and what fn (a new string)
 * says of the leaf, nil leaves too. No newline at the end. */
typedef char *(*LmNestTextFn) (uint64_t leaf, gpointer user);
char *lm_nest_debug_string (const LmNest *nest, LmNestTextFn fn, gpointer user);

#endif
