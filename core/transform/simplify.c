/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the fold rules in one forward walk: operands are simple before their user is looked at. */
#include "core/ir/rules.h"
#include "core/transform/rewrite.h"
#include "core/transform/transform.h"

/* True if e was replaced. */
static bool
fold (LmRewrite *r, const lam_equation *e)
{
  const LmRules *rules = lm_rules (e->op);
  LmFoldCtx c = {.b = r->b, .f = r->f, .e = e, .in = NULL, .out = LM_NIL};

  if (rules == NULL || rules->fold == NULL || e->n_results != 1)
    return false;
  c.in = lm_rewrite_operands (r, e);
  if (!rules->fold (&c))
    return false;
  r->map[e->first_result] = c.out;
  return true;
}

LmFunction *
lm_simplify (const LmFunction *f, GError **error)
{
  bool changed = false;
  LmRewrite r;

  lm_rewrite_init (&r, f, f->ir.name);
  for (uint32_t i = 0; i < f->ir.n_equations && lm_builder_error (r.b) == NULL; i++) {
    const lam_equation *e = lam_equation_at (&f->ir, i);
    lm_builder_set_path (r.b, f->ir.paths[e->path]);
    if (fold (&r, e))
      changed = true;
    else
      lm_rewrite_copy (&r, e);
  }
  if (changed || lm_builder_error (r.b) != NULL)
    return lm_rewrite_finish (&r, "simplify", error);
  lm_builder_free (r.b);
  lm_rewrite_clear (&r);
  return lm_function_ref (f);
}
