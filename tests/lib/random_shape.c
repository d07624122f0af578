/* SPDX-License-Identifier: Apache-2.0 */
/* Random equations that move elements: to places known beforehand, and to places that are values. */
#include "tests/lib/random_gen.h"

#include <string.h>

/* --- places known beforehand ------------------------------------------------------------------------- */

static char *
constant_elements (LmGen *g, lam_dtype dtype, int64_t n)
{
  static const char *const floats[] = {"0.0",  "-0.0", "1.0", "-1.5", "2.0",
                                       "0.25", "inf",  "nan", NULL};
  static const char *const ints[] = {"0", "1", "2", "3", "7", "64", "127", NULL};
  static const char *const bools[] = {"true", "false", NULL};
  GString *out = g_string_new ("value = [");
  for (int64_t i = 0; i < n; i++) {
    const char *const *words = lam_dtype_is_float (dtype) ? floats
                               : dtype == LAM_PRED        ? bools
                                                          : ints;
    const char *word = lm_gen_word (g, words);
    if (g->o->smooth && lam_dtype_is_float (dtype)) /* finite, and no neutral elements that fold */
      word = lm_gen_chance (g, 50) ? "0.5" : "-1.25";
    g_string_append_printf (out, "%s%s", i > 0 ? ", " : "", word);
  }
  g_string_append_c (out, ']');
  return g_string_free (out, FALSE);
}

static bool
source (LmGen *g)
{
  lam_type type = {.dtype = lm_gen_dtype (g, LM_GEN_ALL), .rank = (int32_t)lm_gen_below (g, 4)};
  for (int32_t i = 0; i < type.rank; i++)
    type.dims[i] = lm_gen_dim (g);
  bool counts = lm_gen_chance (g, 40) && type.rank > 0;
  int64_t n = lam_type_elements (&type);
  LmGenOp op = {.op = counts ? "iota" : "constant"};
  g_autofree char *wanted = lm_type_to_string (&type);
  g_autofree char *attrs =
      counts ? g_strdup_printf ("iota_dimension = %u", lm_gen_below (g, (guint)type.rank))
             : constant_elements (g, type.dtype, n > 64 || lm_gen_chance (g, 40) ? 1 : n);
  op.wanted = wanted;
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

static bool
broadcast (LmGen *g)
{
  LmGenOp op = {.op = "broadcast_in_dim", .n = 1};
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 0, 4);
  lam_type x = *lm_gen_type (g, op.operands[0]), y = {.dtype = x.dtype};
  int64_t axes[LAM_MAX_RANK];
  for (int32_t i = 0; i <= x.rank; i++) {
    while (y.rank + x.rank - i < 6 && lm_gen_chance (g, 30))
      y.dims[y.rank++] = lm_gen_dim (g);
    if (i == x.rank)
      break;
    axes[i] = y.rank;
    y.dims[y.rank++] = x.dims[i] == 1 && lm_gen_chance (g, 60) ? lm_gen_dim (g) : x.dims[i];
  }
  g_autofree char *list = lm_gen_list (axes, (guint)x.rank);
  g_autofree char *attrs = g_strdup_printf ("broadcast_dimensions = %s", list);
  g_autofree char *wanted = lm_type_to_string (&y);
  op.attrs = attrs;
  op.wanted = wanted;
  return lm_gen_try (g, &op);
}

static bool
reshape (LmGen *g)
{
  LmGenOp op = {.op = "reshape", .n = 1};
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  lam_type x = *lm_gen_type (g, op.operands[0]), y = {.dtype = x.dtype};
  int64_t rest = lam_type_elements (&x);
  for (int64_t d = 2; rest > 1 && y.rank < 5; d++)
    if (rest % d == 0) {
      y.dims[y.rank++] = lm_gen_chance (g, 50) ? d : rest;
      rest /= y.dims[y.rank - 1];
      d = 1;
    }
  if (rest != 1 || lm_gen_chance (g, 20))
    y.dims[y.rank++] = rest;
  if (lm_gen_chance (g, 20))
    y.dims[y.rank++] = 1;
  g_autofree char *wanted = lm_type_to_string (&y);
  op.wanted = wanted;
  return lm_gen_try (g, &op);
}

static void
shuffle (LmGen *g, int64_t *values, guint n)
{
  for (guint i = n; i > 1; i--) {
    guint j = lm_gen_below (g, i);
    int64_t keep = values[i - 1];
    values[i - 1] = values[j];
    values[j] = keep;
  }
}

static bool
turn (LmGen *g)
{
  bool whole = lm_gen_chance (g, 60);
  LmGenOp op = {.op = whole ? "transpose" : "reverse", .n = 1};
  int64_t axes[LAM_MAX_RANK];
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  guint rank = (guint)lm_gen_type (g, op.operands[0])->rank;
  for (guint i = 0; i < rank; i++)
    axes[i] = i;
  shuffle (g, axes, rank);
  g_autofree char *list = lm_gen_list (axes, whole ? rank : lm_gen_below (g, rank + 1));
  g_autofree char *attrs = g_strdup_printf ("%s = %s", whole ? "permutation" : "dimensions", list);
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

static bool
slice (LmGen *g)
{
  LmGenOp op = {.op = "slice", .n = 1};
  int64_t from[LAM_MAX_RANK], to[LAM_MAX_RANK], step[LAM_MAX_RANK];
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  const lam_type *x = lm_gen_type (g, op.operands[0]);
  guint rank = (guint)x->rank;
  for (guint i = 0; i < rank; i++) {
    guint n = (guint)x->dims[i];
    from[i] = lm_gen_chance (g, 40) ? 0 : lm_gen_below (g, n + 1);
    to[i] = from[i] + lm_gen_below (g, n + 1 - (guint)from[i]);
    to[i] = lm_gen_chance (g, 60) ? n : to[i];
    step[i] = 1 + lm_gen_below (g, 3);
  }
  g_autofree char *a = lm_gen_list (from, rank), *b = lm_gen_list (to, rank);
  g_autofree char *s = lm_gen_list (step, rank);
  g_autofree char *attrs =
      g_strdup_printf ("start_indices = %s, limit_indices = %s, strides = %s", a, b, s);
  if (lm_gen_chance (g, 50))
    *strstr (attrs, ", strides") = '\0';
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

static bool
pad (LmGen *g)
{
  LmGenOp op = {.op = "pad", .n = 2};
  int64_t low[LAM_MAX_RANK], high[LAM_MAX_RANK], inner[LAM_MAX_RANK];
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  op.operands[1] = lm_gen_scalar (g, lm_gen_type (g, op.operands[0])->dtype);
  guint rank = (guint)lm_gen_type (g, op.operands[0])->rank;
  bool holes = lm_gen_chance (g, 40);
  for (guint i = 0; i < rank; i++) {
    low[i] = (int64_t)lm_gen_below (g, 6) - 2;
    high[i] = (int64_t)lm_gen_below (g, 6) - 2;
    inner[i] = holes ? lm_gen_below (g, 3) : 0;
  }
  g_autofree char *a = lm_gen_list (low, rank), *b = lm_gen_list (high, rank);
  g_autofree char *c = lm_gen_list (inner, rank);
  g_autofree char *attrs = g_strdup_printf (
      "edge_padding_low = %s, edge_padding_high = %s, interior_padding = %s", a, b, c);
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

static bool
concatenate (LmGen *g)
{
  LmGenOp op = {.op = "concatenate", .n = 1 + lm_gen_below (g, 4)};
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 1, 8);
  lam_type type = *lm_gen_type (g, op.operands[0]);
  guint axis = lm_gen_below (g, (guint)type.rank);
  for (guint i = 1; i < op.n; i++) {
    if (lm_gen_chance (g, 40))
      type.dims[axis] = lm_gen_dim (g);
    op.operands[i] = lm_gen_same (g, &type, op.operands[0]);
  }
  g_autofree char *attrs = g_strdup_printf ("dimension = %u", axis);
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

bool
lm_gen_shape (LmGen *g)
{
  static bool (*const all[]) (LmGen * g) = {source, broadcast, broadcast, reshape,    turn,
                                            turn,   slice,     pad,       concatenate};
  return all[lm_gen_below (g, G_N_ELEMENTS (all))](g);
}

/* --- places that are values ---------------------------------------------------------------------------- */

static guint
starts_of (LmGen *g, lam_dtype dtype, int32_t rank, const int64_t *dims, int64_t bound)
{
  lam_type type = lm_type (dtype, rank, dims);
  return lm_gen_chance (g, 30) ? lm_gen_same (g, &type, LM_GEN_NONE)
                               : lm_gen_param (g, &type, bound);
}

static bool
dynamic (LmGen *g)
{
  bool update = lm_gen_chance (g, 50);
  LmGenOp op = {.op = update ? "dynamic_update_slice" : "dynamic_slice", .n = update ? 2 : 1};
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 0, 4);
  lam_type x = *lm_gen_type (g, op.operands[0]), y = x;
  lam_dtype index = lm_gen_dtype (g, LM_GEN_INTS);
  for (int32_t i = 0; i < x.rank; i++)
    y.dims[i] = lm_gen_below (g, (guint)x.dims[i] + (x.dims[i] < 2));
  if (update)
    op.operands[1] = lm_gen_same (g, &y, op.operands[0]);
  for (int32_t i = 0; i < x.rank; i++)
    op.operands[op.n++] = starts_of (g, index, 0, NULL, MAX (x.dims[i], 1));
  g_autofree char *list = lm_gen_list (y.dims, (guint)y.rank);
  g_autofree char *attrs = g_strdup_printf ("slice_sizes = %s", list);
  op.attrs = update ? NULL : attrs;
  return lm_gen_try (g, &op);
}

/* Slices along one axis of x; index i32[..., 1] or without its last axis. */
typedef struct Rows {
  lam_type x, index, window; /* window: slice sizes */
  int32_t axis;
  bool batched; /* axis 0 of x runs with axis 0 of the indices */
  bool drops;   /* the axis, of size 1 in the slices, is not in the result */
  bool vector;  /* the indices have an axis of size 1 for the vector, their last */
} Rows;

static bool
draw_rows (LmGen *g, const lam_type *x, Rows *r)
{
  *r = (Rows) {.x = *x, .window = *x, .axis = (int32_t)lm_gen_below (g, (guint)x->rank)};
  r->batched = x->rank >= 2 && r->axis > 0 && lm_gen_chance (g, 30);
  r->drops = lm_gen_chance (g, 60);
  r->vector = lm_gen_chance (g, 50);
  r->window.dims[r->axis] = r->drops ? 1 : lm_gen_below (g, (guint)x->dims[r->axis] + 1);
  r->index.dtype = lm_gen_dtype (g, LM_GEN_INTS);
  if (r->batched) {
    r->index.dims[r->index.rank++] = x->dims[0];
    r->window.dims[0] = 1;
  }
  for (guint n = lm_gen_below (g, 3); n > 0; n--)
    r->index.dims[r->index.rank++] = lm_gen_dim (g);
  if (r->vector)
    r->index.dims[r->index.rank++] = 1;
  return x->dims[r->axis] > 0 && !(r->batched && x->dims[0] == 0);
}

/* The axes of a slice that stay, in order; as result axes they come last, or first. */
static guint
windows_of (LmGen *g, const Rows *r, int64_t *axes, int64_t *dims)
{
  guint n = 0;
  bool last = lm_gen_chance (g, 60);
  for (int32_t i = 0; i < r->x.rank; i++)
    if (!(i == r->axis && r->drops) && !(i == 0 && r->batched))
      dims[n++] = r->window.dims[i];
  int64_t first = last ? r->index.rank - r->vector : 0;
  for (guint i = 0; i < n; i++)
    axes[i] = first + i;
  return n;
}

static char *
index_attrs (const Rows *r, const char *const keys[4], const char *windows)
{
  g_autofree char *dropped =
      r->drops ? g_strdup_printf ("%s = [%d], ", keys[1], r->axis) : g_strdup ("");
  g_autofree char *batch = r->batched ? g_strdup_printf ("%s = [0], ", keys[2]) : g_strdup ("");
  return g_strdup_printf ("%s = %s, %s%s%s = [%d], index_vector_dim = %d", keys[0], windows,
                          dropped, batch, keys[3], r->axis, r->index.rank - r->vector);
}

static bool
gather (LmGen *g)
{
  static const char *const keys[] = {"offset_dims", "collapsed_slice_dims",
                                     "start_indices_batching_dims = [0], operand_batching_dims",
                                     "start_index_map"};
  static const char *const modes[] = {"clip", "fill", NULL};
  LmGenOp op = {.op = "gather", .n = 2};
  Rows r;
  int64_t axes[LAM_MAX_RANK], dims[LAM_MAX_RANK];
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 1, 4);
  if (!draw_rows (g, lm_gen_type (g, op.operands[0]), &r))
    return false;
  op.operands[1] = starts_of (g, r.index.dtype, r.index.rank, r.index.dims, r.x.dims[r.axis]);
  g_autofree char *windows = lm_gen_list (axes, windows_of (g, &r, axes, dims));
  g_autofree char *first = index_attrs (&r, keys, windows);
  g_autofree char *sizes = lm_gen_list (r.window.dims, (guint)r.x.rank);
  g_autofree char *attrs =
      g_strdup_printf ("%s, slice_sizes = %s, mode = \"%s\"", first, sizes, lm_gen_word (g, modes));
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

static bool
scatter (LmGen *g)
{
  static const char *const keys[] = {"update_window_dims", "inserted_window_dims",
                                     "scatter_indices_batching_dims = [0], input_batching_dims",
                                     "scatter_dims_to_operand_dims"};
  static const char *const modes[] = {"clip", "fill", NULL};
  static const char *const words[] = {"add",     "add",    "multiply", "minimum",
                                      "maximum", "update", NULL};
  LmGenOp op = {.op = "scatter", .n = 3};
  Rows r;
  int64_t axes[LAM_MAX_RANK], dims[LAM_MAX_RANK];
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 1, 4);
  if (!draw_rows (g, lm_gen_type (g, op.operands[0]), &r))
    return false;
  op.operands[1] = starts_of (g, r.index.dtype, r.index.rank, r.index.dims, r.x.dims[r.axis]);
  guint n = windows_of (g, &r, axes, dims), w = 0;
  int64_t plain = r.index.rank - r.vector, k = 0;
  lam_type updates = {.dtype = r.x.dtype, .rank = (int32_t)(plain + n)};
  for (int32_t i = 0; i < updates.rank; i++)
    updates.dims[i] = w < n && axes[w] == i ? dims[w++] : r.index.dims[k++];
  op.operands[2] = lm_gen_same (g, &updates, op.operands[0]);
  g_autofree char *windows = lm_gen_list (axes, n);
  g_autofree char *first = index_attrs (&r, keys, windows);
  g_autofree char *attrs = g_strdup_printf ("%s, computation = \"%s\", mode = \"%s\"", first,
                                            lm_gen_word (g, words), lm_gen_word (g, modes));
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

/* A parameter with every row once: what `unique` promises. */
static guint
permutation (LmGen *g, int64_t n)
{
  lam_type type = lm_type (LAM_I32, 1, &n);
  guint k = lm_gen_param (g, &type, 1);
  LmArray *a = g->in->pdata[g->in->len - 1];
  g_autofree int64_t *order = g_new (int64_t, (gsize)n + 1);
  for (int64_t i = 0; i < n; i++)
    order[i] = i;
  shuffle (g, order, (guint)n);
  for (int64_t i = 0; i < n; i++)
    ((int32_t *)a->data)[i] = (int32_t)order[i];
  return k;
}

static bool
permute (LmGen *g)
{
  static const char *const words[] = {"add", "multiply", "minimum", "maximum", "update", NULL};
  bool updates = lm_gen_chance (g, 60);
  LmGenOp op = {.op = updates ? "scatter" : "gather", .n = updates ? 3 : 2};
  int64_t axes[LAM_MAX_RANK] = {1, 2, 3, 4};
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 1, 4);
  lam_type x = *lm_gen_type (g, op.operands[0]);
  op.operands[1] = permutation (g, x.dims[0]);
  op.operands[2] = updates ? lm_gen_same (g, &x, op.operands[0]) : 0;
  g_autofree char *windows = lm_gen_list (axes, (guint)x.rank - 1);
  x.dims[0] = 1;
  g_autofree char *sizes = lm_gen_list (x.dims, (guint)x.rank);
  g_autofree char *attrs =
      updates
          ? g_strdup_printf (
              "update_window_dims = %s, inserted_window_dims = [0], scatter_dims_to_operand_dims = "
              "[0], index_vector_dim = 1, computation = \"%s\", unique = 1",
              windows, lm_gen_word (g, words))
          : g_strdup_printf ("offset_dims = %s, collapsed_slice_dims = [0], start_index_map = [0], "
                             "index_vector_dim = 1, slice_sizes = %s, unique = 1",
                             windows, sizes);
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

bool
lm_gen_index (LmGen *g)
{
  static bool (*const all[]) (LmGen * g) = {dynamic, dynamic, gather, gather,
                                            scatter, scatter, permute};
  return all[lm_gen_below (g, G_N_ELEMENTS (all))](g);
}
