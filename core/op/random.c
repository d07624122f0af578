/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of threefry2x32. */
#include "core/op/rule.h"

static bool
threefry_type (LmTypeCtx *c)
{
  if (c->operands[0]->dtype != LAM_U32)
    return lm_rule_refuse (c, 0, "dtype u32");
  for (uint32_t k = 1; k < 4; k++)
    if (!lm_rule_same_type (c, k, 0))
      return false;
  c->results[0] = c->results[1] = *c->operands[0];
  return true;
}

/* No gradient: random bits do not depend smoothly on anything. */
const LmRules lm_rules_threefry2x32 = {.type = threefry_type, .batch = lm_batch_elementwise};
