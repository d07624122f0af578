/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.squared_error: (prediction - target)^2. Semantics: optax.losses.squared_error. */
#include "regression_loss.h"

typedef struct {
  uint32_t unused;
} squared_error;

LAM_NO_FIELDS (squared_error)

static void
squared_error_setup (squared_error *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

/* in: {predictions, targets} of any one shape -> a loss for each element */
static lam_nest
squared_error_fprop (const squared_error *p, lam_trace *t, lam_nest in)
{
  (void)p;
  return lam_nest_of (t, lam_square (t, regression_error (t, in)));
}

LAM_METHODS (squared_error, LAM_METHOD (squared_error, fprop), LAM_USE (squared_error, fprop))
LAM_LAYER_METHODS (squared_error, "lamina.squared_error", 1,
                   "(prediction - target)^2, element by element.")
