/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.gshard_shared_embedding_softmax: the softmax head and embedding of GShard: classes as rows, gaussian
 * start, no bias, scaled input. Semantics and names: praxis.layers.GShardSharedEmbeddingSoftmax. Label
 * smoothing spreads over all V classes (not the V - 1 others) and only in training. */
#include "lookup.h"
#include "head.h"

#include <math.h>

typedef struct {
  int64_t input_dims, num_classes;
  bool use_tgt_labels_size_as_loss_denominator;
  double soft_cap_logits, logits_abs_max, z_loss_weight, label_smoothing_prob;
  lam_child embedding;
} gshard_shared_embedding_softmax;

typedef gshard_shared_embedding_softmax head;

LAM_FIELDS (
    gshard_shared_embedding_softmax, LAM_INT (input_dims, 0, "Depth of the input."), LAM_REQUIRED,
    LAM_MIN (1), LAM_INT (num_classes, 0, "Number of classes V."), LAM_REQUIRED, LAM_MIN (1),
    LAM_BOOL (use_tgt_labels_size_as_loss_denominator, true,
              "Whether losses are divided by the number of labels, not by their weight."),
    LAM_FLOAT (soft_cap_logits, 0, "Logits become cap * tanh (logits / cap); 0: not."), LAM_MIN (0),
    LAM_FLOAT (logits_abs_max, 0, "Logits are cut to this; 0: not."), LAM_MIN (0),
    LAM_FLOAT (z_loss_weight, 0, "Weight of the aux loss square (log (sum (exp (logits))))."),
    LAM_MIN (0), LAM_FLOAT (label_smoothing_prob, 0, "Share of the label that all classes get."),
    LAM_MIN (0), LAM_MAX (1))

static void
gshard_shared_embedding_softmax_setup (head *p, lam_setup *s)
{
  lam_child_config embedding = lam_config_new (s, "lamina.linear");
  lam_config_set_int (s, embedding, "input_dims", p->num_classes);
  lam_config_set_int (s, embedding, "output_dims", p->input_dims);
  lam_config_set_init (s, embedding, "weight_init", LAM_GAUSSIAN (1));
  p->embedding = lam_create_child (s, "embedding", embedding);
}

/* (V, input_dims) */
static lam_tensor
table (const head *p, lam_trace *t)
{
  return lam_nest_tensor (t, lam_call (t, p->embedding, "weight", lam_nest_map (t)));
}

/* x: (..., input_dims) -> (..., V) */
static lam_tensor
gshard_shared_embedding_softmax_get_logits (const head *p, lam_trace *t, lam_tensor x)
{
  x = lam_mul_scalar (t, x, 1 / sqrt ((double)p->input_dims));
  x = lam_dot (t, x, lam_transpose (t, table (p, t), LAM_AXES (1, 0)));
  x = head_soft_cap (t, x, p->soft_cap_logits);
  return p->logits_abs_max > 0 ? lam_clip (t, x, -p->logits_abs_max, p->logits_abs_max) : x;
}

/* ids: (...) integers -> (..., input_dims) */
static lam_tensor
gshard_shared_embedding_softmax_emb_lookup (const head *p, lam_trace *t, lam_tensor ids)
{
  return lookup (t, "matmul", table (p, t), ids);
}

/* wanted: (..., V), smoothed in training. */
static lam_tensor
smooth (const head *p, lam_trace *t, lam_tensor wanted)
{
  double off = p->label_smoothing_prob / (double)p->num_classes;
  double on = 1 - p->label_smoothing_prob + off;
  if (p->label_smoothing_prob == 0 || lam_do_eval (t))
    return lam_stop_gradient (t, wanted);
  wanted = lam_add (t, lam_mul_scalar (t, wanted, on),
                    lam_mul_scalar (t, lam_sub (t, lam_scalar_like (t, wanted, 1), wanted), off));
  return lam_stop_gradient (t, wanted);
}

/* xent: (...), of smoothed labels where that is on; the loss without shows as a summary. */
static lam_tensor
xent_of (const head *p, lam_trace *t, const lam_tensor x[2], const lam_tensor weights[2])
{
  lam_tensor xent = lam_softmax_cross_entropy (t, x[0], smooth (p, t, x[1]));
  if (p->label_smoothing_prob > 0 && !lam_do_eval (t)) {
    lam_tensor plain = lam_softmax_cross_entropy (t, x[0], x[1]);
    lam_add_summary_scalar (t, "avg_xent_prior_to_label_smoothing",
                            head_average (t, plain, weights[0], weights[1]));
  }
  return xent;
}

/* in as softmax_outputs takes it (softmax.h). Gives what that gives, and avg_xent_weight, by which avg_xent
 * is divided. */
static lam_nest
gshard_shared_embedding_softmax_fprop (const head *p, lam_trace *t, lam_nest in)
{
  lam_tensor x = lam_nest_get_tensor (t, in, "inputs"), logits, pair[2], weights[2], xent, ids, z;
  lam_nest out = lam_nest_map (t);
  logits = gshard_shared_embedding_softmax_get_logits (p, t, x);
  pair[0] = lam_cast (t, logits, head_wide (t, logits));
  lam_dtype wide = lam_dtype_of (t, pair[0]);
  lam_tensor argmax = lam_argmax (t, pair[0], -1);
  weights[0] = head_weights (t, in, argmax, wide);
  lam_tensor total = lam_sum (t, weights[0], LAM_EVERY_AXIS, false);
  lam_type type = lam_type_of (t, weights[0]);
  weights[1] = p->use_tgt_labels_size_as_loss_denominator
                   ? lam_scalar (t, wide, (double)lam_type_elements (&type))
                   : total;
  ids = head_ids (t, in, lam_rank_of (t, argmax));
  pair[1] = lam_is_nil (ids) && lam_is_ok (t)
                ? lam_cast (t, lam_nest_get_tensor (t, in, "class_probabilities"), wide)
                : lam_one_hot (t, ids, p->num_classes, wide);
  xent = xent_of (p, t, pair, weights);
  if (!lam_is_nil (ids)) {
    xent = lam_mul (t, xent, head_trust (t, ids, weights[0], p->num_classes));
    lam_nest_set_tensor (t, out, "accuracy", head_accuracy (t, argmax, ids, weights[0]));
  }
  z = head_average (t, head_z_loss (t, pair[0]), weights[0], weights[1]);
  head_add_z_loss (t, z, p->z_loss_weight);
  lam_nest_set_tensor (t, out, "logits", logits);
  lam_nest_set_tensor (t, out, "log_probs",
                       lam_cast (t, lam_log_softmax (t, pair[0], -1), lam_dtype_of (t, x)));
  lam_nest_set_tensor (t, out, "per_example_argmax", argmax);
  lam_nest_set_tensor (t, out, "per_example_xent", xent);
  lam_nest_set_tensor (t, out, "total_xent",
                       lam_sum (t, lam_mul (t, xent, weights[0]), LAM_EVERY_AXIS, false));
  lam_nest_set_tensor (t, out, "total_weight", total);
  lam_nest_set_tensor (t, out, "avg_xent_weight", weights[1]);
  lam_nest_set_tensor (t, out, "avg_xent", head_average (t, xent, weights[0], weights[1]));
  return out;
}

LAM_METHODS (gshard_shared_embedding_softmax,
             LAM_METHOD (gshard_shared_embedding_softmax, fprop)
                 LAM_METHOD_TENSOR (gshard_shared_embedding_softmax, get_logits)
                     LAM_METHOD_TENSOR (gshard_shared_embedding_softmax, emb_lookup),
             LAM_USE (gshard_shared_embedding_softmax, fprop),
             LAM_USE (gshard_shared_embedding_softmax, get_logits),
             LAM_USE (gshard_shared_embedding_softmax, emb_lookup))
LAM_LAYER_METHODS (gshard_shared_embedding_softmax, "lamina.gshard_shared_embedding_softmax", 1,
                   "GShard's softmax head and embedding.")
