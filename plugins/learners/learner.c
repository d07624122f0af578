/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.learner: norm, validity, clipping, optimizer, skipping, in this order. Semantics:
 * lingvo-jax and paxml Learner. */
#include "learner.h"

LAM_FIELDS (learner, LEARNER_FIELDS)

static void
learner_setup (learner *p, lam_setup *s)
{
  learner_setup_common (p, s);
}

LEARNER_METHODS (learner)

LAM_LEARNER_WITH_SELECT (learner, "lamina.learner", 1, "One optimizer, with clipping and skipping.")
