/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.rmsprop: Hinton's lecture (2012); centered: Graves (2013). Semantics: optax.rmsprop: the
 * momentum is over steps that the learning rate has scaled already. */
#include "optimizers.h"

typedef struct {
  double decay, eps, initial_scale, momentum;
  bool eps_in_sqrt, centered, nesterov, bias_correction;
} rmsprop;

LAM_FIELDS (rmsprop, LAM_FLOAT (decay, 0.9, "Decay of the mean of squared gradients."), LAM_MIN (0),
            LAM_MAX (1), LAM_FLOAT (eps, 1e-8, "Added to the second moment."), LAM_MIN (0),
            LAM_FLOAT (initial_scale, 0, "Start of the second moment."), LAM_MIN (0),
            LAM_BOOL (eps_in_sqrt, true, "Whether eps is added under the root, else to the root."),
            LAM_BOOL (centered, false, "Whether to use the variance, not the second moment."),
            LAM_FLOAT (momentum, 0, "Part of the last update that is kept; 0: none."), LAM_MIN (0),
            LAM_BOOL (nesterov, false, "Whether to look ahead along the momentum."),
            LAM_BOOL (bias_correction, false, "Whether to undo the moments' bias towards 0."))

static void
rmsprop_setup (rmsprop *p, lam_setup *s)
{
  if (p->bias_correction && !(p->decay < 1))
    lam_setup_fail (s, "decay wants a number in [0, 1) where bias_correction is on");
}

/* Slots: nu, mu if centered, trace if there is momentum. */
static void
rmsprop_declare_slots (const rmsprop *p, lam_slots *s, const lam_type *var)
{
  (void)var;
  s->add (s, "nu", LAM_DTYPE_NONE, p->initial_scale);
  if (p->centered)
    s->add (s, "mu", LAM_DTYPE_NONE, 0);
  if (p->momentum != 0)
    s->add (s, "trace", LAM_DTYPE_NONE, 0);
}

static lam_tensor
moment (const rmsprop *p, lam_trace *t, const lam_update *u, uint32_t slot, lam_tensor value)
{
  lam_tensor x = average (t, p->decay, u->slots[slot], value);
  u->new_slots[slot] = x;
  return p->bias_correction ? unbias (t, p->decay, x, steps (t, u, 1)) : x;
}

/* u = -lr * g / sqrt (nu - mu^2 + eps), then trace <- u + momentum * trace */
static lam_tensor
rmsprop_update (const rmsprop *p, lam_trace *t, const lam_update *u)
{
  uint32_t last = u->n_slots - 1;
  lam_tensor nu = moment (p, t, u, 0, lam_square (t, u->grad)), step; /* as var */
  if (p->centered)
    nu = lam_sub (t, nu, lam_square (t, moment (p, t, u, 1, u->grad)));
  if (p->eps_in_sqrt)
    step = lam_mul (t, u->grad, lam_rsqrt (t, lam_add_scalar (t, nu, p->eps)));
  else
    step = over_root (t, u->grad, nu, 0, p->eps);
  step = descend (t, u, step);
  if (p->momentum == 0)
    return step;
  u->new_slots[last] = lam_add (t, step, lam_mul_scalar (t, u->slots[last], p->momentum));
  if (!p->nesterov)
    return u->new_slots[last];
  return lam_add (t, step, lam_mul_scalar (t, u->new_slots[last], p->momentum));
}

LAM_OPTIMIZER (rmsprop, "lamina.rmsprop", 1, "Steps over the root of the mean squared gradient.")
