/* SPDX-License-Identifier: Apache-2.0 */
/* A stranger's backend that claims the composite test.gelu whole and computes it in one loop; all else is
 * the reference backend's code compiled in. */
#include "plugins/backends/reference/exec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lam_backend {
  kit_backend base;
};

typedef struct gelu_backend {
  int64_t repeat;
} gelu_backend;

LAM_FIELDS (gelu_backend, LAM_INT (repeat, 1, "Does nothing; an option to be checked."),
            LAM_MIN (1))

static bool
is_gelu (const lam_function *f, const lam_equation *e)
{
  return e->op == LAM_OP_composite && strcmp (lam_attr_str (f, e, "name", ""), "test.gelu") == 0
         && lam_attr_int (f, e, "version", 1) == 1;
}

/* x / 2 * (1 + erf (x / sqrt (2))) */
static void
run_gelu (const ref_step *s)
{
  lam_dtype dtype = ref_out_type (s)->dtype;
  int64_t n = lam_type_elements (ref_out_type (s));

  for (int64_t i = 0; i < n; i++) {
    double x;
    ref_load_float (dtype, ref_in (s, 0), i, 1, &x);
    x = 0.5 * x * (1 + erf (x * 0.70710678118654752440));
    ref_store_float (dtype, ref_out (s, 0), i, 1, &x);
  }
}

static lam_status
prepare_gelu (ref_step *s, const lam_function *f, const lam_equation *e)
{
  if (!is_gelu (f, e))
    return LAM_E_UNSUPPORTED;
  s->run = run_gelu;
  return LAM_OK;
}

static int32_t
gelu_probe (const lam_host *host)
{
  (void)host;
  return 1;
}

static lam_status
gelu_open (const lam_host *host, const void *options, lam_backend **out, lam_error *error)
{
  (void)options;
  *out = calloc (1, sizeof **out);
  if (*out == NULL)
    return kit_fail (host, error, LAM_E_NO_MEMORY, "no memory for the backend");
  (*out)->base.host = host;
  return LAM_OK;
}

static void
gelu_close (lam_backend *backend)
{
  free (backend);
}

static const char *
gelu_device_name (lam_backend *backend)
{
  (void)backend;
  return "gelu in one loop";
}

static bool
gelu_claims (lam_backend *backend, const lam_function *f, const lam_equation *e)
{
  (void)backend;
  return e->op == LAM_OP_composite ? is_gelu (f, e) : kit_op_name (e->op)[0] != '?';
}

static lam_status
gelu_compile (lam_backend *backend, const lam_function *f, const lam_compile_options *options,
              lam_exec **out, lam_error *error)
{
  return ref_compile (backend->base.host, f, options, prepare_gelu, out, error);
}

static const lam_backend_vt gelu_vt = {
    (uint32_t)sizeof (lam_backend_vt),
    LAM_IR_MINOR,
    sizeof (gelu_backend),
    gelu_backend_lam_fields,
    gelu_probe,
    gelu_open,
    gelu_close,
    gelu_device_name,
    gelu_claims,
    kit_buffer_new,
    kit_buffer_free,
    kit_buffer_write,
    kit_buffer_read,
    gelu_compile,
    ref_exec_free,
    ref_exec_layout,
    ref_exec_plan,
    ref_execute,
};

LAM_BACKEND (gelu_backend, "stranger.gelu", 1, "Claims test.gelu whole.", &gelu_vt)
LAM_PLUGIN ("stranger.backends.gelu", "1.0.0", "MIT", LAM_PROVIDES (gelu_backend))
