/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.adagrad: Duchi, Hazan, Singer (2011). Semantics: optax.adagrad, praxis.optimizers.Adagrad;
 * praxis' ShardedAdagrad is the same with both numbers 1e-12. */
#include "optimizers.h"

typedef struct {
  double initial_accumulator_value, epsilon;
} adagrad;

LAM_FIELDS (adagrad,
            LAM_FLOAT (initial_accumulator_value, 0.1,
                       "Start of the sum of squared gradients; ShardedAdagrad: 1e-12."),
            LAM_MIN (0),
            LAM_FLOAT (epsilon, 1e-7, "Added to the sum under the root; ShardedAdagrad: 1e-12."),
            LAM_MIN (0))

static void
adagrad_setup (adagrad *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static void
adagrad_declare_slots (const adagrad *p, lam_slots *s, const lam_type *var)
{
  (void)var;
  s->add (s, "sum_of_squares", LAM_DTYPE_NONE, p->initial_accumulator_value);
}

/* sum <- sum + g^2; u = -lr * g / sqrt (sum + epsilon), 0 where the sum is 0 */
static lam_tensor
adagrad_update (const adagrad *p, lam_trace *t, const lam_update *u)
{
  lam_tensor sum = lam_add (t, u->slots[0], lam_square (t, u->grad)); /* as var */
  lam_tensor zero = lam_scalar_like (t, sum, 0);
  lam_tensor factor = lam_rsqrt (t, lam_add_scalar (t, sum, p->epsilon));
  u->new_slots[0] = sum;
  factor = lam_where (t, lam_gt (t, sum, zero), factor, zero);
  return descend (t, u, lam_mul (t, u->grad, factor));
}

LAM_OPTIMIZER (adagrad, "lamina.adagrad", 1, "Steps shrink with the sum of squared gradients.")
