/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMap: an ordered tree of maps, lists and leaves (semantics 1.19). A leaf is one opaque
 * 64-bit value; 0 is the nil leaf. Flatten order: map keys sorted bytewise, lists in order. Paths
 * read `a.b[2].c`. A node has one parent; containers own their children. */
#ifndef LM_BASE_NEST_H
#define LM_BASE_NEST_H

#include "core/base/error.h"

typedef struct LmNest LmNest;

typedef enum { LM_NEST_LEAF, LM_NEST_MAP, LM_NEST_LIST } LmNestKind;

LmNest *lm_nest_new_leaf (uint64_t value);
LmNest *lm_nest_new_map (void);
LmNest *lm_nest_new_list (void);
void lm_nest_free (LmNest *nest); /* with all children; accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmNest, lm_nest_free)
LmNest *lm_nest_copy (const LmNest *nest);

LmNestKind lm_nest_kind (const LmNest *nest);
uint64_t lm_nest_leaf (const LmNest *nest); /* 0 when not a leaf */

/* Children of a map (sorted by key) or list. */
guint lm_nest_size (const LmNest *nest);
const char *lm_nest_key (const LmNest *map, guint i);
LmNest *lm_nest_child (const LmNest *nest, guint i);

/* True for [A-Za-z_][A-Za-z0-9_]*: what a map key must be (whole string). */
bool lm_nest_check_key (const char *key);

/* By path; set makes the maps (never lists) on the way and takes ownership of child, replacing what
 * was there. Errors: bad key, path through a leaf, index out of range; then child is freed. */
LmNest *lm_nest_get (const LmNest *nest, const char *path); /* NULL if absent */
bool lm_nest_set (LmNest *nest, const char *path, LmNest *child, GError **error);
void lm_nest_append (LmNest *list, LmNest *child);
void lm_nest_put (LmNest *map, const char *key, LmNest *child); /* any key but ""; takes child */
bool lm_nest_remove (LmNest *nest, const char *path);

/* Leaves in flatten order, nil leaves included. Paths in the same order, NULL-terminated. */
GArray *lm_nest_flatten (const LmNest *nest); /* of uint64_t */
char **lm_nest_paths (const LmNest *nest);

/* Same structure with other leaves (n must be the number of leaves, else NULL and an error). */
LmNest *lm_nest_pack (const LmNest *structure, const uint64_t *leaves, gsize n, GError **error);

typedef uint64_t (*LmNestMapFn) (uint64_t leaf, const char *path, gpointer user);
LmNest *lm_nest_map (const LmNest *nest, LmNestMapFn fn, gpointer user);

/* Keeps the leaves for which keep () is true; empty containers go. */
typedef bool (*LmNestFilterFn) (uint64_t leaf, const char *path, gpointer user);
LmNest *lm_nest_filter (const LmNest *nest, LmNestFilterFn keep, gpointer user);

/* One error that names the first differing path and both kinds or key sets. */
bool lm_nest_assert_same_structure (const LmNest *a, const LmNest *b, GError **error);

#endif
