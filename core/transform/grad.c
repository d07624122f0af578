/* SPDX-License-Identifier: Apache-2.0 */
/* Reverse-mode differentiation: f's equations are copied, then walked backwards while each op's vjp
 * rule adds the cotangents of its operands. The result is an ordinary function. */
#include "core/transform/grad.h"

#include "core/op/emit.h"
#include "core/transform/rewrite.h"
#include "core/transform/transform.h"

#include <string.h>

/* What is asked for. */
typedef struct Spec {
  const bool *wanted;   /* [n_params] */
  const bool *ct_given; /* [n_results]: a parameter each; NULL: the loss alone, cotangent 1 */
  uint32_t loss;
  bool keep_results;
  const char *suffix; /* of the name */
} Spec;

typedef struct Grad {
  const LmFunction *f;
  LmRewrite forward;
  LmBuilder *b;
  bool *varied;         /* [n_values]: a wanted parameter reaches it through differentiable ops */
  LmValue *ct;          /* [n_values]: LM_NIL is zero */
  LmValue *in, *d_in;   /* [most operands] */
  LmValue *out, *d_out; /* [most results] */
  bool *wanted;         /* [most operands] */
} Grad;

static LmFunction *differentiate (const LmFunction *f, const Spec *spec, GError **error);

/* LmVjpCtx.vjp_of: nothing of the forward half is kept that the gradient does not read. */
static LmFunction *
vjp_of (const LmFunction *region, const bool *wanted, const bool *ct_given, GError **error)
{
  Spec spec = {.wanted = wanted, .ct_given = ct_given, .suffix = ".vjp"};
  g_autoptr (LmFunction) full = differentiate (region, &spec, error);

  return full != NULL ? lm_dce (full, error) : NULL;
}

/* --- activity ----------------------------------------------------------------------------------- */

static bool
is_differentiable (int32_t op)
{
  const LmRules *rules = lm_rules (op);

  if (op == LAM_OP_composite)
    return true;
  return op != LAM_OP_stop_gradient && rules != NULL && rules->vjp != NULL;
}

static void
mark_varied (Grad *g, const bool *wanted)
{
  const lam_function *ir = &g->f->ir;

  for (uint32_t i = 0; i < ir->n_params; i++)
    g->varied[i] = wanted[i];
  for (uint32_t i = 0; i < ir->n_equations; i++) {
    const lam_equation *e = lam_equation_at (ir, i);
    bool any = false;
    for (uint32_t k = 0; k < e->n_operands && !any; k++)
      any = g->varied[lam_operand (ir, e, k)];
    if (!any || !is_differentiable (e->op))
      continue;
    for (uint32_t k = 0; k < e->n_results; k++) {
      uint32_t v = e->first_result + k;
      g->varied[v] = lam_dtype_is_float (lam_value_type (ir, v)->dtype);
    }
  }
}

/* --- the walk ------------------------------------------------------------------------------------ */

static void
accumulate (Grad *g, uint32_t v, LmValue d)
{
  if (d == LM_NIL || !g->varied[v])
    return;
  g->ct[v] = g->ct[v] == LM_NIL ? d : lm_add (g->b, g->ct[v], d);
}

/* A rule that gives a cotangent of another type than its operand's is a fault here, not later. */
static bool
check_cotangent (Grad *g, const lam_equation *e, uint32_t k)
{
  const lam_type *type = lam_value_type (&g->f->ir, lam_operand (&g->f->ir, e, k));
  g_autofree char *got = NULL, *wanted = NULL;

  if (g->d_in[k] == LM_NIL || lm_builder_error (g->b) != NULL
      || lm_type_equal (lm_builder_type (g->b, g->d_in[k]), type))
    return lm_builder_error (g->b) == NULL;
  got = lm_type_to_string (lm_builder_type (g->b, g->d_in[k]));
  wanted = lm_type_to_string (type);
  lm_builder_failf (g->b, "the vjp rule of %s gave a cotangent of %s for operand %u, wanted %s",
                    lm_op_info (e->op)->name, got, k, wanted);
  return false;
}

/* True if a cotangent arrives at e and something wanted lies behind it; fills the scratch. */
static bool
gather (Grad *g, const lam_equation *e)
{
  const lam_function *ir = &g->f->ir;
  bool arrives = false, leaves = false;

  for (uint32_t k = 0; k < e->n_results; k++) {
    g->out[k] = g->forward.map[e->first_result + k];
    g->d_out[k] = g->ct[e->first_result + k];
    arrives |= g->d_out[k] != LM_NIL;
  }
  if (!arrives)
    return false;
  for (uint32_t k = 0; k < e->n_operands; k++) {
    uint32_t v = lam_operand (ir, e, k);
    g->in[k] = g->forward.map[v];
    g->d_in[k] = LM_NIL;
    g->wanted[k] = g->varied[v];
    leaves |= g->wanted[k];
  }
  return leaves;
}

static void
pull_back (Grad *g, const lam_equation *e)
{
  LmVjpCtx c = {
      .b = g->b,
      .f = g->f,
      .e = e,
      .in = g->in,
      .out = g->out,
      .ct = g->d_out,
      .wanted = g->wanted,
      .d_in = g->d_in,
      .vjp_of = vjp_of,
  };

  if (!gather (g, e))
    return;
  lm_builder_set_path (g->b, g->f->ir.paths[e->path]);
  if (e->op == LAM_OP_composite)
    lm_grad_composite (&c);
  else
    lm_rules (e->op)->vjp (&c);
  for (uint32_t k = 0; k < e->n_operands; k++)
    if (check_cotangent (g, e, k))
      accumulate (g, lam_operand (&g->f->ir, e, k), g->d_in[k]);
}

/* --- the function -------------------------------------------------------------------------------- */

static void
grad_init (Grad *g, const LmFunction *f, const char *suffix)
{
  g_autofree char *name = g_strconcat (f->ir.name, suffix, NULL);
  uint32_t n = MAX (f->ir.n_values, 1), operands = 1, results = 1;

  for (uint32_t i = 0; i < f->ir.n_equations; i++) {
    operands = MAX (operands, lam_equation_at (&f->ir, i)->n_operands);
    results = MAX (results, lam_equation_at (&f->ir, i)->n_results);
  }
  g->f = f;
  lm_rewrite_init (&g->forward, f, name);
  g->b = g->forward.b;
  g->varied = g_new0 (bool, n);
  g->ct = g_new (LmValue, n);
  memset (g->ct, 0xff, n * sizeof *g->ct); /* LM_NIL */
  g->in = g_new (LmValue, operands);
  g->d_in = g_new (LmValue, operands);
  g->wanted = g_new (bool, operands);
  g->out = g_new (LmValue, results);
  g->d_out = g_new (LmValue, results);
}

static void
grad_clear (Grad *g)
{
  lm_rewrite_clear (&g->forward);
  g_free (g->varied);
  g_free (g->ct);
  g_free (g->in);
  g_free (g->d_in);
  g_free (g->wanted);
  g_free (g->out);
  g_free (g->d_out);
}

/* Cotangents of the results: parameters behind f's own, or 1 for the loss. */
static void
seed (Grad *g, const Spec *spec)
{
  const lam_function *ir = &g->f->ir;

  if (spec->ct_given == NULL) {
    accumulate (g, ir->results[spec->loss], lm_splat (g->b, lm_result_type (g->f, spec->loss), 1));
    return;
  }
  for (uint32_t j = 0; j < ir->n_results; j++)
    if (spec->ct_given[j])
      accumulate (g, ir->results[j], lm_builder_param (g->b, lm_result_type (g->f, j)));
}

static LmFunction *
finish (Grad *g, const Spec *spec, GError **error)
{
  const lam_function *ir = &g->f->ir;
  g_autofree LmValue *results = g_new (LmValue, ir->n_results + ir->n_params + 1);
  uint32_t n = 0;

  for (uint32_t j = 0; j < ir->n_results && spec->keep_results; j++)
    results[n++] = g->forward.map[ir->results[j]];
  lm_builder_set_path (g->b, "");
  for (uint32_t i = 0; i < ir->n_params; i++) {
    if (!spec->wanted[i])
      continue;
    if (g->ct[i] == LM_NIL)
      g->ct[i] = lm_splat (g->b, lm_param_type (g->f, i), 0);
    results[n++] = g->ct[i];
  }
  return lm_builder_finish (g->b, results, n, error);
}

static LmFunction *
differentiate (const LmFunction *f, const Spec *spec, GError **error)
{
  LmFunction *result;
  Grad g;

  grad_init (&g, f, spec->suffix);
  for (uint32_t i = 0; i < f->ir.n_equations; i++)
    lm_rewrite_copy (&g.forward, lam_equation_at (&f->ir, i));
  mark_varied (&g, spec->wanted);
  seed (&g, spec);
  for (uint32_t i = f->ir.n_equations; i-- > 0 && lm_builder_error (g.b) == NULL;)
    pull_back (&g, lam_equation_at (&f->ir, i));
  result = finish (&g, spec, error);
  grad_clear (&g);
  return lm_transform_checked (result, "grad", error);
}

/* --- entry --------------------------------------------------------------------------------------- */

/* All parameters and results that were asked for and are no floats, in one report. */
static bool
check_floats (const LmFunction *f, const bool *wanted, const bool *ct_given, GError **error)
{
  g_autoptr (GString) wrong = g_string_new (NULL);

  for (uint32_t i = 0; i < f->ir.n_params; i++)
    if (wanted[i] && !lam_dtype_is_float (lm_param_type (f, i)->dtype)) {
      g_string_append_printf (wrong, "%sparameter %u is ", wrong->len ? ", " : "", i);
      lm_type_print (wrong, lm_param_type (f, i));
    }
  for (uint32_t j = 0; ct_given != NULL && j < f->ir.n_results; j++)
    if (ct_given[j] && !lam_dtype_is_float (lm_result_type (f, j)->dtype)) {
      g_string_append_printf (wrong, "%sresult %u is ", wrong->len ? ", " : "", j);
      lm_type_print (wrong, lm_result_type (f, j));
    }
  if (wrong->len == 0)
    return true;
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
               "gradient of @%s: %s; only floats have a gradient", f->ir.name, wrong->str);
  return false;
}

LmFunction *
lm_vjp (const LmFunction *f, const bool *wanted, const bool *ct_given, GError **error)
{
  Spec spec = {.wanted = wanted, .ct_given = ct_given, .keep_results = true, .suffix = ".vjp"};

  g_return_val_if_fail (f != NULL && wanted != NULL && ct_given != NULL, NULL);
  if (!check_floats (f, wanted, ct_given, error))
    return NULL;
  return differentiate (f, &spec, error);
}

LmFunction *
lm_value_and_grad (const LmFunction *f, uint32_t loss_index, const bool *wanted, GError **error)
{
  Spec spec = {.wanted = wanted, .loss = loss_index, .keep_results = true, .suffix = ".grad"};
  const lam_type *type;

  g_return_val_if_fail (f != NULL && wanted != NULL && loss_index < f->ir.n_results, NULL);
  type = lm_result_type (f, loss_index);
  if (type->rank != 0 || !lam_dtype_is_float (type->dtype)) {
    g_autofree char *got = lm_type_to_string (type);
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "gradient of @%s: result %u, the loss, is %s, wanted a float of rank 0",
                 f->ir.name, loss_index, got);
    return NULL;
  }
  if (!check_floats (f, wanted, NULL, error))
    return NULL;
  return differentiate (f, &spec, error);
}
