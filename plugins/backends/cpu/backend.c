/* SPDX-License-Identifier: Apache-2.0 */
/* The backend lamina.cpu: its entry, options, compile and execute. */
#include "cpu.h"

#include <lamina/plugin.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cpu_options {
  int64_t threads;
  const char *isa;
  bool openblas;
} cpu_options;

LAM_FIELDS (cpu_options,
            LAM_INT (threads, 0,
                     "Threads, the caller's included; 0: all processors it may run on."),
            LAM_MIN (0), LAM_MAX (1024),
            LAM_STRING (isa, "auto", "Instruction set of the loops; auto: the best there is."),
            LAM_CHOICES ("auto baseline avx2 avx512"),
            LAM_BOOL (openblas, true,
                      "Whether OpenBLAS, where it is found, takes products it is good at."))

/* --- claimed composites: one row a kernel (name, version); none yet --- */
typedef struct cpu_composite {
  const char *name;
  int64_t version;
  cpu_lower_fn lower;
} cpu_composite;
static const cpu_composite composites[] = {{NULL, 0, NULL}};

static int
online_threads (void)
{
  cpu_set_t set;
  if (sched_getaffinity (0, sizeof set, &set) == 0)
    return CPU_COUNT (&set);
  return 1;
}

static int32_t
probe (const lam_host *host)
{
  (void)host;
  return 50;
}

static void
backend_close (lam_backend *b)
{
  if (b == NULL)
    return;
  cpu_blas_close (b->blas);
  cpu_pool_free (b->pool);
  free (b);
}

static lam_status
backend_open (const lam_host *host, const void *options, lam_backend **out, lam_error *error)
{
  const cpu_options *o = options;
  int threads = o->threads > 0 ? (int)o->threads : online_threads ();
  const char *core = "OpenBLAS is switched off";
  const cpu_isa *isa = cpu_isa_pick (o->isa);
  if (isa == NULL)
    return kit_fail (host, error, LAM_E_NO_DEVICE,
                     "cpu: option isa is \"%s\", which this processor does not have; leave it out",
                     o->isa);
  lam_backend *b = calloc (1, sizeof *b);
  if (b == NULL || (b->pool = cpu_pool_new (threads)) == NULL) {
    free (b);
    return kit_fail (host, error, LAM_E_NO_MEMORY, "cpu: no memory for the backend");
  }
  b->kit.host = host;
  b->isa = isa;
  threads = cpu_pool_threads (b->pool);
  if (o->openblas)
    b->blas = cpu_blas_open (isa, &core);
  snprintf (b->name, sizeof b->name, "%s, %d thread%s, %s%s", isa->name, threads,
            threads == 1 ? "" : "s", b->blas != NULL ? "OpenBLAS " : "own kernels only: ", core);
  *out = b;
  return LAM_OK;
}

static const char *
device_name (lam_backend *b)
{
  return b->name;
}

static bool
claims (lam_backend *b, const lam_function *f, const lam_equation *e)
{
  (void)b;
  if (e->op == LAM_OP_composite) {
    const char *name = lam_attr_str (f, e, "name", "");
    int64_t version = lam_attr_int (f, e, "version", 1);
    for (const cpu_composite *c = composites; c->name != NULL; c++)
      if (c->version == version && strcmp (c->name, name) == 0)
        return true;
    return false;
  }
  switch (e->op) {
#define LAM_OP(name, number, since, min, max, results, class, flags, attrs, doc) case number:
#include <lamina/ops.def>
    return true;
  default:
    return false;
  }
}

static void
exec_free (lam_exec *x)
{
  if (x == NULL)
    return;
  while (x->blocks != NULL) {
    cpu_block *next = x->blocks->next;
    free (x->blocks);
    x->blocks = next;
  }
  cpu_comm_free (x->comm);
  free (x->bufs);
  free (x->steps);
  free (x->slab);
  free (x);
}

static lam_status
compile (lam_backend *b, const lam_function *f, const lam_compile_options *options, lam_exec **out,
         lam_error *error)
{
  char message[500];
  cpu_lower l = {.backend = b, .f = f};
  if (!kit_check (f, message, sizeof message))
    return kit_fail (b->kit.host, error, LAM_E_UNSUPPORTED, "cpu: %s", message);
  l.x = calloc (1, sizeof *l.x);
  l.views = calloc ((size_t)f->n_values + 1, sizeof *l.views);
  if (l.x == NULL || l.views == NULL) {
    l.no_memory = true;
  } else {
    l.x->backend = b;
    l.x->n_in = f->n_params;
    l.x->n_out = f->n_results;
    l.no_memory = !cpu_lower_function (&l, options);
  }
  free (l.views);
  if (l.no_memory) {
    exec_free (l.x);
    return kit_fail (b->kit.host, error, LAM_E_NO_MEMORY,
                     "cpu: no memory to compile function %s (%u equations)", f->name,
                     f->n_equations);
  }
  *out = l.x;
  return LAM_OK;
}

static uint64_t
exec_layout (const lam_exec *x, bool output, uint32_t i)
{
  (void)x;
  (void)output;
  (void)i;
  return 0; /* dense row-major is the only layout yet */
}

static void
begin (lam_exec *x, const lam_exec_call *call, lam_error *error)
{
  x->replica = kit_replica_of (x->backend->kit.host, call, error);
  x->status = LAM_OK;
  if (x->overlaps && x->comm == NULL && !kit_is_alone (&x->replica))
    x->comm = cpu_comm_new ();
  cpu_comm_reset (x->comm);
}

static lam_status
execute (lam_exec *x, const lam_exec_call *call, lam_error *error)
{
  if (call->n_in != x->n_in || call->n_out != x->n_out)
    return kit_fail (x->backend->kit.host, error, LAM_E_INVALID,
                     "cpu: execute got %u inputs and %u outputs, wanted %u and %u", call->n_in,
                     call->n_out, x->n_in, x->n_out);
  for (uint32_t i = 0; i < x->n_bufs; i++) {
    if (x->bufs[i].kind == CPU_INPUT)
      x->ptr[i] = call->in[x->bufs[i].binding]->data;
    else if (x->bufs[i].direct)
      x->ptr[i] = call->out[x->bufs[i].output]->data;
  }
  begin (x, call, error);
  for (uint32_t i = 0; i < x->n_steps && x->status == LAM_OK; i++)
    x->steps[i].run (&x->steps[i], x);
  if (x->status != LAM_OK) {
    cpu_comm_drain (x->comm);
    return x->status;
  }
  for (uint32_t i = 0; i < x->n_copies; i++) {
    const cpu_buf *b = &x->bufs[x->copies[i]];
    memcpy (call->out[b->output]->data, x->ptr[x->copies[i]], b->bytes);
  }
  return LAM_OK;
}

static const lam_backend_vt table = {
    .struct_size = sizeof table,
    .ir_minor = LAM_IR_MINOR,
    .options_size = sizeof (cpu_options),
    .fields = cpu_options_lam_fields,
    .probe = probe,
    .open = backend_open,
    .close = backend_close,
    .device_name = device_name,
    .claims = claims,
    .buffer_new = kit_buffer_new,
    .buffer_free = kit_buffer_free,
    .buffer_write = kit_buffer_write,
    .buffer_read = kit_buffer_read,
    .compile = compile,
    .exec_free = exec_free,
    .exec_layout = exec_layout,
    .exec_plan = cpu_exec_plan,
    .execute = execute,
};

LAM_BACKEND (cpu_options, "lamina.cpu", 1,
             "The processor: OpenBLAS and own vector loops, all cores.", &table)
LAM_PLUGIN ("lamina.cpu", "0.1.0", "Apache-2.0", LAM_PROVIDES (cpu_options))
