/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.batch_norm: normalises the last axis by moments over all others. Semantics: lingvo-jax and
 * praxis BatchNorm; moving statistics keep shape (dim), their summaries show the value after the
 * update. */
#include <lamina/layer.h>

typedef struct {
  int64_t dim;
  double decay, epsilon;
  bool use_moving_avg_in_training, set_padded_output_to_zero, force_eval_mode;
  lam_var beta, gamma, moving_mean, moving_variance; /* (dim) each; scale is 1 + gamma */
} batch_norm;

LAM_FIELDS (
    batch_norm, LAM_INT (dim, 0, "Depth of the input."), LAM_REQUIRED, LAM_MIN (1),
    LAM_FLOAT (decay, 0.999, "Weight of the old moving statistics."), LAM_MIN (0), LAM_MAX (1),
    LAM_FLOAT (epsilon, 0.001, "Added to the variance."), LAM_MIN (0),
    LAM_BOOL (use_moving_avg_in_training, false,
              "Training normalises with the moving statistics too, without beta and gamma."),
    LAM_BOOL (set_padded_output_to_zero, true, "Whether padded positions give 0."),
    LAM_BOOL (force_eval_mode, false, "Behaves in training as in evaluation."))

/* One mean and one variance, (dim) each. */
typedef struct {
  lam_tensor mean, variance;
} moments;

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
  p->beta = lam_create_variable (s, "beta", LAM_SHAPE (p->dim), LAM_CONSTANT (0));
  p->gamma = lam_create_variable (s, "gamma", LAM_SHAPE (p->dim), LAM_CONSTANT (0));
  p->moving_mean = statistic (p, s, "moving_mean", 0);
  p->moving_variance = statistic (p, s, "moving_variance", 1);
}

/* Sum over all axes but the last; values of padded positions (mask 0) do not count. */
static lam_tensor
masked_sum (lam_trace *t, lam_tensor x, lam_tensor mask)
{
  lam_axes axes = LAM_NO_AXES;
  axes.rank = lam_rank_of (t, x) - 1;
  for (int32_t i = 0; i < axes.rank; i++)
    axes.dims[i] = i;
  return lam_sum (t, lam_is_nil (mask) ? x : lam_mul (t, x, mask), axes, false);
}

/* Biased moments of x (..., dim) over the positions where mask (..., 1) is 1; nil mask: all. */
static moments
moments_of (lam_trace *t, lam_tensor x, lam_tensor mask)
{
  lam_type type = lam_type_of (t, x);
  lam_tensor count; /* (1) or () */
  moments m;
  double n = 1;
  for (int32_t i = 0; i + 1 < type.rank; i++)
    n *= (double)type.dims[i];
  count = lam_is_nil (mask) ? lam_scalar_like (t, x, n) : masked_sum (t, mask, lam_nil ());
  count = lam_max_scalar (t, count, 1);
  m.mean = lam_div (t, masked_sum (t, x, mask), count);
  x = lam_square (t, lam_sub (t, x, m.mean));
  m.variance = lam_div (t, masked_sum (t, x, mask), count);
  return m;
}

/* moving * decay + batch * (1 - decay) */
static void
update (const batch_norm *p, lam_trace *t, lam_var var, lam_tensor batch)
{
  lam_tensor old = lam_theta (t, var), fresh = lam_cast (t, batch, lam_dtype_of (t, old));
  old = lam_mul_scalar (t, old, p->decay);
  lam_update_var (t, var, lam_add (t, old, lam_mul_scalar (t, fresh, 1 - p->decay)));
}

/* (x - mean) * scale / sqrt (variance + epsilon) + shift; scale and shift may be nil: 1 and 0. */
static lam_tensor
normalise (const batch_norm *p, lam_trace *t, lam_tensor x, moments m, const lam_tensor affine[2])
{
  lam_tensor factor = lam_sqrt (t, lam_add_scalar (t, m.variance, p->epsilon));
  lam_tensor scale = lam_is_nil (affine[0]) ? lam_scalar_like (t, factor, 1) : affine[0];
  x = lam_mul (t, lam_sub (t, x, m.mean), lam_div (t, scale, factor));
  return lam_is_nil (affine[1]) ? x : lam_add (t, x, affine[1]);
}

static void
summarise (const batch_norm *p, lam_trace *t)
{
  lam_add_summary_scalar (t, "moving_mean", lam_theta (t, p->moving_mean));
  lam_add_summary_scalar (t, "moving_variance", lam_theta (t, p->moving_variance));
}

/* x (..., dim), mask (..., 1) or nil -> normalised x */
static lam_tensor
apply (const batch_norm *p, lam_trace *t, lam_tensor x, lam_tensor mask)
{
  lam_dtype dtype = lam_dtype_of (t, x);
  bool training = !lam_do_eval (t) && !p->force_eval_mode;
  moments moving, batch;
  lam_tensor affine[2];
  moving.mean = lam_cast (t, lam_theta (t, p->moving_mean), dtype);
  moving.variance = lam_cast (t, lam_theta (t, p->moving_variance), dtype);
  affine[0] = lam_add_scalar (t, lam_theta (t, p->gamma), 1);
  affine[1] = lam_theta (t, p->beta);
  if (training) {
    batch = moments_of (t, x, mask);
    lam_add_summary_scalar (t, "mean", batch.mean);
    lam_add_summary_scalar (t, "variance", batch.variance);
    update (p, t, p->moving_mean, batch.mean);
    update (p, t, p->moving_variance, batch.variance);
    if (p->use_moving_avg_in_training)
      affine[0] = affine[1] = lam_nil ();
    else
      moving = batch;
  }
  summarise (p, t);
  return normalise (p, t, x, moving, affine);
}

/* in: x (..., dim), or {inputs: x, paddings: (...) or (..., 1), 1 where padded} -> as x */
static lam_nest
batch_norm_fprop (const batch_norm *p, lam_trace *t, lam_nest in)
{
  bool map = t->api->nest_kind (t, in) == LAM_NEST_MAP;
  lam_tensor x = map ? lam_nest_get_tensor (t, in, "inputs") : lam_nest_tensor (t, in);
  lam_tensor paddings, mask = lam_nil (), y;
  if (lam_is_ok (t) && lam_rank_of (t, x) < 2)
    lam_fail (t, "batch_norm wants inputs of rank 2 or more: (batch, ..., dim)");
  if (map && lam_nest_has (t, in, "paddings")) {
    paddings = lam_nest_get_tensor (t, in, "paddings");
    if (lam_rank_of (t, paddings) + 1 == lam_rank_of (t, x))
      paddings = lam_expand_dims (t, paddings, -1);
    mask = lam_sub (t, lam_scalar_like (t, paddings, 1), paddings);
  }
  y = apply (p, t, x, mask);
  if (!lam_is_nil (mask) && p->set_padded_output_to_zero)
    y = lam_mul (t, y, mask);
  return lam_nest_of (t, y);
}

LAM_METHODS (batch_norm, LAM_METHOD (batch_norm, fprop), LAM_USE (batch_norm, fprop))
LAM_LAYER_METHODS (
    batch_norm, "lamina.batch_norm", 1,
    "Normalises the last axis by moments of the batch, or moving ones in evaluation.")
