/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of core/run, shared by its files only. */
#ifndef LM_RUN_PRIVATE_H
#define LM_RUN_PRIVATE_H

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

#endif
