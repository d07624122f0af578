/* SPDX-License-Identifier: Apache-2.0 */
/* What the optimizers share. Moments and updates have the variable's dtype; scalars that depend
 * on the count are computed in lam_real_dtype and cast when they meet a tensor. */
#ifndef LAMINA_PLUGINS_OPTIMIZERS_H
#define LAMINA_PLUGINS_OPTIMIZERS_H

#include <lamina/optimizer.h>
#include <math.h>

/* x * scale, where scale is a scalar of another dtype */
static inline lam_tensor
scale_by (lam_trace *t, lam_tensor x, lam_tensor scale)
{
  return lam_mul (t, x, lam_cast (t, scale, lam_dtype_of (t, x)));
}

/* -lr * x: what an update ends with */
static inline lam_tensor
descend (lam_trace *t, const lam_update *u, lam_tensor x)
{
  return lam_mul (t, x, lam_neg (t, lam_cast (t, u->learning_rate, lam_dtype_of (t, x))));
}

/* beta * moment + (1 - beta) * value */
static inline lam_tensor
average (lam_trace *t, double beta, lam_tensor moment, lam_tensor value)
{
  moment = lam_mul_scalar (t, moment, beta);
  return lam_add (t, moment, lam_mul_scalar (t, value, 1 - beta));
}

/* A decay and 1 - decay as scalars of the trace, each computed without cancellation. */
typedef struct decay_pair {
  lam_tensor keep, rest;
} decay_pair;

/* keep * moment + rest * value */
static inline lam_tensor
average_by (lam_trace *t, decay_pair decay, lam_tensor moment, lam_tensor value)
{
  return lam_add (t, scale_by (t, moment, decay.keep), scale_by (t, value, decay.rest));
}

/* The count as real_dtype, plus more. */
static inline lam_tensor
steps (lam_trace *t, const lam_update *u, double more)
{
  return lam_add_scalar (t, lam_cast (t, u->count, lam_real_dtype (t)), more);
}

/* 1 - beta^n, the power as e^(n log beta): beta near 1 loses no digits. n >= 1 where beta is 0. */
static inline lam_tensor
one_minus_power (lam_trace *t, double beta, lam_tensor n)
{
  if (beta == 0)
    return lam_scalar_like (t, n, 1);
  return lam_neg (t, lam_expm1 (t, lam_mul_scalar (t, n, log (beta))));
}

/* moment / (1 - beta^n) */
static inline lam_tensor
unbias (lam_trace *t, double beta, lam_tensor moment, lam_tensor n)
{
  return lam_div (t, moment, lam_cast (t, one_minus_power (t, beta, n), lam_dtype_of (t, moment)));
}

/* The mean of gradients without its bias towards 0; nesterov: one step ahead (Dozat 2016). */
static inline lam_tensor
unbiased_mean (lam_trace *t, const lam_update *u, double beta, lam_tensor mu, bool nesterov)
{
  lam_tensor n = steps (t, u, 1);
  if (!nesterov)
    return unbias (t, beta, mu, n);
  return average (t, beta, unbias (t, beta, mu, lam_add_scalar (t, n, 1)),
                  unbias (t, beta, u->grad, n));
}

/* beta (1 - beta^(n - 1)) / (1 - beta^n) for n = count + 1: with this decay a moment has no bias */
static inline decay_pair
corrected_decay (lam_trace *t, const lam_update *u, double beta)
{
  decay_pair pair;
  lam_tensor below = one_minus_power (t, beta, steps (t, u, 1));
  pair.keep = lam_real (t, 0);
  if (beta != 0)
    pair.keep = lam_div (t, one_minus_power (t, beta, steps (t, u, 0)), below);
  pair.keep = lam_mul_scalar (t, pair.keep, beta);
  pair.rest = lam_div (t, lam_real (t, 1 - beta), below);
  return pair;
}

/* m / (sqrt (v + eps_root) + eps) */
static inline lam_tensor
over_root (lam_trace *t, lam_tensor m, lam_tensor v, double eps_root, double eps)
{
  if (eps_root != 0)
    v = lam_add_scalar (t, v, eps_root);
  return lam_div (t, m, lam_add_scalar (t, lam_sqrt (t, v), eps));
}

/* x + weight * var */
static inline lam_tensor
decay_weights (lam_trace *t, const lam_update *u, lam_tensor x, double weight)
{
  return weight != 0 ? lam_add (t, x, lam_mul_scalar (t, u->var, weight)) : x;
}

/* sqrt (mean (x^2)) as a scalar; 16-bit floats are summed in f32 */
static inline lam_tensor
rms (lam_trace *t, lam_tensor x)
{
  if (lam_dtype_bits (lam_dtype_of (t, x)) == 16)
    x = lam_cast (t, x, LAM_F32);
  return lam_sqrt (t, lam_mean (t, lam_square (t, x), LAM_EVERY_AXIS, false));
}

/* sqrt (sum (x^2)) as a scalar */
static inline lam_tensor
norm (lam_trace *t, lam_tensor x)
{
  if (lam_dtype_bits (lam_dtype_of (t, x)) == 16)
    x = lam_cast (t, x, LAM_F32);
  return lam_sqrt (t, lam_sum (t, lam_square (t, x), LAM_EVERY_AXIS, false));
}

/* x / max (1, size / limit), size: a scalar, the rms of x */
static inline lam_tensor
cap (lam_trace *t, lam_tensor x, lam_tensor size, double limit)
{
  lam_tensor factor = lam_max_scalar (t, lam_div_scalar (t, size, limit), 1);
  return lam_div (t, x, lam_cast (t, factor, lam_dtype_of (t, x)));
}

/* Infinities become NaN, which no later step hides. */
static inline lam_tensor
inf_to_nan (lam_trace *t, lam_tensor x)
{
  return lam_where (t, lam_is_finite (t, x), x, lam_scalar_like (t, x, NAN));
}

/* Slots named by a list, of the variable's type. */
static inline void
add_slots (lam_slots *s, const char *const *names, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    s->add (s, names[i], LAM_DTYPE_NONE, 0);
}

#endif
