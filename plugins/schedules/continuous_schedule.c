/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.continuous_schedule: initial_value until start_step, then halved every half_life_steps, not
 * below initial_value * min. Semantics: praxis.schedules.ContinuousSchedule. */
#include "schedules.h"

typedef struct {
  double initial_value, min;
  int64_t start_step, half_life_steps;
} continuous_schedule;

LAM_FIELDS (continuous_schedule, LAM_FLOAT (initial_value, 1.0, "Multiplier until start_step."),
            LAM_INT (start_step, 400000, "First step of the fall."), LAM_MIN (0),
            LAM_MAX (UINT32_MAX),
            LAM_INT (half_life_steps, 100000, "Steps in which the multiplier halves."), LAM_MIN (1),
            LAM_MAX (UINT32_MAX),
            LAM_FLOAT (min, 0.01, "Least multiplier, as a part of initial_value; inside 0 to 1."))

static void
continuous_schedule_setup (continuous_schedule *p, lam_setup *s)
{
  if (!(p->min > 0 && p->min < 1))
    schedule_fail (s, "min wants to be above 0 and below 1");
}

static lam_tensor
continuous_schedule_value (const continuous_schedule *p, lam_trace *t, lam_tensor count)
{
  double start = (double)p->start_step;
  double limit = start + (double)p->half_life_steps * log (p->min) / log (0.5);
  schedule_span fall = {start, 1, limit, p->min};
  lam_tensor y = schedule_exponential (t, schedule_step (t, count), &fall);
  return lam_mul_scalar (t, y, p->initial_value);
}

LAM_SCHEDULE (continuous_schedule, "lamina.continuous_schedule", 1,
              "Constant, then halved every so many steps down to a floor.")
