/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.adamax: Adam with the largest gradient in place of the second moment (Kingma, Ba 2014,
 * section 7). Semantics: optax.adamax. */
#include "optimizers.h"

typedef struct {
  double b1, b2, eps;
} adamax;

LAM_FIELDS (adamax, LAM_FLOAT (b1, 0.9, "Decay of the mean of gradients."), LAM_MIN (0),
            LAM_MAX (1), LAM_FLOAT (b2, 0.999, "Decay of the largest gradient."), LAM_MIN (0),
            LAM_MAX (1), LAM_FLOAT (eps, 1e-8, "Added to the gradient's size."), LAM_MIN (0))

static void
adamax_setup (adamax *p, lam_setup *s)
{
  if (!(p->b1 < 1))
    lam_setup_fail (s, "b1 wants a number in [0, 1)");
}

static void
adamax_declare_slots (const adamax *p, lam_slots *s, const lam_type *var)
{
  static const char *const names[] = {"mu", "nu"};
  (void)p;
  (void)var;
  add_slots (s, names, 2);
}

/* nu <- max (|g| + eps, b2 nu); u = -lr * mu^ / nu */
static lam_tensor
adamax_update (const adamax *p, lam_trace *t, const lam_update *u)
{
  lam_tensor size = lam_add_scalar (t, lam_abs (t, u->grad), p->eps); /* as var */
  u->new_slots[0] = average (t, p->b1, u->slots[0], u->grad);
  u->new_slots[1] = lam_max (t, size, lam_mul_scalar (t, u->slots[1], p->b2));
  lam_tensor mu = unbias (t, p->b1, u->new_slots[0], steps (t, u, 1));
  return descend (t, u, lam_div (t, mu, u->new_slots[1]));
}

LAM_OPTIMIZER (adamax, "lamina.adamax", 1, "Adam by the largest gradient.")
