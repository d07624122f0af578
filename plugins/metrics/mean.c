/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.mean: the weighted mean of any tensor of the batch or of the model, over examples and elements. */
#include "metrics.h"

typedef struct {
  const char *tensor, *weights;
} mean;

LAM_FIELDS (mean,
            LAM_STRING (tensor, NULL,
                        "Path of what to average, such as per_example.xent or "
                        "inputs.labels: (B, ...) numbers."),
            LAM_REQUIRED, WEIGHTS_FIELD)

static void
mean_setup (mean *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

/* x (B, ...), w (B) or more of x's dims: sum (x w) / sum (w), each element of an example alike */
static lam_nest
mean_value (const mean *p, lam_trace *t, lam_nest in)
{
  lam_tensor x = metric_real (t, lam_nest_get_tensor (t, in, p->tensor));
  return metric_average (t, x, metric_weights (t, in, p->weights, x));
}

LAM_METRIC (mean, "lamina.mean", 1, "The weighted mean of a tensor of each example.")
