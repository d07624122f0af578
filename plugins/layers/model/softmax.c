/* SPDX-License-Identifier: Apache-2.0 */
/* Losses and outputs of the softmax heads. Semantics and names: praxis.layers.FullSoftmax. */
#include "softmax.h"

#define MAX_CHUNKS 1024

void
softmax_setup (softmax_head *p, lam_setup *s)
{
  if (p->label_smoothing_prob > 0 && p->num_classes < 2)
    lam_setup_fail (s, "label_smoothing_prob wants num_classes >= 2: there is no other class");
  if (p->bi_tempered_loss_tpl.count > 0)
    p->tempered = lam_create_child (s, "bi_tempered_loss", p->bi_tempered_loss_tpl);
}

/* One-hot rows (..., V) of ids (...), smoothed. */
static lam_tensor
targets (const softmax_head *p, lam_trace *t, lam_tensor ids, lam_dtype dtype)
{
  double keep = 1 - p->label_smoothing_prob;
  double other = p->label_smoothing_prob / (double)(p->num_classes - 1);
  lam_tensor one = lam_one_hot (t, ids, p->num_classes, dtype), zero;
  if (p->label_smoothing_prob == 0 || (lam_do_eval (t) && !p->label_smoothing_apply_for_eval))
    return one;
  zero = lam_sub (t, lam_scalar_like (t, one, 1), one);
  return lam_add (t, lam_mul_scalar (t, one, keep), lam_mul_scalar (t, zero, other));
}

/* logits, wanted: (..., V) -> (...) */
static lam_tensor
xent_of (const softmax_head *p, lam_trace *t, lam_tensor logits, lam_tensor wanted)
{
  lam_nest in;
  if (!lam_has_child (p->tempered))
    return lam_softmax_cross_entropy (t, logits, wanted);
  in = lam_nest_map (t);
  lam_nest_set_tensor (t, in, "logits", logits);
  lam_nest_set_tensor (t, in, "labels", wanted);
  return lam_nest_tensor (t, lam_call (t, p->tempered, "fprop", in));
}

/* What a head makes of one part of the sequence, or of all of it. */
typedef struct part {
  lam_tensor logits;       /* (..., V), nil where there are chunks */
  lam_tensor argmax, xent; /* (...) */
} part;

static part
whole (const softmax_head *p, lam_trace *t, lam_tensor logits, lam_tensor wanted)
{
  part all;
  all.logits = lam_cast (t, logits, head_wide (t, logits));
  all.argmax = lam_argmax (t, all.logits, -1);
  all.xent = xent_of (p, t, all.logits, lam_cast (t, wanted, lam_dtype_of (t, all.logits)));
  return all;
}

/* x: (B, T, D), ids: (B, T); the parts are unrolled in the graph, so only one's logits live at a time
 * (a backward pass keeps what it needs of each). */
static part
chunks (const softmax_head *p, lam_trace *t, const lam_tensor x[2], softmax_logits_fn logits)
{
  int64_t steps = lam_shape_of (t, x[0]).dims[1];
  uint32_t n = 0;
  lam_tensor argmax[MAX_CHUNKS], xent[MAX_CHUNKS];
  part all = {{0}, {0}, {0}};
  if ((steps - 1) / p->chunk_size >= MAX_CHUNKS) {
    lam_fail (t, "chunk_size makes more than 1024 chunks of the sequence: choose a larger one");
    return all;
  }
  for (int64_t from = 0; from < steps; from += p->chunk_size) {
    int64_t to = from + p->chunk_size < steps ? from + p->chunk_size : steps;
    lam_tensor here = lam_slice_axis (t, x[0], 1, from, to);
    lam_tensor ids = lam_slice_axis (t, x[1], 1, from, to);
    part one = whole (p, t, logits (p, t, here), targets (p, t, ids, head_wide (t, here)));
    argmax[n] = one.argmax;
    xent[n++] = one.xent;
  }
  all.logits = lam_nil ();
  all.argmax = lam_concat (t, argmax, n, 1);
  all.xent = lam_concat (t, xent, n, 1);
  return all;
}

static bool
in_chunks (const softmax_head *p, lam_trace *t, lam_tensor x, lam_tensor ids)
{
  return p->chunk_size > 0 && !lam_is_nil (ids) && lam_rank_of (t, x) == 3
         && lam_shape_of (t, x).dims[1] >= p->chunk_size && p->z_loss_weight == 0
         && !lam_has_child (p->tempered);
}

static void
set_logits (lam_trace *t, lam_nest out, lam_tensor logits, lam_dtype dtype)
{
  lam_tensor logp = lam_log_softmax (t, logits, -1);
  lam_nest_set_tensor (t, out, "logits", lam_cast (t, logits, dtype));
  lam_nest_set_tensor (t, out, "log_probs", lam_cast (t, logp, dtype));
}

lam_nest
softmax_outputs (const softmax_head *p, lam_trace *t, lam_nest in, softmax_logits_fn logits)
{
  lam_tensor x = lam_nest_get_tensor (t, in, "inputs");
  lam_tensor ids = head_ids (t, in, lam_rank_of (t, x) - 1), xent, weights, weight, pair[2];
  lam_nest out = lam_nest_map (t);
  part all;
  pair[0] = x;
  pair[1] = ids;
  if (in_chunks (p, t, x, ids))
    all = chunks (p, t, pair, logits);
  else
    all = whole (p, t, logits (p, t, x),
                 lam_is_nil (ids) && lam_is_ok (t)
                     ? lam_nest_get_tensor (t, in, "class_probabilities")
                     : targets (p, t, ids, head_wide (t, x)));
  weights = head_weights (t, in, all.argmax, lam_dtype_of (t, all.xent));
  weight = lam_sum (t, weights, LAM_EVERY_AXIS, false);
  xent = lam_is_nil (ids) ? all.xent
                          : lam_mul (t, all.xent, head_trust (t, ids, weights, p->num_classes));
  lam_nest_set_tensor (t, out, "per_example_argmax", all.argmax);
  lam_nest_set_tensor (t, out, "per_example_xent", xent);
  lam_nest_set_tensor (t, out, "total_xent",
                       lam_sum (t, lam_mul (t, xent, weights), LAM_EVERY_AXIS, false));
  lam_nest_set_tensor (t, out, "total_weight", weight);
  lam_nest_set_tensor (t, out, "avg_xent", head_average (t, xent, weights, weight));
  if (!lam_is_nil (ids))
    lam_nest_set_tensor (t, out, "accuracy", head_accuracy (t, all.argmax, ids, weights));
  if (!lam_is_nil (all.logits))
    set_logits (t, out, all.logits, lam_dtype_of (t, x));
  if (p->z_loss_weight > 0) {
    lam_tensor z = head_average (t, head_z_loss (t, all.logits), weights, weight);
    lam_nest_set_tensor (t, out, "z_loss", head_add_z_loss (t, z, p->z_loss_weight));
  }
  return out;
}
