/* SPDX-License-Identifier: Apache-2.0 */
/* Lifetimes of values. */
#include <kit/liveness.h>

void
kit_liveness (const lam_function *f, kit_life *lives)
{
  for (uint32_t v = 0; v < f->n_params; v++)
    lives[v] = (kit_life) {0, 0, 0};
  for (uint32_t i = 0; i < f->n_equations; i++) {
    const lam_equation *e = lam_equation_at (f, i);
    for (uint32_t k = 0; k < e->n_operands; k++) {
      kit_life *life = &lives[lam_operand (f, e, k)];
      life->last = i;
      life->uses++;
    }
    for (uint32_t k = 0; k < e->n_results; k++)
      lives[e->first_result + k] = (kit_life) {i, i, 0};
  }
  for (uint32_t r = 0; r < f->n_results; r++) {
    kit_life *life = &lives[f->results[r]];
    life->last = f->n_equations;
    life->uses++;
  }
}

static bool
is_elementwise (int32_t op)
{
  /* The row numbers of ops.def keep the elementwise ops in 40-129; convert stands with the shapes. */
  return (op >= LAM_OP_add && op <= LAM_OP_clamp) || op == LAM_OP_convert;
}

bool
kit_in_place (const lam_function *f, const lam_equation *e, uint32_t k)
{
  const lam_type *in = lam_value_type (f, lam_operand (f, e, k));
  const lam_type *out = lam_value_type (f, e->first_result);

  return is_elementwise (e->op) && e->n_results == 1
         && lam_dtype_bits (in->dtype) == lam_dtype_bits (out->dtype)
         && lam_type_elements (in) == lam_type_elements (out);
}

int32_t
kit_dying_operand (const lam_function *f, const kit_life *lives, uint32_t i)
{
  const lam_equation *e = lam_equation_at (f, i);

  for (uint32_t k = 0; k < e->n_operands; k++)
    if (lives[lam_operand (f, e, k)].last == i && kit_in_place (f, e, k))
      return (int32_t)k;
  return -1;
}

bool
kit_is_alias (const lam_equation *e)
{
  return e->op == LAM_OP_reshape || e->op == LAM_OP_bitcast_convert || e->op == LAM_OP_name
         || e->op == LAM_OP_stop_gradient;
}
