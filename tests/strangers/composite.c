/* SPDX-License-Identifier: Apache-2.0 */
/* A stranger's layer made of other plugins' layers, which it names by id, and of all that a layer may do
 * besides: a variable of its own, state that is no weight, dropout, an auxiliary loss, summaries. */
#include <lamina/layer.h>

typedef struct {
  int64_t input_dims, output_dims;
  double keep_prob, decay, energy_weight;
  lam_child linear, norm;
  lam_var gain;   /* (output_dims) */
  lam_var energy; /* scalar, a moving average; not trainable */
} composite;

LAM_FIELDS (composite, LAM_INT (input_dims, 0, "Depth of the input."), LAM_REQUIRED, LAM_MIN (1),
            LAM_INT (output_dims, 0, "Depth of the output."), LAM_REQUIRED, LAM_MIN (1),
            LAM_FLOAT (keep_prob, 0.8, "Share of the elements that training keeps."), LAM_MIN (0.1),
            LAM_MAX (1), LAM_FLOAT (decay, 0.9, "Weight of the old moving average of the energy."),
            LAM_MIN (0), LAM_MAX (1),
            LAM_FLOAT (energy_weight, 0.01, "Weight of the energy in the loss."), LAM_MIN (0))

static void
composite_setup (composite *p, lam_setup *s)
{
  lam_child_config linear = lam_config_new (s, "lamina.linear");
  lam_child_config norm = lam_config_new (s, "lamina.batch_norm");
  lam_var_spec energy = lam_var_spec_make (LAM_SCALAR, LAM_CONSTANT (0));
  lam_config_set_int (s, linear, "input_dims", p->input_dims);
  lam_config_set_int (s, linear, "output_dims", p->output_dims);
  lam_config_set_int (s, norm, "dim", p->output_dims);
  p->linear = lam_create_child (s, "linear", linear);
  p->norm = lam_create_child (s, "norm", norm);
  p->gain = lam_create_variable (s, "gain", LAM_SHAPE (p->output_dims), LAM_CONSTANT (1));
  energy.collections = LAM_NON_TRAINABLE | LAM_REQUIRES_MEAN_SYNC;
  p->energy = lam_create_variable_spec (s, "energy", &energy);
}

/* The mean square of y (..., output_dims): kept as a moving average, and part of the loss. */
static void
watch_energy (const composite *p, lam_trace *t, lam_tensor y)
{
  lam_tensor energy = lam_mean (t, lam_square (t, y), LAM_EVERY_AXIS, false);
  lam_tensor old = lam_theta (t, p->energy), next;
  lam_add_summary_scalar (t, "energy", energy);
  lam_add_summary_histogram (t, "y", y);
  if (lam_do_eval (t))
    return;
  next = lam_mul_scalar (t, lam_cast (t, energy, lam_dtype_of (t, old)), 1 - p->decay);
  lam_update_var (t, p->energy, lam_add (t, lam_mul_scalar (t, old, p->decay), next));
  lam_add_aux_loss (t, "energy", energy, lam_scalar_like (t, energy, p->energy_weight));
}

/* x (B, input_dims) -> (B, output_dims): dropout (gain * tanh (norm (linear (x)))) */
static lam_tensor
composite_fprop (const composite *p, lam_trace *t, lam_tensor x)
{
  lam_tensor y = lam_call_tensor (t, p->norm, lam_call_tensor (t, p->linear, x)), mask;
  y = lam_mul (t, lam_tanh (t, y), lam_theta (t, p->gain));
  watch_energy (p, t, y);
  if (lam_do_eval (t) || p->keep_prob == 1)
    return y;
  mask = lam_uniform (t, lam_next_key (t), lam_shape_of (t, y), lam_dtype_of (t, y));
  mask = lam_floor (t, lam_add_scalar (t, mask, p->keep_prob));
  return lam_div_scalar (t, lam_mul (t, y, mask), p->keep_prob);
}

LAM_LAYER (composite, "acme.composite", 1,
           "A projection, normalised, with dropout and a moving average.")
LAM_PLUGIN ("acme.composite", "1.0.0", "Apache-2.0", LAM_PROVIDES (composite))
