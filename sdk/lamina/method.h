/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file method.h
 * The thunk that the kinds which are built from a config share.
 */
#ifndef LAMINA_METHOD_H
#define LAMINA_METHOD_H

#include <lamina/setup.h>
#include <lamina/trace.h>

/* The setup thunk that every kind shares. */
#define LAM_SETUP_THUNK_(T)                                                                        \
  static void T##_lam_setup (void *self, lam_setup *s)                                             \
  {                                                                                                \
    LAM_TRY                                                                                        \
    T##_setup ((T *)self, s);                                                                      \
    LAM_CATCH (s->api->fail (s, LAM_E_INTERNAL, LAM_EXCEPTION))                                    \
  }

#endif
