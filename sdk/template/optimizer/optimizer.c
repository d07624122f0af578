/* SPDX-License-Identifier: Apache-2.0 */
/* An optimizer to copy: steps by the sign of averaged gradients ("signSGD", Bernstein et al. 2018, with
 * momentum). The host keeps count, learning rate, schedule, L1 / L2 and decoupled decay around it. */
#include <lamina/optimizer.h>

typedef struct {
  double momentum;
} sign_momentum;

LAM_FIELDS (sign_momentum, LAM_FLOAT (momentum, 0.9, "Weight of the old average."), LAM_MIN (0),
            LAM_MAX (1))

static void
sign_momentum_setup (sign_momentum *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

/* What is kept for a variable of type var: here an average of its gradients. */
static void
sign_momentum_declare_slots (const sign_momentum *p, lam_slots *s, const lam_type *var)
{
  (void)p;
  (void)var;
  s->add (s, "average", LAM_DTYPE_NONE, 0);
}

/* Gives what is added to the variable (so it holds -learning_rate) and fills new_slots. */
static lam_tensor
sign_momentum_update (const sign_momentum *p, lam_trace *t, const lam_update *u)
{
  lam_tensor rate = lam_cast (t, u->learning_rate, lam_dtype_of (t, u->var));
  lam_tensor kept = lam_mul_scalar (t, u->slots[0], p->momentum);
  lam_tensor average = lam_add (t, kept, lam_mul_scalar (t, u->grad, 1 - p->momentum));
  u->new_slots[0] = average;
  return lam_neg (t, lam_mul (t, lam_sign (t, average), rate));
}

LAM_OPTIMIZER (sign_momentum, "example.sign_momentum", 1,
               "Steps by the sign of averaged gradients.")
LAM_PLUGIN ("example.optimizers", "0.1.0", "Apache-2.0", LAM_PROVIDES (sign_momentum))
