/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.piecewise_constant: values[i] before step boundaries[i], the last value afterwards.
 * Semantics: praxis.schedules.PiecewiseConstant, which skips values that are not above 0. */
#include "schedules.h"

typedef struct {
  lam_ints boundaries;
  lam_floats values;
} piecewise_constant;

LAM_FIELDS (piecewise_constant,
            LAM_INTS (boundaries, NULL, "First steps of the second and later values, increasing."),
            LAM_REQUIRED, LAM_MIN (0), LAM_MAX (UINT32_MAX),
            LAM_FLOATS (values, NULL, "The multipliers, one more than boundaries."), LAM_REQUIRED)

static void
piecewise_constant_setup (piecewise_constant *p, lam_setup *s)
{
  schedule_check_boundaries (s, p->boundaries, "values", p->values.n, p->boundaries.n + 1);
}

static lam_tensor
piecewise_constant_value (const piecewise_constant *p, lam_trace *t, lam_tensor count)
{
  return schedule_constants (t, count, p->boundaries, p->values);
}

LAM_SCHEDULE (piecewise_constant, "lamina.piecewise_constant", 1,
              "Another constant from each boundary on.")
