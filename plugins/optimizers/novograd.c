/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.novograd: Ginsburg et al. (2019), one second moment for a whole variable. Semantics:
 * optax.novograd. */
#include "factor.h"

typedef struct {
  double b1, b2, eps, eps_root, weight_decay;
} novograd;

LAM_FIELDS (novograd, LAM_FLOAT (b1, 0.9, "Decay of the sum of normalised gradients."), LAM_MIN (0),
            LAM_MAX (1), LAM_FLOAT (b2, 0.25, "Decay of the mean of squared norms."), LAM_MIN (0),
            LAM_MAX (1), LAM_FLOAT (eps, 1e-6, "Added to the root."), LAM_MIN (0),
            LAM_FLOAT (eps_root, 0, "Added to the second moment under the root."), LAM_MIN (0),
            LAM_FLOAT (weight_decay, 0, "Adds w * p to the normalised gradient."), LAM_MIN (0))

static void
novograd_setup (novograd *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

/* Slots: mu as var, nu a scalar. */
static void
novograd_declare_slots (const novograd *p, lam_slots *s, const lam_type *var)
{
  lam_type scalar = {var->dtype, 0, {0}};
  (void)p;
  s->add (s, "mu", LAM_DTYPE_NONE, 0);
  add_slot (s, "nu", &scalar, 0);
}

/* nu <- b2 nu + (1 - b2) |g|^2, |g|^2 at first; mu <- b1 mu + g / (sqrt (nu + eps_root) + eps) +
 * weight_decay * var; u = -lr * mu */
static lam_tensor
novograd_update (const novograd *p, lam_trace *t, const lam_update *u)
{
  lam_tensor square = lam_sum (t, lam_square (t, u->grad), LAM_EVERY_AXIS, false); /* scalar */
  lam_tensor first = lam_eq (t, u->count, lam_scalar_like (t, u->count, 0));
  lam_tensor nu = lam_where (t, first, square, average (t, p->b2, u->slots[1], square));
  lam_tensor x = over_root (t, u->grad, nu, p->eps_root, p->eps);
  x = decay_weights (t, u, x, p->weight_decay);
  u->new_slots[0] = lam_add (t, lam_mul_scalar (t, u->slots[0], p->b1), x);
  u->new_slots[1] = nu;
  return descend (t, u, u->new_slots[0]);
}

LAM_OPTIMIZER (novograd, "lamina.novograd", 1, "Momentum of layerwise normalised gradients.")
