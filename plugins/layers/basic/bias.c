/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.bias: adds a learned vector to the last axis. Semantics: praxis.layers.Bias. */
#include <lamina/layer.h>

typedef struct {
  int64_t dims;
  double bias_init;
  lam_var b; /* (dims) */
} bias;

LAM_FIELDS (bias, LAM_INT (dims, 0, "Depth of the input."), LAM_REQUIRED, LAM_MIN (1),
            LAM_FLOAT (bias_init, 0, "Start value of every element."))

static void
bias_setup (bias *p, lam_setup *s)
{
  p->b = lam_create_variable (s, "b", LAM_SHAPE (p->dims), LAM_CONSTANT (p->bias_init));
}

/* x: (..., dims) -> the same shape */
static lam_tensor
bias_fprop (const bias *p, lam_trace *t, lam_tensor x)
{
  return lam_add_bias (t, x, lam_theta (t, p->b));
}

LAM_LAYER (bias, "lamina.bias", 1, "Adds a learned vector to the last axis.")
