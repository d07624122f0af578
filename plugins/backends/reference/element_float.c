/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise ops of floats, in double. */
#include "elementwise.h"

#include <math.h>

static double
sign (double x)
{
  return x > 0 ? 1 : x < 0 ? -1 : x; /* keeps zeros and NaN */
}

static double
erf_inv (lam_dtype dtype, double x)
{
  return dtype == LAM_F64 ? ref_erf_inv_f64 (x) : (double)ref_erf_inv_f32 ((float)x);
}

#define MAP(code, expression)                                                                      \
  case code:                                                                                       \
    for (int64_t i = 0; i < n; i++)                                                                \
      y[i] = expression;                                                                           \
    break;

void
ref_unary_float (int32_t op, lam_dtype dtype, int64_t n, const double *x, double *y)
{
  switch (op) {
    MAP (LAM_OP_negate, -x[i])
    MAP (LAM_OP_abs, fabs (x[i]))
    MAP (LAM_OP_sign, sign (x[i]))
    MAP (LAM_OP_floor, floor (x[i]))
    MAP (LAM_OP_ceil, ceil (x[i]))
    MAP (LAM_OP_round_nearest_even, nearbyint (x[i]))
    MAP (LAM_OP_exponential, exp (x[i]))
    MAP (LAM_OP_exponential_minus_one, expm1 (x[i]))
    MAP (LAM_OP_log, log (x[i]))
    MAP (LAM_OP_log_plus_one, log1p (x[i]))
    MAP (LAM_OP_sqrt, sqrt (x[i]))
    MAP (LAM_OP_rsqrt, 1 / sqrt (x[i]))
    MAP (LAM_OP_cbrt, cbrt (x[i]))
    MAP (LAM_OP_sine, sin (x[i]))
    MAP (LAM_OP_cosine, cos (x[i]))
    MAP (LAM_OP_tan, tan (x[i]))
    MAP (LAM_OP_tanh, tanh (x[i]))
    MAP (LAM_OP_logistic, 1 / (1 + exp (-x[i])))
    MAP (LAM_OP_erf, erf (x[i]))
    MAP (LAM_OP_erf_inv, erf_inv (dtype, x[i]))
  default:
    break;
  }
}

void
ref_binary_float (int32_t op, int64_t n, const double *a, const double *b, double *y)
{
  switch (op) {
    MAP (LAM_OP_add, a[i] + b[i])
    MAP (LAM_OP_subtract, a[i] - b[i])
    MAP (LAM_OP_multiply, a[i] * b[i])
    MAP (LAM_OP_divide, a[i] / b[i])
    MAP (LAM_OP_remainder, fmod (a[i], b[i]))
    MAP (LAM_OP_power, pow (a[i], b[i]))
    MAP (LAM_OP_atan2, atan2 (a[i], b[i]))
    MAP (LAM_OP_maximum, ref_combine_float (KIT_COMBINE_MAXIMUM, a[i], b[i]))
    MAP (LAM_OP_minimum, ref_combine_float (KIT_COMBINE_MINIMUM, a[i], b[i]))
  default:
    break;
  }
}

void
ref_compare_float (int32_t direction, int64_t n, const double *a, const double *b, int64_t *y)
{
  switch (direction) {
    MAP (KIT_EQ, a[i] == b[i])
    MAP (KIT_NE, a[i] != b[i])
    MAP (KIT_LT, a[i] < b[i])
    MAP (KIT_LE, a[i] <= b[i])
    MAP (KIT_GT, a[i] > b[i])
    MAP (KIT_GE, a[i] >= b[i])
  default:
    break;
  }
}
#undef MAP

void
ref_clamp_float (int64_t n, const double *low, const double *x, const double *high, double *y)
{
  for (int64_t i = 0; i < n; i++)
    y[i] = ref_combine_float (KIT_COMBINE_MINIMUM,
                              ref_combine_float (KIT_COMBINE_MAXIMUM, x[i], low[i]), high[i]);
}

void
ref_is_finite (int64_t n, const double *x, int64_t *y)
{
  for (int64_t i = 0; i < n; i++)
    y[i] = isfinite (x[i]) != 0;
}
