/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ops_replica.h
 * Operations over the replicas of a data-parallel step. Where no axis is named (lam_axis_size is 0) the
 * sum and mean of x are x itself, as in Lingvo-JAX's layers outside of pmap. All: [trace].
 */
#ifndef LAMINA_OPS_REPLICA_H
#define LAMINA_OPS_REPLICA_H

#include <lamina/ops_math.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Number of replicas; 0: no axis is named. */
static inline uint32_t
lam_axis_size (lam_trace *t)
{
  return LAM_HAS (t->api, lam_trace_api, axis_size) ? t->api->axis_size (t) : 0;
}

/** n tensors in one all_reduce: one message. xs and outs may be the same array. computation: "add",
 * "maximum", "minimum". */
static inline void
lam_all_reduce (lam_trace *t, const char *computation, const lam_tensor *xs, uint32_t n,
                lam_tensor *outs)
{
  lam_attr attr;
  lam_op_call call;
  if (lam_axis_size (t) == 0) {
    for (uint32_t i = 0; i < n; i++)
      outs[i] = xs[i];
    return;
  }
  attr = lam_attr_of_str ("computation", computation);
  call = lam_op_call_make (LAM_OP_all_reduce, xs, n);
  call.attrs = &attr;
  call.n_attrs = 1;
  call.n_results = n;
  call.results = outs;
  t->api->op (t, &call);
}

/** Sum over the replicas, the same bits on each: as jax.lax.psum, also in its gradient. */
static inline lam_tensor
lam_psum (lam_trace *t, lam_tensor x)
{
  lam_tensor y = lam_nil ();
  lam_all_reduce (t, "add", &x, 1, &y);
  return y;
}

/** Mean over the replicas of a float tensor: lam_psum (x) / lam_axis_size. */
static inline lam_tensor
lam_pmean (lam_trace *t, lam_tensor x)
{
  uint32_t n = lam_axis_size (t);
  return n > 1 ? lam_div_scalar (t, lam_psum (t, x), (double)n) : lam_psum (t, x);
}

#ifdef __cplusplus
}
#endif
#endif
