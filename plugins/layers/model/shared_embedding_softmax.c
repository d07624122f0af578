/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.shared_embedding_softmax: lamina.full_softmax whose matrix is an embedding of the classes too.
 * Semantics and names: praxis.layers.SharedEmbeddingSoftmax. */
#include "lookup.h"
#include "softmax.h"

#include <math.h>

typedef softmax_head shared_embedding_softmax;

LAM_FIELDS (shared_embedding_softmax, SOFTMAX_FIELDS,
            LAM_BOOL (has_bias, true, "Whether the logits have a bias."),
            LAM_BOOL (scale_before_logits, false,
                      "Whether the input is divided by sqrt (input_dims)."),
            LAM_LAYER_CONFIG (feed_forward_tpl, NULL,
                              "The projection, lamina.feed_forward by default; dims, bias and "
                              "activation are set here."),
            LAM_STRING (lookup_style, "index", "By index, or by a product with one-hot rows."),
            LAM_CHOICES (LOOKUP_STYLES),
            LAM_BOOL (scale_sqrt_depth, false,
                      "Whether emb_lookup multiplies by "
                      "sqrt (input_dims)."))

static void
shared_embedding_softmax_setup (shared_embedding_softmax *p, lam_setup *s)
{
  head_projection projection = {p->feed_forward_tpl, p->input_dims, p->num_classes, p->has_bias,
                                p->bias_init};
  softmax_setup (p, s);
  p->logits_ffn = head_create_projection (s, &projection);
}

/* x: (..., input_dims) -> (..., V) */
static lam_tensor
shared_embedding_softmax_get_logits (const shared_embedding_softmax *p, lam_trace *t, lam_tensor x)
{
  if (p->scale_before_logits)
    x = lam_mul_scalar (t, x, 1 / sqrt ((double)p->input_dims));
  return head_soft_cap (t, lam_call_tensor (t, p->logits_ffn, x), p->soft_cap_logits);
}

/* ids: (...) integers -> (..., input_dims) */
static lam_tensor
shared_embedding_softmax_emb_lookup (const shared_embedding_softmax *p, lam_trace *t,
                                     lam_tensor ids)
{
  lam_nest w = lam_call (t, p->logits_ffn, "weight", lam_nest_map (t)); /* (input_dims, V) */
  lam_tensor table = lam_transpose (t, lam_nest_tensor (t, w), LAM_AXES (1, 0));
  lam_tensor y = lookup (t, p->lookup_style, table, ids);
  return p->scale_sqrt_depth ? lam_mul_scalar (t, y, sqrt ((double)p->input_dims)) : y;
}

static lam_nest
shared_embedding_softmax_fprop (const shared_embedding_softmax *p, lam_trace *t, lam_nest in)
{
  return softmax_outputs (p, t, in, shared_embedding_softmax_get_logits);
}

LAM_METHODS (shared_embedding_softmax,
             LAM_METHOD (shared_embedding_softmax, fprop)
                 LAM_METHOD_TENSOR (shared_embedding_softmax, get_logits)
                     LAM_METHOD_TENSOR (shared_embedding_softmax, emb_lookup),
             LAM_USE (shared_embedding_softmax, fprop),
             LAM_USE (shared_embedding_softmax, get_logits),
             LAM_USE (shared_embedding_softmax, emb_lookup))
LAM_LAYER_METHODS (shared_embedding_softmax, "lamina.shared_embedding_softmax", 1,
                   "A softmax head whose matrix embeds the classes too.")
