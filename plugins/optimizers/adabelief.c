/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.adabelief: Zhuang et al. (2020), Adam by the gradient's distance from its mean. Semantics:
 * optax.adabelief. */
#include "optimizers.h"

typedef struct {
  double b1, b2, eps, eps_root;
  bool nesterov;
} adabelief;

LAM_FIELDS (adabelief, LAM_FLOAT (b1, 0.9, "Decay of the mean of gradients."), LAM_MIN (0),
            LAM_MAX (1), LAM_FLOAT (b2, 0.999, "Decay of the mean of squared distances."),
            LAM_MIN (0), LAM_MAX (1), LAM_FLOAT (eps, 1e-16, "Added to the root."), LAM_MIN (0),
            LAM_FLOAT (eps_root, 1e-16, "Added to the mean of squared distances in each step."),
            LAM_MIN (0), LAM_BOOL (nesterov, false, "Whether to look one step ahead."))

static void
adabelief_setup (adabelief *p, lam_setup *s)
{
  if (!(p->b1 < 1 && p->b2 < 1))
    lam_setup_fail (s, "b1 and b2 want numbers in [0, 1)");
}

static void
adabelief_declare_slots (const adabelief *p, lam_slots *s, const lam_type *var)
{
  static const char *const names[] = {"mu", "nu"};
  (void)p;
  (void)var;
  add_slots (s, names, 2);
}

/* nu <- b2 nu + (1 - b2) (g - mu)^2 + eps_root; u = -lr * mu^ / (sqrt (nu^) + eps) */
static lam_tensor
adabelief_update (const adabelief *p, lam_trace *t, const lam_update *u)
{
  lam_tensor mu = average (t, p->b1, u->slots[0], u->grad); /* as var */
  lam_tensor away = lam_square (t, lam_sub (t, u->grad, mu));
  lam_tensor nu = lam_add_scalar (t, average (t, p->b2, u->slots[1], away), p->eps_root);
  u->new_slots[0] = mu;
  u->new_slots[1] = nu;
  mu = unbiased_mean (t, u, p->b1, mu, p->nesterov);
  return descend (t, u, over_root (t, mu, unbias (t, p->b2, nu, steps (t, u, 1)), 0, p->eps));
}

LAM_OPTIMIZER (adabelief, "lamina.adabelief", 1, "Adam by the distance from the mean.")
