/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of control ops: composite name stop_gradient optimization_barrier. */
#include "core/op/rule.h"

static bool
no_regions (LmTypeCtx *c)
{
  return c->n_regions == 0 || lm_type_fail (c, "got %u regions, wanted none", c->n_regions);
}

static bool
room (LmTypeCtx *c, uint32_t n)
{
  if (n > c->max_results)
    return lm_type_fail (c, "has %u results, wanted at most %u", n, c->max_results);
  c->n_results = n;
  return true;
}

/* --- composite ------------------------------------------------------------------------------- */

static bool
composite_type (LmTypeCtx *c)
{
  if (c->n_regions != 1)
    return lm_type_fail (c, "got %u regions, wanted 1 (the decomposition)", c->n_regions);
  const LmFunction *body = c->regions[0];
  if (body->ir.n_params != c->n_operands)
    return lm_type_fail (c, "the region @%s has %u parameters, wanted %u (the operands)",
                         body->ir.name, body->ir.n_params, c->n_operands);
  for (uint32_t k = 0; k < c->n_operands; k++)
    if (!lm_type_equal (c->operands[k], lm_param_type (body, k))) {
      g_autofree char *wanted = lm_type_to_string (lm_param_type (body, k));
      return lm_rule_refuse (c, k, "%s (parameter %u of the region @%s)", wanted, k, body->ir.name);
    }
  if (!room (c, body->ir.n_results))
    return false;
  for (uint32_t i = 0; i < c->n_results; i++)
    c->results[i] = *lm_result_type (body, i);
  return true;
}

static void
composite_batch (LmBatchCtx *c)
{
  /* (name, version) says what shapes mean, for whoever claims it: over more axes the region may be
   * something else (a softmax of the last axis is, a layer norm of the last two is not), and no
   * attribute could tell. So the composite gives way to its batched region, which is right for
   * every name; its parts are claimed and fused like any equations. */
  c->inline_region (c, lm_function_region (c->f, c->e, 0));
}

/* Its gradient needs the vjp of a region: core/transform/grad_composite.c. */
const LmRules lm_rules_composite = {.type = composite_type, .batch = composite_batch};

/* --- name, stop_gradient ---------------------------------------------------------------------- */

static bool
same_type (LmTypeCtx *c)
{
  return no_regions (c) && lm_rule_result_like (c, 0);
}

static void
name_vjp (LmVjpCtx *c)
{
  c->d_in[0] = c->ct[0];
}

static void
operand_decompose (LmBuilder *b, const LmFunction *f, const lam_equation *e, const LmValue *in,
                   LmValue *out)
{
  (void)b;
  (void)f;
  (void)e;
  out[0] = in[0];
}

const LmRules lm_rules_name = {
    .type = same_type, .vjp = name_vjp, .decompose = operand_decompose, .batch = lm_batch_in_place};
const LmRules lm_rules_stop_gradient = {
    .type = same_type, .decompose = operand_decompose, .batch = lm_batch_in_place};

/* --- optimization_barrier --------------------------------------------------------------------- */

static bool
barrier_type (LmTypeCtx *c)
{
  if (!no_regions (c) || !room (c, c->n_operands))
    return false;
  for (uint32_t k = 0; k < c->n_operands; k++)
    c->results[k] = *c->operands[k];
  return true;
}

/* The cotangents pass a barrier of their own: the backward half is held together as the forward. */
static void
barrier_vjp (LmVjpCtx *c)
{
  uint32_t n = 0, results = c->e->n_results;
  g_autofree LmValue *in = g_new (LmValue, results);
  for (uint32_t k = 0; k < results; k++)
    if (c->ct[k] != LM_NIL)
      in[n++] = c->ct[k];
  LmOp o = {.op = LAM_OP_optimization_barrier, .operands = in, .n_operands = n};
  LmValue d = lm_builder_op (c->b, &o);
  for (uint32_t k = 0; k < results && d != LM_NIL; k++)
    if (c->ct[k] != LM_NIL)
      c->d_in[k] = d++;
}

/* Each operand passes with its own batch axis or none. */
static void
barrier_batch (LmBatchCtx *c)
{
  LmOp o = {.op = c->e->op, .operands = c->in, .n_operands = c->e->n_operands};
  LmValue first = lm_builder_op (c->b, &o);
  for (uint32_t k = 0; k < c->e->n_results; k++) {
    c->out[k] = first == LM_NIL ? LM_NIL : first + k;
    c->out_axis[k] = c->axis[k];
  }
}

const LmRules lm_rules_optimization_barrier = {
    .type = barrier_type, .vjp = barrier_vjp, .batch = barrier_batch};
