/* SPDX-License-Identifier: Apache-2.0 */
/* Random reductions, windows, orders and contractions. */
#include "tests/lib/random_gen.h"

#include <string.h>

static const char *const computations[] = {"add",     "add", "multiply", "maximum",
                                           "minimum", "and", "or",       NULL};

/* --- along axes ---------------------------------------------------------------------------------------- */

static bool
reduce (LmGen *g)
{
  LmGenOp op = {.op = "reduce", .n = 1};
  int64_t axes[LAM_MAX_RANK];
  guint n = 0;
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 0, 8);
  for (int32_t i = 0; i < lm_gen_type (g, op.operands[0])->rank; i++)
    if (lm_gen_chance (g, 50))
      axes[n++] = i;
  g_autofree char *list = lm_gen_list (axes, n);
  g_autofree char *attrs = g_strdup_printf ("computation = \"%s\", dimensions = %s",
                                            lm_gen_word (g, computations), list);
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

static bool
cumsum (LmGen *g)
{
  LmGenOp op = {.op = "cumsum", .n = 1};
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 1, 8);
  guint rank = (guint)lm_gen_type (g, op.operands[0])->rank;
  g_autofree char *attrs =
      g_strdup_printf ("dimension = %u, reverse = %u, exclusive = %u", lm_gen_below (g, rank),
                       lm_gen_below (g, 2), lm_gen_below (g, 2));
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

static bool
arg (LmGen *g)
{
  LmGenOp op = {.op = lm_gen_chance (g, 50) ? "argmax" : "argmin", .n = 1};
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 1, 8);
  lam_type type = *lm_gen_type (g, op.operands[0]);
  guint axis = lm_gen_below (g, (guint)type.rank);
  type.dtype = lm_gen_dtype (g, LM_GEN_INTS);
  memmove (type.dims + axis, type.dims + axis + 1, (LAM_MAX_RANK - 1 - axis) * sizeof *type.dims);
  type.rank--;
  g_autofree char *wanted = lm_type_to_string (&type);
  g_autofree char *attrs = g_strdup_printf ("dimension = %u", axis);
  op.attrs = attrs;
  op.wanted = wanted;
  return lm_gen_try (g, &op);
}

/* --- windows --------------------------------------------------------------------------------------------- */

static void
draw_windows (LmGen *g, guint rank, int64_t *size, GString *attrs)
{
  int64_t strides[LAM_MAX_RANK], padding[2 * LAM_MAX_RANK], base[LAM_MAX_RANK];
  int64_t dilation[LAM_MAX_RANK];
  bool pads = lm_gen_chance (g, 50), dilates = lm_gen_chance (g, 40);
  for (guint i = 0; i < rank; i++) {
    size[i] = 1 + lm_gen_below (g, 3);
    strides[i] = 1 + lm_gen_below (g, 3);
    base[i] = dilates ? 1 + lm_gen_below (g, 2) : 1;
    dilation[i] = dilates ? 1 + lm_gen_below (g, 2) : 1;
    for (guint k = 0; k < 2; k++)
      padding[2 * i + k] = pads ? (int64_t)lm_gen_below (g, 4) - 1 : 0;
  }
  g_autofree char *s = lm_gen_list (size, rank), *t = lm_gen_list (strides, rank);
  g_autofree char *p = lm_gen_list (padding, 2 * rank), *b = lm_gen_list (base, rank);
  g_autofree char *d = lm_gen_list (dilation, rank);
  g_string_append_printf (attrs, "window_dimensions = %s", s);
  if (lm_gen_chance (g, 60))
    g_string_append_printf (attrs, ", window_strides = %s", t);
  g_string_append_printf (attrs, ", padding = %s, base_dilations = %s, window_dilations = %s", p, b,
                          d);
}

static bool
window (LmGen *g)
{
  bool places = lm_gen_chance (g, 25);
  int64_t size[LAM_MAX_RANK];
  LmGenOp op = {.op = places ? "reduce_window_arg" : "reduce_window", .n = 1};
  g_autoptr (GString) attrs = g_string_new (NULL);
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 1, 4);
  g_string_append_printf (attrs, "computation = \"%s\", ",
                          places ? (lm_gen_chance (g, 50) ? "maximum" : "minimum")
                                 : lm_gen_word (g, computations));
  draw_windows (g, (guint)lm_gen_type (g, op.operands[0])->rank, size, attrs);
  op.attrs = attrs->str;
  return lm_gen_try (g, &op);
}

/* --- orders ------------------------------------------------------------------------------------------------ */

static bool
sort (LmGen *g)
{
  LmGenOp op = {.op = "sort", .n = 1 + lm_gen_below (g, 3)};
  bool loose = lm_gen_chance (g, 15); /* all are keys: equal ones have equal bits */
  guint set = loose ? LM_GEN_INTS : LM_GEN_ALL;
  op.operands[0] = lm_gen_any (g, set, 1, lm_gen_chance (g, 40) ? 1 : 8);
  lam_type type = *lm_gen_type (g, op.operands[0]);
  for (guint i = 1; i < op.n; i++) {
    type.dtype = lm_gen_chance (g, 60) ? type.dtype : lm_gen_dtype (g, set);
    op.operands[i] = lm_gen_same (g, &type, op.operands[i - 1]);
  }
  g_autofree char *attrs = g_strdup_printf ("dimension = %u, num_keys = %u, is_stable = %d",
                                            lm_gen_below (g, (guint)type.rank),
                                            loose ? op.n : 1 + lm_gen_below (g, op.n), !loose);
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

static bool
top_k (LmGen *g)
{
  LmGenOp op = {.op = "top_k", .n = 1};
  op.operands[0] = lm_gen_any (g, LM_GEN_ALL, 1, 8);
  const lam_type *x = lm_gen_type (g, op.operands[0]);
  g_autofree char *attrs =
      g_strdup_printf ("k = %u", lm_gen_below (g, (guint)x->dims[x->rank - 1] + 1));
  op.attrs = attrs;
  return lm_gen_try (g, &op);
}

bool
lm_gen_reduce (LmGen *g)
{
  static bool (*const all[]) (LmGen * g) = {reduce, reduce, cumsum, arg,
                                            window, window, sort,   top_k};
  return all[lm_gen_below (g, G_N_ELEMENTS (all))](g);
}

/* --- contractions ---------------------------------------------------------------------------------------- */

static void
append_out_dtype (LmGen *g, GString *attrs)
{
  if (!g->o->smooth && lm_gen_chance (g, 20))
    g_string_append_printf (attrs, ", out_dtype = %s",
                            lam_dtype_name (lm_gen_dtype (g, LM_GEN_ALL)));
}

/* Sums of many terms: where the accumulator's digits show. */
static guint
long_rows (LmGen *g)
{
  lam_type type = {.dtype = lm_gen_dtype (g, LM_GEN_ALL & ~LM_GEN_BOOL), .rank = 1};
  type.dims[0] = 1 + lm_gen_below (g, 600);
  if (lm_gen_chance (g, 50))
    type.dims[type.rank++] = 1 + lm_gen_below (g, 8);
  return lm_gen_param (g, &type, 0);
}

/* Each axis of the left side is batched, contracted or free; the right side has those axes in another
 * order. */
static bool
dot (LmGen *g)
{
  LmGenOp op = {.op = "dot_general", .n = 2};
  op.operands[0] = lm_gen_chance (g, 20) && !g->o->smooth
                       ? long_rows (g)
                       : lm_gen_any (g, LM_GEN_ALL & ~LM_GEN_BOOL, 0, 4);
  lam_type x = *lm_gen_type (g, op.operands[0]), y = {.dtype = x.dtype};
  int64_t of[2][2][LAM_MAX_RANK]; /* [batch or contracted][side] */
  guint n[2] = {0, 0};
  for (int32_t i = 0; i < x.rank; i++) {
    guint kind = lm_gen_below (g, 3);
    while (lm_gen_chance (g, 25) && y.rank < 5)
      y.dims[y.rank++] = lm_gen_dim (g);
    if (kind == 2 || y.rank > 5)
      continue;
    of[kind][0][n[kind]] = i;
    of[kind][1][n[kind]++] = y.rank;
    y.dims[y.rank++] = x.dims[i];
  }
  if (lm_gen_chance (g, 40) && y.rank < 5)
    y.dims[y.rank++] = lm_gen_dim (g);
  op.operands[1] = lm_gen_same (g, &y, op.operands[0]);
  g_autofree char *a = lm_gen_list (of[0][0], n[0]), *b = lm_gen_list (of[0][1], n[0]);
  g_autofree char *c = lm_gen_list (of[1][0], n[1]), *d = lm_gen_list (of[1][1], n[1]);
  g_autoptr (GString) attrs = g_string_new (NULL);
  g_string_append_printf (attrs,
                          "lhs_batching_dimensions = %s, rhs_batching_dimensions = %s, "
                          "lhs_contracting_dimensions = %s, rhs_contracting_dimensions = %s",
                          a, b, c, d);
  append_out_dtype (g, attrs);
  op.attrs = attrs->str;
  return lm_gen_try (g, &op);
}

/* axes in a random order; returns where spec i lies. */
static void
draw_spec (LmGen *g, guint rank, int64_t *spec)
{
  for (guint i = 0; i < rank; i++)
    spec[i] = i;
  for (guint i = rank; i > 1 && lm_gen_chance (g, 60); i--) {
    guint j = lm_gen_below (g, i);
    int64_t keep = spec[i - 1];
    spec[i - 1] = spec[j];
    spec[j] = keep;
  }
}

typedef struct Conv {
  lam_type x, kernel;
  int64_t lhs[LAM_MAX_RANK], rhs[LAM_MAX_RANK], out[LAM_MAX_RANK];
  guint spatial, feature_groups, batch_groups;
} Conv;

static void
draw_conv (LmGen *g, Conv *c)
{
  guint rank = c->spatial + 2, features = 1 + lm_gen_below (g, 2);
  guint which = lm_gen_below (g, 4), groups = 2 + lm_gen_below (g, 2);
  c->feature_groups = which == 1 ? groups : 1;
  c->batch_groups = which == 2 ? groups : 1;
  draw_spec (g, rank, c->lhs);
  draw_spec (g, rank, c->rhs);
  draw_spec (g, rank, c->out);
  c->x.rank = c->kernel.rank = (int32_t)rank;
  c->x.dims[c->lhs[0]] = (1 + lm_gen_below (g, 3)) * c->batch_groups;
  c->x.dims[c->lhs[1]] = features * c->feature_groups;
  c->kernel.dims[c->rhs[0]] = (1 + lm_gen_below (g, 3)) * c->feature_groups * c->batch_groups;
  c->kernel.dims[c->rhs[1]] = features;
  for (guint i = 2; i < rank; i++) {
    c->x.dims[c->lhs[i]] = lm_gen_chance (g, 3) ? 0 : 1 + lm_gen_below (g, 6);
    c->kernel.dims[c->rhs[i]] = 1 + lm_gen_below (g, 3);
  }
}

static void
conv_attrs (LmGen *g, const Conv *c, GString *attrs)
{
  int64_t strides[4], padding[8], lhs[4], rhs[4];
  bool dilates = lm_gen_chance (g, 50);
  for (guint i = 0; i < c->spatial; i++) {
    strides[i] = 1 + lm_gen_below (g, 3);
    lhs[i] = dilates ? 1 + lm_gen_below (g, 3) : 1;
    rhs[i] = dilates ? 1 + lm_gen_below (g, 2) : 1;
    padding[2 * i] = (int64_t)lm_gen_below (g, 5) - 1;
    padding[2 * i + 1] = (int64_t)lm_gen_below (g, 5) - 1;
  }
  guint rank = c->spatial + 2, n = c->spatial;
  g_autofree char *a = lm_gen_list (c->lhs, rank), *b = lm_gen_list (c->rhs, rank);
  g_autofree char *o = lm_gen_list (c->out, rank), *s = lm_gen_list (strides, n);
  g_autofree char *p = lm_gen_list (padding, 2 * n), *l = lm_gen_list (lhs, n);
  g_autofree char *r = lm_gen_list (rhs, n);
  g_string_append_printf (attrs,
                          "lhs_spec = %s, rhs_spec = %s, out_spec = %s, feature_group_count = %u, "
                          "batch_group_count = %u, padding = %s",
                          a, b, o, c->feature_groups, c->batch_groups, p);
  if (lm_gen_chance (g, 50))
    g_string_append_printf (attrs, ", window_strides = %s", s);
  if (dilates)
    g_string_append_printf (attrs, ", lhs_dilation = %s, rhs_dilation = %s", l, r);
}

static bool
convolution (LmGen *g)
{
  LmGenOp op = {.op = "convolution", .n = 2};
  g_autoptr (GString) attrs = g_string_new (NULL);
  Conv c = {.spatial = lm_gen_below (g, 3)};
  draw_conv (g, &c);
  c.x.dtype = c.kernel.dtype = lm_gen_dtype (g, LM_GEN_ALL & ~LM_GEN_BOOL);
  conv_attrs (g, &c, attrs);
  append_out_dtype (g, attrs);
  if (g->pool->len > 0 && lm_gen_chance (g, 70)) { /* what there is, in the wanted shape */
    guint from = lm_gen_any (g, LM_GEN_OF (c.x.dtype), 0, 8);
    LmGenOp flat = {.op = "reshape", .operands = {from}, .n = 1};
    int64_t n = lam_type_elements (lm_gen_type (g, from));
    int64_t rest = lam_type_elements (&c.x) / MAX (c.x.dims[c.lhs[0]], 1);
    if (rest > 0 && n % (rest * c.batch_groups) == 0 && n > 0) {
      c.x.dims[c.lhs[0]] = n / rest;
      g_autofree char *wanted = lm_type_to_string (&c.x);
      flat.wanted = wanted;
      lm_gen_try (g, &flat);
    }
  }
  op.operands[0] = lm_gen_same (g, &c.x, LM_GEN_NONE);
  op.operands[1] = lm_gen_same (g, &c.kernel, op.operands[0]);
  op.attrs = attrs->str;
  return lm_gen_try (g, &op);
}

bool
lm_gen_contract (LmGen *g)
{
  return lm_gen_chance (g, 55) ? dot (g) : convolution (g);
}
