/* SPDX-License-Identifier: Apache-2.0 */
/* Saving a run and going on from it, bit for bit, after every step. */
#include "core/program/save.h"

#include "core/archive/writer.h"
#include "core/program/train.h"
#include "tests/lib/project.h"
#include <string.h>

/* Every step reports its scalar summaries. */
static const LmTrainOptions reports = {
    .scalars = true,
    .config = {.summary_interval_steps = 100, .norm_interval_steps = 500, .summary_verbosity = 3}};

#define STEPS 6

/* A run at some step. */
typedef struct Run {
  LmTestProject *project;
  LmState *state;
  LmInput *input;
  LmTrainLoop *loop;
} Run;

static void
run_clear (Run *r)
{
  lm_train_loop_free (r->loop);
  lm_input_free (r->input);
  lm_state_free (r->state);
  lm_test_project_free (r->project);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

static void
start (Run *r, LmArchive *archive, const char *backend)
{
  g_autoptr (GError) error = NULL;
  g_auto (LmSaved) saved = {0};
  g_autoptr (GHashTable) weights = NULL;
  LmArray *vars[4];
  r->project = lm_test_project_new ("", backend);
  if (archive == NULL) {
    r->state = lm_test_project_state (r->project);
  } else {
    weights = lm_archive_weights (archive, &error);
    g_assert_true (lm_model_take_weights (r->project->model, weights, "m.lam", vars, &error));
    g_assert_true (lm_saved_read (archive, &saved, &error));
    r->state = lm_state_new (r->project->model, r->project->backend, vars, &error);
    for (guint i = 0; i < 4; i++)
      lm_array_unref (vars[i]);
    g_assert_true (lm_state_init_learners (r->state, saved.learners, "m.lam", &error));
    g_assert_true (lm_state_set_step (r->state, saved.step, &error));
  }
  r->input = lm_test_project_input (r->project, "train");
  if (saved.input != NULL)
    g_assert_true (lm_input_restore (r->input, saved.input, &error));
  r->loop = lm_train_loop_new (r->state, r->input, &reports, &error);
  g_assert_no_error (error);
}

static void
step (Run *r)
{
  g_autoptr (GError) error = NULL;
  lm_train_loop_step (r->loop, &error);
  g_assert_no_error (error);
}

static char *
digest (Run *r)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  for (guint i = 0; i < r->state->n_vars + r->state->n_states + 1; i++) {
    g_autoptr (LmArray) array = lm_buffer_read (r->state->buffers[i], NULL);
    g_checksum_update (sum, array->data, array->bytes);
  }
  return g_strdup (g_checksum_get_string (sum));
}

static void
test_resume (gconstpointer backend)
{
  g_autofree char *folder = g_dir_make_tmp ("lamina-save-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "m.lam", NULL), *wanted = NULL;
  g_auto (Run) whole = {0};
  start (&whole, NULL, backend);
  for (guint i = 0; i < STEPS; i++)
    step (&whole);
  wanted = digest (&whole);
  g_auto (Run) first = {0};
  start (&first, NULL, backend);
  for (guint at = 0; at < STEPS; at++) {
    g_autoptr (GError) error = NULL;
    LmSave save = {.state = first.state, .input = first.input};
    g_assert_true (lm_save_archive (&save, path, &error));
    g_autoptr (LmArchive) archive = lm_archive_open (path, &error);
    g_assert_no_error (error);
    g_auto (Run) second = {0};
    start (&second, archive, backend);
    g_assert_cmpuint (second.state->step, ==, at);
    for (guint i = at; i < STEPS; i++)
      step (&second);
    g_autofree char *got = digest (&second);
    g_assert_cmpstr (got, ==, wanted);
    step (&first);
  }
  lm_test_remove_tree (folder);
}

static void
test_contents (void)
{
  static const char *const members[] = {"manifest.json",
                                        "config/model.json",
                                        "weights/model.safetensors",
                                        "state/learners.safetensors",
                                        "state/loop.safetensors",
                                        "assets/data/x.txt",
                                        NULL};
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lamina-save-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "m.lam", NULL);
  g_autoptr (GHashTable) assets =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_bytes_unref);
  g_hash_table_insert (assets, "assets/data/x.txt", g_bytes_new ("x", 1));
  g_auto (Run) run = {0};
  start (&run, NULL, "reference");
  step (&run);
  LmSave save = {run.state, run.input, NULL, assets};
  g_assert_true (lm_save_archive (&save, path, &error));
  g_autoptr (LmArchive) archive = lm_archive_open (path, &error);
  g_assert_no_error (error);
  for (guint i = 0; members[i] != NULL; i++)
    g_assert_cmpstr (lm_archive_members (archive)[i], ==, members[i]);
  JsonObject *manifest = lm_archive_manifest (archive);
  JsonObject *model = json_object_get_object_member (manifest, "model");
  g_assert_cmpstr (json_object_get_string_member (model, "name"), ==, "small");
  g_assert_cmpint (json_object_get_int_member (model, "step"), ==, 1);
  g_assert_cmpint (json_object_get_int_member (model, "numbers"), ==, 64 * 16 + 16 + 16 * 10 + 10);
  JsonObject *requires = json_object_get_object_member (manifest, "requires");
  JsonArray *plugins = json_object_get_array_member (requires, "plugins");
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_ARRAY);
  json_node_set_array (node, plugins);
  g_autofree char *text = json_to_string (node, FALSE);
  g_assert_nonnull (strstr (text, "lamina.layer/1:lamina.dropout@1"));
  g_assert_nonnull (strstr (text, "lamina.optimizer/1:lamina.sgd@1"));
  g_assert_nonnull (strstr (text, "lamina.input/1:lamina.npz@1"));
  lm_test_remove_tree (folder);
}

/* Saving again from the archive carries its other members, and equal runs give equal bytes. */
static void
test_carry (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lamina-save-XXXXXX", NULL);
  g_autofree char *a = g_build_filename (folder, "a.lam", NULL);
  g_autofree char *b = g_build_filename (folder, "b.lam", NULL);
  g_autofree char *first = NULL, *second = NULL;
  gsize n, m;
  g_autoptr (GHashTable) assets =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_bytes_unref);
  g_hash_table_insert (assets, "assets/x.txt", g_bytes_new ("x", 1));
  g_auto (Run) run = {0};
  start (&run, NULL, "reference");
  LmSave save = {run.state, run.input, NULL, assets};
  g_assert_true (lm_save_archive (&save, a, &error));
  g_autoptr (LmArchive) archive = lm_archive_open (a, &error);
  LmSave again = {run.state, run.input, archive, NULL};
  g_assert_true (lm_save_archive (&again, b, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (a, &first, &n, NULL)
                 && g_file_get_contents (b, &second, &m, NULL));
  g_assert_cmpmem (first, n, second, m);
  lm_test_remove_tree (folder);
}

/* A loop state without its step is damage, not a fresh start. */
static void
test_no_step (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lamina-save-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "m.lam", NULL);
  g_autoptr (GHashTable) loop = lm_arrays_new ();
  g_autoptr (LmArchiveWriter) writer = lm_archive_writer_new ();
  g_autoptr (GBytes) config = g_bytes_new_static ("{}", 2);
  lam_type type = lm_scalar_type (LAM_F32);
  LmSaved saved;
  g_hash_table_insert (loop, g_strdup ("step"), lm_test_array (&type, (double[]) {3}));
  lm_archive_writer_add (writer, "config/model.json", config);
  lm_archive_writer_add_tensors (writer, "state/loop.safetensors", loop);
  g_assert_true (lm_archive_writer_finish (writer, path, false, &error));
  g_autoptr (LmArchive) archive = lm_archive_open (path, &error);
  g_assert_false (lm_saved_read (archive, &saved, &error));
  lm_test_assert_error (&error, LM_ERROR_CORRUPT, path, "step", "u32[]", NULL);
  lm_test_remove_tree (folder);
}

static void
test_broken (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lamina-save-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "m.lam", NULL);
  g_auto (Run) run = {0};
  start (&run, NULL, "reference");
  run.state->broken = true;
  LmSave save = {.state = run.state, .input = run.input};
  g_assert_false (lm_save_archive (&save, path, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "half-way", NULL);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  lm_test_remove_tree (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/program/save/resume_reference", "reference", test_resume);
  g_test_add_data_func ("/program/save/resume_cpu", "cpu", test_resume);
  g_test_add_func ("/program/save/contents", test_contents);
  g_test_add_func ("/program/save/carry", test_carry);
  g_test_add_func ("/program/save/no_step", test_no_step);
  g_test_add_func ("/program/save/broken", test_broken);
  return g_test_run ();
}
