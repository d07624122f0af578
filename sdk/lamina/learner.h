/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file learner.h
 * Everything a learner includes: the policy between gradients and new variables (norms, validity,
 * clipping, which optimizer, skipping). The core differentiates, all-reduces and zeroes the gradients
 * of variables that are not learnable before it calls the learner.
 */
#ifndef LAMINA_LEARNER_H
#define LAMINA_LEARNER_H

#include <lamina/method.h>
#include <lamina/nest.h>
#include <lamina/ops.h>
#include <lamina/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is known of one variable, in flatten order of the variable tree. */
typedef struct lam_var_info {
  uint32_t struct_size;
  uint32_t collections; /**< LAM_NON_TRAINABLE ... */
  const char *path;     /**< "network.layers_0.w", without the root's name */
  lam_type type;        /**< dtype and shape */
  int32_t learnable;    /**< 1: gradient and update apply */
  int32_t n_prefix;     /**< how many leading dims count repeats of one layer; 0: none */
} lam_var_info;

/** Arguments of the learner's calls; trees have the structure of the variable tree. */
typedef struct lam_learn {
  uint32_t struct_size;
  uint32_t n_vars;                  /**< length of infos, leaves of every tree */
  const lam_var_info *const *infos; /**< n_vars pointers, flatten order */
  lam_nest vars;                    /**< values before the step */
  lam_nest grads;                   /**< update_states: gradients, zero where not learnable */
  lam_nest states;  /**< update_states: what init_states or the last step returned */
  lam_nest updates; /**< apply_gradient: what update_states returned */
  lam_tensor step;  /**< u32 scalar before its increment */
} lam_learn;

/** A learner type: what the host calls, written by LAM_LEARNER. */
typedef struct lam_learner_vt {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t instance_size; /**< bytes of self, which the host zeroes and fills from the config */
  lam_declare_fields_fn fields;             /**< [load] */
  void (*setup) (void *self, lam_setup *s); /**< [instance] */
  /** [any] Name of the metric that is the loss; valid as long as the instance. */
  const char *(*loss_name) (const void *self);
  /** [trace] Scalar of lam_real_dtype (t), for the summary `learning_rate`. */
  lam_tensor (*learning_rate) (const void *self, lam_trace *t, lam_tensor step);
  /** [trace] Start states for learn->vars. */
  lam_nest (*init_states) (const void *self, lam_trace *t, const lam_learn *learn);
  /** [trace] Returns the updates (tree as vars), sets *new_states (structure as learn->states). */
  lam_nest (*update_states) (const void *self, lam_trace *t, const lam_learn *learn,
                             lam_nest *new_states);
  /** [trace] New variables: old + update where learnable, else old. */
  lam_nest (*apply_gradient) (const void *self, lam_trace *t, const lam_learn *learn);
  /** [trace] Optional: clears learnable[i] of the variables that this learner leaves alone; the others
   * are differentiated by its loss. learnable starts as the infos say. */
  void (*select) (const void *self, lam_trace *t, const lam_var_info *const *infos, uint32_t n,
                  bool *learnable);
} lam_learner_vt;

/** The five functions T_loss_name ... T_apply_gradient and T_setup must exist. */
#define LAM_LEARNER(T, id, revision, summary) LAM_LEARNER_ (T, id, revision, summary, NULL)

/** The same for a learner with T_select. */
#define LAM_LEARNER_WITH_SELECT(T, id, revision, summary)                                          \
  static void T##_lam_select (const void *self, lam_trace *t, const lam_var_info *const *infos,    \
                              uint32_t n, bool *learnable)                                         \
  {                                                                                                \
    LAM_TRY                                                                                        \
    T##_select ((const T *)self, t, infos, n, learnable);                                          \
    LAM_CATCH (t->api->fail (t, LAM_E_INTERNAL, LAM_EXCEPTION))                                    \
  }                                                                                                \
  LAM_LEARNER_ (T, id, revision, summary, T##_lam_select)

/* select: the function or NULL. */
#define LAM_LEARNER_(T, id, revision, summary, select)                                             \
  LAM_SETUP_THUNK_ (T)                                                                             \
  static const char *T##_lam_loss_name (const void *self)                                          \
  {                                                                                                \
    const char *name = NULL;                                                                       \
    LAM_TRY                                                                                        \
    name = T##_loss_name ((const T *)self);                                                        \
    LAM_CATCH ((void)0)                                                                            \
    return name;                                                                                   \
  }                                                                                                \
  static lam_tensor T##_lam_learning_rate (const void *self, lam_trace *t, lam_tensor step)        \
  {                                                                                                \
    lam_tensor y = lam_nil ();                                                                     \
    LAM_TRY                                                                                        \
    y = T##_learning_rate ((const T *)self, t, step);                                              \
    LAM_CATCH (t->api->fail (t, LAM_E_INTERNAL, LAM_EXCEPTION))                                    \
    return y;                                                                                      \
  }                                                                                                \
  static lam_nest T##_lam_init_states (const void *self, lam_trace *t, const lam_learn *learn)     \
  {                                                                                                \
    lam_nest y = {0, 0};                                                                           \
    LAM_TRY                                                                                        \
    y = T##_init_states ((const T *)self, t, learn);                                               \
    LAM_CATCH (t->api->fail (t, LAM_E_INTERNAL, LAM_EXCEPTION))                                    \
    return y;                                                                                      \
  }                                                                                                \
  static lam_nest T##_lam_update_states (const void *self, lam_trace *t, const lam_learn *learn,   \
                                         lam_nest *new_states)                                     \
  {                                                                                                \
    lam_nest y = {0, 0};                                                                           \
    LAM_TRY                                                                                        \
    y = T##_update_states ((const T *)self, t, learn, new_states);                                 \
    LAM_CATCH (t->api->fail (t, LAM_E_INTERNAL, LAM_EXCEPTION))                                    \
    return y;                                                                                      \
  }                                                                                                \
  static lam_nest T##_lam_apply_gradient (const void *self, lam_trace *t, const lam_learn *learn)  \
  {                                                                                                \
    lam_nest y = {0, 0};                                                                           \
    LAM_TRY                                                                                        \
    y = T##_apply_gradient ((const T *)self, t, learn);                                            \
    LAM_CATCH (t->api->fail (t, LAM_E_INTERNAL, LAM_EXCEPTION))                                    \
    return y;                                                                                      \
  }                                                                                                \
  static const lam_learner_vt T##_lam_vt = {(uint32_t)sizeof (lam_learner_vt),                     \
                                            0,                                                     \
                                            sizeof (T),                                            \
                                            T##_lam_fields,                                        \
                                            T##_lam_setup,                                         \
                                            T##_lam_loss_name,                                     \
                                            T##_lam_learning_rate,                                 \
                                            T##_lam_init_states,                                   \
                                            T##_lam_update_states,                                 \
                                            T##_lam_apply_gradient,                                \
                                            select};                                               \
  LAM_DESCRIBE (T, LAM_KIND_LEARNER, id, revision, summary, &T##_lam_vt)

#ifdef __cplusplus
}
#endif
#endif
