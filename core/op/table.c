/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the rules of an op by its number. */
#include "core/ir/rules.h"

const LmRules *
lm_rules (int32_t op)
{
  switch (op) {
#define LAM_OP(name, number, since, min, max, results, class, flags, attrs, doc)                   \
  case number:                                                                                     \
    return &lm_rules_##name;
#include <lamina/ops.def>
  default:
    return NULL;
  }
}
