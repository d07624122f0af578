/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of reduce_precision: rounding to a float format with fewer bits, kept in the dtype. */
#include "core/op/rule.h"

/* Exponent and fraction bits of a float dtype, and the integers as wide. */
typedef struct Format {
  int64_t exponent, mantissa;
  lam_dtype bits;
} Format;

static Format
format_of (lam_dtype dtype)
{
  switch (dtype) {
  case LAM_F64:
    return (Format) {11, 52, LAM_U64};
  case LAM_F32:
    return (Format) {8, 23, LAM_U32};
  case LAM_F16:
    return (Format) {5, 10, LAM_U16};
  default: /* bf16 */
    return (Format) {8, 7, LAM_U16};
  }
}

static bool
precision_type (LmTypeCtx *c)
{
  int64_t exponent = lm_type_attr_int (c, "exponent_bits", 0);
  int64_t mantissa = lm_type_attr_int (c, "mantissa_bits", 0);
  if (!lm_rule_kind (c, 0, LM_FLOATS))
    return false;
  if (exponent < 1)
    return lm_type_fail (c, "exponent_bits is %" G_GINT64_FORMAT ", wanted at least 1", exponent);
  if (mantissa < 0)
    return lm_type_fail (c, "mantissa_bits is %" G_GINT64_FORMAT ", wanted at least 0", mantissa);
  return lm_rule_result_like (c, 0);
}

/* As JAX: the gradient is the identity, at the same precision. */
static void
precision_vjp (LmVjpCtx *c)
{
  const lam_function *f = &c->f->ir;
  lam_attr attrs[] = {
      lm_attr_int ("exponent_bits", lam_attr_int (f, c->e, "exponent_bits", 0)),
      lm_attr_int ("mantissa_bits", lam_attr_int (f, c->e, "mantissa_bits", 0)),
  };
  LmOp o = {.op = LAM_OP_reduce_precision,
            .operands = c->ct,
            .n_operands = 1,
            .attrs = attrs,
            .n_attrs = 2};
  c->d_in[0] = lm_builder_op (c->b, &o);
}

/* Twice the same is once. f64 and f32 hold nothing wider than themselves; f16 and bf16 may be kept in f32
 * inside a fused group, so that their own precision is a place to round at. */
static bool
precision_fold (LmFoldCtx *c)
{
  const lam_function *f = &c->f->ir;
  lam_dtype dtype = lm_fold_type (c)->dtype;
  Format own = format_of (dtype);
  int64_t exponent = lam_attr_int (f, c->e, "exponent_bits", 0);
  int64_t mantissa = lam_attr_int (f, c->e, "mantissa_bits", 0);
  LmOp inner;
  if (lm_fold_inner (c, &inner) && lm_op_attr (&inner, "exponent_bits")->i == exponent
      && lm_op_attr (&inner, "mantissa_bits")->i == mantissa)
    return lm_fold_to (c, c->in[0]);
  return own.bits != LAM_U16 && exponent >= own.exponent && mantissa >= own.mantissa
         && lm_fold_to (c, c->in[0]);
}

/* --- decomposition: the steps of XLA's EmitReducePrecisionIR, on the bits ----------------------- */

static LmValue
op_with (LmBuilder *b, int32_t op, LmValue x, uint64_t k)
{
  return lm_emit_binary (b, op, x, lm_splat_int (b, lm_builder_type (b, x), (int64_t)k));
}

/* u with the lowest `cut` bits rounded away, to nearest even; a carry runs into the exponent. */
static LmValue
round_bits (LmBuilder *b, LmValue u, int64_t cut)
{
  uint64_t unit = UINT64_C (1) << cut;
  LmValue odd =
      op_with (b, LAM_OP_and, op_with (b, LAM_OP_shift_right_logical, u, (uint64_t)cut), 1);
  LmValue up = op_with (b, LAM_OP_add, odd, unit / 2 - 1);
  return op_with (b, LAM_OP_and, lm_add (b, u, up), ~(unit - 1));
}

/* u with exponents beyond those of `bits` bits made infinite or zero. */
static LmValue
limit_exponent (LmBuilder *b, LmValue u, const Format *own, int64_t bits)
{
  uint64_t bias = (UINT64_C (1) << (own->exponent - 1)) - 1,
           mine = (UINT64_C (1) << (bits - 1)) - 1;
  uint64_t inf = ((UINT64_C (1) << own->exponent) - 1) << own->mantissa;
  const lam_type *type = lm_builder_type (b, u);
  LmValue exponent = op_with (b, LAM_OP_and, u, inf);
  LmValue most = lm_splat_int (b, type, (int64_t)((bias + mine) << own->mantissa));
  LmValue least = lm_splat_int (b, type, (int64_t)((bias - mine) << own->mantissa));
  LmValue sign = op_with (b, LAM_OP_and, u, UINT64_C (1) << (own->exponent + own->mantissa));
  LmValue infinite = op_with (b, LAM_OP_or, sign, inf);
  u = lm_select (b, lm_compare (b, exponent, most, "GT"), infinite, u);
  return lm_select (b, lm_compare (b, exponent, least, "LE"), sign, u);
}

static void
precision_decompose (LmBuilder *b, const LmFunction *f, const lam_equation *e, const LmValue *in,
                     LmValue *out)
{
  lam_dtype dtype = lam_value_type (&f->ir, e->first_result)->dtype;
  Format own = format_of (dtype);
  int64_t exponent = lam_attr_int (&f->ir, e, "exponent_bits", 0);
  int64_t mantissa = lam_attr_int (&f->ir, e, "mantissa_bits", 0);
  LmValue u = lm_bitcast (b, in[0], own.bits);
  if (mantissa < own.mantissa)
    u = round_bits (b, u, own.mantissa - mantissa);
  if (exponent < own.exponent)
    u = limit_exponent (b, u, &own, exponent);
  LmValue nan = lm_compare (b, in[0], in[0], "NE");
  out[0] = lm_select (b, nan, in[0], lm_bitcast (b, u, dtype));
}

const LmRules lm_rules_reduce_precision = {.type = precision_type,
                                           .vjp = precision_vjp,
                                           .fold = precision_fold,
                                           .batch = lm_batch_in_place,
                                           .decompose = precision_decompose};
