/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.linear_rampup_piecewise_constant: from 0 to values[0] at step boundaries[0], then values[i]
 * from boundaries[i] on. Semantics: praxis.schedules.LinearRampupPiecewiseConstant. */
#include "schedules.h"

typedef struct {
  lam_ints boundaries;
  lam_floats values;
} rampup_piecewise;

LAM_FIELDS (rampup_piecewise,
            LAM_INTS (boundaries, NULL, "First steps of the values, increasing; the first > 0."),
            LAM_REQUIRED, LAM_MIN (1), LAM_MAX (UINT32_MAX),
            LAM_FLOATS (values, NULL, "The multipliers, as many as boundaries."), LAM_REQUIRED)

static void
rampup_piecewise_setup (rampup_piecewise *p, lam_setup *s)
{
  if (p->boundaries.n == 0)
    lam_setup_fail (s, "boundaries wants one step at least");
  schedule_check_boundaries (s, p->boundaries, "values", p->values.n, p->boundaries.n);
}

static lam_tensor
rampup_piecewise_value (const rampup_piecewise *p, lam_trace *t, lam_tensor count)
{
  lam_ints later = {p->boundaries.p + 1, p->boundaries.n - 1};
  lam_tensor y = schedule_constants (t, count, later, p->values);
  return schedule_rampup (t, count, p->boundaries.p[0], p->values.p[0], y);
}

LAM_SCHEDULE (rampup_piecewise, "lamina.linear_rampup_piecewise_constant", 1,
              "Linear rise, then another constant from each boundary on.")
