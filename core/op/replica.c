/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of ops over the replicas of a step: all_reduce all_gather axis_index. Every replica runs the same
 * function, so the gradient of the sum of all replicas' losses is what flows back: a sum of cotangents. */
#include "core/op/rule.h"

#include <string.h>

/* --- all_reduce -------------------------------------------------------------------------------- */

static LmValue
emit_all_reduce (LmBuilder *b, const LmValue *in, uint32_t n, const char *computation)
{
  lam_attr attr = lm_attr_str ("computation", computation);
  LmOp o = {.op = LAM_OP_all_reduce, .operands = in, .n_operands = n, .attrs = &attr, .n_attrs = 1};
  return lm_builder_op (b, &o);
}

static bool
all_reduce_type (LmTypeCtx *c)
{
  static const char *const words[] = {"add", "maximum", "minimum", NULL};
  if (!lm_rule_word (c, "computation", NULL, words))
    return false;
  if (c->n_operands > c->max_results)
    return lm_type_fail (c, "has %u results, wanted at most %u", c->n_operands, c->max_results);
  for (uint32_t k = 0; k < c->n_operands; k++) {
    if (!lm_rule_kind (c, k, LM_NUMBERS))
      return false;
    c->results[k] = *c->operands[k];
  }
  c->n_results = c->n_operands;
  return true;
}

/* d_x = sum of all replicas' cotangents; in one message, as the forward. */
static void
sum_vjp (LmVjpCtx *c)
{
  uint32_t n = 0;
  g_autofree LmValue *in = g_new (LmValue, c->e->n_operands);
  for (uint32_t k = 0; k < c->e->n_operands; k++)
    if (c->wanted[k] && c->ct[k] != LM_NIL)
      in[n++] = c->ct[k];
  LmValue d = n > 0 ? emit_all_reduce (c->b, in, n, "add") : LM_NIL;
  for (uint32_t k = 0; k < c->e->n_operands && d != LM_NIL; k++)
    if (c->wanted[k] && c->ct[k] != LM_NIL)
      c->d_in[k] = d++;
}

/* The winners share the sum of the cotangents evenly, as in a reduction's ties. */
static void
extremum_vjp (LmVjpCtx *c, uint32_t k)
{
  LmBuilder *b = c->b;
  LmValue wins =
      lm_convert (b, lm_compare (b, c->in[k], c->out[k], "EQ"), lm_vjp_in_type (c, k)->dtype);
  LmValue both[2] = {c->ct[k], wins};
  LmValue sums = emit_all_reduce (b, both, 2, "add");
  if (sums != LM_NIL)
    c->d_in[k] = lm_div (b, lm_mul (b, sums, wins), sums + 1);
}

static void
all_reduce_vjp (LmVjpCtx *c)
{
  if (strcmp (lam_attr_str (&c->f->ir, c->e, "computation", "add"), "add") == 0) {
    sum_vjp (c);
    return;
  }
  for (uint32_t k = 0; k < c->e->n_operands; k++)
    if (c->wanted[k] && c->ct[k] != LM_NIL)
      extremum_vjp (c, k);
}

/* Elementwise, so each operand keeps its own batch axis or none. */
static void
all_reduce_batch (LmBatchCtx *c)
{
  LmValue first = emit_all_reduce (c->b, c->in, c->e->n_operands,
                                   lam_attr_str (&c->f->ir, c->e, "computation", "add"));
  for (uint32_t k = 0; k < c->e->n_results; k++) {
    c->out[k] = first == LM_NIL ? LM_NIL : first + k;
    c->out_axis[k] = c->axis[k];
  }
}

const LmRules lm_rules_all_reduce = {
    .type = all_reduce_type, .vjp = all_reduce_vjp, .batch = all_reduce_batch};

/* --- all_gather -------------------------------------------------------------------------------- */

static bool
all_gather_type (LmTypeCtx *c)
{
  const lam_type *x = c->operands[0];
  int64_t dimension = lm_type_attr_int (c, "all_gather_dimension", 0);
  int64_t count = lm_type_attr_int (c, "replica_count", 1), dims[LAM_MAX_RANK];
  if (x->rank == 0)
    return lm_rule_refuse (c, 0, "an axis to join along");
  if (dimension < 0 || dimension >= x->rank)
    return lm_type_fail (c, "all_gather_dimension is %" G_GINT64_FORMAT ", wanted 0 to %d",
                         dimension, x->rank - 1);
  if (count < 1)
    return lm_type_fail (c, "replica_count is %" G_GINT64_FORMAT ", wanted 1 or more", count);
  for (int32_t i = 0; i < x->rank; i++)
    dims[i] = x->dims[i];
  if (__builtin_mul_overflow (dims[dimension], count, &dims[dimension]))
    return lm_type_fail (c, "the result has too many elements");
  return lm_rule_result (c, x->dtype, x->rank, dims);
}

/* This replica's part of the summed cotangents. */
static void
all_gather_vjp (LmVjpCtx *c)
{
  LmBuilder *b = c->b;
  const lam_type *x = lm_vjp_in_type (c, 0), index_type = lm_scalar_type (LAM_U32);
  int64_t dimension = lam_attr_int (&c->f->ir, c->e, "all_gather_dimension", 0);
  LmOp rank = {.op = LAM_OP_axis_index};
  LmValue in[1 + LAM_MAX_RANK];
  in[0] = emit_all_reduce (b, c->ct, 1, "add");
  for (int32_t i = 0; i < x->rank; i++)
    in[1 + i] = lm_splat_int (b, &index_type, i == dimension ? x->dims[i] : 0);
  in[1 + dimension] = lm_mul (b, in[1 + dimension], lm_builder_op (b, &rank));
  lam_attr attr = lm_attr_ints ("slice_sizes", x->dims, (uint64_t)x->rank);
  LmOp o = {.op = LAM_OP_dynamic_slice,
            .operands = in,
            .n_operands = 1 + (uint32_t)x->rank,
            .attrs = &attr,
            .n_attrs = 1};
  c->d_in[0] = lm_builder_op (b, &o);
}

static void
all_gather_batch (LmBatchCtx *c)
{
  lam_attr attr = lm_attr_int ("all_gather_dimension",
                               lam_attr_int (&c->f->ir, c->e, "all_gather_dimension", 0) + 1);
  LmValue in = lm_batch_front (c, 0);
  lm_batch_emit (c, &in, &attr, 1, 0);
}

const LmRules lm_rules_all_gather = {
    .type = all_gather_type, .vjp = all_gather_vjp, .batch = all_gather_batch};

/* --- axis_index -------------------------------------------------------------------------------- */

static bool
axis_index_type (LmTypeCtx *c)
{
  return lm_rule_result (c, LAM_U32, 0, NULL);
}

const LmRules lm_rules_axis_index = {.type = axis_index_type};
