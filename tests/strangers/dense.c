/* SPDX-License-Identifier: Apache-2.0 */
/* A stranger's layer, as the design shows it: compiled alone, against nothing but the plugin headers. */
/* clang-format off */
#include <lamina/layer.h>

typedef struct { int64_t input_dims, output_dims; bool has_bias; lam_var w, b; } dense;

LAM_FIELDS (dense,
  LAM_INT  (input_dims,  0,    "Depth of the input."),  LAM_MIN (1),
  LAM_INT  (output_dims, 0,    "Depth of the output."), LAM_MIN (1),
  LAM_BOOL (has_bias,    true, "Whether to add a bias."))

static void
dense_setup (dense *p, lam_setup *s)
{
  p->w = lam_create_variable (s, "w", LAM_SHAPE (p->input_dims, p->output_dims), LAM_XAVIER);
  if (p->has_bias)
    p->b = lam_create_variable (s, "b", LAM_SHAPE (p->output_dims), LAM_CONSTANT (0));
}

static lam_tensor
dense_fprop (const dense *p, lam_trace *t, lam_tensor x)   /* x: (..., input_dims) -> (..., output_dims) */
{
  lam_tensor y = lam_dot (t, x, lam_theta (t, p->w));
  return p->has_bias ? lam_add_bias (t, y, lam_theta (t, p->b)) : y;
}

LAM_LAYER (dense, "acme.dense", 1, "Affine projection of the last axis.")
LAM_PLUGIN ("acme.layers", "1.2.0", "Apache-2.0", LAM_PROVIDES (dense))
