/* SPDX-License-Identifier: Apache-2.0 */
/* Dead code elimination: equations without a used result go, but for those of the host. */
#include "core/transform/rewrite.h"
#include "core/transform/transform.h"

static bool
is_live (const lam_equation *e, const bool *used)
{
  const LmOpInfo *info = lm_op_info (e->op);

  for (uint32_t k = 0; k < e->n_results; k++)
    if (used[e->first_result + k])
      return true;
  return info != NULL && info->op_class == LM_CLASS_HOST;
}

/* live: [n_equations], zeroed. Returns how many are. */
static uint32_t
mark (const LmFunction *f, bool *live)
{
  g_autofree bool *used = g_new0 (bool, MAX (f->ir.n_values, 1));
  uint32_t n = 0;

  for (uint32_t i = 0; i < f->ir.n_results; i++)
    used[f->ir.results[i]] = true;
  for (uint32_t i = f->ir.n_equations; i-- > 0;) {
    const lam_equation *e = lam_equation_at (&f->ir, i);
    live[i] = is_live (e, used);
    if (!live[i])
      continue;
    n++;
    for (uint32_t k = 0; k < e->n_operands; k++)
      used[lam_operand (&f->ir, e, k)] = true;
  }
  return n;
}

LmFunction *
lm_dce (const LmFunction *f, GError **error)
{
  g_autofree bool *live = g_new0 (bool, MAX (f->ir.n_equations, 1));
  LmRewrite r;

  if (mark (f, live) == f->ir.n_equations)
    return lm_function_ref (f);
  lm_rewrite_init (&r, f, f->ir.name);
  for (uint32_t i = 0; i < f->ir.n_equations; i++)
    if (live[i])
      lm_rewrite_copy (&r, lam_equation_at (&f->ir, i));
  return lm_rewrite_finish (&r, "dce", error);
}
