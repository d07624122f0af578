/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.full_softmax: logits of every class, and their cross-entropy. Semantics and names:
 * praxis.layers.FullSoftmax. Outputs: softmax.h. */
#include "softmax.h"

#include <math.h>

typedef softmax_head full_softmax;

LAM_FIELDS (full_softmax, SOFTMAX_FIELDS,
            LAM_BOOL (has_bias, true, "Whether the logits have a bias."),
            LAM_BOOL (scale_before_logits, false,
                      "Whether the input is divided by sqrt (input_dims)."),
            LAM_BOOL (has_feed_forward, true,
                      "Whether logits are a projection of the input; else they are the input."),
            LAM_LAYER_CONFIG (feed_forward_tpl, NULL,
                              "The projection, lamina.feed_forward by default; dims, bias and "
                              "activation are set here."))

static void
full_softmax_setup (full_softmax *p, lam_setup *s)
{
  head_projection projection = {p->feed_forward_tpl, p->input_dims, p->num_classes, p->has_bias,
                                p->bias_init};
  softmax_setup (p, s);
  if (p->has_feed_forward)
    p->logits_ffn = head_create_projection (s, &projection);
  else if (p->input_dims != p->num_classes)
    lam_setup_fail (s, "without has_feed_forward the input is the logits: input_dims wants to be "
                       "num_classes");
}

/* x: (..., input_dims) -> (..., V) */
static lam_tensor
full_softmax_get_logits (const full_softmax *p, lam_trace *t, lam_tensor x)
{
  if (p->scale_before_logits)
    x = lam_mul_scalar (t, x, 1 / sqrt ((double)p->input_dims));
  if (p->has_feed_forward)
    x = lam_call_tensor (t, p->logits_ffn, x);
  return head_soft_cap (t, x, p->soft_cap_logits);
}

static lam_nest
full_softmax_fprop (const full_softmax *p, lam_trace *t, lam_nest in)
{
  return softmax_outputs (p, t, in, full_softmax_get_logits);
}

LAM_METHODS (full_softmax,
             LAM_METHOD (full_softmax, fprop) LAM_METHOD_TENSOR (full_softmax, get_logits),
             LAM_USE (full_softmax, fprop), LAM_USE (full_softmax, get_logits))
LAM_LAYER_METHODS (full_softmax, "lamina.full_softmax", 1,
                   "Logits of every class and their cross-entropy.")
