/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file nest_more.h
 * More of NestedMap for plugins that work on whole trees (optimizers, learners, wrappers): visit, map,
 * filter, union, slice, comparison, text. All of it is built from nest.h.
 *
 * Functions of the caller's get the path of a leaf ("a.b[2].c") and its tensor, nil for a nil leaf, in
 * flatten order. After an error of the trace they are called no more.
 */
#ifndef LAMINA_NEST_MORE_H
#define LAMINA_NEST_MORE_H

#include <lamina/nest.h>
#include <lamina/ops_base.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Longest path that the functions of this file go along, with its NUL. */
#define LAM_NEST_MAX_PATH 1024

/** What lam_nest_visit calls for a leaf. */
typedef void (*lam_nest_visit_fn) (void *user, lam_trace *t, const char *path, lam_tensor x);
/** What lam_nest_map_leaves calls: gives the new tensor (or nil). */
typedef lam_tensor (*lam_nest_map_fn) (void *user, lam_trace *t, const char *path, lam_tensor x);
/** What lam_nest_filter calls: true keeps the leaf. */
typedef bool (*lam_nest_keep_fn) (void *user, lam_trace *t, const char *path, lam_tensor x);

/** @cond What follows up to the next @endcond serves the functions below. */
typedef struct lam_nest_walk {
  lam_trace *t;
  lam_nest_visit_fn visit;
  lam_nest_keep_fn keep;
  void *user;
  size_t n; /* bytes of the path */
  char path[LAM_NEST_MAX_PATH];
} lam_nest_walk;

/* Adds the step to child i; false and the error when the path gets too long. */
static inline bool
lam_nest_walk_into (lam_nest_walk *w, lam_nest nest, uint32_t i)
{
  const char *key =
      lam_nest_kind (w->t, nest) == LAM_NEST_MAP ? lam_nest_key (w->t, nest, i) : NULL;
  size_t room = sizeof w->path - w->n;
  int n = key != NULL ? snprintf (w->path + w->n, room, "%s%s", w->n > 0 ? "." : "", key)
                      : snprintf (w->path + w->n, room, "[%u]", (unsigned)i);
  if (n < 0 || (size_t)n >= room) {
    lam_fail (w->t, "a path in a nest is longer than 1023 bytes");
    return false;
  }
  w->n += (size_t)n;
  return true;
}

static inline void
lam_nest_walk_back (lam_nest_walk *w, size_t before)
{
  w->n = before;
  w->path[before] = '\0';
}

static inline void
lam_nest_walk_visit (lam_nest_walk *w, lam_nest nest)
{
  if (!lam_is_ok (w->t))
    return;
  if (lam_nest_kind (w->t, nest) == LAM_NEST_LEAF) {
    w->visit (w->user, w->t, w->path, lam_nest_tensor (w->t, nest));
    return;
  }
  for (uint32_t i = 0; i < lam_nest_size (w->t, nest) && lam_is_ok (w->t); i++) {
    size_t before = w->n;
    if (lam_nest_walk_into (w, nest, i))
      lam_nest_walk_visit (w, lam_nest_child (w->t, nest, i));
    lam_nest_walk_back (w, before);
  }
}

/* False when nest is a leaf that goes, or a container that became empty by that. */
static inline bool
lam_nest_walk_filter (lam_nest_walk *w, lam_nest nest, lam_nest *out)
{
  uint32_t n = lam_nest_size (w->t, nest);
  *out = nest;
  if (lam_nest_kind (w->t, nest) == LAM_NEST_LEAF)
    return w->keep (w->user, w->t, w->path, lam_nest_tensor (w->t, nest));
  bool map = lam_nest_kind (w->t, nest) == LAM_NEST_MAP;
  *out = map ? lam_nest_map (w->t) : lam_nest_list (w->t);
  for (uint32_t i = 0; i < n && lam_is_ok (w->t); i++) {
    size_t before = w->n;
    lam_nest child;
    if (lam_nest_walk_into (w, nest, i)
        && lam_nest_walk_filter (w, lam_nest_child (w->t, nest, i), &child)) {
      if (map)
        lam_nest_set (w->t, *out, lam_nest_key (w->t, nest, i), child);
      else
        lam_nest_append (w->t, *out, child);
    }
    lam_nest_walk_back (w, before);
  }
  return n == 0 || lam_nest_size (w->t, *out) > 0;
}

/* Text that grows. */
typedef struct lam_nest_text {
  char *data;
  size_t n, room;
  size_t width; /* of the longest path */
  bool types;   /* the type of the leaf behind its path */
} lam_nest_text;

static inline void
lam_nest_text_add (lam_trace *t, lam_nest_text *text, const char *piece)
{
  size_t n = strlen (piece);
  if (text->n + n + 1 > text->room) {
    size_t room = 2 * (text->n + n + 1);
    char *data = (char *)realloc (text->data, room);
    if (data == NULL) {
      lam_fail (t, "no memory for the paths of a nest");
      return;
    }
    text->data = data;
    text->room = room;
  }
  memcpy (text->data + text->n, piece, n + 1);
  text->n += n;
}

static inline void
lam_nest_text_type (lam_trace *t, lam_nest_text *text, lam_tensor x)
{
  lam_type type = lam_type_of (t, x); /* of nil: no dtype */
  char piece[32];
  lam_nest_text_add (t, text, lam_is_nil (x) ? "nil" : lam_dtype_name (type.dtype));
  if (lam_is_nil (x))
    return;
  lam_nest_text_add (t, text, "[");
  for (int32_t i = 0; i < type.rank; i++) {
    snprintf (piece, sizeof piece, "%s%lld", i > 0 ? "," : "", (long long)type.dims[i]);
    lam_nest_text_add (t, text, piece);
  }
  lam_nest_text_add (t, text, "]");
}

static inline void
lam_nest_text_leaf (void *user, lam_trace *t, const char *path, lam_tensor x)
{
  lam_nest_text *text = (lam_nest_text *)user;
  if (text->n > 0)
    lam_nest_text_add (t, text, "\n");
  lam_nest_text_add (t, text, path);
  if (!text->types)
    return;
  for (size_t n = strlen (path); n < text->width + 4; n++)
    lam_nest_text_add (t, text, " ");
  lam_nest_text_type (t, text, x);
}

static inline void
lam_nest_text_width (void *user, lam_trace *t, const char *path, lam_tensor x)
{
  lam_nest_text *text = (lam_nest_text *)user;
  (void)t, (void)x;
  if (strlen (path) > text->width)
    text->width = strlen (path);
}

typedef struct lam_nest_mapping {
  lam_nest_map_fn fn;
  void *user;
  lam_tensor *out;
  uint32_t n;
} lam_nest_mapping;

static inline void
lam_nest_mapping_leaf (void *user, lam_trace *t, const char *path, lam_tensor x)
{
  lam_nest_mapping *m = (lam_nest_mapping *)user;
  m->out[m->n++] = m->fn (m->user, t, path, x);
}

static inline void
lam_nest_union_leaf (void *user, lam_trace *t, const char *path, lam_tensor x)
{
  lam_nest_set_tensor (t, *(lam_nest *)user, path, x);
}
/** @endcond */

/** Calls visit for every leaf. */
static inline void
lam_nest_visit (lam_trace *t, lam_nest nest, lam_nest_visit_fn visit, void *user)
{
  lam_nest_walk w;
  w.t = t;
  w.visit = visit;
  w.user = user;
  lam_nest_walk_back (&w, 0);
  lam_nest_walk_visit (&w, nest);
}

/** The same structure with what fn makes of every leaf (lingvo's TransformWithKey). */
static inline lam_nest
lam_nest_map_leaves (lam_trace *t, lam_nest nest, lam_nest_map_fn fn, void *user)
{
  uint32_t n = lam_nest_flatten (t, nest, NULL, 0);
  lam_nest_mapping m = {fn, user, (lam_tensor *)calloc ((size_t)n + 1, sizeof (lam_tensor)), 0};
  if (m.out == NULL) {
    lam_fail (t, "no memory for the leaves of a nest");
    return lam_nest_map (t);
  }
  lam_nest_visit (t, nest, lam_nest_mapping_leaf, &m);
  lam_nest out = lam_nest_pack (t, nest, m.out, m.n);
  free (m.out);
  return out;
}

/** The leaves that keep wants. Containers that this empties go, those that were empty stay; elements
 * of a list move up. Everything gone: an empty map (lingvo's FilterKeyVal). */
static inline lam_nest
lam_nest_filter (lam_trace *t, lam_nest nest, lam_nest_keep_fn keep, void *user)
{
  lam_nest_walk w;
  lam_nest out;
  w.t = t;
  w.keep = keep;
  w.user = user;
  lam_nest_walk_back (&w, 0);
  return lam_nest_walk_filter (&w, nest, &out) ? out : lam_nest_map (t);
}

/** A new map with a's leaves, then b's over them; empty containers get lost (lingvo's Union). */
static inline lam_nest
lam_nest_union (lam_trace *t, lam_nest a, lam_nest b)
{
  lam_nest out = lam_nest_map (t);
  lam_nest_visit (t, a, lam_nest_union_leaf, &out);
  lam_nest_visit (t, b, lam_nest_union_leaf, &out);
  return out;
}

/** A new map with what stands at n paths; an absent one is an error (lingvo's GetSlice). */
static inline lam_nest
lam_nest_slice (lam_trace *t, lam_nest nest, const char *const *paths, uint32_t n)
{
  lam_nest out = lam_nest_map (t);
  for (uint32_t i = 0; i < n && lam_is_ok (t); i++)
    lam_nest_set (t, out, paths[i], lam_nest_get (t, nest, paths[i]));
  return out;
}

/** Sub-tree at a path, or fallback where lam_nest_has says no. */
static inline lam_nest
lam_nest_get_default (lam_trace *t, lam_nest nest, const char *path, lam_nest fallback)
{
  return lam_nest_has (t, nest, path) ? lam_nest_get (t, nest, path) : fallback;
}

/** Tensor at a path, or fallback (which may be nil) where there is none or a nil leaf. */
static inline lam_tensor
lam_nest_get_tensor_default (lam_trace *t, lam_nest nest, const char *path, lam_tensor fallback)
{
  return lam_nest_has (t, nest, path) ? lam_nest_get_tensor (t, nest, path) : fallback;
}

/** True if the paths of the leaves are the same: then pack (a, flatten (b)) is b but for its empty
 * containers (lingvo's IsCompatible). */
static inline bool
lam_nest_is_compatible (lam_trace *t, lam_nest a, lam_nest b)
{
  lam_nest_text x = {NULL, 0, 0, 0, false}, y = {NULL, 0, 0, 0, false};
  lam_nest_visit (t, a, lam_nest_text_leaf, &x);
  lam_nest_visit (t, b, lam_nest_text_leaf, &y);
  bool same = lam_is_ok (t) && x.n == y.n && (x.n == 0 || memcmp (x.data, y.data, x.n) == 0)
              && lam_nest_flatten (t, a, NULL, 0) == lam_nest_flatten (t, b, NULL, 0);
  free (x.data);
  free (y.data);
  return same;
}

/** A line a leaf, in flatten order: its path, blanks, its type ("f32[2,3]") or "nil". Writes at most
 * capacity bytes with the NUL, as snprintf; the result is the length of the whole text. */
static inline size_t
lam_nest_debug_text (lam_trace *t, lam_nest nest, char *out, size_t capacity)
{
  lam_nest_text text = {NULL, 0, 0, 0, true};
  lam_nest_visit (t, nest, lam_nest_text_width, &text);
  lam_nest_visit (t, nest, lam_nest_text_leaf, &text);
  if (capacity > 0)
    snprintf (out, capacity, "%s", text.data != NULL ? text.data : "");
  free (text.data);
  return text.n;
}

#ifdef __cplusplus
}
#endif
#endif
