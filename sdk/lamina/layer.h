/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file layer.h
 * Everything a layer includes. A layer is a struct of config fields and handles, a setup that
 * declares variables and children, and named methods that record operations.
 *
 *   LAM_FIELDS (T, ...)                     its config keys
 *   static void T_setup (T *p, lam_setup *s)
 *   static lam_tensor T_fprop (const T *p, lam_trace *t, lam_tensor x)
 *   LAM_LAYER (T, "vendor.name", revision, "One sentence.")
 *
 * or, with methods over nests (decode, init_states, extend_step, ...):
 *
 *   static lam_nest T_fprop (const T *p, lam_trace *t, lam_nest in)
 *   LAM_METHODS (T, LAM_METHOD (T, fprop) LAM_METHOD (T, decode), LAM_USE (T, fprop), LAM_USE (T, decode))
 *   LAM_LAYER_METHODS (T, "vendor.name", revision, "One sentence.")
 *
 * The host allocates and zeroes T, fills its fields, calls setup once, and may then trace any method
 * many times; the instance is read-only then. T must be plain data.
 */
#ifndef LAMINA_LAYER_H
#define LAMINA_LAYER_H

#include <lamina/method.h>
#include <lamina/nest.h>
#include <lamina/ops.h>
#include <lamina/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A named method. */
typedef struct lam_method {
  uint32_t struct_size;
  uint32_t reserved;
  const char *name;                                               /**< "fprop" ... */
  lam_nest (*call) (const void *self, lam_trace *t, lam_nest in); /**< [trace] */
} lam_method;

/** A layer type. */
typedef struct lam_layer_vt {
  uint32_t struct_size;
  uint32_t n_methods;     /**< length of methods */
  uint64_t instance_size; /**< bytes of self, which the host zeroes and fills from the config */
  lam_declare_fields_fn fields;             /**< [load] */
  void (*setup) (void *self, lam_setup *s); /**< [instance] */
  const lam_method *const *methods;         /**< n_methods pointers */
} lam_layer_vt;

/** Thunk and record of a nest method T_name. */
#define LAM_METHOD(T, method)                                                                      \
  static lam_nest T##_lam_##method (const void *self, lam_trace *t, lam_nest in)                   \
  {                                                                                                \
    lam_nest out = {0, 0};                                                                         \
    LAM_TRY                                                                                        \
    out = T##_##method ((const T *)self, t, in);                                                   \
    LAM_CATCH (t->api->fail (t, LAM_E_INTERNAL, LAM_EXCEPTION))                                    \
    return out;                                                                                    \
  }                                                                                                \
  static const lam_method T##_lam_method_##method = {(uint32_t)sizeof (lam_method), 0, #method,    \
                                                     T##_lam_##method};

/** Thunk and record of a one-tensor method T_name. */
#define LAM_METHOD_TENSOR(T, method)                                                               \
  static lam_nest T##_lam_##method (const void *self, lam_trace *t, lam_nest in)                   \
  {                                                                                                \
    lam_tensor y = lam_nil ();                                                                     \
    LAM_TRY                                                                                        \
    y = T##_##method ((const T *)self, t, t->api->nest_tensor (t, in));                            \
    LAM_CATCH (t->api->fail (t, LAM_E_INTERNAL, LAM_EXCEPTION))                                    \
    return t->api->nest_leaf (t, y);                                                               \
  }                                                                                                \
  static const lam_method T##_lam_method_##method = {(uint32_t)sizeof (lam_method), 0, #method,    \
                                                     T##_lam_##method};

/** Names a method in the list of LAM_METHODS. */
#define LAM_USE(T, method) &T##_lam_method_##method

/** The methods of T: first their LAM_METHOD / LAM_METHOD_TENSOR, then the LAM_USE list. */
#define LAM_METHODS(T, thunks, ...)                                                                \
  thunks static const lam_method *const T##_lam_methods[] = {__VA_ARGS__};

/** A layer type whose methods LAM_METHODS declared. */
#define LAM_LAYER_METHODS(T, id, revision, summary)                                                \
  LAM_SETUP_THUNK_ (T)                                                                             \
  static const lam_layer_vt T##_lam_vt = {                                                         \
      (uint32_t)sizeof (lam_layer_vt),                                                             \
      (uint32_t)(sizeof T##_lam_methods / sizeof T##_lam_methods[0]),                              \
      sizeof (T),                                                                                  \
      T##_lam_fields,                                                                              \
      T##_lam_setup,                                                                               \
      T##_lam_methods};                                                                            \
  LAM_DESCRIBE (T, LAM_KIND_LAYER, id, revision, summary, &T##_lam_vt)

/** A layer type with one method, fprop of one tensor. */
#define LAM_LAYER(T, id, revision, summary)                                                        \
  LAM_METHODS (T, LAM_METHOD_TENSOR (T, fprop), LAM_USE (T, fprop))                                \
  LAM_LAYER_METHODS (T, id, revision, summary)

#ifdef __cplusplus
}
#endif
#endif
