/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.conv_bn_act: 2-D convolution, batch norm, activation. Semantics and names: praxis.layers.ConvBNAct;
 * batch_norm: lingvo-jax. */
#include "conv.h"

typedef struct {
  lam_ints filter_shape, filter_stride, dilations;
  const char *padding;
  bool bias, tf_equivalent_padding, is_causal, batch_norm;
  lam_init bias_init, kernel_init;
  lam_dtype fprop_dtype;
  lam_child_config weight_norm_tpl, batch_norm_tpl, activation_tpl;
  lam_child weight_norm, bn, activation;
  lam_var w; /* (H, W, C / groups, D) */
  lam_var b; /* (D) */
} conv_bn_act;

LAM_FIELDS (
    conv_bn_act,
    LAM_INTS (filter_shape, "[]",
              "[height, width, input channels, output channels]; input channels divided by "
              "the number of feature groups."),
    LAM_REQUIRED, LAM_MIN (1), CONV_STRIDE_FIELDS ("[height, width]", "[1, 1]"),
    LAM_LAYER_CONFIG (weight_norm_tpl, NULL,
                      "A layer that normalises w, such as lamina.weight_norm_l2; its dim is "
                      "set here."),
    LAM_BOOL (batch_norm, true, "Whether to have the batch norm."),
    LAM_LAYER_CONFIG (batch_norm_tpl, "{\"type\": \"lamina.batch_norm\"}",
                      "The batch norm; dim and use_moving_avg_in_training (false) are set "
                      "here."),
    LAM_LAYER_CONFIG (activation_tpl, "{\"type\": \"lamina.activation\"}",
                      "The activation; default: relu."))

static void
conv_bn_act_setup (conv_bn_act *p, lam_setup *s)
{
  conv_spec c = CONV_SPEC (p, "", 2);
  lam_child_config bn;
  if (!conv_check_fields (s, &c))
    return;
  p->w = conv_create_w (s, &c, p->kernel_init);
  if (p->bias)
    p->b = lam_create_variable (s, "b", LAM_SHAPE (p->filter_shape.p[3]), p->bias_init);
  p->weight_norm = conv_create_weight_norm (s, p->weight_norm_tpl, p->filter_shape.p[3]);
  if (p->batch_norm) {
    bn = s->api->config_copy (s, p->batch_norm_tpl, 0);
    lam_config_set_int (s, bn, "dim", p->filter_shape.p[3]);
    lam_config_set_bool (s, bn, "use_moving_avg_in_training", false);
    p->bn = lam_create_child (s, "bn", bn);
  }
  p->activation = lam_create_child (s, "activation", p->activation_tpl);
}

/* x: (B, H, W, C) -> (B, H', W', D) */
static lam_tensor
conv_bn_act_fprop (const conv_bn_act *p, lam_trace *t, lam_tensor x)
{
  conv_spec c =
      CONV_SPEC (p, "conv_bn_act input (B, H, W, C), C = filter_shape[2] or a multiple", 2);
  lam_tensor w = lam_theta (t, p->w);
  if (lam_has_child (p->weight_norm))
    w = lam_call_tensor (t, p->weight_norm, w);
  x = conv_apply (t, &c, x, w, p->bias ? lam_theta (t, p->b) : lam_nil ());
  if (p->batch_norm)
    x = lam_call_tensor (t, p->bn, x);
  return lam_call_tensor (t, p->activation, x);
}

LAM_LAYER (conv_bn_act, "lamina.conv_bn_act", 1, "2-D convolution, batch norm and activation.")
