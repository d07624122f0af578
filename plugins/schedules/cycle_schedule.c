/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.cycle_schedule: schedules in turn, steps[i] steps of schedule i, again and again; each sees
 * the step of the whole, not one of its own. Semantics: praxis.schedules.CycleSchedule. */
#include "schedules.h"

typedef struct {
  lam_child_config schedules;
  lam_ints steps;
  int64_t period;
  lam_child children[SCHEDULE_MAX];
} cycle_schedule;

LAM_FIELDS (cycle_schedule, LAM_LAYERS (schedules, NULL, "The schedules (at most 64), in turn."),
            LAM_REQUIRED, LAM_INTS (steps, NULL, "How many steps each has its turn."), LAM_REQUIRED,
            LAM_MIN (1), LAM_MAX (UINT32_MAX))

static void
cycle_schedule_setup (cycle_schedule *p, lam_setup *s)
{
  if (p->steps.n != p->schedules.count || p->steps.n == 0) {
    schedule_fail (s,
                   "wanted as many steps as schedules, one at least, got %" PRIu64 " and %" PRIu32,
                   p->steps.n, p->schedules.count);
    return;
  }
  schedule_create_parts (s, p->schedules, p->children);
  for (uint64_t i = 0; i < p->steps.n && p->period <= UINT32_MAX; i++)
    p->period += p->steps.p[i];
  if (p->period > UINT32_MAX)
    schedule_fail (s, "the steps of a cycle want a sum below 2^32");
}

static lam_tensor
cycle_schedule_value (const cycle_schedule *p, lam_trace *t, lam_tensor count)
{
  lam_tensor place = lam_rem (t, count, schedule_count (t, p->period));
  lam_tensor y = lam_schedule_value (t, p->children[0], count);
  int64_t start = 0;
  for (uint64_t i = 1; i < p->steps.n; i++) {
    start += p->steps.p[i - 1];
    lam_tensor next = lam_schedule_value (t, p->children[i], count);
    y = lam_where (t, schedule_before (t, place, start), y, next);
  }
  return y;
}

LAM_SCHEDULE (cycle_schedule, "lamina.cycle_schedule", 1, "Schedules in turn, again and again.")
