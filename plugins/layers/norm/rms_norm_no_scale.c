/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.rms_norm_no_scale: divides each vector of the last axis by its root mean square, without a variable.
 * Semantics and names: praxis RmsNormNoScale (arXiv 1910.07467). */
#include "norm.h"

typedef struct {
  int64_t dim;
  double epsilon;
} rms_norm_no_scale;

LAM_FIELDS (rms_norm_no_scale, LAM_INT (dim, 0, "Depth of the input; 0: any."), LAM_MIN (0),
            LAM_FLOAT (epsilon, 1e-6, "Added to the mean square."), LAM_MIN (0))

static void
rms_norm_no_scale_setup (rms_norm_no_scale *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

/* in: x (..., dim), or {inputs: x}; paddings are not used -> as x; 16-bit inputs are normalised in f32 */
static lam_nest
rms_norm_no_scale_fprop (const rms_norm_no_scale *p, lam_trace *t, lam_nest in)
{
  lam_tensor x = norm_inputs (t, in, NULL);
  lam_dtype dtype = lam_dtype_of (t, x);
  if (!norm_check (t, "rms_norm_no_scale input (..., dim)", x, 1, p->dim > 0 ? p->dim : -1))
    return lam_nest_of (t, lam_nil ());
  x = norm_rms (t, lam_cast (t, x, norm_wide (dtype)), p->epsilon);
  return lam_nest_of (t, lam_cast (t, x, dtype));
}

LAM_METHODS (rms_norm_no_scale, LAM_METHOD (rms_norm_no_scale, fprop),
             LAM_USE (rms_norm_no_scale, fprop))
LAM_LAYER_METHODS (rms_norm_no_scale, "lamina.rms_norm_no_scale", 1,
                   "Divides each vector of the last axis by its root mean square.")
