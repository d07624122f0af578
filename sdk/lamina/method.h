/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file method.h
 * Guards around plugin code in C++: a thrown exception becomes the sticky error. In C they are empty.
 */
#ifndef LAMINA_METHOD_H
#define LAMINA_METHOD_H

#include <lamina/setup.h>
#include <lamina/trace.h>

#ifdef __cplusplus
#define LAM_TRY try {
#define LAM_CATCH(fail)                                                                            \
  }                                                                                                \
  catch (...)                                                                                      \
  {                                                                                                \
    fail;                                                                                          \
  }
#else
#define LAM_TRY         {
#define LAM_CATCH(fail) }
#endif
#define LAM_EXCEPTION "a C++ exception escaped from the plugin; catch it and call lam_fail instead"

/* The setup thunk that every kind shares. */
#define LAM_SETUP_THUNK_(T)                                                                        \
  static void T##_lam_setup (void *self, lam_setup *s)                                             \
  {                                                                                                \
    LAM_TRY                                                                                        \
    T##_setup ((T *)self, s);                                                                      \
    LAM_CATCH (s->api->fail (s, LAM_E_INTERNAL, LAM_EXCEPTION))                                    \
  }

#endif
