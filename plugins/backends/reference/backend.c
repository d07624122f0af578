/* SPDX-License-Identifier: Apache-2.0 */
/* The backend lamina.reference: its table and its entry. */
#include "exec.h"

#include <stdlib.h>

struct lam_backend {
  kit_backend base;
};

typedef struct reference {
  char unused; /* no options */
} reference;

LAM_NO_FIELDS (reference)

static int32_t
reference_probe (const lam_host *host)
{
  (void)host;
  return 10; /* everywhere, and slower than everyone else */
}

static lam_status
reference_open (const lam_host *host, const void *options, lam_backend **out, lam_error *error)
{
  lam_backend *backend = calloc (1, sizeof *backend);

  (void)options;
  *out = backend;
  if (backend == NULL)
    return kit_fail (host, error, LAM_E_NO_MEMORY, "no memory for the backend");
  backend->base.host = host;
  return LAM_OK;
}

static void
reference_close (lam_backend *backend)
{
  free (backend);
}

static const char *
reference_device_name (lam_backend *backend)
{
  (void)backend;
  return "plain loops, one thread";
}

/* Every row of this header in every dtype; no composite. */
static bool
reference_claims (lam_backend *backend, const lam_function *f, const lam_equation *e)
{
  (void)backend;
  (void)f;
  return e->op != LAM_OP_composite && kit_op_name (e->op)[0] != '?';
}

static lam_status
reference_compile (lam_backend *backend, const lam_function *f, const lam_compile_options *options,
                   lam_exec **out, lam_error *error)
{
  return ref_compile (backend->base.host, f, options, NULL, out, error);
}

static const lam_backend_vt reference_vt = {
    (uint32_t)sizeof (lam_backend_vt),
    LAM_IR_MINOR,
    sizeof (reference),
    reference_lam_fields,
    reference_probe,
    reference_open,
    reference_close,
    reference_device_name,
    reference_claims,
    kit_buffer_new,
    kit_buffer_free,
    kit_buffer_write,
    kit_buffer_read,
    reference_compile,
    ref_exec_free,
    ref_exec_layout,
    ref_exec_plan,
    ref_execute,
};

LAM_BACKEND (reference, "lamina.reference", 1,
             "Plain loops for every op: the oracle for other backends.", &reference_vt)
LAM_PLUGIN ("lamina.backends.reference", "0.1.0", "Apache-2.0", LAM_PROVIDES (reference))
