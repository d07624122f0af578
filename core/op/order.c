/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of ops that put elements in order: sort top_k. Gradients go back through the numbers of the
 * elements, which are ordered along. */
#include "core/op/rule.h"

/* Zeros of x's type with the cotangent of each ordered element added where the element stood: index
 * (of ct's shape) along `axis`. */
static LmValue
put_back (LmBuilder *b, const lam_type *x, LmValue index, LmValue ct, int64_t axis)
{
  int64_t others[LAM_MAX_RANK] = {0};
  uint64_t n = 0;
  LmValue in[] = {lm_splat (b, x, 0), index, ct};
  for (int64_t i = 0; i < x->rank; i++)
    if (i != axis)
      others[n++] = i;
  lam_attr attrs[] = {lm_attr_ints ("inserted_window_dims", &axis, 1),
                      lm_attr_ints ("input_batching_dims", others, n),
                      lm_attr_ints ("scatter_indices_batching_dims", others, n),
                      lm_attr_ints ("scatter_dims_to_operand_dims", &axis, 1),
                      lm_attr_int ("index_vector_dim", x->rank),
                      lm_attr_int ("unique", 1)};
  LmOp o = {.op = LAM_OP_scatter, .operands = in, .n_operands = 3, .attrs = attrs, .n_attrs = 6};
  return lm_builder_op (b, &o);
}

/* --- sort ------------------------------------------------------------------------------------- */

static bool
sort_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0];
  int64_t axis = lm_type_attr_int (c, "dimension", 0);
  int64_t keys = lm_type_attr_int (c, "num_keys", 1);
  int64_t stable = lm_type_attr_int (c, "is_stable", 0);
  if (axis < 0 || axis >= x->rank)
    return lm_type_fail (c, "dimension is %" G_GINT64_FORMAT ", wanted an axis of 0 to %d", axis,
                         x->rank - 1);
  if (keys < 1 || keys > c->n_operands)
    return lm_type_fail (c, "num_keys is %" G_GINT64_FORMAT ", wanted 1 to %u (the operands)", keys,
                         c->n_operands);
  if (stable != 0 && stable != 1)
    return lm_type_fail (c, "is_stable is %" G_GINT64_FORMAT ", wanted 0 or 1", stable);
  if (c->n_operands > c->max_results)
    return lm_type_fail (c, "has %u results, wanted at most %u", c->n_operands, c->max_results);
  for (uint32_t k = 0; k < c->n_operands; k++) {
    lam_type like = *x;
    like.dtype = c->operands[k]->dtype;
    if (!lm_type_equal (&like, c->operands[k])) {
      g_autofree char *wanted = lm_type_to_string (&like);
      return lm_rule_refuse (c, k, "%s (the shape of operand 0)", wanted);
    }
    c->results[k] = *c->operands[k];
  }
  c->n_results = c->n_operands;
  return true;
}

/* The equation once more, with the elements' numbers along the axis as one operand more: gives those. */
static LmValue
sorted_numbers (LmVjpCtx *c, int64_t axis)
{
  uint32_t n = c->e->n_operands;
  g_autofree LmValue *in = g_new (LmValue, n + 1);
  g_autofree lam_attr *attrs = g_new (lam_attr, c->e->n_attrs + 1);
  lam_type type = *lm_vjp_in_type (c, 0);
  type.dtype = type.dims[axis] <= INT32_MAX ? LAM_I32 : LAM_I64;
  for (uint32_t k = 0; k < n; k++)
    in[k] = c->in[k];
  in[n] = lm_iota (c->b, &type, axis);
  for (uint32_t i = 0; i < c->e->n_attrs; i++)
    attrs[i] = *lam_attr_at (&c->f->ir, c->e->first_attr + i);
  LmOp o = {.op = LAM_OP_sort,
            .operands = in,
            .n_operands = n + 1,
            .attrs = attrs,
            .n_attrs = c->e->n_attrs};
  LmValue first = lm_builder_op (c->b, &o);
  return first == LM_NIL ? LM_NIL : first + n;
}

static void
sort_vjp (LmVjpCtx *c)
{
  int64_t axis = lam_attr_int (&c->f->ir, c->e, "dimension", 0);
  if (lam_type_elements (lm_vjp_in_type (c, 0)) == 0)
    return;
  LmValue numbers = sorted_numbers (c, axis);
  for (uint32_t k = 0; k < c->e->n_operands; k++)
    if (c->wanted[k] && c->ct[k] != LM_NIL)
      c->d_in[k] = put_back (c->b, lm_vjp_in_type (c, k), numbers, c->ct[k], axis);
}

/* Of one operand: nothing to order, or in order already. */
static bool
sort_fold (LmFoldCtx *c)
{
  int64_t axis = lam_attr_int (&c->f->ir, c->e, "dimension", 0);
  LmConst k;
  LmOp inner;
  if (lm_fold_type (c)->dims[axis] <= 1 || (lm_fold_const (c, 0, &k) && k.splat))
    return lm_fold_to (c, c->in[0]);
  return lm_fold_inner (c, &inner) && inner.n_operands == 1
         && lm_op_attr (&inner, "dimension")->i == axis && lm_fold_to (c, c->in[0]);
}

static void
sort_batch (LmBatchCtx *c)
{
  g_autofree LmValue *in = g_new (LmValue, c->e->n_operands);
  lam_attr attr = lm_attr_int ("dimension", lam_attr_int (&c->f->ir, c->e, "dimension", 0) + 1);
  for (uint32_t k = 0; k < c->e->n_operands; k++)
    in[k] = lm_batch_full (c, k, 0);
  lm_batch_emit (c, in, &attr, 1, 0);
}

const LmRules lm_rules_sort = {
    .type = sort_type, .vjp = sort_vjp, .fold = sort_fold, .batch = sort_batch};

/* --- top_k ------------------------------------------------------------------------------------ */

static bool
top_k_type (LmTypeCtx *c)
{
  lam_type y = *c->operands[0];
  int64_t k = lm_type_attr_int (c, "k", 0);
  if (!lm_rule_kind (c, 0, LM_NUMBERS))
    return false;
  if (y.rank == 0)
    return lm_rule_refuse (c, 0, "at least one axis");
  int64_t *last = &y.dims[y.rank - 1];
  if (*last > INT32_MAX)
    return lm_rule_refuse (c, 0, "a last axis that i32 counts");
  if (k < 0 || k > *last)
    return lm_type_fail (c,
                         "k is %" G_GINT64_FORMAT ", wanted 0 to %" G_GINT64_FORMAT
                         " (the last axis of operand 0)",
                         k, *last);
  *last = k;
  c->results[0] = c->results[1] = y;
  c->results[1].dtype = LAM_I32;
  return true;
}

static void
top_k_vjp (LmVjpCtx *c)
{
  const lam_type *x = lm_vjp_in_type (c, 0);
  if (c->ct[0] != LM_NIL && lam_type_elements (lm_vjp_out_type (c, 0)) > 0)
    c->d_in[0] = put_back (c->b, x, c->out[1], c->ct[0], x->rank - 1);
}

static void
top_k_batch (LmBatchCtx *c)
{
  LmValue x = lm_batch_front (c, 0);
  lm_batch_emit (c, &x, NULL, 0, 0);
}

static lam_dtype
signed_bits (lam_dtype dtype)
{
  switch (lam_dtype_bits (dtype)) {
  case 64:
    return LAM_I64;
  case 32:
    return LAM_I32;
  default:
    return LAM_I16;
  }
}

/* Integers that ascend where x descends in the total order: a negative float's bits but for the sign
 * are flipped, then all of them. */
static LmValue
descending (LmBuilder *b, LmValue x)
{
  lam_dtype dtype = lm_builder_type (b, x)->dtype;
  if (lam_dtype_is_float (dtype)) {
    x = lm_bitcast (b, x, signed_bits (dtype));
    const lam_type type = *lm_builder_type (b, x);
    LmValue top = lm_splat_int (b, &type, lam_dtype_bits (dtype) - 1);
    LmValue negative = lm_emit_binary (b, LAM_OP_shift_right_arithmetic, x, top);
    LmValue flip =
        lm_emit_binary (b, LAM_OP_shift_right_logical, negative, lm_splat_int (b, &type, 1));
    x = lm_emit_binary (b, LAM_OP_xor, x, flip);
  }
  return lm_emit_unary (b, LAM_OP_not, x);
}

/* The first k of a stable sort. */
static void
top_k_decompose (LmBuilder *b, const LmFunction *f, const lam_equation *e, const LmValue *in,
                 LmValue *out)
{
  const lam_type *y = lam_value_type (&f->ir, e->first_result);
  lam_type numbers = *lm_builder_type (b, in[0]);
  int64_t start[LAM_MAX_RANK] = {0};
  numbers.dtype = LAM_I32;
  LmValue operands[] = {descending (b, in[0]), in[0], lm_iota (b, &numbers, y->rank - 1)};
  lam_attr attrs[] = {lm_attr_int ("dimension", y->rank - 1), lm_attr_int ("is_stable", 1)};
  LmOp o = {.op = LAM_OP_sort, .operands = operands, .n_operands = 3, .attrs = attrs, .n_attrs = 2};
  LmValue first = lm_builder_op (b, &o);
  for (uint32_t k = 0; k < 2; k++)
    out[k] = first == LM_NIL ? LM_NIL : lm_slice (b, first + 1 + k, start, y->dims, NULL);
}

const LmRules lm_rules_top_k = {
    .type = top_k_type, .vjp = top_k_vjp, .batch = top_k_batch, .decompose = top_k_decompose};
