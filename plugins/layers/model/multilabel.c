/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.multilabel: the task of saying yes or no to every class: a network, then a sigmoid head. Made like
 * lamina.classification (praxis.models.ClassificationModel), with lamina.sigmoid_cross_entropy. */
#include "head.h"

typedef struct {
  lam_child_config network, head;
  lam_child body, yes_no;
} multilabel;

LAM_FIELDS (multilabel,
            LAM_LAYER_CONFIG (network, NULL, "What makes features (B, D) of the inputs."),
            LAM_REQUIRED,
            LAM_LAYER_CONFIG (head, NULL, "The head, such as lamina.sigmoid_cross_entropy."),
            LAM_REQUIRED)

static void
multilabel_setup (multilabel *p, lam_setup *s)
{
  p->body = lam_create_child (s, "network", p->network);
  p->yes_no = lam_create_child (s, "head", p->head);
}

static lam_nest
features (const multilabel *p, lam_trace *t, lam_nest batch)
{
  return lam_call (t, p->body, "fprop", lam_nest_get (t, batch, "inputs"));
}

/* bool (B, V): logits that say yes. */
static lam_tensor
says_yes (lam_trace *t, lam_tensor logits)
{
  return lam_gt (t, logits, lam_zeros_like (t, logits));
}

/* Averages by weight of what is right: of single labels, and of examples all of whose labels are. */
static void
set_accuracies (lam_trace *t, lam_nest metrics, lam_tensor right, lam_tensor weights)
{
  lam_dtype dtype = lam_dtype_of (t, weights);
  lam_tensor weight = lam_sum (t, weights, LAM_EVERY_AXIS, false), each, all;
  each = lam_mean (t, lam_cast (t, right, dtype), LAM_AXES (-1), false);
  all = lam_cast (t, lam_all (t, right, LAM_AXES (-1), false), dtype);
  head_set_metric (t, metrics, "accuracy", head_average (t, each, weights, weight), weight);
  head_set_metric (t, metrics, "exact_match", head_average (t, all, weights, weight), weight);
}

/*
 * batch: {inputs (B, ...), labels (B, V): probabilities, or 0 and 1 of any dtype, weights (B), default 1}.
 * Gives {metrics: {loss, accuracy, exact_match}, per_example: {xent, weights (B), logits, predictions
 * (B, V)}}.
 */
static lam_nest
multilabel_fprop (const multilabel *p, lam_trace *t, lam_nest batch)
{
  lam_nest in = lam_nest_map (t), out, result = lam_nest_map (t), each = lam_nest_map (t),
           metrics = lam_nest_map (t);
  lam_tensor labels = lam_nest_get_tensor (t, batch, "labels"), logits, xent, weights, yes, half;
  labels = lam_cast (t, labels, lam_real_dtype (t));
  lam_nest_set (t, in, "inputs", features (p, t, batch));
  lam_nest_set_tensor (t, in, "class_probabilities", labels);
  if (lam_nest_has (t, batch, "weights"))
    lam_nest_set (t, in, "class_weights", lam_nest_get (t, batch, "weights"));
  out = lam_call (t, p->yes_no, "fprop", in);
  logits = lam_nest_get_tensor (t, out, "logits");
  xent = lam_nest_get_tensor (t, out, "per_example_xent");
  weights = head_weights (t, in, xent, lam_dtype_of (t, xent));
  half = lam_scalar_like (t, labels, 0.5);
  yes = says_yes (t, logits);
  head_set_metric (t, metrics, "loss", lam_nest_get_tensor (t, out, "avg_xent"),
                   lam_nest_get_tensor (t, out, "total_weight"));
  set_accuracies (t, metrics, lam_eq (t, yes, lam_gt (t, labels, half)), weights);
  lam_nest_set_tensor (t, each, "xent", xent);
  lam_nest_set_tensor (t, each, "weights", weights);
  lam_nest_set_tensor (t, each, "logits", logits);
  lam_nest_set_tensor (t, each, "predictions", lam_cast (t, yes, LAM_I32));
  lam_nest_set (t, result, "metrics", metrics);
  lam_nest_set (t, result, "per_example", each);
  return result;
}

/* batch: {inputs (B, ...)} -> {logits, probabilities, predictions (B, V)} */
static lam_nest
multilabel_predict (const multilabel *p, lam_trace *t, lam_nest batch)
{
  lam_nest out = lam_nest_map (t);
  lam_nest y = lam_call (t, p->yes_no, "get_logits", features (p, t, batch));
  lam_tensor logits = lam_nest_tensor (t, y);
  lam_nest_set_tensor (t, out, "logits", logits);
  lam_nest_set_tensor (t, out, "probabilities", lam_sigmoid (t, logits));
  lam_nest_set_tensor (t, out, "predictions", lam_cast (t, says_yes (t, logits), LAM_I32));
  return out;
}

LAM_METHODS (multilabel, LAM_METHOD (multilabel, fprop) LAM_METHOD (multilabel, predict),
             LAM_USE (multilabel, fprop), LAM_USE (multilabel, predict))
LAM_LAYER_METHODS (multilabel, "lamina.multilabel", 1,
                   "The task of saying yes or no to every class.")
