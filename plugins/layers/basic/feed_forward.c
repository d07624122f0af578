/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.feed_forward: linear, bias, activation. Semantics and names: praxis.layers.FeedForward. */
#include <lamina/layer.h>
#include <stdio.h>

typedef struct {
  int64_t input_dims, output_dims;
  bool has_bias;
  const char *activation;
  lam_child linear, bias, act;
} feed_forward;

LAM_FIELDS (feed_forward, LAM_INT (input_dims, 0, "Depth of the input."), LAM_REQUIRED, LAM_MIN (1),
            LAM_INT (output_dims, 0, "Depth of the output."), LAM_REQUIRED, LAM_MIN (1),
            LAM_BOOL (has_bias, true, "Whether to add a bias before the activation."),
            LAM_STRING (activation, "relu", "The function of lamina.activation."))

static void
feed_forward_setup (feed_forward *p, lam_setup *s)
{
  char function[64];
  lam_child_config linear = lam_config_new (s, "lamina.linear");
  lam_child_config bias = lam_config_new (s, "lamina.bias");
  lam_child_config activation = lam_config_new (s, "lamina.activation");
  lam_config_set_int (s, linear, "input_dims", p->input_dims);
  lam_config_set_int (s, linear, "output_dims", p->output_dims);
  p->linear = lam_create_child (s, "linear", linear);
  if (p->has_bias) {
    lam_config_set_int (s, bias, "dims", p->output_dims);
    p->bias = lam_create_child (s, "bias", bias);
  }
  snprintf (function, sizeof function, "\"%s\"", p->activation);
  s->api->config_set (s, activation, "function", function);
  p->act = lam_create_child (s, "activation", activation);
}

/* x: (..., input_dims) -> (..., output_dims) */
static lam_tensor
feed_forward_fprop (const feed_forward *p, lam_trace *t, lam_tensor x)
{
  x = lam_call_tensor (t, p->linear, x);
  if (p->has_bias)
    x = lam_call_tensor (t, p->bias, x);
  return lam_call_tensor (t, p->act, x);
}

LAM_LAYER (feed_forward, "lamina.feed_forward", 1, "Linear projection, bias and activation.")
