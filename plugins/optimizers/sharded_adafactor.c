/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.sharded_adafactor: Adafactor with a quantised momentum and layerwise adaptation.
 * Semantics: praxis.optimizers.ShardedAdafactor; its HParamsAdamB: "beta1": 0.9, "decay_method":
 * "adam", "decay_adam": 0.98, "quantized_dtype": "i8". Statistics are f32, f64 for f64
 * variables. */
#include "factor.h"
#include <lamina/ext/regex.h>
#include <string.h>

typedef struct {
  double weight_decay, decay_adam, decay_pow, beta1, clip_threshold;
  double epsilon1_grad_sq_reg, epsilon2_param_scale_reg;
  int64_t min_dim_size_to_factor;
  const char *decay_method;
  lam_strings exclude_from_layerwise_adaptation;
  bool layerwise_adaptation, factored, sort_factored_second_moment_dims;
  bool multiply_by_parameter_scale, maybe_inf_to_nan;
  lam_dtype quantized_dtype;
  lam_patterns excluded;
} sharded_adafactor;

LAM_FIELDS (
    sharded_adafactor, LAM_FLOAT (weight_decay, 0, "Takes learning rate * w * p off the variable."),
    LAM_MIN (0),
    LAM_BOOL (layerwise_adaptation, false,
              "Whether steps are as long as the variable's rms (LAMB)."),
    LAM_STRINGS (exclude_from_layerwise_adaptation, NULL,
                 "Patterns, matched at the start of paths, of variables without that."),
    LAM_STRING (
        decay_method, "adam",
        "Decay of the second moment: adam, corrected for bias, or pow, 1 - step^-decay_pow."),
    LAM_CHOICES ("adam pow"), LAM_FLOAT (decay_adam, 0, "The decay of adam."), LAM_MIN (0),
    LAM_MAX (1), LAM_FLOAT (decay_pow, 0, "The exponent of pow."), LAM_MIN (0),
    LAM_FLOAT (beta1, 0, "Decay of the momentum; 0: none."), LAM_MIN (0), LAM_MAX (1),
    LAM_FLOAT (clip_threshold, 1, "Most rms of the update before the learning rate; 0: any."),
    LAM_MIN (0), LAM_BOOL (factored, true, "False: every element's second moment is kept."),
    LAM_FLOAT (epsilon1_grad_sq_reg, 1e-30, "Added to squared gradients."), LAM_MIN (0),
    LAM_DTYPE (quantized_dtype, LAM_I8,
               "How the momentum is stored: i8 or i16 with a scale for each column, bf16 or f32."),
    LAM_BOOL (sort_factored_second_moment_dims, false,
              "Whether the two longest dims are factored, not the last two."),
    LAM_INT (min_dim_size_to_factor, 128, "With sorted dims: the least size of both."), LAM_MIN (1),
    LAM_BOOL (multiply_by_parameter_scale, false,
              "Whether steps are scaled by the variable's rms."),
    LAM_FLOAT (epsilon2_param_scale_reg, 1e-3, "Least rms for that."), LAM_MIN (0),
    LAM_BOOL (maybe_inf_to_nan, true, "Whether infinite gradients and statistics become NaN."))

static bool
uses_adam (const sharded_adafactor *p)
{
  return strcmp (p->decay_method, "adam") == 0;
}

static void
sharded_adafactor_setup (sharded_adafactor *p, lam_setup *s)
{
  lam_dtype q = p->quantized_dtype;
  if (q != LAM_I8 && q != LAM_I16 && q != LAM_BF16 && q != LAM_F32)
    lam_setup_fail (s, "quantized_dtype wants i8, i16, bf16 or f32");
  if (uses_adam (p) ? !(p->decay_adam > 0 && p->decay_adam < 1) : !(p->decay_pow > 0))
    lam_setup_fail (s, "decay_method adam wants decay_adam in (0, 1), pow wants decay_pow > 0");
  p->excluded = lam_setup_patterns (s, p->exclude_from_layerwise_adaptation, LAM_REGEX_START);
}

/* The last two dims, or the two longest, the earlier one of equals first; false: not factored. */
static bool
find_axes (const sharded_adafactor *p, const lam_type *var, factor_axes *out)
{
  int32_t longest = 0, second = -1;
  out->row = var->rank - 1;
  out->column = var->rank - 2;
  if (!p->factored || var->rank < 2 || !p->sort_factored_second_moment_dims)
    return p->factored && var->rank >= 2;
  for (int32_t i = 1; i < var->rank; i++)
    if (var->dims[i] > var->dims[longest])
      longest = i;
  for (int32_t i = 0; i < var->rank; i++)
    if (i != longest && (second < 0 || var->dims[i] > var->dims[second]))
      second = i;
  out->row = longest;
  out->column = second;
  return var->dims[second] >= p->min_dim_size_to_factor;
}

/* f32, but f64 for f64 variables. */
static lam_dtype
wide (lam_dtype var)
{
  return unquantised (LAM_F32, var);
}

static bool
is_bucketed (const sharded_adafactor *p, int32_t rank)
{
  return !lam_dtype_is_float (p->quantized_dtype) && rank >= 1;
}

/* Slots: vr, vc or v; m; m_scale where m is an integer. */
static void
sharded_adafactor_declare_slots (const sharded_adafactor *p, lam_slots *s, const lam_type *var)
{
  static const char *const names[] = {"vr", "vc", "v"};
  factor_axes axes;
  lam_type m = *var, scale = *var;
  add_factor_slots (s, var, wide (var->dtype), find_axes (p, var, &axes) ? &axes : NULL, names);
  if (p->beta1 == 0)
    return;
  m.dtype = p->quantized_dtype == LAM_BF16 ? LAM_BF16 : wide (var->dtype);
  if (is_bucketed (p, var->rank)) {
    m.dtype = p->quantized_dtype;
    scale = without_axis (var, 0);
    scale.dtype = wide (var->dtype);
  }
  add_slot (s, "m", &m, 0);
  if (is_bucketed (p, var->rank))
    add_slot (s, "m_scale", &scale, 0);
}

static lam_tensor
clean (const sharded_adafactor *p, lam_trace *t, lam_tensor x)
{
  return p->maybe_inf_to_nan ? inf_to_nan (t, x) : x;
}

static decay_pair
decay_of (const sharded_adafactor *p, lam_trace *t, const lam_update *u)
{
  decay_pair pair;
  if (uses_adam (p))
    return corrected_decay (t, u, p->decay_adam);
  pair.rest = lam_pow_scalar (t, steps (t, u, 1), -p->decay_pow);
  pair.keep = lam_sub (t, lam_real (t, 1), pair.rest);
  return pair;
}

/* x (n, ...) as m = round (x / scale), scale (...) = max |x| over axis 0 / buckets */
static void
store_bucketed (const sharded_adafactor *p, lam_trace *t, const lam_update *u, uint32_t m,
                lam_tensor x)
{
  double buckets = p->quantized_dtype == LAM_I8 ? 127 : 32767;
  lam_tensor scale = lam_max_over (t, lam_abs (t, x), LAM_AXES (0), true); /* (1, ...) */
  lam_tensor zero = lam_scalar_like (t, x, 0), one = lam_scalar_like (t, x, 1);
  scale = lam_div_scalar (t, scale, buckets);
  u->new_slots[m + 1] = lam_squeeze (t, scale, LAM_AXES (0));
  scale = lam_where (t, lam_gt (t, scale, zero), scale, one);
  u->new_slots[m] = lam_cast (t, lam_round (t, lam_div (t, x, scale)), p->quantized_dtype);
}

/* beta1 * momentum + (1 - beta1) * x, stored; slot m is the first after the second moment's. */
static lam_tensor
with_momentum (const sharded_adafactor *p, lam_trace *t, const lam_update *u, lam_tensor x)
{
  bool bucketed = is_bucketed (p, lam_rank_of (t, x));
  uint32_t m = u->n_slots - (bucketed ? 2 : 1);
  lam_tensor old = lam_cast (t, u->slots[m], lam_dtype_of (t, x));
  if (bucketed)
    old = lam_mul (t, old, lam_expand_dims (t, u->slots[m + 1], 0));
  x = clean (p, t, average (t, p->beta1, old, x));
  if (bucketed)
    store_bucketed (p, t, u, m, x);
  else
    u->new_slots[m] = lam_cast (t, x, lam_dtype_of (t, u->slots[m]));
  return x;
}

/* rms (var) / (rms (x / scale) + epsilon1), 1 where one of them is 0 */
static lam_tensor
layer_ratio (const sharded_adafactor *p, lam_trace *t, lam_tensor var, lam_tensor x,
             lam_tensor scale)
{
  lam_tensor w = rms (t, var), g = rms (t, lam_div (t, x, scale));
  g = lam_add_scalar (t, g, p->epsilon1_grad_sq_reg);
  lam_tensor zero = lam_scalar_like (t, g, 0), one = lam_scalar_like (t, g, 1);
  lam_tensor both = lam_and (t, lam_gt (t, w, zero), lam_gt (t, g, zero));
  return lam_where (t, both, lam_div (t, w, g), one);
}

static lam_tensor
sharded_adafactor_update (const sharded_adafactor *p, lam_trace *t, const lam_update *given)
{
  lam_update u = *given;
  factor_axes axes;
  lam_type type = lam_type_of (t, u.var);
  lam_dtype dtype = wide (type.dtype);
  u.grad = clean (p, t, lam_cast (t, u.grad, dtype)); /* as var, dtype */
  u.var = lam_cast (t, u.var, dtype);
  lam_tensor square = lam_add_scalar (t, lam_square (t, u.grad), p->epsilon1_grad_sq_reg);
  lam_tensor rate = lam_cast (t, u.learning_rate, dtype), scale = rate;
  if (p->multiply_by_parameter_scale)
    scale = lam_mul (t, rate, lam_max_scalar (t, rms (t, u.var), p->epsilon2_param_scale_reg));
  /* upstream takes the row factor's mean over its last dim, whatever dims are factored */
  lam_tensor x = find_axes (p, &type, &axes)
                     ? factored_step (t, &u, square, decay_of (p, t, &u), &axes, type.rank - 2)
                     : unfactored_step (t, &u, square, decay_of (p, t, &u));
  if (p->clip_threshold != 0)
    x = cap (t, x, clean (p, t, rms (t, x)), p->clip_threshold);
  x = lam_mul (t, x, scale);
  if (p->beta1 != 0)
    x = with_momentum (p, t, &u, x);
  if (p->weight_decay != 0)
    x = lam_add (t, x, lam_mul (t, u.var, lam_mul_scalar (t, rate, p->weight_decay)));
  if (p->layerwise_adaptation && lam_patterns_find (t, p->excluded, u.path) < 0)
    x = lam_mul (t, x, layer_ratio (p, t, u.var, x, scale));
  return lam_cast (t, lam_neg (t, x), type.dtype);
}

LAM_OPTIMIZER (sharded_adafactor, "lamina.sharded_adafactor", 1,
               "Adafactor with a quantised momentum.")
