/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file nest_more.h
 * More of NestedMap for plugins that work on whole trees (optimizers, learners, wrappers): visit, map,
 * filter, union, slice, comparison, text. All of it is built from nest.h.
 *
 * Functions of the caller's get the path of a leaf ("a.b[2].c") and its tensor, nil for a nil leaf, in
 * flatten order. After an error of the trace they are called no more. Map keys must be such that
 * lam_nest_set takes (those of all_summaries are not).
 */
#ifndef LAMINA_NEST_MORE_H
#define LAMINA_NEST_MORE_H

#include <lamina/nest.h>
#include <lamina/ops_base.h>

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

/** @cond */
/* What follows serves the functions below. */
typedef struct lam_nest_walk {
  lam_trace *t;
  lam_nest_visit_fn visit;
  lam_nest_map_fn map; /* NULL: keep decides */
  lam_nest_keep_fn keep;
  void *user;
  size_t n; /* bytes of the path */
  char path[LAM_NEST_MAX_PATH];
} lam_nest_walk;

/* Text into a buffer of fixed size; n counts on where it is full. */
typedef struct lam_nest_text {
  char *out;
  size_t capacity, n;
  size_t width; /* of the longest path */
} lam_nest_text;

static inline void
lam_nest_text_add (lam_nest_text *text, const char *piece)
{
  for (; *piece != '\0'; piece++, text->n++)
    if (text->n + 1 < text->capacity)
      text->out[text->n] = *piece;
  if (text->capacity > 0)
    text->out[text->n < text->capacity ? text->n : text->capacity - 1] = '\0';
}

/* i >= 0 */
static inline void
lam_nest_text_number (lam_nest_text *text, int64_t i)
{
  char digits[24];
  size_t at = sizeof digits - 1;
  digits[at] = '\0';
  do {
    digits[--at] = (char)('0' + i % 10);
    i /= 10;
  } while (i > 0);
  lam_nest_text_add (text, digits + at);
}

/* Adds the step to child i; false and the error when the path gets too long. */
static inline bool
lam_nest_walk_into (lam_nest_walk *w, lam_nest nest, uint32_t i)
{
  const char *key =
      lam_nest_kind (w->t, nest) == LAM_NEST_MAP ? lam_nest_key (w->t, nest, i) : NULL;
  lam_nest_text path = {w->path, sizeof w->path, w->n, 0};
  if (key != NULL) {
    lam_nest_text_add (&path, w->n > 0 ? "." : "");
    lam_nest_text_add (&path, key);
  } else {
    lam_nest_text_add (&path, "[");
    lam_nest_text_number (&path, i);
    lam_nest_text_add (&path, "]");
  }
  if (path.n >= sizeof w->path) {
    lam_fail (w->t, "a path in a nest is longer than 1023 bytes");
    return false;
  }
  w->n = path.n;
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

static inline void
lam_nest_walk_add (lam_nest_walk *w, lam_nest out, const char *key, lam_nest child)
{
  if (key != NULL)
    lam_nest_set (w->t, out, key, child);
  else
    lam_nest_append (w->t, out, child);
}

/* The new tree in *out. False when nest is a leaf that goes, or a container that became empty by that. */
static inline bool
lam_nest_walk_build (lam_nest_walk *w, lam_nest nest, lam_nest *out)
{
  uint32_t n = lam_nest_size (w->t, nest);
  bool map = lam_nest_kind (w->t, nest) == LAM_NEST_MAP;
  *out = nest;
  if (!lam_is_ok (w->t))
    return false;
  if (lam_nest_kind (w->t, nest) == LAM_NEST_LEAF) {
    lam_tensor x = lam_nest_tensor (w->t, nest);
    if (w->map != NULL)
      *out = lam_nest_of (w->t, w->map (w->user, w->t, w->path, x));
    return w->map != NULL || w->keep (w->user, w->t, w->path, x);
  }
  *out = map ? lam_nest_map (w->t) : lam_nest_list (w->t);
  for (uint32_t i = 0; i < n && lam_is_ok (w->t); i++) {
    size_t before = w->n;
    lam_nest child;
    if (lam_nest_walk_into (w, nest, i)
        && lam_nest_walk_build (w, lam_nest_child (w->t, nest, i), &child))
      lam_nest_walk_add (w, *out, map ? lam_nest_key (w->t, nest, i) : NULL, child);
    lam_nest_walk_back (w, before);
  }
  return n == 0 || lam_nest_size (w->t, *out) > 0;
}

/* Child of b that stands where child i of a does; false if there is none. */
static inline bool
lam_nest_counterpart (lam_trace *t, lam_nest a, uint32_t i, lam_nest b, lam_nest *out)
{
  uint32_t at = i, n = lam_nest_size (t, b);
  if (lam_nest_kind (t, a) != lam_nest_kind (t, b))
    return false;
  if (lam_nest_kind (t, a) == LAM_NEST_MAP) {
    const char *wanted = lam_nest_key (t, a, i);
    for (at = 0; at < n; at++) {
      const char *key = lam_nest_key (t, b, at);
      size_t k = 0;
      while (key[k] == wanted[k] && key[k] != '\0')
        k++;
      if (key[k] == wanted[k])
        break;
    }
  }
  if (at < n)
    *out = lam_nest_child (t, b, at);
  return at < n;
}

/* True if every leaf of a has a leaf of b at its path. */
static inline bool
lam_nest_covers (lam_trace *t, lam_nest a, lam_nest b)
{
  if (lam_nest_kind (t, a) == LAM_NEST_LEAF)
    return lam_nest_kind (t, b) == LAM_NEST_LEAF;
  for (uint32_t i = 0; i < lam_nest_size (t, a); i++) {
    lam_nest child = lam_nest_child (t, a, i), other;
    if (lam_nest_flatten (t, child, NULL, 0) > 0
        && (!lam_nest_counterpart (t, a, i, b, &other) || !lam_nest_covers (t, child, other)))
      return false;
  }
  return true;
}

static inline void
lam_nest_text_width (void *user, lam_trace *t, const char *path, lam_tensor x)
{
  lam_nest_text *text = (lam_nest_text *)user;
  size_t n = 0;
  (void)t, (void)x;
  while (path[n] != '\0')
    n++;
  if (n > text->width)
    text->width = n;
}

static inline void
lam_nest_text_leaf (void *user, lam_trace *t, const char *path, lam_tensor x)
{
  lam_nest_text *text = (lam_nest_text *)user;
  lam_type type = lam_type_of (t, x); /* of nil: no dtype */
  lam_nest_text_add (text, text->n > 0 ? "\n" : "");
  size_t start = text->n;
  lam_nest_text_add (text, path);
  while (text->n < start + text->width + 4)
    lam_nest_text_add (text, " ");
  lam_nest_text_add (text, lam_is_nil (x) ? "nil" : lam_dtype_name (type.dtype));
  if (lam_is_nil (x))
    return;
  lam_nest_text_add (text, "[");
  for (int32_t i = 0; i < type.rank; i++) {
    lam_nest_text_add (text, i > 0 ? "," : "");
    lam_nest_text_number (text, type.dims[i]);
  }
  lam_nest_text_add (text, "]");
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
  lam_nest_walk w;
  lam_nest out;
  w.t = t;
  w.map = fn;
  w.user = user;
  lam_nest_walk_back (&w, 0);
  lam_nest_walk_build (&w, nest, &out);
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
  w.map = NULL;
  w.keep = keep;
  w.user = user;
  lam_nest_walk_back (&w, 0);
  return lam_nest_walk_build (&w, nest, &out) ? out : lam_nest_map (t);
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
  return lam_is_ok (t) && lam_nest_flatten (t, a, NULL, 0) == lam_nest_flatten (t, b, NULL, 0)
         && lam_nest_covers (t, a, b);
}

/** A line a leaf, in flatten order: its path, blanks, its type ("f32[2,3]") or "nil". Writes at most
 * capacity bytes with the NUL, as snprintf; the result is the length of the whole text. */
static inline size_t
lam_nest_debug_text (lam_trace *t, lam_nest nest, char *out, size_t capacity)
{
  lam_nest_text text = {out, capacity, 0, 0};
  lam_nest_text_add (&text, "");
  lam_nest_visit (t, nest, lam_nest_text_width, &text);
  lam_nest_visit (t, nest, lam_nest_text_leaf, &text);
  return text.n;
}

#ifdef __cplusplus
}
#endif
#endif
