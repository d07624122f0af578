/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.classification: the task of naming a class: a network, then a softmax head. Semantics:
 * praxis.models.ClassificationModel. */
#include "head.h"

typedef struct {
  lam_child_config network, softmax;
  lam_child body, head;
} classification;

LAM_FIELDS (classification,
            LAM_LAYER_CONFIG (network, NULL, "What makes features (B, D) of the inputs."),
            LAM_REQUIRED,
            LAM_LAYER_CONFIG (softmax, NULL, "The head, such as lamina.full_softmax."),
            LAM_REQUIRED)

static void
classification_setup (classification *p, lam_setup *s)
{
  p->body = lam_create_child (s, "network", p->network);
  p->head = lam_create_child (s, "softmax", p->softmax);
}

static lam_nest
features (const classification *p, lam_trace *t, lam_nest batch)
{
  return lam_call (t, p->body, "fprop", lam_nest_get (t, batch, "inputs"));
}

/* out: what the head gave -> {loss, accuracy, error}, each {value, weight} */
static lam_nest
metrics_of (lam_trace *t, lam_nest out)
{
  lam_nest metrics = lam_nest_map (t);
  lam_tensor weight = lam_nest_get_tensor (t, out, "total_weight");
  lam_tensor accuracy = lam_nest_get_tensor (t, out, "accuracy");
  lam_tensor error = lam_sub (t, lam_scalar_like (t, accuracy, 1), accuracy);
  head_set_metric (t, metrics, "loss", lam_nest_get_tensor (t, out, "avg_xent"),
                   lam_nest_has (t, out, "avg_xent_weight")
                       ? lam_nest_get_tensor (t, out, "avg_xent_weight")
                       : weight);
  head_set_metric (t, metrics, "accuracy", accuracy, weight);
  head_set_metric (t, metrics, "error", error, weight);
  return metrics;
}

/*
 * batch: {inputs (B, ...), labels (B) integers, weights (B), default 1}. Gives {metrics,
 * per_example: {xent, predictions, weights (B), logits (B, V)}}; a head that works in chunks gives no
 * logits.
 */
static lam_nest
classification_fprop (const classification *p, lam_trace *t, lam_nest batch)
{
  lam_nest in = lam_nest_map (t), out, result = lam_nest_map (t), each = lam_nest_map (t);
  lam_tensor xent;
  lam_nest_set (t, in, "inputs", features (p, t, batch));
  lam_nest_set (t, in, "class_ids", lam_nest_get (t, batch, "labels"));
  if (lam_nest_has (t, batch, "weights"))
    lam_nest_set (t, in, "class_weights", lam_nest_get (t, batch, "weights"));
  out = lam_call (t, p->head, "fprop", in);
  xent = lam_nest_get_tensor (t, out, "per_example_xent");
  lam_nest_set_tensor (t, each, "xent", xent);
  lam_nest_set (t, each, "predictions", lam_nest_get (t, out, "per_example_argmax"));
  if (lam_nest_has (t, out, "logits"))
    lam_nest_set (t, each, "logits", lam_nest_get (t, out, "logits"));
  lam_nest_set_tensor (t, each, "weights",
                       lam_nest_has (t, batch, "weights")
                           ? lam_nest_get_tensor (t, batch, "weights")
                           : lam_full_like (t, xent, 1));
  lam_nest_set (t, result, "metrics", metrics_of (t, out));
  lam_nest_set (t, result, "per_example", each);
  return result;
}

/* batch: {inputs (B, ...)} -> {logits, probabilities (B, V), predictions (B)} */
static lam_nest
classification_predict (const classification *p, lam_trace *t, lam_nest batch)
{
  lam_nest out = lam_nest_map (t);
  lam_nest y = lam_call (t, p->head, "get_logits", features (p, t, batch));
  lam_tensor logits = lam_nest_tensor (t, y);
  lam_nest_set_tensor (t, out, "logits", logits);
  lam_nest_set_tensor (t, out, "probabilities", lam_softmax (t, logits, -1));
  lam_nest_set_tensor (t, out, "predictions", lam_argmax (t, logits, -1));
  return out;
}

LAM_METHODS (classification,
             LAM_METHOD (classification, fprop) LAM_METHOD (classification, predict),
             LAM_USE (classification, fprop), LAM_USE (classification, predict))
LAM_LAYER_METHODS (classification, "lamina.classification", 1,
                   "The task of naming a class: a network and a softmax head.")
