/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax heads full_softmax, shared_embedding_softmax and nclass_major_shared_embedding_softmax differ
 * in how they make logits; options, losses and outputs are the same. */
#ifndef LAMINA_PLUGINS_MODEL_SOFTMAX_H
#define LAMINA_PLUGINS_MODEL_SOFTMAX_H

#include "head.h"

typedef struct softmax_head {
  int64_t input_dims, num_classes, chunk_size;
  bool has_bias, has_feed_forward, label_smoothing_apply_for_eval, scale_before_logits;
  double bias_init, soft_cap_logits, label_smoothing_prob, z_loss_weight;
  lam_child_config bi_tempered_loss_tpl, feed_forward_tpl;
  lam_child logits_ffn, tempered;
  /* of the heads that are embeddings too */
  const char *lookup_style, *activation;
  bool scale_sqrt_depth, use_bias;
  lam_child bias, act;
  lam_var w;
} softmax_head;

/* Fields of every softmax head. */
#define SOFTMAX_FIELDS                                                                             \
  LAM_INT (input_dims, 0, "Depth of the input."), LAM_REQUIRED, LAM_MIN (1),                       \
      LAM_INT (num_classes, 0, "Number of classes V."), LAM_REQUIRED, LAM_MIN (1),                 \
      LAM_FLOAT (bias_init, 0, "Start value of every element of the bias."),                       \
      LAM_FLOAT (soft_cap_logits, 0, "Logits become cap * tanh (logits / cap); 0: they do not."),  \
      LAM_MIN (0),                                                                                 \
      LAM_FLOAT (label_smoothing_prob, 0,                                                          \
                 "Share of the label's probability that the other classes get."),                  \
      LAM_MIN (0), LAM_MAX (1),                                                                    \
      LAM_BOOL (label_smoothing_apply_for_eval, true, "Whether evaluation smooths labels too."),   \
      LAM_FLOAT (z_loss_weight, 0, "Weight of the aux loss square (log (sum (exp (logits))))."),   \
      LAM_MIN (0),                                                                                 \
      LAM_INT (chunk_size, 0,                                                                      \
               "Time steps to treat at once for inputs (B, T, D) with class_ids; results have no " \
               "logits then. 0: all."),                                                            \
      LAM_MIN (0),                                                                                 \
      LAM_LAYER_CONFIG (bi_tempered_loss_tpl, NULL,                                                \
                        "lamina.bi_tempered_loss in place of the cross-entropy.")

/* x: (..., input_dims) -> logits (..., V) */
typedef lam_tensor (*softmax_logits_fn) (const softmax_head *p, lam_trace *t, lam_tensor x);

/* Checks options and creates what all heads have. */
void softmax_setup (softmax_head *p, lam_setup *s);

/*
 * in: {inputs (..., input_dims), class_weights, and class_ids (integers) or class_probabilities
 * (..., V)}; class_ids and class_weights are (...) or (..., 1). class_weights default to 1.
 * Gives {logits, log_probs (..., V), per_example_argmax, per_example_xent (...), total_xent,
 * total_weight, avg_xent (scalars)}; with class_ids also accuracy (NaN for total weight 0); with
 * z_loss_weight also z_loss. Total weight 0 gives avg_xent 0. A class id outside 0 .. V-1 with a weight
 * gives NaN. logits and log_probs have the inputs' dtype, the rest is at least f32.
 */
lam_nest softmax_outputs (const softmax_head *p, lam_trace *t, lam_nest in,
                          softmax_logits_fn logits);

#endif
