/* SPDX-License-Identifier: Apache-2.0 */
/* Training on replicas: against plain JAX programs (tests/golden/digits_replicas.py), and against one
 * replica. Replicas of one process, each on its own backend and thread, over the collective `local`. */
#include "core/archive/safetensors.h"
#include "tests/lib/digits.h"
#include "tests/lib/replicas.h"

#include <math.h>
#include <string.h>

#define BATCH LM_DIGITS_BATCH

typedef struct Batches {
  guint n;
  LmArray ***parts;
} Batches;

static Batches
batches_new (const LmTestDigits *digits, gint64 step, lam_dtype dtype, guint n)
{
  LmArray *whole[3];
  Batches b = {n, g_new0 (LmArray **, n)};
  lm_test_digits_batch (digits, step, dtype, true, whole);
  for (guint i = 0; i < n; i++)
    b.parts[i] = lm_test_replica_batch (whole, 3, i, n);
  for (guint k = 0; k < 3; k++)
    lm_array_unref (whole[k]);
  return b;
}

static void
batches_clear (Batches *b)
{
  for (guint i = 0; i < b->n; i++) {
    for (guint k = 0; k < 3; k++)
      lm_array_unref (b->parts[i][k]);
    g_free (b->parts[i]);
  }
  g_free (b->parts);
}

static void
step (LmTestReplicas *r, const LmTestDigits *digits, gint64 i, lam_dtype dtype)
{
  g_autoptr (LmArray) key = lm_test_key (0, 1234);
  Batches b = batches_new (digits, i, dtype, r->n);
  lm_test_replicas_step (r, key, (LmArray * *const *)b.parts);
  batches_clear (&b);
}

static GHashTable *
weights_as (const char *file, lam_dtype dtype)
{
  g_autoptr (GError) error = NULL;
  const char *source = g_getenv ("LAMINA_SRCDIR");
  g_autofree char *path =
      g_build_filename (source != NULL ? source : ".", "tests/golden", file, NULL);
  GHashTable *weights = lm_safetensors_read_file (path, &error);
  g_assert_no_error (error);
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, weights);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    LmArray *converted = lm_array_convert (value, dtype, &error);
    g_assert_no_error (error);
    g_hash_table_iter_replace (&iter, converted);
  }
  return weights;
}

static LmTestReplicas *
start (JsonObject *attrs, lam_dtype dtype, const char *backend, guint replicas)
{
  g_autoptr (JsonObject) config = lm_test_step_config (attrs);
  g_autoptr (GHashTable) weights =
      weights_as (json_object_get_string_member (attrs, "init"), dtype);
  int64_t rows = BATCH / MAX (replicas, 1);
  LmBatchField fields[3] = {{(char *)"inputs", lm_type (dtype, 4, (int64_t[]) {rows, 8, 8, 1})},
                            {(char *)"labels", lm_type (LAM_I32, 1, (int64_t[]) {rows})},
                            {(char *)"weights", lm_type (dtype, 1, (int64_t[]) {rows})}};
  LmBatchSpec batch = {3, fields};
  return lm_test_replicas_new (config, weights, &batch, LM_STEP_TRAIN, backend, replicas);
}

/* --- against JAX ------------------------------------------------------------------------------------- */

typedef struct Curve {
  const char *id, *backend;
} Curve;

static void
test_curve (gconstpointer data)
{
  const Curve *curve = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("digits_replicas", &error);
  g_assert_no_error (error);
  const LmGoldenCase *c = lm_golden_lookup (g, curve->id);
  lam_dtype dtype = g_str_has_suffix (curve->id, "f64") ? LAM_F64 : LAM_F32;
  guint replicas = (guint)lm_golden_number (c->attrs, "replicas", 0);
  LmTestDigits digits = lm_test_digits_open ();
  LmTestReplicas *r = start (c->attrs, dtype, curve->backend, replicas);
  gint64 steps = (gint64)lm_golden_number (c->attrs, "steps", 0);
  for (gint64 i = 0; i < steps; i++) {
    step (r, &digits, i, dtype);
    lm_test_check_step ("loss", i, lm_test_run_loss (r->runs[0]),
                        lm_test_golden_out (g, c, "loss", i), &c->tolerance);
    lm_test_check_step ("accuracy", i, lm_test_run_metric (r->runs[0], "accuracy", false),
                        lm_test_golden_out (g, c, "accuracy", i), &c->tolerance);
    lm_test_check_step ("learning rate", i,
                        lm_test_run_summary (r->runs[0], "/learning_rate_scalar"),
                        lm_test_golden_out (g, c, "learning_rate", i), &c->tolerance);
  }
  lm_test_replicas_assert_equal (r);
  lm_test_check_final (g, c, r->runs[0]);
  lm_test_replicas_free (r);
  lm_test_digits_clear (&digits);
}

/* --- against one replica --------------------------------------------------------------------------------- */

/* Deterministic nets in f64: no dropout; batch norm with the moments of all replicas. */
static JsonObject *
deterministic (const char *id, const char *option, const char *instead)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("digits_replicas", &error);
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  json_node_set_object (node, lm_golden_lookup (g, id)->attrs);
  g_autofree char *text = json_to_string (node, FALSE);
  g_auto (GStrv) parts = g_strsplit (text, option, -1);
  g_assert_nonnull (parts[1]);
  g_autofree char *joined = g_strjoinv (instead, parts);
  return lm_test_json (joined);
}

static double
largest_difference (const LmTestRun *a, const LmTestRun *b)
{
  double most = 0;
  for (guint k = 0; k < a->step->n_vars; k++)
    for (int64_t i = 0; i < lam_type_elements (&a->state[k]->type); i++)
      most = MAX (
          most, fabs (lm_array_get_double (a->state[k], i) - lm_array_get_double (b->state[k], i)));
  return most;
}

static void
compare_metrics (const LmTestRun *a, const LmTestRun *b)
{
  static const char *const names[] = {"loss", "accuracy", "error"};
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    double x = lm_test_run_metric (a, names[i], false), y = lm_test_run_metric (b, names[i], false);
    g_assert_cmpfloat (fabs (x - y), <=, 1e-8 * fabs (x) + 1e-15);
    g_assert_cmpfloat_with_epsilon (lm_test_run_metric (a, names[i], true),
                                    lm_test_run_metric (b, names[i], true), 1e-9);
  }
}

/* 1, 2, 4 and 8 replicas of the same global batch: loss and variables to 1e-12. */
static void
test_counts (gconstpointer data)
{
  const Curve *curve = data;
  bool norm = g_str_has_prefix (curve->id, "cnn");
  g_autoptr (JsonObject) attrs =
      norm ? deterministic (curve->id, "\"type\":\"batch_norm\"",
                            "\"type\":\"batch_norm\",\"enable_cross_replica_sum_on_tpu\":true")
           : deterministic (curve->id, "\"keep_prob\":0.9", "\"keep_prob\":1.0");
  LmTestDigits digits = lm_test_digits_open ();
  for (guint n = 1; n <= 8; n *= 2) {
    LmTestReplicas *one = start (attrs, LAM_F64, curve->backend, 0);
    LmTestReplicas *many = start (attrs, LAM_F64, curve->backend, n);
    for (gint64 i = 0; i < 5; i++) {
      step (one, &digits, i, LAM_F64);
      step (many, &digits, i, LAM_F64);
      g_assert_cmpfloat_with_epsilon (lm_test_run_loss (many->runs[0]),
                                      lm_test_run_loss (one->runs[0]), 1e-12);
      g_assert_cmpfloat (largest_difference (one->runs[0], many->runs[0]), <=, 1e-12);
      compare_metrics (one->runs[0], many->runs[n - 1]);
    }
    lm_test_replicas_assert_equal (many);
    lm_test_replicas_free (one);
    lm_test_replicas_free (many);
  }
  lm_test_digits_clear (&digits);
}

int
main (int argc, char **argv)
{
  static const Curve curves[] = {
      {"mlp-1-f64", "reference"}, {"mlp-2-f64", "reference"}, {"cnn-1-f64", "reference"},
      {"cnn-2-f64", "reference"}, {"mlp-2-f64", "cpu"},       {"cnn-2-f64", "cpu"},
      {"mlp-2-f32", "cpu"},       {"cnn-1-f32", "cpu"},       {"cnn-2-f32", "cpu"}};
  static const Curve counts[] = {{"mlp-1-f64", "cpu"}, {"cnn-1-f64", "cpu"}};
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (curves); i++) {
    g_autofree char *path =
        g_strdup_printf ("/step/replicas/curve/%s-%s", curves[i].id, curves[i].backend);
    g_test_add_data_func (path, &curves[i], test_curve);
  }
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_autofree char *path = g_strdup_printf ("/step/replicas/1-2-4-8/%s", counts[i].id);
    g_test_add_data_func (path, &counts[i], test_counts);
  }
  return g_test_run ();
}
