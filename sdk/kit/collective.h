/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collective.h
 * all_reduce, all_gather and axis_index as every backend in host memory runs them: through the
 * lam_collective of the call, or, when there is none, for the one replica that then is.
 */
#ifndef KIT_COLLECTIVE_H
#define KIT_COLLECTIVE_H

#include <kit/backend.h>
#include <kit/ops.h>
#include <lamina/collective.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One run of an executable, as seen by its equations over replicas. */
typedef struct kit_replica {
  const lam_host *host;             /**< of the backend */
  const lam_collective *collective; /**< NULL: one replica */
  lam_error *error;                 /**< where a failed exchange leaves its message */
} kit_replica;

/** From a call of lam_backend_vt.execute. */
kit_replica kit_replica_of (const lam_host *host, const lam_exec_call *call, lam_error *error);

/** Value of axis_index. */
static inline uint32_t
kit_rank (const kit_replica *r)
{
  return r->collective != NULL ? r->collective->rank : 0;
}

/** Whether all_reduce only copies. */
static inline bool
kit_is_alone (const kit_replica *r)
{
  return r->collective == NULL || r->collective->size == 1;
}

/** LAM_REDUCE_* of an all_reduce equation. */
int32_t kit_reduction (const lam_function *f, const lam_equation *e);

/** call: all members but struct_size filled; in[i] may be out[i]. */
lam_status kit_all_reduce (const kit_replica *r, lam_collective_call *call);

/** all_gather, read once. */
typedef struct kit_all_gather {
  lam_dtype dtype; /**< of operand and result */
  int64_t count;   /**< replicas that the result has room for */
  kit_axis axis;   /**< of the operand */
} kit_all_gather;
/** Reads an all_gather. */
void kit_read_all_gather (const lam_function *f, const lam_equation *e, kit_all_gather *out);

/** Bytes of scratch that kit_run_all_gather wants; 0 where ranks already lie one after the other. */
uint64_t kit_all_gather_scratch (const kit_all_gather *g);

/** in, out: dense. LAM_E_INVALID when there are other than `count` replicas. */
lam_status kit_run_all_gather (const kit_replica *r, const kit_all_gather *g, const void *in,
                               void *out, void *scratch);

#ifdef __cplusplus
}
#endif
#endif
