/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse error function: libm has none. */
#include "reference.h"

#include <math.h>

/* Giles, "Approximating the erfinv function" (GPU Computing Gems, Jade Edition, 2011), single precision, in
 * f32 as XLA evaluates it. */
float
ref_erf_inv_f32 (float x)
{
  static const float near[] = {2.81022636e-08f,  3.43273939e-07f, -3.5233877e-06f,
                               -4.39150654e-06f, 0.00021858087f,  -0.00125372503f,
                               -0.00417768164f,  0.246640727f,    1.50140941f};
  static const float far[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f,
                              -0.00367342844f,  0.00573950773f,  -0.0076224613f,
                              0.00943887047f,   1.00167406f,     2.83297682f};
  const float *c = near;
  float w, p;

  if (fabsf (x) == 1)
    return x * INFINITY;
  w = -(float)log1p (-(double)(x * x));
  if (w < 5) {
    w -= 2.5f;
  } else {
    w = sqrtf (w) - 3;
    c = far;
  }
  p = c[0];
  for (int i = 1; i < 9; i++)
    p = c[i] + p * w;
  return p * x;
}

/* Halley's method on erf (or erfc near the ends, where 1 - |x| is exact) from Giles' value or, far
 * out, from the leading terms of erfc's expansion; it triples the digits each time. */
double
ref_erf_inv_f64 (double x)
{
  const double half_sqrt_pi = 0.88622692545275801365;
  double a = fabs (x), q = 1 - a, y;

  if (!(a < 1))
    return a == 1 ? x * INFINITY : NAN;
  if (a == 0)
    return x;
  if (a < 1e-8) /* the cubic term is below half an ulp; also keeps subnormals */
    return x * half_sqrt_pi;
  if (q > 1e-6) {
    y = ref_erf_inv_f32 ((float)a);
  } else {
    double l = -log (q);
    y = sqrt (l - 0.5 * log (4 * atan (1.0) * l));
  }
  for (int i = 0; i < 3; i++) {
    double miss = a < 0.5 ? erf (y) - a : q - erfc (y);
    double step = miss * half_sqrt_pi * exp (y * y);
    y -= step / (1 + y * step);
  }
  return copysign (y, x);
}
