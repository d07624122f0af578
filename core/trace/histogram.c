/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms, bucketed in the graph: 30 buckets of one width between the least and the greatest value,
 * as TensorBoard's histogram plugin has them. Over replicas the edges are the least and greatest of
 * all, so that their counts add up. Values that are not finite are not counted. */
#include "core/trace/private.h"
#include <lamina/ops.h>

#define BUCKETS 30

/* The least (or greatest) finite element of x (N) on any replica; `none` where there is no such. */
static lam_tensor
extreme (lam_trace *t, lam_tensor x, lam_tensor finite, bool greatest)
{
  double none = greatest ? -3.0e38 : 3.0e38;
  lam_tensor kept = lam_where (t, finite, x, lam_full_like (t, x, none)); /* (N) */
  const char *computation = greatest ? "maximum" : "minimum";
  lam_tensor y = lam_reduce (t, kept, computation, LAM_EVERY_AXIS, false);
  lam_all_reduce (t, computation, &y, 1, &y);
  return y;
}

/* How many of the finite elements of x (N) fall into each bucket: (30) */
static lam_tensor
count (lam_trace *t, lam_tensor x, lam_tensor finite, const lam_tensor edges[2])
{
  lam_dtype dtype = lam_dtype_of (t, x);
  lam_tensor width = lam_div_scalar (t, lam_sub (t, edges[1], edges[0]), BUCKETS);
  lam_tensor some = lam_gt (t, width, lam_zeros_like (t, width));
  width = lam_where (t, some, width, lam_scalar_like (t, width, 1));
  lam_tensor at = lam_floor (t, lam_div (t, lam_sub (t, x, edges[0]), width)); /* (N) */
  at = lam_min_scalar (t, lam_max_scalar (t, at, 0), BUCKETS - 1);
  at = lam_where (t, finite, at, lam_full_like (t, at, -1));
  lam_tensor which = lam_iota (t, dtype, LAM_SHAPE (1, BUCKETS), 1); /* (1, 30) */
  lam_tensor hits = lam_eq (t, lam_expand_dims (t, at, 1), which);   /* (N, 30) */
  return lam_sum (t, lam_cast (t, hits, dtype), LAM_AXES (0), false);
}

lam_tensor
lm_histogram (LmTrace *trace, const char *name, lam_tensor value)
{
  lam_trace *t = lm_trace_pub (trace);
  lam_type type = lam_type_of (t, value);
  if (!lam_dtype_is_float (type.dtype)) {
    g_autofree char *got = lm_type_to_string (&type);
    lm_trace_failf (trace, LM_ERROR_INVALID, "summary %s: a histogram has a float dtype, got %s",
                    name, got);
    return lam_nil ();
  }
  if (lam_type_elements (&type) == 0)
    return lam_full (t, LAM_F32, LAM_SHAPE (BUCKETS, 3), 0);
  lam_tensor x = lam_cast (t, lam_reshape (t, value, LAM_SHAPE (-1)),
                           type.dtype == LAM_F64 ? LAM_F64 : LAM_F32); /* (N) */
  lam_dtype dtype = lam_dtype_of (t, x);
  lam_tensor finite = lam_is_finite (t, x);
  lam_tensor edges[2] = {extreme (t, x, finite, false), extreme (t, x, finite, true)};
  lam_tensor width = lam_div_scalar (t, lam_sub (t, edges[1], edges[0]), BUCKETS);
  lam_tensor number = lam_iota (t, dtype, LAM_SHAPE (BUCKETS), 0), columns[3]; /* (30) */
  columns[0] = lam_add (t, lam_mul (t, number, width), edges[0]);
  columns[1] = lam_add (t, lam_mul (t, lam_add_scalar (t, number, 1), width), edges[0]);
  columns[2] = count (t, x, finite, edges);
  for (guint i = 0; i < 3; i++)
    columns[i] = lam_expand_dims (t, columns[i], 1); /* (30, 1) */
  return lam_concat (t, columns, 3, 1);              /* (30, 3) */
}
