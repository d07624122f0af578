/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.conv2d: 2-D convolution, channels last. Semantics and names: praxis.layers.Conv2D. */
#include "conv.h"

typedef struct {
  lam_ints filter_shape, filter_stride, dilations;
  const char *padding;
  bool bias, tf_equivalent_padding, is_causal;
  lam_init bias_init, kernel_init;
  lam_dtype fprop_dtype;
  lam_child_config weight_norm_tpl;
  lam_child weight_norm;
  lam_var w; /* (H, W, C / groups, D) */
  lam_var b; /* (D) */
} conv2d;

LAM_FIELDS (
    conv2d,
    LAM_INTS (filter_shape, "[]",
              "[height, width, input channels, output channels]; input channels divided by "
              "the number of feature groups."),
    LAM_REQUIRED, LAM_MIN (1), CONV_STRIDE_FIELDS ("[height, width]", "[1, 1]"),
    LAM_LAYER_CONFIG (weight_norm_tpl, NULL,
                      "A layer that normalises w, such as lamina.weight_norm_l2; its dim is "
                      "set here."))

static void
conv2d_setup (conv2d *p, lam_setup *s)
{
  conv_spec c = CONV_SPEC (p, "", 2);
  if (!conv_check_fields (s, &c))
    return;
  p->w = conv_create_w (s, &c, p->kernel_init);
  if (p->bias)
    p->b = lam_create_variable (s, "b", LAM_SHAPE (p->filter_shape.p[3]), p->bias_init);
  p->weight_norm = conv_create_weight_norm (s, p->weight_norm_tpl, p->filter_shape.p[3]);
}

/* x: (B, H, W, C) -> (B, H', W', D) */
static lam_tensor
conv2d_fprop (const conv2d *p, lam_trace *t, lam_tensor x)
{
  conv_spec c = CONV_SPEC (p, "conv2d input (B, H, W, C), C = filter_shape[2] or a multiple", 2);
  lam_tensor w = lam_theta (t, p->w);
  if (lam_has_child (p->weight_norm))
    w = lam_call_tensor (t, p->weight_norm, w);
  return conv_apply (t, &c, x, w, p->bias ? lam_theta (t, p->b) : lam_nil ());
}

LAM_LAYER (conv2d, "lamina.conv2d", 1, "2-D convolution, channels last.")
