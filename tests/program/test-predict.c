/* SPDX-License-Identifier: Apache-2.0 */
/* Prediction over batches of any shape. */
#include "core/program/predict.h"

#include "core/program/eval.h"
#include "tests/lib/project.h"
#include <math.h>

/* n rows of zeros and a ramp, in a dtype. */
static GHashTable *
batch_of (int64_t n, lam_dtype dtype)
{
  lam_type type = lm_type (dtype, 4, (int64_t[]) {n, 8, 8, 1});
  g_autofree double *values = g_new (double, n * 64);
  for (int64_t i = 0; i < n * 64; i++)
    values[i] = (double)(i * 37 % 101) / 128; /* exact in f32 */
  GHashTable *batch = lm_arrays_new ();
  g_hash_table_insert (batch, g_strdup ("inputs"), lm_test_array (&type, values));
  return batch;
}

static GHashTable *
predict (LmPredictor *predictor, int64_t n, lam_dtype dtype)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) batch = batch_of (n, dtype);
  GHashTable *out = lm_predictor_run (predictor, batch, NULL, &error);
  g_assert_no_error (error);
  return out;
}

/* Row 0 does not depend on how many rows come with it; probabilities are a softmax of the logits. */
static void
test_shapes (void)
{
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmState) state = lm_test_project_state (p);
  g_autoptr (LmPredictor) predictor = lm_predictor_new (state);
  g_autoptr (GHashTable) one = predict (predictor, 1, LAM_F32);
  const LmArray *logits = g_hash_table_lookup (one, "logits");
  const LmArray *probabilities = g_hash_table_lookup (one, "probabilities");
  double sum = 0;
  for (int64_t k = 0; k < 10; k++)
    sum += exp (lm_array_get_double (logits, k));
  for (int64_t k = 0; k < 10; k++) /* f32: a few units of 6e-8 */
    g_assert_cmpfloat_with_epsilon (lm_array_get_double (probabilities, k),
                                    exp (lm_array_get_double (logits, k)) / sum, 1e-6);
  for (int64_t n = 2; n < 14; n++) { /* more shapes than are kept */
    g_autoptr (GHashTable) more = predict (predictor, n, LAM_F32);
    const LmArray *x = g_hash_table_lookup (more, "logits");
    g_assert_cmpint (x->type.dims[0], ==, n);
    for (int64_t k = 0; k < 10; k++)
      g_assert_cmpfloat (lm_array_get_double (x, k), ==, lm_array_get_double (logits, k));
  }
}

/* Floats of another width are converted. */
static void
test_widths (void)
{
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmState) state = lm_test_project_state (p);
  g_autoptr (LmPredictor) predictor = lm_predictor_new (state);
  g_autoptr (GHashTable) a = predict (predictor, 3, LAM_F32), b = predict (predictor, 3, LAM_F64);
  const LmArray *x = g_hash_table_lookup (a, "logits"), *y = g_hash_table_lookup (b, "logits");
  g_assert_cmpmem (x->data, x->bytes, y->data, y->bytes);
}

/* No dropout, and the same each time. */
static void
test_repeats (void)
{
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmState) state = lm_test_project_state (p);
  g_autoptr (LmPredictor) predictor = lm_predictor_new (state);
  g_autoptr (GHashTable) a = predict (predictor, 3, LAM_F32), b = predict (predictor, 3, LAM_F32);
  const LmArray *x = g_hash_table_lookup (a, "logits"), *y = g_hash_table_lookup (b, "logits");
  g_assert_cmpmem (x->data, x->bytes, y->data, y->bytes);
}

static void
test_wrong (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmState) state = lm_test_project_state (p);
  g_autoptr (LmPredictor) predictor = lm_predictor_new (state);
  g_autoptr (GHashTable) empty = lm_arrays_new (), odd = lm_arrays_new ();
  g_assert_null (lm_predictor_run (predictor, empty, NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "inputs", NULL);
  lam_type type = lm_type (LAM_F32, 2, (int64_t[]) {2, 3});
  g_hash_table_insert (odd, g_strdup ("inputs"),
                       lm_test_array (&type, (double[]) {1, 2, 3, 4, 5, 6}));
  g_assert_null (lm_predictor_run (predictor, odd, NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "model.network.layers_1", "3", "64", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/predict/shapes", test_shapes);
  g_test_add_func ("/program/predict/widths", test_widths);
  g_test_add_func ("/program/predict/repeats", test_repeats);
  g_test_add_func ("/program/predict/wrong", test_wrong);
  return g_test_run ();
}
