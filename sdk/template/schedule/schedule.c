/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule to copy: a staircase that falls by a factor every so many updates. The learning rate of an update
 * is the optimizer's learning_rate times this value. */
#include <lamina/schedule.h>
#include <math.h>

typedef struct {
  int64_t every;
  double factor;
} staircase;

LAM_FIELDS (staircase, LAM_INT (every, 100, "Updates on each stair."), LAM_MIN (1),
            LAM_FLOAT (factor, 0.5, "What a stair is of the one before."), LAM_MIN (1e-6),
            LAM_MAX (1))

/* What no range in the table can say is checked here, with lam_setup_fail; parts that are schedules
 * themselves are made here, with lam_create_schedule. */
static void
staircase_setup (staircase *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

/* factor ^ floor (count / every). count: how many updates were made before, a u32 scalar of the trace: there is
 * no "if" on it, choose with lam_where. The result has lam_real_dtype: f64 in models of f64, else f32. */
static lam_tensor
staircase_value (const staircase *p, lam_trace *t, lam_tensor count)
{
  lam_tensor every = lam_scalar_like (t, count, (double)p->every);
  lam_tensor stairs = lam_cast (t, lam_div (t, count, every), lam_real_dtype (t));
  return lam_exp (t, lam_mul_scalar (t, stairs, log (p->factor)));
}

LAM_SCHEDULE (staircase, "example.staircase", 1, "Falls by a factor every so many updates.")
LAM_PLUGIN ("example.schedules", "0.1.0", "Apache-2.0", LAM_PROVIDES (staircase))
