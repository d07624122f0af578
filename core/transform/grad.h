/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the reverse walk. Private to core/transform. */
#ifndef LM_TRANSFORM_GRAD_H
#define LM_TRANSFORM_GRAD_H

#include "core/ir/rules.h"

/* The vjp of `composite name v`: the composite `<name>.vjp` of the same version and attributes,
 * (operands..., given cotangents...) -> cotangent of each wanted operand; its region is the vjp of
 * the region. When not all float operands are wanted, or not all float results have a cotangent,
 * `wanted` and `cotangents` list those that are, by number. A composite that has such a list already
 * is differentiated in place: the list cannot tell two levels apart. */
void lm_grad_composite (LmVjpCtx *c);

#endif
