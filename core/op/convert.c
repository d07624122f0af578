/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of ops that change the dtype: convert bitcast_convert. */
#include "core/op/rule.h"

/* --- convert --------------------------------------------------------------------------------- */

static bool
convert_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0];
  return lm_rule_stated (c, c->wanted->dtype, x->rank, x->dims);
}

/* Only floats carry gradients; between them a conversion is the identity up to rounding. */
static void
convert_vjp (LmVjpCtx *c)
{
  lam_dtype from = lm_vjp_in_type (c, 0)->dtype;
  if (lam_dtype_is_float (from) && lam_dtype_is_float (lm_vjp_out_type (c, 0)->dtype))
    c->d_in[0] = lm_convert (c->b, c->ct[0], from);
}

/* Whole numbers up to here are floats exactly. */
static int64_t
exact_limit (lam_dtype dtype)
{
  switch (dtype) {
  case LAM_F64:
    return INT64_C (1) << 53;
  case LAM_F32:
    return INT64_C (1) << 24;
  case LAM_F16:
    return INT64_C (1) << 11;
  default:
    return INT64_C (1) << 8;
  }
}

/* A whole splat becomes a float splat when no rounding happens. */
static bool
fold_to_float (LmFoldCtx *c, const LmConst *x)
{
  const lam_type *y = lm_fold_type (c);
  int64_t v = lm_const_int (x, 0), limit = exact_limit (y->dtype);
  bool wrapped = x->type.dtype == LAM_U64 && v < 0;
  if (!x->splat || wrapped || v < -limit || v > limit)
    return false;
  return lm_fold_to (c, lm_splat (c->b, y, (double)v));
}

static bool
convert_fold (LmFoldCtx *c)
{
  const lam_type *y = lm_fold_type (c);
  LmConst x;
  int64_t n, values[LM_FOLD_MAX];
  if (lm_fold_in_type (c, 0)->dtype == y->dtype)
    return lm_fold_to (c, c->in[0]);
  if (!lm_fold_elements (c, &x, &n))
    return false;
  if (lam_dtype_is_float (y->dtype))
    return fold_to_float (c, &x);
  for (int64_t i = 0; i < n; i++) {
    values[i] = lm_const_int (&x, i);
    if (y->dtype == LAM_PRED)
      values[i] = values[i] != 0;
  }
  return lm_fold_to_ints (c, values, n);
}

const LmRules lm_rules_convert = {
    .type = convert_type, .vjp = convert_vjp, .fold = convert_fold, .batch = lm_batch_in_place};

/* --- bitcast_convert ------------------------------------------------------------------------- */

static bool
bitcast_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0];
  lam_dtype to = c->wanted->dtype;
  if (lam_dtype_bits (x->dtype) != lam_dtype_bits (to))
    return lm_rule_refuse (c, 0, "a dtype of %u bits (that of the stated %s)", lam_dtype_bits (to),
                           lam_dtype_name (to));
  if ((x->dtype == LAM_PRED) != (to == LAM_PRED))
    return lm_type_fail (c, "bool has no bits to reinterpret, use convert or compare");
  return lm_rule_stated (c, to, x->rank, x->dims);
}

static bool
bitcast_fold (LmFoldCtx *c)
{
  return lm_fold_in_type (c, 0)->dtype == lm_fold_type (c)->dtype && lm_fold_to (c, c->in[0]);
}

/* No gradient: bits are not numbers. */
const LmRules lm_rules_bitcast_convert = {
    .type = bitcast_type, .fold = bitcast_fold, .batch = lm_batch_in_place};
