/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.feed_forward: linear, bias, activation. Semantics and names: praxis.layers.FeedForward. */
#include <lamina/layer.h>
#include <stdio.h>

typedef struct {
  int64_t input_dims, output_dims;
  bool has_bias;
  double bias_init;
  lam_init weight_init;
  const char *activation, *checkpoint_str;
  lam_child_config linear_tpl, bias_tpl, activation_tpl;
  lam_child linear, bias, act;
} feed_forward;

LAM_FIELDS (feed_forward, LAM_INT (input_dims, 0, "Depth of the input."), LAM_REQUIRED, LAM_MIN (1),
            LAM_INT (output_dims, 0, "Depth of the output."), LAM_REQUIRED, LAM_MIN (1),
            LAM_BOOL (has_bias, true, "Whether to add a bias before the activation."),
            LAM_FLOAT (bias_init, 0, "Start value of every element of the bias."),
            LAM_INIT (weight_init, NULL, "How the matrix starts; default: as lamina.linear."),
            LAM_STRING (activation, "relu", "The function of lamina.activation."),
            LAM_STRING (checkpoint_str, "", "Name of the product, for policies that keep values."),
            LAM_LAYER_CONFIG (linear_tpl, "{\"type\": \"lamina.linear\"}",
                              "The product; dims and weight_init are set here."),
            LAM_LAYER_CONFIG (bias_tpl, "{\"type\": \"lamina.bias\"}",
                              "The bias; dims and bias_init are set here."),
            LAM_LAYER_CONFIG (activation_tpl, NULL,
                              "A layer in place of lamina.activation with that function."))

static void
feed_forward_setup (feed_forward *p, lam_setup *s)
{
  char function[128];
  lam_child_config linear = s->api->config_copy (s, p->linear_tpl, 0);
  lam_child_config bias = s->api->config_copy (s, p->bias_tpl, 0);
  lam_child_config activation = lam_config_new (s, "lamina.activation");
  lam_config_set_int (s, linear, "input_dims", p->input_dims);
  lam_config_set_int (s, linear, "output_dims", p->output_dims);
  lam_config_set_init (s, linear, "weight_init", p->weight_init);
  p->linear = lam_create_child (s, "linear", linear);
  if (p->has_bias) {
    lam_config_set_int (s, bias, "dims", p->output_dims);
    lam_config_set_float (s, bias, "bias_init", p->bias_init);
    p->bias = lam_create_child (s, "bias", bias);
  }
  snprintf (function, sizeof function, "\"%s\"", p->activation);
  s->api->config_set (s, activation, "function", function);
  p->act = lam_create_child (s, "activation",
                             p->activation_tpl.count > 0 ? p->activation_tpl : activation);
}

/* x: (..., input_dims) -> (..., output_dims) */
static lam_tensor
feed_forward_fprop (const feed_forward *p, lam_trace *t, lam_tensor x)
{
  x = lam_call_tensor (t, p->linear, x);
  if (p->checkpoint_str[0] != '\0')
    x = lam_name (t, x, p->checkpoint_str);
  if (p->has_bias)
    x = lam_call_tensor (t, p->bias, x);
  return lam_call_tensor (t, p->act, x);
}

/* -> the matrix (input_dims, output_dims), as lamina.linear's method. */
static lam_nest
feed_forward_weight (const feed_forward *p, lam_trace *t, lam_nest in)
{
  return lam_call (t, p->linear, "weight", in);
}

LAM_METHODS (feed_forward,
             LAM_METHOD_TENSOR (feed_forward, fprop) LAM_METHOD (feed_forward, weight),
             LAM_USE (feed_forward, fprop), LAM_USE (feed_forward, weight))
LAM_LAYER_METHODS (feed_forward, "lamina.feed_forward", 1,
                   "Linear projection, bias and activation.")
