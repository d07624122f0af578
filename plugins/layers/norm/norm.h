/* SPDX-License-Identifier: Apache-2.0 */
/* What the normalisations share: their arguments, the checks of shapes, moments over valid positions. */
#ifndef LAMINA_LAYERS_NORM_H
#define LAMINA_LAYERS_NORM_H

#include <lamina/layer.h>

/* The tensor x of a layer's argument: x itself or a map {inputs: x, paddings}; the paddings (nil: none) where
 * the layer wants them. */
static inline lam_tensor
norm_inputs (lam_trace *t, lam_nest in, lam_tensor *paddings)
{
  bool map = t->api->nest_kind (t, in) == LAM_NEST_MAP;
  if (paddings != NULL)
    *paddings = map && lam_nest_has (t, in, "paddings") ? lam_nest_get_tensor (t, in, "paddings")
                                                        : lam_nil ();
  return map ? lam_nest_get_tensor (t, in, "inputs") : lam_nest_tensor (t, in);
}

/* True if x is (..., dim) of at least that rank; else the error says `what`. */
static inline bool
norm_check (lam_trace *t, const char *what, lam_tensor x, int32_t rank, int64_t dim)
{
  lam_type type = lam_type_of (t, x);
  lam_shape wanted = LAM_SCALAR;
  wanted.rank = type.rank > rank ? type.rank : rank;
  for (int32_t i = 0; i < wanted.rank; i++)
    wanted.dims[i] = -1;
  wanted.dims[wanted.rank - 1] = dim;
  return lam_check_shape (t, what, x, wanted);
}

/* A variable's value in the dtype of x. */
static inline lam_tensor
norm_theta (lam_trace *t, lam_var var, lam_tensor x)
{
  return lam_cast (t, lam_theta (t, var), lam_dtype_of (t, x));
}

/* f32 for the 16-bit floats, else the dtype itself. */
static inline lam_dtype
norm_wide (lam_dtype dtype)
{
  return lam_dtype_bits (dtype) == 16 ? LAM_F32 : dtype;
}

/* x / sqrt (sum of squares over the axes + 1e-12); py_utils.l2_normalize of praxis. */
static inline lam_tensor
norm_l2 (lam_trace *t, lam_tensor x, lam_axes axes)
{
  lam_tensor sum = lam_sum (t, lam_square (t, x), axes, true);
  return lam_div (t, x, lam_sqrt (t, lam_add_scalar (t, sum, 1e-12)));
}

/* x / sqrt (mean of squares of the last axis + epsilon), x: (..., dim) */
static inline lam_tensor
norm_rms (lam_trace *t, lam_tensor x, double epsilon)
{
  lam_tensor square = lam_mean (t, lam_square (t, x), LAM_AXES (-1), true);
  return lam_mul (t, x, lam_rsqrt (t, lam_add_scalar (t, square, epsilon)));
}

/* Over what moments are formed. */
typedef struct norm_scope {
  lam_axes axes;      /* reduced */
  int32_t cumulative; /* axis along which sums run on; -1: none */
  bool keepdims;
  bool replicas; /* sums over the replicas too */
} norm_scope;

/* Mean and biased variance. */
typedef struct norm_moments {
  lam_tensor mean, variance;
} norm_moments;

/* Sum of x over the scope, where mask (nil: everywhere) is 1. */
static inline lam_tensor
norm_sum (lam_trace *t, lam_tensor x, lam_tensor mask, const norm_scope *scope)
{
  x = lam_sum (t, lam_is_nil (mask) ? x : lam_mul (t, x, mask), scope->axes, scope->keepdims);
  if (scope->cumulative >= 0)
    x = lam_cumsum (t, x, scope->cumulative, false, false);
  return scope->replicas ? lam_psum (t, x) : x;
}

/* Number of elements in each sum: that of mask, which has size 1 where it holds for a whole axis. */
static inline lam_tensor
norm_count (lam_trace *t, lam_tensor x, lam_tensor mask, const norm_scope *scope)
{
  lam_type type = lam_type_of (t, x), given = lam_type_of (t, mask);
  lam_shape ones = LAM_SCALAR;
  double n = 1;
  bool all = lam_is_nil (mask);
  ones.rank = type.rank;
  for (int32_t i = 0; i < type.rank; i++)
    ones.dims[i] = i == scope->cumulative ? type.dims[i] : 1;
  for (int32_t i = 0; i < scope->axes.rank; i++) {
    int64_t axis = scope->axes.dims[i];
    n *= all || given.dims[axis] == 1 ? (double)type.dims[axis] : 1;
  }
  if (all && scope->cumulative < 0)
    return scope->replicas ? lam_psum (t, lam_scalar_like (t, x, n)) : lam_scalar_like (t, x, n);
  if (all)
    mask = lam_full (t, type.dtype, ones, 1);
  return lam_mul_scalar (t, norm_sum (t, mask, lam_nil (), scope), n);
}

/* Moments of x where mask (as many axes as x, sizes equal or 1; nil: everywhere) is 1; 0 and 0 where it is
 * nowhere. */
static inline norm_moments
norm_moments_of (lam_trace *t, lam_tensor x, lam_tensor mask, const norm_scope *scope)
{
  lam_tensor count = lam_max_scalar (t, norm_count (t, x, mask, scope), 1);
  norm_moments m;
  m.mean = lam_div (t, norm_sum (t, x, mask, scope), count);
  x = lam_square (t, lam_sub (t, x, m.mean));
  m.variance = lam_div (t, norm_sum (t, x, mask, scope), count);
  return m;
}

#endif
