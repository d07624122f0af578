/* SPDX-License-Identifier: Apache-2.0 */
/* The small classifier. */
#include "tests/lib/project.h"

#include <glib/gstdio.h>

static const char config_text[] =
    "{ %s \"name\": \"small\", \"seed\": 7,"
    "  \"model\": { \"type\": \"lamina.classification\","
    "    \"network\": { \"type\": \"lamina.sequential\", \"layers\": ["
    "      { \"type\": \"lamina.flatten\" },"
    "      { \"type\": \"lamina.feed_forward\", \"input_dims\": 64, \"output_dims\": 16 },"
    "      { \"type\": \"lamina.dropout\", \"keep_prob\": 0.8 } ] },"
    "    \"softmax\": { \"type\": \"lamina.full_softmax\", \"input_dims\": 16,"
    "      \"num_classes\": 10 } },"
    "  \"learners\": [ { \"type\": \"lamina.learner\", \"optimizer\": { \"type\": \"lamina.sgd\","
    "    \"learning_rate\": 0.1, \"momentum\": 0.9 } } ],"
    "  \"inputs\": {"
    "    \"train\": { \"type\": \"lamina.npz\", \"file\": \"tests/data/digits.npz\","
    "      \"batch_size\": 32, \"scale\": 0.0625, \"modulus\": 5, \"exclude_remainder\": true,"
    "      \"shuffle\": true, \"repeat\": true, \"drop_remainder\": true },"
    "    \"eval\": { \"type\": \"lamina.npz\", \"file\": \"tests/data/digits.npz\","
    "      \"batch_size\": 100, \"scale\": 0.0625, \"modulus\": 5 } },"
    "  \"train\": { \"steps\": 12 } }";

char *
lm_test_project_config (const char *top)
{
  g_auto (GStrv) parts = g_strsplit (config_text, "%s", 2);
  return g_strconcat (parts[0], top, parts[1], NULL);
}

LmTestProject *
lm_test_project_new (const char *top, const char *backend)
{
  g_autofree char *text = lm_test_project_config (top);
  return lm_test_project_new_from (text, backend);
}

LmTestProject *
lm_test_project_new_from (const char *text, const char *backend)
{
  g_autoptr (GError) error = NULL;
  const char *srcdir = g_getenv ("LAMINA_SRCDIR");
  g_autoptr (JsonObject) config = lm_test_json (text);
  LmTestProject *project = g_new0 (LmTestProject, 1);
  project->registry = lm_test_registry ();
  project->backend = lm_test_backend (project->registry, backend);
  project->files = lm_files_new (NULL, srcdir != NULL ? srcdir : ".");
  project->model = lm_model_new (project->registry, lm_host_tables (), config, &error);
  g_assert_no_error (error);
  return project;
}

void
lm_test_project_free (LmTestProject *project)
{
  lm_model_free (project->model);
  lm_files_free (project->files);
  lm_backend_unref (project->backend);
  lm_registry_free (project->registry);
  g_free (project);
}

LmState *
lm_test_project_state (LmTestProject *project)
{
  g_autoptr (GError) error = NULL;
  LmState *state = lm_state_new (project->model, project->backend, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (lm_state_init_learners (state, NULL, "test", &error));
  g_assert_no_error (error);
  return state;
}

LmInput *
lm_test_project_input (LmTestProject *project, const char *name)
{
  g_autoptr (GError) error = NULL;
  LmInput *input = lm_input_open (project->model, name, project->files, &error);
  g_assert_no_error (error);
  return input;
}

char *
lm_test_project_folder (const char *top)
{
  const char *srcdir = g_getenv ("LAMINA_SRCDIR");
  char *folder = g_dir_make_tmp ("lamina-project-XXXXXX", NULL);
  g_autofree char *text = lm_test_project_config (top), *digits = NULL;
  g_autofree char *config = g_build_filename (folder, "model.json", NULL);
  g_autofree char *data = g_build_filename (folder, "tests", "data", NULL);
  g_autofree char *to = g_build_filename (data, "digits.npz", NULL);
  g_autofree char *from =
      g_build_filename (srcdir != NULL ? srcdir : ".", "tests/data/digits.npz", NULL);
  gsize n;
  g_assert_cmpint (g_mkdir_with_parents (data, 0700), ==, 0);
  g_assert_true (g_file_get_contents (from, &digits, &n, NULL));
  g_assert_true (g_file_set_contents (to, digits, (gssize)n, NULL));
  g_assert_true (g_file_set_contents (config, text, -1, NULL));
  return folder;
}

void
lm_test_remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *child = g_build_filename (path, name, NULL);
    lm_test_remove_tree (child);
  }
  g_chmod (path, 0700);
  g_remove (path);
}
