/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.lamb: You et al. (2019), Adam whose steps are as long as the variable's norm. Semantics:
 * optax.lamb, praxis.optimizers.Lamb; the mask is a list of patterns. */
#include "trust.h"

typedef struct {
  double b1, b2, eps, eps_root, weight_decay;
  lam_strings mask;
  lam_patterns decayed;
} lamb;

LAM_FIELDS (
    lamb, LAM_FLOAT (b1, 0.9, "Decay of the mean of gradients."), LAM_MIN (0), LAM_MAX (1),
    LAM_FLOAT (b2, 0.999, "Decay of the mean of squared gradients."), LAM_MIN (0), LAM_MAX (1),
    LAM_FLOAT (eps, 1e-6, "Added to the root of the second moment."), LAM_MIN (0),
    LAM_FLOAT (eps_root, 0, "Added to the second moment under the root."), LAM_MIN (0),
    LAM_FLOAT (weight_decay, 0, "Adds w * p to the update before the ratio."), LAM_MIN (0),
    LAM_STRINGS (mask, EVERY_VARIABLE,
                 "Patterns, matched at the start of paths, of variables with weight_decay."))

static void
lamb_setup (lamb *p, lam_setup *s)
{
  if (!(p->b1 < 1 && p->b2 < 1))
    lam_setup_fail (s, "b1 and b2 want numbers in [0, 1)");
  p->decayed = lam_setup_patterns (s, p->mask, LAM_REGEX_START);
}

static void
lamb_declare_slots (const lamb *p, lam_slots *s, const lam_type *var)
{
  static const char *const names[] = {"mu", "nu"};
  (void)p;
  (void)var;
  add_slots (s, names, 2);
}

/* x = mu^ / (sqrt (nu^ + eps_root) + eps) + weight_decay * var; u = -lr * x * |var| / |x| */
static lam_tensor
lamb_update (const lamb *p, lam_trace *t, const lam_update *u)
{
  lam_tensor mu = average (t, p->b1, u->slots[0], u->grad);                 /* as var */
  lam_tensor nu = average (t, p->b2, u->slots[1], lam_square (t, u->grad)); /* as var */
  u->new_slots[0] = mu;
  u->new_slots[1] = nu;
  mu = unbias (t, p->b1, mu, steps (t, u, 1));
  nu = unbias (t, p->b2, nu, steps (t, u, 1));
  lam_tensor x = over_root (t, mu, nu, p->eps_root, p->eps);
  if (lam_patterns_find (t, p->decayed, u->path) >= 0)
    x = decay_weights (t, u, x, p->weight_decay);
  return descend (t, u, trust (t, x, u->var, 1, 0));
}

LAM_OPTIMIZER (lamb, "lamina.lamb", 1, "Adam with layerwise trust ratios.")
