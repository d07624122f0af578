/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.yogi: Zaheer et al. (2018), Adam whose second moment moves by steps that do not depend
 * on its size. Semantics: optax.yogi. */
#include "optimizers.h"

typedef struct {
  double b1, b2, eps, eps_root, initial_accumulator_value;
} yogi;

LAM_FIELDS (yogi, LAM_FLOAT (b1, 0.9, "Decay of the mean of gradients."), LAM_MIN (0), LAM_MAX (1),
            LAM_FLOAT (b2, 0.999, "1 - b2: how far the second moment moves."), LAM_MIN (0),
            LAM_MAX (1), LAM_FLOAT (eps, 1e-3, "Added to the root."), LAM_MIN (0),
            LAM_FLOAT (eps_root, 0, "Added to the second moment under the root."), LAM_MIN (0),
            LAM_FLOAT (initial_accumulator_value, 1e-6, "Start of both moments."))

static void
yogi_setup (yogi *p, lam_setup *s)
{
  if (!(p->b1 < 1 && p->b2 < 1))
    lam_setup_fail (s, "b1 and b2 want numbers in [0, 1)");
}

static void
yogi_declare_slots (const yogi *p, lam_slots *s, const lam_type *var)
{
  (void)var;
  s->add (s, "mu", LAM_DTYPE_NONE, p->initial_accumulator_value);
  s->add (s, "nu", LAM_DTYPE_NONE, p->initial_accumulator_value);
}

/* nu <- nu - (1 - b2) sign (nu - g^2) g^2; u = -lr * mu^ / (sqrt (nu^ + eps_root) + eps) */
static lam_tensor
yogi_update (const yogi *p, lam_trace *t, const lam_update *u)
{
  lam_tensor n = steps (t, u, 1), square = lam_square (t, u->grad); /* as var */
  lam_tensor move = lam_mul (t, lam_sign (t, lam_sub (t, u->slots[1], square)), square);
  u->new_slots[0] = average (t, p->b1, u->slots[0], u->grad);
  u->new_slots[1] = lam_sub (t, u->slots[1], lam_mul_scalar (t, move, 1 - p->b2));
  lam_tensor mu = unbias (t, p->b1, u->new_slots[0], n);
  lam_tensor nu = unbias (t, p->b2, u->new_slots[1], n);
  return descend (t, u, over_root (t, mu, nu, p->eps_root, p->eps));
}

LAM_OPTIMIZER (yogi, "lamina.yogi", 1, "Adam whose second moment moves by bounded steps.")
