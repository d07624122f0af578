/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of cumsum: running sums along one axis. */
#include "core/op/rule.h"

static bool
check_flag (LmTypeCtx *c, const char *key)
{
  int64_t flag = lm_type_attr_int (c, key, 0);
  if (flag == 0 || flag == 1)
    return true;
  return lm_type_fail (c, "%s is %" G_GINT64_FORMAT ", wanted 0 or 1", key, flag);
}

static bool
cumsum_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0];
  int64_t axis = lm_type_attr_int (c, "dimension", 0);
  if (!lm_rule_kind (c, 0, LM_NUMBERS))
    return false;
  if (axis < 0 || axis >= x->rank)
    return lm_type_fail (c, "dimension is %" G_GINT64_FORMAT ", wanted an axis of 0 to %d", axis,
                         x->rank - 1);
  return check_flag (c, "reverse") && check_flag (c, "exclusive") && lm_rule_result_like (c, 0);
}

/* Element i was added into all later sums: their cotangents add up from the other end. */
static void
cumsum_vjp (LmVjpCtx *c)
{
  const lam_function *f = &c->f->ir;
  lam_attr attrs[] = {
      lm_attr_int ("dimension", lam_attr_int (f, c->e, "dimension", 0)),
      lm_attr_int ("reverse", !lam_attr_int (f, c->e, "reverse", 0)),
      lm_attr_int ("exclusive", lam_attr_int (f, c->e, "exclusive", 0)),
  };
  LmOp o = {.op = LAM_OP_cumsum, .operands = c->ct, .n_operands = 1, .attrs = attrs, .n_attrs = 3};
  c->d_in[0] = lm_builder_op (c->b, &o);
}

/* One element is its own sum; the sum of what comes before it is 0. */
static bool
cumsum_fold (LmFoldCtx *c)
{
  const lam_type *y = lm_fold_type (c);
  if (y->dims[lam_attr_int (&c->f->ir, c->e, "dimension", 0)] > 1)
    return false;
  if (lam_attr_int (&c->f->ir, c->e, "exclusive", 0))
    return lm_fold_to (c, lm_splat (c->b, y, 0));
  return lm_fold_to (c, c->in[0]);
}

static void
cumsum_batch (LmBatchCtx *c)
{
  LmValue x = lm_batch_front (c, 0);
  lam_attr attr = lm_attr_int ("dimension", lam_attr_int (&c->f->ir, c->e, "dimension", 0) + 1);
  lm_batch_emit (c, &x, &attr, 1, 0);
}

/* A window as long as the axis, which sticks out on the side where sums begin. */
static void
cumsum_decompose (LmBuilder *b, const LmFunction *f, const lam_equation *e, const LmValue *in,
                  LmValue *out)
{
  const lam_type *y = lam_value_type (&f->ir, e->first_result);
  int64_t axis = lam_attr_int (&f->ir, e, "dimension", 0), n = y->dims[axis];
  int64_t side = lam_attr_int (&f->ir, e, "reverse", 0); /* 0: low, 1: high */
  int64_t exclusive = lam_attr_int (&f->ir, e, "exclusive", 0);
  int64_t size[LAM_MAX_RANK], padding[2 * LAM_MAX_RANK] = {0};
  out[0] = in[0];
  if (n == 0)
    return;
  for (int32_t i = 0; i < y->rank; i++)
    size[i] = 1;
  size[axis] = n;
  padding[2 * axis + side] = n - 1 + exclusive;
  padding[2 * axis + 1 - side] = -exclusive;
  lam_attr attrs[] = {lm_attr_str ("computation", "add"),
                      lm_attr_ints ("window_dimensions", size, (uint64_t)y->rank),
                      lm_attr_ints ("padding", padding, 2 * (uint64_t)y->rank)};
  LmOp o = {
      .op = LAM_OP_reduce_window, .operands = in, .n_operands = 1, .attrs = attrs, .n_attrs = 3};
  out[0] = lm_builder_op (b, &o);
}

const LmRules lm_rules_cumsum = {.type = cumsum_type,
                                 .vjp = cumsum_vjp,
                                 .fold = cumsum_fold,
                                 .batch = cumsum_batch,
                                 .decompose = cumsum_decompose};
