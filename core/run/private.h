/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of core/run, shared by its files only. */
#ifndef LM_RUN_PRIVATE_H
#define LM_RUN_PRIVATE_H

#include "core/base/params.h"
#include "core/plugin/error.h"
#include "core/run/run.h"

struct LmBackend {
  gint refs; /* atomic */
  char *id;
  const lam_backend_vt *vt; /* &table */
  lam_backend_vt table;     /* a copy, so that a backend may outlive the registry it came from */
  lam_backend *self;
};

struct LmBuffer {
  LmBackend *backend;
  lam_buffer *self;
  lam_type type;
  uint64_t layout;
};

struct LmExecutable {
  LmBackend *backend;
  lam_exec *self;
  LmFunction *function; /* as compiled */
  lam_alias *aliases;
  guint n_aliases;
  lam_buffer **in, **out; /* room for a call's bindings */
  const lam_collective *collective;
};

/* The id that a name means: a full id, or the last part of exactly one; an error lists those that there
 * are. noun: "backend". */
char *lm_find_id (LmRegistry *registry, const char *kind, const char *noun, const char *name,
                  GError **error);

/* A plugin's options struct, filled from JSON (may be NULL), and what it points to. */
typedef struct LmFilled {
  LmFieldTable *table;
  LmParams *params;
  void *options;
} LmFilled;
bool lm_fill_options (LmFilled *out, const char *id, lam_declare_fields_fn fields, uint64_t size,
                      JsonObject *options, GError **error);
void lm_filled_clear (LmFilled *filled);

#endif
