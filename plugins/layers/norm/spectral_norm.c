/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.spectral_norm: a weight divided by its largest singular value (weight_norm_tpl of conv2d). Semantics
 * and names: praxis SpectralNorm (Miyato et al.: "Spectral Normalization", arXiv 1802.05957). */
#include "norm.h"

typedef struct {
  int64_t dim, n_power_iteration;
  lam_var u; /* (dim): estimate of the right singular vector */
} spectral_norm;

LAM_FIELDS (spectral_norm, LAM_INT (dim, 0, "Last dim of the weight."), LAM_REQUIRED, LAM_MIN (1),
            LAM_INT (n_power_iteration, 1, "Power iterations in each call."), LAM_MIN (1),
            LAM_MAX (1000))

static void
spectral_norm_setup (spectral_norm *p, lam_setup *s)
{
  lam_var_spec spec = lam_var_spec_make (LAM_SHAPE (p->dim), LAM_GAUSSIAN (1));
  spec.collections = LAM_NON_TRAINABLE | LAM_REQUIRES_MEAN_SYNC;
  p->u = lam_create_variable_spec (s, "u", &spec);
}

/* w: (..., dim) -> w / sigma, sigma = v w u its largest singular value as a matrix (N, dim); u and v by power
 * iteration, held constant in the gradient; evaluation keeps u. */
static lam_tensor
spectral_norm_fprop (const spectral_norm *p, lam_trace *t, lam_tensor w)
{
  lam_tensor matrix, turned, sigma, u, v = lam_nil (); /* (N, dim), (dim, N), (), (dim), (N) */
  if (!norm_check (t, "spectral_norm input (..., dim)", w, 1, p->dim))
    return lam_nil ();
  matrix = lam_reshape (t, w, LAM_SHAPE (-1, p->dim));
  turned = lam_transpose (t, matrix, LAM_AXES (1, 0));
  u = norm_theta (t, p->u, w);
  for (int64_t i = 0; i < p->n_power_iteration; i++) {
    v = norm_l2 (t, lam_dot (t, u, turned), LAM_AXES (0));
    u = norm_l2 (t, lam_dot (t, v, matrix), LAM_AXES (0));
  }
  v = lam_stop_gradient (t, v);
  u = lam_stop_gradient (t, u);
  if (!lam_do_eval (t))
    lam_update_var (t, p->u, lam_cast (t, u, lam_dtype_of (t, lam_theta (t, p->u))));
  sigma = lam_sum (t, lam_mul (t, lam_dot (t, v, matrix), u), LAM_AXES (0), false);
  return lam_div (t, w, sigma);
}

LAM_LAYER (spectral_norm, "lamina.spectral_norm", 1,
           "Divides a weight by its largest singular value.")
