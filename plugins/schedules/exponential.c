/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.exponential: y0 before step x0, y1 from step x1 on, a line in log space between them.
 * Semantics: praxis.schedules.Exponential. */
#include "schedules.h"

typedef struct {
  lam_floats start, limit;
  schedule_span span;
} exponential;

LAM_FIELDS (exponential,
            LAM_FLOATS (start, "[0, 1.0]", "[x0, y0]: first step and its value, y0 > 0."),
            LAM_FLOATS (limit, "[1, 0.5]", "[x1, y1]: last step and its value, x0 < x1, y1 > 0."))

static void
exponential_setup (exponential *p, lam_setup *s)
{
  p->span = schedule_read_span (s, p->start, p->limit);
  if (p->start.n == 2 && p->limit.n == 2) {
    schedule_check_positive (s, "start[1]", p->start.p[1]);
    schedule_check_positive (s, "limit[1]", p->limit.p[1]);
  }
}

static lam_tensor
exponential_value (const exponential *p, lam_trace *t, lam_tensor count)
{
  return schedule_exponential (t, schedule_step (t, count), &p->span);
}

LAM_SCHEDULE (exponential, "lamina.exponential", 1,
              "From one value to another by the same factor at each step.")
