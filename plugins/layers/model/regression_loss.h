/* SPDX-License-Identifier: Apache-2.0 */
/* What the losses of numbers take. */
#ifndef LAMINA_PLUGINS_MODEL_REGRESSION_LOSS_H
#define LAMINA_PLUGINS_MODEL_REGRESSION_LOSS_H

#include <lamina/layer.h>

/* in: {predictions, targets} of one shape and dtype -> predictions - targets; nil and an error where the
 * shapes differ. */
static inline lam_tensor
regression_error (lam_trace *t, lam_nest in)
{
  lam_tensor y = lam_nest_get_tensor (t, in, "predictions");
  lam_tensor wanted = lam_nest_get_tensor (t, in, "targets");
  if (!lam_check_shape (t, "targets, as the predictions", wanted, lam_shape_of (t, y)))
    return lam_nil ();
  return lam_sub (t, y, wanted);
}

#endif
