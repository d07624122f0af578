/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.transformer: model_dim^-1/2 * min ((t + 1) * w^-3/2, (t + 1)^-1/2) with w = warmup_steps *
 * worker_replicas, t the step or decay_end, whichever is less. Semantics:
 * praxis.schedules.Transformer. */
#include "schedules.h"

typedef struct {
  int64_t warmup_steps, model_dim, worker_replicas, decay_end;
} transformer;

LAM_FIELDS (transformer, LAM_INT (warmup_steps, 4000, "Steps of the linear rise, by replica."),
            LAM_MIN (1), LAM_MAX (UINT32_MAX), LAM_INT (model_dim, 512, "Width of the model."),
            LAM_MIN (1), LAM_INT (worker_replicas, 1, "Number of replicas."), LAM_MIN (1),
            LAM_MAX (1 << 20),
            LAM_INT (decay_end, -1, "The step at which the fall ends; -1: never."), LAM_MIN (-1),
            LAM_MAX (UINT32_MAX))

static void
transformer_setup (transformer *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static lam_tensor
transformer_value (const transformer *p, lam_trace *t, lam_tensor count)
{
  double w = (double)p->warmup_steps * (double)p->worker_replicas;
  if (p->decay_end >= 0)
    count = lam_min (t, count, schedule_count (t, p->decay_end));
  lam_tensor x = lam_add_scalar (t, schedule_step (t, count), 1);
  lam_tensor rise = lam_mul_scalar (t, x, pow (w, -1.5));
  lam_tensor y = lam_min (t, rise, lam_rsqrt (t, x));
  return lam_mul_scalar (t, y, 1 / sqrt ((double)p->model_dim));
}

LAM_SCHEDULE (transformer, "lamina.transformer", 1,
              "Linear rise, then a fall as 1 / sqrt (step), scaled by the model's width.")
