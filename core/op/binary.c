/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of elementwise ops of two operands (compare stands in choose.c). */
#include "core/op/rule.h"

/* --- type rules ------------------------------------------------------------------------------ */

static bool
pair (LmTypeCtx *c, uint32_t kinds)
{
  return lm_rule_kind (c, 0, kinds) && lm_rule_same_type (c, 1, 0) && lm_rule_result_like (c, 0);
}

static bool
any_type (LmTypeCtx *c)
{
  return pair (c, LM_ANY);
}

static bool
numbers_type (LmTypeCtx *c)
{
  return pair (c, LM_NUMBERS);
}

static bool
floats_type (LmTypeCtx *c)
{
  return pair (c, LM_FLOATS);
}

static bool
bits_type (LmTypeCtx *c)
{
  return pair (c, LM_INTS | LM_BOOLS);
}

static bool
shift_type (LmTypeCtx *c)
{
  return pair (c, LM_INTS);
}

/* --- vjp rules ------------------------------------------------------------------------------- */

static void
add_vjp (LmVjpCtx *c)
{
  c->d_in[0] = c->d_in[1] = c->ct[0];
}

static void
subtract_vjp (LmVjpCtx *c)
{
  c->d_in[0] = c->ct[0];
  if (c->wanted[1])
    c->d_in[1] = lm_neg (c->b, c->ct[0]);
}

static void
multiply_vjp (LmVjpCtx *c)
{
  if (c->wanted[0])
    c->d_in[0] = lm_mul (c->b, c->ct[0], c->in[1]);
  if (c->wanted[1])
    c->d_in[1] = lm_mul (c->b, c->ct[0], c->in[0]);
}

/* d b = -(ct / b) (a / b): no square that could overflow. */
static void
divide_vjp (LmVjpCtx *c)
{
  LmValue d = lm_div (c->b, c->ct[0], c->in[1]);
  c->d_in[0] = d;
  if (c->wanted[1])
    c->d_in[1] = lm_neg (c->b, lm_mul (c->b, d, c->out[0]));
}

/* a - trunc (a / b) b: the whole quotient is a constant. (a - result) / b is it but for rounding,
 * also where a / b itself rounds up to the next integer. */
static void
remainder_vjp (LmVjpCtx *c)
{
  c->d_in[0] = c->ct[0];
  if (!c->wanted[1])
    return;
  LmValue whole = lm_div (c->b, lm_sub (c->b, c->in[0], c->out[0]), c->in[1]);
  whole = lm_emit_unary (c->b, LAM_OP_round_nearest_even, whole);
  c->d_in[1] = lm_neg (c->b, lm_mul (c->b, c->ct[0], whole));
}

/* d a = b a^(b - 1); d b = log (a) a^b, 0 where a is 0 (log of 1 stands in there, as JAX). */
static void
power_vjp (LmVjpCtx *c)
{
  LmBuilder *b = c->b;
  LmValue x = c->in[0], y = c->in[1];
  if (c->wanted[0]) {
    LmValue less = lm_emit_binary (b, LAM_OP_power, x, lm_add_scalar (b, y, -1));
    c->d_in[0] = lm_mul (b, c->ct[0], lm_mul (b, y, less));
  }
  if (c->wanted[1]) {
    LmValue is_zero = lm_compare (b, x, lm_zeros_like (b, x), "EQ");
    LmValue base = lm_select (b, is_zero, lm_splat_like (b, x, 1), x);
    LmValue log = lm_emit_unary (b, LAM_OP_log, base);
    c->d_in[1] = lm_mul (b, c->ct[0], lm_mul (b, log, c->out[0]));
  }
}

/* Half to each on a tie, nothing where the result is NaN. */
static void
extremum_vjp (LmVjpCtx *c)
{
  LmBuilder *b = c->b;
  LmValue won[2], zero = lm_zeros_like (b, c->ct[0]);
  LmValue half = lm_mul_scalar (b, c->ct[0], 0.5);
  for (int k = 0; k < 2; k++)
    won[k] = lm_compare (b, c->in[k], c->out[0], "EQ");
  for (int k = 0; k < 2; k++)
    if (c->wanted[k])
      c->d_in[k] = lm_select (b, won[k], lm_select (b, won[1 - k], half, c->ct[0]), zero);
}

/* d y = x / (x^2 + y^2), d x = -y / (x^2 + y^2) for atan2 (y, x). */
static void
atan2_vjp (LmVjpCtx *c)
{
  LmBuilder *b = c->b;
  LmValue y = c->in[0], x = c->in[1];
  LmValue square = lm_add (b, lm_mul (b, y, y), lm_mul (b, x, x));
  if (c->wanted[0])
    c->d_in[0] = lm_mul (b, c->ct[0], lm_div (b, x, square));
  if (c->wanted[1])
    c->d_in[1] = lm_neg (b, lm_mul (b, c->ct[0], lm_div (b, y, square)));
}

/* --- fold rules: constants ------------------------------------------------------------------- */

static int64_t
shift (int32_t op, int64_t a, uint64_t by, lam_dtype dtype)
{
  uint32_t bits = lam_dtype_bits (dtype);
  uint64_t u = bits < 64 ? (uint64_t)a & ((UINT64_C (1) << bits) - 1) : (uint64_t)a;
  by = bits < 64 ? by & ((UINT64_C (1) << bits) - 1) : by;
  if (op == LAM_OP_shift_left)
    return by < bits ? (int64_t)(u << by) : 0;
  if (op == LAM_OP_shift_right_logical || lam_dtype_is_unsigned (dtype))
    return by < bits ? (int64_t)(u >> by) : 0;
  /* a is sign-extended; >> of a negative number is arithmetic in gcc and clang. */
  return a >> (by < bits ? by : bits - 1);
}

static int64_t
extremum (bool largest, int64_t a, int64_t b, lam_dtype dtype)
{
  bool above = lam_dtype_is_signed (dtype) ? a > b : (uint64_t)a > (uint64_t)b;
  return above == largest ? a : b;
}

static int64_t
apply (int32_t op, int64_t a, int64_t b, lam_dtype dtype)
{
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch (op) {
  case LAM_OP_add:
    return (int64_t)(dtype == LAM_PRED ? x | y : x + y);
  case LAM_OP_subtract:
    return (int64_t)(x - y);
  case LAM_OP_multiply:
    return (int64_t)(x * y);
  case LAM_OP_maximum:
  case LAM_OP_minimum:
    return extremum (op == LAM_OP_maximum, a, b, dtype);
  case LAM_OP_and:
    return (int64_t)(x & y);
  case LAM_OP_or:
    return (int64_t)(x | y);
  case LAM_OP_xor:
    return (int64_t)(x ^ y);
  default:
    return shift (op, a, y, dtype);
  }
}

static bool
constant_fold (LmFoldCtx *c)
{
  LmConst k[2];
  int64_t n, values[LM_FOLD_MAX];
  if (!lm_fold_elements (c, k, &n))
    return false;
  for (int64_t i = 0; i < n; i++)
    values[i] = apply (c->e->op, lm_const_int (&k[0], i), lm_const_int (&k[1], i), k[0].type.dtype);
  return lm_fold_to_ints (c, values, n);
}

/* --- fold rules: identities ------------------------------------------------------------------- */

static bool
is_float (const LmFoldCtx *c)
{
  return lam_dtype_is_float (lm_fold_type (c)->dtype);
}

static bool
fold_to_zero (LmFoldCtx *c)
{
  int64_t zero = 0;
  return lm_fold_to_ints (c, &zero, 1);
}

/* The operand beside a constant of all `neutral`. */
static bool
neutral_fold (LmFoldCtx *c, double neutral)
{
  for (uint32_t k = 0; k < 2; k++)
    if (lm_fold_is (c, k, neutral))
      return lm_fold_to (c, c->in[1 - k]);
  return false;
}

/* x + -0 = x for every float; x + +0 is not (-0 + +0 = +0). */
static bool
add_fold (LmFoldCtx *c)
{
  return neutral_fold (c, is_float (c) ? -0.0 : 0) || constant_fold (c);
}

static bool
subtract_fold (LmFoldCtx *c)
{
  if (lm_fold_is (c, 1, 0))
    return lm_fold_to (c, c->in[0]);
  if (!is_float (c) && lm_fold_same (c, 0, 1))
    return fold_to_zero (c);
  return constant_fold (c);
}

static bool
multiply_fold (LmFoldCtx *c)
{
  if (neutral_fold (c, 1))
    return true;
  if (!is_float (c) && (lm_fold_is (c, 0, 0) || lm_fold_is (c, 1, 0)))
    return fold_to_zero (c);
  return constant_fold (c);
}

static bool
divide_fold (LmFoldCtx *c)
{
  return lm_fold_is (c, 1, 1) && lm_fold_to (c, c->in[0]);
}

static bool
extremum_fold (LmFoldCtx *c)
{
  return lm_fold_same (c, 0, 1) ? lm_fold_to (c, c->in[0]) : constant_fold (c);
}

/* All bits set, as an integer of the dtype; true for bool. */
static double
all_ones (const LmFoldCtx *c)
{
  lam_dtype dtype = lm_fold_type (c)->dtype;
  if (dtype == LAM_PRED)
    return 1;
  if (lam_dtype_is_signed (dtype) || dtype == LAM_U64) /* u64 is read as int64_t */
    return -1;
  return (double)((UINT64_C (1) << lam_dtype_bits (dtype)) - 1);
}

static bool
and_fold (LmFoldCtx *c)
{
  if (lm_fold_is (c, 0, 0) || lm_fold_is (c, 1, 0))
    return fold_to_zero (c);
  return neutral_fold (c, all_ones (c)) || extremum_fold (c);
}

static bool
or_fold (LmFoldCtx *c)
{
  for (uint32_t k = 0; k < 2; k++)
    if (lm_fold_is (c, k, all_ones (c)))
      return lm_fold_to (c, c->in[k]);
  return neutral_fold (c, 0) || extremum_fold (c);
}

static bool
xor_fold (LmFoldCtx *c)
{
  if (lm_fold_same (c, 0, 1))
    return fold_to_zero (c);
  return neutral_fold (c, 0) || constant_fold (c);
}

static bool
shift_fold (LmFoldCtx *c)
{
  if (lm_fold_is (c, 1, 0))
    return lm_fold_to (c, c->in[0]);
  return constant_fold (c);
}

/* --- the rows -------------------------------------------------------------------------------- */

const LmRules lm_rules_add = {
    .type = any_type, .vjp = add_vjp, .fold = add_fold, .batch = lm_batch_elementwise};
const LmRules lm_rules_subtract = {.type = numbers_type,
                                   .vjp = subtract_vjp,
                                   .fold = subtract_fold,
                                   .batch = lm_batch_elementwise};
const LmRules lm_rules_multiply = {
    .type = any_type, .vjp = multiply_vjp, .fold = multiply_fold, .batch = lm_batch_elementwise};
const LmRules lm_rules_divide = {
    .type = numbers_type, .vjp = divide_vjp, .fold = divide_fold, .batch = lm_batch_elementwise};
const LmRules lm_rules_remainder = {
    .type = numbers_type, .vjp = remainder_vjp, .batch = lm_batch_elementwise};
const LmRules lm_rules_power = {
    .type = floats_type, .vjp = power_vjp, .batch = lm_batch_elementwise};
const LmRules lm_rules_maximum = {
    .type = any_type, .vjp = extremum_vjp, .fold = extremum_fold, .batch = lm_batch_elementwise};
const LmRules lm_rules_minimum = {
    .type = any_type, .vjp = extremum_vjp, .fold = extremum_fold, .batch = lm_batch_elementwise};
const LmRules lm_rules_atan2 = {
    .type = floats_type, .vjp = atan2_vjp, .batch = lm_batch_elementwise};
const LmRules lm_rules_and = {.type = bits_type, .fold = and_fold, .batch = lm_batch_elementwise};
const LmRules lm_rules_or = {.type = bits_type, .fold = or_fold, .batch = lm_batch_elementwise};
const LmRules lm_rules_xor = {.type = bits_type, .fold = xor_fold, .batch = lm_batch_elementwise};
const LmRules lm_rules_shift_left = {
    .type = shift_type, .fold = shift_fold, .batch = lm_batch_elementwise};
const LmRules lm_rules_shift_right_logical = {
    .type = shift_type, .fold = shift_fold, .batch = lm_batch_elementwise};
const LmRules lm_rules_shift_right_arithmetic = {
    .type = shift_type, .fold = shift_fold, .batch = lm_batch_elementwise};
