/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.rms_norm: divides each vector of the last axis by its root mean square. Semantics and names: praxis
 * RmsNorm (Zhang, Sennrich: "Root Mean Square Layer Normalization", arXiv 1910.07467). */
#include "norm.h"

typedef struct {
  int64_t dim;
  double epsilon;
  bool direct_scale;
  lam_dtype intermediate_dtype;
  lam_var scale; /* (dim) */
} rms_norm;

LAM_FIELDS (rms_norm, LAM_INT (dim, 0, "Depth of the input."), LAM_REQUIRED, LAM_MIN (1),
            LAM_FLOAT (epsilon, 1e-6, "Added to the mean square."), LAM_MIN (0),
            LAM_BOOL (direct_scale, true,
                      "The variable scale, starting at 1, is the factor; false: 1 + scale is, "
                      "starting at 0."),
            LAM_DTYPE (intermediate_dtype, LAM_DTYPE_NONE,
                       "Dtype in which to normalise before the factor; none: the input's."))

static void
rms_norm_setup (rms_norm *p, lam_setup *s)
{
  lam_dtype dtype = p->intermediate_dtype;
  if (dtype != LAM_DTYPE_NONE && !lam_dtype_is_float (dtype))
    lam_setup_fail (s, "intermediate_dtype: wanted f16, bf16, f32 or f64");
  p->scale =
      lam_create_variable (s, "scale", LAM_SHAPE (p->dim), LAM_CONSTANT (p->direct_scale ? 1 : 0));
}

/* in: x (..., dim), or {inputs: x}; paddings are not used -> as x */
static lam_nest
rms_norm_fprop (const rms_norm *p, lam_trace *t, lam_nest in)
{
  lam_tensor x = norm_inputs (t, in, NULL), scale;
  lam_dtype dtype = lam_dtype_of (t, x);
  if (!norm_check (t, "rms_norm input (..., dim)", x, 1, p->dim))
    return lam_nest_of (t, lam_nil ());
  scale = norm_theta (t, p->scale, x);
  if (!p->direct_scale)
    scale = lam_add_scalar (t, scale, 1);
  if (p->intermediate_dtype != LAM_DTYPE_NONE)
    x = lam_cast (t, x, p->intermediate_dtype);
  x = lam_cast (t, norm_rms (t, x, p->epsilon), dtype);
  return lam_nest_of (t, lam_mul (t, x, scale));
}

LAM_METHODS (rms_norm, LAM_METHOD (rms_norm, fprop), LAM_USE (rms_norm, fprop))
LAM_LAYER_METHODS (rms_norm, "lamina.rms_norm", 1,
                   "Divides each vector of the last axis by its root mean square, then scales.")
