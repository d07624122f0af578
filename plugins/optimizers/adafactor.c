/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.adafactor: Shazeer, Stern (2018). Semantics: optax.adafactor,
 * praxis.optimizers.Adafactor. Row and column means over the two longest dims stand for the
 * second moment. */
#include "factor.h"

typedef struct {
  int64_t min_dim_size_to_factor, decay_offset;
  double decay_rate, clipping_threshold, momentum, weight_decay_rate, eps;
  bool multiply_by_parameter_scale, factored;
  lam_dtype dtype_momentum;
} adafactor;

LAM_FIELDS (
    adafactor,
    LAM_INT (min_dim_size_to_factor, 128, "Variables with two dims of this size are factored."),
    LAM_MIN (1), LAM_FLOAT (decay_rate, 0.8, "The second moment's decay is 1 - step^-decay_rate."),
    LAM_MIN (0), LAM_INT (decay_offset, 0, "Taken off the step; for fine-tuning."), LAM_MIN (0),
    LAM_BOOL (multiply_by_parameter_scale, true,
              "Whether steps are scaled by the variable's rms, at least 0.001."),
    LAM_FLOAT (clipping_threshold, 1, "Most rms of the update before the learning rate; 0: any."),
    LAM_MIN (0), LAM_FLOAT (momentum, 0, "Decay of the mean of updates; 0: no mean."), LAM_MIN (0),
    LAM_MAX (1), LAM_DTYPE (dtype_momentum, LAM_F32, "Type in which that mean is stored."),
    LAM_FLOAT (weight_decay_rate, 0, "Takes w * p off the variable, whatever the learning rate."),
    LAM_MIN (0), LAM_FLOAT (eps, 1e-30, "Added to squared gradients."), LAM_MIN (0),
    LAM_BOOL (factored, true, "False: the second moment of every element is kept."))

static void
adafactor_setup (adafactor *p, lam_setup *s)
{
  if (!lam_dtype_is_float (p->dtype_momentum))
    lam_setup_fail (s, "dtype_momentum wants a float type, such as f32");
}

/* The two longest dims, the later one of equals first; false: not factored. */
static bool
find_axes (const adafactor *p, const lam_type *var, factor_axes *out)
{
  int32_t longest = 0, second = -1;
  if (!p->factored || var->rank < 2)
    return false;
  for (int32_t i = 1; i < var->rank; i++)
    if (var->dims[i] >= var->dims[longest])
      longest = i;
  for (int32_t i = 0; i < var->rank; i++)
    if (i != longest && (second < 0 || var->dims[i] >= var->dims[second]))
      second = i;
  out->row = longest;
  out->column = second;
  return var->dims[second] >= p->min_dim_size_to_factor;
}

/* Slots: v_row, v_col or v; ema if there is momentum. */
static void
adafactor_declare_slots (const adafactor *p, lam_slots *s, const lam_type *var)
{
  static const char *const names[] = {"v_row", "v_col", "v"};
  factor_axes axes;
  lam_type ema = *var;
  add_factor_slots (s, var, var->dtype, find_axes (p, var, &axes) ? &axes : NULL, names);
  ema.dtype = unquantised (p->dtype_momentum, var->dtype);
  if (p->momentum != 0)
    add_slot (s, "ema", &ema, 0);
}

/* keep = 1 - step^-decay_rate, step = count - decay_offset + 1 */
static decay_pair
decay_of (const adafactor *p, lam_trace *t, const lam_update *u)
{
  decay_pair pair;
  pair.rest = lam_pow_scalar (t, steps (t, u, 1 - (double)p->decay_offset), -p->decay_rate);
  pair.keep = lam_sub (t, lam_real (t, 1), pair.rest);
  return pair;
}

/* The row factor's mean is over the dim that is the column in the variable. */
static lam_tensor
adafactor_update (const adafactor *p, lam_trace *t, const lam_update *u)
{
  factor_axes axes;
  lam_type type = lam_type_of (t, u->var);
  bool factored = find_axes (p, &type, &axes);
  lam_tensor square = lam_add_scalar (t, lam_square (t, u->grad), p->eps); /* as var */
  int32_t over = axes_after (&axes);
  lam_tensor x = factored ? factored_step (t, u, square, decay_of (p, t, u), &axes, over)
                          : unfactored_step (t, u, square, decay_of (p, t, u));
  if (p->clipping_threshold != 0)
    x = cap (t, x, rms (t, x), p->clipping_threshold);
  x = scale_by (t, x, u->learning_rate);
  if (p->multiply_by_parameter_scale)
    x = scale_by (t, x, lam_max_scalar (t, rms (t, u->var), 1e-3));
  if (p->momentum != 0) {
    uint32_t last = u->n_slots - 1;
    lam_dtype stored = lam_dtype_of (t, u->slots[last]);
    x = average (t, p->momentum, lam_cast (t, u->slots[last], type.dtype), x);
    u->new_slots[last] = lam_cast (t, x, stored);
  }
  return lam_neg (t, decay_weights (t, u, x, p->weight_decay_rate));
}

LAM_OPTIMIZER (adafactor, "lamina.adafactor", 1, "Second moments as row and column means.")
