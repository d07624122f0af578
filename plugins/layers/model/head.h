/* SPDX-License-Identifier: Apache-2.0 */
/* What the heads of this family share: ids, weights, averages, caps. Losses are computed in f32 where the
 * inputs are narrower, as upstream does. */
#ifndef LAMINA_PLUGINS_MODEL_HEAD_H
#define LAMINA_PLUGINS_MODEL_HEAD_H

#include <lamina/layer.h>

/* The dtype that a loss of x is computed in: f32 for 16-bit floats, else x's. */
lam_dtype head_wide (lam_trace *t, lam_tensor x);

/* Tensor `name` of in, given as (...) of this rank or (..., 1) -> (...); its dtype stays. */
lam_tensor head_per_example (lam_trace *t, lam_nest in, const char *name, int32_t rank);

/* class_ids of in as (...), nil where class_probabilities take their place; an error for floats. */
lam_tensor head_ids (lam_trace *t, lam_nest in, int32_t rank);

/* class_weights of in as (...) in dtype; 1 for every element of like (...) where in has none. */
lam_tensor head_weights (lam_trace *t, lam_nest in, lam_tensor like, lam_dtype dtype);

/* 1 (...), but NaN for an id outside 0 .. n-1 that has a weight: its loss must not look like a small one,
 * and its gradient must make the step invalid. */
lam_tensor head_trust (lam_trace *t, lam_tensor ids, lam_tensor weights, int64_t n);

/* cap * tanh (x / cap); x itself for cap 0. */
lam_tensor head_soft_cap (lam_trace *t, lam_tensor x, double cap);

/* sum (x * weights) / divisor, where 0 divides as 1: scalars. */
lam_tensor head_average (lam_trace *t, lam_tensor x, lam_tensor weights, lam_tensor divisor);

/* Share of the weight whose argmax is the wanted class, NaN for weight 0: a scalar. */
lam_tensor head_accuracy (lam_trace *t, lam_tensor argmax, lam_tensor ids, lam_tensor weights);

/* square (log (sum (exp (logits)))), (..., V) -> (...): keeps the logits near log probabilities. */
lam_tensor head_z_loss (lam_trace *t, lam_tensor logits);

/* weight * the average of head_z_loss; also an aux loss and a summary "aux_z_loss". */
lam_tensor head_add_z_loss (lam_trace *t, lam_tensor average, double weight);

/* {value, weight} under name, as a task's metrics have it. */
void head_set_metric (lam_trace *t, lam_nest metrics, const char *name, lam_tensor value,
                      lam_tensor weight);

/* The child that makes logits: p's config or lamina.feed_forward, without an activation. */
typedef struct head_projection {
  lam_child_config feed_forward;
  int64_t input_dims, num_classes;
  bool has_bias;
  double bias_init;
} head_projection;

lam_child head_create_projection (lam_setup *s, const head_projection *p);

#endif
