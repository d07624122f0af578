/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.radam: Liu et al. (2019), Adam that waits until its second moment can be trusted.
 * Semantics: optax.radam. */
#include "optimizers.h"

typedef struct {
  double b1, b2, eps, eps_root, threshold;
  bool nesterov;
} radam;

LAM_FIELDS (radam, LAM_FLOAT (b1, 0.9, "Decay of the mean of gradients."), LAM_MIN (0), LAM_MAX (1),
            LAM_FLOAT (b2, 0.999, "Decay of the mean of squared gradients."), LAM_MIN (0),
            LAM_MAX (1), LAM_FLOAT (eps, 1e-8, "Added to the root."), LAM_MIN (0),
            LAM_FLOAT (eps_root, 0, "Added to the second moment under the root."), LAM_MIN (0),
            LAM_FLOAT (threshold, 5, "Length of the average from which on its variance is used."),
            LAM_BOOL (nesterov, false, "Whether to look one step ahead."))

static void
radam_setup (radam *p, lam_setup *s)
{
  if (!(p->b1 < 1 && p->b2 < 1 && p->b2 > 0.5))
    lam_setup_fail (s, "b1 wants a number in [0, 1), b2 one in (0.5, 1)");
}

static void
radam_declare_slots (const radam *p, lam_slots *s, const lam_type *var)
{
  static const char *const names[] = {"mu", "nu"};
  (void)p;
  (void)var;
  add_slots (s, names, 2);
}

/* sqrt ((ro - 4) (ro - 2) ro_inf / ((ro_inf - 4) (ro_inf - 2) ro)), real_dtype */
static lam_tensor
rectify (lam_trace *t, lam_tensor ro, double ro_inf)
{
  lam_tensor above = lam_mul (t, lam_sub_scalar (t, ro, 4), lam_sub_scalar (t, ro, 2));
  double factor = ro_inf / ((ro_inf - 4) * (ro_inf - 2));
  return lam_sqrt (t, lam_div (t, lam_mul_scalar (t, above, factor), ro));
}

/* ro = ro_inf - 2 n b2^n / (1 - b2^n): where ro < threshold u = -lr * mu^ */
static lam_tensor
radam_update (const radam *p, lam_trace *t, const lam_update *u)
{
  double ro_inf = 2 / (1 - p->b2) - 1;
  lam_tensor n = steps (t, u, 1), rest = one_minus_power (t, p->b2, n);
  lam_tensor power = lam_sub (t, lam_scalar_like (t, rest, 1), rest);
  lam_tensor ro = lam_div (t, lam_mul (t, lam_mul_scalar (t, n, -2), power), rest);
  ro = lam_add_scalar (t, ro, ro_inf);
  lam_tensor mu = average (t, p->b1, u->slots[0], u->grad);                 /* as var */
  lam_tensor nu = average (t, p->b2, u->slots[1], lam_square (t, u->grad)); /* as var */
  u->new_slots[0] = mu;
  u->new_slots[1] = nu;
  mu = unbiased_mean (t, u, p->b1, mu, p->nesterov);
  nu = unbias (t, p->b2, nu, n);
  lam_tensor x = over_root (t, scale_by (t, mu, rectify (t, ro, ro_inf)), nu, p->eps_root, p->eps);
  lam_tensor long_enough = lam_ge (t, ro, lam_scalar_like (t, ro, p->threshold));
  return descend (t, u, lam_where (t, long_enough, x, mu));
}

LAM_OPTIMIZER (radam, "lamina.radam", 1, "Adam, rectified in its first steps.")
