/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.weight_norm_l2: a learned length for each output channel of a weight (weight_norm_tpl of conv2d).
 * Semantics and names: praxis WeightNormL2 (Salimans, Kingma: "Weight Normalization", arXiv 1602.07868). */
#include "norm.h"

typedef struct {
  int64_t dim;
  lam_var g; /* (dim); the length is 1 + g */
} weight_norm_l2;

LAM_FIELDS (weight_norm_l2, LAM_INT (dim, 0, "Last dim of the weight."), LAM_REQUIRED, LAM_MIN (1))

static void
weight_norm_l2_setup (weight_norm_l2 *p, lam_setup *s)
{
  p->g = lam_create_variable (s, "g", LAM_SHAPE (p->dim), LAM_CONSTANT (0));
}

/* w: (..., dim) -> w with each column's length over all other axes 1 + g */
static lam_tensor
weight_norm_l2_fprop (const weight_norm_l2 *p, lam_trace *t, lam_tensor w)
{
  lam_axes axes = LAM_NO_AXES;
  if (!norm_check (t, "weight_norm_l2 input (..., dim)", w, 1, p->dim))
    return lam_nil ();
  axes.rank = lam_rank_of (t, w) - 1;
  for (int32_t i = 0; i < axes.rank; i++)
    axes.dims[i] = i;
  return lam_mul (t, lam_add_scalar (t, norm_theta (t, p->g, w), 1), norm_l2 (t, w, axes));
}

LAM_LAYER (weight_norm_l2, "lamina.weight_norm_l2", 1,
           "Gives each output channel of a weight a learned length.")
