/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file optimizer.h
 * Everything an optimizer includes. An optimizer declares, for each variable, the slots it keeps,
 * and records their update. The host keeps the count, the learning rate and its schedule, and does
 * everything around it (semantics of Praxis' optimizers):
 *
 *   g <- g + l1 * sign (p);  g <- g + l2 * p;  u = update (g) [includes -learning_rate];
 *   u <- u - learning_rate * decoupled_weight_decay * p;  u <- u - learning_rate * ewc / 2 * (p - p0)
 *
 * and averages the variables (ema_decay), sums gradients over num_sub_batches steps before it calls
 * update with their mean, and calls update once for each layer of a stack of repeated layers, with
 * the types of one layer. The keys of all that (lamina params optimizer) belong to every optimizer's
 * config; the plugin's own table must not name them.
 */
#ifndef LAMINA_OPTIMIZER_H
#define LAMINA_OPTIMIZER_H

#include <lamina/method.h>
#include <lamina/nest.h>
#include <lamina/ops.h>
#include <lamina/context.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LAM_MAX_SLOTS 8 /**< most slots of one variable */

/** Collects slots; given to declare_slots. */
typedef struct lam_slots {
  uint32_t struct_size;
  uint32_t reserved;
  /** [trace] A slot of the variable's shape; dtype LAM_DTYPE_NONE: the variable's. */
  void (*add) (struct lam_slots *s, const char *name, lam_dtype dtype, double start);
  /** [trace] A slot of any type; not in ABI 1.0's first hosts: test with LAM_HAS. */
  void (*add_spec) (struct lam_slots *s, const char *name, const lam_type *type, double start);
} lam_slots;

/** One variable's update. Slots in the order of declaration. */
typedef struct lam_update {
  uint32_t struct_size;
  uint32_t n_slots;         /**< length of slots and new_slots */
  lam_tensor grad;          /**< as var */
  lam_tensor var;           /**< its value before the update */
  lam_tensor learning_rate; /**< scalar of real_dtype: schedule (count) * learning_rate */
  lam_tensor count;         /**< u32 scalar: updates made before this one */
  const lam_tensor *slots;  /**< their values before the update */
  lam_tensor *new_slots;    /**< filled by update */
  const char *path;         /**< of the variable, "network.layers_0.w" */
} lam_update;

/** An optimizer type: what the host calls, written by LAM_OPTIMIZER. */
typedef struct lam_optimizer_vt {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t instance_size; /**< bytes of self, which the host zeroes and fills from the config */
  lam_declare_fields_fn fields;                                                /**< [load] */
  void (*setup) (void *self, lam_setup *s);                                    /**< [instance] */
  void (*declare_slots) (const void *self, lam_slots *s, const lam_type *var); /**< [trace] */
  /** [trace] Returns u, to be added to var: it includes the factor -learning_rate. */
  lam_tensor (*update) (const void *self, lam_trace *t, const lam_update *u);
} lam_optimizer_vt;

/**
 * T_setup (T *, lam_setup *), T_declare_slots (const T *, lam_slots *, const lam_type *) and
 * T_update (const T *, lam_trace *, const lam_update *) must exist.
 */
#define LAM_OPTIMIZER(T, id, revision, summary)                                                    \
  LAM_SETUP_THUNK_ (T)                                                                             \
  static void T##_lam_declare_slots (const void *self, lam_slots *s, const lam_type *var)          \
  {                                                                                                \
    LAM_TRY                                                                                        \
    T##_declare_slots ((const T *)self, s, var);                                                   \
    LAM_CATCH (s->add (s, NULL, LAM_DTYPE_NONE, 0))                                                \
  }                                                                                                \
  static lam_tensor T##_lam_update (const void *self, lam_trace *t, const lam_update *u)           \
  {                                                                                                \
    lam_tensor y = lam_nil ();                                                                     \
    LAM_TRY                                                                                        \
    y = T##_update ((const T *)self, t, u);                                                        \
    LAM_CATCH (t->api->fail (t, LAM_E_INTERNAL, LAM_EXCEPTION))                                    \
    return y;                                                                                      \
  }                                                                                                \
  static const lam_optimizer_vt T##_lam_vt = {(uint32_t)sizeof (lam_optimizer_vt),                 \
                                              0,                                                   \
                                              sizeof (T),                                          \
                                              T##_lam_fields,                                      \
                                              T##_lam_setup,                                       \
                                              T##_lam_declare_slots,                               \
                                              T##_lam_update};                                     \
  LAM_DESCRIBE (T, LAM_KIND_OPTIMIZER, id, revision, summary, &T##_lam_vt)

#ifdef __cplusplus
}
#endif
#endif
