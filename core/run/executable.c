/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled functions: the pipeline before, bindings checked once, runs that allocate nothing. */
#include "core/ir/text.h"
#include "core/run/private.h"

#include <string.h>

static bool
check_aliases (const LmFunction *f, const LmCompileArgs *args, GError **error)
{
  g_autofree bool *used = g_new0 (bool, f->ir.n_params + 1);
  for (uint32_t i = 0; i < args->n_aliases; i++) {
    lam_alias a = args->aliases[i];
    if (a.output >= f->ir.n_results || a.input >= f->ir.n_params || used[a.input]
        || !lm_type_equal (lm_result_type (f, a.output), lm_param_type (f, a.input))) {
      g_set_error (
          error, LM_ERROR, LM_ERROR_INVALID,
          "%s: output %u cannot take over input %u: out of range, taken, or of another type",
          f->ir.name, a.output, a.input);
      return false;
    }
    used[a.input] = true;
  }
  return true;
}

static LmExecutable *
executable_new (LmBackend *backend, LmFunction *final, const LmCompileArgs *args, lam_exec *self)
{
  LmExecutable *exe = g_new0 (LmExecutable, 1);
  exe->backend = lm_backend_ref (backend);
  exe->self = self;
  exe->function = lm_function_ref (final);
  exe->n_aliases = args->n_aliases;
  exe->aliases = g_memdup2 (args->aliases, args->n_aliases * sizeof (lam_alias));
  exe->in = g_new0 (lam_buffer *, final->ir.n_params + 1);
  exe->out = g_new0 (lam_buffer *, final->ir.n_results + 1);
  return exe;
}

/* In debug builds: every function that is compiled prints, parses and prints the same. */
static bool
check_text (const LmFunction *f, GError **error)
{
#ifdef LM_DEBUG_VERIFY
  g_autofree char *text = lm_text_print (f);
  g_autoptr (LmFunction) again = lm_text_parse (text, strlen (text), f->ir.name, error);
  if (again == NULL)
    return false;
  g_autofree char *text_again = lm_text_print (again);
  if (strcmp (text, text_again) != 0) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "%s: its text form, parsed and printed, is another:\n%s\n%s", f->ir.name, text,
                 text_again);
    return false;
  }
#else
  (void)f;
  (void)error;
#endif
  return true;
}

LmExecutable *
lm_compile (LmBackend *backend, const LmFunction *f, const LmCompileArgs *args, GError **error)
{
  const LmCompileArgs none = {0};
  args = args != NULL ? args : &none;
  if (!check_aliases (f, args, error) || !check_text (f, error))
    return NULL;
  LmClaims claims = lm_backend_claims (backend);
  claims.explain = args->explain;
  g_autoptr (LmFunction) final = lm_pipeline (f, &claims, args->dump, args->dump_user, error);
  if (final == NULL || !check_text (final, error))
    return NULL;
  lam_compile_options options = {
      .struct_size = sizeof options, .n_aliases = args->n_aliases, .aliases = args->aliases};
  lam_exec *self = NULL;
  lam_error slot;
  lm_plugin_error_init (&slot);
  lam_status status = backend->vt->compile (backend->self, &final->ir, &options, &self, &slot);
  g_autofree char *where = g_strdup_printf ("%s: compiling %s", backend->id, f->ir.name);
  if (!lm_plugin_error_take (&slot, status, where, error))
    return NULL;
  return executable_new (backend, final, args, self);
}

void
lm_executable_free (LmExecutable *exe)
{
  if (exe == NULL)
    return;
  exe->backend->vt->exec_free (exe->self);
  lm_backend_unref (exe->backend);
  lm_function_unref (exe->function);
  g_free (exe->aliases);
  g_free (exe->in);
  g_free (exe->out);
  g_free (exe);
}

const LmFunction *
lm_executable_function (const LmExecutable *exe)
{
  return exe->function;
}

uint64_t
lm_executable_layout (const LmExecutable *exe, bool output, uint32_t i)
{
  return exe->backend->vt->exec_layout (exe->self, output, i);
}

void
lm_executable_set_collective (LmExecutable *exe, const lam_collective *collective)
{
  exe->collective = collective;
}

/* --- running ------------------------------------------------------------------------------------ */

static bool
check_binding (const LmExecutable *exe, const LmBuffer *buffer, bool output, uint32_t i,
               GError **error)
{
  const lam_type *type =
      output ? lm_result_type (exe->function, i) : lm_param_type (exe->function, i);
  const char *what = output ? "output" : "input";
  if (buffer->backend != exe->backend || !lm_type_equal (&buffer->type, type)) {
    g_autofree char *wanted = lm_type_to_string (type);
    g_autofree char *got = lm_type_to_string (&buffer->type);
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s: %s %u: wanted %s on %s, got %s on %s",
                 exe->function->ir.name, what, i, wanted, exe->backend->id, got,
                 buffer->backend->id);
    return false;
  }
  if (buffer->layout != lm_executable_layout (exe, output, i)) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "%s: %s %u is in another layout than compiled for", exe->function->ir.name, what,
                 i);
    return false;
  }
  return true;
}

static bool
check_bindings (const LmExecutable *exe, LmBuffer *const *in, LmBuffer *const *out, GError **error)
{
  for (uint32_t i = 0; i < exe->function->ir.n_params; i++)
    if (!check_binding (exe, in[i], false, i, error))
      return false;
  for (uint32_t i = 0; i < exe->function->ir.n_results; i++)
    if (!check_binding (exe, out[i], true, i, error))
      return false;
  for (guint i = 0; i < exe->n_aliases; i++)
    if (out[exe->aliases[i].output] != in[exe->aliases[i].input]) {
      g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                   "%s: output %u was compiled to take over input %u, but other memory is bound",
                   exe->function->ir.name, exe->aliases[i].output, exe->aliases[i].input);
      return false;
    }
  return true;
}

bool
lm_execute (LmExecutable *exe, LmBuffer *const *in, LmBuffer *const *out, GError **error)
{
  /* Each time: it costs nothing beside a step, and a wrong buffer would be written out of bounds. */
  if (!check_bindings (exe, in, out, error))
    return false;
  uint32_t n_in = exe->function->ir.n_params, n_out = exe->function->ir.n_results;
  for (uint32_t i = 0; i < n_in; i++)
    exe->in[i] = in[i]->self;
  for (uint32_t i = 0; i < n_out; i++)
    exe->out[i] = out[i]->self;
  lam_exec_call call = {.struct_size = sizeof call,
                        .n_in = n_in,
                        .n_out = n_out,
                        .in = exe->in,
                        .out = exe->out,
                        .collective = exe->collective};
  lam_error slot;
  lm_plugin_error_init (&slot);
  lam_status status = exe->backend->vt->execute (exe->self, &call, &slot);
  return lm_plugin_error_take (&slot, status, exe->backend->id, error);
}

/* --- over host arrays ------------------------------------------------------------------------------ */

static void
free_buffer (gpointer buffer)
{
  lm_buffer_free (buffer);
}

static bool
bind_inputs (LmExecutable *exe, LmArray *const *in, GPtrArray *buffers, GError **error)
{
  for (uint32_t i = 0; i < exe->function->ir.n_params; i++) {
    const lam_type *type = lm_param_type (exe->function, i);
    if (!lm_type_equal (&in[i]->type, type)) {
      g_autofree char *wanted = lm_type_to_string (type);
      g_autofree char *got = lm_type_to_string (&in[i]->type);
      g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s: input %u: wanted %s, got %s",
                   exe->function->ir.name, i, wanted, got);
      return false;
    }
    LmBuffer *b = lm_buffer_new (exe->backend, type, lm_executable_layout (exe, false, i), error);
    if (b == NULL)
      return false;
    g_ptr_array_add (buffers, b);
    if (!lm_buffer_write (b, in[i], error))
      return false;
  }
  return true;
}

/* The input that an output takes over, or -1. */
static int64_t
aliased_input (const LmExecutable *exe, uint32_t output)
{
  for (guint i = 0; i < exe->n_aliases; i++)
    if (exe->aliases[i].output == output)
      return exe->aliases[i].input;
  return -1;
}

static bool
bind_outputs (LmExecutable *exe, GPtrArray *inputs, GPtrArray *owned, GPtrArray *outputs,
              GError **error)
{
  for (uint32_t i = 0; i < exe->function->ir.n_results; i++) {
    int64_t from = aliased_input (exe, i);
    LmBuffer *b = from >= 0 ? inputs->pdata[from]
                            : lm_buffer_new (exe->backend, lm_result_type (exe->function, i),
                                             lm_executable_layout (exe, true, i), error);
    if (b == NULL)
      return false;
    if (from < 0)
      g_ptr_array_add (owned, b);
    g_ptr_array_add (outputs, b);
  }
  return true;
}

static bool
read_outputs (GPtrArray *outputs, LmArray **out, GError **error)
{
  for (guint i = 0; i < outputs->len; i++) {
    out[i] = lm_buffer_read (outputs->pdata[i], error);
    if (out[i] != NULL)
      continue;
    while (i-- > 0)
      g_clear_pointer (&out[i], lm_array_unref);
    return false;
  }
  return true;
}

bool
lm_execute_arrays (LmExecutable *exe, LmArray *const *in, LmArray **out, GError **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (free_buffer);
  g_autoptr (GPtrArray) owned = g_ptr_array_new_with_free_func (free_buffer);
  g_autoptr (GPtrArray) outputs = g_ptr_array_new ();
  bool ok = bind_inputs (exe, in, inputs, error)
            && bind_outputs (exe, inputs, owned, outputs, error)
            && lm_execute (exe, (LmBuffer *const *)inputs->pdata, (LmBuffer *const *)outputs->pdata,
                           error)
            && read_outputs (outputs, out, error);
  return ok;
}

bool
lm_run_function (LmBackend *backend, const LmFunction *f, LmArray *const *in, LmArray **out,
                 GError **error)
{
  g_autoptr (LmExecutable) exe = lm_compile (backend, f, NULL, error);
  return exe != NULL && lm_execute_arrays (exe, in, out, error);
}
