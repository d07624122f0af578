/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a function's structure and types from scratch: indices in range, definitions before uses,
 * attributes known and of the right kind (unknown must-understand keys refused), result types equal
 * to what the type rules say, regions closed and of matching types. O(n). */
#ifndef LM_IR_VERIFY_H
#define LM_IR_VERIFY_H

#include "core/ir/ir.h"

/* The error shows the fault, the equations around it in text form and the layer path. `after` names
 * the pass that made f (may be NULL). */
bool lm_verify (const LmFunction *f, const char *after, GError **error);

#endif
