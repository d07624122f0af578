/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.adamw: Adam (Kingma, Ba 2014) with the decoupled decay of Loshchilov, Hutter (2017),
 * which is the key decoupled_weight_decay of every optimizer. Semantics: optax.adamw, with
 * nesterov optax.nadam. */
#include "optimizers.h"

typedef struct {
  double beta1, beta2, epsilon, epsilon_root;
  bool nesterov;
} adamw;

LAM_FIELDS (adamw, LAM_FLOAT (beta1, 0.9, "Decay of the mean of gradients."), LAM_MIN (0),
            LAM_MAX (1), LAM_FLOAT (beta2, 0.999, "Decay of the mean of squared gradients."),
            LAM_MIN (0), LAM_MAX (1),
            LAM_FLOAT (epsilon, 1e-8, "Added to the root of the second moment."), LAM_MIN (0),
            LAM_FLOAT (epsilon_root, 0, "Added to the second moment under the root."), LAM_MIN (0),
            LAM_BOOL (nesterov, false, "Whether to look one step ahead along the mean (Nadam)."))

static void
adamw_setup (adamw *p, lam_setup *s)
{
  if (!(p->beta1 < 1 && p->beta2 < 1))
    lam_setup_fail (s, "beta1 and beta2 want numbers in [0, 1)");
}

static void
adamw_declare_slots (const adamw *p, lam_slots *s, const lam_type *var)
{
  static const char *const names[] = {"mu", "nu"};
  (void)p;
  (void)var;
  add_slots (s, names, 2);
}

/* u = -lr * mu^ / (sqrt (nu^ + epsilon_root) + epsilon) */
static lam_tensor
adamw_update (const adamw *p, lam_trace *t, const lam_update *u)
{
  lam_tensor mu = average (t, p->beta1, u->slots[0], u->grad);                 /* as var */
  lam_tensor nu = average (t, p->beta2, u->slots[1], lam_square (t, u->grad)); /* as var */
  u->new_slots[0] = mu;
  u->new_slots[1] = nu;
  mu = unbiased_mean (t, u, p->beta1, mu, p->nesterov);
  nu = unbias (t, p->beta2, nu, steps (t, u, 1));
  return descend (t, u, over_root (t, mu, nu, p->epsilon_root, p->epsilon));
}

LAM_OPTIMIZER (adamw, "lamina.adamw", 1, "Adam with decoupled weight decay.")
