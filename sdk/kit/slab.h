/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file slab.h
 * Offsets in one block of memory for pieces with known lifetimes.
 *
 * The planner sweeps time once: pieces that have ended leave holes, a new piece takes the lowest hole
 * that fits. It is O(n log n); on the lifetimes of training steps its result is within a few per cent
 * of the lower bound (the peak of live bytes).
 */
#ifndef KIT_SLAB_H
#define KIT_SLAB_H

#include <lamina/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Every offset is a multiple of this. */
#define KIT_SLAB_ALIGN 64u

/** No piece, no place. */
#define KIT_NOWHERE UINT64_MAX

/** A piece of memory with a lifetime. */
typedef struct kit_piece {
  uint64_t bytes;       /**< size; rounded up to KIT_SLAB_ALIGN */
  uint32_t first, last; /**< it is live from first to last, both included */
  /** Index of a piece at whose address it must stand, or -1. It may be live at the same time (an
   * alias) or begin when that ends (in place). Chains are allowed, circles are not. */
  int32_t shares;
  uint64_t offset; /**< out */
} kit_piece;

/**
 * Fills offset of every piece; pieces of 0 bytes get offset 0.
 * @param out_bytes size of the slab
 * @return LAM_OK; LAM_E_NO_MEMORY: no memory to plan, or sizes overflow
 */
lam_status kit_slab_plan (kit_piece *pieces, uint32_t n, uint64_t *out_bytes);

/**
 * Most bytes live at one time (aligned, sharers counted once): no plan can be smaller.
 * KIT_NOWHERE: no memory.
 */
uint64_t kit_slab_peak (const kit_piece *pieces, uint32_t n);

#ifdef __cplusplus
}
#endif
#endif
