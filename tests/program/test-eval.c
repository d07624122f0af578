/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation: the sums over batches against a computation by hand in this file. */
#include "core/program/eval.h"

#include "tests/lib/project.h"
#include <math.h>

/* logits = relu (x w0 + b0) w1 + b1 of one image, in double. */
static void
forward (GHashTable *vars, const LmArray *x, int64_t row, double logits[10])
{
  const LmArray *w0 = g_hash_table_lookup (vars, "network.layers_1.linear.w");
  const LmArray *b0 = g_hash_table_lookup (vars, "network.layers_1.bias.b");
  const LmArray *w1 = g_hash_table_lookup (vars, "softmax.logits_ffn.linear.w");
  const LmArray *b1 = g_hash_table_lookup (vars, "softmax.logits_ffn.bias.b");
  for (int64_t k = 0; k < 10; k++)
    logits[k] = lm_array_get_double (b1, k);
  for (int64_t h = 0; h < 16; h++) {
    double sum = lm_array_get_double (b0, h);
    for (int64_t i = 0; i < 64; i++)
      sum += lm_array_get_double (x, row * 64 + i) * lm_array_get_double (w0, i * 16 + h);
    for (int64_t k = 0; k < 10 && sum > 0; k++)
      logits[k] += sum * lm_array_get_double (w1, h * 10 + k);
  }
}

/* Cross-entropy, and whether the largest logit is the label. */
static double
cross_entropy (const double logits[10], int64_t label, bool *right)
{
  double most = logits[0], sum = 0;
  int64_t best = 0;
  for (int64_t k = 1; k < 10; k++)
    if (logits[k] > most) {
      most = logits[k];
      best = k;
    }
  for (int64_t k = 0; k < 10; k++)
    sum += exp (logits[k] - most);
  *right = best == label;
  return log (sum) + most - logits[label];
}

/* f64 model, mean over the 360 images: 1e-12 leaves room for the order of sums. */
static void
test_by_hand (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("\"dtype\": \"f64\",", "reference");
  g_autoptr (LmState) state = lm_test_project_state (p);
  g_autoptr (GHashTable) vars = lm_state_read_vars (state, &error);
  g_autoptr (LmInput) input = lm_test_project_input (p, "eval");
  double loss = 0, accuracy = 0;
  bool end = false;
  while (lm_input_next (input, &end, &error) && !end)
    for (int64_t row = 0; row < 100; row++) {
      double logits[10];
      bool right;
      if (lm_array_get_double (lm_input_arrays (input)[2], row) == 0)
        continue;
      forward (vars, lm_input_arrays (input)[0], row, logits);
      loss += cross_entropy (logits, lm_array_get_int (lm_input_arrays (input)[1], row), &right);
      accuracy += right;
    }
  g_autoptr (LmEvalResult) result = lm_evaluate (state, input, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (result->n, ==, 3);
  g_assert_cmpstr (result->metrics[0].name, ==, "loss");
  g_assert_cmpstr (result->metrics[1].name, ==, "accuracy");
  g_assert_cmpstr (result->metrics[2].name, ==, "error");
  g_assert_cmpint (result->batches, ==, 4);
  g_assert_cmpfloat (result->metrics[0].weight, ==, 360);
  g_assert_cmpfloat_with_epsilon (result->metrics[0].value, loss / 360, 1e-12);
  g_assert_cmpfloat_with_epsilon (result->metrics[1].value, accuracy / 360, 1e-12);
}

/* Another batch size gives the same means: each batch counts by its weight. f64: 1e-12. */
static void
test_batch_size (void)
{
  double losses[2];
  for (int i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LmTestProject) p = lm_test_project_new ("\"dtype\": \"f64\",", "reference");
    json_object_set_int_member (lm_model_input_config (p->model, "eval"), "batch_size",
                                i == 0 ? 360 : 7);
    g_autoptr (LmState) state = lm_test_project_state (p);
    g_autoptr (LmInput) input = lm_test_project_input (p, "eval");
    g_autoptr (LmEvalResult) result = lm_evaluate (state, input, NULL, &error);
    g_assert_no_error (error);
    g_assert_cmpint (result->batches, ==, i == 0 ? 1 : 52);
    losses[i] = result->metrics[0].value;
  }
  g_assert_cmpfloat_with_epsilon (losses[0], losses[1], 1e-12);
}

/* A repeating input is read for one epoch, from its start, whatever was read before. */
static void
test_one_epoch (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  json_object_set_boolean_member (lm_model_input_config (p->model, "eval"), "repeat", TRUE);
  g_autoptr (LmState) state = lm_test_project_state (p);
  g_autoptr (LmInput) input = lm_test_project_input (p, "eval");
  bool end;
  g_assert_true (lm_input_next (input, &end, &error));
  g_autoptr (LmEvalResult) a = lm_evaluate (state, input, NULL, &error);
  g_autoptr (LmEvalResult) b = lm_evaluate (state, input, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (a->batches, ==, 4);
  g_assert_cmpfloat (a->metrics[0].value, ==, b->metrics[0].value);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/eval/by_hand", test_by_hand);
  g_test_add_func ("/program/eval/batch_size", test_batch_size);
  g_test_add_func ("/program/eval/one_epoch", test_one_epoch);
  return g_test_run ();
}
