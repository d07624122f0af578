/* SPDX-License-Identifier: Apache-2.0 */
/* The training loop: against single steps over host arrays, and its rules. */
#include "core/program/train.h"

#include "tests/lib/project.h"
#include <string.h>

/* Every step reports its scalar summaries. */
static const LmTrainOptions reports = {
    .scalars = true,
    .config = {.summary_interval_steps = 100, .norm_interval_steps = 500, .summary_verbosity = 3}};

/* Runs n steps; losses to out. */
static void
train (LmTestProject *p, LmState *state, guint n, double *out)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmInput) input = lm_test_project_input (p, "train");
  g_autoptr (LmTrainLoop) loop = lm_train_loop_new (state, input, &reports, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++) {
    const LmTrainReport *report = lm_train_loop_step (loop, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (report->step, ==, i);
    out[i] = report->loss;
  }
}

/* The same step executed one by one over fresh host arrays: donation and reuse change no bit. */
static void
test_equals_single_steps (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmState) state = lm_test_project_state (p);
  g_autoptr (LmState) start = lm_test_project_state (p);
  g_autoptr (LmInput) input = lm_test_project_input (p, "train");
  g_autoptr (LmStep) step = lm_step_new_train (p->model, lm_input_spec (input), NULL, &error);
  g_autoptr (LmExecutable) exe =
      lm_compile (p->backend, step->function, &(LmCompileArgs) {0}, &error);
  g_assert_no_error (error);
  double losses[6];
  train (p, state, 6, losses);

  guint n = start->n_vars + start->n_states + 1, total = step->function->ir.n_results;
  g_autofree LmArray **in = g_new0 (LmArray *, n + 4), **out = g_new0 (LmArray *, total);
  for (guint i = 0; i < n; i++)
    in[i] = lm_buffer_read (start->buffers[i], &error);
  in[n] = lm_test_key (0, 7);
  for (guint i = 0; i < 6; i++) {
    bool end;
    g_assert_true (lm_input_next (input, &end, &error));
    memcpy (in + n + 1, lm_input_arrays (input), 3 * sizeof *in);
    g_assert_true (lm_execute_arrays (exe, in, out, &error));
    g_assert_cmpfloat (lm_array_get_double (out[lm_step_loss_index (step)], 0), ==, losses[i]);
    for (guint k = 0; k < total; k++)
      if (k < n) {
        lm_array_unref (in[k]);
        in[k] = out[k];
      } else {
        lm_array_unref (out[k]);
      }
  }
  for (guint i = 0; i < n; i++) {
    g_autoptr (LmArray) got = lm_buffer_read (state->buffers[i], &error);
    g_assert_cmpmem (got->data, got->bytes, in[i]->data, in[i]->bytes);
  }
  for (guint i = 0; i <= n; i++)
    lm_array_unref (in[i]);
}

static void
test_report (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmState) state = lm_test_project_state (p);
  g_autoptr (LmInput) input = lm_test_project_input (p, "train");
  g_autoptr (LmTrainLoop) loop = lm_train_loop_new (state, input, &reports, &error);
  const LmTrainReport *r = lm_train_loop_step (loop, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (r->n_metrics, ==, 2); /* the loss is told apart */
  g_assert_cmpstr (r->metrics[0].name, ==, "accuracy");
  g_assert_cmpstr (r->metrics[1].name, ==, "error");
  g_assert_cmpfloat (r->metrics[0].weight, ==, 32);
  g_assert_cmpfloat_with_epsilon (r->metrics[0].value + r->metrics[1].value, 1, 1e-6);
  bool rate = false;
  for (guint i = 0; i < r->n_scalars; i++)
    if (strcmp (r->scalars[i].name, "backward@/learning_rate_scalar") == 0) {
      rate = true;
      g_assert_cmpfloat_with_epsilon (r->scalars[i].value, 0.1, 1e-7);
    }
  g_assert_true (rate);
  g_assert_cmpuint (state->step, ==, 1);
}

/* An input without repeat ends the run: NULL and no error. */
static void
test_end_of_input (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  json_object_set_boolean_member (lm_model_input_config (p->model, "train"), "repeat", FALSE);
  json_object_set_int_member (lm_model_input_config (p->model, "train"), "batch_size", 700);
  g_autoptr (LmState) state = lm_test_project_state (p);
  g_autoptr (LmInput) input = lm_test_project_input (p, "train");
  g_autoptr (LmTrainLoop) loop = lm_train_loop_new (state, input, &reports, &error);
  g_assert_nonnull (lm_train_loop_step (loop, &error));
  g_assert_nonnull (lm_train_loop_step (loop, &error));
  g_assert_null (lm_train_loop_step (loop, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (state->step, ==, 2);
}

static void
test_config (void)
{
  static const struct {
    const char *section, *says;
  } cases[] = {{"{ \"steps\": 0 }", "steps"},
               {"{ \"step\": 5 }", "did you mean \"steps\""},
               {"[]", "not an object"}};
  LmTrainConfig config;
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_assert_true (lm_train_config_read (p->model, &config, &error));
  g_assert_cmpint (config.steps, ==, 12);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (JsonNode) node = json_from_string (cases[i].section, NULL);
    json_object_set_member (lm_model_config (p->model), "train", json_node_copy (node));
    g_assert_false (lm_train_config_read (p->model, &config, &error));
    lm_test_assert_error (&error, LM_ERROR_INVALID, cases[i].says, NULL);
  }
  json_object_remove_member (lm_model_config (p->model), "train");
  g_assert_true (lm_train_config_read (p->model, &config, &error));
  g_assert_cmpint (config.steps, ==, 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/train/equals_single_steps", test_equals_single_steps);
  g_test_add_func ("/program/train/report", test_report);
  g_test_add_func ("/program/train/end_of_input", test_end_of_input);
  g_test_add_func ("/program/train/config", test_config);
  return g_test_run ();
}
