/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.amsgrad: Reddi, Kale, Kumar (2018), Adam whose second moment never falls. Semantics:
 * optax.amsgrad. */
#include "optimizers.h"

typedef struct {
  double b1, b2, eps, eps_root;
} amsgrad;

LAM_FIELDS (amsgrad, LAM_FLOAT (b1, 0.9, "Decay of the mean of gradients."), LAM_MIN (0),
            LAM_MAX (1), LAM_FLOAT (b2, 0.999, "Decay of the mean of squared gradients."),
            LAM_MIN (0), LAM_MAX (1), LAM_FLOAT (eps, 1e-8, "Added to the root."), LAM_MIN (0),
            LAM_FLOAT (eps_root, 0, "Added to the second moment under the root."), LAM_MIN (0))

static void
amsgrad_setup (amsgrad *p, lam_setup *s)
{
  if (!(p->b1 < 1 && p->b2 < 1))
    lam_setup_fail (s, "b1 and b2 want numbers in [0, 1)");
}

static void
amsgrad_declare_slots (const amsgrad *p, lam_slots *s, const lam_type *var)
{
  static const char *const names[] = {"mu", "nu", "nu_max"};
  (void)p;
  (void)var;
  add_slots (s, names, 3);
}

/* nu_max <- max (nu_max, nu^); u = -lr * mu^ / (sqrt (nu_max + eps_root) + eps) */
static lam_tensor
amsgrad_update (const amsgrad *p, lam_trace *t, const lam_update *u)
{
  lam_tensor n = steps (t, u, 1);
  u->new_slots[0] = average (t, p->b1, u->slots[0], u->grad); /* as var */
  u->new_slots[1] = average (t, p->b2, u->slots[1], lam_square (t, u->grad));
  u->new_slots[2] = lam_max (t, u->slots[2], unbias (t, p->b2, u->new_slots[1], n));
  lam_tensor mu = unbias (t, p->b1, u->new_slots[0], n);
  return descend (t, u, over_root (t, mu, u->new_slots[2], p->eps_root, p->eps));
}

LAM_OPTIMIZER (amsgrad, "lamina.amsgrad", 1, "Adam whose second moment never falls.")
