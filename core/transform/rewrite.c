/* SPDX-License-Identifier: Apache-2.0 */
/* The walk that transforms share. */
#include "core/transform/rewrite.h"

#include "core/ir/verify.h"

#include <string.h>

static void
init_maps (LmRewrite *r, const LmFunction *f, LmBuilder *b)
{
  uint32_t most = 0;

  for (uint32_t i = 0; i < f->ir.n_equations; i++)
    most = MAX (most, lam_equation_at (&f->ir, i)->n_operands);
  r->f = f;
  r->b = b;
  r->map = g_new (LmValue, MAX (f->ir.n_values, 1));
  memset (r->map, 0xff, f->ir.n_values * sizeof *r->map); /* LM_NIL */
  r->operands = g_new (LmValue, MAX (most, 1));
}

void
lm_rewrite_init (LmRewrite *r, const LmFunction *f, const char *name)
{
  init_maps (r, f, lm_builder_new (name));
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    r->map[i] = lm_builder_param (r->b, lm_param_type (f, i));
}

void
lm_rewrite_init_into (LmRewrite *r, const LmFunction *f, LmBuilder *b, const LmValue *args)
{
  init_maps (r, f, b);
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    r->map[i] = args[i];
}

void
lm_rewrite_clear (LmRewrite *r)
{
  g_clear_pointer (&r->map, g_free);
  g_clear_pointer (&r->operands, g_free);
}

const LmValue *
lm_rewrite_operands (LmRewrite *r, const lam_equation *e)
{
  for (uint32_t k = 0; k < e->n_operands; k++)
    r->operands[k] = r->map[lam_operand (&r->f->ir, e, k)];
  return r->operands;
}

void
lm_rewrite_map (LmRewrite *r, const lam_equation *e, LmValue first)
{
  for (uint32_t k = 0; k < e->n_results; k++)
    r->map[e->first_result + k] = first == LM_NIL ? LM_NIL : first + k;
}

LmValue
lm_rewrite_copy (LmRewrite *r, const lam_equation *e)
{
  LmValue first = lm_builder_copy (r->b, r->f, e, lm_rewrite_operands (r, e));

  lm_rewrite_map (r, e, first);
  return first;
}

LmFunction *
lm_rewrite_finish (LmRewrite *r, const char *pass, GError **error)
{
  g_autofree LmValue *results = g_new (LmValue, MAX (r->f->ir.n_results, 1));
  LmFunction *f;

  for (uint32_t i = 0; i < r->f->ir.n_results; i++)
    results[i] = r->map[r->f->ir.results[i]];
  f = lm_builder_finish (g_steal_pointer (&r->b), results, r->f->ir.n_results, error);
  lm_rewrite_clear (r);
  return lm_transform_checked (f, pass, error);
}

LmFunction *
lm_transform_checked (LmFunction *f, const char *pass, GError **error)
{
#ifdef LM_DEBUG_VERIFY
  if (f != NULL && !lm_verify (f, pass, error))
    g_clear_pointer (&f, lm_function_unref);
#else
  (void)pass;
  (void)error;
#endif
  return f;
}
