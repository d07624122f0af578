/* SPDX-License-Identifier: Apache-2.0 */
/* What the convolutions share: checks of their fields, padding, variables, the call. Rules: praxis
 * layers.convolutions. */
#ifndef LAMINA_LAYERS_CONV_H
#define LAMINA_LAYERS_CONV_H

#include <lamina/layer.h>
#include <string.h>

/* A convolution over n axes, channels last. */
typedef struct conv_spec {
  const char *what; /* of its input, for errors: "conv2d input (B, H, W, C)" */
  int32_t n;
  lam_ints shape, stride, dilations; /* shape: n sizes, input channels / groups, output channels */
  const char *padding;
  bool tf_equivalent_padding, is_causal;
  lam_dtype fprop_dtype;
} conv_spec;

/* Reports a list of the wrong length or a rule that two fields break; false if there is one. */
static inline bool
conv_check_fields (lam_setup *s, const conv_spec *c)
{
  uint64_t n = (uint64_t)c->n;
  bool lengths = c->shape.n == n + 2 && c->stride.n == n && c->dilations.n == n;
  if (!lengths)
    lam_setup_fail (s, n == 2 ? "wanted filter_shape [height, width, in, out], filter_stride "
                                "[height, width] and dilations [height, width]"
                              : "wanted filter_shape [time, height, width, in, out], filter_stride "
                                "[time, height, width] and dilations [time, height, width]");
  if (c->is_causal && !c->tf_equivalent_padding)
    lam_setup_fail (s, "is_causal wants tf_equivalent_padding: true");
  if (c->is_causal && strcmp (c->padding, "SAME") != 0)
    lam_setup_fail (s, "is_causal wants padding: SAME");
  return lengths;
}

static inline lam_var
conv_create_w (lam_setup *s, const conv_spec *c, lam_init init)
{
  lam_shape shape = LAM_SCALAR;
  shape.rank = c->n + 2;
  for (int32_t i = 0; i < shape.rank; i++)
    shape.dims[i] = c->shape.p[i];
  return lam_create_variable (s, "w", shape, init);
}

/* Child weight_norm of a config (or none: {0, 0}), whose dim is the number of output channels. */
static inline lam_child
conv_create_weight_norm (lam_setup *s, lam_child_config config, int64_t channels)
{
  lam_child none = {0, 0};
  if (config.count == 0)
    return none;
  config = s->api->config_copy (s, config, 0);
  lam_config_set_int (s, config, "dim", channels);
  return lam_create_child (s, "weight_norm", config);
}

/* Zeros before and after an axis of `size`. SAME: by the filter alone; with tf_equivalent_padding as many as
 * ceil (size / stride) windows need; with is_causal all before on the first axis, by the filter alone on the
 * others. */
static inline void
conv_pad_axis (const conv_spec *c, int32_t axis, int64_t size, int64_t pair[2])
{
  int64_t stride = c->stride.p[axis], outputs = (size + stride - 1) / stride;
  int64_t filter = (c->shape.p[axis] - 1) * c->dilations.p[axis] + 1, total = 0;
  if (strcmp (c->padding, "SAME") == 0)
    total = c->tf_equivalent_padding && !c->is_causal ? (outputs - 1) * stride + filter - size
                                                      : filter - 1;
  if (total < 0)
    total = 0;
  pair[0] = c->is_causal && axis == 0 ? total : total / 2;
  pair[1] = total - pair[0];
}

/* Number of groups that x's channels make; 0 and an error if they do not. */
static inline int64_t
conv_groups (lam_trace *t, const conv_spec *c, lam_tensor x)
{
  lam_type type = lam_type_of (t, x);
  lam_shape wanted = LAM_SHAPE (-1, -1, -1, -1, -1);
  int64_t in = c->shape.p[c->n], out = c->shape.p[c->n + 1], groups;
  wanted.rank = c->n + 2;
  if (type.rank != wanted.rank || type.dims[c->n + 1] % in != 0) {
    wanted.dims[c->n + 1] = in;
    lam_check_shape (t, c->what, x, wanted);
    return 0;
  }
  groups = type.dims[c->n + 1] / in;
  if (groups > 0 && out % groups == 0)
    return groups;
  lam_fail (t,
            "the output channels of filter_shape must be a multiple of the feature groups (input "
            "channels / filter_shape's input channels)");
  return 0;
}

/* x: (B, spatial ..., C), w: (spatial ..., C / groups, D), b: (D) or nil -> (B, spatial' ..., D) in x's
 * dtype; computed in fprop_dtype where there is one. */
static inline lam_tensor
conv_apply (lam_trace *t, const conv_spec *c, lam_tensor x, lam_tensor w, lam_tensor b)
{
  lam_dtype dtype = lam_dtype_of (t, x);
  lam_dtype inner = c->fprop_dtype == LAM_DTYPE_NONE ? dtype : c->fprop_dtype;
  lam_conv_dims dims = lam_conv_dims_make (c->n);
  dims.feature_group_count = conv_groups (t, c, x);
  if (dims.feature_group_count == 0)
    return lam_nil ();
  for (int32_t i = 0; i < c->n; i++) {
    dims.strides[i] = c->stride.p[i];
    dims.rhs_dilation[i] = c->dilations.p[i];
    conv_pad_axis (c, i, lam_type_of (t, x).dims[1 + i], dims.padding + 2 * i);
  }
  x = lam_conv (t, lam_cast (t, x, inner), lam_cast (t, w, inner), &dims);
  if (!lam_is_nil (b))
    x = lam_add_bias (t, x, lam_cast (t, b, inner));
  return lam_cast (t, x, dtype);
}

/* The fields that conv2d, conv3d and conv_bn_act have alike, after filter_shape. */
#define CONV_STRIDE_FIELDS(axes, ones)                                                             \
  LAM_INTS (filter_stride, ones, "Stride over " axes "."), LAM_MIN (1),                            \
      LAM_INTS (dilations, ones, "Dilation of the filter over " axes "."), LAM_MIN (1),            \
      LAM_STRING (padding, "SAME", "SAME or VALID."), LAM_CHOICES ("SAME VALID"),                  \
      LAM_BOOL (bias, false, "Whether to add a bias."),                                            \
      LAM_INIT (bias_init, "{\"method\": \"constant\", \"scale\": 0}", "How the bias starts."),    \
      LAM_INIT (kernel_init, NULL, "How w starts; default: params_init, else xavier."),            \
      LAM_BOOL (tf_equivalent_padding, false,                                                      \
                "SAME pads as TensorFlow and XLA do, by input size and stride; false: by the "     \
                "filter size alone, (k - 1) / 2 before and the rest after."),                      \
      LAM_BOOL (is_causal, false,                                                                  \
                "SAME pads the first axis only before; wants tf_equivalent_padding."),             \
      LAM_DTYPE (                                                                                  \
          fprop_dtype, LAM_DTYPE_NONE,                                                             \
          "Dtype of the convolution itself; none: the input's, which the result has anyway.")

/* A conv_spec of an instance with those fields. */
#define CONV_SPEC(p, what, n)                                                                      \
  {                                                                                                \
    what, n, (p)->filter_shape, (p)->filter_stride, (p)->dilations, (p)->padding,                  \
        (p)->tf_equivalent_padding, (p)->is_causal, (p)->fprop_dtype                               \
  }

#endif
