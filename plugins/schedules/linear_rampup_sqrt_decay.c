/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.linear_rampup_sqrt_decay: peak * min (t / warmup_steps, sqrt (warmup_steps / t)) with
 * t = max (step, 1). Semantics: praxis.schedules.LinearRampupSqrtDecay. */
#include "schedules.h"

typedef struct {
  double peak;
  int64_t warmup_steps;
} rampup_sqrt;

LAM_FIELDS (rampup_sqrt, LAM_FLOAT (peak, 1.0, "Multiplier at warmup_steps, the greatest."),
            LAM_INT (warmup_steps, 4000, "Steps of the linear rise."), LAM_MIN (1),
            LAM_MAX (UINT32_MAX))

static void
rampup_sqrt_setup (rampup_sqrt *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static lam_tensor
rampup_sqrt_value (const rampup_sqrt *p, lam_trace *t, lam_tensor count)
{
  lam_tensor x = lam_max_scalar (t, schedule_step (t, count), 1);
  lam_tensor rise = lam_div_scalar (t, x, (double)p->warmup_steps);
  lam_tensor fall = lam_sqrt (t, lam_div (t, lam_real (t, (double)p->warmup_steps), x));
  return lam_mul_scalar (t, lam_min (t, rise, fall), p->peak);
}

LAM_SCHEDULE (rampup_sqrt, "lamina.linear_rampup_sqrt_decay", 1,
              "Linear rise to a peak, then a fall as 1 / sqrt (step).")
