/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of gather and scatter. Each is the other's gradient, with the same index attributes under
 * StableHLO's two sets of names. */
#include "core/op/rule.h"

#include <string.h>

/* --- what both check -------------------------------------------------------------------------- */

/* The attribute keys of one op for the parts that both have. */
typedef struct Keys {
  const char *window;  /* axes of result / updates that run inside a slice */
  const char *dropped; /* operand axes that a slice has not */
  const char *batch;   /* operand axes that run with index axes */
  const char *with;    /* those index axes */
  const char *map;     /* operand axis of each index component */
} Keys;

static const Keys gather_keys = {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                                 "start_indices_batching_dims", "start_index_map"};
static const Keys scatter_keys = {"update_window_dims", "inserted_window_dims",
                                  "input_batching_dims", "scatter_indices_batching_dims",
                                  "scatter_dims_to_operand_dims"};

static bool
disjoint (LmTypeCtx *c, const char *left, const char *right)
{
  uint64_t n, m;
  const int64_t *x = lm_type_attr_ints (c, left, &n), *y = lm_type_attr_ints (c, right, &m);
  if (lm_axis_set (x, n) & lm_axis_set (y, m))
    return lm_type_fail (c, "%s and %s name the same axis, wanted distinct axes", left, right);
  return true;
}

static bool
check_batch (LmTypeCtx *c, const Keys *k, int64_t vector_axis)
{
  const lam_type *x = c->operands[0], *index = c->operands[1];
  uint64_t n, m;
  const int64_t *of = lm_type_attr_ints (c, k->batch, &n);
  const int64_t *with = lm_type_attr_ints (c, k->with, &m);
  if (n != m)
    return lm_type_fail (
        c, "%s has %" G_GUINT64_FORMAT " axes and %s %" G_GUINT64_FORMAT ", wanted as many",
        k->batch, n, k->with, m);
  for (uint64_t i = 0; i < n; i++) {
    if (with[i] == vector_axis)
      return lm_type_fail (c, "%s names index_vector_dim %" G_GINT64_FORMAT ", wanted other axes",
                           k->with, vector_axis);
    if (x->dims[of[i]] != index->dims[with[i]])
      return lm_rule_refuse (c, 1,
                             "size %" G_GINT64_FORMAT " at axis %" G_GINT64_FORMAT
                             " (axis %" G_GINT64_FORMAT " of operand 0)",
                             x->dims[of[i]], with[i], of[i]);
  }
  return true;
}

/* Everything about operand and indices; the window axes are left to the caller. */
static bool
check_index (LmTypeCtx *c, const Keys *k)
{
  static const char *const modes[] = {"clip", "fill", NULL};
  const lam_type *x = c->operands[0], *index = c->operands[1];
  int64_t axis = lm_type_attr_int (c, "index_vector_dim", 0);
  int64_t unique = lm_type_attr_int (c, "unique", 0);
  uint64_t n;
  if (!lm_rule_kind (c, 1, LM_INTS) || !lm_rule_word (c, "mode", "clip", modes))
    return false;
  if (unique != 0 && unique != 1)
    return lm_type_fail (c, "unique is %" G_GINT64_FORMAT ", wanted 0 or 1", unique);
  if (axis < 0 || axis > index->rank)
    return lm_type_fail (c, "index_vector_dim is %" G_GINT64_FORMAT ", wanted 0 to %d", axis,
                         index->rank);
  int64_t components = axis < index->rank ? index->dims[axis] : 1;
  lm_type_attr_ints (c, k->map, &n);
  if (n != (uint64_t)components)
    return lm_rule_refuse (c, 1,
                           "%" G_GUINT64_FORMAT " index components (the length of %s), it has "
                           "%" G_GINT64_FORMAT,
                           n, k->map, components);
  return lm_rule_axes (c, k->map, x->rank, false) && lm_rule_axes (c, k->dropped, x->rank, true)
         && lm_rule_axes (c, k->batch, x->rank, true)
         && lm_rule_axes (c, k->with, index->rank, false) && disjoint (c, k->dropped, k->batch)
         && disjoint (c, k->map, k->batch) && check_batch (c, k, axis);
}

/* Axes of the operand that run inside a slice. */
static uint32_t
slice_axes (LmTypeCtx *c, const Keys *k)
{
  uint64_t n, m;
  const int64_t *dropped = lm_type_attr_ints (c, k->dropped, &n);
  const int64_t *batch = lm_type_attr_ints (c, k->batch, &m);
  uint32_t all = (1u << c->operands[0]->rank) - 1;
  return all & ~(lm_axis_set (dropped, n) | lm_axis_set (batch, m));
}

/* The window axes of a result of `rank` axes match the operand's slice axes in number. */
static bool
check_window (LmTypeCtx *c, const Keys *k, int64_t rank)
{
  uint64_t n;
  uint32_t inside = slice_axes (c, k);
  lm_type_attr_ints (c, k->window, &n);
  if (n != (uint64_t)__builtin_popcount (inside))
    return lm_type_fail (c,
                         "%s has %" G_GUINT64_FORMAT " axes, wanted %d (those of operand 0 that "
                         "are not in %s or %s)",
                         k->window, n, __builtin_popcount (inside), k->dropped, k->batch);
  return lm_rule_axes (c, k->window, rank, true);
}

/* Sizes of the index axes but for the vector's. Returns their count. */
static int64_t
index_dims (LmTypeCtx *c, int64_t *out)
{
  const lam_type *index = c->operands[1];
  int64_t axis = lm_type_attr_int (c, "index_vector_dim", 0), n = 0;
  for (int32_t i = 0; i < index->rank; i++)
    if (i != axis)
      out[n++] = index->dims[i];
  return n;
}

/* --- gather: type ----------------------------------------------------------------------------- */

/* Slices fit; axes that vanish or run with the indices are 1 long (an empty batch axis: 0). */
static bool
check_slices (LmTypeCtx *c, const int64_t *sizes)
{
  const lam_type *x = c->operands[0];
  uint32_t inside = slice_axes (c, &gather_keys);
  uint64_t n;
  const int64_t *batch = lm_type_attr_ints (c, "operand_batching_dims", &n);
  uint32_t running = lm_axis_set (batch, n);
  for (int32_t i = 0; i < x->rank; i++) {
    if (sizes[i] > x->dims[i])
      return lm_type_fail (c,
                           "slice_sizes[%d] is %" G_GINT64_FORMAT
                           ", wanted at most %" G_GINT64_FORMAT " (axis %d of operand 0)",
                           i, sizes[i], x->dims[i], i);
    bool empty = (running >> i & 1) && x->dims[i] == 0;
    if (!(inside >> i & 1) && sizes[i] != 1 && !empty)
      return lm_type_fail (
          c, "slice_sizes[%d] is %" G_GINT64_FORMAT ", wanted 1 on a collapsed or batching axis", i,
          sizes[i]);
  }
  return true;
}

static bool
gather_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0];
  int64_t sizes[LAM_MAX_RANK], outer[LAM_MAX_RANK], dims[2 * LAM_MAX_RANK];
  uint64_t n;
  if (!check_index (c, &gather_keys) || !lm_rule_list (c, "slice_sizes", x->rank, 0, 0, sizes)
      || !check_slices (c, sizes))
    return false;
  const int64_t *window = lm_type_attr_ints (c, "offset_dims", &n);
  int64_t rank = index_dims (c, outer) + (int64_t)n;
  uint32_t inside = slice_axes (c, &gather_keys);
  if (rank > LAM_MAX_RANK)
    return lm_type_fail (c, "the result has rank %" G_GINT64_FORMAT ", wanted at most %d", rank,
                         LAM_MAX_RANK);
  if (!check_window (c, &gather_keys, rank))
    return false;
  uint32_t in_slice = lm_axis_set (window, n);
  for (int32_t i = 0, from = 0, at = 0; i < rank; i++) {
    if (!(in_slice >> i & 1)) {
      dims[i] = outer[at++];
      continue;
    }
    while (!(inside >> from & 1))
      from++;
    dims[i] = sizes[from++];
  }
  return lm_rule_result (c, x->dtype, rank, dims);
}

/* --- scatter: type ---------------------------------------------------------------------------- */

/* The updates' window axes fit into the operand, the others are the indices'. */
static bool
check_updates (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0], *u = c->operands[2];
  int64_t outer[LAM_MAX_RANK];
  uint64_t n;
  const int64_t *window = lm_type_attr_ints (c, "update_window_dims", &n);
  int64_t rank = index_dims (c, outer) + (int64_t)n;
  if (u->rank != rank)
    return lm_rule_refuse (c, 2, "rank %" G_GINT64_FORMAT " (index axes and update_window_dims)",
                           rank);
  if (!check_window (c, &scatter_keys, rank))
    return false;
  uint32_t inside = slice_axes (c, &scatter_keys), in_window = lm_axis_set (window, n);
  for (int32_t i = 0, to = 0, at = 0; i < rank; i++) {
    if (!(in_window >> i & 1)) {
      if (u->dims[i] != outer[at])
        return lm_rule_refuse (c, 2, "size %" G_GINT64_FORMAT " at axis %d (that of the indices)",
                               outer[at], i);
      at++;
      continue;
    }
    while (!(inside >> to & 1))
      to++;
    if (u->dims[i] > x->dims[to])
      return lm_rule_refuse (c, 2, "at most %" G_GINT64_FORMAT " at axis %d (axis %d of operand 0)",
                             x->dims[to], i, to);
    to++;
  }
  return true;
}

static bool
scatter_type (LmTypeCtx *c)
{
  static const char *const words[] = {"add", "multiply", "minimum", "maximum", "update", NULL};
  const lam_type *x = c->operands[0];
  uint64_t n;
  if (!lm_rule_same_dtype (c, 2, 0) || !lm_rule_word (c, "computation", "add", words)
      || !check_index (c, &scatter_keys) || !check_updates (c))
    return false;
  const int64_t *dropped = lm_type_attr_ints (c, "inserted_window_dims", &n);
  for (uint64_t i = 0; i < n; i++)
    if (x->dims[dropped[i]] == 0 && lam_type_elements (c->operands[2]) > 0)
      return lm_rule_refuse (
          c, 0, "at least 1 element at axis %" G_GINT64_FORMAT " (inserted_window_dims)",
          dropped[i]);
  return lm_rule_result_like (c, 0);
}

/* --- gradients: one op from the attributes of the other --------------------------------------- */

/* Attributes shared by name and meaning. Returns their count. */
static uint32_t
translate (const LmVjpCtx *c, const Keys *from, const Keys *to, lam_attr *out)
{
  const char *const source[] = {from->window, from->dropped, from->batch, from->with, from->map};
  const char *const target[] = {to->window, to->dropped, to->batch, to->with, to->map};
  static const char *const same[] = {"index_vector_dim", "mode", "unique"};
  uint32_t n = 0;
  for (size_t i = 0; i < G_N_ELEMENTS (source); i++) {
    const lam_attr *a = lam_find_attr (&c->f->ir, c->e, source[i]);
    if (a != NULL)
      out[n++] = lm_attr_ints (target[i], a->data, a->n);
  }
  for (size_t i = 0; i < G_N_ELEMENTS (same); i++) {
    const lam_attr *a = lam_find_attr (&c->f->ir, c->e, same[i]);
    if (a != NULL)
      out[n++] = *a;
  }
  return n;
}

/* scatter of updates into x at the equation's indices. */
static LmValue
scatter_like (LmVjpCtx *c, const Keys *from, const char *computation, LmValue x, LmValue updates)
{
  lam_attr attrs[10];
  LmValue in[] = {x, c->in[1], updates};
  uint32_t n = translate (c, from, &scatter_keys, attrs);
  attrs[n++] = lm_attr_str ("computation", computation);
  LmOp o = {.op = LAM_OP_scatter, .operands = in, .n_operands = 3, .attrs = attrs, .n_attrs = n};
  return lm_builder_op (c->b, &o);
}

/* What a scatter equation's updates would read from x (of operand 0's shape). */
static LmValue
gather_like (LmVjpCtx *c, LmValue x)
{
  const lam_type *u = lm_vjp_in_type (c, 2), *operand = lm_vjp_in_type (c, 0);
  lam_attr attrs[10];
  int64_t sizes[LAM_MAX_RANK];
  uint64_t n_window, n_dropped, n_batch;
  const lam_function *f = &c->f->ir;
  const int64_t *window = lam_attr_ints (f, c->e, scatter_keys.window, &n_window);
  const int64_t *dropped = lam_attr_ints (f, c->e, scatter_keys.dropped, &n_dropped);
  const int64_t *batch = lam_attr_ints (f, c->e, scatter_keys.batch, &n_batch);
  uint32_t outside = lm_axis_set (dropped, n_dropped) | lm_axis_set (batch, n_batch);
  for (int32_t i = 0, k = 0; i < operand->rank; i++) {
    sizes[i] = outside >> i & 1 ? MIN (1, operand->dims[i]) : u->dims[window[k]];
    k += !(outside >> i & 1);
  }
  LmValue in[] = {x, c->in[1]};
  uint32_t n = translate (c, &scatter_keys, &gather_keys, attrs);
  attrs[n++] = lm_attr_ints ("slice_sizes", sizes, (uint64_t)operand->rank);
  LmOp o = {.op = LAM_OP_gather, .operands = in, .n_operands = 2, .attrs = attrs, .n_attrs = n};
  return lm_builder_op (c->b, &o);
}

/* --- gather: vjp ------------------------------------------------------------------------------ */

static void
gather_vjp (LmVjpCtx *c)
{
  if (lam_type_elements (lm_vjp_out_type (c, 0)) == 0)
    return;
  LmValue zeros = lm_splat (c->b, lm_vjp_in_type (c, 0), 0);
  c->d_in[0] = scatter_like (c, &gather_keys, "add", zeros, c->ct[0]);
}

/* --- batching --------------------------------------------------------------------------------- */

/* Every list moves behind a batch axis in front of the operands that have one; own[i]: list i of
 * window, dropped, batch, with, map gets that axis itself. Returns the count (at most 6). */
static uint32_t
shift_lists (const LmBatchCtx *c, const Keys *k, const bool *shifts, const bool *own,
             int64_t (*lists)[LAM_MAX_RANK + 1], lam_attr *out)
{
  const char *const keys[] = {k->window, k->dropped, k->batch, k->with, k->map};
  uint32_t n = 0;
  for (uint32_t i = 0; i < G_N_ELEMENTS (keys); i++)
    if (shifts[i])
      out[n++] = lm_attr_ints (keys[i], lists[i], lm_batch_axes (c, keys[i], own[i], lists[i]));
  return n;
}

/* Only the operand: its batch axis is one more of each slice. Only the indices: one more of their
 * axes. Both: they run along together. */
static void
gather_batch (LmBatchCtx *c)
{
  bool x = c->axis[0] >= 0, index = c->axis[1] >= 0;
  const bool shifts[] = {true, x, x, index, x};
  const bool own[] = {x && !index, false, x && index, x && index, false};
  int64_t lists[5][LAM_MAX_RANK + 1], sizes[LAM_MAX_RANK + 1];
  lam_attr attrs[8];
  LmValue in[] = {lm_batch_front (c, 0), lm_batch_front (c, 1)};
  uint32_t n = shift_lists (c, &gather_keys, shifts, own, lists, attrs);
  if (x)
    attrs[n++] = lm_batch_list (c, "slice_sizes", 1, 1, index ? 1 : c->size, sizes);
  if (index)
    attrs[n++] =
        lm_attr_int ("index_vector_dim", lam_attr_int (&c->f->ir, c->e, "index_vector_dim", 0) + 1);
  if (!x)
    attrs[n++] = lm_attr_int ("unique", 0); /* rows may read the same elements */
  lm_batch_emit (c, in, attrs, n, 0);
}

const LmRules lm_rules_gather = {.type = gather_type, .vjp = gather_vjp, .batch = gather_batch};

/* --- scatter: vjp ----------------------------------------------------------------------------- */

/* Which update stays where several meet is asked of the scatter itself: it writes the updates'
 * numbers (from 1; 0 is the operand), and who finds its own number there has won. As JAX. */
static void
update_vjp (LmVjpCtx *c)
{
  LmBuilder *b = c->b;
  const lam_type *u = lm_vjp_in_type (c, 2);
  int64_t n = lam_type_elements (u);
  lam_dtype dtype = n < INT32_MAX ? LAM_I32 : LAM_I64;
  lam_type line = lm_type (dtype, 1, &n), place = *lm_vjp_in_type (c, 0);
  place.dtype = dtype;
  LmValue numbers = lm_add (b, lm_iota (b, &line, 0), lm_splat_int (b, &line, 1));
  numbers = lm_reshape (b, numbers, u->rank, u->dims);
  LmValue owner = scatter_like (c, &scatter_keys, "update", lm_splat_int (b, &place, 0), numbers);
  if (c->wanted[0]) {
    LmValue kept = lm_compare (b, owner, lm_zeros_like (b, owner), "EQ");
    c->d_in[0] = lm_select (b, kept, c->ct[0], lm_zeros_like (b, c->ct[0]));
  }
  if (c->wanted[2]) {
    LmValue won = lm_compare (b, gather_like (c, owner), numbers, "EQ");
    LmValue d = gather_like (c, c->ct[0]);
    c->d_in[2] = lm_select (b, won, d, lm_zeros_like (b, d));
  }
}

/* Every operand element and update that equals the result has won; they share evenly. */
static void
extremum_vjp (LmVjpCtx *c)
{
  LmBuilder *b = c->b;
  lam_dtype dtype = lm_vjp_in_type (c, 0)->dtype;
  LmValue stays = lm_compare (b, c->in[0], c->out[0], "EQ");
  LmValue wins = lm_compare (b, c->in[2], gather_like (c, c->out[0]), "EQ");
  LmValue count = scatter_like (c, &scatter_keys, "add", lm_convert (b, stays, dtype),
                                lm_convert (b, wins, dtype));
  LmValue share = lm_div (b, c->ct[0], count);
  if (c->wanted[0])
    c->d_in[0] = lm_select (b, stays, share, lm_zeros_like (b, share));
  if (c->wanted[2]) {
    LmValue d = gather_like (c, share);
    c->d_in[2] = lm_select (b, wins, d, lm_zeros_like (b, d));
  }
}

static void
multiply_vjp (LmVjpCtx *c)
{
  if (lam_attr_int (&c->f->ir, c->e, "unique", 0) == 0) {
    lm_builder_failf (c->b, "scatter: computation multiply has a gradient only with unique = 1 "
                            "(no two updates meet); state it if it is so");
    return;
  }
  if (c->wanted[0])
    c->d_in[0] = scatter_like (c, &scatter_keys, "multiply", c->ct[0], c->in[2]);
  if (c->wanted[2])
    c->d_in[2] = gather_like (c, lm_mul (c->b, c->ct[0], c->in[0]));
}

static void
scatter_vjp (LmVjpCtx *c)
{
  const char *computation = lam_attr_str (&c->f->ir, c->e, "computation", "add");
  if (lam_type_elements (lm_vjp_in_type (c, 2)) == 0) {
    c->d_in[0] = c->ct[0];
  } else if (strcmp (computation, "add") == 0) {
    c->d_in[0] = c->ct[0];
    if (c->wanted[2])
      c->d_in[2] = gather_like (c, c->ct[0]);
  } else if (strcmp (computation, "update") == 0) {
    update_vjp (c);
  } else if (strcmp (computation, "multiply") == 0) {
    multiply_vjp (c);
  } else {
    extremum_vjp (c);
  }
}

/* Operand and updates are always batched: each row has a result of its own. With the same indices in
 * every row the batch axis is one more of the window. Inside a row the order of updates stays. */
static void
scatter_batch (LmBatchCtx *c)
{
  bool index = c->axis[1] >= 0;
  const bool shifts[] = {true, true, true, index, true};
  const bool own[] = {!index, false, index, index, false};
  int64_t lists[5][LAM_MAX_RANK + 1];
  lam_attr attrs[8];
  LmValue in[] = {lm_batch_full (c, 0, 0), lm_batch_front (c, 1), lm_batch_full (c, 2, 0)};
  uint32_t n = shift_lists (c, &scatter_keys, shifts, own, lists, attrs);
  if (index)
    attrs[n++] =
        lm_attr_int ("index_vector_dim", lam_attr_int (&c->f->ir, c->e, "index_vector_dim", 0) + 1);
  lm_batch_emit (c, in, attrs, n, 0);
}

const LmRules lm_rules_scatter = {.type = scatter_type, .vjp = scatter_vjp, .batch = scatter_batch};
