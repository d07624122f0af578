/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.linear_rampup_cosine_decay: from 0 to max over warmup_steps, max until decay_start, half a
 * cosine down to max * min_ratio at decay_end. Semantics: praxis.schedules.LinearRampupCosineDecay. */
#include <lamina/schedule.h>

#define PI 3.14159265358979323846

typedef struct {
  int64_t warmup_steps, decay_start, decay_end;
  double max, min_ratio;
} rampup_cosine;

LAM_FIELDS (rampup_cosine, LAM_INT (warmup_steps, 0, "Steps of the linear rise."), LAM_MIN (0),
            LAM_INT (decay_start, 0, "First step of the fall, >= warmup_steps."), LAM_MIN (0),
            LAM_INT (decay_end, 0, "Last step of the fall, > decay_start."), LAM_REQUIRED,
            LAM_MIN (1), LAM_FLOAT (max, 1.0, "Multiplier between rise and fall."), LAM_REQUIRED,
            LAM_FLOAT (min_ratio, 0.01, "Multiplier after the fall, as a part of max."),
            LAM_MIN (0))

static void
rampup_cosine_setup (rampup_cosine *p, lam_setup *s)
{
  if (p->decay_start < p->warmup_steps || p->decay_end <= p->decay_start)
    lam_setup_fail (s, "wanted warmup_steps <= decay_start < decay_end");
}

/* The cosine between decay_start and decay_end; constant outside. */
static lam_tensor
decay (const rampup_cosine *p, lam_trace *t, lam_tensor step)
{
  double low = p->max * p->min_ratio, length = (double)(p->decay_end - p->decay_start);
  lam_tensor part = lam_sub_scalar (t, step, (double)p->decay_start);
  part = lam_clip (t, lam_div_scalar (t, part, length), 0, 1);
  part = lam_add_scalar (t, lam_cos (t, lam_mul_scalar (t, part, PI)), 1);
  return lam_add_scalar (t, lam_mul_scalar (t, part, (p->max - low) / 2), low);
}

static lam_tensor
rampup_cosine_value (const rampup_cosine *p, lam_trace *t, lam_tensor count)
{
  lam_tensor step = lam_cast (t, count, lam_real_dtype (t)), rise, y = decay (p, t, step);
  if (p->warmup_steps == 0)
    return y;
  rise = lam_mul_scalar (t, lam_div_scalar (t, step, (double)p->warmup_steps), p->max);
  return lam_where (t, lam_lt (t, step, lam_real (t, (double)p->warmup_steps)), rise, y);
}

LAM_SCHEDULE (rampup_cosine, "lamina.linear_rampup_cosine_decay", 1,
              "Linear rise, plateau, cosine fall.")
LAM_PLUGIN ("lamina.schedules.linear_rampup_cosine_decay", "0.1.0", "Apache-2.0",
            LAM_PROVIDES (rampup_cosine))
