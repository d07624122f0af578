/* SPDX-License-Identifier: Apache-2.0 */
/* What most tests start from: a registry over the built plugins, backends by name, functions from text,
 * arrays from numbers. Each fails the test with the error's message. */
#ifndef LM_TEST_FIXTURE_H
#define LM_TEST_FIXTURE_H

#include "core/host/host.h"
#include "core/ir/text.h"
#include "core/run/run.h"

/* A new registry with the directory $LAMINA_PLUGIN_DIR, and with the plugin $LAMINA_TEST_STRANGER (a name
 * that a test sets) of $LAMINA_STRANGER_DIR. */
LmRegistry *lm_test_registry (void);

/* "reference", "cpu" ... from a registry. */
LmBackend *lm_test_backend (LmRegistry *registry, const char *name);

/* For g_test_add: a registry with "reference". */
typedef struct LmTestFixture {
  LmRegistry *registry;
  LmBackend *backend;
} LmTestFixture;
void lm_test_set_up (LmTestFixture *f, gconstpointer unused);
void lm_test_tear_down (LmTestFixture *f, gconstpointer unused);

LmFunction *lm_test_parse (const char *text);
JsonObject *lm_test_json (const char *text);

/* Array of a type such as lm_type (LAM_F64, 1, (int64_t[]){ 3 }) from doubles, rounded to its dtype. */
LmArray *lm_test_array (const lam_type *type, const double *values);
LmArray *lm_test_key (uint32_t high, uint32_t low);

/* Compiles and runs once; out gets n_results arrays. */
void lm_test_run (LmBackend *backend, const LmFunction *f, LmArray *const *in, LmArray **out);

/* Fails unless error is set, of that code, and its message holds every given piece (NULL-terminated);
 * clears it. */
void lm_test_assert_error (GError **error, LmErrorCode code, ...) G_GNUC_NULL_TERMINATED;

#endif
