/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.linear_rampup_cosine_decay: from 0 to max over warmup_steps, max until decay_start,
 * half a cosine down to max * min_ratio at decay_end. Semantics:
 * praxis.schedules.LinearRampupCosineDecay. */
#include "schedules.h"

typedef struct {
  int64_t warmup_steps, decay_start, decay_end;
  double min_ratio, max;
} rampup_cosine;

LAM_FIELDS (rampup_cosine, LAM_INT (warmup_steps, 0, "Steps of the linear rise."), LAM_MIN (0),
            LAM_MAX (UINT32_MAX),
            LAM_INT (decay_start, 0, "First step of the fall, >= warmup_steps."), LAM_MIN (0),
            LAM_MAX (UINT32_MAX), LAM_INT (decay_end, 0, "Last step of the fall, > decay_start."),
            LAM_REQUIRED, LAM_MIN (1), LAM_MAX (UINT32_MAX),
            LAM_FLOAT (min_ratio, 0.01, "Multiplier after the fall, as a part of max."),
            LAM_MIN (0), LAM_FLOAT (max, 0, "Multiplier between rise and fall, > 0."), LAM_REQUIRED)

static void
rampup_cosine_setup (rampup_cosine *p, lam_setup *s)
{
  schedule_check_rampup (s, p->warmup_steps, p->decay_start, p->decay_end);
  schedule_check_positive (s, "max", p->max);
}

static lam_tensor
rampup_cosine_value (const rampup_cosine *p, lam_trace *t, lam_tensor count)
{
  schedule_span fall = {0, p->max, (double)(p->decay_end - p->decay_start), p->max * p->min_ratio};
  lam_tensor x = schedule_step (t, schedule_since (t, count, p->decay_start)), y;
  y = schedule_delayed_cosine (t, x, &fall);
  return schedule_rampup (t, count, p->warmup_steps, p->max, y);
}

LAM_SCHEDULE (rampup_cosine, "lamina.linear_rampup_cosine_decay", 1,
              "Linear rise, plateau, cosine fall.")
