/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file backend.h
 * The parts of lam_backend_vt that every backend in host memory has in common: buffers and errors.
 *
 * A backend that uses them lets its own `struct lam_backend` begin with a kit_backend, and puts
 * kit_buffer_new, kit_buffer_free, kit_buffer_write and kit_buffer_read into its table as they are.
 */
#ifndef KIT_BACKEND_H
#define KIT_BACKEND_H

#include <kit/plan.h>
#include <lamina/backend.h>

#ifdef __cplusplus
extern "C" {
#endif

/** First member of the `struct lam_backend` of a backend that uses this header. */
typedef struct kit_backend {
  const lam_host *host; /**< as given to open */
} kit_backend;

/** A tensor in host memory, dense row-major (layout 0); data is 64-byte aligned and never NULL. */
struct lam_buffer {
  const lam_host *host; /**< for error messages */
  lam_type type;        /**< of the tensor */
  uint64_t layout;      /**< 0 */
  uint64_t bytes;       /**< lam_type_bytes (&type) */
  void *data;           /**< owned */
};

/** Sets error (printf format, at most 1000 bytes) and returns status. */
lam_status kit_fail (const lam_host *host, lam_error *error, lam_status status, const char *format,
                     ...) __attribute__ ((format (printf, 4, 5)));

/** 64-byte aligned memory, not zeroed, at least 64 bytes; NULL when short. Free with free(). */
void *kit_alloc (uint64_t bytes);

/** [any] As in lam_backend_vt; layouts other than 0 are LAM_E_UNSUPPORTED. */
lam_status kit_buffer_new (lam_backend *backend, const lam_type *type, uint64_t layout,
                           lam_buffer **out, lam_error *error);
/** [any] Frees buffer and data; accepts NULL. */
void kit_buffer_free (lam_buffer *buffer);
/** [any] Copies all bytes in. */
lam_status kit_buffer_write (lam_buffer *buffer, const void *host_data, lam_error *error);
/** [any] Copies all bytes out. */
lam_status kit_buffer_read (lam_buffer *buffer, void *host_data, lam_error *error);

#ifdef __cplusplus
}
#endif
#endif
