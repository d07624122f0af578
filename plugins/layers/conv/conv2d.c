/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.conv2d: 2-D convolution, channels last. Semantics and names: praxis.layers.Conv2D. */
#include <lamina/layer.h>
#include <string.h>

typedef struct {
  lam_ints filter_shape, filter_stride, dilations;
  const char *padding;
  bool bias, tf_equivalent_padding, is_causal;
  double bias_init;
  lam_init weight_init;
  lam_var w; /* (H, W, C / groups, D) */
  lam_var b; /* (D) */
} conv2d;

LAM_FIELDS (
    conv2d,
    LAM_INTS (filter_shape, "[]",
              "[height, width, input channels, output channels]; input "
              "channels divided by the number of feature groups."),
    LAM_REQUIRED, LAM_MIN (1), LAM_INTS (filter_stride, "[1, 1]", "Stride over [height, width]."),
    LAM_MIN (1), LAM_INTS (dilations, "[1, 1]", "Dilation of the filter over [height, width]."),
    LAM_MIN (1), LAM_STRING (padding, "SAME", "SAME or VALID."), LAM_CHOICES ("SAME VALID"),
    LAM_BOOL (bias, false, "Whether to add a bias."),
    LAM_FLOAT (bias_init, 0, "Start value of the bias."),
    LAM_BOOL (tf_equivalent_padding, false,
              "SAME pads as TensorFlow and XLA do, by input size and stride; false: by the filter "
              "size alone, (k - 1) / 2 before and the rest after."),
    LAM_BOOL (is_causal, false,
              "SAME pads the height axis only before; wants "
              "tf_equivalent_padding."),
    LAM_INIT (weight_init, NULL, "How w starts; default: params_init, else xavier."))

static void
conv2d_setup (conv2d *p, lam_setup *s)
{
  const int64_t *f = p->filter_shape.p;
  if (p->filter_shape.n != 4 || p->filter_stride.n != 2 || p->dilations.n != 2) {
    lam_setup_fail (s,
                    "conv2d wants filter_shape [height, width, in, out], filter_stride [h, w] and "
                    "dilations [h, w]");
    return;
  }
  if (p->is_causal && !p->tf_equivalent_padding)
    lam_setup_fail (s, "is_causal wants tf_equivalent_padding: true");
  p->w = lam_create_variable (s, "w", LAM_SHAPE (f[0], f[1], f[2], f[3]), p->weight_init);
  if (p->bias)
    p->b = lam_create_variable (s, "b", LAM_SHAPE (f[3]), LAM_CONSTANT (p->bias_init));
}

/* Padding before and after spatial axis i (0: height) of the given size. */
static void
pad_axis (const conv2d *p, int i, int64_t size, int64_t pair[2])
{
  int64_t stride = p->filter_stride.p[i];
  int64_t filter = (p->filter_shape.p[i] - 1) * p->dilations.p[i] + 1;
  int64_t total = 0, outputs = (size + stride - 1) / stride;
  if (strcmp (p->padding, "SAME") == 0)
    total = p->tf_equivalent_padding ? (outputs - 1) * stride + filter - size : filter - 1;
  if (total < 0)
    total = 0;
  if (p->is_causal && i == 0 && total > 0)
    total = filter - 1;
  pair[0] = p->is_causal && i == 0 ? total : total / 2;
  pair[1] = total - pair[0];
}

/* x: (B, H, W, C) -> (B, H', W', D) */
static lam_tensor
conv2d_fprop (const conv2d *p, lam_trace *t, lam_tensor x)
{
  lam_type type = lam_type_of (t, x);
  lam_conv_dims dims = lam_conv_dims_make (2);
  bool grouped = type.rank == 4 && type.dims[3] % p->filter_shape.p[2] == 0;
  if (!grouped
      && !lam_check_shape (t, "conv2d input (B, H, W, C), C = filter_shape[2] or a multiple", x,
                           LAM_SHAPE (-1, -1, -1, p->filter_shape.p[2])))
    return lam_nil ();
  for (int i = 0; i < 2; i++) {
    dims.strides[i] = p->filter_stride.p[i];
    dims.rhs_dilation[i] = p->dilations.p[i];
    pad_axis (p, i, type.dims[1 + i], dims.padding + 2 * i);
  }
  if (lam_is_ok (t))
    dims.feature_group_count = type.dims[3] / p->filter_shape.p[2];
  x = lam_conv (t, x, lam_theta (t, p->w), &dims);
  return p->bias ? lam_add_bias (t, x, lam_theta (t, p->b)) : x;
}

LAM_LAYER (conv2d, "lamina.conv2d", 1, "2-D convolution, channels last.")
