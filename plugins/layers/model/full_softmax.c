/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.full_softmax: logits of every class, and their cross-entropy. Semantics and names:
 * praxis.layers.FullSoftmax. A batch of total weight 0 has avg_xent 0. */
#include <lamina/layer.h>
#include <math.h>

typedef struct {
  int64_t input_dims, num_classes;
  bool has_bias;
  lam_child logits_ffn;
} full_softmax;

LAM_FIELDS (full_softmax, LAM_INT (input_dims, 0, "Depth of the input."), LAM_REQUIRED, LAM_MIN (1),
            LAM_INT (num_classes, 0, "Number of classes V."), LAM_REQUIRED, LAM_MIN (1),
            LAM_BOOL (has_bias, true, "Whether the logits have a bias."))

static void
full_softmax_setup (full_softmax *p, lam_setup *s)
{
  lam_child_config ffn = lam_config_new (s, "lamina.feed_forward");
  lam_config_set_int (s, ffn, "input_dims", p->input_dims);
  lam_config_set_int (s, ffn, "output_dims", p->num_classes);
  lam_config_set_bool (s, ffn, "has_bias", p->has_bias);
  s->api->config_set (s, ffn, "activation", "\"identity\"");
  p->logits_ffn = lam_create_child (s, "logits_ffn", ffn);
}

/* x: (..., input_dims) -> (..., V) */
static lam_tensor
full_softmax_get_logits (const full_softmax *p, lam_trace *t, lam_tensor x)
{
  return lam_call_tensor (t, p->logits_ffn, x);
}

/* Per-example tensors may come as (...) or (..., 1) -> (...). */
static lam_tensor
per_example (lam_trace *t, lam_nest in, const char *name, int32_t rank)
{
  lam_tensor x = lam_nest_get_tensor (t, in, name);
  return lam_rank_of (t, x) == rank + 1 ? lam_squeeze (t, x, LAM_AXES (-1)) : x;
}

/* 1 (...) where logits, (..., V), are largest at the wanted class, else 0. */
static lam_tensor
hits (lam_trace *t, lam_tensor argmax, lam_tensor ids, lam_dtype dtype)
{
  return lam_cast (t, lam_eq (t, argmax, lam_cast (t, ids, LAM_I32)), dtype);
}

/* 1 (...), but NaN for a class that does not exist and counts: its loss must not look like a small one,
 * and its gradient must make the step invalid. */
static lam_tensor
trust_of (const full_softmax *p, lam_trace *t, lam_tensor ids, lam_tensor weights, lam_dtype dtype)
{
  lam_tensor wide = lam_cast (t, ids, LAM_I64), zero = lam_zeros_like (t, wide);
  lam_tensor above = lam_ge (t, wide, lam_scalar_like (t, wide, (double)p->num_classes));
  lam_tensor bad = lam_or (t, lam_lt (t, wide, zero), above);
  bad = lam_and (t, bad, lam_ne (t, weights, lam_zeros_like (t, weights)));
  return lam_where (t, bad, lam_scalar (t, dtype, NAN), lam_scalar (t, dtype, 1));
}

/* Averages over the batch, all scalars. */
static void
totals (lam_trace *t, lam_nest out, lam_tensor xent, lam_tensor weights)
{
  lam_tensor weight = lam_sum (t, weights, LAM_EVERY_AXIS, false),
             one = lam_scalar_like (t, weight, 1);
  lam_tensor total = lam_sum (t, lam_mul (t, xent, weights), LAM_EVERY_AXIS, false);
  lam_tensor none = lam_eq (t, weight, lam_zeros_like (t, weight));
  lam_nest_set_tensor (t, out, "total_xent", total);
  lam_nest_set_tensor (t, out, "total_weight", weight);
  lam_nest_set_tensor (t, out, "avg_xent", lam_div (t, total, lam_where (t, none, one, weight)));
}

/*
 * in: {inputs (..., input_dims), class_weights, and class_ids (integers) or class_probabilities
 * (..., V)}; class_ids and class_weights are (...) or (..., 1). class_weights default to 1.
 * Gives {logits, log_probs (..., V), per_example_argmax, per_example_xent (...), total_xent,
 * total_weight, avg_xent (scalars)} and, with class_ids, accuracy (NaN for total weight 0). A class id
 * outside 0 .. V-1 with a weight gives NaN.
 */
static lam_nest
full_softmax_fprop (const full_softmax *p, lam_trace *t, lam_nest in)
{
  lam_tensor logits = full_softmax_get_logits (p, t, lam_nest_get_tensor (t, in, "inputs"));
  lam_tensor argmax = lam_argmax (t, logits, -1), ids = lam_nil (), wanted, xent, weights;
  lam_dtype dtype = lam_dtype_of (t, logits);
  int32_t rank = lam_rank_of (t, argmax);
  lam_nest out = lam_nest_map (t);
  if (lam_nest_has (t, in, "class_probabilities")) {
    wanted = lam_nest_get_tensor (t, in, "class_probabilities");
  } else {
    ids = per_example (t, in, "class_ids", rank);
    wanted = lam_one_hot (t, ids, p->num_classes, dtype);
  }
  xent = lam_softmax_cross_entropy (t, logits, wanted);
  weights = lam_nest_has (t, in, "class_weights") ? per_example (t, in, "class_weights", rank)
                                                  : lam_full_like (t, xent, 1);
  if (!lam_is_nil (ids))
    xent = lam_mul (t, xent, trust_of (p, t, ids, weights, dtype));
  totals (t, out, xent, lam_cast (t, weights, dtype));
  if (!lam_is_nil (ids)) {
    lam_tensor right = lam_mul (t, hits (t, argmax, ids, dtype), lam_cast (t, weights, dtype));
    right = lam_sum (t, right, LAM_EVERY_AXIS, false);
    lam_nest_set_tensor (t, out, "accuracy",
                         lam_div (t, right, lam_nest_get_tensor (t, out, "total_weight")));
  }
  lam_nest_set_tensor (t, out, "logits", logits);
  lam_nest_set_tensor (t, out, "log_probs", lam_log_softmax (t, logits, -1));
  lam_nest_set_tensor (t, out, "per_example_argmax", argmax);
  lam_nest_set_tensor (t, out, "per_example_xent", xent);
  return out;
}

LAM_METHODS (full_softmax,
             LAM_METHOD (full_softmax, fprop) LAM_METHOD_TENSOR (full_softmax, get_logits),
             LAM_USE (full_softmax, fprop), LAM_USE (full_softmax, get_logits))
LAM_LAYER_METHODS (full_softmax, "lamina.full_softmax", 1,
                   "Logits of every class and their cross-entropy.")
