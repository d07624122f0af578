/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.depthwise_conv1d: convolution over time, each channel by its own filters. Semantics and names:
 * praxis.layers.DepthwiseConv1D. */
#include "conv.h"

typedef struct {
  lam_ints filter_shape;
  bool bias, is_causal, use_2d_conv_weight_shape;
  lam_init bias_init;
  int64_t rhs_dilation_rate;
  lam_dtype fprop_dtype;
  lam_var w; /* (kernel, 1, D), or (kernel, 1, D, 1) */
  lam_var b; /* (D), D = channels * multiplier */
} depthwise_conv1d;

LAM_FIELDS (
    depthwise_conv1d,
    LAM_INTS (filter_shape, "[]", "[kernel size, input channels, outputs of each channel]."),
    LAM_REQUIRED, LAM_MIN (1), LAM_BOOL (bias, false, "Whether to add a bias."),
    LAM_INIT (bias_init, "{\"method\": \"constant\", \"scale\": 0}", "How the bias starts."),
    LAM_BOOL (is_causal, false, "Each position sees itself and those before it only."),
    LAM_BOOL (use_2d_conv_weight_shape, false, "w has a last axis of size 1."),
    LAM_INT (rhs_dilation_rate, 1, "Dilation of the filter."), LAM_MIN (1),
    LAM_DTYPE (fprop_dtype, LAM_DTYPE_NONE,
               "Dtype of the convolution itself; none: the input's, which the result has anyway."))

static void
depthwise_conv1d_setup (depthwise_conv1d *p, lam_setup *s)
{
  const int64_t *f = p->filter_shape.p;
  lam_shape shape;
  if (p->filter_shape.n != 3) {
    lam_setup_fail (s,
                    "wanted filter_shape [kernel size, input channels, outputs of each channel]");
    return;
  }
  shape = LAM_SHAPE (f[0], 1, f[1] * f[2], 1);
  shape.rank = p->use_2d_conv_weight_shape ? 4 : 3;
  p->w = lam_create_variable (s, "w", shape, LAM_DEFAULT_INIT);
  if (p->bias)
    p->b = lam_create_variable (s, "b", LAM_SHAPE (f[1] * f[2]), p->bias_init);
}

/* x (B, T, C) with 0 where paddings (B, T) > 0 */
static lam_tensor
drop_padded (lam_trace *t, lam_tensor x, lam_tensor paddings)
{
  lam_type type = lam_type_of (t, x);
  if (!lam_check_shape (t, "depthwise_conv1d paddings (B, T)", paddings,
                        LAM_SHAPE (type.dims[0], type.dims[1])))
    return lam_nil ();
  paddings = lam_expand_dims (t, paddings, -1);
  return lam_where (t, lam_gt (t, paddings, lam_zeros_like (t, paddings)), lam_zeros_like (t, x),
                    x);
}

/* in: x (B, T, C), or {inputs: x, paddings: (B, T), 1 where padded} -> (B, T, C * multiplier) */
static lam_nest
depthwise_conv1d_fprop (const depthwise_conv1d *p, lam_trace *t, lam_nest in)
{
  static const int64_t one = 1;
  const int64_t *f = p->filter_shape.p;
  int64_t shape[3];
  conv_spec c = {"",     1,    {shape, 3},   {&one, 1},     {&p->rhs_dilation_rate, 1},
                 "SAME", true, p->is_causal, p->fprop_dtype};
  bool map = t->api->nest_kind (t, in) == LAM_NEST_MAP;
  lam_tensor x = map ? lam_nest_get_tensor (t, in, "inputs") : lam_nest_tensor (t, in), w;
  shape[0] = f[0];
  shape[1] = 1;
  shape[2] = f[1] * f[2];
  if (!lam_check_shape (t, "depthwise_conv1d input (B, T, C), C = filter_shape[1]", x,
                        LAM_SHAPE (-1, -1, f[1])))
    return lam_nest_of (t, lam_nil ());
  if (map && lam_nest_has (t, in, "paddings"))
    x = drop_padded (t, x, lam_nest_get_tensor (t, in, "paddings"));
  w = lam_reshape (t, lam_theta (t, p->w), LAM_SHAPE (shape[0], 1, shape[2]));
  x = conv_apply (t, &c, x, w, p->bias ? lam_theta (t, p->b) : lam_nil ());
  return lam_nest_of (t, x);
}

LAM_METHODS (depthwise_conv1d, LAM_METHOD (depthwise_conv1d, fprop),
             LAM_USE (depthwise_conv1d, fprop))
LAM_LAYER_METHODS (depthwise_conv1d, "lamina.depthwise_conv1d", 1,
                   "Convolution over time, each channel by its own filters.")
