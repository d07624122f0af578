/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collective.h
 * Everything a collective includes: how replicas of a step exchange tensors, and the function table
 * that a running executable calls (lam_exec_call.collective). Memory is host memory, dense row-major.
 *
 * Every replica makes the same calls in the same order, each from its own driver thread (which is not
 * a thread of a backend's pool, so that a wait in it stops nothing else). Sums are formed in the order
 * of ranks, ((x0 + x1) + x2) + ..., elementwise in the dtype (16-bit floats in f32, rounded once), so
 * that every replica has the same bits and every collective plugin gives the same bits.
 */
#ifndef LAMINA_COLLECTIVE_H
#define LAMINA_COLLECTIVE_H

#include <lamina/fields.h>
#include <lamina/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Reductions */
/**@{*/
#define LAM_REDUCE_ADD     1 /**< sum in order of ranks */
#define LAM_REDUCE_MAXIMUM 2 /**< NaN wins */
#define LAM_REDUCE_MINIMUM 3 /**< NaN wins */
/**@}*/

/** n tensors to be exchanged in one message. */
typedef struct lam_collective_call {
  uint32_t struct_size;
  int32_t reduction; /**< all_reduce: LAM_REDUCE_*; else 0 */
  uint32_t n;        /**< tensors */
  uint32_t reserved;
  const lam_dtype *dtypes; /**< of each */
  const uint64_t *counts;  /**< elements of each, on one replica */
  const void *const *in;   /**< may be out */
  void *const *out;        /**< all_gather: size * count elements, rank after rank */
} lam_collective_call;

/** A replica's view of its group. One thread at a time. */
typedef struct lam_collective {
  uint32_t struct_size;
  uint32_t rank; /**< from 0 */
  uint32_t size; /**< replicas in all */
  uint32_t reserved;
  void *self; /**< first argument of the functions */
  /** [instance] Waits for the others. Fails after abort, and where the other side is gone. */
  lam_status (*all_reduce) (void *self, const lam_collective_call *call, lam_error *error);
  /** [instance] The flat elements of every rank, one rank after the other. */
  lam_status (*all_gather) (void *self, const lam_collective_call *call, lam_error *error);
} lam_collective;

typedef struct lam_collective_group lam_collective_group; /**< what open gives */

/** What a collective does. */
typedef struct lam_collective_vt {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t options_size;        /**< bytes of its options struct */
  lam_declare_fields_fn fields; /**< [load] the options */
  /** [instance] Joins the group with n_local replicas of this process. size and first_rank then say
   * which part of how many they are. */
  lam_status (*open) (const lam_host *host, const void *options, uint32_t n_local,
                      lam_collective_group **out, lam_error *error);
  void (*close) (lam_collective_group *group);                /**< [instance] accepts NULL */
  uint32_t (*size) (const lam_collective_group *group);       /**< [any] replicas in all */
  uint32_t (*first_rank) (const lam_collective_group *group); /**< [any] of local replica 0 */
  /** [any] Local replica i's view; lives as long as the group. */
  const lam_collective *(*member) (lam_collective_group *group, uint32_t i);
  /** [any] A replica failed: every call that waits, and every later one, fails. */
  void (*abort) (lam_collective_group *group);
} lam_collective_vt;

/** T: the options struct, with LAM_FIELDS (T, ...); vt: a static const lam_collective_vt. */
#define LAM_COLLECTIVE(T, id, revision, summary, vt)                                               \
  LAM_DESCRIBE (T, LAM_KIND_COLLECTIVE, id, revision, summary, vt)

#ifdef __cplusplus
}
#endif
#endif
