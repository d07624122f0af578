/* SPDX-License-Identifier: Apache-2.0 */
/* The schedules, one shared object. */
#include <lamina/schedule.h>

LAM_DECLARE (constant)
LAM_DECLARE (continuous_schedule)
LAM_DECLARE (cosine)
LAM_DECLARE (cycle_schedule)
LAM_DECLARE (delayed_cosine)
LAM_DECLARE (exponential)
LAM_DECLARE (linear)
LAM_DECLARE (piecewise_constant)
LAM_DECLARE (piecewise_schedule)
LAM_DECLARE (polynomial)
LAM_DECLARE (rampup_cosine)
LAM_DECLARE (rampup_exponential)
LAM_DECLARE (rampup_piecewise)
LAM_DECLARE (rampup_polynomial)
LAM_DECLARE (rampup_sqrt)
LAM_DECLARE (sqrt_decay)
LAM_DECLARE (transformer)

LAM_PLUGIN ("lamina.schedules", "0.1.0", "Apache-2.0",
            LAM_PROVIDES (constant, continuous_schedule, cosine, cycle_schedule, delayed_cosine,
                          exponential, linear, piecewise_constant),
            LAM_PROVIDES (piecewise_schedule, polynomial, rampup_cosine, rampup_exponential,
                          rampup_piecewise, rampup_polynomial, rampup_sqrt, sqrt_decay),
            LAM_PROVIDES (transformer))
