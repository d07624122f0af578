/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ops.h
 * Attributes of each op family, read once into plain structs with every default filled in and with
 * the strides that the loops need. The host has verified the function, so readers do not fail.
 *
 * All strides and offsets are counted in elements. Readers are pure, allocate nothing, any thread.
 */
#ifndef KIT_OPS_H
#define KIT_OPS_H

#include <kit/walk.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name How two elements are combined: `computation` of reduce, reduce_window and scatter */
/**@{*/
#define KIT_COMBINE_ADD      0 /**< a + b; bool: or */
#define KIT_COMBINE_MULTIPLY 1 /**< a * b; bool: and */
#define KIT_COMBINE_MAXIMUM  2 /**< the larger; NaN wins */
#define KIT_COMBINE_MINIMUM  3 /**< the smaller; NaN wins */
#define KIT_COMBINE_AND      4 /**< bitwise */
#define KIT_COMBINE_OR       5 /**< bitwise */
#define KIT_COMBINE_UPDATE   6 /**< scatter: the update replaces */
/**@}*/

/** KIT_COMBINE_* of the attribute `computation`; absent (scatter): add. */
int32_t kit_combine (const lam_function *f, const lam_equation *e);

/** @name Directions of compare */
/**@{*/
#define KIT_EQ 0 /**< a == b */
#define KIT_NE 1 /**< a != b; true for NaN */
#define KIT_LT 2 /**< a < b */
#define KIT_LE 3 /**< a <= b */
#define KIT_GT 4 /**< a > b */
#define KIT_GE 5 /**< a >= b */
/**@}*/

/** KIT_EQ ... of the attribute `comparison_direction`. */
int32_t kit_direction (const lam_function *f, const lam_equation *e);

/**
 * pad: the operand is laid into the result, which is the fill value elsewhere. Element i of operand axis k
 * goes to result coordinate low[k] + i * step[k] when that is inside 0 .. result dim - 1.
 */
typedef struct kit_pad {
  int32_t rank;                                          /**< of operand and result */
  int64_t in_dims[LAM_MAX_RANK], out_dims[LAM_MAX_RANK]; /**< of the operand, of the result */
  int64_t low[LAM_MAX_RANK];                             /**< may be negative */
  int64_t step[LAM_MAX_RANK];                            /**< interior padding + 1 */
  int64_t from[LAM_MAX_RANK], to[LAM_MAX_RANK]; /**< operand elements [from, to) land inside */
} kit_pad;
/** Reads a pad. */
void kit_read_pad (const lam_function *f, const lam_equation *e, kit_pad *out);

/**
 * concatenate and arg ops: one axis splits a dense array into outer x axis x inner. For operand k of concatenate
 * give its type; for argmax and argmin the operand's type.
 */
typedef struct kit_axis {
  int64_t outer, size, inner; /**< products of the dims before, of, and behind the axis */
} kit_axis;
/** Splits a type at an axis. */
void kit_split_axis (const lam_type *type, int64_t axis, kit_axis *out);

/**
 * reduce: result element j (row-major over `kept`) combines the elements
 * kept_offset (j) + reduced_offset (i) of the operand. Both are views of the operand, offset 0.
 */
typedef struct kit_reduce {
  int32_t combine;  /**< KIT_COMBINE_* */
  kit_view kept;    /**< result's dims with the operand's strides */
  kit_view reduced; /**< reduced axes in ascending order */
} kit_reduce;
/** Reads a reduce. */
void kit_read_reduce (const lam_function *f, const lam_equation *e, kit_reduce *out);

/**
 * reduce_window, reduce_window_arg, and the spatial part of convolution: position o of the result and w of
 * the window meet at coordinate o * stride + w * window_dilation - low of the base-dilated operand;
 * it is operand element c / base_dilation if c >= 0, divisible, and the quotient < in_dims, else padding.
 */
typedef struct kit_window {
  int32_t rank;    /**< windowed axes */
  int32_t combine; /**< KIT_COMBINE_* (not for convolution) */
  /** elements of operand, result, window */
  int64_t in_dims[LAM_MAX_RANK], out_dims[LAM_MAX_RANK], size[LAM_MAX_RANK];
  int64_t stride[LAM_MAX_RANK];                  /**< from window to window */
  int64_t low[LAM_MAX_RANK], high[LAM_MAX_RANK]; /**< may be negative */
  /** distance of neighbours of the operand, of a window; >= 1 */
  int64_t base_dilation[LAM_MAX_RANK], window_dilation[LAM_MAX_RANK];
} kit_window;
/** Reads a reduce_window or reduce_window_arg. */
void kit_read_window (const lam_function *f, const lam_equation *e, kit_window *out);

/** Operand coordinate that result position o and window position w see on axis k, or -1. */
static inline int64_t
kit_window_at (const kit_window *w, int32_t k, int64_t o, int64_t position)
{
  int64_t c = o * w->stride[k] + position * w->window_dilation[k] - w->low[k];
  if (c < 0 || c % w->base_dilation[k] != 0)
    return -1;
  c /= w->base_dilation[k];
  return c < w->in_dims[k] ? c : -1;
}

/**
 * dot_general: result (batch ..., free lhs ..., free rhs ...), dense row-major. Each group of axes
 * comes as a view of its operand (offset 0): lhs element (b, m, k) is at
 * lhs_batch (b) + lhs_free (m) + lhs_contract (k), and rhs element (b, k, n) likewise.
 */
typedef struct kit_dot {
  int64_t batch, m, n, k;                     /**< products of the groups' dims */
  kit_view lhs_batch, lhs_free, lhs_contract; /**< groups of axes of operand 0 */
  kit_view rhs_batch, rhs_free, rhs_contract; /**< groups of axes of operand 1 */
  lam_dtype lhs_dtype, rhs_dtype, out_dtype;  /**< of the operands and the result */
} kit_dot;
/** Reads a dot_general. */
void kit_read_dot (const lam_function *f, const lam_equation *e, kit_dot *out);

/**
 * If the view's elements, in row-major order, lie at one constant distance, that distance (1 for a view of
 * at most one element); else -1. A dot whose groups all have one can go to a GEMM without a copy.
 */
int64_t kit_view_stride (const kit_view *view);

/**
 * convolution. Result feature f belongs to feature group f / (out_features / feature_groups) and batch
 * group f / (out_features / batch_groups). Result (b, f, o...) sums over input feature c < group_features and
 * window w of
 *   lhs (batch_group * batch + b, feature_group * group_features + c, window coordinate) * rhs (f, c, w).
 */
typedef struct kit_conv {
  int64_t batch;                        /**< of the result */
  int64_t out_features;                 /**< of the result, all groups */
  int64_t group_features;               /**< input features that one result feature sees */
  int64_t feature_groups, batch_groups; /**< one of both is 1 */
  kit_window window; /**< spatial axes: in_dims of lhs, size of rhs, out_dims of the result */
  int64_t lhs_batch, lhs_feature, lhs_spatial[LAM_MAX_RANK]; /**< strides of operand 0, by role */
  int64_t rhs_out, rhs_in, rhs_spatial[LAM_MAX_RANK];        /**< strides of operand 1, by role */
  int64_t out_batch, out_feature, out_spatial[LAM_MAX_RANK]; /**< strides of the result, by role */
  lam_dtype in_dtype, out_dtype;                             /**< of the operands, of the result */
} kit_conv;
/** Reads a convolution. */
void kit_read_conv (const lam_function *f, const lam_equation *e, kit_conv *out);

/**
 * gather and scatter as two linear maps over the coordinates i of the result (gather) or the updates
 * (scatter):
 *   start c (c < n_starts) is indices[sum i[k] * index_strides[k] + c * start_stride]
 *   the operand element is at  sum i[k] * operand_strides[k] + sum start_c * start_strides[c]
 * mode clip: start c is clamped to 0 .. limits[c]. mode fill: if any start c is outside 0 .. limits[c]
 * the slice does not fit: gather gives 0, scatter drops. Starts are compared at the full width of their dtype.
 */
typedef struct kit_index {
  int32_t rank;               /**< axes of the result (gather) or the updates (scatter) */
  int64_t dims[LAM_MAX_RANK]; /**< of the result (gather) or the updates (scatter) */
  int64_t operand_strides[LAM_MAX_RANK]; /**< from coordinates to the operand, without starts */
  int64_t index_strides[LAM_MAX_RANK];   /**< from coordinates to the indices */
  uint32_t n_starts;                     /**< components of an index vector */
  int64_t start_stride;                  /**< from one component to the next */
  int64_t start_strides[LAM_MAX_RANK];   /**< of the operand axis that a component starts on */
  int64_t limits[LAM_MAX_RANK]; /**< largest start whose slice fits; may be negative: none fits */
  bool fill;                    /**< mode fill; else clip */
  bool unique;                  /**< the caller promises that no element is met twice */
  int32_t combine;              /**< scatter: KIT_COMBINE_* */
  lam_dtype index_dtype;        /**< of the indices */
} kit_index;
/** Reads a gather. */
void kit_read_gather (const lam_function *f, const lam_equation *e, kit_index *out);
/** Reads a scatter. */
void kit_read_scatter (const lam_function *f, const lam_equation *e, kit_index *out);

#ifdef __cplusplus
}
#endif
#endif
