/* SPDX-License-Identifier: Apache-2.0 */
/* What a step does over its replicas (semantics 1.2, 1.5, 1.6): keys, metrics, rows, summaries and
 * non-trainable variables. Without a named axis nothing happens here. */
#include "core/step/private.h"

#define METRIC_EPSILON 1e-8
#define MAX_IMAGES     64

static bool
named (lam_trace *t)
{
  return lam_axis_size (t) > 0 && lam_is_ok (t);
}

static lam_tensor
axis_index (lam_trace *t)
{
  lam_op_call call = lam_op_call_make (LAM_OP_axis_index, NULL, 0);
  return lam_record (t, &call);
}

lam_key
lm_replica_key (lam_trace *t, lam_key key)
{
  return named (t) ? lam_fold_in (t, key, axis_index (t)) : key;
}

/* A replica whose rows all have weight 0 (the rest of an evaluation) adds nothing, though its mean is not
 * a number. */
void
lm_replica_metrics (lam_trace *t, lam_tensor *pairs, guint n)
{
  if (!named (t) || n == 0)
    return;
  for (guint i = 0; i < 2 * n; i += 2) {
    pairs[i + 1] = lam_cast (t, pairs[i + 1], lam_dtype_of (t, pairs[i]));
    lam_tensor none = lam_eq (t, pairs[i + 1], lam_zeros_like (t, pairs[i + 1]));
    pairs[i] = lam_mul (t, pairs[i], pairs[i + 1]);
    pairs[i] = lam_where (t, none, lam_zeros_like (t, pairs[i]), pairs[i]);
  }
  lam_all_reduce (t, "add", pairs, 2 * n, pairs);
  for (guint i = 0; i < 2 * n; i += 2)
    pairs[i] = lam_div (t, pairs[i], lam_add_scalar (t, pairs[i + 1], METRIC_EPSILON));
}

lam_tensor
lm_replica_rows (lam_trace *t, lam_tensor x)
{
  if (!named (t) || lam_rank_of (t, x) == 0)
    return x;
  lam_attr attrs[2] = {lam_attr_of_int ("all_gather_dimension", 0),
                       lam_attr_of_int ("replica_count", lam_axis_size (t))};
  return lam_record_unary (t, LAM_OP_all_gather, x, attrs, 2);
}

/* value and weight in place: sum (v w) / sum (w), 0 where nothing weighs, and sum (w). */
static void
average (lam_trace *t, LmSummary *s)
{
  lam_tensor sums[2] = {lam_mul (t, s->value, s->weight), s->weight};
  lam_all_reduce (t, "add", sums, 2, sums);
  lam_tensor none = lam_eq (t, sums[1], lam_zeros_like (t, sums[1]));
  lam_tensor by = lam_where (t, none, lam_scalar_like (t, sums[1], 1), sums[1]);
  s->value = lam_div (t, sums[0], by);
  s->weight = sums[1];
}

/* (B, H, W, C) of each -> (N * B, H, W, C), the first 64 */
static lam_tensor
first_images (lam_trace *t, lam_tensor x)
{
  lam_tensor all = lm_replica_rows (t, x);
  lam_shape shape = lam_shape_of (t, all);
  if (shape.rank != 4 || shape.dims[0] <= MAX_IMAGES)
    return all;
  return lam_slice_axis (t, all, 0, 0, MAX_IMAGES);
}

/* (K, 3): left edges, right edges, counts; the edges are the same on every replica */
static lam_tensor
sum_counts (lam_trace *t, lam_tensor x)
{
  lam_tensor parts[2] = {lam_slice_axis (t, x, 1, 0, 2),
                         lam_psum (t, lam_slice_axis (t, x, 1, 2, 3))};
  return lam_concat (t, parts, 2, 1);
}

void
lm_replica_summary (lam_trace *t, LmSummary *s)
{
  if (!named (t))
    return;
  switch (s->type) {
  case LAM_SUMMARY_SCALAR:
    if (!lam_dtype_is_float (lam_dtype_of (t, s->value)))
      s->value = lam_cast (t, s->value, lam_real_dtype (t));
    s->value = lam_pmean (t, s->value);
    break;
  case LAM_SUMMARY_IMAGE:
    s->value = first_images (t, s->value);
    break;
  case LAM_SUMMARY_AGGREGATE_SCALAR:
  case LAM_SUMMARY_AGGREGATE_IMAGE:
    average (t, s);
    break;
  case LAM_SUMMARY_HISTOGRAM:
    s->value = sum_counts (t, s->value);
    break;
  default: /* text: this replica's */
    break;
  }
}

/* old + mean or sum of (new - old) */
static lam_tensor
combine (lam_trace *t, lam_tensor old, lam_tensor new, bool mean)
{
  lam_dtype dtype = lam_dtype_of (t, old);
  lam_tensor delta = lam_psum (t, lam_sub (t, new, old));
  if (!mean)
    return lam_add (t, old, delta);
  if (lam_dtype_is_float (dtype))
    return lam_add (t, old, lam_div_scalar (t, delta, (double)lam_axis_size (t)));
  delta = lam_div_scalar (t, lam_cast (t, delta, LAM_F64), (double)lam_axis_size (t));
  return lam_add (t, old, lam_cast (t, lam_round (t, delta), dtype));
}

lam_tensor
lm_replica_sync (lam_trace *t, const lam_var_info *info, lam_tensor old, lam_tensor new)
{
  bool mean = (info->collections & LAM_REQUIRES_MEAN_SYNC) != 0;
  bool sum = (info->collections & LAM_REQUIRES_SUM_SYNC) != 0;
  new = lam_cast (t, new, info->type.dtype);
  if (!named (t))
    return new;
  if (mean == sum) {
    lm_trace_failf (
        (LmTrace *)t, LM_ERROR_INVALID,
        "variable %s is not trainable and the step runs on replicas: its collections must "
        "have one of LAM_REQUIRES_MEAN_SYNC and LAM_REQUIRES_SUM_SYNC, so that all keep "
        "one value",
        info->path);
    return new;
  }
  return info->type.dtype == LAM_PRED ? new : combine (t, old, new, mean);
}
