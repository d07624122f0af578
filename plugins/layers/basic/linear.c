/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.linear: a matrix product with the last axis. Semantics: praxis.layers.Linear. */
#include <lamina/layer.h>

typedef struct {
  int64_t input_dims, output_dims;
  lam_init weight_init;
  lam_var w; /* (input_dims, output_dims) */
} linear;

LAM_FIELDS (linear, LAM_INT (input_dims, 0, "Depth of the input."), LAM_REQUIRED, LAM_MIN (1),
            LAM_INT (output_dims, 0, "Depth of the output."), LAM_REQUIRED, LAM_MIN (1),
            LAM_INIT (weight_init, NULL, "How w starts; default: params_init, else xavier."))

static void
linear_setup (linear *p, lam_setup *s)
{
  lam_shape shape = LAM_SHAPE (p->input_dims, p->output_dims);
  p->w = lam_create_variable (s, "w", shape, p->weight_init);
}

/* x: (..., input_dims) -> (..., output_dims) */
static lam_tensor
linear_fprop (const linear *p, lam_trace *t, lam_tensor x)
{
  return lam_dot (t, x, lam_theta (t, p->w));
}

/* -> w itself, for layers that use it twice, as a softmax that shares its matrix with an embedding. */
static lam_nest
linear_weight (const linear *p, lam_trace *t, lam_nest in)
{
  (void)in;
  return lam_nest_of (t, lam_theta (t, p->w));
}

LAM_METHODS (linear, LAM_METHOD_TENSOR (linear, fprop) LAM_METHOD (linear, weight),
             LAM_USE (linear, fprop), LAM_USE (linear, weight))
LAM_LAYER_METHODS (linear, "lamina.linear", 1, "Matrix product with the last axis, without a bias.")
