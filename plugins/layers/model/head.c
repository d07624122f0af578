/* SPDX-License-Identifier: Apache-2.0 */
/* Shared parts of heads. Semantics: praxis.layers.embedding_softmax. */
#include "head.h"

#include <math.h>

lam_dtype
head_wide (lam_trace *t, lam_tensor x)
{
  lam_dtype dtype = lam_dtype_of (t, x);
  return lam_dtype_bits (dtype) < 32 ? LAM_F32 : dtype;
}

lam_tensor
head_per_example (lam_trace *t, lam_nest in, const char *name, int32_t rank)
{
  lam_tensor x = lam_nest_get_tensor (t, in, name);
  return lam_rank_of (t, x) == rank + 1 ? lam_squeeze (t, x, LAM_AXES (-1)) : x;
}

lam_tensor
head_ids (lam_trace *t, lam_nest in, int32_t rank)
{
  lam_tensor ids;
  if (lam_nest_has (t, in, "class_probabilities"))
    return lam_nil ();
  ids = head_per_example (t, in, "class_ids", rank);
  if (lam_is_ok (t) && lam_dtype_is_float (lam_dtype_of (t, ids)))
    lam_fail (t, "class_ids wants integers, got floats: give the labels an integer dtype, or give "
                 "class_probabilities (..., V)");
  return ids;
}

lam_tensor
head_weights (lam_trace *t, lam_nest in, lam_tensor like, lam_dtype dtype)
{
  lam_shape shape = lam_shape_of (t, like);
  lam_tensor w;
  if (!lam_nest_has (t, in, "class_weights"))
    return lam_full (t, dtype, shape, 1);
  w = head_per_example (t, in, "class_weights", shape.rank);
  lam_check_shape (t, "class_weights, one for each example (or with a last axis of 1)", w, shape);
  return lam_cast (t, w, dtype);
}

lam_tensor
head_trust (lam_trace *t, lam_tensor ids, lam_tensor weights, int64_t n)
{
  lam_tensor wide = lam_cast (t, ids, LAM_I64), zero = lam_zeros_like (t, wide);
  lam_tensor above = lam_ge (t, wide, lam_scalar_like (t, wide, (double)n));
  lam_tensor bad = lam_or (t, lam_lt (t, wide, zero), above);
  bad = lam_and (t, bad, lam_ne (t, weights, lam_zeros_like (t, weights)));
  return lam_where (t, bad, lam_scalar_like (t, weights, NAN), lam_scalar_like (t, weights, 1));
}

lam_tensor
head_soft_cap (lam_trace *t, lam_tensor x, double cap)
{
  if (cap == 0)
    return x;
  return lam_mul_scalar (t, lam_tanh (t, lam_div_scalar (t, x, cap)), cap);
}

lam_tensor
head_average (lam_trace *t, lam_tensor x, lam_tensor weights, lam_tensor divisor)
{
  lam_tensor total = lam_sum (t, lam_mul (t, x, weights), LAM_EVERY_AXIS, false);
  lam_tensor none = lam_eq (t, divisor, lam_zeros_like (t, divisor));
  return lam_div (t, total, lam_where (t, none, lam_scalar_like (t, divisor, 1), divisor));
}

lam_tensor
head_accuracy (lam_trace *t, lam_tensor argmax, lam_tensor ids, lam_tensor weights)
{
  lam_tensor right = lam_eq (t, lam_cast (t, argmax, LAM_I64), lam_cast (t, ids, LAM_I64));
  right = lam_mul (t, lam_cast (t, right, lam_dtype_of (t, weights)), weights);
  return lam_div (t, lam_sum (t, right, LAM_EVERY_AXIS, false),
                  lam_sum (t, weights, LAM_EVERY_AXIS, false));
}

lam_tensor
head_z_loss (lam_trace *t, lam_tensor logits)
{
  return lam_square (t, lam_logsumexp (t, logits, -1));
}

lam_tensor
head_add_z_loss (lam_trace *t, lam_tensor average, double weight)
{
  lam_tensor z = lam_mul_scalar (t, average, weight);
  lam_add_summary_scalar (t, "aux_z_loss", z);
  lam_add_aux_loss (t, "aux_z_loss", lam_cast (t, z, lam_real_dtype (t)), lam_real (t, 1));
  return z;
}

void
head_set_metric (lam_trace *t, lam_nest metrics, const char *name, lam_tensor value,
                 lam_tensor weight)
{
  lam_nest pair = lam_nest_map (t);
  lam_nest_set_tensor (t, pair, "value", value);
  lam_nest_set_tensor (t, pair, "weight", weight);
  lam_nest_set (t, metrics, name, pair);
}

lam_child
head_create_projection (lam_setup *s, const head_projection *p)
{
  lam_child_config ffn = p->feed_forward.count > 0 ? s->api->config_copy (s, p->feed_forward, 0)
                                                   : lam_config_new (s, "lamina.feed_forward");
  lam_config_set_int (s, ffn, "input_dims", p->input_dims);
  lam_config_set_int (s, ffn, "output_dims", p->num_classes);
  lam_config_set_bool (s, ffn, "has_bias", p->has_bias);
  if (p->has_bias)
    lam_config_set_float (s, ffn, "bias_init", p->bias_init);
  s->api->config_set (s, ffn, "activation", "\"identity\"");
  return lam_create_child (s, "logits_ffn", ffn);
}
