/* SPDX-License-Identifier: Apache-2.0 */
/* What a training run writes for TensorBoard, read back (semantics 1.2, writer), and that writing
 * changes nothing of what is trained. */
#include "core/program/train.h"

#include "tests/lib/event_file.h"
#include "tests/lib/project.h"
#include <math.h>
#include <string.h>

#define STEPS 7

/* A run: entries every `interval` steps to the folder, or none at all where it is NULL. */
typedef struct Setup {
  const char *config, *backend, *folder;
  int64_t interval, norms;
  bool check_numerics;
} Setup;

typedef struct Run {
  LmTestProject *project;
  LmState *state;
  LmInput *input;
  LmTrainLoop *loop;
  double losses[STEPS], metrics[STEPS][2]; /* value and weight of the first metric */
  double norms[STEPS][16];                 /* of each variable after the step */
} Run;

static void
run_open (Run *run, const Setup *s)
{
  g_autoptr (GError) error = NULL;
  const LmTrainOptions options = {.events = s->folder,
                                  .config = {.summary_interval_steps = s->interval,
                                             .norm_interval_steps = s->norms,
                                             .summary_verbosity = 3,
                                             .check_numerics = s->check_numerics}};
  run->project = lm_test_project_new_from (s->config, s->backend);
  run->state = lm_test_project_state (run->project);
  run->input = lm_test_project_input (run->project, "train");
  run->loop = lm_train_loop_new (run->state, run->input, &options, &error);
  g_assert_no_error (error);
}

static void
run_close (Run *run)
{
  lm_train_loop_free (run->loop);
  lm_input_free (run->input);
  lm_state_free (run->state);
  lm_test_project_free (run->project);
}

/* sqrt (mean of squares) of each variable. */
static void
read_norms (const Run *run, double *out)
{
  g_assert_cmpuint (run->state->n_vars, <=, 16);
  for (guint i = 0; i < run->state->n_vars; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LmArray) x = lm_buffer_read (run->state->buffers[i], &error);
    g_assert_no_error (error);
    double sum = 0;
    int64_t n = lam_type_elements (&x->type);
    for (int64_t k = 0; k < n; k++)
      sum += pow (lm_array_get_double (x, k), 2);
    out[i] = sqrt (sum / (double)n);
  }
}

static Run
run_new (const Setup *s)
{
  g_autoptr (GError) error = NULL;
  Run run;
  run_open (&run, s);
  for (guint i = 0; i < STEPS; i++) {
    const LmTrainReport *report = lm_train_loop_step (run.loop, &error);
    g_assert_no_error (error);
    run.losses[i] = report->loss;
    run.metrics[i][0] = report->metrics[0].value;
    run.metrics[i][1] = report->metrics[0].weight;
    read_norms (&run, run.norms[i]);
  }
  return run;
}

/* The small classifier with batch norm, so that variables of every sort change. */
static char *
small_config (void)
{
  g_autofree char *text = lm_test_project_config ("");
  static const char norm[] = "{ \"type\": \"lamina.batch_norm\", \"dim\": 16 },";
  g_auto (GStrv) parts = g_strsplit (text, "{ \"type\": \"lamina.dropout\"", 2);
  return g_strconcat (parts[0], norm, " { \"type\": \"lamina.dropout\"", parts[1], NULL);
}

static char *
folder_new (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("lamina-summaries-XXXXXX", &error);
  g_assert_no_error (error);
  return folder;
}

/* --- two executables ----------------------------------------------------------------------------------- */

/* Every third step through the executable with summaries, all steps through it, and none: the state is
 * the same, bit for bit, step count and learner states too. */
static void
test_two_executables (gconstpointer backend)
{
  g_autofree char *config = small_config (), *third = folder_new (), *all = folder_new ();
  const Setup setups[] = {{config, backend, NULL, 3, 100, false},
                          {config, backend, third, 3, 100, false},
                          {config, backend, all, 1, 100, false}};
  Run runs[3];
  for (guint i = 0; i < 3; i++)
    runs[i] = run_new (&setups[i]);
  guint n = runs[0].state->n_vars + runs[0].state->n_states + 1;
  g_assert_cmpuint (n, >, 10);
  for (guint i = 1; i < 3; i++) {
    for (guint k = 0; k < n; k++) {
      g_autoptr (LmArray) a = lm_buffer_read (runs[0].state->buffers[k], NULL);
      g_autoptr (LmArray) b = lm_buffer_read (runs[i].state->buffers[k], NULL);
      g_assert_cmpmem (a->data, (gsize)a->bytes, b->data, (gsize)b->bytes);
    }
    for (guint k = 0; k < STEPS; k++)
      g_assert_cmpfloat (runs[0].losses[k], ==, runs[i].losses[k]);
  }
  for (guint i = 0; i < 3; i++)
    run_close (&runs[i]);
  lm_test_remove_tree (third);
  lm_test_remove_tree (all);
}

/* --- entries ------------------------------------------------------------------------------------------- */

/* A run with entries every third step and norms every fourth. */
static Run
written (const Setup *s, GArray **entries)
{
  Run run = run_new (s);
  *entries = lm_test_entries (s->folder);
  return run;
}

static double
number (GArray *entries, uint64_t step, const char *tag)
{
  const LmTestEntry *e = lm_test_entry (entries, step, tag);
  if (e == NULL)
    g_error ("no entry %s of step %u", tag, (guint)step);
  g_assert_cmpuint (e->kind, ==, 2);
  return (double)e->number;
}

/* step % N == N - 1 has one entry of each tag, other steps none. */
static void
test_cadence (void)
{
  static const char *const tags[] = {"loss", "Steps/sec", "Metrics/accuracy",
                                     "backward@/learning_rate_scalar"};
  g_autofree char *config = small_config (), *folder = folder_new ();
  const Setup s = {config, "reference", folder, 3, 4, false};
  g_autoptr (GArray) entries = NULL;
  Run run = written (&s, &entries);
  for (guint i = 0; i < STEPS; i++)
    for (guint k = 0; k < G_N_ELEMENTS (tags); k++)
      g_assert_true ((lm_test_entry (entries, i, tags[k]) != NULL) == (i % 3 == 2));
  for (guint i = 0; i < entries->len; i++) {
    const LmTestEntry *e = &g_array_index (entries, LmTestEntry, i);
    g_assert_true (lm_test_entry (entries, e->step, e->tag) == e); /* once */
  }
  run_close (&run);
  lm_test_remove_tree (folder);
}

/* The loss, the rate of steps, each metric with its weight, the summaries of both halves. */
static void
test_entries (void)
{
  g_autofree char *config = small_config (), *folder = folder_new ();
  const Setup s = {config, "reference", folder, 3, 4, false};
  g_autoptr (GArray) entries = NULL;
  Run run = written (&s, &entries);
  for (guint i = 2; i < STEPS; i += 3) {
    g_assert_cmpfloat (number (entries, i, "loss"), ==, run.losses[i]);
    g_assert_cmpfloat (number (entries, i, "Steps/sec"), >, 0);
    g_assert_cmpfloat_with_epsilon (number (entries, i, "Metrics/accuracy"), run.metrics[i][0],
                                    1e-6);
    g_assert_cmpfloat (number (entries, i, "Metrics/accuracy-weight"), ==, run.metrics[i][1]);
    g_assert_cmpfloat (run.metrics[i][1], ==, 32);
    g_assert_cmpfloat_with_epsilon (
        number (entries, i, "Metrics/accuracy") + number (entries, i, "Metrics/error"), 1, 1e-6);
    g_assert_cmpfloat_with_epsilon (number (entries, i, "Metrics/loss"), run.losses[i], 1e-6);
    g_assert_cmpfloat_with_epsilon (number (entries, i, "backward@/learning_rate_scalar"), 0.1,
                                    1e-7);
    number (entries, i, "backward@learner.update_states/grad_norm_scalar");
    number (entries, i, "forward@model.fprop/network.fprop/layers_2.fprop/moving_variance_scalar");
  }
  run_close (&run);
  lm_test_remove_tree (folder);
}

/* step % norm_interval == 0: sqrt (sum of squares / size) of each variable as the step left it. */
static void
test_norms (void)
{
  g_autofree char *config = small_config (), *folder = folder_new ();
  const Setup s = {config, "reference", folder, 3, 4, false};
  g_autoptr (GArray) entries = NULL;
  Run run = written (&s, &entries);
  for (guint i = 0; i < STEPS; i++)
    for (guint k = 0; k < run.state->n_vars; k++) {
      g_autofree char *tag =
          g_strconcat ("Vars/", lm_model_var_infos (run.project->model)[k]->path, NULL);
      const LmTestEntry *e = lm_test_entry (entries, i, tag);
      g_assert_true ((e != NULL) == (i % 4 == 0));
      if (e != NULL)
        g_assert_cmpfloat ((double)e->number, ==, (double)(float)run.norms[i][k]);
    }
  run_close (&run);
  lm_test_remove_tree (folder);
}

/* Two texts of the model at step 0. */
static void
test_model (void)
{
  g_autofree char *config = small_config (), *folder = folder_new ();
  const Setup s = {config, "reference", folder, 3, 4, false};
  g_autoptr (GArray) entries = NULL;
  Run run = written (&s, &entries);
  const LmTestEntry *model = lm_test_entry (entries, 0, "Model");
  const LmTestEntry *total = lm_test_entry (entries, 0, "Total Num Params");
  g_assert_nonnull (model);
  g_assert_nonnull (total);
  /* 64 * 16 + 16, four of batch norm, 16 * 10 + 10 */
  g_assert_cmpstr (total->text, ==, "1 274");
  g_assert_nonnull (strstr (model->text, "logits_ffn"));
  g_assert_nonnull (strstr (model->text, "64"));
  g_auto (GStrv) lines = g_strsplit (model->text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    g_assert_true (g_str_has_prefix (lines[i], "    ")); /* Markdown keeps such lines */
  run_close (&run);
  lm_test_remove_tree (folder);
}

/* --- every kind ---------------------------------------------------------------------------------------- */

/* tests/strangers/pair.c over a file with the column x = 1 .. 80 in one batch. */
static char *
pair_config (const char *folder, const char *options)
{
  g_autofree char *file = g_build_filename (folder, "x.csv", NULL);
  g_autoptr (GString) rows = g_string_new ("x\n");
  for (guint i = 1; i <= 80; i++)
    g_string_append_printf (rows, "%u\n", i);
  g_assert_true (g_file_set_contents (file, rows->str, -1, NULL));
  return g_strdup_printf (
      "{\"model\": {\"type\": \"test.pair\"%s}, \"learners\": [{\"type\": \"lamina.learner\", "
      "\"optimizer\": {\"type\": \"lamina.sgd\", \"learning_rate\": 1e-6}}], \"inputs\": "
      "{\"train\": "
      "{\"type\": \"lamina.csv\", \"file\": \"%s\", \"fields\": [\"x\"], \"batch_size\": 80, "
      "\"repeat\": true}}}",
      options, file);
}

#define FORWARD "forward@model.fprop/"

/* Texts, histograms, aggregates; of the images of a summary 64 at most (semantics 1.22, 3), a tag each. */
static void
test_kinds (void)
{
  g_autofree char *data = folder_new (), *folder = folder_new ();
  g_autofree char *config = pair_config (data, ", \"kinds\": true");
  const Setup s = {config, "reference", folder, STEPS, 100, false};
  g_autoptr (GArray) entries = NULL;
  g_setenv ("LAMINA_TEST_STRANGER", "pair", TRUE);
  Run run = written (&s, &entries);
  g_unsetenv ("LAMINA_TEST_STRANGER");
  guint images = 0;
  for (guint i = 0; i < entries->len; i++)
    images += strstr (g_array_index (entries, LmTestEntry, i).tag, "/rows_image_") != NULL;
  g_assert_cmpuint (images, ==, 64);
  g_assert_cmpuint (lm_test_entry (entries, STEPS - 1, FORWARD "rows_image_0")->kind, ==, 4);
  g_assert_nonnull (lm_test_entry (entries, STEPS - 1, FORWARD "rows_image_63"));
  g_assert_cmpuint (lm_test_entry (entries, STEPS - 1, FORWARD "kind_image_0")->kind, ==, 4);
  g_assert_cmpuint (lm_test_entry (entries, STEPS - 1, FORWARD "kind_aggregate_image_0")->kind, ==,
                    4);
  g_assert_cmpfloat (number (entries, STEPS - 1, FORWARD "kind_aggregate_scalar"), ==, 40.5);
  g_assert_cmpstr (lm_test_entry (entries, STEPS - 1, FORWARD "kind_text")->text, ==,
                   "some **text**");
  const LmTestEntry *histogram = lm_test_entry (entries, STEPS - 1, FORWARD "kind_histogram");
  g_assert_cmpuint (histogram->kind, ==, 8);
  g_assert_null (histogram->text);
  g_assert_null (lm_test_entry (entries, STEPS - 1, FORWARD "quiet_scalar")); /* verbosity 4 */
  run_close (&run);
  lm_test_remove_tree (folder);
  lm_test_remove_tree (data);
}

/* A metric without any weight is 0 in the file, not 0 / 0 (semantics 1.22, 18). */
static void
test_zero_weight (void)
{
  g_autofree char *data = folder_new (), *folder = folder_new ();
  g_autofree char *config = pair_config (data, ", \"weight\": 0");
  const Setup s = {config, "reference", folder, STEPS, 100, false};
  g_autoptr (GArray) entries = NULL;
  g_setenv ("LAMINA_TEST_STRANGER", "pair", TRUE);
  Run run = written (&s, &entries);
  g_unsetenv ("LAMINA_TEST_STRANGER");
  g_assert_true (isnan (number (entries, STEPS - 1, "loss"))); /* the step's: 0 / 0 */
  g_assert_cmpfloat (number (entries, STEPS - 1, "Metrics/other"), ==, 0);
  g_assert_cmpfloat (number (entries, STEPS - 1, "Metrics/other-weight"), ==, 0);
  run_close (&run);
  lm_test_remove_tree (folder);
  lm_test_remove_tree (data);
}

/* --- checks -------------------------------------------------------------------------------------------- */

/* The first value that is not finite, by its layer's path and the step; without the switch no error. */
static void
test_check_numerics (void)
{
  g_autofree char *data = folder_new ();
  g_autofree char *config = pair_config (data, ", \"poison\": true");
  for (guint k = 0; k < 2; k++) {
    const Setup s = {config, "reference", NULL, 3, 4, k == 0};
    g_autoptr (GError) error = NULL;
    Run run;
    g_setenv ("LAMINA_TEST_STRANGER", "pair", TRUE);
    run_open (&run, &s);
    g_unsetenv ("LAMINA_TEST_STRANGER");
    g_assert_true (lm_state_set_step (run.state, 5, &error));
    const LmTrainReport *report = lm_train_loop_step (run.loop, &error);
    g_assert_true ((report == NULL) == (k == 0));
    if (k == 0)
      lm_test_assert_error (&error, LM_ERROR_INVALID, "step 5: model: log", "a NaN or an infinity",
                            NULL);
    g_assert_no_error (error);
    g_assert_cmpuint (run.state->step, ==, 6);
    run_close (&run);
  }
  lm_test_remove_tree (data);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/program/summaries/two-executables/reference", "reference",
                        test_two_executables);
  g_test_add_data_func ("/program/summaries/two-executables/cpu", "cpu", test_two_executables);
  g_test_add_func ("/program/summaries/1.2/cadence", test_cadence);
  g_test_add_func ("/program/summaries/1.2/entries", test_entries);
  g_test_add_func ("/program/summaries/1.2/norms", test_norms);
  g_test_add_func ("/program/summaries/1.2/model", test_model);
  g_test_add_func ("/program/summaries/1.2/kinds", test_kinds);
  g_test_add_func ("/program/summaries/1.2/zero-weight", test_zero_weight);
  g_test_add_func ("/program/summaries/check-numerics", test_check_numerics);
  return g_test_run ();
}
