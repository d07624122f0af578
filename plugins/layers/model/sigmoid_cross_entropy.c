/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.sigmoid_cross_entropy: a yes or no for every class, each by its own logit. Semantics and names:
 * praxis.layers.SigmoidCrossEntropy; label smoothing (p becomes (1 - s) p + s / 2) as in
 * tf.keras.losses.BinaryCrossentropy. */
#include "head.h"

typedef struct {
  int64_t input_dims, num_classes;
  double soft_cap_logits, bias_init, label_smoothing_prob;
  bool has_bias, has_feed_forward, label_smoothing_apply_for_eval;
  lam_child_config feed_forward_tpl;
  lam_child logits_ffn;
} sigmoid_cross_entropy;

LAM_FIELDS (sigmoid_cross_entropy, LAM_INT (input_dims, 0, "Depth of the input."), LAM_REQUIRED,
            LAM_MIN (1), LAM_INT (num_classes, 0, "Number of classes V."), LAM_REQUIRED,
            LAM_MIN (1), LAM_FLOAT (bias_init, 0, "Start value of every element of the bias."),
            LAM_FLOAT (soft_cap_logits, 0, "Logits become cap * tanh (logits / cap); 0: not."),
            LAM_MIN (0), LAM_FLOAT (label_smoothing_prob, 0, "How far labels move towards 1 / 2."),
            LAM_MIN (0), LAM_MAX (1),
            LAM_BOOL (label_smoothing_apply_for_eval, true, "Whether evaluation smooths too."),
            LAM_BOOL (has_bias, true, "Whether the logits have a bias."),
            LAM_BOOL (has_feed_forward, true,
                      "Whether logits are a projection of the input; else they are the input."),
            LAM_LAYER_CONFIG (feed_forward_tpl, NULL,
                              "The projection, lamina.feed_forward by default; dims, bias and "
                              "activation are set here."))

static void
sigmoid_cross_entropy_setup (sigmoid_cross_entropy *p, lam_setup *s)
{
  head_projection projection = {p->feed_forward_tpl, p->input_dims, p->num_classes, p->has_bias,
                                p->bias_init};
  if (p->has_feed_forward)
    p->logits_ffn = head_create_projection (s, &projection);
  else if (p->input_dims != p->num_classes)
    lam_setup_fail (s, "without has_feed_forward the input is the logits: input_dims wants to be "
                       "num_classes");
}

/* x: (..., input_dims) -> (..., V) */
static lam_tensor
sigmoid_cross_entropy_get_logits (const sigmoid_cross_entropy *p, lam_trace *t, lam_tensor x)
{
  if (p->has_feed_forward)
    x = lam_call_tensor (t, p->logits_ffn, x);
  return p->has_feed_forward ? head_soft_cap (t, x, p->soft_cap_logits) : x;
}

/* What is wanted of each class, (..., V); ids gets (...), or nil. */
static lam_tensor
targets (const sigmoid_cross_entropy *p, lam_trace *t, lam_nest in, lam_tensor logits,
         lam_tensor *ids)
{
  lam_dtype dtype = lam_dtype_of (t, logits);
  lam_tensor y;
  *ids = head_ids (t, in, lam_rank_of (t, logits) - 1);
  if (!lam_is_nil (*ids) && p->num_classes == 1) {
    lam_fail (t, "sigmoid_cross_entropy: class_ids of one class say nothing; give "
                 "class_probabilities (..., 1)");
    return lam_nil ();
  }
  y = lam_is_nil (*ids) && lam_is_ok (t)
          ? lam_cast (t, lam_nest_get_tensor (t, in, "class_probabilities"), dtype)
          : lam_one_hot (t, *ids, p->num_classes, dtype);
  lam_check_shape (t, "sigmoid_cross_entropy: class_probabilities (..., V)", y,
                   lam_shape_of (t, logits));
  if (p->label_smoothing_prob == 0 || (lam_do_eval (t) && !p->label_smoothing_apply_for_eval))
    return y;
  y = lam_mul_scalar (t, y, 1 - p->label_smoothing_prob);
  return lam_add_scalar (t, y, p->label_smoothing_prob / 2);
}

/* class_weights as (..., V) where they have one weight a class; else nil. */
static lam_tensor
class_weights (const sigmoid_cross_entropy *p, lam_trace *t, lam_nest in, lam_tensor logits)
{
  lam_shape shape = lam_shape_of (t, logits), got;
  lam_tensor w;
  if (!lam_nest_has (t, in, "class_weights"))
    return lam_nil ();
  w = lam_nest_get_tensor (t, in, "class_weights");
  got = lam_shape_of (t, w);
  if (p->num_classes == 1 || got.rank != shape.rank || got.dims[got.rank - 1] != p->num_classes)
    return lam_nil ();
  lam_check_shape (t, "class_weights, one for each class of each example", w, shape);
  return lam_cast (t, w, lam_dtype_of (t, logits));
}

/*
 * in: {inputs (..., input_dims), class_weights, and class_ids (integers, (...) or (..., 1)) or
 * class_probabilities (..., V)}; class_weights is (...), (..., 1), or (..., V): one for each class; 1 by
 * default. Gives {logits, log_probs (..., V), per_example_argmax, per_example_xent (...), total_xent,
 * total_weight, avg_xent}: the cross-entropy of an example is the sum over its classes, total_weight the
 * sum of class_weights.
 */
static lam_nest
sigmoid_cross_entropy_fprop (const sigmoid_cross_entropy *p, lam_trace *t, lam_nest in)
{
  lam_tensor x = lam_nest_get_tensor (t, in, "inputs"), ids, xent, each, weights, weight;
  lam_tensor logits = sigmoid_cross_entropy_get_logits (p, t, x), logp;
  lam_dtype dtype = lam_dtype_of (t, x);
  lam_nest out = lam_nest_map (t);
  logits = lam_cast (t, logits, head_wide (t, logits));
  xent = lam_mul (t, logits, targets (p, t, in, logits, &ids));
  xent = lam_sub (t, lam_softplus (t, logits), xent); /* (..., V) */
  logp = lam_neg (t, lam_softplus (t, lam_neg (t, logits)));
  each = class_weights (p, t, in, logits);
  if (!lam_is_nil (each))
    xent = lam_mul (t, xent, each);
  xent = lam_sum (t, xent, LAM_AXES (-1), false);
  weights = lam_is_nil (each) ? head_weights (t, in, xent, lam_dtype_of (t, xent))
                              : lam_full_like (t, xent, 1);
  weight = lam_sum (t, lam_is_nil (each) ? weights : each, LAM_EVERY_AXIS, false);
  if (!lam_is_nil (ids))
    xent = lam_mul (t, xent, head_trust (t, ids, weights, p->num_classes));
  lam_nest_set_tensor (t, out, "logits", lam_cast (t, logits, dtype));
  lam_nest_set_tensor (t, out, "log_probs", lam_cast (t, logp, dtype));
  lam_nest_set_tensor (t, out, "per_example_argmax", lam_argmax (t, logits, -1));
  lam_nest_set_tensor (t, out, "per_example_xent", xent);
  lam_nest_set_tensor (t, out, "total_xent",
                       lam_sum (t, lam_mul (t, xent, weights), LAM_EVERY_AXIS, false));
  lam_nest_set_tensor (t, out, "total_weight", weight);
  lam_nest_set_tensor (t, out, "avg_xent", head_average (t, xent, weights, weight));
  return out;
}

LAM_METHODS (sigmoid_cross_entropy,
             LAM_METHOD (sigmoid_cross_entropy, fprop)
                 LAM_METHOD_TENSOR (sigmoid_cross_entropy, get_logits),
             LAM_USE (sigmoid_cross_entropy, fprop), LAM_USE (sigmoid_cross_entropy, get_logits))
LAM_LAYER_METHODS (sigmoid_cross_entropy, "lamina.sigmoid_cross_entropy", 1,
                   "A logit and a cross-entropy of yes or no for every class.")
