/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file backend.h
 * Everything a backend includes. A backend compiles a function of the IR into an executable and runs
 * it on its device. The host has legalised the function: it holds only equations that the backend
 * must know (flag M, since <= ir_minor) or said it claims.
 *
 * Layout tokens: a buffer is in a layout named by a 64-bit token; 0 is dense row-major. An executable
 * reports the token of each binding; the host moves state between tokens through host memory.
 */
#ifndef LAMINA_BACKEND_H
#define LAMINA_BACKEND_H

#include <lamina/fields.h>
#include <lamina/ir.h>
#include <lamina/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lam_collective;

typedef struct lam_backend lam_backend; /**< an opened backend */
typedef struct lam_exec lam_exec;       /**< a compiled function */
typedef struct lam_buffer lam_buffer;   /**< device memory of one tensor */

/** Output number `output` may be written over input number `input` (same type; input is donated). */
typedef struct lam_alias {
  uint32_t output, input; /**< numbers of results and of parameters */
} lam_alias;

/** What compile is told beside the function. */
typedef struct lam_compile_options {
  uint32_t struct_size;
  uint32_t n_aliases;       /**< length of aliases */
  const lam_alias *aliases; /**< at most one for each output and each input */
} lam_compile_options;

/** One run. Growable: read members beyond the first five only with LAM_HAS. */
typedef struct lam_exec_call {
  uint32_t struct_size;
  uint32_t n_in, n_out;   /**< parameters and results of the compiled function */
  uint32_t flags;         /**< 0 */
  lam_buffer *const *in;  /**< n_in buffers, in the layouts that exec_layout names */
  lam_buffer *const *out; /**< caller's; out[o] is in[i] for an alias {o, i} and only then */
  /** This replica's view of its group (<lamina/collective.h>); NULL: one replica. Called from any one
   * thread at a time, never from a thread that other executables wait for. */
  const struct lam_collective *collective;
  const void *infeed;  /**< NULL */
  const void *outfeed; /**< NULL */
  void *const *wait;   /**< events to wait for; NULL */
  void **done;         /**< event for completion; NULL: execute returns when all is done */
} lam_exec_call;

/** One piece of an executable's memory plan. */
typedef struct lam_plan_buffer {
  uint32_t struct_size;
  uint32_t value;       /**< value number in the compiled function */
  uint32_t first, last; /**< equations between which it lives */
  uint64_t offset;      /**< in the slab; UINT64_MAX: a binding or constant, not in the slab */
  uint64_t bytes;       /**< size of the value */
  int32_t shares;       /**< value number whose memory it takes over, or -1 */
  uint32_t kind;        /**< LAM_PLAN_* */
} lam_plan_buffer;

#define LAM_PLAN_TEMPORARY 0 /**< an intermediate value */
#define LAM_PLAN_INPUT     1 /**< in the memory of a parameter */
#define LAM_PLAN_OUTPUT    2 /**< in the memory of a result */
#define LAM_PLAN_CONSTANT  3 /**< in the executable */

/** What a backend does; its functions fail with a status and a message in error. */
typedef struct lam_backend_vt {
  uint32_t struct_size;
  uint32_t ir_minor;            /**< newest IR minor it reads */
  uint64_t options_size;        /**< bytes of its options struct */
  lam_declare_fields_fn fields; /**< [load] the options: threads ... */
  /** [load] How well it would run here: 0 not at all, 100 plain, more is better. Cheap, creates
   * nothing. */
  int32_t (*probe) (const lam_host *host);
  /** [instance] options: a filled options struct, valid during the call. */
  lam_status (*open) (const lam_host *host, const void *options, lam_backend **out,
                      lam_error *error);
  /** [instance] Frees it; no executable or buffer is left. */
  void (*close) (lam_backend *backend);
  /** [any] Device name for people ("AVX-512, 2 threads, OpenBLAS SkylakeX"). */
  const char *(*device_name) (lam_backend *backend);
  /** [any] True if it runs this equation as it stands. Asked for composites, derived rows, and dtypes;
   * for a composite f is the function that holds it. */
  bool (*claims) (lam_backend *backend, const lam_function *f, const lam_equation *e);
  /** [any] New buffer for a tensor in a layout; contents undefined. */
  lam_status (*buffer_new) (lam_backend *backend, const lam_type *type, uint64_t layout,
                            lam_buffer **out, lam_error *error);
  void (*buffer_free) (lam_buffer *buffer); /**< [any] accepts NULL */
  /** [any] The whole tensor from dense row-major host memory, in the layout of the buffer. */
  lam_status (*buffer_write) (lam_buffer *buffer, const void *host_data, lam_error *error);
  /** [any] The whole tensor to dense row-major host memory. */
  lam_status (*buffer_read) (lam_buffer *buffer, void *host_data, lam_error *error);
  /** [any] Compiles; f is valid during the call only. */
  lam_status (*compile) (lam_backend *backend, const lam_function *f,
                         const lam_compile_options *options, lam_exec **out, lam_error *error);
  void (*exec_free) (lam_exec *exec); /**< [any] accepts NULL */
  /** [any] Layout token of input or output i. */
  uint64_t (*exec_layout) (const lam_exec *exec, bool output, uint32_t i);
  /** [any] Its memory plan, buffer by buffer; returns the bytes of its slab. */
  uint64_t (*exec_plan) (const lam_exec *exec,
                         void (*each) (void *ctx, const lam_plan_buffer *buffer), void *ctx);
  /** [instance] Runs; one at a time for an executable. Allocates nothing. After a failure aliased
   * buffers hold undefined contents. */
  lam_status (*execute) (lam_exec *exec, const lam_exec_call *call, lam_error *error);
} lam_backend_vt;

/** T: the options struct, with LAM_FIELDS (T, ...); vt: a static const lam_backend_vt. */
#define LAM_BACKEND(T, id, revision, summary, vt)                                                  \
  LAM_DESCRIBE (T, LAM_KIND_BACKEND, id, revision, summary, vt)

#ifdef __cplusplus
}
#endif
#endif
