/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file plan.h
 * Where every value of a function lives, for a backend that runs equation by equation in host memory
 * (or in any memory where a slab and bindings can be addressed).
 *
 * Parameters are read from the caller's input buffers. Constants stand in a block of the plan.
 * Temporaries stand in the slab; reshapes are aliases and elementwise results take over dying
 * operands. Results stand in the slab (or in an input) and are copied out at the end; with
 * KIT_PLAN_DIRECT they are written to the caller's output where that is right.
 *
 * Donation: an output that is an input's memory is written only after the input's last reading; a
 * result that lives in a donated input is set aside first. kit_plan_finish() does it.
 */
#ifndef KIT_PLAN_H
#define KIT_PLAN_H

#include <kit/liveness.h>
#include <kit/slab.h>
#include <lamina/backend.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Results are written straight into the output bindings where no reader can see it. */
#define KIT_PLAN_DIRECT 1u

/** @name Where a value's bytes are */
/**@{*/
#define KIT_IN_SLAB     0 /**< slab + offset */
#define KIT_IN_INPUT    1 /**< in[binding] */
#define KIT_IN_OUTPUT   2 /**< out[binding] */
#define KIT_IN_CONSTANT 3 /**< constants + offset */
#define KIT_IN_NOTHING  4 /**< it needs no memory (elided) */
/**@}*/

/** Where one value lives, and when. */
typedef struct kit_place {
  int32_t where;        /**< KIT_IN_* */
  uint32_t binding;     /**< for inputs and outputs */
  uint64_t offset;      /**< in the slab or the block of constants; KIT_NOWHERE for bindings */
  uint64_t bytes;       /**< size of the value */
  uint32_t first, last; /**< equations between which it lives */
  int32_t shares;       /**< value whose memory it uses too or takes over, or -1 */
} kit_place;

/** A result that has to be copied to its output when all equations have run. */
typedef struct kit_copy {
  uint32_t value, output; /**< from which value to which result */
  uint64_t staged;        /**< slab offset where it is set aside first; KIT_NOWHERE: not needed */
} kit_copy;

/** The places of all values; owned, kit_plan_clear frees. */
typedef struct kit_plan {
  uint32_t n_values, n_copies;         /**< lengths of places and copies */
  kit_place *places;                   /**< of each value */
  kit_copy *copies;                    /**< made by kit_plan_finish */
  uint64_t slab_bytes, constant_bytes; /**< what one run needs; what the plan holds */
  void *constants;                     /**< 64-byte aligned; splats are written out in full */
} kit_plan;

/**
 * Plans f.
 * @param out filled; free with kit_plan_clear
 * @param f the function
 * @param options its aliases are the donations
 * @param flags KIT_PLAN_*
 * @param elided values that need no memory (inside fused groups, splats held elsewhere), by value
 *   number; NULL: none
 * @return LAM_OK or LAM_E_NO_MEMORY; on failure *out is empty
 */
lam_status kit_plan_init (kit_plan *out, const lam_function *f, const lam_compile_options *options,
                          uint32_t flags, const bool *elided);
/** Frees what the plan holds; a zeroed or cleared one is fine. */
void kit_plan_clear (kit_plan *plan);

/** Address of value v in one run: slab is slab_bytes of 64-byte aligned memory, in and out hold the
 * address of each binding. NULL if it has no memory. */
static inline void *
kit_plan_address (const kit_plan *plan, uint32_t v, void *slab, void *const *in, void *const *out)
{
  const kit_place *p = &plan->places[v];
  switch (p->where) {
  case KIT_IN_SLAB:
    return (char *)slab + p->offset;
  case KIT_IN_INPUT:
    return in[p->binding];
  case KIT_IN_OUTPUT:
    return out[p->binding];
  case KIT_IN_CONSTANT:
    return (char *)plan->constants + p->offset;
  default:
    return NULL;
  }
}

/** After the last equation: copies results to the outputs that do not hold them yet. */
void kit_plan_finish (const kit_plan *plan, void *slab, void *const *in, void *const *out);

/** Reports the plan in the shape of lam_backend_vt.exec_plan; returns slab_bytes. */
uint64_t kit_plan_each (const kit_plan *plan,
                        void (*each) (void *ctx, const lam_plan_buffer *buffer), void *ctx);

#ifdef __cplusplus
}
#endif
#endif
