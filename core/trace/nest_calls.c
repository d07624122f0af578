/* SPDX-License-Identifier: Apache-2.0 */
/* Nests as plugins see them. Every handle names a tree of its own: get and child copy, set copies
 * in, so that no handle can dangle. */
#include "core/trace/private.h"

/* Levels of a nest that a plugin builds: trees are walked by recursion. */
#define MAX_DEPTH 256

static guint
depth_of (const LmNest *nest)
{
  guint deepest = 0;
  if (lm_nest_kind (nest) == LM_NEST_LEAF)
    return 0;
  for (guint i = 0; i < lm_nest_size (nest); i++) {
    guint depth = depth_of (lm_nest_child (nest, i));
    deepest = MAX (deepest, depth);
  }
  return deepest + 1;
}

/* Whether child, set at a path, leaves the tree at a depth that may be walked. */
static bool
check_depth (LmTrace *t, const char *path, const LmNest *child)
{
  guint n = child != NULL ? depth_of (child) + 1 : 1;
  for (const char *p = path; *p != '\0' && n <= MAX_DEPTH; p++)
    n += *p == '.' || *p == '[';
  if (n > MAX_DEPTH)
    lm_trace_failf (t, LM_ERROR_INVALID, "a nest is deeper than %d levels", MAX_DEPTH);
  return n <= MAX_DEPTH;
}

lam_nest
lm_trace_nest (LmTrace *t, LmNest *nest)
{
  if (nest == NULL)
    return (lam_nest) {0, 0};
  g_ptr_array_add (t->nests, nest);
  return (lam_nest) {t->nests->len, t->epoch};
}

static LmNest *
find (LmTrace *t, lam_nest nest)
{
  if (t->error != NULL || nest.id == 0)
    return NULL;
  if (nest.epoch != t->epoch || nest.id > t->nests->len) {
    lm_trace_failf (t, LM_ERROR_INVALID, "a nest of another trace was used");
    return NULL;
  }
  return g_ptr_array_index (t->nests, nest.id - 1);
}

const LmNest *
lm_trace_nest_peek (LmTrace *t, lam_nest nest)
{
  return find (t, nest);
}

lam_nest
lm_trace_nest_new (lam_trace *pub, int32_t kind)
{
  LmTrace *t = self (pub);
  switch (kind) {
  case LM_NEST_LEAF:
    return lm_trace_nest (t, lm_nest_new_leaf (0));
  case LM_NEST_MAP:
    return lm_trace_nest (t, lm_nest_new_map ());
  case LM_NEST_LIST:
    return lm_trace_nest (t, lm_nest_new_list ());
  default:
    lm_trace_failf (t, LM_ERROR_INVALID, "nest_new: unknown kind %d", kind);
    return (lam_nest) {0, 0};
  }
}

lam_nest
lm_trace_nest_leaf (lam_trace *pub, lam_tensor x)
{
  LmTrace *t = self (pub);
  if (!lam_is_nil (x) && lm_trace_peek_type (t, x) == NULL)
    return (lam_nest) {0, 0};
  return lm_trace_nest (t, lm_nest_new_leaf (x.id));
}

lam_tensor
lm_trace_nest_tensor (lam_trace *pub, lam_nest nest)
{
  LmTrace *t = self (pub);
  const LmNest *n = find (t, nest);
  if (n == NULL)
    return lam_nil ();
  if (lm_nest_kind (n) == LM_NEST_LEAF)
    return lm_trace_leaf (t, lm_nest_leaf (n));
  g_auto (GStrv) paths = lm_nest_paths (n);
  g_autofree char *keys = g_strjoinv (", ", paths);
  lm_trace_failf (t, LM_ERROR_INVALID, "one tensor was wanted, got a %s with the leaves: %s",
                  lm_nest_kind (n) == LM_NEST_MAP ? "map" : "list", keys);
  return lam_nil ();
}

int32_t
lm_trace_nest_kind (lam_trace *pub, lam_nest nest)
{
  const LmNest *n = find (self (pub), nest);
  return n != NULL ? (int32_t)lm_nest_kind (n) : (int32_t)LM_NEST_LEAF;
}

uint32_t
lm_trace_nest_size (lam_trace *pub, lam_nest nest)
{
  const LmNest *n = find (self (pub), nest);
  return n != NULL && lm_nest_kind (n) != LM_NEST_LEAF ? lm_nest_size (n) : 0;
}

const char *
lm_trace_nest_key (lam_trace *pub, lam_nest map, uint32_t i)
{
  LmTrace *t = self (pub);
  const LmNest *n = find (t, map);
  if (n == NULL || lm_nest_kind (n) != LM_NEST_MAP || i >= lm_nest_size (n))
    return NULL;
  return g_string_chunk_insert_const (t->strings, lm_nest_key (n, i));
}

lam_nest
lm_trace_nest_child (lam_trace *pub, lam_nest nest, uint32_t i)
{
  LmTrace *t = self (pub);
  const LmNest *n = find (t, nest);
  if (n == NULL)
    return (lam_nest) {0, 0};
  if (lm_nest_kind (n) == LM_NEST_LEAF || i >= lm_nest_size (n)) {
    lm_trace_failf (t, LM_ERROR_INVALID, "nest_child: no child %u", i);
    return (lam_nest) {0, 0};
  }
  return lm_trace_nest (t, lm_nest_copy (lm_nest_child (n, i)));
}

/* A path of a plugin's; NULL is the empty one, which errors show. */
static const char *
text_or_empty (const char *path)
{
  return path != NULL ? path : "";
}

bool
lm_trace_nest_has (lam_trace *pub, lam_nest nest, const char *path)
{
  const LmNest *n = find (self (pub), nest);
  const LmNest *at = n != NULL && path != NULL ? lm_nest_get (n, path) : NULL;
  return at != NULL && (lm_nest_kind (at) != LM_NEST_LEAF || lm_nest_leaf (at) != 0);
}

lam_nest
lm_trace_nest_get (lam_trace *pub, lam_nest nest, const char *path)
{
  LmTrace *t = self (pub);
  const LmNest *n = find (t, nest);
  g_autoptr (GError) error = NULL;
  const LmNest *at = n != NULL ? lm_nest_get_item (n, text_or_empty (path), &error) : NULL;
  if (error != NULL)
    lm_trace_failf (t, LM_ERROR_INVALID, "%s", error->message);
  return at != NULL ? lm_trace_nest (t, lm_nest_copy (at)) : (lam_nest) {0, 0};
}

void
lm_trace_nest_set (lam_trace *pub, lam_nest nest, const char *path, lam_nest child)
{
  LmTrace *t = self (pub);
  LmNest *n = find (t, nest);
  const LmNest *c = find (t, child);
  path = text_or_empty (path);
  if (n == NULL || !check_depth (t, path, c))
    return;
  g_autoptr (GError) error = NULL;
  LmNest *copy = c != NULL ? lm_nest_copy (c) : lm_nest_new_leaf (0);
  if (!lm_nest_set (n, path, copy, &error))
    lm_trace_failf (t, LM_ERROR_INVALID, "%s", error->message);
}

void
lm_trace_nest_append (lam_trace *pub, lam_nest list, lam_nest child)
{
  LmTrace *t = self (pub);
  LmNest *n = find (t, list);
  const LmNest *c = find (t, child);
  if (n == NULL)
    return;
  if (lm_nest_kind (n) != LM_NEST_LIST) {
    lm_trace_failf (t, LM_ERROR_INVALID, "nest_append: not a list");
    return;
  }
  if (!check_depth (t, "", c))
    return;
  lm_nest_append (n, c != NULL ? lm_nest_copy (c) : lm_nest_new_leaf (0));
}

uint32_t
lm_trace_nest_flatten (lam_trace *pub, lam_nest nest, lam_tensor *out, uint32_t capacity)
{
  LmTrace *t = self (pub);
  const LmNest *n = find (t, nest);
  if (n == NULL)
    return 0;
  g_autoptr (GArray) leaves = lm_nest_flatten (n);
  for (guint i = 0; i < leaves->len && i < capacity; i++)
    out[i] = lm_trace_leaf (t, g_array_index (leaves, uint64_t, i));
  return leaves->len;
}

lam_nest
lm_trace_nest_pack (lam_trace *pub, lam_nest structure, const lam_tensor *leaves, uint32_t n)
{
  LmTrace *t = self (pub);
  const LmNest *s = find (t, structure);
  if (s == NULL)
    return (lam_nest) {0, 0};
  if (leaves == NULL && n > 0) {
    lm_trace_failf (t, LM_ERROR_INVALID, "nest_pack: %u leaves at NULL", n);
    return (lam_nest) {0, 0};
  }
  g_autofree uint64_t *ids = g_new (uint64_t, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    if (!lam_is_nil (leaves[i]) && lm_trace_peek_type (t, leaves[i]) == NULL)
      return (lam_nest) {0, 0};
    ids[i] = leaves[i].id;
  }
  g_autoptr (GError) error = NULL;
  LmNest *packed = lm_nest_pack (s, ids, n, &error);
  if (packed == NULL)
    lm_trace_failf (t, LM_ERROR_INVALID, "%s", error->message);
  return lm_trace_nest (t, packed);
}

bool
lm_trace_nest_same_structure (lam_trace *pub, lam_nest a, lam_nest b)
{
  LmTrace *t = self (pub);
  const LmNest *x = find (t, a), *y = find (t, b);
  return x != NULL && y != NULL && lm_nest_assert_same_structure (x, y, NULL);
}
