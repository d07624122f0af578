/* SPDX-License-Identifier: Apache-2.0 */
/* Two replicas step by step, by formulas: semantics 1.2, 1.5 and 1.6 where an axis is named. The task is
 * tests/strangers/pair.c: y = a x with a = 3; replica 0 has x = 1 2, replica 1 has x = 3 4, so the
 * losses mean (y)^2 are 4.5^2 = 20.25 and 10.5^2 = 110.25. */
#include "tests/lib/replicas.h"

#include <string.h>

#define SGD "\"optimizer\": {\"type\": \"lamina.sgd\", \"learning_rate\": 0.5}"
#define ONE "\"learners\": [{\"type\": \"lamina.learner\", " SGD "}]"

/* rows: of each replica's x. */
static LmTestReplicas *
start_rows (const char *options, LmStepKind kind, int64_t rows)
{
  g_autofree char *text =
      g_strdup_printf ("{\"model\": {\"type\": \"test.pair\"%s}, " ONE "}", options);
  g_autoptr (JsonObject) config = lm_test_json (text);
  g_autoptr (GHashTable) weights =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)lm_array_unref);
  static const struct {
    const char *name;
    double value;
  } vars[] = {{"a", 3}, {"b", 5}, {"k", 1}, {"n", 7}};
  lam_type scalar = lm_scalar_type (LAM_F32);
  for (guint i = 0; i < G_N_ELEMENTS (vars); i++)
    g_hash_table_insert (weights, (gpointer)vars[i].name, lm_test_array (&scalar, &vars[i].value));
  if (strstr (options, "counters") != NULL) {
    lam_type whole = lm_scalar_type (LAM_I32), flag = lm_scalar_type (LAM_PRED);
    g_hash_table_insert (weights, (gpointer) "whole", lm_test_array (&whole, (double[]) {20}));
    g_hash_table_insert (weights, (gpointer) "flag", lm_test_array (&flag, (double[]) {0}));
  }
  LmBatchField x = {(char *)"x", lm_type (LAM_F32, 1, &rows)};
  LmBatchSpec batch = {1, &x};
  return lm_test_replicas_new (config, weights, &batch, kind, "reference", 2);
}

static LmTestReplicas *
start (const char *options, LmStepKind kind)
{
  return start_rows (options, kind, 2);
}

/* x: of both replicas, `rows` each. */
static void
step_on (LmTestReplicas *r, int64_t rows, const double *values)
{
  lam_type type = lm_type (LAM_F32, 1, (int64_t[]) {2 * rows});
  g_autoptr (LmArray) key = lm_test_key (0, 1);
  g_autoptr (LmArray) x = lm_test_array (&type, values);
  LmArray **parts[2] = {lm_test_replica_batch (&x, 1, 0, 2), lm_test_replica_batch (&x, 1, 1, 2)};
  lm_test_replicas_step (r, key, (LmArray * *const *)parts);
  for (guint i = 0; i < 2; i++) {
    lm_array_unref (parts[i][0]);
    g_free (parts[i]);
  }
}

static void
step (LmTestReplicas *r)
{
  step_on (r, 2, (double[]) {1, 2, 3, 4});
}

static double
var (const LmTestReplicas *r, const char *name)
{
  return lm_array_get_double (lm_test_run_var (r->runs[1], name), 0);
}

static void
assert_rows (const LmTestRun *run)
{
  const LmArray *y = run->out[lm_step_per_example_index (run->step, 0)];
  g_assert_cmpint (y->type.dims[0], ==, 4);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpfloat (lm_array_get_double (y, i), ==, 3 * (i + 1));
}

/* 3e, 4, 5, 8: loss = (20.25 + 110.25) / 2; d a = (2 * 4.5 * 1.5 + 2 * 10.5 * 3.5) / 2 = 43.5; the aux
 * loss a counts once in all. */
static void
test_train (void)
{
  LmTestReplicas *r = start (", \"aux\": 1", LM_STEP_TRAIN);
  step (r);
  lm_test_replicas_assert_equal (r);
  g_assert_cmpfloat (lm_test_run_loss (r->runs[0]), ==, 65.25 + 3);
  g_assert_cmpfloat (lm_test_run_loss (r->runs[1]), ==, 65.25 + 3);
  g_assert_cmpfloat (var (r, "a"), ==, 3 - 0.5 * (43.5 + 1));
  for (guint i = 0; i < 2; i++) { /* the 1e-8 of point 5 is below f32's precision here */
    g_assert_cmpfloat (lm_test_run_metric (r->runs[i], "loss", false), ==, 65.25);
    g_assert_cmpfloat (lm_test_run_metric (r->runs[i], "loss", true), ==, 2);
    g_assert_cmpfloat (lm_test_run_metric (r->runs[i], "other", false), ==, 25);
    assert_rows (r->runs[i]);
    g_assert_cmpfloat (lm_test_run_summary (r->runs[i], "/sum_scalar"), ==, 5); /* mean of 3, 7 */
  }
  lm_test_replicas_free (r);
}

/* 9d, 9e: the counter adds 3 and 7: mean 5, sum 10. */
static void
test_sync (void)
{
  LmTestReplicas *mean = start (", \"sync\": \"mean\"", LM_STEP_TRAIN);
  LmTestReplicas *sum = start (", \"sync\": \"sum\"", LM_STEP_TRAIN);
  step (mean);
  step (sum);
  g_assert_cmpfloat (var (mean, "n"), ==, 7 + 5);
  g_assert_cmpfloat (var (sum, "n"), ==, 7 + 10);
  lm_test_replicas_free (mean);
  lm_test_replicas_free (sum);
}

/* 1.12: means of integers are rounded, flags keep their new value. Sums are 3 and 8. */
static void
test_sync_dtypes (void)
{
  static const struct {
    const char *sync;
    double n, whole;
  } cases[] = {{"mean", 5.5, 6}, {"sum", 11, 11}};
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *options =
        g_strdup_printf (", \"counters\": true, \"sync\": \"%s\"", cases[i].sync);
    LmTestReplicas *r = start (options, LM_STEP_TRAIN);
    step_on (r, 2, (double[]) {1, 2, 3, 5});
    lm_test_replicas_assert_equal (r);
    g_assert_cmpfloat (var (r, "n"), ==, 7 + cases[i].n);
    g_assert_cmpfloat (var (r, "whole"), ==, 20 + cases[i].whole);
    g_assert_cmpfloat (var (r, "flag"), ==, 1);
    g_assert_cmpint (lm_test_run_var (r->runs[0], "whole")->type.dtype, ==, LAM_I32);
    lm_test_replicas_free (r);
  }
}

/* 9d: without a marker it is an error that names the variable. */
static void
test_sync_error (void)
{
  GError *error = NULL;
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (JsonObject) config =
      lm_test_json ("{\"model\": {\"type\": \"test.pair\", \"sync\": \"none\"}, " ONE "}");
  LmModel *model = lm_model_new (registry, lm_host_tables (), config, &error);
  g_assert_no_error (error);
  LmBatchField x = {(char *)"x", lm_type (LAM_F32, 1, (int64_t[]) {2})};
  LmBatchSpec batch = {1, &x};
  const LmStepOptions options = {.replicas = 2};
  g_assert_null (lm_step_new_train (model, &batch, &options, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "variable n", "LAM_REQUIRES_MEAN_SYNC", NULL);
  LmStep *alone = lm_step_new_train (model, &batch, NULL, &error); /* no axis, no need */
  g_assert_no_error (error);
  lm_step_free (alone);
  lm_model_free (model);
  lm_registry_free (registry);
}

/* Weight 0 on every replica: the loss is NaN in training (0 / 0) and 0 in eval; the step is skipped. */
static void
test_zero_weight (void)
{
  LmTestReplicas *train = start (", \"weight\": 0", LM_STEP_TRAIN);
  LmTestReplicas *eval = start (", \"weight\": 0", LM_STEP_EVAL);
  step (train);
  step (eval);
  g_assert_true (lm_test_run_loss (train->runs[0]) != lm_test_run_loss (train->runs[0]));
  g_assert_cmpfloat (var (train, "a"), ==, 3);
  g_assert_cmpfloat (var (train, "n"), ==, 12); /* the forward update stays */
  g_assert_cmpfloat (lm_test_run_loss (eval->runs[0]), ==, 0);
  lm_test_replicas_free (train);
  lm_test_replicas_free (eval);
}

/* 1.6: loss = sum (l w) / (sum w + 1e-8), with the weight sum w; rows in input order. */
static void
test_eval (void)
{
  LmTestReplicas *r = start ("", LM_STEP_EVAL);
  step (r);
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpfloat (lm_test_run_loss (r->runs[i]), ==, 65.25);
    g_assert_cmpfloat (lm_array_get_double (r->runs[i]->out[1], 0), ==, 2);
    assert_rows (r->runs[i]);
  }
  lm_test_replicas_free (r);
}

/* decode: metrics over all, results in input order. */
static void
test_decode (void)
{
  LmTestReplicas *r = start ("", LM_STEP_DECODE);
  step (r);
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpfloat (lm_test_run_metric (r->runs[i], "rows", false), ==, 2);
    g_assert_cmpfloat (lm_test_run_metric (r->runs[i], "rows", true), ==, 4);
    assert_rows (r->runs[i]);
  }
  lm_test_replicas_free (r);
}

/* --- summaries: 1.2 ------------------------------------------------------------------------------------- */

#define KINDS ", \"kinds\": true"

/* The value, or the weight, of the summary whose key ends so. */
static const LmArray *
summary (const LmTestRun *run, const char *suffix, bool weight)
{
  for (guint i = 0; i < run->step->n_summaries; i++)
    if (g_str_has_suffix (run->step->summaries[i].name, suffix)) {
      g_assert_true (!weight || run->step->summaries[i].has_weight);
      return run->out[lm_step_summary_index (run->step, i) + (weight ? 1 : 0)];
    }
  g_error ("no summary ...%s", suffix);
}

/* The same on both replicas: n elements. */
static void
assert_summary (const LmTestReplicas *r, const char *suffix, bool weight, const double *wanted,
                int64_t n)
{
  for (guint i = 0; i < 2; i++) {
    const LmArray *x = summary (r->runs[i], suffix, weight);
    g_assert_cmpint (lam_type_elements (&x->type), ==, n);
    for (int64_t k = 0; k < n; k++)
      g_assert_cmpfloat_with_epsilon (lm_array_get_double (x, k), wanted[k], 1e-6);
  }
}

/* Scalars: the mean over the replicas. What the backward half records is of the summed gradients
 * already and stays. */
static void
test_scalars (void)
{
  LmTestReplicas *r = start (KINDS, LM_STEP_TRAIN), *eval = start (KINDS, LM_STEP_EVAL);
  step (r);
  step (eval);
  assert_summary (r, "/sum_scalar", false, (double[]) {5}, 1); /* of 3 and 7 */
  assert_summary (eval, "/sum_scalar", false, (double[]) {5}, 1);
  assert_summary (r, "/grad_norm_scalar", false, (double[]) {43.5}, 1);
  assert_summary (r, "/learning_rate_scalar", false, (double[]) {0.5}, 1);
  lm_test_replicas_free (r);
  lm_test_replicas_free (eval);
}

/* Images: all rows in the order of ranks, the first 64 of them. */
static void
test_images (void)
{
  LmTestReplicas *few = start (KINDS, LM_STEP_TRAIN);
  LmTestReplicas *many = start_rows (KINDS, LM_STEP_TRAIN, 40);
  double x[80];
  for (guint i = 0; i < 80; i++)
    x[i] = i + 1;
  step (few);
  step_on (many, 40, x);
  assert_summary (few, "/rows_image", false, x, 4);
  assert_summary (few, "/kind_image", false, x, 4);
  g_assert_cmpint (summary (few->runs[0], "/kind_image", false)->type.dims[0], ==, 2);
  assert_summary (many, "/rows_image", false, x, 64);
  assert_summary (many, "/kind_image", false, x, 80); /* two images of 40 */
  lm_test_replicas_free (few);
  lm_test_replicas_free (many);
}

/* Aggregates: sum (v w) / sum (w), sum (w), with the weights 3 and 7; 0 where nothing weighs. */
static void
test_aggregates (void)
{
  static const double mean[] = {(1 * 3 + 3 * 7) / 10.0, (2 * 3 + 4 * 7) / 10.0}, zero[] = {0, 0};
  LmTestReplicas *r = start (KINDS, LM_STEP_TRAIN), *none = start (KINDS, LM_STEP_TRAIN);
  step (r);
  step_on (none, 2, (double[]) {1, -1, 2, -2});
  assert_summary (r, "/kind_aggregate_scalar", false, mean, 2);
  assert_summary (r, "/kind_aggregate_scalar", true, (double[]) {10}, 1);
  assert_summary (r, "/kind_aggregate_image", false, mean, 2);
  assert_summary (r, "/kind_aggregate_image", true, (double[]) {10}, 1);
  assert_summary (none, "/kind_aggregate_scalar", false, zero, 2);
  assert_summary (none, "/kind_aggregate_scalar", true, zero, 1);
  lm_test_replicas_free (r);
  lm_test_replicas_free (none);
}

/* Histograms: 30 buckets over the least and the greatest of all, 1 and 4; counts add up. */
static void
test_histogram (void)
{
  LmTestReplicas *r = start (KINDS, LM_STEP_TRAIN);
  double wanted[90];
  step (r);
  for (guint i = 0; i < 30; i++) {
    wanted[3 * i] = 1 + i * 0.1;
    wanted[3 * i + 1] = 1 + (i + 1) * 0.1;
    wanted[3 * i + 2] = i == 0 || i == 10 || i == 20 || i == 29;
  }
  assert_summary (r, "/kind_histogram", false, wanted, 90);
  lm_test_replicas_free (r);
}

/* Texts are a replica's own. */
static void
test_text (void)
{
  LmTestReplicas *r = start (KINDS, LM_STEP_TRAIN);
  step (r);
  for (guint i = 0; i < 2; i++) {
    const LmArray *x = summary (r->runs[i], "/kind_text", false);
    g_assert_cmpmem (x->data, (gsize)x->bytes, "some **text**", 13);
  }
  lm_test_replicas_free (r);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("LAMINA_TEST_STRANGER", "pair", TRUE);
  g_test_add_func ("/step/replicas/1.2/scalars", test_scalars);
  g_test_add_func ("/step/replicas/1.2/images", test_images);
  g_test_add_func ("/step/replicas/1.2/aggregates", test_aggregates);
  g_test_add_func ("/step/replicas/1.2/histogram", test_histogram);
  g_test_add_func ("/step/replicas/1.2/text", test_text);
  g_test_add_func ("/step/replicas/1.5/train", test_train);
  g_test_add_func ("/step/replicas/1.5/9d-sync", test_sync);
  g_test_add_func ("/step/replicas/1.5/9d-sync-error", test_sync_error);
  g_test_add_func ("/step/replicas/1.12/sync-of-integers-and-flags", test_sync_dtypes);
  g_test_add_func ("/step/replicas/1.5/zero-weight", test_zero_weight);
  g_test_add_func ("/step/replicas/1.6/eval", test_eval);
  g_test_add_func ("/step/replicas/1.6/decode", test_decode);
  return g_test_run ();
}
