/* SPDX-License-Identifier: Apache-2.0 */
/* Device tensors and their way from and to host arrays. */
#include "core/run/private.h"

LmBuffer *
lm_buffer_new (LmBackend *backend, const lam_type *type, uint64_t layout, GError **error)
{
  lam_buffer *self = NULL;
  lam_error slot;
  lm_plugin_error_init (&slot);
  lam_status status = backend->vt->buffer_new (backend->self, type, layout, &self, &slot);
  if (!lm_plugin_error_take (&slot, status, backend->id, error))
    return NULL;
  LmBuffer *buffer = g_new0 (LmBuffer, 1);
  buffer->backend = lm_backend_ref (backend);
  buffer->self = self;
  buffer->type = *type;
  buffer->layout = layout;
  return buffer;
}

void
lm_buffer_free (LmBuffer *buffer)
{
  if (buffer == NULL)
    return;
  buffer->backend->vt->buffer_free (buffer->self);
  lm_backend_unref (buffer->backend);
  g_free (buffer);
}

LmBuffer *
lm_buffer_new_from_array (LmBackend *backend, const LmArray *array, GError **error)
{
  g_autoptr (LmBuffer) buffer = lm_buffer_new (backend, &array->type, 0, error);
  if (buffer == NULL || !lm_buffer_write (buffer, array, error))
    return NULL;
  return g_steal_pointer (&buffer);
}

bool
lm_buffer_write (LmBuffer *buffer, const LmArray *array, GError **error)
{
  if (!lm_type_equal (&buffer->type, &array->type)) {
    g_autofree char *wanted = lm_type_to_string (&buffer->type);
    g_autofree char *got = lm_type_to_string (&array->type);
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "buffer: wanted %s, got %s", wanted, got);
    return false;
  }
  lam_error slot;
  lm_plugin_error_init (&slot);
  lam_status status = buffer->backend->vt->buffer_write (buffer->self, array->data, &slot);
  return lm_plugin_error_take (&slot, status, buffer->backend->id, error);
}

bool
lm_buffer_read_into (LmBuffer *buffer, void *data, GError **error)
{
  lam_error slot;
  lm_plugin_error_init (&slot);
  lam_status status = buffer->backend->vt->buffer_read (buffer->self, data, &slot);
  return lm_plugin_error_take (&slot, status, buffer->backend->id, error);
}

LmArray *
lm_buffer_read (LmBuffer *buffer, GError **error)
{
  g_autoptr (LmArray) array = lm_array_new (&buffer->type, error);
  if (array == NULL || !lm_buffer_read_into (buffer, array->data, error))
    return NULL;
  return g_steal_pointer (&array);
}

const lam_type *
lm_buffer_type (const LmBuffer *buffer)
{
  return &buffer->type;
}

uint64_t
lm_buffer_layout (const LmBuffer *buffer)
{
  return buffer->layout;
}
