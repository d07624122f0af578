/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.linear: y0 before step x0, y1 from step x1 on, a line between them. Semantics:
 * praxis.schedules.Linear. */
#include "schedules.h"

typedef struct {
  lam_floats start, limit;
  schedule_span span;
} linear;

LAM_FIELDS (linear, LAM_FLOATS (start, "[0, 1.0]", "[x0, y0]: first step and its value."),
            LAM_FLOATS (limit, "[1, 1.0]", "[x1, y1]: last step and its value, x0 < x1."))

static void
linear_setup (linear *p, lam_setup *s)
{
  p->span = schedule_read_span (s, p->start, p->limit);
}

static lam_tensor
linear_value (const linear *p, lam_trace *t, lam_tensor count)
{
  return schedule_line (t, schedule_step (t, count), &p->span);
}

LAM_SCHEDULE (linear, "lamina.linear", 1, "From one value to another along a line.")
