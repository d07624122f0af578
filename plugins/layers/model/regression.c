/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.regression: the task of predicting numbers: a network and a loss. Our own, made like
 * lamina.classification; the averages are those of praxis' base_model metrics. */
#include "head.h"

typedef struct {
  lam_child_config network, loss;
  lam_child body, error;
} regression;

LAM_FIELDS (regression, LAM_LAYER_CONFIG (network, NULL, "What makes predictions of the inputs."),
            LAM_REQUIRED,
            LAM_LAYER_CONFIG (loss, "{\"type\": \"lamina.squared_error\"}",
                              "What makes a loss for each element of {predictions, targets}."))

static void
regression_setup (regression *p, lam_setup *s)
{
  p->body = lam_create_child (s, "network", p->network);
  p->error = lam_create_child (s, "loss", p->loss);
}

/* What counts how much: weights (B) or (B, T ...), times 1 - paddings of such a shape; 1 without them.
 * like: the targets. Gives (B), or as many axes as the longer of both has. */
static lam_tensor
weights_of (lam_trace *t, lam_nest batch, lam_tensor like, lam_dtype dtype)
{
  static const char *const names[] = {"weights", "paddings"};
  lam_shape shape = lam_shape_of (t, like), head = shape;
  lam_tensor w = lam_nil ();
  for (int i = 0; i < 2; i++) {
    if (!lam_nest_has (t, batch, names[i]))
      continue;
    lam_tensor x = lam_cast (t, lam_nest_get_tensor (t, batch, names[i]), dtype);
    lam_tensor one = lam_scalar (t, dtype, 1);
    head.rank = lam_rank_of (t, x);
    if (head.rank < 1 || head.rank > shape.rank)
      head.rank = shape.rank;
    lam_check_shape (t,
                     i == 0 ? "weights, as the first axes of targets"
                            : "paddings, as the first axes of targets",
                     x, head);
    x = i == 0 ? x : lam_sub (t, one, x);
    while (!lam_is_nil (w) && lam_rank_of (t, x) < lam_rank_of (t, w))
      x = lam_expand_dims (t, x, -1);
    while (!lam_is_nil (w) && lam_rank_of (t, w) < lam_rank_of (t, x))
      w = lam_expand_dims (t, w, -1);
    w = lam_is_nil (w) ? x : lam_mul (t, w, x);
  }
  return lam_is_nil (w) ? lam_full (t, dtype, LAM_SHAPE (shape.dims[0]), 1) : w;
}

/* The axes from..to-1. */
static lam_axes
axes_between (int32_t from, int32_t to)
{
  lam_axes axes = LAM_NO_AXES;
  for (int32_t i = from; i < to; i++)
    axes.dims[axes.rank++] = i;
  return axes;
}

/* x: (B, ...) -> the mean over the axes that w, (B) or (B, T ...), does not have */
static lam_tensor
mean_to (lam_trace *t, lam_tensor x, lam_tensor w)
{
  return lam_mean (t, x, axes_between (lam_rank_of (t, w), lam_rank_of (t, x)), false);
}

/* x, w: (B, T ...) -> (B): the average of each example; 0 where an example has no weight */
static lam_tensor
average_each (lam_trace *t, lam_tensor x, lam_tensor w)
{
  lam_axes axes = axes_between (1, lam_rank_of (t, w));
  lam_tensor weight = lam_sum (t, w, axes, false), none, one = lam_scalar_like (t, w, 1);
  none = lam_eq (t, weight, lam_zeros_like (t, weight));
  return lam_div (t, lam_sum (t, lam_mul (t, x, w), axes, false), lam_where (t, none, one, weight));
}

/* Predictions of the batch: the network's result, without a last axis of 1 that the targets lack. */
static lam_tensor
predict (const regression *p, lam_trace *t, lam_nest batch)
{
  lam_nest y = lam_call (t, p->body, "fprop", lam_nest_get (t, batch, "inputs"));
  lam_tensor x = lam_nest_tensor (t, y);
  return lam_cast (t, x, head_wide (t, x));
}

static lam_tensor
squeeze_to (lam_trace *t, lam_tensor x, int32_t rank)
{
  lam_shape shape = lam_shape_of (t, x);
  return shape.rank == rank + 1 && shape.dims[rank] == 1 ? lam_squeeze (t, x, LAM_AXES (-1)) : x;
}

/*
 * batch: {inputs (B, ...), targets (B) or (B, ...), weights and paddings (B) or more of the targets' axes}.
 * The network gives the targets' shape, or one with a last axis of 1 more. Gives {metrics: {loss,
 * mean_absolute_error}, per_example: {loss (B), weights (B), predictions (B, ...)}}; both metrics are
 * averages by weight, 0 for a batch of weight 0.
 */
static lam_nest
regression_fprop (const regression *p, lam_trace *t, lam_nest batch)
{
  lam_nest pair = lam_nest_map (t), result = lam_nest_map (t), metrics = lam_nest_map (t),
           each = lam_nest_map (t);
  lam_tensor wanted = lam_nest_get_tensor (t, batch, "targets"), y = predict (p, t, batch);
  lam_dtype dtype = lam_dtype_of (t, y);
  lam_tensor weights, weight, loss, error;
  wanted = lam_cast (t, wanted, dtype);
  y = squeeze_to (t, y, lam_rank_of (t, wanted));
  if (lam_rank_of (t, wanted) < 1
      || !lam_check_shape (t, "regression: what the network gives, as the targets", y,
                           lam_shape_of (t, wanted)))
    return result;
  weights = weights_of (t, batch, wanted, dtype);
  weight = lam_sum (t, weights, LAM_EVERY_AXIS, false);
  lam_nest_set_tensor (t, pair, "predictions", y);
  lam_nest_set_tensor (t, pair, "targets", wanted);
  loss = mean_to (t, lam_nest_tensor (t, lam_call (t, p->error, "fprop", pair)), weights);
  error = mean_to (t, lam_abs (t, lam_sub (t, y, wanted)), weights);
  head_set_metric (t, metrics, "loss", head_average (t, loss, weights, weight), weight);
  head_set_metric (t, metrics, "mean_absolute_error", head_average (t, error, weights, weight),
                   weight);
  lam_nest_set_tensor (t, each, "loss", average_each (t, loss, weights));
  lam_nest_set_tensor (t, each, "predictions", y);
  lam_nest_set_tensor (t, each, "weights",
                       lam_sum (t, weights, axes_between (1, lam_rank_of (t, weights)), false));
  lam_nest_set (t, result, "metrics", metrics);
  lam_nest_set (t, result, "per_example", each);
  return result;
}

/* batch: {inputs (B, ...)} -> {predictions (B, ...)}, without a last axis of 1 */
static lam_nest
regression_predict (const regression *p, lam_trace *t, lam_nest batch)
{
  lam_nest out = lam_nest_map (t);
  lam_tensor y = predict (p, t, batch);
  int32_t rank = lam_rank_of (t, y);
  lam_nest_set_tensor (t, out, "predictions", rank > 1 ? squeeze_to (t, y, rank - 1) : y);
  return out;
}

LAM_METHODS (regression, LAM_METHOD (regression, fprop) LAM_METHOD (regression, predict),
             LAM_USE (regression, fprop), LAM_USE (regression, predict))
LAM_LAYER_METHODS (regression, "lamina.regression", 1,
                   "The task of predicting numbers: a network and a loss.")
