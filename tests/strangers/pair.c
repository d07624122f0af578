/* SPDX-License-Identifier: Apache-2.0 */
/* A task with two losses, a counter and everything that a step reports; and a metric. */
#include <lamina/layer.h>
#include <lamina/metric.h>

/* Variables a, b and k of one number each, and a counter n that is not trainable; on demand a counter of
 * integers and a flag too. Batch: x (B).
 * Losses: a * mean (x) squared, and b squared; k is in both and kept in float32. */
typedef struct {
  double weight, aux;
  const char *sync;
  bool poison, kinds, counters;
  lam_var a, b, k, n, whole, flag;
} pair;

LAM_FIELDS (pair, LAM_FLOAT (weight, 1, "Weight of the loss."),
            LAM_FLOAT (aux, 0, "Weight of an auxiliary loss a."),
            LAM_STRING (sync, "mean", "How replicas keep the counter one."),
            LAM_CHOICES ("mean sum none"),
            LAM_BOOL (poison, false, "Whether to take the logarithm of -1."),
            LAM_BOOL (kinds, false, "Whether to add a summary of every kind."),
            LAM_BOOL (counters, false, "Whether to have the integer and the flag."))

static void
pair_setup (pair *p, lam_setup *s)
{
  lam_var_spec n = lam_var_spec_make (LAM_SCALAR, LAM_CONSTANT (0));
  lam_var_spec k = lam_var_spec_make (LAM_SCALAR, LAM_CONSTANT (1));
  n.collections = LAM_NON_TRAINABLE;
  if (p->sync[0] == 'm')
    n.collections |= LAM_REQUIRES_MEAN_SYNC;
  if (p->sync[0] == 's')
    n.collections |= LAM_REQUIRES_SUM_SYNC;
  k.collections = LAM_DISALLOW_BFLOAT16_CONVERSION;
  p->a = lam_create_variable (s, "a", LAM_SCALAR, LAM_CONSTANT (3));
  p->b = lam_create_variable (s, "b", LAM_SCALAR, LAM_CONSTANT (5));
  p->k = lam_create_variable_spec (s, "k", &k);
  p->n = lam_create_variable_spec (s, "n", &n);
  if (p->counters) {
    n.dtype = LAM_I32;
    p->whole = lam_create_variable_spec (s, "whole", &n);
    n.dtype = LAM_PRED;
    p->flag = lam_create_variable_spec (s, "flag", &n);
  }
}

static void
watch (const pair *p, lam_trace *t, lam_tensor y)
{
  lam_tensor zero = lam_zeros_like (t, y), minus = lam_scalar_like (t, y, -1);
  lam_check_numerics (t, "y", y);
  if (p->poison)
    lam_check_numerics (t, "log", lam_log (t, minus));
  lam_check (t, "y is positive", lam_all (t, lam_gt (t, y, zero), LAM_EVERY_AXIS, false));
  lam_debug_print (t, "y", y);
}

static void
metric (lam_trace *t, lam_nest out, const char *path, const lam_tensor value_weight[2])
{
  lam_nest_set (t, out, path, lam_metric_of (t, value_weight[0], value_weight[1]));
}

/* x (B) as a summary of each kind; the aggregates' weight is the sum of x. */
static void
every_kind (lam_trace *t, lam_tensor x)
{
  int64_t n = lam_shape_of (t, x).dims[0];
  lam_tensor image = lam_reshape (t, x, LAM_SHAPE (1, n, 1));
  lam_tensor sum = lam_sum (t, x, LAM_EVERY_AXIS, false);
  lam_add_summary (t, "kind", LAM_SUMMARY_IMAGE, image, 2);
  lam_add_summary (t, "rows", LAM_SUMMARY_IMAGE, lam_reshape (t, x, LAM_SHAPE (n, 1, 1, 1)), 2);
  lam_add_aggregate_scalar (t, "kind", x, sum);
  t->api->add_aggregate (t, "kind", LAM_SUMMARY_AGGREGATE_IMAGE, image, sum, 2);
  lam_add_summary_text (t, "kind", "some **text**");
  lam_add_summary_histogram (t, "kind", x);
}

/* n and whole grow by the sum of x; the flag goes up. */
static void
count (const pair *p, lam_trace *t, lam_tensor x)
{
  lam_tensor sum = lam_sum (t, x, LAM_EVERY_AXIS, false);
  lam_update_var (t, p->n, lam_add (t, lam_theta (t, p->n), sum));
  if (!p->counters)
    return;
  lam_update_var (t, p->whole, lam_add (t, lam_theta (t, p->whole), lam_cast (t, sum, LAM_I32)));
  lam_update_var (t, p->flag, lam_gt (t, sum, lam_zeros_like (t, sum)));
}

static lam_nest
pair_fprop (const pair *p, lam_trace *t, lam_nest batch)
{
  lam_nest out = lam_nest_map (t);
  lam_tensor x = lam_nest_get_tensor (t, batch, "x"); /* (B) */
  lam_tensor a = lam_theta (t, p->a), b = lam_theta (t, p->b), k = lam_theta (t, p->k);
  lam_tensor y = lam_mul (t, x, a); /* (B) */
  lam_tensor loss[2], other[2];
  loss[0] = lam_square (t, lam_mean (t, y, LAM_EVERY_AXIS, false));
  loss[1] = other[1] = lam_scalar_like (t, y, p->weight);
  other[0] = lam_mul (t, lam_square (t, b), lam_cast (t, k, lam_dtype_of (t, b)));
  watch (p, t, y);
  if (!lam_do_eval (t))
    count (p, t, x);
  if (p->aux != 0)
    lam_add_aux_loss (t, "aux", a, lam_scalar_like (t, a, p->aux));
  lam_add_summary_scalar (t, "a", a);
  lam_add_summary_scalar (t, "sum", lam_sum (t, x, LAM_EVERY_AXIS, false));
  lam_add_summary (t, "quiet", LAM_SUMMARY_SCALAR, a, 4);
  if (p->kinds)
    every_kind (t, x);
  metric (t, out, "metrics.loss", loss);
  metric (t, out, "metrics.other", other);
  lam_nest_set_tensor (t, out, "per_example.y", y);
  return out;
}

static lam_nest
pair_decode (const pair *p, lam_trace *t, lam_nest batch)
{
  lam_nest out = lam_nest_map (t);
  lam_tensor x = lam_nest_get_tensor (t, batch, "x"), count[2];
  count[0] = count[1] = lam_sum (t, lam_full_like (t, x, 1), LAM_EVERY_AXIS, false);
  metric (t, out, "metrics.rows", count);
  lam_nest_set_tensor (t, out, "results.y", lam_mul (t, x, lam_theta (t, p->a)));
  return out;
}

LAM_METHODS (pair, LAM_METHOD (pair, fprop) LAM_METHOD (pair, decode), LAM_USE (pair, fprop),
             LAM_USE (pair, decode))
LAM_LAYER_METHODS (pair, "test.pair", 1, "Two losses, a counter, and reports.")

/* The mean of a power of y. */
typedef struct {
  int64_t power;
  const char *result;
} power_mean;

LAM_FIELDS (power_mean, LAM_INT (power, 1, "1 or 2."),
            LAM_STRING (result, "right", "What to return."), LAM_CHOICES ("right nothing"))

static void
power_mean_setup (power_mean *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static lam_nest
power_mean_value (const power_mean *p, lam_trace *t, lam_nest in)
{
  lam_tensor y = lam_nest_get_tensor (t, in, "per_example.y");
  lam_tensor x = lam_nest_get_tensor (t, in, "inputs.x");
  lam_tensor weight = lam_sum (t, lam_full_like (t, x, 1), LAM_EVERY_AXIS, false);
  if (p->result[0] == 'n')
    return lam_nest_map (t);
  y = p->power == 2 ? lam_square (t, y) : y;
  return lam_metric_of (t, lam_mean (t, y, LAM_EVERY_AXIS, false), weight);
}

LAM_METRIC (power_mean, "test.power_mean", 1, "Mean of a power of what the task gave.")

LAM_PLUGIN ("test.pair", "1.0.0", "Apache-2.0", LAM_PROVIDES (pair, power_mean))
