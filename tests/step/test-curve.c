/* SPDX-License-Identifier: Apache-2.0 */
/* Whole training runs against plain JAX programs (tests/golden/digits_mlp.py, digits_cnn_bn.py): the same
 * start weights, batches and keys; every step's loss, the last weights. Tolerances are the groups':
 * f64 1e-10 (sums in another order, 200 steps), f32 5e-5. */
#include "core/archive/safetensors.h"
#include "tests/lib/digits.h"
#include "tests/lib/steps.h"

#include <math.h>
#include <string.h>

#define BATCH LM_DIGITS_BATCH

static LmTestRun *
start (const LmGoldenCase *c, const char *backend, lam_dtype dtype)
{
  g_autoptr (GError) error = NULL;
  const char *source = g_getenv ("LAMINA_SRCDIR");
  g_autofree char *path = g_build_filename (source != NULL ? source : ".", "tests/golden",
                                            json_object_get_string_member (c->attrs, "init"), NULL);
  g_autoptr (GHashTable) weights = lm_safetensors_read_file (path, &error);
  g_assert_no_error (error);
  LmBatchField fields[3] = {{"inputs", lm_type (dtype, 4, (int64_t[]) {BATCH, 8, 8, 1})},
                            {"labels", lm_type (LAM_I32, 1, (int64_t[]) {BATCH})},
                            {"weights", lm_type (dtype, 1, (int64_t[]) {BATCH})}};
  LmBatchSpec batch = {3, fields};
  return lm_test_run_new (lm_test_step_config (c->attrs), weights, &batch, LM_STEP_TRAIN, backend);
}

typedef struct Curve {
  const char *name, *group, *id, *backend;
  lam_dtype dtype;
} Curve;

static void
test_curve (gconstpointer data)
{
  const Curve *curve = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open (curve->group, &error);
  g_assert_no_error (error);
  const LmGoldenCase *c = lm_golden_lookup (g, curve->id);
  g_assert_nonnull (c);
  LmTestDigits digits = lm_test_digits_open ();
  LmTestRun *run = start (c, curve->backend, curve->dtype);
  g_autoptr (LmArray) key = lm_test_key (0, 1234);
  gint64 steps = (gint64)lm_golden_number (c->attrs, "steps", 0);
  for (gint64 i = 0; i < steps; i++) {
    LmArray *batch[3];
    lm_test_digits_batch (&digits, i, curve->dtype, false, batch);
    lm_test_run_step (run, key, batch);
    lm_test_check_step ("loss", i, lm_test_run_loss (run), lm_test_golden_out (g, c, "loss", i),
                        &c->tolerance);
    lm_test_check_step ("learning rate", i, lm_test_run_summary (run, "/learning_rate_scalar"),
                        lm_test_golden_out (g, c, "learning_rate", i), &c->tolerance);
    for (guint k = 0; k < 3; k++)
      lm_array_unref (batch[k]);
  }
  lm_test_check_final (g, c, run);
  lm_test_run_free (run);
  lm_test_digits_clear (&digits);
}

int
main (int argc, char **argv)
{
  static const Curve curves[] = {
      {"mlp-dropout-f64-reference", "digits_mlp", "f64", "reference", LAM_F64},
      {"mlp-dropout-f64-cpu", "digits_mlp", "f64", "cpu", LAM_F64},
      {"mlp-dropout-f32-cpu", "digits_mlp", "f32", "cpu", LAM_F32},
      {"cnn-batch-norm-f64-reference", "digits_cnn_bn", "f64", "reference", LAM_F64},
      {"cnn-batch-norm-f64-cpu", "digits_cnn_bn", "f64", "cpu", LAM_F64},
  };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (curves); i++) {
    g_autofree char *path = g_strdup_printf ("/step/curve/%s", curves[i].name);
    g_test_add_data_func (path, &curves[i], test_curve);
  }
  return g_test_run ();
}
