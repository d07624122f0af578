/* SPDX-License-Identifier: Apache-2.0 */
/* What batching rules share: moving, adding and counting batch axes, the elementwise rule, rows one
 * after the other. */
#include "core/op/rule.h"

#include <string.h>

const lam_type *
lm_batch_in_type (const LmBatchCtx *c, uint32_t k)
{
  return lam_value_type (&c->f->ir, lam_operand (&c->f->ir, c->e, k));
}

const lam_type *
lm_batch_out_type (const LmBatchCtx *c, uint32_t k)
{
  return lam_value_type (&c->f->ir, c->e->first_result + k);
}

/* --- axes ------------------------------------------------------------------------------------ */

LmValue
lm_move_axis (LmBuilder *b, LmValue x, int32_t from, int32_t to)
{
  int64_t order[LAM_MAX_RANK];
  int32_t rank = lm_builder_type (b, x)->rank;
  if (x == LM_NIL || from == to)
    return x;
  for (int32_t i = 0, at = 0; i < rank; i++) {
    at += at == from;
    order[i] = i == to ? from : at++;
  }
  return lm_transpose (b, x, order);
}

/* Type with an axis of `size` more. */
static lam_type
grown (const lam_type *type, int64_t size, int32_t axis)
{
  lam_type out = *type;
  if (type->rank == LAM_MAX_RANK) {
    out.rank++; /* refused by the builder; lm_vmap has said so before */
    return out;
  }
  for (int32_t i = type->rank; i > axis; i--)
    out.dims[i] = type->dims[i - 1];
  out.dims[axis] = size;
  out.rank++;
  return out;
}

LmValue
lm_add_axis (LmBuilder *b, LmValue x, int64_t size, int32_t axis)
{
  lam_type type = grown (lm_builder_type (b, x), size, axis);
  return x == LM_NIL ? LM_NIL : lm_expand (b, x, &type, 1u << axis);
}

LmValue
lm_batch_front (const LmBatchCtx *c, uint32_t k)
{
  return c->axis[k] < 0 ? c->in[k] : lm_move_axis (c->b, c->in[k], c->axis[k], 0);
}

LmValue
lm_batch_full (const LmBatchCtx *c, uint32_t k, int32_t axis)
{
  if (c->axis[k] < 0)
    return lm_add_axis (c->b, c->in[k], c->size, axis);
  return lm_move_axis (c->b, c->in[k], c->axis[k], axis);
}

/* --- attributes ------------------------------------------------------------------------------ */

uint64_t
lm_batch_axes (const LmBatchCtx *c, const char *key, bool own, int64_t *out)
{
  uint64_t n, at = 0;
  const int64_t *axes = lam_attr_ints (&c->f->ir, c->e, key, &n);
  if (own)
    out[at++] = 0;
  for (uint64_t i = 0; i < n; i++)
    out[at++] = axes[i] + 1;
  return at;
}

lam_attr
lm_batch_list (const LmBatchCtx *c, const char *key, int64_t each, int64_t absent, int64_t first,
               int64_t *out)
{
  int64_t n = each * lm_batch_in_type (c, 0)->rank;
  for (int64_t i = 0; i < each; i++)
    out[i] = first;
  lm_eq_list (&c->f->ir, c->e, key, n, absent, out + each);
  return lm_attr_ints (key, out, (uint64_t)(n + each));
}

static bool
is_given (const lam_attr *attrs, uint32_t n, const char *key)
{
  for (uint32_t i = 0; i < n; i++)
    if (strcmp (attrs[i].key, key) == 0)
      return true;
  return false;
}

void
lm_batch_emit (LmBatchCtx *c, const LmValue *in, const lam_attr *attrs, uint32_t n_attrs,
               int32_t axis)
{
  const lam_equation *e = c->e;
  g_autofree lam_attr *all = g_new (lam_attr, e->n_attrs + n_attrs + 1);
  uint32_t n = n_attrs;
  lam_type type = grown (lm_batch_out_type (c, 0), c->size, axis);
  if (n_attrs > 0)
    memcpy (all, attrs, n_attrs * sizeof *all);
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const lam_attr *a = lam_attr_at (&c->f->ir, e->first_attr + i);
    if (!is_given (attrs, n_attrs, a->key))
      all[n++] = *a;
  }
  LmOp o = {.op = e->op,
            .operands = in,
            .n_operands = e->n_operands,
            .attrs = all,
            .n_attrs = n,
            .type = lm_op_has_flag (lm_op_info (e->op), 'T') ? &type : NULL};
  LmValue first = lm_builder_op (c->b, &o);
  for (uint32_t k = 0; k < e->n_results; k++) {
    c->out[k] = first == LM_NIL ? LM_NIL : first + k;
    c->out_axis[k] = axis;
  }
}

/* --- rules ----------------------------------------------------------------------------------- */

/* A scalar operand under the batched type of the result. */
static LmValue
spread_scalar (const LmBatchCtx *c, uint32_t k, int32_t axis)
{
  int64_t to = axis;
  lam_type type = grown (lm_batch_out_type (c, 0), c->size, axis);
  type.dtype = lm_batch_in_type (c, k)->dtype;
  return c->axis[k] < 0 ? c->in[k] : lm_broadcast (c->b, c->in[k], &type, &to, 1);
}

void
lm_batch_elementwise (LmBatchCtx *c)
{
  uint32_t n = c->e->n_operands;
  int32_t rank = lm_batch_out_type (c, 0)->rank, axis = -1;
  LmValue in[4]; /* no elementwise row has more */
  for (uint32_t k = 0; k < n && axis < 0; k++)
    if (lm_batch_in_type (c, k)->rank == rank)
      axis = c->axis[k];
  axis = MAX (axis, 0); /* only scalars are batched */
  for (uint32_t k = 0; k < n; k++)
    in[k] = lm_batch_in_type (c, k)->rank < rank ? spread_scalar (c, k, axis)
                                                 : lm_batch_full (c, k, axis);
  lm_batch_emit (c, in, NULL, 0, axis);
}

void
lm_batch_in_place (LmBatchCtx *c)
{
  lm_batch_emit (c, c->in, NULL, 0, c->axis[0]);
}

void
lm_batch_decomposed (LmBatchCtx *c)
{
  GError *error = NULL;
  g_autoptr (LmFunction) row = lm_decomposed (c->f, c->e, &error);
  if (row == NULL)
    lm_builder_fail (c->b, error);
  else
    c->inline_region (c, row);
}

/* Row i of operand k. */
static LmValue
row (const LmBatchCtx *c, uint32_t k, LmValue front, int64_t i)
{
  const lam_type *type = lm_batch_in_type (c, k);
  int64_t start[LAM_MAX_RANK] = {i}, limit[LAM_MAX_RANK] = {i + 1};
  if (c->axis[k] < 0)
    return front;
  for (int32_t j = 0; j < type->rank; j++)
    limit[j + 1] = type->dims[j];
  return lm_reshape (c->b, lm_slice (c->b, front, start, limit, NULL), type->rank, type->dims);
}

/* Above this the rows would be too many equations. */
#define MOST_ROWS 4096

void
lm_batch_unroll (LmBatchCtx *c)
{
  const lam_equation *e = c->e;
  if (c->size > MOST_ROWS) {
    lm_builder_failf (c->b,
                      "%s: with this many axes and groups a batch goes row by row, of at most %d "
                      "rows; got %" G_GINT64_FORMAT,
                      lm_op_info (e->op)->name, MOST_ROWS, c->size);
    return;
  }
  g_autofree LmValue *front = g_new (LmValue, e->n_operands + 1);
  g_autofree LmValue *in = g_new (LmValue, e->n_operands + 1);
  g_autofree LmValue *rows = g_new (LmValue, (gsize)c->size * e->n_results); /* result by result */
  for (uint32_t k = 0; k < e->n_operands; k++)
    front[k] = lm_batch_front (c, k);
  for (int64_t i = 0; i < c->size && lm_builder_error (c->b) == NULL; i++) {
    for (uint32_t k = 0; k < e->n_operands; k++)
      in[k] = row (c, k, front[k], i);
    LmValue first = lm_builder_copy (c->b, c->f, e, in);
    for (uint32_t k = 0; k < e->n_results; k++)
      rows[k * c->size + i] = lm_add_axis (c->b, first == LM_NIL ? LM_NIL : first + k, 1, 0);
  }
  for (uint32_t k = 0; k < e->n_results && lm_builder_error (c->b) == NULL; k++) {
    c->out[k] = lm_concatenate (c->b, rows + k * c->size, (uint32_t)c->size, 0);
    c->out_axis[k] = 0;
  }
}
