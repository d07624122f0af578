/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of ops that choose: compare select clamp. */
#include "core/op/rule.h"

#include <string.h>

/* --- compare --------------------------------------------------------------------------------- */

static bool
compare_type (LmTypeCtx *c)
{
  static const char *const words[] = {"EQ", "NE", "LT", "LE", "GT", "GE", NULL};
  return lm_rule_same_type (c, 1, 0) && lm_rule_word (c, "comparison_direction", "", words)
         && lm_rule_result (c, LAM_PRED, c->operands[0]->rank, c->operands[0]->dims);
}

/* order: -1, 0 or 1. */
static bool
holds (const char *direction, int order)
{
  switch (direction[0]) {
  case 'E':
    return order == 0;
  case 'N':
    return order != 0;
  case 'L':
    return order < 0 || (direction[1] == 'E' && order == 0);
  default:
    return order > 0 || (direction[1] == 'E' && order == 0);
  }
}

static int
order_of (const LmConst *x, const LmConst *y, int64_t i)
{
  int64_t a = lm_const_int (x, i), b = lm_const_int (y, i);
  if (lam_dtype_is_signed (x->type.dtype))
    return (a > b) - (a < b);
  return ((uint64_t)a > (uint64_t)b) - ((uint64_t)a < (uint64_t)b);
}

static bool
compare_fold (LmFoldCtx *c)
{
  const char *direction = lam_attr_str (&c->f->ir, c->e, "comparison_direction", "EQ");
  LmConst k[2];
  int64_t n, values[LM_FOLD_MAX];
  if (lm_fold_same (c, 0, 1) && !lam_dtype_is_float (lm_fold_in_type (c, 0)->dtype)) {
    values[0] = holds (direction, 0);
    return lm_fold_to_ints (c, values, 1);
  }
  if (!lm_fold_elements (c, k, &n))
    return false;
  for (int64_t i = 0; i < n; i++)
    values[i] = holds (direction, order_of (&k[0], &k[1], i));
  return lm_fold_to_ints (c, values, n);
}

const LmRules lm_rules_compare = {
    .type = compare_type, .fold = compare_fold, .batch = lm_batch_elementwise};

/* --- select ---------------------------------------------------------------------------------- */

static bool
select_type (LmTypeCtx *c)
{
  const lam_type *pred = c->operands[0];
  lam_type full = *c->operands[1];
  full.dtype = LAM_PRED;
  if (!lm_rule_same_type (c, 2, 1))
    return false;
  if (pred->dtype != LAM_PRED || (pred->rank != 0 && !lm_type_equal (pred, &full))) {
    g_autofree char *wanted = lm_type_to_string (&full);
    return lm_rule_refuse (c, 0, "bool or %s (the shape of operand 1)", wanted);
  }
  return lm_rule_result_like (c, 1);
}

static void
select_vjp (LmVjpCtx *c)
{
  LmValue zero = lm_zeros_like (c->b, c->ct[0]);
  if (c->wanted[1])
    c->d_in[1] = lm_select (c->b, c->in[0], c->ct[0], zero);
  if (c->wanted[2])
    c->d_in[2] = lm_select (c->b, c->in[0], zero, c->ct[0]);
}

static bool
select_fold (LmFoldCtx *c)
{
  if (lm_fold_same (c, 1, 2) || lm_fold_is (c, 0, 1))
    return lm_fold_to (c, c->in[1]);
  return lm_fold_is (c, 0, 0) && lm_fold_to (c, c->in[2]);
}

const LmRules lm_rules_select = {
    .type = select_type, .vjp = select_vjp, .fold = select_fold, .batch = lm_batch_elementwise};

/* --- clamp: operands low, x, high ------------------------------------------------------------- */

static bool
clamp_type (LmTypeCtx *c)
{
  if (!lm_rule_kind (c, 1, LM_NUMBERS))
    return false;
  for (uint32_t k = 0; k < 3; k += 2)
    if (c->operands[k]->rank == 0 ? !lm_rule_same_dtype (c, k, 1) : !lm_rule_same_type (c, k, 1))
      return false;
  return lm_rule_result_like (c, 1);
}

/* A bound under x's type. */
static LmValue
full_bound (LmBuilder *b, LmValue bound, const lam_type *type)
{
  return lm_builder_type (b, bound)->rank == 0 ? lm_broadcast_scalar (b, bound, type) : bound;
}

/* ct where the mask holds, summed up if the bound is a scalar. */
static LmValue
bound_ct (LmVjpCtx *c, uint32_t k, LmValue mask)
{
  LmValue d = lm_select (c->b, mask, c->ct[0], lm_zeros_like (c->b, c->ct[0]));
  bool scalar = lm_vjp_in_type (c, k)->rank == 0 && lm_vjp_in_type (c, 1)->rank != 0;
  return scalar ? lm_reduce_all (c->b, d, "add") : d;
}

/* Strict inequalities, as JAX: at a bound nothing flows. The high bound also wins over a low one above
 * it, where JAX gives it nothing. */
static void
clamp_vjp (LmVjpCtx *c)
{
  LmBuilder *b = c->b;
  LmValue low = full_bound (b, c->in[0], lm_vjp_in_type (c, 1)), x = c->in[1];
  LmValue high = full_bound (b, c->in[2], lm_vjp_in_type (c, 1));
  if (c->wanted[0]) {
    LmValue below = lm_compare (b, low, x, "GT"), fits = lm_compare (b, low, high, "LT");
    c->d_in[0] = bound_ct (c, 0, lm_emit_binary (b, LAM_OP_and, below, fits));
  }
  if (c->wanted[1]) {
    LmValue above = lm_compare (b, x, low, "GT"), under = lm_compare (b, x, high, "LT");
    c->d_in[1] = bound_ct (c, 1, lm_emit_binary (b, LAM_OP_and, above, under));
  }
  if (c->wanted[2]) {
    LmValue over = lm_compare (b, high, x, "LT"), crossed = lm_compare (b, high, low, "LT");
    c->d_in[2] = bound_ct (c, 2, lm_emit_binary (b, LAM_OP_or, over, crossed));
  }
}

static void
clamp_decompose (LmBuilder *b, const LmFunction *f, const lam_equation *e, const LmValue *in,
                 LmValue *out)
{
  const lam_type *type = lam_value_type (&f->ir, e->first_result);
  LmValue low = full_bound (b, in[0], type), high = full_bound (b, in[2], type);
  out[0] = lm_emit_binary (b, LAM_OP_minimum, lm_emit_binary (b, LAM_OP_maximum, in[1], low), high);
}

const LmRules lm_rules_clamp = {.type = clamp_type,
                                .vjp = clamp_vjp,
                                .decompose = clamp_decompose,
                                .batch = lm_batch_elementwise};
