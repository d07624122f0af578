/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file liveness.h
 * When each value of a function lives, and which result may take over the memory of a dying operand.
 *
 * Time is counted in equations: equation i reads its operands and writes its results at time i; the
 * results of the function are read at time n_equations.
 */
#ifndef KIT_LIVENESS_H
#define KIT_LIVENESS_H

#include <lamina/ir.h>

#ifdef __cplusplus
extern "C" {
#endif

/** When a value lives, in equations. */
typedef struct kit_life {
  uint32_t first; /**< equation that defines it; 0 for a parameter */
  uint32_t last;  /**< last equation that reads it; first if none; n_equations for a result */
  uint32_t uses;  /**< operands it is, results of the function included */
} kit_life;

/** Fills lives[0 .. n_values-1]. O(n). */
void kit_liveness (const lam_function *f, kit_life *lives);

/**
 * True if a loop over elements of e may write its result over operand k: e is elementwise with one
 * result, and both have the same number of elements of the same width. (Element i of the result
 * depends on element i only.)
 */
bool kit_in_place (const lam_function *f, const lam_equation *e, uint32_t k);

/**
 * Operand position of equation i whose memory its result may take over because it dies there and
 * kit_in_place() holds; -1 if none.
 */
int32_t kit_dying_operand (const lam_function *f, const kit_life *lives, uint32_t i);

/** True if the result of e is operand 0 unchanged in memory: reshape, bitcast_convert, name,
 * stop_gradient. */
bool kit_is_alias (const lam_equation *e);

#ifdef __cplusplus
}
#endif
#endif
