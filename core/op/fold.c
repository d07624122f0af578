/* SPDX-License-Identifier: Apache-2.0 */
/* Constants and replacements that fold rules share. Only exact rules are written with these. */
#include "core/op/rule.h"

#include "core/base/array.h"

#include <math.h>
#include <string.h>

const lam_type *
lm_fold_type (const LmFoldCtx *c)
{
  return lam_value_type (&c->f->ir, c->e->first_result);
}

const lam_type *
lm_fold_in_type (const LmFoldCtx *c, uint32_t k)
{
  return lam_value_type (&c->f->ir, lam_operand (&c->f->ir, c->e, k));
}

bool
lm_fold_const (const LmFoldCtx *c, uint32_t k, LmConst *out)
{
  const lam_attr *a = lm_builder_constant (c->b, c->in[k]);
  if (a == NULL || a->n == 0)
    return false;
  out->type = *lm_fold_in_type (c, k);
  out->data = a->data;
  out->n = lam_type_elements (&out->type);
  out->splat = a->n == lam_dtype_bits (out->type.dtype) / 8;
  return true;
}

int64_t
lm_const_int (const LmConst *k, int64_t i)
{
  uint32_t bits = lam_dtype_bits (k->type.dtype);
  const uint8_t *p = k->data + (k->splat ? 0 : i) * (int64_t)(bits / 8);
  uint64_t u = 0;
  for (uint32_t j = 0; j < bits / 8; j++)
    u |= (uint64_t)p[j] << (8 * j);
  if (lam_dtype_is_signed (k->type.dtype) && bits < 64 && (u >> (bits - 1) & 1))
    u |= ~UINT64_C (0) << bits;
  return (int64_t)u;
}

static double
const_float (const LmConst *k, int64_t i)
{
  float f;
  double d;
  uint16_t h;
  const uint8_t *p = k->data + i * (int64_t)(lam_dtype_bits (k->type.dtype) / 8);
  switch (k->type.dtype) {
  case LAM_F64:
    memcpy (&d, p, sizeof d);
    return d;
  case LAM_F32:
    memcpy (&f, p, sizeof f);
    return f;
  default:
    memcpy (&h, p, sizeof h);
    return k->type.dtype == LAM_F16 ? lm_f16_to_f32 (h) : lm_bf16_to_f32 (h);
  }
}

bool
lm_fold_is (const LmFoldCtx *c, uint32_t k, double value)
{
  LmConst x;
  if (!lm_fold_const (c, k, &x))
    return false;
  int64_t stored = x.splat ? 1 : x.n;
  bool is_float = lam_dtype_is_float (x.type.dtype);
  for (int64_t i = 0; i < stored; i++) {
    if (is_float) {
      double v = const_float (&x, i);
      if (v != value || signbit (v) != signbit (value))
        return false;
    } else if (lm_const_int (&x, i) != (int64_t)value) {
      return false;
    }
  }
  return true;
}

bool
lm_fold_same (const LmFoldCtx *c, uint32_t j, uint32_t k)
{
  return c->in[j] == c->in[k] && c->in[j] != LM_NIL;
}

bool
lm_fold_to (LmFoldCtx *c, LmValue v)
{
  c->out = v;
  return true;
}

bool
lm_fold_to_ints (LmFoldCtx *c, const int64_t *values, int64_t n)
{
  uint8_t data[LM_FOLD_MAX * 8];
  const lam_type *type = lm_fold_type (c);
  uint32_t bytes = lam_dtype_bits (type->dtype) / 8;
  for (int64_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < bytes; j++)
      data[i * bytes + j] = (uint8_t)((uint64_t)values[i] >> (8 * j));
  return lm_fold_to (c, lm_constant (c->b, type, data, (uint64_t)n * bytes));
}

bool
lm_fold_elements (const LmFoldCtx *c, LmConst *consts, int64_t *out_n)
{
  int64_t n = 1;
  for (uint32_t k = 0; k < c->e->n_operands; k++) {
    if (!lm_fold_const (c, k, &consts[k]) || lam_dtype_is_float (consts[k].type.dtype))
      return false;
    if (!consts[k].splat)
      n = consts[k].n;
  }
  *out_n = n;
  return n <= LM_FOLD_MAX;
}

bool
lm_fold_splat (LmFoldCtx *c)
{
  LmConst x;
  if (!lm_fold_const (c, 0, &x) || !x.splat)
    return false;
  uint8_t element[8];
  uint64_t bytes = lam_dtype_bits (x.type.dtype) / 8;
  memcpy (element, x.data, bytes);
  return lm_fold_to (c, lm_constant (c->b, lm_fold_type (c), element, bytes));
}

bool
lm_fold_inner (const LmFoldCtx *c, LmOp *out)
{
  return lm_builder_def (c->b, c->in[0], out) && out->op == c->e->op;
}

const lam_attr *
lm_op_attr (const LmOp *op, const char *key)
{
  for (uint32_t i = 0; i < op->n_attrs; i++)
    if (strcmp (op->attrs[i].key, key) == 0)
      return &op->attrs[i];
  return NULL;
}
