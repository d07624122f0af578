/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of plugins/metrics against their definitions, written out here over the same numbers. */
#include "core/model/model.h"
#include "tests/lib/fixture.h"

#include <lamina/metric.h>
#include <math.h>
#include <string.h>

#define B 4 /* examples */
#define V 6 /* classes */

/* Tensors that a metric sees, by path. */
typedef struct Call {
  LmRegistry *registry;
  GPtrArray *paths, *arrays;
} Call;

static Call *
call_new (void)
{
  Call *c = g_new0 (Call, 1);
  c->registry = lm_test_registry ();
  c->paths = g_ptr_array_new ();
  c->arrays = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  return c;
}

static void
call_free (Call *c)
{
  g_ptr_array_unref (c->paths);
  g_ptr_array_unref (c->arrays);
  lm_registry_free (c->registry);
  g_free (c);
}

static void
add (Call *c, const char *path, const lam_type *type, const double *values)
{
  g_ptr_array_add (c->paths, (char *)path);
  g_ptr_array_add (c->arrays, lm_test_array (type, values));
}

/* A model with the one metric m; ' stands for ". */
static LmModel *
model_of (LmRegistry *registry, const char *dtype, const char *metric, GError **error)
{
  g_autofree char *text =
      g_strdup_printf ("{'dtype': '%s', 'model': {'type': 'lamina.bias', 'dims': 1}, 'metrics': "
                       "{'m': %s}}",
                       dtype, metric);
  g_autoptr (JsonObject) config = lm_test_json (g_strdelimit (text, "'", '"'));
  return lm_model_new (registry, lm_host_tables (), config, error);
}

static LmFunction *
trace (const Call *c, LmModel *model, GError **error)
{
  g_autoptr (LmTrace) t = lm_model_trace (model, "metric");
  lam_trace *pub = lm_trace_pub (t);
  const LmLayer *metric = lm_model_metric (model, 0);
  const lam_metric_vt *vt = metric->provided->vtable;
  LmTraceLayer entered = {metric->id, metric->path, "m.value"};
  lam_nest in = lam_nest_map (pub);
  for (guint i = 0; i < c->paths->len; i++) {
    const LmArray *a = c->arrays->pdata[i];
    lam_nest_set_tensor (pub, in, c->paths->pdata[i], lm_trace_param (t, &a->type));
  }
  lm_trace_enter (t, &entered);
  lam_nest y = vt->value (metric->instance, pub, in);
  lm_trace_leave (t);
  lam_tensor results[2] = {lam_nil (), lam_nil ()};
  if (lm_trace_error (t) == NULL) {
    results[0] = lam_nest_get_tensor (pub, y, "value");
    results[1] = lam_nest_get_tensor (pub, y, "weight");
  }
  return lm_trace_finish (t, results, 2, error);
}

/* out: value and weight, as doubles; their dtype is that of the model. */
static void
run (const Call *c, const char *dtype, const char *metric, double out[2])
{
  g_autoptr (GError) error = NULL;
  LmBackend *backend = lm_test_backend (c->registry, "reference");
  g_autoptr (LmModel) model = model_of (c->registry, dtype, metric, &error);
  g_assert_no_error (error);
  g_autoptr (LmFunction) f = trace (c, model, &error);
  g_assert_no_error (error);
  LmArray *got[2];
  lm_test_run (backend, f, (LmArray *const *)c->arrays->pdata, got);
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpstr (lam_dtype_name (got[i]->type.dtype), ==, dtype);
    out[i] = lm_array_get_double (got[i], 0);
    lm_array_unref (got[i]);
  }
  lm_backend_unref (backend);
}

static void
refused (const Call *c, const char *metric, const char *piece, const char *other)
{
  GError *error = NULL;
  g_autoptr (LmModel) model = model_of (c->registry, "f32", metric, &error);
  if (model != NULL)
    g_assert_null (trace (c, model, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "m"));
  if (strstr (error->message, piece) == NULL || strstr (error->message, other) == NULL)
    g_test_fail_printf ("%s: wanted \"%s\" and \"%s\" in: %s", metric, piece, other,
                        error->message);
  g_clear_error (&error);
}

/* --- top_k_accuracy -------------------------------------------------------------------------------------- */

static const double logits[B][V] = {{0.5, 2, -1, 3, 0, 1},
                                    {1, 1, 1, 1, 1, 1}, /* ties: the first come first */
                                    {-5, -4, -3, -2, -1, 0},
                                    {9, 8, 7, 6, 5, 4}};
static const double labels[B] = {5, 2, 0, 0}, weights[B] = {1, 2, 0.5, 0};

/* The label of row i is among the k largest: fewer than k classes stand before it. */
static double
is_hit (guint i, int64_t k)
{
  guint before = 0, label = (guint)labels[i];
  for (guint j = 0; j < V; j++)
    before += logits[i][j] > logits[i][label] || (logits[i][j] == logits[i][label] && j < label);
  return (int64_t)before < k;
}

static Call *
classes (lam_dtype dtype)
{
  Call *c = call_new ();
  lam_type two = lm_type (dtype, 2, (int64_t[]) {B, V});
  lam_type one = lm_type (LAM_I32, 1, (int64_t[]) {B});
  add (c, "per_example.logits", &two, logits[0]);
  add (c, "inputs.labels", &one, labels);
  return c;
}

static void
test_top_k (void)
{
  Call *c = classes (LAM_F64);
  for (int64_t k = 1; k <= V + 2; k++) {
    double got[2], want = 0;
    g_autofree char *metric =
        g_strdup_printf ("{'type': 'lamina.top_k_accuracy', 'k': %" G_GINT64_FORMAT "}", k);
    for (guint i = 0; i < B; i++)
      want += is_hit (i, k) / B;
    run (c, "f64", metric, got);
    g_assert_cmpfloat_with_epsilon (got[0], want, 1e-15);
    g_assert_cmpfloat (got[1], ==, B);
  }
  call_free (c);
}

static void
test_top_k_weights (void)
{
  Call *c = classes (LAM_F64);
  lam_type one = lm_type (LAM_F64, 1, (int64_t[]) {B});
  double got[2], sum = 0, total = 0;
  add (c, "per_example.weights", &one, weights);
  for (guint i = 0; i < B; i++) {
    sum += is_hit (i, 3) * weights[i];
    total += weights[i];
  }
  run (c, "f64", "{'type': 'lamina.top_k_accuracy', 'k': 3}", got);
  g_assert_cmpfloat_with_epsilon (got[0], sum / total, 1e-15);
  g_assert_cmpfloat (got[1], ==, total);
  call_free (c);
}

/* In a bfloat16 step logits are bf16; the result is of the model's own dtype. */
static void
test_top_k_bf16 (void)
{
  Call *c = classes (LAM_BF16);
  double got[2], want = 0;
  for (guint i = 0; i < B; i++)
    want += is_hit (i, 2) / B;
  run (c, "f32", "{'type': 'lamina.top_k_accuracy', 'k': 2}", got);
  g_assert_cmpfloat (got[0], ==, want);
  call_free (c);
}

/* Sequences: logits (B, T, V), labels (B, T), weights (B) for whole sequences. */
static void
test_top_k_sequences (void)
{
  Call *c = call_new ();
  lam_type three = lm_type (LAM_F64, 3, (int64_t[]) {2, 2, V});
  lam_type two = lm_type (LAM_I32, 2, (int64_t[]) {2, 2});
  lam_type one = lm_type (LAM_F64, 1, (int64_t[]) {2});
  double got[2], each[2] = {3, 1}, want = 0;
  add (c, "per_example.logits", &three, logits[0]);
  add (c, "inputs.labels", &two, labels);
  add (c, "inputs.rows", &one, each);
  for (guint i = 0; i < B; i++)
    want += is_hit (i, 3) * each[i / 2] / 8;
  run (c, "f64", "{'type': 'lamina.top_k_accuracy', 'k': 3, 'weights': 'inputs.rows'}", got);
  g_assert_cmpfloat_with_epsilon (got[0], want, 1e-15);
  g_assert_cmpfloat (got[1], ==, 4);
  call_free (c);
}

static void
test_top_k_refusals (void)
{
  Call *c = classes (LAM_F32);
  refused (c, "{'type': 'lamina.top_k_accuracy', 'k': 0}", "m.k", ">= 1, got 0");
  refused (c, "{'type': 'lamina.top_k_accuracy', 'logit': 'x'}", "logit",
           "did you mean \"logits\"");
  refused (c, "{'type': 'lamina.top_k_accuracy', 'logits': 'per_example.scores'}", "scores",
           "logits");
  refused (c, "{'type': 'lamina.top_k_accuracy', 'labels': 'per_example.logits'}",
           "top_k_accuracy: labels", "[4,6]");
  refused (c, "{'type': 'lamina.top_k_accuracy', 'logits': 'inputs.labels'}", "logits", "classes");
  refused (c, "{'type': 'lamina.top_k_acuracy'}", "did you mean", "lamina.top_k_accuracy");
  call_free (c);
}

/* --- mean ------------------------------------------------------------------------------------------------ */

static void
test_mean (void)
{
  Call *c = call_new ();
  lam_type two = lm_type (LAM_F64, 2, (int64_t[]) {B, V});
  lam_type one = lm_type (LAM_F64, 1, (int64_t[]) {B});
  double got[2], all = 0, weighed = 0, total = 0;
  for (guint i = 0; i < B; i++)
    for (guint j = 0; j < V; j++) {
      all += logits[i][j] / (B * V);
      weighed += logits[i][j] * weights[i];
      total += weights[i];
    }
  add (c, "per_example.y", &two, logits[0]);
  run (c, "f64", "{'type': 'lamina.mean', 'tensor': 'per_example.y'}", got);
  g_assert_cmpfloat_with_epsilon (got[0], all, 1e-15);
  g_assert_cmpfloat (got[1], ==, B);
  add (c, "per_example.weights", &one, weights);
  run (c, "f64", "{'type': 'lamina.mean', 'tensor': 'per_example.y'}", got);
  g_assert_cmpfloat_with_epsilon (got[0], weighed / total, 1e-15);
  g_assert_cmpfloat_with_epsilon (got[1], total / V, 1e-15);
  call_free (c);
}

/* Integers are numbers; rows without weight may hold anything; no weight at all is 0 with weight 0. */
static void
test_mean_odd (void)
{
  Call *c = call_new ();
  lam_type ids = lm_type (LAM_I32, 1, (int64_t[]) {B});
  lam_type one = lm_type (LAM_F32, 1, (int64_t[]) {B});
  double got[2], holes[B] = {1, 2, 3, NAN}, none[B] = {0, 0, 0, 0};
  add (c, "inputs.labels", &ids, labels);
  add (c, "inputs.holes", &one, holes);
  add (c, "inputs.w", &one, weights);
  add (c, "inputs.none", &one, none);
  run (c, "f32", "{'type': 'lamina.mean', 'tensor': 'inputs.labels'}", got);
  g_assert_cmpfloat (got[0], ==, 7 / 4.0);
  run (c, "f32", "{'type': 'lamina.mean', 'tensor': 'inputs.holes', 'weights': 'inputs.w'}", got);
  g_assert_cmpfloat_with_epsilon (got[0], 6.5 / 3.5, 1e-7);
  run (c, "f32", "{'type': 'lamina.mean', 'tensor': 'inputs.holes', 'weights': 'inputs.none'}",
       got);
  g_assert_cmpfloat (got[0], ==, 0);
  g_assert_cmpfloat (got[1], ==, 0);
  call_free (c);
}

static void
test_mean_refusals (void)
{
  Call *c = classes (LAM_F32);
  refused (c, "{'type': 'lamina.mean'}", "m.tensor", "missing");
  refused (c, "{'type': 'lamina.mean', 'tensor': 'per_example.x'}", "per_example.x", "logits");
  refused (c, "{'type': 'lamina.mean', 'tensor': 'inputs.labels', 'weights': 'per_example.logits'}",
           "weights", "[4,6]");
  call_free (c);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugins/metrics/top_k_accuracy/definition", test_top_k);
  g_test_add_func ("/plugins/metrics/top_k_accuracy/weights", test_top_k_weights);
  g_test_add_func ("/plugins/metrics/top_k_accuracy/bf16", test_top_k_bf16);
  g_test_add_func ("/plugins/metrics/top_k_accuracy/sequences", test_top_k_sequences);
  g_test_add_func ("/plugins/metrics/top_k_accuracy/refusals", test_top_k_refusals);
  g_test_add_func ("/plugins/metrics/mean/definition", test_mean);
  g_test_add_func ("/plugins/metrics/mean/odd", test_mean_odd);
  g_test_add_func ("/plugins/metrics/mean/refusals", test_mean_refusals);
  return g_test_run ();
}
