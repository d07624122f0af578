/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.polynomial: y0 before step x0, y1 from step x1 on, a power of the way between them. Semantics:
 * praxis.schedules.Polynomial. */
#include "schedules.h"

#include <string.h>

typedef struct {
  double power;
  lam_floats start, limit;
  const char *origin;
  schedule_span span;
} polynomial;

LAM_FIELDS (polynomial, LAM_FLOAT (power, 1, "Power of the way."), LAM_MIN (0),
            LAM_FLOATS (start, "[0, 1.0]", "[x0, y0]: first step and its value."),
            LAM_FLOATS (limit, "[1, 1.0]", "[x1, y1]: last step and its value, x0 < x1."),
            LAM_STRING (origin, "start",
                        "Which end is flat where power > 1: r^power or 1 - (1 - r)^power."),
            LAM_CHOICES ("start limit"))

static void
polynomial_setup (polynomial *p, lam_setup *s)
{
  p->span = schedule_read_span (s, p->start, p->limit);
}

static lam_tensor
polynomial_value (const polynomial *p, lam_trace *t, lam_tensor count)
{
  lam_tensor x = schedule_step (t, count), f = schedule_part (t, x, p->span.x0, p->span.x1);
  if (strcmp (p->origin, "start") == 0) {
    f = lam_pow_scalar (t, f, p->power);
  } else {
    f = lam_pow_scalar (t, lam_sub (t, lam_real (t, 1), f), p->power);
    f = lam_sub (t, lam_real (t, 1), f);
  }
  return schedule_between (t, x, &p->span, f);
}

LAM_SCHEDULE (polynomial, "lamina.polynomial", 1, "From one value to another along a power.")
