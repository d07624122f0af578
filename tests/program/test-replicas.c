/* SPDX-License-Identifier: Apache-2.0 */
/* Replicas in one process: as many as there are, a model without dropout learns the same; failures are
 * told once; positions and event files do not depend on how many there are. */
#include "core/program/replicas_private.h"
#include "tests/lib/project.h"

#include <math.h>
#include <string.h>

#define STEPS 6

/* What one run is. */
typedef struct Setup {
  guint n; /* replicas; 0: without an axis */
  const char *backend, *options;
  bool dropout, batch_norm;
  const char *events;
} Setup;

typedef struct Run {
  LmTestProject *project;
  LmState *state;
  LmGroup *group;
  LmReplicas *replicas;
  LmTrainOptions train;
  double losses[64], accuracy[64], weights[64];
} Run;

static void
replace (char **text, const char *from, const char *to)
{
  g_auto (GStrv) parts = g_strsplit (*text, from, 2);
  g_assert_nonnull (parts[1]);
  g_free (*text);
  *text = g_strconcat (parts[0], to, parts[1], NULL);
}

/* The small classifier in f64, as a project. */
static LmTestProject *
project_new (const Setup *s)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = lm_test_project_config ("\"dtype\": \"f64\",");
  if (!s->dropout)
    replace (&text, "\"keep_prob\": 0.8", "\"keep_prob\": 1.0");
  if (s->batch_norm)
    replace (&text, "{ \"type\": \"lamina.dropout\"",
             "{ \"type\": \"lamina.batch_norm\", \"dim\": 16, \"decay\": 0.9,"
             "  \"enable_cross_replica_sum_on_tpu\": true }, { \"type\": \"lamina.dropout\"");
  g_autoptr (JsonObject) config = lm_test_json (text);
  g_autoptr (JsonObject) options = lm_test_json (s->options);
  LmTestProject *p = g_new0 (LmTestProject, 1);
  p->registry = lm_test_registry ();
  p->backend = lm_backend_open (p->registry, s->backend, options, &error);
  g_assert_no_error (error);
  p->files = lm_files_new (NULL, g_getenv ("LAMINA_SRCDIR") ? g_getenv ("LAMINA_SRCDIR") : ".");
  p->model = lm_model_new (p->registry, lm_host_tables (), config, &error);
  g_assert_no_error (error);
  return p;
}

/* Everything up to the first step; a failure of opening the input goes to error. */
static bool
run_open (Run *run, const Setup *s, GHashTable *learners, const LmArray *position, GError **error)
{
  memset (run, 0, sizeof *run);
  run->project = project_new (s);
  run->state = lm_state_new (run->project->model, run->project->backend, NULL, error);
  g_assert_true (lm_state_init_learners (run->state, learners, "test", error));
  if (s->n > 0)
    run->group = lm_group_open (run->project->registry, "local", NULL, s->n, error);
  g_assert_true (s->n == 0 || run->group != NULL);
  g_autoptr (JsonObject) options = lm_test_json (s->options);
  const LmReplicasArgs args = {.state = run->state,
                               .group = run->group,
                               .files = run->project->files,
                               .backend = s->backend,
                               .backend_options = options};
  run->replicas = lm_replicas_new (&args, error);
  g_assert_nonnull (run->replicas);
  g_assert_cmpuint (lm_replicas_size (run->replicas), ==, s->n);
  run->train = (LmTrainOptions) {
      .scalars = s->events == NULL,
      .events = s->events,
      .config = {.summary_interval_steps = 2, .norm_interval_steps = 3, .summary_verbosity = 3}};
  return lm_replicas_open_input (run->replicas, position, error);
}

static void
run_close (Run *run)
{
  lm_replicas_free (run->replicas);
  lm_group_free (run->group);
  lm_state_free (run->state);
  lm_test_project_free (run->project);
}

static void
run_steps (Run *run, guint from, guint to)
{
  g_autoptr (GError) error = NULL;
  lm_replicas_start (run->replicas, &run->train, &error);
  g_assert_no_error (error);
  for (guint i = from; i < to; i++) {
    const LmTrainReport *report = lm_replicas_step (run->replicas, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (report->step, ==, i);
    run->losses[i] = report->loss;
    run->accuracy[i] = report->metrics[0].value;
    run->weights[i] = report->metrics[0].weight;
  }
  g_assert_true (lm_replicas_check (run->replicas, &error));
  g_assert_no_error (error);
}

static void
run_new (Run *run, const Setup *s)
{
  g_autoptr (GError) error = NULL;
  run_open (run, s, NULL, NULL, &error);
  g_assert_no_error (error);
  run_steps (run, 0, STEPS);
}

/* Variables and learner states. */
static void
compare_states (const Run *a, const Run *b, double tolerance)
{
  guint n = a->state->n_vars + a->state->n_states;
  g_assert_cmpuint (n, ==, b->state->n_vars + b->state->n_states);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LmArray) x = lm_buffer_read (a->state->buffers[i], &error);
    g_autoptr (LmArray) y = lm_buffer_read (b->state->buffers[i], &error);
    for (int64_t k = 0; k < lam_type_elements (&x->type); k++) {
      double d = lm_array_get_double (x, k) - lm_array_get_double (y, k);
      if (!(fabs (d) <= tolerance))
        g_error ("tensor %u, element %" G_GINT64_FORMAT " differs by %g", i, k, d);
    }
  }
}

static void
compare_runs (const Run *a, const Run *b, double tolerance)
{
  for (guint i = 0; i < STEPS; i++) {
    g_assert_cmpfloat (fabs (a->losses[i] - b->losses[i]), <=, tolerance);
    g_assert_cmpfloat_with_epsilon (a->accuracy[i], b->accuracy[i], 1e-8);
    g_assert_cmpfloat (a->weights[i], ==, b->weights[i]);
  }
  compare_states (a, b, tolerance);
}

/* --- how many there are makes no difference --------------------------------------------------------- */

#define ONE_THREAD "{\"threads\": 1}"

static void
test_as_many (gconstpointer data)
{
  Setup s = *(const Setup *)data;
  Run alone;
  s.n = 0;
  run_new (&alone, &s);
  for (guint n = 1; n <= 8; n *= 2) {
    Run run;
    s.n = n;
    run_new (&run, &s);
    compare_runs (&run, &alone, 1e-12);
    run_close (&run);
  }
  run_close (&alone);
}

/* Each replica has a key of its own, so that masks differ; the states stay equal, as run_steps checks,
 * and a second run is the first one, bit for bit. */
static void
test_dropout (void)
{
  const Setup two = {.n = 2, .backend = "cpu", .options = ONE_THREAD, .dropout = true};
  const Setup four = {.n = 4, .backend = "cpu", .options = ONE_THREAD, .dropout = true};
  Run a, b, c;
  run_new (&a, &two);
  run_new (&b, &two);
  run_new (&c, &four);
  compare_runs (&a, &b, 0);
  g_assert_cmpfloat (fabs (a.losses[0] - c.losses[0]), >, 1e-6);
  run_close (&a);
  run_close (&b);
  run_close (&c);
}

static void
test_evaluate (void)
{
  Setup s = {.backend = "cpu", .options = ONE_THREAD, .dropout = true};
  g_autoptr (LmEvalResult) want = NULL;
  for (guint n = 0; n <= 4; n += 2) {
    g_autoptr (GError) error = NULL;
    Run run;
    s.n = n;
    run_open (&run, &s, NULL, NULL, &error);
    g_autoptr (LmEvalResult) got = lm_replicas_evaluate (run.replicas, "eval", &error);
    g_assert_no_error (error);
    for (guint i = 0; n > 0 && i < got->n; i++) {
      g_assert_cmpstr (got->metrics[i].name, ==, want->metrics[i].name);
      g_assert_cmpfloat_with_epsilon (got->metrics[i].value, want->metrics[i].value, 1e-8);
      g_assert_cmpfloat (got->metrics[i].weight, ==, 360);
    }
    if (n == 0)
      want = g_steal_pointer (&got);
    run_close (&run);
  }
}

/* Four go on where two stopped. */
static void
test_go_on (void)
{
  Setup s = {.n = 1, .backend = "cpu", .options = ONE_THREAD};
  g_autoptr (GError) error = NULL;
  Run straight, first, second;
  run_new (&straight, &s);
  s.n = 2;
  run_open (&first, &s, NULL, NULL, &error);
  run_steps (&first, 0, 3);
  g_autoptr (LmArray) position = lm_input_save (lm_replicas_input (first.replicas), &error);
  g_autoptr (GHashTable) learners = lm_state_read_learners (first.state, &error);
  s.n = 4;
  run_open (&second, &s, learners, position, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < first.state->n_vars; i++) {
    g_autoptr (LmArray) x = lm_buffer_read (first.state->buffers[i], &error);
    g_assert_true (lm_buffer_write (second.state->buffers[i], x, &error));
  }
  g_assert_true (lm_state_set_step (second.state, 3, &error));
  run_steps (&second, 3, STEPS);
  for (guint i = 3; i < STEPS; i++)
    g_assert_cmpfloat_with_epsilon (second.losses[i], straight.losses[i], 1e-12);
  compare_states (&second, &straight, 1e-12);
  run_close (&straight);
  run_close (&first);
  run_close (&second);
}

/* Replica 0 writes; the others compute what goes into the files, so that nobody waits in vain. */
static void
test_events (void)
{
  g_autofree char *folder = g_dir_make_tmp ("lamina-replicas-XXXXXX", NULL);
  Setup s = {.n = 2, .backend = "cpu", .options = ONE_THREAD, .dropout = true};
  Run plain, written;
  run_new (&plain, &s);
  s.events = folder;
  run_new (&written, &s);
  compare_states (&plain, &written, 0);
  run_close (&written);
  run_close (&plain);
  guint files = 0;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  while (g_dir_read_name (dir) != NULL)
    files++;
  g_assert_cmpuint (files, ==, 1);
  lm_test_remove_tree (folder);
}

/* --- failures ---------------------------------------------------------------------------------------- */

static bool
fail_one (LmSlot *slot, gpointer data, GError **error)
{
  uint64_t word = slot->index, all[8];
  if (slot->index != 2)
    return lm_group_gather_words (slot->owner->group, slot->index, &word, 1, all, error);
  g_usleep (20000); /* the others wait by now */
  g_set_error (error, LM_ERROR, LM_ERROR_IO, "the disk is full");
  return false;
}

/* Told once, with its rank, and for good: the group is gone. */
static void
test_failure (void)
{
  const Setup s = {.n = 4, .backend = "cpu", .options = ONE_THREAD};
  g_autoptr (GError) error = NULL;
  Run run;
  run_open (&run, &s, NULL, NULL, &error);
  run_steps (&run, 0, 2);
  g_assert_false (lm_replicas_run (run.replicas, fail_one, NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_IO, "replica 2 of 4: the disk is full", NULL);
  g_assert_null (lm_replicas_step (run.replicas, &error));
  lm_test_assert_error (&error, LM_ERROR_IO, "replica 2 of 4: the disk is full", NULL);
  g_assert_true (lm_replicas_check (run.replicas, &error)); /* so that the state can be kept */
  g_assert_true (lm_replicas_meet (run.replicas, &error));
  g_assert_no_error (error);
  run_close (&run);
}

static bool
end_early (LmSlot *slot, gpointer data, GError **error)
{
  bool end = slot->index == 1;
  uint64_t word = 0, all[8];
  if (!lm_slot_agree (slot, &end, error))
    return false;
  return end || lm_group_gather_words (slot->owner->group, slot->index, &word, 1, all, error);
}

/* An input that ends before the others: they would wait for a step that never comes. */
static void
test_uneven_inputs (void)
{
  const Setup s = {.n = 4, .backend = "cpu", .options = ONE_THREAD};
  g_autoptr (GError) error = NULL;
  Run run;
  run_open (&run, &s, NULL, NULL, &error);
  g_assert_false (lm_replicas_run (run.replicas, end_early, NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "of 4: its input", "do not end at the same step",
                        NULL);
  run_close (&run);
}

/* A state that went astray is named. */
static void
test_drift (void)
{
  const Setup s = {.n = 2, .backend = "cpu", .options = ONE_THREAD};
  g_autoptr (GError) error = NULL;
  Run run;
  run_open (&run, &s, NULL, NULL, &error);
  run_steps (&run, 0, 1);
  LmBuffer *buffer = run.replicas->slots[1].state->buffers[1];
  g_autoptr (LmArray) x = lm_buffer_read (buffer, &error);
  *(char *)x->data ^= 1;
  g_assert_true (lm_buffer_write (buffer, x, &error));
  g_assert_false (lm_replicas_check (run.replicas, &error));
  lm_test_assert_error (&error, LM_ERROR_INTERNAL, lm_model_var_infos (run.project->model)[1]->path,
                        "differs between replica 1 and replica 0 at step 1", NULL);
  run_close (&run);
}

static void
test_batch_that_cannot_be_split (void)
{
  const Setup s = {.n = 3, .backend = "cpu", .options = ONE_THREAD};
  g_autoptr (GError) error = NULL;
  Run run;
  g_assert_false (run_open (&run, &s, NULL, NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "32", "3", NULL);
  run_close (&run);
}

int
main (int argc, char **argv)
{
  static const Setup reference = {.backend = "reference", .options = "{}"};
  static const Setup one_thread = {.backend = "cpu", .options = ONE_THREAD};
  static const Setup norm = {.backend = "cpu", .options = ONE_THREAD, .batch_norm = true};
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/program/replicas/as_many/reference", &reference, test_as_many);
  g_test_add_data_func ("/program/replicas/as_many/one_thread", &one_thread, test_as_many);
  g_test_add_data_func ("/program/replicas/as_many/batch_norm", &norm, test_as_many);
  g_test_add_func ("/program/replicas/dropout", test_dropout);
  g_test_add_func ("/program/replicas/evaluate", test_evaluate);
  g_test_add_func ("/program/replicas/go_on", test_go_on);
  g_test_add_func ("/program/replicas/events", test_events);
  g_test_add_func ("/program/replicas/failure", test_failure);
  g_test_add_func ("/program/replicas/uneven_inputs", test_uneven_inputs);
  g_test_add_func ("/program/replicas/drift", test_drift);
  g_test_add_func ("/program/replicas/batch_that_cannot_be_split", test_batch_that_cannot_be_split);
  return g_test_run ();
}
