/* SPDX-License-Identifier: Apache-2.0 */
/* Golden cases of single ops as functions: upstream's attribute names become those of ops.def. */
#ifndef LM_TESTS_LIB_GOLDEN_OP_H
#define LM_TESTS_LIB_GOLDEN_OP_H

#include "core/base/array.h"
#include "core/ir/ir.h"
#include "tests/lib/golden.h"

/* Records the case's op on `in` (one value for each tensor of section "in", in order) and gives its
 * first result; LM_NIL without an error of the builder: the case is of no row of ops.def (a reserved
 * or foreign kind, or a form that our row does not have). */
LmValue lm_golden_record (LmBuilder *b, const LmGolden *golden, const LmGoldenCase *c,
                          const LmValue *in);

/* A parameter for each tensor of section "in". Returns their number. */
guint lm_golden_params (LmBuilder *b, const LmGolden *golden, const LmGoldenCase *c, LmValue *out);

/* Appends the tensors of a section as arrays (free with lm_array_unref). */
void lm_golden_arrays (const LmGolden *golden, const LmGoldenCase *c, const char *section,
                       GPtrArray *out);

/* Whole numbers of a JSON array, nested ones in row-major order. */
GArray *lm_golden_ints (JsonArray *array); /* of int64_t */

#endif
