/* SPDX-License-Identifier: Apache-2.0 */
/* core/step against plain JAX (group step_cases): semantics 1.5 and 1.6 and their edge cases, f64 on the
 * reference backend. Each case is a test named by the point that it shows. The last test follows a
 * formula instead. */
#include "tests/lib/steps.h"

#include <math.h>
#include <string.h>

static GHashTable *
case_weights (const LmGolden *g, const LmGoldenCase *c)
{
  GHashTable *weights =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)lm_array_unref);
  JsonArray *names = lm_golden_names (c, "var");
  for (guint i = 0; i < json_array_get_length (names); i++) {
    const char *name = json_array_get_string_element (names, i);
    LmGoldenTensor x;
    g_assert_true (lm_golden_tensor (g, c, "var", name, &x));
    g_hash_table_insert (weights, g_strdup (name), lm_array_new_copy (&x.type, x.data, NULL));
  }
  return weights;
}

/* Row i of a tensor whose first axis counts steps (whole: the tensor itself). */
static LmArray *
row (const LmGolden *g, const LmGoldenCase *c, const char *section, const char *name, gint64 i)
{
  LmGoldenTensor x;
  g_assert_true (lm_golden_tensor (g, c, section, name, &x));
  if (i < 0)
    return lm_array_new_copy (&x.type, x.data, NULL);
  lam_type type = x.type;
  type.rank--;
  memmove (type.dims, type.dims + 1, sizeof (int64_t) * (size_t)type.rank);
  return lm_array_new_copy (&type, (const char *)x.data + i * lam_type_bytes (&type), NULL);
}

static const char *const fields[] = {"inputs", "labels", "weights"};

static void
load_batch (const LmGolden *g, const LmGoldenCase *c, gint64 i, LmArray *batch[3])
{
  for (guint k = 0; k < 3; k++)
    batch[k] = row (g, c, "in", fields[k], i);
}

static void
free_batch (LmArray *batch[3])
{
  for (guint k = 0; k < 3; k++)
    lm_array_unref (batch[k]);
}

static LmTestRun *
start (const LmGolden *g, const LmGoldenCase *c, LmStepKind kind)
{
  LmArray *first[3];
  LmBatchField spec_fields[3];
  load_batch (g, c, kind == LM_STEP_TRAIN ? 0 : -1, first);
  for (guint k = 0; k < 3; k++)
    spec_fields[k] = (LmBatchField) {(char *)fields[k], first[k]->type};
  LmBatchSpec batch = {3, spec_fields};
  g_autoptr (GHashTable) weights = case_weights (g, c);
  LmTestRun *run =
      lm_test_run_new (lm_test_step_config (c->attrs), weights, &batch, kind, "reference");
  free_batch (first);
  return run;
}

/* 1e-10: f64, sums in another order; NaN equals NaN. */
static void
assert_close (const char *what, double got, double wanted)
{
  if (isnan (got) && isnan (wanted))
    return;
  if (!(fabs (got - wanted) <= 1e-10 + 1e-10 * fabs (wanted)) && got != wanted)
    g_test_fail_printf ("%s: got %.17g, wanted %.17g", what, got, wanted);
}

static double
wanted (const LmGolden *g, const LmGoldenCase *c, const char *name, gint64 i)
{
  g_autoptr (LmArray) x = row (g, c, "out", name, i);
  return lm_array_get_double (x, 0);
}

static void
compare_vars (const LmGolden *g, const LmGoldenCase *c, const LmTestRun *run, gint64 i)
{
  JsonArray *names = lm_golden_names (c, "vars");
  for (guint k = 0; k < json_array_get_length (names); k++) {
    const char *name = json_array_get_string_element (names, k);
    g_autoptr (LmArray) want = row (g, c, "vars", name, i);
    const LmArray *got = lm_test_run_var (run, name);
    g_assert_true (lm_type_equal (&got->type, &want->type));
    for (int64_t e = 0; e < lam_type_elements (&want->type); e++)
      assert_close (name, lm_array_get_double (got, e), lm_array_get_double (want, e));
  }
}

static void
compare_step (const LmGolden *g, const LmGoldenCase *c, const LmTestRun *run, gint64 i)
{
  assert_close ("loss", lm_test_run_loss (run), wanted (g, c, "loss", i));
  assert_close ("accuracy", lm_test_run_metric (run, "accuracy", false),
                wanted (g, c, "accuracy", i));
  assert_close ("weight", lm_test_run_metric (run, "loss", true), wanted (g, c, "weight", i));
  assert_close ("learning rate", lm_test_run_summary (run, "/learning_rate_scalar"),
                wanted (g, c, "learning_rate", i));
  assert_close ("grad norm", lm_test_run_summary (run, "/grad_norm_scalar"),
                wanted (g, c, "grad_norm", i));
  assert_close ("grad scale", lm_test_run_summary (run, "/grad_scale_scalar"),
                wanted (g, c, "grad_scale", i));
  assert_close ("var norm", lm_test_run_summary (run, "/var_norm_scalar"),
                wanted (g, c, "var_norm", i));
  assert_close ("step", lm_array_get_double (run->state[run->n_state - 1], 0),
                wanted (g, c, "step", i));
  assert_close ("count", lm_array_get_double (lm_test_run_state (run, ".count"), 0),
                wanted (g, c, "count", i));
  compare_vars (g, c, run, i);
}

static LmArray *
case_key (const LmGoldenCase *c)
{
  JsonArray *key = json_object_get_array_member (c->attrs, "key");
  return lm_test_key ((uint32_t)json_array_get_int_element (key, 0),
                      (uint32_t)json_array_get_int_element (key, 1));
}

static void
test_train (gconstpointer id)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("step_cases", &error);
  g_assert_no_error (error);
  const LmGoldenCase *c = lm_golden_lookup (g, id);
  g_assert_nonnull (c);
  LmTestRun *run = start (g, c, LM_STEP_TRAIN);
  g_autoptr (LmArray) key = case_key (c);
  LmGoldenTensor losses;
  g_assert_true (lm_golden_tensor (g, c, "out", "loss", &losses));
  for (int64_t i = 0; i < losses.elements; i++) {
    LmArray *batch[3];
    load_batch (g, c, i, batch);
    lm_test_run_step (run, key, batch);
    compare_step (g, c, run, i);
    free_batch (batch);
  }
  lm_test_run_free (run);
}

static void
test_eval (gconstpointer id)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("step_cases", &error);
  g_assert_no_error (error);
  const LmGoldenCase *c = lm_golden_lookup (g, id);
  g_assert_nonnull (c);
  LmTestRun *run = start (g, c, LM_STEP_EVAL);
  g_autoptr (LmArray) key = case_key (c);
  lam_type scalar = lm_scalar_type (LAM_U32);
  lm_array_unref (run->state[run->n_state - 1]);
  run->state[run->n_state - 1] =
      lm_test_array (&scalar, (double[]) {lm_golden_number (c->attrs, "step", 0)});
  LmArray *batch[3];
  load_batch (g, c, -1, batch);
  lm_test_run_step (run, key, batch);
  free_batch (batch);
  assert_close ("loss", lm_test_run_loss (run), wanted (g, c, "loss", -1));
  assert_close ("weight", lm_test_run_metric (run, "loss", true), wanted (g, c, "weight", -1));
  if (lm_golden_names (c, "out") != NULL && json_array_get_length (lm_golden_names (c, "out")) > 3)
    assert_close ("accuracy", lm_test_run_metric (run, "accuracy", false),
                  wanted (g, c, "accuracy", -1));
  lm_test_run_free (run);
}

/* --- a rate that changes each step ---------------------------------------------------------------------- */

/* tests/strangers/pair.c: loss (a mean (x))^2; a starts at 3, sgd with the rate 0.25 (1 + count). */
static LmTestRun *
start_pair (void)
{
  static const struct {
    const char *name;
    double value;
  } vars[] = {{"a", 3}, {"b", 5}, {"k", 1}, {"n", 0}};
  JsonObject *config = lm_test_json (
      "{\"dtype\": \"f64\", \"model\": {\"type\": \"test.pair\"}, \"learners\": [{\"type\": "
      "\"lamina.learner\", \"optimizer\": {\"type\": \"lamina.sgd\", \"learning_rate\": 0.25, "
      "\"lr_schedule\": {\"type\": \"lamina.linear\", \"start\": [0, 1], \"limit\": [100, "
      "101]}}}]}");
  g_autoptr (GHashTable) weights =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)lm_array_unref);
  lam_type scalar = lm_scalar_type (LAM_F64);
  for (guint i = 0; i < G_N_ELEMENTS (vars); i++)
    g_hash_table_insert (weights, (gpointer)vars[i].name, lm_test_array (&scalar, &vars[i].value));
  LmBatchField x = {(char *)"x", lm_type (LAM_F64, 1, (int64_t[]) {2})};
  const LmBatchSpec batch = {1, &x};
  return lm_test_run_new (config, weights, &batch, LM_STEP_TRAIN, "reference");
}

static void
step_pair (LmTestRun *run, double first)
{
  lam_type type = lm_type (LAM_F64, 1, (int64_t[]) {2});
  g_autoptr (LmArray) key = lm_test_key (0, 1);
  g_autoptr (LmArray) x = lm_test_array (&type, (double[]) {first, 0.75});
  lm_test_run_step (run, key, &x);
}

/* After step 1, whose batch is NaN, the summary goes by the step (1.5, 9a) and the optimizer by its
 * count of updates (1.11, 6), one behind: 0.75 is shown and 0.5 used at step 2. */
static void
test_rate_after_skip (void)
{
  LmTestRun *run = start_pair ();
  double a = 3;
  for (guint i = 0, count = 0; i < 5; i++) {
    bool skip = i == 1;
    step_pair (run, skip ? NAN : 0.25); /* mean 0.5 */
    assert_close ("shown", lm_test_run_summary (run, "/learning_rate_scalar"), 0.25 * (1 + i));
    assert_close ("valid", lm_test_run_summary (run, "/is_valid_step_scalar"), skip ? 0 : 1);
    if (!skip)
      a -= 0.25 * (1 + count++) * (2 * a * 0.5 * 0.5);
    assert_close ("a", lm_array_get_double (lm_test_run_var (run, "a"), 0), a);
    assert_close ("step", lm_array_get_double (run->state[run->n_state - 1], 0), i + 1);
    assert_close ("count", lm_array_get_double (lm_test_run_state (run, ".count"), 0), count);
  }
  lm_test_run_free (run);
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name, *id;
    GTestDataFunc fn;
  } cases[] = {
      {"1.5/whole-step-with-batch-norm", "plain", test_train},
      {"1.5/total-weight-0-skips-but-counts-and-updates-statistics", "zero_weight", test_train},
      {"1.5/nan-row-skips", "nan_row", test_train},
      {"1.5/nan-row-reaches-moving-statistics", "nan_row.batch_norm", test_train},
      {"1.5/non-finite-gradient-skips", "overflow", test_train},
      {"1.5/non-finite-gradient-without-skip", "overflow.no_skip", test_train},
      {"1.5/norm-above-threshold-skips", "skip_threshold", test_train},
      {"1.5/clip-each-tensor", "clip_single", test_train},
      {"1.5/7-non-learnable-is-zeroed-and-kept", "non_learnable", test_train},
      {"1.5/zero-norm-clips-to-zero", "zero_norm", test_train},
      {"1.5/2-keys-of-dropout", "dropout", test_train},
      {"1.6/eval", "eval", test_eval},
      {"1.6/total-weight-0-is-loss-0", "eval.zero_weight", test_eval},
      {"1.6/dropout-is-off", "eval.dropout", test_eval},
      {"1.6/key-is-folded-not-split", "eval.dropout_at_eval", test_eval},
  };
  g_test_init (&argc, &argv, NULL);
  g_setenv ("LAMINA_TEST_STRANGER", "pair", TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strdup_printf ("/step/train/%s", cases[i].name);
    g_test_add_data_func (path, cases[i].id, cases[i].fn);
  }
  g_test_add_func ("/step/train/1.11/rate-after-skip", test_rate_after_skip);
  return g_test_run ();
}
