/* SPDX-License-Identifier: Apache-2.0 */
/* Backends as the core sees them: opening by name, compiling functions (after the transform
 * pipeline), binding host arrays or device buffers, running. */
#ifndef LM_RUN_RUN_H
#define LM_RUN_RUN_H

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/plugin/registry.h"
#include "core/transform/transform.h"
#include <lamina/backend.h>
#include <lamina/collective.h>

typedef struct LmBackend LmBackend;

/* name: a full id ("lamina.cpu") or its last part when that is unambiguous ("cpu"); NULL: the backend
 * of the highest probe score. options: JSON object for its field table or NULL. Error lists the
 * backends there are. */
LmBackend *lm_backend_open (LmRegistry *registry, const char *name, JsonObject *options,
                            GError **error);
/* The id that lm_backend_open would take. */
char *lm_backend_find_id (LmRegistry *registry, const char *name, GError **error);
/* Whether its field table has an option of that name. */
bool lm_backend_has_option (LmRegistry *registry, const char *id, const char *option);
/* Over a vtable directly (tests, conformance). */
LmBackend *lm_backend_open_vtable (const char *id, const lam_backend_vt *vt, const lam_host *host,
                                   JsonObject *options, GError **error);
LmBackend *lm_backend_ref (LmBackend *backend);
void lm_backend_unref (LmBackend *backend);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmBackend, lm_backend_unref)
const char *lm_backend_id (const LmBackend *backend);
const char *lm_backend_device_name (const LmBackend *backend);
LmClaims lm_backend_claims (LmBackend *backend); /* for lm_legalize; valid while backend lives */

/* A device tensor. */
typedef struct LmBuffer LmBuffer;
LmBuffer *lm_buffer_new (LmBackend *backend, const lam_type *type, uint64_t layout, GError **error);
LmBuffer *lm_buffer_new_from_array (LmBackend *backend, const LmArray *array, GError **error);
bool lm_buffer_write (LmBuffer *buffer, const LmArray *array, GError **error);
LmArray *lm_buffer_read (LmBuffer *buffer, GError **error);
/* Into memory the caller owns, no allocation: lam_type_bytes (type) bytes. */
bool lm_buffer_read_into (LmBuffer *buffer, void *data, GError **error);
const lam_type *lm_buffer_type (const LmBuffer *buffer);
uint64_t lm_buffer_layout (const LmBuffer *buffer);
void lm_buffer_free (LmBuffer *buffer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmBuffer, lm_buffer_free)

/* A compiled function. */
typedef struct LmExecutable LmExecutable;

typedef struct LmCompileArgs {
  const lam_alias *aliases; /* output <- input donations */
  uint32_t n_aliases;
  GString *explain; /* may be NULL: decisions of legalize */
  LmStageFn dump;   /* may be NULL: each stage's function, last "final" */
  gpointer dump_user;
} LmCompileArgs;

LmExecutable *lm_compile (LmBackend *backend, const LmFunction *f, const LmCompileArgs *args,
                          GError **error);
void lm_executable_free (LmExecutable *exe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmExecutable, lm_executable_free)
const LmFunction *lm_executable_function (const LmExecutable *exe); /* as compiled (final stage) */
uint64_t lm_executable_layout (const LmExecutable *exe, bool output, uint32_t i);

/* All further runs are those of one replica of a group (borrowed; NULL: of one replica alone). */
void lm_executable_set_collective (LmExecutable *exe, const lam_collective *collective);

/* Runs over device buffers: in[i], out[o] as the function's parameters and results (types checked);
 * for an alias {o, i} out[o] must be in[i]. Allocates nothing. */
bool lm_execute (LmExecutable *exe, LmBuffer *const *in, LmBuffer *const *out, GError **error);

/* One-shot over host arrays: copies in, runs, copies out. out gets n_results new arrays. */
bool lm_execute_arrays (LmExecutable *exe, LmArray *const *in, LmArray **out, GError **error);
/* Compiles and runs f once. */
bool lm_run_function (LmBackend *backend, const LmFunction *f, LmArray *const *in, LmArray **out,
                      GError **error);

/* The memory plan as text for `lamina ir --stage plan`: one line a buffer (value, type, bytes,
 * offset, lifetime, what it shares), then slab bytes, sum, peak of live bytes (the lower bound). */
char *lm_executable_plan_text (const LmExecutable *exe);
uint64_t lm_executable_slab_bytes (const LmExecutable *exe);

#endif
