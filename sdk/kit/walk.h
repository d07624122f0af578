/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file walk.h
 * Walking tensors and functions: strides, multi-indices, strided views, names of ops, and the check
 * that a backend makes before it compiles.
 *
 * All strides and offsets are counted in elements. Nothing here allocates; functions are pure and may
 * be called from any thread.
 */
#ifndef KIT_WALK_H
#define KIT_WALK_H

#include <lamina/ir.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Dense row-major strides of a shape; out has room for LAM_MAX_RANK. */
void kit_strides (int32_t rank, const int64_t *dims, int64_t *out_strides);

/** Product of dims; 1 for rank 0. */
static inline int64_t
kit_elements (int32_t rank, const int64_t *dims)
{
  int64_t n = 1;
  for (int32_t i = 0; i < rank; i++)
    n *= dims[i];
  return n;
}

/** Advances a row-major multi-index by one; false when it has wrapped round to all zeros. */
static inline bool
kit_next (int32_t rank, const int64_t *dims, int64_t *index)
{
  for (int32_t i = rank - 1; i >= 0; i--) {
    if (++index[i] < dims[i])
      return true;
    index[i] = 0;
  }
  return false;
}

/** Sum of index[i] * strides[i]. */
static inline int64_t
kit_dot_index (int32_t rank, const int64_t *index, const int64_t *strides)
{
  int64_t at = 0;
  for (int32_t i = 0; i < rank; i++)
    at += index[i] * strides[i];
  return at;
}

/**
 * A strided view of a dense array: element (i0, i1 ...) of the view is element
 * offset + sum i[k] * strides[k] of the array. Strides may be 0 (repeat) or negative (reverse).
 */
typedef struct kit_view {
  int32_t rank;                  /**< axes of the view */
  int64_t dims[LAM_MAX_RANK];    /**< elements of each axis */
  int64_t strides[LAM_MAX_RANK]; /**< elements of the array from one to the next */
  int64_t offset;                /**< element of the array at index 0 */
} kit_view;

/** The view that reads the whole of a dense array in its own order. */
void kit_view_dense (const lam_type *type, kit_view *out);

/**
 * Result of e as a view of operand 0: true for broadcast_in_dim, reshape, transpose, reverse and
 * slice; false (nothing written) for every other op.
 */
bool kit_view_of (const lam_function *f, const lam_equation *e, kit_view *out);

/** Drops axes of size 1 and merges neighbours that are one run, so that inner loops are long.
 * Order and elements stay. A view without elements becomes rank 1 with dim 0. */
void kit_view_merge (kit_view *view);

/** Name of an op number ("dot_general"); "?" if this header does not know it. */
const char *kit_op_name (int32_t op);

/**
 * What every backend must refuse: an op number that this header does not know or that is reserved, a
 * dtype without a size, an attribute with the must-understand flag that the op's row does not list.
 * @return true if f is fine; else message says what and where (equation, op, layer path).
 */
bool kit_check (const lam_function *f, char *message, size_t message_size);

#ifdef __cplusplus
}
#endif
#endif
