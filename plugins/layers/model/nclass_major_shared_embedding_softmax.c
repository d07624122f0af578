/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.nclass_major_shared_embedding_softmax: a softmax head and embedding whose one matrix has the classes
 * as its rows. Semantics and names: praxis.layers.NClassMajorSharedEmbeddingSoftmax. */
#include "lookup.h"
#include "softmax.h"

#include <math.h>
#include <stdio.h>

typedef softmax_head nclass_major_shared_embedding_softmax;
typedef nclass_major_shared_embedding_softmax head;

LAM_FIELDS (nclass_major_shared_embedding_softmax, SOFTMAX_FIELDS,
            LAM_BOOL (use_bias, true, "Whether the logits have a bias."),
            LAM_STRING (activation, "identity", "Function of the logits, of lamina.activation."),
            LAM_STRING (lookup_style, "index", "By index, or by a product with one-hot rows."),
            LAM_CHOICES (LOOKUP_STYLES),
            LAM_BOOL (scale_sqrt_depth, false,
                      "Whether emb_lookup multiplies by "
                      "sqrt (input_dims)."))

static void
nclass_major_shared_embedding_softmax_setup (head *p, lam_setup *s)
{
  char function[128];
  lam_child_config bias = lam_config_new (s, "lamina.bias");
  lam_child_config activation = lam_config_new (s, "lamina.activation");
  softmax_setup (p, s);
  p->w = lam_create_variable (s, "w", LAM_SHAPE (p->num_classes, p->input_dims), LAM_DEFAULT_INIT);
  if (p->use_bias) {
    lam_config_set_int (s, bias, "dims", p->num_classes);
    lam_config_set_float (s, bias, "bias_init", p->bias_init);
    p->bias = lam_create_child (s, "bias", bias);
  }
  snprintf (function, sizeof function, "\"%s\"", p->activation);
  s->api->config_set (s, activation, "function", function);
  p->act = lam_create_child (s, "activation", activation);
}

/* x: (..., input_dims) -> (..., V) */
static lam_tensor
nclass_major_shared_embedding_softmax_get_logits (const head *p, lam_trace *t, lam_tensor x)
{
  lam_dot_dims dims;
  int32_t rank = lam_rank_of (t, x);
  dims.lhs_batch = dims.rhs_batch = LAM_NO_AXES;
  dims.lhs_contract = LAM_AXES (rank > 0 ? rank - 1 : 0);
  dims.rhs_contract = LAM_AXES (1);
  dims.out_dtype = LAM_DTYPE_NONE;
  x = lam_dot_general (t, x, lam_theta (t, p->w), &dims);
  if (p->use_bias)
    x = lam_call_tensor (t, p->bias, x);
  return head_soft_cap (t, lam_call_tensor (t, p->act, x), p->soft_cap_logits);
}

/* ids: (...) integers -> (..., input_dims) */
static lam_tensor
nclass_major_shared_embedding_softmax_emb_lookup (const head *p, lam_trace *t, lam_tensor ids)
{
  lam_tensor y = lookup (t, p->lookup_style, lam_theta (t, p->w), ids);
  return p->scale_sqrt_depth ? lam_mul_scalar (t, y, sqrt ((double)p->input_dims)) : y;
}

static lam_nest
nclass_major_shared_embedding_softmax_fprop (const head *p, lam_trace *t, lam_nest in)
{
  return softmax_outputs (p, t, in, nclass_major_shared_embedding_softmax_get_logits);
}

LAM_METHODS (nclass_major_shared_embedding_softmax,
             LAM_METHOD (nclass_major_shared_embedding_softmax, fprop)
                 LAM_METHOD_TENSOR (nclass_major_shared_embedding_softmax, get_logits)
                     LAM_METHOD_TENSOR (nclass_major_shared_embedding_softmax, emb_lookup),
             LAM_USE (nclass_major_shared_embedding_softmax, fprop),
             LAM_USE (nclass_major_shared_embedding_softmax, get_logits),
             LAM_USE (nclass_major_shared_embedding_softmax, emb_lookup))
LAM_LAYER_METHODS (nclass_major_shared_embedding_softmax,
                   "lamina.nclass_major_shared_embedding_softmax", 1,
                   "A softmax head and embedding whose matrix has the classes as rows.")
