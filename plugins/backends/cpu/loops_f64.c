/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise loops of f64; functions are the C library's. */
#include "kernels.h"
#include <kit/ops.h>
#include <math.h>

#define UNARY(name, R, expression)                                                                 \
  static void name (int64_t n, void *const *out, const void *const *in)                            \
  {                                                                                                \
    R *y = out[0];                                                                                 \
    const double *a = in[0];                                                                       \
    CPU_INDEPENDENT                                                                                \
    for (int64_t i = 0; i < n; i++) {                                                              \
      double x = a[i];                                                                             \
      y[i] = (R)(expression);                                                                      \
    }                                                                                              \
  }
#define BINARY(name, R, expression)                                                                \
  static void name (int64_t n, void *const *out, const void *const *in)                            \
  {                                                                                                \
    R *r = out[0];                                                                                 \
    const double *p = in[0], *q = in[1];                                                           \
    CPU_INDEPENDENT                                                                                \
    for (int64_t i = 0; i < n; i++) {                                                              \
      double a = p[i], b = q[i];                                                                   \
      r[i] = (R)(expression);                                                                      \
    }                                                                                              \
  }

static inline double
larger (double a, double b)
{
  return a > b ? a : b > a ? b : a != a || b != b ? a + b : signbit (a) ? b : a;
}

static inline double
smaller (double a, double b)
{
  return a < b ? a : b < a ? b : a != a || b != b ? a + b : signbit (a) ? a : b;
}

/* Through e^-|x|, so that neither end overflows. */
static inline double
logistic (double x)
{
  double e = exp (-fabs (x));
  return x != x ? x : (x >= 0 ? 1 : e) / (1 + e);
}

static double
horner (double v, const double *c, int n)
{
  double p = c[0];
  for (int i = 1; i < n; i++)
    p = fma (p, v, c[i]);
  return p;
}

/* M. Giles' polynomials (2010) in single precision, or far out the leading terms of erfc's expansion,
 * give the start, three Newton steps on erf (on erfc in the tails, where erf has lost its digits) the
 * rest. */
static double
erf_inv (double x)
{
  static const double centre[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                  -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                  -0.00417768164,  0.246640727,    1.50140941};
  static const double tail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                -0.00367342844,  0.00573950773,  -0.0076224613,
                                0.00943887047,   1.00167406,     2.83297682};
  double a = fabs (x), w, y;
  if (!(a < 1))
    return a == 1 ? x * INFINITY : NAN;
  if (a == 0)
    return x;
  w = -log1p (-a * a);
  y = a * (w < 5 ? horner (w - 2.5, centre, 9) : horner (sqrt (w) - 3, tail, 9));
  if (w > 13) {
    double l = -log (1 - a);
    y = sqrt (l - 0.5 * log (3.14159265358979324 * l));
  }
  for (int i = 0; i < 3; i++) {
    double slope = 1.1283791670955126 * exp (-y * y); /* 2 / sqrt (pi) e^(-y^2) */
    double miss = a < 0.5 ? erf (y) - a : (1 - a) - erfc (y);
    double step = miss / slope;
    y -= step / (1 + y * step); /* Halley's correction */
  }
  return copysign (y, x);
}

#define UNARY_F64(X)                                                                               \
  X (negate, -x)                                                                                   \
  X (abs, fabs (x))                                                                                \
  X (sign, x > 0 ? 1 : x < 0 ? -1 : x)                                                             \
  X (floor, floor (x))                                                                             \
  X (ceil, ceil (x))                                                                               \
  X (round_nearest_even, nearbyint (x))                                                            \
  X (exponential, exp (x))                                                                         \
  X (exponential_minus_one, expm1 (x))                                                             \
  X (log, log (x))                                                                                 \
  X (log_plus_one, log1p (x))                                                                      \
  X (sqrt, sqrt (x))                                                                               \
  X (rsqrt, 1 / sqrt (x))                                                                          \
  X (cbrt, cbrt (x))                                                                               \
  X (sine, sin (x))                                                                                \
  X (cosine, cos (x))                                                                              \
  X (tan, tan (x))                                                                                 \
  X (tanh, tanh (x))                                                                               \
  X (logistic, logistic (x))                                                                       \
  X (erf, erf (x))                                                                                 \
  X (erf_inv, erf_inv (x))

#define BINARY_F64(X)                                                                              \
  X (add, a + b)                                                                                   \
  X (subtract, a - b)                                                                              \
  X (multiply, a *b)                                                                               \
  X (divide, a / b)                                                                                \
  X (remainder, fmod (a, b))                                                                       \
  X (power, pow (a, b))                                                                            \
  X (maximum, larger (a, b))                                                                       \
  X (minimum, smaller (a, b))                                                                      \
  X (atan2, atan2 (a, b))

#define COMPARE_F64(X)                                                                             \
  X (EQ, a == b)                                                                                   \
  X (NE, a != b)                                                                                   \
  X (LT, a < b)                                                                                    \
  X (LE, a <= b)                                                                                   \
  X (GT, a > b)                                                                                    \
  X (GE, a >= b)

#define DEFINE(op, expression) UNARY (op##_f64, double, expression)
UNARY_F64 (DEFINE)
#undef DEFINE
#define DEFINE(op, expression) BINARY (op##_f64, double, expression)
BINARY_F64 (DEFINE)
#undef DEFINE
#define DEFINE(direction, expression) BINARY (compare_f64_##direction, uint8_t, expression)
COMPARE_F64 (DEFINE)
#undef DEFINE
UNARY (is_finite_f64, uint8_t, fabs (x) < INFINITY)

static void
clamp_f64 (int64_t n, void *const *out, const void *const *in)
{
  double *y = out[0];
  const double *low = in[0], *x = in[1], *high = in[2];
  for (int64_t i = 0; i < n; i++)
    y[i] = smaller (larger (x[i], low[i]), high[i]);
}

#define ROW(op, expression) {LAM_OP_##op, 0, LAM_F64, op##_f64},
#define COMPARE_ROW(direction, expression)                                                         \
  {LAM_OP_compare, KIT_##direction, LAM_F64, compare_f64_##direction},
const cpu_loop_entry cpu_loops_f64[] = {
    UNARY_F64 (ROW) BINARY_F64 (ROW)
        COMPARE_F64 (COMPARE_ROW) {LAM_OP_is_finite, 0, LAM_F64, is_finite_f64},
    {LAM_OP_clamp, 0, LAM_F64, clamp_f64},
};
const uint32_t cpu_n_loops_f64 = sizeof cpu_loops_f64 / sizeof cpu_loops_f64[0];
