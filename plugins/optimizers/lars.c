/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.lars: You, Gitman, Ginsburg (2017). Semantics: optax.lars, praxis.optimizers.Lars; the
 * masks are lists of patterns. The momentum is over steps that the learning rate has scaled
 * already. */
#include "trust.h"

typedef struct {
  double weight_decay, trust_coefficient, eps, momentum;
  lam_strings weight_decay_mask, trust_ratio_mask;
  bool nesterov;
  lam_patterns decayed, trusted;
} lars;

LAM_FIELDS (
    lars, LAM_FLOAT (weight_decay, 0, "Adds w * p to the gradient."), LAM_MIN (0),
    LAM_STRINGS (weight_decay_mask, EVERY_VARIABLE,
                 "Patterns, matched at the start of paths, of variables with weight_decay."),
    LAM_FLOAT (trust_coefficient, 0.001, "Factor of the trust ratio."), LAM_MIN (0),
    LAM_FLOAT (eps, 0, "Added to the gradient's norm in the trust ratio."), LAM_MIN (0),
    LAM_STRINGS (trust_ratio_mask, EVERY_VARIABLE,
                 "Patterns, matched at the start of paths, of variables with a trust ratio."),
    LAM_FLOAT (momentum, 0.9, "Part of the last update that is kept."), LAM_MIN (0),
    LAM_BOOL (nesterov, false, "Whether to look ahead along the momentum."))

static void
lars_setup (lars *p, lam_setup *s)
{
  p->decayed = lam_setup_patterns (s, p->weight_decay_mask, LAM_REGEX_START);
  p->trusted = lam_setup_patterns (s, p->trust_ratio_mask, LAM_REGEX_START);
}

static void
lars_declare_slots (const lars *p, lam_slots *s, const lam_type *var)
{
  (void)p;
  (void)var;
  s->add (s, "trace", LAM_DTYPE_NONE, 0);
}

/* g <- g + weight_decay * var; x = -lr * g * trust_coefficient * |var| / (|g| + eps); trace <- x +
 * momentum * trace */
static lam_tensor
lars_update (const lars *p, lam_trace *t, const lam_update *u)
{
  lam_tensor x = u->grad; /* as var */
  if (lam_patterns_find (t, p->decayed, u->path) >= 0)
    x = decay_weights (t, u, x, p->weight_decay);
  if (lam_patterns_find (t, p->trusted, u->path) >= 0)
    x = trust (t, x, u->var, p->trust_coefficient, p->eps);
  x = descend (t, u, x);
  u->new_slots[0] = lam_add (t, x, lam_mul_scalar (t, u->slots[0], p->momentum));
  if (!p->nesterov)
    return u->new_slots[0];
  return lam_add (t, x, lam_mul_scalar (t, u->new_slots[0], p->momentum));
}

LAM_OPTIMIZER (lars, "lamina.lars", 1, "Momentum with layerwise trust ratios.")
