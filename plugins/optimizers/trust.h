/* SPDX-License-Identifier: Apache-2.0 */
/* The trust ratio of Lamb and Lars, and patterns that choose variables. */
#ifndef LAMINA_PLUGINS_OPTIMIZERS_TRUST_H
#define LAMINA_PLUGINS_OPTIMIZERS_TRUST_H

#include "optimizers.h"
#include <lamina/ext/regex.h>

#define EVERY_VARIABLE "[\"\"]" /* matches at the start of any path */

/* x * coefficient * |var| / (|x| + eps); x where a norm is 0. Source:
 * optax.scale_by_trust_ratio. */
static inline lam_tensor
trust (lam_trace *t, lam_tensor x, lam_tensor var, double coefficient, double eps)
{
  lam_tensor of_var = norm (t, var), of_x = norm (t, x), zero = lam_scalar_like (t, of_x, 0);
  lam_tensor ratio = lam_div (t, lam_mul_scalar (t, of_var, coefficient),
                              eps != 0 ? lam_add_scalar (t, of_x, eps) : of_x);
  lam_tensor flat = lam_or (t, lam_eq (t, of_var, zero), lam_eq (t, of_x, zero));
  return scale_by (t, x, lam_where (t, flat, lam_scalar_like (t, ratio, 1), ratio));
}

#endif
