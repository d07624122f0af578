/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers in host memory, and errors. */
#include <kit/backend.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lam_status
kit_fail (const lam_host *host, lam_error *error, lam_status status, const char *format, ...)
{
  char message[1000];
  va_list args;

  va_start (args, format);
  vsnprintf (message, sizeof message, format, args);
  va_end (args);
  return host->error_set (error, status, message);
}

void *
kit_alloc (uint64_t bytes)
{
  if (bytes > SIZE_MAX - KIT_SLAB_ALIGN)
    return NULL;
  return aligned_alloc (KIT_SLAB_ALIGN, ((size_t)bytes / KIT_SLAB_ALIGN + 1) * KIT_SLAB_ALIGN);
}

lam_status
kit_buffer_new (lam_backend *backend, const lam_type *type, uint64_t layout, lam_buffer **out,
                lam_error *error)
{
  const lam_host *host = ((const kit_backend *)(const void *)backend)->host;
  lam_buffer *buffer;

  *out = NULL;
  if (layout != 0)
    return kit_fail (host, error, LAM_E_UNSUPPORTED,
                     "layout %llu is not known; this backend has dense row-major (0) only",
                     (unsigned long long)layout);
  if (lam_dtype_bits (type->dtype) == 0)
    return kit_fail (host, error, LAM_E_UNSUPPORTED, "dtype code %d is not known", type->dtype);
  buffer = (lam_buffer *)calloc (1, sizeof *buffer);
  if (buffer != NULL)
    buffer->data = kit_alloc ((uint64_t)lam_type_bytes (type));
  if (buffer == NULL || buffer->data == NULL) {
    free (buffer);
    return kit_fail (host, error, LAM_E_NO_MEMORY, "no memory for a buffer of %lld bytes",
                     (long long)lam_type_bytes (type));
  }
  buffer->host = host;
  buffer->type = *type;
  buffer->bytes = (uint64_t)lam_type_bytes (type);
  *out = buffer;
  return LAM_OK;
}

void
kit_buffer_free (lam_buffer *buffer)
{
  if (buffer == NULL)
    return;
  free (buffer->data);
  free (buffer);
}

lam_status
kit_buffer_write (lam_buffer *buffer, const void *host_data, lam_error *error)
{
  (void)error; /* memcpy does not fail */
  if (buffer->bytes != 0)
    memcpy (buffer->data, host_data, (size_t)buffer->bytes);
  return LAM_OK;
}

lam_status
kit_buffer_read (lam_buffer *buffer, void *host_data, lam_error *error)
{
  (void)error;
  if (buffer->bytes != 0)
    memcpy (host_data, buffer->data, (size_t)buffer->bytes);
  return LAM_OK;
}
