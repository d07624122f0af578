/* SPDX-License-Identifier: Apache-2.0 */
/* Orthogonal start values: zeros with an orthogonal matrix at the centre tap ("Dynamical isometry and a
 * mean field theory of CNNs", Xiao et al. 2018; praxis' scaled_delta_orthogonal). Upstream takes the Q of
 * a QR factorisation; here the orthogonal polar factor of the same kind of gaussian matrix, which is as
 * uniformly distributed (both are invariant under rotations) and needs only products. */
#include "core/model/private.h"

#include <math.h>

/* Every step maps each singular value s of x by an odd polynomial. From s <= 1:
 *
 * GROWTH times 3.4445 s - 4.775 s^3 + 2.0315 s^5 (the quintic of the Muon optimizer): it keeps
 * (0, 1.2024] in itself, multiplies small s by 3.4, and never leaves [0.681, 1.2024] once there. 20
 * steps bring every s >= 2e-11 there. The least s of a square gaussian n x n matrix of norm 1 is about
 * u n^-1.5 with P (u < e) about e: for n = 1000 a smaller one comes once in a million draws, and other
 * shapes are far from it.
 * POLISH times 1.5 s - 0.5 s^3 (Newton-Schulz): the error e becomes at most 1.5 e^2 + 0.5 e^3; from
 * 0.319: 0.14, 0.026, 1.0e-3, 1.6e-6, 4e-12, 2e-23. */
#define GROWTH 20
#define POLISH 6

/* x (B, r, c) -> (f1 + (f3 + f5 g) g) x with g (B, r, r) = x x^T. */
static lam_tensor
step (lam_trace *t, lam_tensor x, const double f[3])
{
  lam_tensor g = lam_einsum (t, "bik,bjk->bij", x, x);
  lam_tensor h = lam_mul_scalar (t, g, f[1]);
  if (f[2] != 0)
    h = lam_add (t, h, lam_mul_scalar (t, lam_einsum (t, "bik,bkj->bij", g, g), f[2]));
  return lam_add (t, lam_mul_scalar (t, x, f[0]), lam_einsum (t, "bik,bkj->bij", h, x));
}

/* x (B, r, c), r <= c, f64 -> the nearest matrices with orthonormal rows. */
static lam_tensor
polar_factor (lam_trace *t, lam_tensor x)
{
  static const double growth[3] = {3.4445, -4.7750, 2.0315}, polish[3] = {1.5, -0.5, 0};
  lam_axes inner = LAM_SHAPE (1, 2);
  lam_tensor norm = lam_sqrt (t, lam_sum (t, lam_square (t, x), inner, true)); /* (B, 1, 1) */
  x = lam_div (t, x, norm);
  for (int i = 0; i < GROWTH; i++)
    x = step (t, x, growth);
  for (int i = 0; i < POLISH; i++)
    x = step (t, x, polish);
  return x;
}

lam_tensor
lm_delta_orthogonal (lam_trace *t, lam_key key, const lam_var_spec *spec, const lam_shape *prefix)
{
  const lam_shape *shape = &spec->shape;
  int64_t in = shape->dims[shape->rank - 2], out = shape->dims[shape->rank - 1], batch = 1;
  bool wide = in <= out;
  lam_dtype drawn = spec->dtype == LAM_F64 ? LAM_F64 : LAM_F32;
  lam_shape full = *prefix, low = LAM_SCALAR, high = LAM_SCALAR;
  for (int32_t i = 0; i < prefix->rank; i++)
    batch *= prefix->dims[i];
  full.rank += shape->rank;
  low.rank = high.rank = full.rank;
  for (int32_t i = 0; i < shape->rank; i++) {
    bool tap = i < shape->rank - 2;
    full.dims[prefix->rank + i] = tap ? 1 : shape->dims[i];
    low.dims[prefix->rank + i] = tap ? (shape->dims[i] - 1) / 2 : 0;
    high.dims[prefix->rank + i] = tap ? shape->dims[i] / 2 : 0;
  }
  lam_shape flat = wide ? LAM_SHAPE (batch, in, out) : LAM_SHAPE (batch, out, in);
  lam_tensor x = lam_cast (t, lam_normal (t, key, flat, drawn), LAM_F64);
  x = polar_factor (t, x);
  if (!wide)
    x = lam_transpose (t, x, LAM_SHAPE (0, 2, 1)); /* (B, in, out), columns orthonormal */
  x = lam_mul_scalar (t, x, spec->init.scale * fmax (sqrt ((double)in / (double)out), 1));
  x = lam_cast (t, lam_reshape (t, x, full), spec->dtype);
  return shape->rank > 2 ? lam_pad (t, x, low, high, 0) : x;
}
