/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.constant: the same multiplier at every step. Semantics: praxis.schedules.Constant. */
#include <lamina/schedule.h>

typedef struct {
  double value;
} constant;

LAM_FIELDS (constant, LAM_FLOAT (value, 1.0, "The multiplier."))

static void
constant_setup (constant *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static lam_tensor
constant_value (const constant *p, lam_trace *t, lam_tensor count)
{
  (void)count;
  return lam_real (t, p->value);
}

LAM_SCHEDULE (constant, "lamina.constant", 1, "The same multiplier at every step.")
