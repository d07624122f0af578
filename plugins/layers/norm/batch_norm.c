/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.batch_norm: normalises the last axis by moments over all others. Semantics: lingvo-jax and praxis
 * BatchNorm; freeze_bn_stats, gamma_zero_init, gamma_one_init and the guard against non-finite updates:
 * lingvo's bn_layers.BatchNormLayer. Moving statistics keep shape (dim). */
#include "norm.h"

typedef struct {
  int64_t dim;
  double decay, epsilon;
  bool enable_cross_replica_sum_on_tpu, use_moving_avg_in_training, set_padded_output_to_zero;
  bool force_eval_mode, freeze_bn_stats, gamma_zero_init, gamma_one_init, skip_nonfinite_updates;
  lam_init gamma_init;
  lam_var beta, gamma, moving_mean, moving_variance; /* (dim) each */
} batch_norm;

LAM_FIELDS (
    batch_norm, LAM_INT (dim, 0, "Depth of the input."), LAM_REQUIRED, LAM_MIN (1),
    LAM_FLOAT (decay, 0.999, "Weight of the old moving statistics."), LAM_MIN (0), LAM_MAX (1),
    LAM_FLOAT (epsilon, 0.001, "Added to the variance."), LAM_MIN (0),
    LAM_BOOL (enable_cross_replica_sum_on_tpu, false,
              "Moments are those of all replicas' inputs together (on every backend)."),
    LAM_BOOL (
        use_moving_avg_in_training, false,
        "Training normalises with the moving statistics of before the step; beta and gamma are "
        "not used, nor in evaluation."),
    LAM_BOOL (set_padded_output_to_zero, true, "Whether padded positions give 0."),
    LAM_BOOL (force_eval_mode, false, "Behaves in training as in evaluation."),
    LAM_BOOL (freeze_bn_stats, false,
              "Training uses the moving statistics and leaves them; beta and gamma still learn."),
    LAM_INIT (gamma_init, "{\"method\": \"constant\", \"scale\": 0}",
              "How gamma starts; the scale is 1 + gamma."),
    LAM_BOOL (gamma_zero_init, false, "gamma starts at 0 and is itself the scale."),
    LAM_BOOL (gamma_one_init, false, "gamma starts at 1 and is itself the scale."),
    LAM_BOOL (skip_nonfinite_updates, false,
              "A moving statistic stays as it is when one element of its change is not finite."))

static lam_var
statistic (const batch_norm *p, lam_setup *s, const char *name, double start)
{
  lam_var_spec spec = lam_var_spec_make (LAM_SHAPE (p->dim), LAM_CONSTANT (start));
  spec.collections = LAM_NON_TRAINABLE | LAM_REQUIRES_MEAN_SYNC;
  return lam_create_variable_spec (s, name, &spec);
}

static void
batch_norm_setup (batch_norm *p, lam_setup *s)
{
  lam_init init = p->gamma_init;
  if (p->gamma_zero_init && p->gamma_one_init)
    lam_setup_fail (s, "gamma_zero_init and gamma_one_init exclude each other: set one of them");
  if (p->gamma_zero_init || p->gamma_one_init)
    init = LAM_CONSTANT (p->gamma_one_init ? 1 : 0);
  p->beta = lam_create_variable (s, "beta", LAM_SHAPE (p->dim), LAM_CONSTANT (0));
  p->gamma = lam_create_variable (s, "gamma", LAM_SHAPE (p->dim), init);
  p->moving_mean = statistic (p, s, "moving_mean", 0);
  p->moving_variance = statistic (p, s, "moving_variance", 1);
}

/* old * decay + batch * (1 - decay) */
static void
update (const batch_norm *p, lam_trace *t, lam_var var, lam_tensor batch)
{
  lam_tensor old = lam_theta (t, var), fresh = lam_cast (t, batch, lam_dtype_of (t, old)), change;
  lam_tensor value =
      lam_add (t, lam_mul_scalar (t, old, p->decay), lam_mul_scalar (t, fresh, 1 - p->decay));
  if (p->skip_nonfinite_updates) {
    change = lam_mul_scalar (t, lam_sub (t, old, fresh), 1 - p->decay);
    change = lam_all (t, lam_is_finite (t, change), LAM_EVERY_AXIS, false);
    value = lam_where (t, change, value, old);
  }
  lam_update_var (t, var, value);
}

static void
summarise (const batch_norm *p, lam_trace *t)
{
  lam_add_summary_scalar (t, "moving_mean", lam_theta (t, p->moving_mean));
  lam_add_summary_scalar (t, "moving_variance", lam_theta (t, p->moving_variance));
}

/* Moments of x (..., dim) where mask (..., 1) is 1; moves the statistics. Summaries show those after the
 * update, as praxis' do. */
static norm_moments
train (const batch_norm *p, lam_trace *t, lam_tensor x, lam_tensor mask)
{
  norm_scope scope = {LAM_NO_AXES, -1, false, p->enable_cross_replica_sum_on_tpu};
  norm_moments batch;
  scope.axes.rank = lam_rank_of (t, x) - 1;
  for (int32_t i = 0; i < scope.axes.rank; i++)
    scope.axes.dims[i] = i;
  batch = norm_moments_of (t, x, mask, &scope);
  update (p, t, p->moving_mean, batch.mean);
  update (p, t, p->moving_variance, batch.variance);
  lam_add_summary_scalar (t, "mean", batch.mean);
  lam_add_summary_scalar (t, "variance", batch.variance);
  summarise (p, t);
  return batch;
}

/* The moments that x is normalised by. */
static norm_moments
choose (const batch_norm *p, lam_trace *t, lam_tensor x, lam_tensor mask)
{
  norm_moments moving, batch;
  moving.mean = norm_theta (t, p->moving_mean, x);
  moving.variance = norm_theta (t, p->moving_variance, x);
  if (lam_do_eval (t) || p->force_eval_mode || p->freeze_bn_stats) {
    summarise (p, t);
    return moving;
  }
  batch = train (p, t, x, mask);
  return p->use_moving_avg_in_training ? moving : batch;
}

/* (x - mean) * (scale / sqrt (variance + epsilon)) + beta */
static lam_tensor
normalise (const batch_norm *p, lam_trace *t, lam_tensor x, norm_moments m)
{
  lam_tensor deviation = lam_sqrt (t, lam_add_scalar (t, m.variance, p->epsilon)), scale;
  lam_tensor y = lam_sub (t, x, m.mean);
  if (p->use_moving_avg_in_training)
    return lam_mul (t, y, lam_div (t, lam_scalar_like (t, x, 1), deviation));
  scale = norm_theta (t, p->gamma, x);
  if (!p->gamma_zero_init && !p->gamma_one_init)
    scale = lam_add_scalar (t, scale, 1);
  y = lam_mul (t, y, lam_div (t, scale, deviation));
  return lam_add (t, y, norm_theta (t, p->beta, x));
}

/* 1 - paddings as (..., 1) in x's dtype, where paddings are (...) or (..., 1), sizes as x's or 1. */
static lam_tensor
mask_of (lam_trace *t, lam_tensor x, lam_tensor paddings)
{
  lam_shape wanted = lam_shape_of (t, x);
  lam_type given;
  if (lam_rank_of (t, paddings) + 1 == wanted.rank)
    paddings = lam_expand_dims (t, paddings, -1);
  given = lam_type_of (t, paddings);
  wanted.dims[wanted.rank - 1] = 1;
  for (int32_t i = 0; i < wanted.rank && given.rank == wanted.rank; i++)
    wanted.dims[i] = given.dims[i] == 1 ? 1 : wanted.dims[i];
  if (!lam_check_shape (t, "batch_norm paddings (...) or (..., 1)", paddings, wanted))
    return lam_nil ();
  paddings = lam_cast (t, paddings, lam_dtype_of (t, x));
  return lam_sub (t, lam_scalar_like (t, paddings, 1), paddings);
}

/* in: x (..., dim), or {inputs: x, paddings: 1 where padded} -> as x */
static lam_nest
batch_norm_fprop (const batch_norm *p, lam_trace *t, lam_nest in)
{
  lam_tensor paddings, mask = lam_nil (), x = norm_inputs (t, in, &paddings), y;
  if (!norm_check (t, "batch_norm input (batch, ..., dim)", x, 2, p->dim))
    return lam_nest_of (t, lam_nil ());
  if (!lam_is_nil (paddings))
    mask = mask_of (t, x, paddings);
  y = normalise (p, t, x, choose (p, t, x, mask));
  if (!lam_is_nil (mask) && p->set_padded_output_to_zero)
    y = lam_mul (t, y, mask);
  return lam_nest_of (t, y);
}

LAM_METHODS (batch_norm, LAM_METHOD (batch_norm, fprop), LAM_USE (batch_norm, fprop))
LAM_LAYER_METHODS (
    batch_norm, "lamina.batch_norm", 1,
    "Normalises the last axis by moments of the batch, or moving ones in evaluation.")
