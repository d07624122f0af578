/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.stochastic_residual: inputs + residual_weight * residual, where training drops the residual of
 * whole examples (Huang et al., "Deep Networks with Stochastic Depth", 2016). Semantics and names:
 * praxis.layers.StochasticResidual; the mask floor (survival + U) is drawn in the residual's dtype. */
#include <lamina/layer.h>

typedef struct {
  double residual_weight, survival_prob;
} stochastic_residual;

LAM_FIELDS (stochastic_residual, LAM_FLOAT (residual_weight, 1, "Factor of the residual."),
            LAM_FLOAT (survival_prob, 1, "Probability to keep an example's residual, in (0, 1]."),
            LAM_MIN (0), LAM_MAX (1))

static void
stochastic_residual_setup (stochastic_residual *p, lam_setup *s)
{
  if (!(p->survival_prob > 0))
    lam_setup_fail (s, "survival_prob wants a number in (0, 1]: with 0 no residual would be left");
}

/* x: (B, ...) -> x / survival where the example survives, else 0 */
static lam_tensor
drop_examples (const stochastic_residual *p, lam_trace *t, lam_tensor x)
{
  lam_shape shape = lam_shape_of (t, x);
  lam_tensor mask; /* (B, 1, ...) */
  if (lam_do_eval (t))
    return x;
  for (int32_t i = 1; i < shape.rank; i++)
    shape.dims[i] = 1;
  mask = lam_uniform (t, lam_next_key (t), shape, lam_dtype_of (t, x));
  mask = lam_floor (t, lam_add_scalar (t, mask, p->survival_prob));
  return lam_mul (t, lam_div_scalar (t, x, p->survival_prob), mask);
}

/* in: {inputs, residual}, both (B, ...) -> (B, ...) */
static lam_nest
stochastic_residual_fprop (const stochastic_residual *p, lam_trace *t, lam_nest in)
{
  lam_tensor x = lam_nest_get_tensor (t, in, "inputs"), y;
  lam_tensor branch = lam_nest_get_tensor (t, in, "residual");
  if (lam_rank_of (t, x) < 1 && lam_is_ok (t))
    lam_fail (t, "stochastic_residual wants a batch axis, got a scalar");
  if (!lam_check_shape (t, "stochastic_residual: residual, to be added to inputs", branch,
                        lam_shape_of (t, x)))
    return lam_nest_of (t, lam_nil ());
  y = lam_mul_scalar (t, drop_examples (p, t, branch), p->residual_weight);
  return lam_nest_of (t, lam_add (t, x, y));
}

LAM_METHODS (stochastic_residual, LAM_METHOD (stochastic_residual, fprop),
             LAM_USE (stochastic_residual, fprop))
LAM_LAYER_METHODS (stochastic_residual, "lamina.stochastic_residual", 1,
                   "Adds a residual that training drops at random, example by example.")
