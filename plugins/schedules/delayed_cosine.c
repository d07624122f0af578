/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.delayed_cosine: y0 before step x0, y1 from step x1 on, half a cosine between them. Semantics:
 * praxis.schedules.DelayedCosine. */
#include "schedules.h"

typedef struct {
  lam_floats start, limit;
  schedule_span span;
} delayed_cosine;

LAM_FIELDS (delayed_cosine,
            LAM_FLOATS (start, "[0, 1.0]", "[x0, y0]: first step and its value, y0 > 0."),
            LAM_FLOATS (limit, "[1, 0.5]", "[x1, y1]: last step and its value, x0 < x1, y1 >= 0."))

static void
delayed_cosine_setup (delayed_cosine *p, lam_setup *s)
{
  p->span = schedule_read_span (s, p->start, p->limit);
  if (p->start.n == 2)
    schedule_check_positive (s, "start[1]", p->start.p[1]);
  if (p->limit.n == 2 && p->limit.p[1] < 0)
    schedule_fail (s, "limit[1] wants to be >= 0");
}

static lam_tensor
delayed_cosine_value (const delayed_cosine *p, lam_trace *t, lam_tensor count)
{
  return schedule_delayed_cosine (t, schedule_step (t, count), &p->span);
}

LAM_SCHEDULE (delayed_cosine, "lamina.delayed_cosine", 1,
              "Half a cosine between two steps, constant outside.")
