/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.huber_loss: half the squared error up to delta, linear beyond (Huber, 1964). Semantics and names:
 * optax.losses.huber_loss. */
#include "regression_loss.h"

typedef struct {
  double delta;
} huber_loss;

LAM_FIELDS (huber_loss, LAM_FLOAT (delta, 1, "Error from which the loss is linear."), LAM_MIN (0))

static void
huber_loss_setup (huber_loss *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

/* in: {predictions, targets} of any one shape -> a loss for each element */
static lam_nest
huber_loss_fprop (const huber_loss *p, lam_trace *t, lam_nest in)
{
  lam_tensor error = lam_abs (t, regression_error (t, in));
  lam_tensor near = lam_min_scalar (t, error, p->delta); /* the part of the error up to delta */
  lam_tensor far = lam_mul_scalar (t, lam_sub (t, error, near), p->delta);
  return lam_nest_of (t, lam_add (t, lam_mul_scalar (t, lam_square (t, near), 0.5), far));
}

LAM_METHODS (huber_loss, LAM_METHOD (huber_loss, fprop), LAM_USE (huber_loss, fprop))
LAM_LAYER_METHODS (huber_loss, "lamina.huber_loss", 1,
                   "Squared near the target, linear far from it.")
