/* SPDX-License-Identifier: Apache-2.0 */
/* What the metrics share: weights of examples, and averages by them. */
#ifndef LAMINA_PLUGINS_METRICS_H
#define LAMINA_PLUGINS_METRICS_H

#include <lamina/metric.h>

#define WEIGHTS_FIELD                                                                              \
  LAM_STRING (weights, NULL,                                                                       \
              "Path of the weights of examples, (B) or deeper; absent: per_example.weights where " \
              "the model gives them, else each example counts 1.")

/* x's tensor as real numbers: sums of 16-bit floats are too coarse for an average. */
static inline lam_tensor
metric_real (lam_trace *t, lam_tensor x)
{
  return lam_cast (t, x, lam_real_dtype (t));
}

/* The weights (B, ...) at a path, or NULL: as WEIGHTS_FIELD says; like (B, ...): what they weigh. */
static inline lam_tensor
metric_weights (lam_trace *t, lam_nest in, const char *path, lam_tensor like)
{
  lam_shape shape = lam_shape_of (t, like);
  if (path == NULL && lam_nest_has (t, in, "per_example.weights"))
    path = "per_example.weights";
  if (path != NULL)
    return metric_real (t, lam_nest_get_tensor (t, in, path));
  shape.rank = shape.rank < 1 ? shape.rank : 1;
  return lam_full (t, lam_real_dtype (t), shape, 1);
}

/* w (B, ...) as x (B, ..., more), the same along what x has more; an error where they do not fit. */
static inline lam_tensor
metric_spread (lam_trace *t, lam_tensor w, lam_tensor x)
{
  lam_shape shape = lam_shape_of (t, x), first = shape;
  lam_axes axes = LAM_NO_AXES;
  first.rank = lam_rank_of (t, w);
  if (first.rank > shape.rank)
    first.rank = shape.rank;
  if (!lam_check_shape (t, "metric: weights, which want the first dims of what they weigh", w,
                        first))
    return lam_nil ();
  axes.rank = first.rank;
  for (int32_t i = 0; i < axes.rank; i++)
    axes.dims[i] = i;
  return lam_broadcast_in_dim (t, w, shape, axes);
}

/* {value: sum (x w) / sum (w), 0 for no weight; weight: sum (w)}. Where w is 0, x may be anything. */
static inline lam_nest
metric_average (lam_trace *t, lam_tensor x, lam_tensor w)
{
  lam_tensor each = metric_spread (t, w, x), zero = lam_zeros_like (t, x), sum, total;
  sum = lam_where (t, lam_eq (t, each, zero), zero, lam_mul (t, x, each));
  sum = lam_sum (t, sum, LAM_EVERY_AXIS, false);
  total = lam_sum (t, each, LAM_EVERY_AXIS, false);
  total = lam_where (t, lam_eq (t, total, lam_zeros_like (t, total)), lam_scalar_like (t, total, 1),
                     total);
  return lam_metric_of (t, lam_div (t, sum, total), lam_sum (t, w, LAM_EVERY_AXIS, false));
}

#endif
