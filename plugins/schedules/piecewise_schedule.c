/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.piecewise_schedule: another schedule from each boundary on, which sees the steps since its
 * start. Semantics: praxis.schedules.PiecewiseSchedule. */
#include "schedules.h"

typedef struct {
  lam_ints boundaries;
  lam_child_config schedules;
  lam_child children[SCHEDULE_MAX];
} piecewise_schedule;

LAM_FIELDS (piecewise_schedule,
            LAM_INTS (boundaries, NULL, "First steps of the second and later parts, increasing."),
            LAM_REQUIRED, LAM_MIN (0), LAM_MAX (UINT32_MAX),
            LAM_LAYERS (schedules, NULL, "The schedules (at most 64), one more than boundaries."),
            LAM_REQUIRED)

static void
piecewise_schedule_setup (piecewise_schedule *p, lam_setup *s)
{
  if (schedule_check_boundaries (s, p->boundaries, "schedules", p->schedules.count,
                                 p->boundaries.n + 1))
    schedule_create_parts (s, p->schedules, p->children);
}

static lam_tensor
piecewise_schedule_value (const piecewise_schedule *p, lam_trace *t, lam_tensor count)
{
  lam_tensor y = lam_schedule_value (t, p->children[0], count);
  for (uint64_t i = 0; i < p->boundaries.n; i++) {
    lam_tensor since = schedule_since (t, count, p->boundaries.p[i]);
    lam_tensor next = lam_schedule_value (t, p->children[i + 1], since);
    y = lam_where (t, schedule_before (t, count, p->boundaries.p[i]), y, next);
  }
  return y;
}

LAM_SCHEDULE (piecewise_schedule, "lamina.piecewise_schedule", 1,
              "Schedules one after the other, each from step 0.")
