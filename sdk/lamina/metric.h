/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file metric.h
 * Everything a metric includes: a number of a batch, with its weight, computed in the step from the
 * batch and from what the model gave. Over batches and replicas a metric is sum (v w) / sum (w).
 *
 * A config names metrics at its top level: "metrics": { "top5": { "type": "acme.top_k", "k": 5 } }.
 */
#ifndef LAMINA_METRIC_H
#define LAMINA_METRIC_H

#include <lamina/method.h>
#include <lamina/nest.h>
#include <lamina/ops.h>
#include <lamina/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A metric type: what the host calls, written by LAM_METRIC. */
typedef struct lam_metric_vt {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t instance_size; /**< bytes of self, which the host zeroes and fills from the config */
  lam_declare_fields_fn fields;             /**< [load] */
  void (*setup) (void *self, lam_setup *s); /**< [instance] */
  /** [trace] in: {"inputs": the batch, "per_example": what the model's fprop gave per example}.
   * Result: {"value", "weight"}, float scalars; see lam_metric_of. */
  lam_nest (*value) (const void *self, lam_trace *t, lam_nest in);
} lam_metric_vt;

/** The result of a metric: a value and how much it counts, float scalars. */
static inline lam_nest
lam_metric_of (lam_trace *t, lam_tensor value, lam_tensor weight)
{
  lam_nest out = lam_nest_map (t);
  lam_nest_set_tensor (t, out, "value", value);
  lam_nest_set_tensor (t, out, "weight", weight);
  return out;
}

/** T_setup (T *, lam_setup *) and T_value (const T *, lam_trace *, lam_nest) must exist. */
#define LAM_METRIC(T, id, revision, summary)                                                       \
  LAM_SETUP_THUNK_ (T)                                                                             \
  static lam_nest T##_lam_value (const void *self, lam_trace *t, lam_nest in)                      \
  {                                                                                                \
    lam_nest y = {0, 0};                                                                           \
    LAM_TRY                                                                                        \
    y = T##_value ((const T *)self, t, in);                                                        \
    LAM_CATCH (t->api->fail (t, LAM_E_INTERNAL, LAM_EXCEPTION))                                    \
    return y;                                                                                      \
  }                                                                                                \
  static const lam_metric_vt T##_lam_vt = {(uint32_t)sizeof (lam_metric_vt),                       \
                                           0,                                                      \
                                           sizeof (T),                                             \
                                           T##_lam_fields,                                         \
                                           T##_lam_setup,                                          \
                                           T##_lam_value};                                         \
  LAM_DESCRIBE (T, LAM_KIND_METRIC, id, revision, summary, &T##_lam_vt)

#ifdef __cplusplus
}
#endif
#endif
