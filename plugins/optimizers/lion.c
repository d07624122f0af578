/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.lion: Chen et al. (2023), the sign of an interpolated momentum. Semantics:
 * praxis.optimizers.Lion; optax.lion is the same with "m_dtype": "f32" and "clip_threshold": 0. */
#include "optimizers.h"

typedef struct {
  double beta1, beta2, clip_threshold, weight_decay;
  lam_dtype m_dtype;
} lion;

LAM_FIELDS (
    lion, LAM_FLOAT (beta1, 0.9, "Part of the momentum in the direction of a step."), LAM_MIN (0),
    LAM_MAX (1), LAM_FLOAT (beta2, 0.99, "Decay of the momentum."), LAM_MIN (0), LAM_MAX (1),
    LAM_FLOAT (clip_threshold, 1, "Most rms of the update before the learning rate; 0: any."),
    LAM_MIN (0), LAM_FLOAT (weight_decay, 0, "Adds w * p to the update before the learning rate."),
    LAM_MIN (0), LAM_DTYPE (m_dtype, LAM_BF16, "Type in which the momentum is stored."))

static void
lion_setup (lion *p, lam_setup *s)
{
  if (!lam_dtype_is_float (p->m_dtype))
    lam_setup_fail (s, "m_dtype wants a float type, such as bf16");
}

static void
lion_declare_slots (const lion *p, lam_slots *s, const lam_type *var)
{
  (void)var;
  s->add (s, "m", p->m_dtype, 0);
}

/* u = -lr * (sign (beta1 m + (1 - beta1) g) + weight_decay * var); m <- beta2 m + (1 - beta2) g */
static lam_tensor
lion_update (const lion *p, lam_trace *t, const lam_update *u)
{
  lam_tensor grad = inf_to_nan (t, u->grad); /* as var */
  lam_tensor m = lam_cast (t, u->slots[0], lam_dtype_of (t, grad));
  lam_tensor x = lam_sign (t, average (t, p->beta1, m, grad));
  u->new_slots[0] = lam_cast (t, average (t, p->beta2, m, grad), p->m_dtype);
  if (p->clip_threshold != 0)
    x = cap (t, x, inf_to_nan (t, rms (t, x)), p->clip_threshold);
  return descend (t, u, decay_weights (t, u, x, p->weight_decay));
}

LAM_OPTIMIZER (lion, "lamina.lion", 1, "The sign of a momentum.")
