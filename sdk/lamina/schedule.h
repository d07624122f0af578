/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file schedule.h
 * Everything a schedule includes: a multiplier of the learning rate as a function of a count.
 */
#ifndef LAMINA_SCHEDULE_H
#define LAMINA_SCHEDULE_H

#include <lamina/method.h>
#include <lamina/nest.h>
#include <lamina/ops.h>
#include <lamina/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A schedule type: what the host calls, written by LAM_SCHEDULE. */
typedef struct lam_schedule_vt {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t instance_size; /**< bytes of self, which the host zeroes and fills from the config */
  lam_declare_fields_fn fields;             /**< [load] */
  void (*setup) (void *self, lam_setup *s); /**< [instance] */
  /** [trace] count: u32 scalar; result: scalar of lam_real_dtype (t). */
  lam_tensor (*value) (const void *self, lam_trace *t, lam_tensor count);
} lam_schedule_vt;

/** The value of a schedule that setup created, at a count (u32 scalar). */
static inline lam_tensor
lam_schedule_value (lam_trace *t, lam_child schedule, lam_tensor count)
{
  return t->api->schedule_value (t, schedule, count);
}

/** T_setup (T *, lam_setup *) and T_value (const T *, lam_trace *, lam_tensor) must exist. */
#define LAM_SCHEDULE(T, id, revision, summary)                                                     \
  LAM_SETUP_THUNK_ (T)                                                                             \
  static lam_tensor T##_lam_value (const void *self, lam_trace *t, lam_tensor count)               \
  {                                                                                                \
    lam_tensor y = lam_nil ();                                                                     \
    LAM_TRY                                                                                        \
    y = T##_value ((const T *)self, t, count);                                                     \
    LAM_CATCH (t->api->fail (t, LAM_E_INTERNAL, LAM_EXCEPTION))                                    \
    return y;                                                                                      \
  }                                                                                                \
  static const lam_schedule_vt T##_lam_vt = {(uint32_t)sizeof (lam_schedule_vt),                   \
                                             0,                                                    \
                                             sizeof (T),                                           \
                                             T##_lam_fields,                                       \
                                             T##_lam_setup,                                        \
                                             T##_lam_value};                                       \
  LAM_DESCRIBE (T, LAM_KIND_SCHEDULE, id, revision, summary, &T##_lam_vt)

#ifdef __cplusplus
}
#endif
#endif
