/* SPDX-License-Identifier: Apache-2.0 */
/* A metric to copy: the probability that the model gave to the right answers, on average. A metric gives one
 * value and its weight for a batch; the host averages both over batches and replicas. */
#include <lamina/metric.h>

typedef struct {
  const char *losses;
} likelihood;

LAM_FIELDS (likelihood, LAM_STRING (losses, "per_example.xent",
                                    "Path of the negative log likelihood of each example."))

/* What no range in the table can say is checked here, with lam_setup_fail. */
static void
likelihood_setup (likelihood *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

/* in: {inputs: the batch, per_example: what the task gave, such as xent (B) and weights (B)}. A path that is
 * not there is an error which lists what there is. Means are taken in lam_real_dtype: a step may compute in
 * bfloat16, whose sums are coarse. */
static lam_nest
likelihood_value (const likelihood *p, lam_trace *t, lam_nest in)
{
  lam_dtype real = lam_real_dtype (t);
  lam_tensor xent = lam_cast (t, lam_nest_get_tensor (t, in, p->losses), real); /* (B) */
  lam_tensor each = lam_exp (t, lam_neg (t, xent)), weights = lam_full_like (t, each, 1), total;
  if (lam_nest_has (t, in, "per_example.weights")) /* 0: a row that only fills the batch up */
    weights = lam_cast (t, lam_nest_get_tensor (t, in, "per_example.weights"), real);
  total = lam_sum (t, weights, LAM_EVERY_AXIS, false);
  each = lam_sum (t, lam_mul (t, each, weights), LAM_EVERY_AXIS, false);
  return lam_metric_of (t, lam_div (t, each, lam_max_scalar (t, total, 1e-8)), total);
}

LAM_METRIC (likelihood, "example.likelihood", 1, "Mean probability of the right answers.")
LAM_PLUGIN ("example.metrics", "0.1.0", "Apache-2.0", LAM_PROVIDES (likelihood))
