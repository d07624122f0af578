/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.cosine: half a cosine from initial_value down to final_value over total_steps; final_value
 * afterwards. Semantics: praxis.schedules.Cosine; total_steps 0 gives NaN at step 0, as there. */
#include "schedules.h"

typedef struct {
  double initial_value, final_value;
  int64_t total_steps;
} cosine;

LAM_FIELDS (cosine, LAM_FLOAT (initial_value, 1.0, "Multiplier at step 0."),
            LAM_FLOAT (final_value, 0.0, "Multiplier from total_steps on."),
            LAM_INT (total_steps, 0, "Steps of the fall."), LAM_REQUIRED, LAM_MIN (0),
            LAM_MAX (UINT32_MAX))

static void
cosine_setup (cosine *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static lam_tensor
cosine_value (const cosine *p, lam_trace *t, lam_tensor count)
{
  lam_tensor part = lam_div_scalar (t, schedule_step (t, count), (double)p->total_steps);
  lam_tensor angle = lam_mul_scalar (t, lam_min_scalar (t, part, 1), SCHEDULE_PI);
  return schedule_cosine (t, angle, p->initial_value, p->final_value);
}

LAM_SCHEDULE (cosine, "lamina.cosine", 1, "Half a cosine from one value to another.")
