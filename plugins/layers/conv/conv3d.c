/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.conv3d: 3-D convolution over time, height and width, channels last. Semantics and names:
 * praxis.layers.Conv3D. */
#include "conv.h"

typedef struct {
  lam_ints filter_shape, filter_stride, dilations;
  const char *padding;
  bool bias, tf_equivalent_padding, is_causal;
  lam_init bias_init, kernel_init;
  lam_dtype fprop_dtype;
  lam_var w; /* (T, H, W, C / groups, D) */
  lam_var b; /* (D) */
} conv3d;

LAM_FIELDS (conv3d,
            LAM_INTS (filter_shape, "[]",
                      "[time, height, width, input channels, output channels]; input channels "
                      "divided by the number of feature groups."),
            LAM_REQUIRED, LAM_MIN (1), CONV_STRIDE_FIELDS ("[time, height, width]", "[1, 1, 1]"))

static void
conv3d_setup (conv3d *p, lam_setup *s)
{
  conv_spec c = CONV_SPEC (p, "", 3);
  if (!conv_check_fields (s, &c))
    return;
  p->w = conv_create_w (s, &c, p->kernel_init);
  if (p->bias)
    p->b = lam_create_variable (s, "b", LAM_SHAPE (p->filter_shape.p[4]), p->bias_init);
}

/* x: (B, T, H, W, C) -> (B, T', H', W', D) */
static lam_tensor
conv3d_fprop (const conv3d *p, lam_trace *t, lam_tensor x)
{
  conv_spec c = CONV_SPEC (p, "conv3d input (B, T, H, W, C), C = filter_shape[3] or a multiple", 3);
  return conv_apply (t, &c, x, lam_theta (t, p->w), p->bias ? lam_theta (t, p->b) : lam_nil ());
}

LAM_LAYER (conv3d, "lamina.conv3d", 1, "3-D convolution, channels last.")
