/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.sgd: gradient descent with momentum. Semantics: optax.sgd, praxis.optimizers.Sgd,
 * ShardedSgd. */
#include "optimizers.h"

typedef struct {
  double momentum;
  bool nesterov;
} sgd;

LAM_FIELDS (sgd, LAM_FLOAT (momentum, 0, "Part of the last step's trace that is kept; 0: none."),
            LAM_MIN (0), LAM_BOOL (nesterov, false, "Whether to look ahead along the trace."))

static void
sgd_setup (sgd *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static void
sgd_declare_slots (const sgd *p, lam_slots *s, const lam_type *var)
{
  (void)var;
  if (p->momentum != 0)
    s->add (s, "trace", LAM_DTYPE_NONE, 0);
}

/* trace <- g + momentum * trace; u = -lr * trace, or -lr * (g + momentum * trace) */
static lam_tensor
sgd_update (const sgd *p, lam_trace *t, const lam_update *u)
{
  lam_tensor step = u->grad; /* as var */
  if (p->momentum != 0) {
    step = lam_add (t, u->grad, lam_mul_scalar (t, u->slots[0], p->momentum));
    u->new_slots[0] = step;
    if (p->nesterov)
      step = lam_add (t, u->grad, lam_mul_scalar (t, step, p->momentum));
  }
  return descend (t, u, step);
}

LAM_OPTIMIZER (sgd, "lamina.sgd", 1, "Gradient descent with momentum.")
