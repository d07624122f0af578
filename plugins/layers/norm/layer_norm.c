/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.layer_norm: normalises each vector of the last axis. Semantics and names: praxis LayerNorm (Ba,
 * Kiros, Hinton: "Layer Normalization", arXiv 1607.06450). */
#include "norm.h"

typedef struct {
  int64_t dim;
  double epsilon;
  bool direct_scale, use_scale, use_bias, reductions_in_fp32;
  lam_var scale, bias; /* (dim) each */
} layer_norm;

LAM_FIELDS (layer_norm, LAM_INT (dim, 0, "Depth of the input."), LAM_REQUIRED, LAM_MIN (1),
            LAM_FLOAT (epsilon, 1e-6, "Added to the variance."), LAM_MIN (0),
            LAM_BOOL (direct_scale, false,
                      "The variable scale, starting at 1, is the factor; false: 1 + scale is, "
                      "starting at 0."),
            LAM_BOOL (use_scale, true, "Whether to have a learned factor."),
            LAM_BOOL (use_bias, true, "Whether to have a learned bias."),
            LAM_BOOL (reductions_in_fp32, false,
                      "Normalises 16-bit inputs in f32, then rounds back to their dtype."))

static lam_var
variable (const layer_norm *p, lam_setup *s, const char *name, double start)
{
  lam_var_spec spec = lam_var_spec_make (LAM_SHAPE (p->dim), LAM_CONSTANT (start));
  spec.collections = LAM_SKIP_LP_REGULARIZATION;
  return lam_create_variable_spec (s, name, &spec);
}

static void
layer_norm_setup (layer_norm *p, lam_setup *s)
{
  if (p->use_scale)
    p->scale = variable (p, s, "scale", p->direct_scale ? 1 : 0);
  if (p->use_bias)
    p->bias = variable (p, s, "bias", 0);
}

/* in: x (..., dim), or {inputs: x}; paddings are not used -> as x */
static lam_nest
layer_norm_fprop (const layer_norm *p, lam_trace *t, lam_nest in)
{
  lam_tensor x = norm_inputs (t, in, NULL), scale = lam_nil (), bias = lam_nil ();
  lam_dtype dtype = lam_dtype_of (t, x), wide = norm_wide (dtype);
  if (!norm_check (t, "layer_norm input (..., dim)", x, 1, p->dim))
    return lam_nest_of (t, lam_nil ());
  if (p->use_scale)
    scale = norm_theta (t, p->scale, x);
  if (p->use_scale && !p->direct_scale)
    scale = lam_add_scalar (t, scale, 1);
  if (p->use_bias)
    bias = norm_theta (t, p->bias, x);
  if (!p->reductions_in_fp32 || wide == dtype)
    return lam_nest_of (t, lam_layer_norm (t, x, scale, bias, p->epsilon));
  x = lam_layer_norm (t, lam_cast (t, x, wide), lam_nil (), lam_nil (), p->epsilon);
  x = lam_cast (t, x, dtype);
  x = p->use_scale ? lam_mul (t, x, scale) : x;
  return lam_nest_of (t, p->use_bias ? lam_add (t, x, bias) : x);
}

LAM_METHODS (layer_norm, LAM_METHOD (layer_norm, fprop), LAM_USE (layer_norm, fprop))
LAM_LAYER_METHODS (layer_norm, "lamina.layer_norm", 1,
                   "Mean 0 and variance 1 of each vector of the last axis, then scale and bias.")
