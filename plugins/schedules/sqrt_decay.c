/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.sqrt_decay: multiplier / sqrt (max (step - offset, decay_start)). Semantics:
 * praxis.schedules.SqrtDecay. */
#include "schedules.h"

typedef struct {
  int64_t decay_start;
  double multiplier, offset;
} sqrt_decay;

LAM_FIELDS (sqrt_decay, LAM_INT (decay_start, 10000, "Constant until this step."), LAM_MIN (1),
            LAM_MAX (UINT32_MAX), LAM_FLOAT (multiplier, 1.0, "Factor of the whole."),
            LAM_FLOAT (offset, 0.0, "Taken off the step first."))

static void
sqrt_decay_setup (sqrt_decay *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static lam_tensor
sqrt_decay_value (const sqrt_decay *p, lam_trace *t, lam_tensor count)
{
  lam_tensor x = lam_sub_scalar (t, schedule_step (t, count), p->offset);
  x = lam_rsqrt (t, lam_max_scalar (t, x, (double)p->decay_start));
  return lam_mul_scalar (t, x, p->multiplier);
}

LAM_SCHEDULE (sqrt_decay, "lamina.sqrt_decay", 1, "Constant, then a fall as 1 / sqrt (step).")
