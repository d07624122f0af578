/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.adadelta: Zeiler (2012). Semantics: optax.adadelta. */
#include "optimizers.h"

typedef struct {
  double rho, eps, weight_decay;
} adadelta;

LAM_FIELDS (adadelta, LAM_FLOAT (rho, 0.9, "Decay of both means of squares."), LAM_MIN (0),
            LAM_MAX (1), LAM_FLOAT (eps, 1e-6, "Added to both means under their roots."),
            LAM_MIN (0), LAM_FLOAT (weight_decay, 0, "Adds w * p to the gradient."), LAM_MIN (0))

static void
adadelta_setup (adadelta *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static void
adadelta_declare_slots (const adadelta *p, lam_slots *s, const lam_type *var)
{
  static const char *const names[] = {"e_g", "e_x"};
  (void)p;
  (void)var;
  add_slots (s, names, 2);
}

/* e_g <- mean of g^2; x = g sqrt (e_x + eps) / sqrt (e_g + eps); e_x <- mean of x^2; u = -lr * x */
static lam_tensor
adadelta_update (const adadelta *p, lam_trace *t, const lam_update *u)
{
  lam_tensor grad = decay_weights (t, u, u->grad, p->weight_decay); /* as var */
  lam_tensor e_g = average (t, p->rho, u->slots[0], lam_square (t, grad));
  lam_tensor above = lam_sqrt (t, lam_add_scalar (t, u->slots[1], p->eps));
  lam_tensor below = lam_sqrt (t, lam_add_scalar (t, e_g, p->eps));
  lam_tensor x = lam_mul (t, lam_div (t, above, below), grad);
  u->new_slots[0] = e_g;
  u->new_slots[1] = average (t, p->rho, u->slots[1], lam_square (t, x));
  return descend (t, u, x);
}

LAM_OPTIMIZER (adadelta, "lamina.adadelta", 1, "Steps as long as earlier steps.")
