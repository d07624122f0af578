/* SPDX-License-Identifier: Apache-2.0 */
/* The learners, one shared object. */
#include <lamina/learner.h>

LAM_DECLARE (learner)
LAM_DECLARE (multi_optimizer_learner)

LAM_PLUGIN ("lamina.learners", "0.1.0", "Apache-2.0",
            LAM_PROVIDES (learner, multi_optimizer_learner))
