/* SPDX-License-Identifier: Apache-2.0 */
/* A stranger's backend that does one thing wrong, named by its option `fault`: what the conformance run
 * must find. Without a fault it is the reference backend. */
#include "faults.h"

#include <stdlib.h>
#include <string.h>

typedef struct faults {
  const char *fault;
} faults;

LAM_FIELDS (faults, LAM_STRING (fault, "none", "What is done wrong."),
            LAM_CHOICES ("none tie dot_axes nan padding stale scatter sort convert shift clamp f16 "
                         "empty crash hang exit refuse"))

static const struct {
  const char *name;
  ref_prepare prepare;
} table[] = {
    {"tie", fault_tie},         {"dot_axes", fault_dot_axes}, {"nan", fault_nan},
    {"padding", fault_padding}, {"scatter", fault_scatter},   {"sort", fault_sort},
    {"convert", fault_convert}, {"shift", fault_shift},       {"clamp", fault_clamp},
    {"f16", fault_f16},         {"empty", fault_empty},       {"crash", fault_crash},
    {"hang", fault_hang},       {"exit", fault_exit},
};

struct lam_backend {
  kit_backend base;
  ref_prepare prepare; /* NULL: nothing is wrong with equations */
  bool stale;          /* a donated input is remembered from the first run */
  bool refuse;
};

/* An executable as the host has it. */
typedef struct faulty {
  lam_exec *inner;
  bool stale;
  uint32_t n_aliases;
  lam_alias *aliases;
  void **first; /* contents of each donated input at the first run */
} faulty;

static faulty *
faulty_of (const lam_exec *exec)
{
  return (faulty *)(uintptr_t)exec;
}

/* --- the backend --------------------------------------------------------------------------------------- */

static int32_t
faults_probe (const lam_host *host)
{
  (void)host;
  return 1;
}

static lam_status
faults_open (const lam_host *host, const void *options, lam_backend **out, lam_error *error)
{
  const faults *o = options;
  lam_backend *b = calloc (1, sizeof *b);

  *out = b;
  if (b == NULL)
    return kit_fail (host, error, LAM_E_NO_MEMORY, "no memory for the backend");
  b->base.host = host;
  b->stale = strcmp (o->fault, "stale") == 0;
  b->refuse = strcmp (o->fault, "refuse") == 0;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (strcmp (o->fault, table[i].name) == 0)
      b->prepare = table[i].prepare;
  return LAM_OK;
}

static void
faults_close (lam_backend *backend)
{
  free (backend);
}

static const char *
faults_device_name (lam_backend *backend)
{
  (void)backend;
  return "plain loops with a fault";
}

static bool
faults_claims (lam_backend *backend, const lam_function *f, const lam_equation *e)
{
  (void)backend;
  (void)f;
  return e->op != LAM_OP_composite;
}

/* --- executables ------------------------------------------------------------------------------------------ */

static void
faults_exec_free (lam_exec *exec)
{
  faulty *x = faulty_of (exec);

  if (x == NULL)
    return;
  ref_exec_free (x->inner);
  for (uint32_t i = 0; x->first != NULL && i < x->n_aliases; i++)
    free (x->first[i]);
  free (x->first);
  free (x->aliases);
  free (x);
}

/* Cbrt in f16, which a backend may refuse, and all of sine, which it may not. */
static bool
is_refused (const lam_function *f)
{
  for (uint32_t i = 0; i < f->n_equations; i++) {
    const lam_equation *e = lam_equation_at (f, i);
    if (e->op == LAM_OP_sine
        || (e->op == LAM_OP_cbrt && lam_value_type (f, e->first_result)->dtype == LAM_F16))
      return true;
  }
  return false;
}

static lam_status
faults_compile (lam_backend *backend, const lam_function *f, const lam_compile_options *options,
                lam_exec **out, lam_error *error)
{
  faulty *x = calloc (1, sizeof *x);
  uint32_t n = options->n_aliases;
  lam_status status;

  *out = NULL;
  if (backend->refuse && is_refused (f)) {
    free (x);
    return kit_fail (backend->base.host, error, LAM_E_UNSUPPORTED, "not on this hardware");
  }
  if (x != NULL) {
    x->stale = backend->stale;
    x->n_aliases = n;
    x->aliases = calloc ((size_t)n + 1, sizeof *x->aliases);
    x->first = calloc ((size_t)n + 1, sizeof *x->first);
  }
  if (x == NULL || x->aliases == NULL || x->first == NULL) {
    faults_exec_free ((lam_exec *)(void *)x);
    return kit_fail (backend->base.host, error, LAM_E_NO_MEMORY, "no memory for an executable");
  }
  if (n > 0)
    memcpy (x->aliases, options->aliases, n * sizeof *x->aliases);
  status = ref_compile (backend->base.host, f, options, backend->prepare, &x->inner, error);
  if (status != LAM_OK) {
    faults_exec_free ((lam_exec *)(void *)x);
    return status;
  }
  *out = (lam_exec *)(void *)x;
  return LAM_OK;
}

static uint64_t
faults_exec_layout (const lam_exec *exec, bool output, uint32_t i)
{
  return ref_exec_layout (faulty_of (exec)->inner, output, i);
}

static uint64_t
faults_exec_plan (const lam_exec *exec, void (*each) (void *ctx, const lam_plan_buffer *buffer),
                  void *ctx)
{
  return ref_exec_plan (faulty_of (exec)->inner, each, ctx);
}

/* What the first run found in a donated buffer is what every later one works on. */
static void
recall (faulty *x, const lam_exec_call *call)
{
  for (uint32_t i = 0; i < x->n_aliases; i++) {
    lam_buffer *buffer = call->in[x->aliases[i].input];
    if (x->first[i] != NULL) {
      memcpy (buffer->data, x->first[i], buffer->bytes);
    } else {
      x->first[i] = malloc (buffer->bytes + 1);
      if (x->first[i] != NULL)
        memcpy (x->first[i], buffer->data, buffer->bytes);
    }
  }
}

static lam_status
faults_execute (lam_exec *exec, const lam_exec_call *call, lam_error *error)
{
  faulty *x = faulty_of (exec);

  if (x->stale)
    recall (x, call);
  return ref_execute (x->inner, call, error);
}

static const lam_backend_vt faults_vt = {
    (uint32_t)sizeof (lam_backend_vt),
    LAM_IR_MINOR,
    sizeof (faults),
    faults_lam_fields,
    faults_probe,
    faults_open,
    faults_close,
    faults_device_name,
    faults_claims,
    kit_buffer_new,
    kit_buffer_free,
    kit_buffer_write,
    kit_buffer_read,
    faults_compile,
    faults_exec_free,
    faults_exec_layout,
    faults_exec_plan,
    faults_execute,
};

LAM_BACKEND (faults, "stranger.faults", 1, "The reference backend with a fault.", &faults_vt)
LAM_PLUGIN ("stranger.backends.faults", "1.0.0", "MIT", LAM_PROVIDES (faults))
