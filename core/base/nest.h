/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMap: an ordered tree of maps, lists and leaves. A leaf is one opaque
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

/* True for [A-Za-z_][A-Za-z0-9_]*, the whole string (lingvo only looks at how a key begins). */
bool lm_nest_check_key (const char *key);

/* What may be written: a key by the rule above that is not reserved (names of Python's dict methods
 * and __x__, so that a tree reads as attributes there). The error says which. */
bool lm_nest_check_new_key (const char *key, GError **error);

/* By path; "" is the tree itself. A path goes through any nesting of lists ("l[0][1]"). get is NULL if
 * nothing is there; get_item says why: NOT_FOUND for a key (with those that there are) or an index that
 * is not there, INVALID for a path through a leaf or a list by key. has is never an error, and false
 * for "". */
LmNest *lm_nest_get (const LmNest *nest, const char *path);
LmNest *lm_nest_get_item (const LmNest *nest, const char *path, GError **error);
bool lm_nest_has (const LmNest *nest, const char *path);

/* Takes ownership of child and replaces what was there. What is missing on the way is made: a map for
 * a key, a list for an index; a nil element of a list counts as missing. An index may be the length of
 * its list: appends. Errors (then child is freed and nest as before): bad or reserved key, path through
 * a leaf, index beyond the end. */
bool lm_nest_set (LmNest *nest, const char *path, LmNest *child, GError **error);
void lm_nest_append (LmNest *list, LmNest *child);
void lm_nest_put (LmNest *map, const char *key, LmNest *child); /* any key but ""; takes child */
bool lm_nest_remove (LmNest *nest, const char *path);
void lm_nest_become (LmNest *nest, LmNest *other); /* takes over what other is; frees the rest */

/* Leaves in flatten order, nil leaves included. Paths in the same order, NULL-terminated. */
GArray *lm_nest_flatten (const LmNest *nest); /* of uint64_t */
char **lm_nest_paths (const LmNest *nest);

/* Same structure with other leaves (n must be the number of leaves, else NULL and an error that lists
 * the paths). */
LmNest *lm_nest_pack (const LmNest *structure, const uint64_t *leaves, gsize n, GError **error);

typedef uint64_t (*LmNestMapFn) (uint64_t leaf, const char *path, gpointer user);
LmNest *lm_nest_map (const LmNest *nest, LmNestMapFn fn, gpointer user);

/* Keeps the leaves for which keep () is true. Containers that this empties go; those that were empty
 * before stay. Everything gone: an empty map. */
typedef bool (*LmNestFilterFn) (uint64_t leaf, const char *path, gpointer user);
LmNest *lm_nest_filter (const LmNest *nest, LmNestFilterFn keep, gpointer user);

/* True if the lists of paths are equal: neither leaves nor empty containers matter. */
bool lm_nest_is_compatible (const LmNest *a, const LmNest *b);

/* Leaf by leaf, as by set: other's leaves go into nest (nest is as before on an error); a new map with
 * a's leaves and then b's, so without their empty containers; a new map with what stands at the paths
 * (NULL-terminated). */
bool lm_nest_update (LmNest *nest, const LmNest *other, GError **error);
LmNest *lm_nest_union (const LmNest *a, const LmNest *b, GError **error);
LmNest *lm_nest_slice (const LmNest *nest, const char *const *paths, GError **error);

/* One error that names the first differing path and both kinds or key sets. */
bool lm_nest_assert_same_structure (const LmNest *a, const LmNest *b, GError **error);

#endif
