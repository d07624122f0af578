/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a function into steps with everything worked out beforehand, and runs them in order. */
#include "exec.h"

#include <stdlib.h>
#include <string.h>

static const ref_prepare families[] = {
    ref_prepare_elementwise, ref_prepare_shape,      ref_prepare_convert, ref_prepare_index,
    ref_prepare_reduce,      ref_prepare_window,     ref_prepare_dot,     ref_prepare_conv,
    ref_prepare_random,      ref_prepare_dynamic,    ref_prepare_cumsum,  ref_prepare_precision,
    ref_prepare_order,       ref_prepare_collective,
};

/* --- compiling ---------------------------------------------------------------------------------- */

/* True if nothing has to be done for e: a constant, or an alias standing in its operand's memory. */
static bool
is_done (const lam_exec *exec, const lam_function *f, const lam_equation *e)
{
  if (e->op == LAM_OP_constant)
    return true;
  return kit_is_alias (e)
         && exec->plan.places[e->first_result].shares == (int32_t)lam_operand (f, e, 0);
}

static lam_status
prepare (lam_exec *exec, const lam_function *f, const lam_equation *e, ref_prepare custom)
{
  ref_step *s = &exec->steps[exec->n_steps];
  lam_status status = custom != NULL ? custom (s, f, e) : LAM_E_UNSUPPORTED;

  for (size_t i = 0; status == LAM_E_UNSUPPORTED && i < sizeof families / sizeof families[0]; i++)
    status = families[i](s, f, e);
  exec->n_steps++; /* also after a failure: what it holds is freed with the others */
  return status;
}

/* values and types have room for all operands and results of the function. */
static void
lay_out (lam_exec *exec, const lam_function *f, const lam_equation *e, size_t *used)
{
  ref_step *s = &exec->steps[exec->n_steps];
  uint32_t *values = exec->values + *used;

  s->op = e->op;
  s->n_in = e->n_operands;
  s->n_out = e->n_results;
  for (uint32_t k = 0; k < s->n_in; k++)
    values[k] = lam_operand (f, e, k);
  for (uint32_t r = 0; r < s->n_out; r++)
    values[s->n_in + r] = e->first_result + r;
  for (uint32_t k = 0; k < s->n_in + s->n_out; k++)
    exec->types[*used + k] = *lam_value_type (f, values[k]);
  s->values = values;
  s->types = exec->types + *used;
  s->at = exec->at + *used;
  *used += s->n_in + s->n_out;
}

static lam_status
make_steps (lam_exec *exec, const lam_function *f, ref_prepare custom, lam_error *error)
{
  size_t used = 0, scratch = 0;

  for (uint32_t i = 0; i < f->n_equations; i++) {
    const lam_equation *e = lam_equation_at (f, i);
    lam_status status;
    if (is_done (exec, f, e))
      continue;
    lay_out (exec, f, e, &used);
    status = prepare (exec, f, e, custom);
    if (status == LAM_E_UNSUPPORTED)
      return kit_fail (exec->host, error, status,
                       "equation %u: the reference backend does not run %s; layer path \"%s\"", i,
                       kit_op_name (e->op), f->paths[e->path]);
    if (status != LAM_OK)
      return kit_fail (exec->host, error, status, "no memory to compile equation %u", i);
    if (exec->steps[exec->n_steps - 1].scratch_bytes > scratch)
      scratch = exec->steps[exec->n_steps - 1].scratch_bytes;
  }
  exec->slab = kit_alloc (exec->plan.slab_bytes);
  exec->scratch = kit_alloc (scratch);
  if (exec->slab == NULL || exec->scratch == NULL)
    return kit_fail (exec->host, error, LAM_E_NO_MEMORY, "no memory for a slab of %llu bytes",
                     (unsigned long long)exec->plan.slab_bytes);
  for (uint32_t i = 0; i < exec->n_steps; i++) {
    exec->steps[i].scratch = exec->scratch;
    exec->steps[i].state = &exec->state;
  }
  return LAM_OK;
}

static bool
make_arrays (lam_exec *exec, const lam_function *f)
{
  size_t n = (size_t)f->n_operands + f->n_values + 1;

  exec->n_in = f->n_params;
  exec->n_out = f->n_results;
  exec->steps = calloc ((size_t)f->n_equations + 1, sizeof *exec->steps);
  exec->values = calloc (n, sizeof *exec->values);
  exec->types = calloc (n, sizeof *exec->types);
  exec->at = calloc (n, sizeof *exec->at);
  exec->in = calloc ((size_t)f->n_params + 1, sizeof *exec->in);
  exec->out = calloc ((size_t)f->n_results + 1, sizeof *exec->out);
  return exec->steps != NULL && exec->values != NULL && exec->types != NULL && exec->at != NULL
         && exec->in != NULL && exec->out != NULL;
}

lam_status
ref_compile (const lam_host *host, const lam_function *f, const lam_compile_options *options,
             ref_prepare custom, lam_exec **out, lam_error *error)
{
  char message[500];
  lam_exec *exec;
  lam_status status;

  *out = NULL;
  if (!kit_check (f, message, sizeof message))
    return kit_fail (host, error, LAM_E_UNSUPPORTED, "%s", message);
  exec = calloc (1, sizeof *exec);
  if (exec == NULL)
    return kit_fail (host, error, LAM_E_NO_MEMORY, "no memory for an executable");
  exec->host = host;
  if (!make_arrays (exec, f) || kit_plan_init (&exec->plan, f, options, 0, NULL) != LAM_OK)
    status =
        kit_fail (host, error, LAM_E_NO_MEMORY, "no memory for a plan of %u values", f->n_values);
  else
    status = make_steps (exec, f, custom, error);
  if (status != LAM_OK) {
    ref_exec_free (exec);
    return status;
  }
  *out = exec;
  return LAM_OK;
}

void
ref_exec_free (lam_exec *exec)
{
  if (exec == NULL)
    return;
  for (uint32_t i = 0; i < exec->n_steps; i++)
    free (exec->steps[i].args);
  kit_plan_clear (&exec->plan);
  free (exec->steps);
  free (exec->values);
  free (exec->types);
  free (exec->at);
  free (exec->in);
  free (exec->out);
  free (exec->slab);
  free (exec->scratch);
  free (exec);
}

/* --- running ---------------------------------------------------------------------------------------- */

uint64_t
ref_exec_layout (const lam_exec *exec, bool output, uint32_t i)
{
  (void)exec;
  (void)output;
  (void)i;
  return 0; /* dense row-major */
}

uint64_t
ref_exec_plan (const lam_exec *exec, void (*each) (void *ctx, const lam_plan_buffer *buffer),
               void *ctx)
{
  return kit_plan_each (&exec->plan, each, ctx);
}

lam_status
ref_execute (lam_exec *exec, const lam_exec_call *call, lam_error *error)
{
  if (call->n_in != exec->n_in || call->n_out != exec->n_out)
    return kit_fail (exec->host, error, LAM_E_INVALID,
                     "called with %u inputs and %u outputs, wanted %u and %u", call->n_in,
                     call->n_out, exec->n_in, exec->n_out);
  for (uint32_t i = 0; i < call->n_in; i++)
    exec->in[i] = call->in[i]->data;
  for (uint32_t i = 0; i < call->n_out; i++)
    exec->out[i] = call->out[i]->data;
  exec->state.replica = kit_replica_of (exec->host, call, error);
  exec->state.status = LAM_OK;
  for (uint32_t i = 0; i < exec->n_steps && exec->state.status == LAM_OK; i++) {
    const ref_step *s = &exec->steps[i];
    for (uint32_t k = 0; k < s->n_in + s->n_out; k++)
      s->at[k] = kit_plan_address (&exec->plan, s->values[k], exec->slab, exec->in, exec->out);
    s->run (s);
  }
  if (exec->state.status == LAM_OK)
    kit_plan_finish (&exec->plan, exec->slab, exec->in, exec->out);
  return exec->state.status;
}
