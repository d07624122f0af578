/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.absolute_error: |prediction - target|, with derivative 0 at 0, as jax.numpy.abs. */
#include "regression_loss.h"

typedef struct {
  uint32_t unused;
} absolute_error;

LAM_NO_FIELDS (absolute_error)

static void
absolute_error_setup (absolute_error *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

/* in: {predictions, targets} of any one shape -> a loss for each element */
static lam_nest
absolute_error_fprop (const absolute_error *p, lam_trace *t, lam_nest in)
{
  (void)p;
  return lam_nest_of (t, lam_abs (t, regression_error (t, in)));
}

LAM_METHODS (absolute_error, LAM_METHOD (absolute_error, fprop), LAM_USE (absolute_error, fprop))
LAM_LAYER_METHODS (absolute_error, "lamina.absolute_error", 1,
                   "|prediction - target|, element by element.")
