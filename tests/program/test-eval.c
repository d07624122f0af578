/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation: the sums over batches against a computation by hand in this file. */
#include "core/program/eval.h"
#include "core/program/train.h"

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

/* --- averages ---------------------------------------------------------------------------------------- */

/* The variables as host arrays in flatten order. */
static void
read_vars (LmState *state, LmArray **out)
{
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < state->n_vars; i++) {
    out[i] = lm_buffer_read (state->buffers[i], &error);
    g_assert_no_error (error);
  }
}

/* average -= (1 - d) (average - value), d = min (0.5, (1 + n) / (10 + n)); source: praxis. */
static void
average (LmArray **averages, LmArray *const *values, guint n_vars, guint n)
{
  double d = MIN (0.5, (1.0 + n) / (10.0 + n));
  for (guint i = 0; i < n_vars; i++)
    for (int64_t k = 0; k < lam_type_elements (&values[i]->type); k++) {
      double *a = (double *)averages[i]->data + k;
      *a -= (1 - d) * (*a - ((const double *)values[i]->data)[k]);
    }
}

/* With ema_decay evaluation sees the averages of the variables before each update. f64, 1e-12. */
static void
test_ema (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *plain = lm_test_project_config ("\"dtype\": \"f64\",");
  g_auto (GStrv) parts = g_strsplit (plain, "\"learning_rate\"", 2);
  g_autofree char *text =
      g_strjoin ("\"ema_decay\": 0.5, \"learning_rate\"", parts[0], parts[1], NULL);
  g_autoptr (LmTestProject) p = lm_test_project_new_from (text, "reference");
  g_autoptr (LmState) state = lm_test_project_state (p);
  g_autoptr (LmInput) input = lm_test_project_input (p, "train");
  g_autoptr (LmInput) eval = lm_test_project_input (p, "eval");
  const LmTrainOptions options = {.config = {.summary_interval_steps = 100,
                                             .norm_interval_steps = 100,
                                             .summary_verbosity = 3}};
  g_autoptr (LmTrainLoop) loop = lm_train_loop_new (state, input, &options, &error);
  g_assert_no_error (error);
  LmArray *averages[4], *values[4];
  g_assert_cmpuint (state->n_vars, ==, 4);
  read_vars (state, averages);
  for (guint n = 0; n < 3; n++) {
    read_vars (state, values);
    average (averages, values, 4, n);
    for (guint i = 0; i < 4; i++)
      lm_array_unref (values[i]);
    g_assert_nonnull (lm_train_loop_step (loop, &error));
  }
  g_autoptr (LmState) other = lm_state_new (p->model, p->backend, averages, &error);
  g_autoptr (LmEvalResult) got = lm_evaluate (state, eval, NULL, &error);
  g_autoptr (LmEvalResult) wanted = lm_evaluate (other, eval, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (got->metrics[0].value, wanted->metrics[0].value, 1e-12);
  for (guint i = 0; i < 4; i++)
    lm_array_unref (averages[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/eval/by_hand", test_by_hand);
  g_test_add_func ("/program/eval/batch_size", test_batch_size);
  g_test_add_func ("/program/eval/one_epoch", test_one_epoch);
  g_test_add_func ("/program/eval/ema", test_ema);
  return g_test_run ();
}
