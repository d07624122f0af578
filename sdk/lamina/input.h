/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file input.h
 * Everything an input includes. An input gives batches of real data, one after the other, in a way
 * that depends only on (config, seed, position): a saved and restored input goes on with the same
 * bytes. The host owns the buffers that batches are written to.
 */
#ifndef LAMINA_INPUT_H
#define LAMINA_INPUT_H

#include <lamina/ext/files.h>
#include <lamina/fields.h>
#include <lamina/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What open is told beside the config. */
typedef struct lam_input_args {
  uint32_t struct_size;
  uint32_t shard_index, shard_count; /**< reads rows i, i + n, i + 2 n ... only; 0 of 1: all */
  lam_dtype real_dtype;   /**< LAM_F64 in f64 models, else LAM_F32: what floats come out as */
  uint64_t seed;          /**< of every random choice of the input */
  const lam_host *host;   /**< valid as long as the instance */
  const lam_files *files; /**< for LAM_EXT_FILES; valid as long as the instance */
  /** The step has this many replicas, and this input feeds that one of them; see lam_input_replica. */
  uint32_t num_infeed_hosts, infeed_host_index;
} lam_input_args;

/**
 * Which replica of how many this input feeds; 0 of 1 from a host that knows of none.
 *
 * The batch that a config names is the one of all replicas together. An input gives its replica the
 * equal part, in order, of the same batches that one replica would get: rows r * B / N up to
 * (r + 1) * B / N of a batch of B. A B that N does not divide is an error of open.
 */
static inline void
lam_input_replica (const lam_input_args *args, uint32_t *out_index, uint32_t *out_count)
{
  bool told = args->struct_size >= LAM_END (lam_input_args, infeed_host_index)
              && args->num_infeed_hosts != 0;
  *out_index = told ? args->infeed_host_index : 0;
  *out_count = told ? args->num_infeed_hosts : 1;
}

/** An input type: what the host calls, written by LAM_INPUT. */
typedef struct lam_input_vt {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t instance_size; /**< bytes of self, which the host zeroes and fills from the config */
  lam_declare_fields_fn fields; /**< [load] */
  /** [instance] Opens files, checks them; called once on a zeroed, filled instance. */
  lam_status (*open) (void *self, const lam_input_args *args, lam_error *error);
  /** [instance] Frees what open got, also after a failed open. */
  void (*close) (void *self);
  /** [instance] Tensors of a batch: name (a nest path) and type of number i; false past the end. All
   * batches have these types. */
  bool (*describe) (const void *self, uint32_t i, const char **out_name, lam_type *out_type);
  /** [instance] Writes the next batch, dense row-major, to dst[i] in describe's order. LAM_S_END, and
   * nothing written, when there is none. */
  lam_status (*next) (void *self, void *const *dst, lam_error *error);
  /** [instance] Goes back to the start of the first epoch. */
  void (*reset) (void *self);
  /** [any] Batches in an epoch, or -1 when unknown. */
  int64_t (*batches) (const void *self);
  /** [instance] Bytes that save writes: the position (epoch, place, shuffle order), not the data. */
  uint64_t (*state_size) (const void *self);
  /** [instance] Writes the position, state_size bytes. */
  void (*save) (const void *self, void *out);
  /** [instance] Goes back to a saved position; refuses bytes that do not fit this data. */
  lam_status (*restore) (void *self, const void *state, uint64_t size, lam_error *error);
} lam_input_vt;

/** Ten functions T_open ... T_restore with T * in place of void * must exist. */
#define LAM_INPUT(T, id, revision, summary)                                                        \
  static lam_status T##_lam_open (void *p, const lam_input_args *a, lam_error *e)                  \
  {                                                                                                \
    lam_status r = LAM_E_INTERNAL;                                                                 \
    LAM_TRY                                                                                        \
    r = T##_open ((T *)p, a, e);                                                                   \
    LAM_CATCH ((void)0)                                                                            \
    return r;                                                                                      \
  }                                                                                                \
  static void T##_lam_close (void *p)                                                              \
  {                                                                                                \
    LAM_TRY                                                                                        \
    T##_close ((T *)p);                                                                            \
    LAM_CATCH ((void)0)                                                                            \
  }                                                                                                \
  static bool T##_lam_describe (const void *p, uint32_t i, const char **n, lam_type *y)            \
  {                                                                                                \
    bool r = false;                                                                                \
    LAM_TRY                                                                                        \
    r = T##_describe ((const T *)p, i, n, y);                                                      \
    LAM_CATCH ((void)0)                                                                            \
    return r;                                                                                      \
  }                                                                                                \
  static lam_status T##_lam_next (void *p, void *const *dst, lam_error *e)                         \
  {                                                                                                \
    lam_status r = LAM_E_INTERNAL;                                                                 \
    LAM_TRY                                                                                        \
    r = T##_next ((T *)p, dst, e);                                                                 \
    LAM_CATCH ((void)0)                                                                            \
    return r;                                                                                      \
  }                                                                                                \
  static void T##_lam_reset (void *p)                                                              \
  {                                                                                                \
    LAM_TRY                                                                                        \
    T##_reset ((T *)p);                                                                            \
    LAM_CATCH ((void)0)                                                                            \
  }                                                                                                \
  static int64_t T##_lam_batches (const void *p)                                                   \
  {                                                                                                \
    int64_t r = -1;                                                                                \
    LAM_TRY                                                                                        \
    r = T##_batches ((const T *)p);                                                                \
    LAM_CATCH ((void)0)                                                                            \
    return r;                                                                                      \
  }                                                                                                \
  static uint64_t T##_lam_state_size (const void *p)                                               \
  {                                                                                                \
    uint64_t r = 0;                                                                                \
    LAM_TRY                                                                                        \
    r = T##_state_size ((const T *)p);                                                             \
    LAM_CATCH ((void)0)                                                                            \
    return r;                                                                                      \
  }                                                                                                \
  static void T##_lam_save (const void *p, void *out)                                              \
  {                                                                                                \
    LAM_TRY                                                                                        \
    T##_save ((const T *)p, out);                                                                  \
    LAM_CATCH ((void)0)                                                                            \
  }                                                                                                \
  static lam_status T##_lam_restore (void *p, const void *s, uint64_t n, lam_error *e)             \
  {                                                                                                \
    lam_status r = LAM_E_INTERNAL;                                                                 \
    LAM_TRY                                                                                        \
    r = T##_restore ((T *)p, s, n, e);                                                             \
    LAM_CATCH ((void)0)                                                                            \
    return r;                                                                                      \
  }                                                                                                \
  static const lam_input_vt T##_lam_vt = {(uint32_t)sizeof (lam_input_vt),                         \
                                          0,                                                       \
                                          sizeof (T),                                              \
                                          T##_lam_fields,                                          \
                                          T##_lam_open,                                            \
                                          T##_lam_close,                                           \
                                          T##_lam_describe,                                        \
                                          T##_lam_next,                                            \
                                          T##_lam_reset,                                           \
                                          T##_lam_batches,                                         \
                                          T##_lam_state_size,                                      \
                                          T##_lam_save,                                            \
                                          T##_lam_restore};                                        \
  LAM_DESCRIBE (T, LAM_KIND_INPUT, id, revision, summary, &T##_lam_vt)

#ifdef __cplusplus
}
#endif
#endif
