/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers around an executable, and reading small results. */
#include "core/program/scalar.h"

bool
lm_readout_init (LmReadout *readout, LmBuffer *buffer, GError **error)
{
  readout->buffer = buffer;
  readout->host = lm_array_new (lm_buffer_type (buffer), error);
  return readout->host != NULL;
}

void
lm_readout_clear (LmReadout *readout)
{
  g_clear_pointer (&readout->host, lm_array_unref);
}

bool
lm_readout_update (LmReadout *readout, GError **error)
{
  return lm_buffer_read_into (readout->buffer, readout->host->data, error);
}

double
lm_readout_mean (const LmReadout *readout)
{
  int64_t n = lam_type_elements (&readout->host->type);
  double sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += lm_array_get_double (readout->host, i);
  return n > 0 ? sum / (double)n : 0;
}

static LmBuffer *
binding (LmBackend *backend, LmExecutable *exe, bool output, uint32_t i, GError **error)
{
  const LmFunction *f = lm_executable_function (exe);
  const lam_type *type = output ? lm_result_type (f, i) : lm_param_type (f, i);
  return lm_buffer_new (backend, type, lm_executable_layout (exe, output, i), error);
}

bool
lm_result_buffers (LmBackend *backend, LmExecutable *exe, guint first, LmBuffer **out,
                   GError **error)
{
  guint n = lm_executable_function (exe)->ir.n_results;
  for (guint i = first; i < n; i++)
    if ((out[i - first] = binding (backend, exe, true, i, error)) == NULL)
      return false;
  return true;
}

bool
lm_input_buffers (LmBackend *backend, LmExecutable *exe, guint first, guint n, LmBuffer **out,
                  GError **error)
{
  for (guint i = 0; i < n; i++)
    if ((out[i] = binding (backend, exe, false, first + i, error)) == NULL)
      return false;
  return true;
}
