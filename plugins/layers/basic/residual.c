/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.residual: x + residual_weight * f (x) around any layer f of one tensor (He et al., "Deep Residual
 * Learning for Image Recognition", 2015; the weight as in praxis' residual connections). */
#include <lamina/layer.h>

typedef struct {
  lam_child_config layer;
  double residual_weight;
  lam_child f;
} residual;

LAM_FIELDS (residual,
            LAM_LAYER_CONFIG (layer, NULL, "f; it gives x's shape, or one that stretches to it."),
            LAM_REQUIRED, LAM_FLOAT (residual_weight, 1, "Factor of f (x)."))

static void
residual_setup (residual *p, lam_setup *s)
{
  p->f = lam_create_child (s, "layer", p->layer);
}

/* x: any shape -> the same shape */
static lam_tensor
residual_fprop (const residual *p, lam_trace *t, lam_tensor x)
{
  lam_tensor y = lam_call_tensor (t, p->f, x); /* x's shape, or 1 where it stretches */
  lam_shape shape = lam_shape_of (t, x), wanted = shape, got = lam_shape_of (t, y);
  for (int32_t i = 0; i < shape.rank && got.rank == shape.rank; i++)
    wanted.dims[i] = got.dims[i] == 1 ? 1 : shape.dims[i];
  if (!lam_check_shape (t, "residual: what its layer gives, to be added to the input", y, wanted))
    return lam_nil ();
  if (p->residual_weight != 1)
    y = lam_mul_scalar (t, y, p->residual_weight);
  return lam_add (t, x, y);
}

LAM_LAYER (residual, "lamina.residual", 1, "Adds the input to what a layer makes of it.")
