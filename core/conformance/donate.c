/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a function several times over buffers that stay on the device, with donated memory. */
#include "core/conformance/cases.h"

#include <string.h>

void
lm_case_free_arrays (LmArray **arrays, guint n)
{
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&arrays[i], lm_array_unref);
}

typedef struct Buffers {
  guint n_in, n_out, n_donated;
  LmBuffer **in, **out; /* the first n_donated of out are those of in */
} Buffers;

static void
buffers_clear (Buffers *b)
{
  for (guint i = 0; i < b->n_in; i++)
    lm_buffer_free (b->in[i]);
  for (guint i = b->n_donated; i < b->n_out; i++)
    lm_buffer_free (b->out[i]);
  g_free (b->in);
  g_free (b->out);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Buffers, buffers_clear)

static bool
bind (Buffers *b, LmBackend *backend, LmExecutable *exe, LmArray *const *in, GError **error)
{
  for (guint i = 0; i < b->n_in; i++) {
    b->in[i] = lm_buffer_new (backend, &in[i]->type, lm_executable_layout (exe, false, i), error);
    if (b->in[i] == NULL || !lm_buffer_write (b->in[i], in[i], error))
      return false;
  }
  for (guint i = 0; i < b->n_out; i++) {
    b->out[i] = i < b->n_donated
                    ? b->in[i]
                    : lm_buffer_new (backend, lm_result_type (lm_executable_function (exe), i),
                                     lm_executable_layout (exe, true, i), error);
    if (b->out[i] == NULL)
      return false;
  }
  return true;
}

bool
lm_case_run_steps (LmBackend *backend, const LmFunction *f, guint n_donated, guint steps,
                   LmArray *const *in, LmArray **out, GError **error)
{
  g_autofree lam_alias *aliases = g_new0 (lam_alias, n_donated + 1);
  for (guint i = 0; i < n_donated; i++)
    aliases[i] = (lam_alias) {i, i};
  LmCompileArgs args = {.aliases = aliases, .n_aliases = n_donated};
  g_autoptr (LmExecutable) exe = lm_compile (backend, f, &args, error);
  if (exe == NULL)
    return false;
  guint n_in = f->ir.n_params, n_out = f->ir.n_results;
  g_auto (Buffers)
      b = {n_in, n_out, n_donated, g_new0 (LmBuffer *, n_in + 1), g_new0 (LmBuffer *, n_out + 1)};
  bool ok = bind (&b, backend, exe, in, error);
  for (guint i = 0; i < steps && ok; i++)
    ok = lm_execute (exe, b.in, b.out, error);
  for (guint i = 0; i < n_out && ok; i++)
    ok = (out[i] = lm_buffer_read (b.out[i], error)) != NULL;
  if (!ok)
    lm_case_free_arrays (out, n_out);
  return ok;
}
