/* SPDX-License-Identifier: Apache-2.0 */
/* A stranger's backend from the time of IR minor 0 that claims nothing beyond the mandatory rows, and refuses
 * what it should never be shown. */
#include "plugins/backends/reference/exec.h"

#include <stdlib.h>

struct lam_backend {
  kit_backend base;
};

typedef struct plain_backend {
  char unused; /* no options */
} plain_backend;

LAM_NO_FIELDS (plain_backend)

/* Rows that are not mandatory, or younger than minor 0. */
static lam_status
refuse (ref_step *s, const lam_function *f, const lam_equation *e)
{
  (void)s;
  (void)f;
  switch (e->op) {
  case LAM_OP_composite:
  case LAM_OP_logistic:
  case LAM_OP_clamp:
  case LAM_OP_name:
  case LAM_OP_stop_gradient:
    return LAM_E_INTERNAL;
  default:
    return LAM_E_UNSUPPORTED;
  }
}

static int32_t
plain_probe (const lam_host *host)
{
  (void)host;
  return 1;
}

static lam_status
plain_open (const lam_host *host, const void *options, lam_backend **out, lam_error *error)
{
  (void)options;
  *out = calloc (1, sizeof **out);
  if (*out == NULL)
    return kit_fail (host, error, LAM_E_NO_MEMORY, "no memory for the backend");
  (*out)->base.host = host;
  return LAM_OK;
}

static void
plain_close (lam_backend *backend)
{
  free (backend);
}

static const char *
plain_device_name (lam_backend *backend)
{
  (void)backend;
  return "mandatory rows of minor 0";
}

static bool
plain_claims (lam_backend *backend, const lam_function *f, const lam_equation *e)
{
  (void)backend;
  (void)f;
  (void)e;
  return false;
}

static lam_status
plain_compile (lam_backend *backend, const lam_function *f, const lam_compile_options *options,
               lam_exec **out, lam_error *error)
{
  return ref_compile (backend->base.host, f, options, refuse, out, error);
}

static const lam_backend_vt plain_vt = {
    (uint32_t)sizeof (lam_backend_vt),
    0, /* IR minor */
    sizeof (plain_backend),
    plain_backend_lam_fields,
    plain_probe,
    plain_open,
    plain_close,
    plain_device_name,
    plain_claims,
    kit_buffer_new,
    kit_buffer_free,
    kit_buffer_write,
    kit_buffer_read,
    plain_compile,
    ref_exec_free,
    ref_exec_layout,
    ref_exec_plan,
    ref_execute,
};

LAM_BACKEND (plain_backend, "stranger.plain", 1, "Mandatory rows of IR minor 0 only.", &plain_vt)
LAM_PLUGIN ("stranger.backends.plain", "1.0.0", "MIT", LAM_PROVIDES (plain_backend))
