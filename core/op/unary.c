/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of elementwise ops of one operand. Gradients are written with the result where that is
 * exact and cheap, and so that second derivatives at the edge of the domain do not become inf * 0. */
#include "core/op/rule.h"

#include <math.h>

/* --- type rules ------------------------------------------------------------------------------ */

static bool
floats_type (LmTypeCtx *c)
{
  return lm_rule_kind (c, 0, LM_FLOATS) && lm_rule_result_like (c, 0);
}

static bool
numbers_type (LmTypeCtx *c)
{
  return lm_rule_kind (c, 0, LM_NUMBERS) && lm_rule_result_like (c, 0);
}

static bool
signed_type (LmTypeCtx *c)
{
  return lm_rule_kind (c, 0, LM_FLOATS | LM_SIGNED) && lm_rule_result_like (c, 0);
}

static bool
bits_type (LmTypeCtx *c)
{
  return lm_rule_kind (c, 0, LM_INTS | LM_BOOLS) && lm_rule_result_like (c, 0);
}

static bool
count_type (LmTypeCtx *c)
{
  return lm_rule_kind (c, 0, LM_INTS) && lm_rule_result_like (c, 0);
}

static bool
finite_type (LmTypeCtx *c)
{
  return lm_rule_kind (c, 0, LM_FLOATS)
         && lm_rule_result (c, LAM_PRED, c->operands[0]->rank, c->operands[0]->dims);
}

/* --- vjp rules: ct, x and y have the same type ------------------------------------------------ */

static void
negate_vjp (LmVjpCtx *c)
{
  c->d_in[0] = lm_neg (c->b, c->ct[0]);
}

/* 1 at 0, as JAX. */
static void
abs_vjp (LmVjpCtx *c)
{
  LmValue up = lm_compare (c->b, c->in[0], lm_zeros_like (c->b, c->in[0]), "GE");
  c->d_in[0] = lm_select (c->b, up, c->ct[0], lm_neg (c->b, c->ct[0]));
}

static void
exponential_vjp (LmVjpCtx *c)
{
  c->d_in[0] = lm_mul (c->b, c->ct[0], c->out[0]);
}

static void
exponential_minus_one_vjp (LmVjpCtx *c)
{
  c->d_in[0] = lm_mul (c->b, c->ct[0], lm_add_scalar (c->b, c->out[0], 1));
}

static void
log_vjp (LmVjpCtx *c)
{
  c->d_in[0] = lm_div (c->b, c->ct[0], c->in[0]);
}

static void
log_plus_one_vjp (LmVjpCtx *c)
{
  c->d_in[0] = lm_div (c->b, c->ct[0], lm_add_scalar (c->b, c->in[0], 1));
}

static void
sqrt_vjp (LmVjpCtx *c)
{
  c->d_in[0] = lm_div (c->b, lm_mul_scalar (c->b, c->ct[0], 0.5), c->out[0]);
}

static void
rsqrt_vjp (LmVjpCtx *c)
{
  LmValue half = lm_mul_scalar (c->b, c->ct[0], -0.5);
  c->d_in[0] = lm_mul (c->b, half, lm_div (c->b, c->out[0], c->in[0]));
}

/* Divides twice rather than by the square: at 0 the square's own gradient would be 0 * inf. */
static void
cbrt_vjp (LmVjpCtx *c)
{
  LmValue third = lm_mul_scalar (c->b, c->ct[0], 1.0 / 3.0);
  c->d_in[0] = lm_div (c->b, lm_div (c->b, third, c->out[0]), c->out[0]);
}

static void
sine_vjp (LmVjpCtx *c)
{
  c->d_in[0] = lm_mul (c->b, c->ct[0], lm_emit_unary (c->b, LAM_OP_cosine, c->in[0]));
}

static void
cosine_vjp (LmVjpCtx *c)
{
  LmValue sine = lm_emit_unary (c->b, LAM_OP_sine, c->in[0]);
  c->d_in[0] = lm_neg (c->b, lm_mul (c->b, c->ct[0], sine));
}

static void
tan_vjp (LmVjpCtx *c)
{
  LmValue square = lm_mul (c->b, c->out[0], c->out[0]);
  c->d_in[0] = lm_mul (c->b, c->ct[0], lm_add_scalar (c->b, square, 1));
}

/* (1 + y) (1 - y) keeps the digits that 1 - y * y loses near |y| = 1. */
static void
tanh_vjp (LmVjpCtx *c)
{
  LmValue one = lm_splat_like (c->b, c->out[0], 1);
  LmValue left = lm_mul (c->b, c->ct[0], lm_sub (c->b, one, c->out[0]));
  c->d_in[0] = lm_mul (c->b, left, lm_add (c->b, one, c->out[0]));
}

static void
logistic_vjp (LmVjpCtx *c)
{
  LmValue rest = lm_sub (c->b, lm_splat_like (c->b, c->out[0], 1), c->out[0]);
  c->d_in[0] = lm_mul (c->b, lm_mul (c->b, c->ct[0], c->out[0]), rest);
}

/* 2 / sqrt (pi) e^(-x^2) */
static void
erf_vjp (LmVjpCtx *c)
{
  LmValue square = lm_neg (c->b, lm_mul (c->b, c->in[0], c->in[0]));
  LmValue bell = lm_emit_unary (c->b, LAM_OP_exponential, square);
  c->d_in[0] = lm_mul (c->b, lm_mul_scalar (c->b, c->ct[0], M_2_SQRTPI), bell);
}

/* sqrt (pi) / 2 e^(y^2) */
static void
erf_inv_vjp (LmVjpCtx *c)
{
  LmValue square = lm_mul (c->b, c->out[0], c->out[0]);
  LmValue bell = lm_emit_unary (c->b, LAM_OP_exponential, square);
  c->d_in[0] = lm_mul (c->b, lm_mul_scalar (c->b, c->ct[0], 1 / M_2_SQRTPI), bell);
}

/* --- fold rules ------------------------------------------------------------------------------ */

/* -(-x) = x, not (not x) = x. */
static bool
involution_fold (LmFoldCtx *c)
{
  LmOp inner;
  return lm_fold_inner (c, &inner) && lm_fold_to (c, inner.operands[0]);
}

/* f (f x) = f x */
static bool
projection_fold (LmFoldCtx *c)
{
  LmOp inner;
  return lm_fold_inner (c, &inner) && lm_fold_to (c, c->in[0]);
}

static int64_t
apply (int32_t op, const LmConst *x, int64_t i)
{
  int64_t v = lm_const_int (x, i);
  uint64_t u = (uint64_t)v;
  uint32_t bits = lam_dtype_bits (x->type.dtype);
  bool below = lam_dtype_is_signed (x->type.dtype) && v < 0;
  switch (op) {
  case LAM_OP_negate:
    return (int64_t)(0 - u);
  case LAM_OP_not:
    return x->type.dtype == LAM_PRED ? !v : (int64_t)~u;
  case LAM_OP_abs:
    return below ? (int64_t)(0 - u) : v;
  case LAM_OP_sign:
    return below ? -1 : v != 0;
  default: /* population_count */
    return __builtin_popcountll (bits < 64 ? u & ((UINT64_C (1) << bits) - 1) : u);
  }
}

/* Integer and bool constants. */
static bool
constant_fold (LmFoldCtx *c)
{
  LmConst x;
  int64_t n, values[LM_FOLD_MAX];
  if (!lm_fold_elements (c, &x, &n))
    return false;
  for (int64_t i = 0; i < n; i++)
    values[i] = apply (c->e->op, &x, i);
  return lm_fold_to_ints (c, values, n);
}

static bool
involution_or_constant_fold (LmFoldCtx *c)
{
  return involution_fold (c) || constant_fold (c);
}

static bool
projection_or_constant_fold (LmFoldCtx *c)
{
  return projection_fold (c) || constant_fold (c);
}

/* --- decomposition --------------------------------------------------------------------------- */

/* 1 / (1 + e^-x): at large -x the exponential is inf and the quotient 0, as it should be. */
static void
logistic_decompose (LmBuilder *b, const LmFunction *f, const lam_equation *e, const LmValue *in,
                    LmValue *out)
{
  (void)f;
  (void)e;
  LmValue power = lm_emit_unary (b, LAM_OP_exponential, lm_neg (b, in[0]));
  out[0] = lm_div (b, lm_splat_like (b, in[0], 1), lm_add_scalar (b, power, 1));
}

/* --- the rows -------------------------------------------------------------------------------- */

#define SMOOTH(name)                                                                               \
  const LmRules lm_rules_##name = {                                                                \
      .type = floats_type, .vjp = name##_vjp, .batch = lm_batch_elementwise};
SMOOTH (exponential)
SMOOTH (exponential_minus_one)
SMOOTH (log)
SMOOTH (log_plus_one)
SMOOTH (sqrt)
SMOOTH (rsqrt)
SMOOTH (cbrt)
SMOOTH (sine)
SMOOTH (cosine)
SMOOTH (tan)
SMOOTH (tanh)
SMOOTH (erf)
SMOOTH (erf_inv)
#undef SMOOTH

/* Piecewise constant: the gradient is zero wherever it exists. */
#define STEP(name)                                                                                 \
  const LmRules lm_rules_##name = {                                                                \
      .type = floats_type, .fold = projection_fold, .batch = lm_batch_elementwise};
STEP (floor)
STEP (ceil)
STEP (round_nearest_even)
#undef STEP

const LmRules lm_rules_logistic = {.type = floats_type,
                                   .vjp = logistic_vjp,
                                   .decompose = logistic_decompose,
                                   .batch = lm_batch_elementwise};
const LmRules lm_rules_negate = {.type = numbers_type,
                                 .vjp = negate_vjp,
                                 .fold = involution_or_constant_fold,
                                 .batch = lm_batch_elementwise};
const LmRules lm_rules_abs = {.type = signed_type,
                              .vjp = abs_vjp,
                              .fold = projection_or_constant_fold,
                              .batch = lm_batch_elementwise};
const LmRules lm_rules_sign = {
    .type = numbers_type, .fold = projection_or_constant_fold, .batch = lm_batch_elementwise};
const LmRules lm_rules_is_finite = {.type = finite_type, .batch = lm_batch_elementwise};
const LmRules lm_rules_not = {
    .type = bits_type, .fold = involution_or_constant_fold, .batch = lm_batch_elementwise};
const LmRules lm_rules_population_count = {
    .type = count_type, .fold = constant_fold, .batch = lm_batch_elementwise};
