/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file nest.h
 * Trees of tensors (NestedMap) inside a trace: what methods take and give.
 *
 * A node is a leaf (a tensor or nil), a map, or a list. Map keys match [A-Za-z_][A-Za-z0-9_]*; flatten
 * goes through map keys in bytewise order and lists in order; paths read "a.b[2].c". Keys that are
 * names of Python's dict methods (get, keys, items, values, update, copy, pop, clear ...) or look like
 * __x__ are reserved. Nodes belong to
 * the trace and are immutable values from outside: nest_set and nest_append change the node they are
 * given, so build a fresh one. Errors (bad key, missing path, wrong kind) are the trace's.
 */
#ifndef LAMINA_NEST_H
#define LAMINA_NEST_H

#include <lamina/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LAM_NEST_LEAF 0 /**< a tensor or nil */
#define LAM_NEST_MAP  1 /**< children by key */
#define LAM_NEST_LIST 2 /**< children by number */

/** An empty map. */
static inline lam_nest
lam_nest_map (lam_trace *t)
{
  return t->api->nest_new (t, LAM_NEST_MAP);
}

/** An empty list. */
static inline lam_nest
lam_nest_list (lam_trace *t)
{
  return t->api->nest_new (t, LAM_NEST_LIST);
}

/** A nest that is one tensor. */
static inline lam_nest
lam_nest_of (lam_trace *t, lam_tensor x)
{
  return t->api->nest_leaf (t, x);
}

/** The tensor of a leaf; a map or list is an error. */
static inline lam_tensor
lam_nest_tensor (lam_trace *t, lam_nest nest)
{
  return t->api->nest_tensor (t, nest);
}

/** Sub-tree at a path; an absent path is an error that lists the keys there are. */
static inline lam_nest
lam_nest_get (lam_trace *t, lam_nest nest, const char *path)
{
  return t->api->nest_get (t, nest, path);
}

/** Tensor at a path. */
static inline lam_tensor
lam_nest_get_tensor (lam_trace *t, lam_nest nest, const char *path)
{
  return t->api->nest_tensor (t, t->api->nest_get (t, nest, path));
}

/** True if there is a tensor, map or list at the path; a nil leaf counts as none. Never an error. */
static inline bool
lam_nest_has (lam_trace *t, lam_nest nest, const char *path)
{
  return t->api->nest_has (t, nest, path);
}

/** Puts a sub-tree at a path, making what is missing on the way: a map for a key, a list for index 0.
 * An index may be the length of its list (appends), not more. */
static inline void
lam_nest_set (lam_trace *t, lam_nest nest, const char *path, lam_nest child)
{
  t->api->nest_set (t, nest, path, child);
}

/** Puts a leaf at a path, as lam_nest_set. */
static inline void
lam_nest_set_tensor (lam_trace *t, lam_nest nest, const char *path, lam_tensor x)
{
  t->api->nest_set (t, nest, path, t->api->nest_leaf (t, x));
}

/** LAM_NEST_LEAF, LAM_NEST_MAP or LAM_NEST_LIST. */
static inline int32_t
lam_nest_kind (lam_trace *t, lam_nest nest)
{
  return t->api->nest_kind (t, nest);
}

/** Number of children; 0 for a leaf. */
static inline uint32_t
lam_nest_size (lam_trace *t, lam_nest nest)
{
  return t->api->nest_size (t, nest);
}

/** Key of child i of a map, in bytewise order; NULL past the end. */
static inline const char *
lam_nest_key (lam_trace *t, lam_nest map, uint32_t i)
{
  return t->api->nest_key (t, map, i);
}

/** Child i of a map or list; an error past the end. */
static inline lam_nest
lam_nest_child (lam_trace *t, lam_nest nest, uint32_t i)
{
  return t->api->nest_child (t, nest, i);
}

/** Adds a child to the end of a list. */
static inline void
lam_nest_append (lam_trace *t, lam_nest list, lam_nest child)
{
  t->api->nest_append (t, list, child);
}

/** True if kinds, keys and lengths agree everywhere; leaves may differ. */
static inline bool
lam_nest_same_structure (lam_trace *t, lam_nest a, lam_nest b)
{
  return t->api->nest_same_structure (t, a, b);
}

/** Number of leaves. Fills out[0 .. min (n, capacity) - 1] in flatten order. */
static inline uint32_t
lam_nest_flatten (lam_trace *t, lam_nest nest, lam_tensor *out, uint32_t capacity)
{
  return t->api->nest_flatten (t, nest, out, capacity);
}

/** Same structure with other leaves; n must be its number of leaves. */
static inline lam_nest
lam_nest_pack (lam_trace *t, lam_nest structure, const lam_tensor *leaves, uint32_t n)
{
  return t->api->nest_pack (t, structure, leaves, n);
}

#ifdef __cplusplus
}
#endif
#endif
