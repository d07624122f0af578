/* SPDX-License-Identifier: Apache-2.0 */
/* Packing, unpacking, looking into archives, templates. (Trust: tests/program/test-code, tests/e2e.) */
#include "core/api/lamina.h"

#include "core/archive/archive.h"
#include "tests/lib/project.h"
#include <string.h>

typedef struct Fixture {
  char *folder, *project, *lam;
  LaminaContext *context;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  f->project = lm_test_project_folder ("\"backend\": \"reference\",");
  f->folder = g_dir_make_tmp ("lamina-archive-XXXXXX", NULL);
  f->lam = g_build_filename (f->folder, "m.lam", NULL);
  f->context = lamina_context_new ();
  g_assert_true (lamina_context_add_plugin_dir (f->context, g_getenv ("LAMINA_PLUGIN_DIR"), NULL));
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  lamina_context_free (f->context);
  lm_test_remove_tree (f->folder);
  lm_test_remove_tree (f->project);
  g_free (f->folder);
  g_free (f->project);
  g_free (f->lam);
}

static double
loss_of (const Fixture *f, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaModel) model = lamina_model_open (f->context, path, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (LaminaMetrics) m = lamina_model_evaluate (model, "eval", &error);
  g_assert_no_error (error);
  return m->values[0];
}

/* A packed project runs alone, with its data and its comments; other archives in it stay out. */
static void
test_pack (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *old = g_build_filename (f->project, "old.lam", NULL);
  g_assert_true (g_file_set_contents (old, "old", -1, NULL));
  double wanted = loss_of (f, f->project);
  g_assert_true (lamina_archive_pack (f->project, f->lam, FALSE, &error));
  g_autoptr (LmArchive) archive = lm_archive_open (f->lam, &error);
  g_assert_no_error (error);
  g_assert_true (lm_archive_has (archive, "tests/data/digits.npz"));
  g_assert_true (lm_archive_has (archive, "config/model.json"));
  g_assert_false (lm_archive_has (archive, "model.json"));
  g_assert_false (lm_archive_has (archive, "old.lam"));
  g_assert_cmpfloat (loss_of (f, f->lam), ==, wanted);
  g_assert_false (lamina_archive_pack (f->project, f->lam, FALSE, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "exists already", NULL);
  g_assert_true (lamina_archive_pack (f->project, f->lam, TRUE, &error));
  g_assert_false (lamina_archive_pack ("none", f->lam, TRUE, &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "none", NULL);
}

static void
test_unpack (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *tree = g_build_filename (f->folder, "tree", NULL);
  g_autofree char *again = g_build_filename (f->folder, "again.lam", NULL), *x = NULL, *y = NULL;
  gsize n, m;
  g_assert_true (lamina_archive_pack (f->project, f->lam, FALSE, &error));
  g_assert_true (lamina_archive_unpack (f->lam, tree, &error));
  g_assert_cmpfloat (loss_of (f, tree), ==, loss_of (f, f->lam));
  g_assert_true (lamina_archive_pack (tree, again, FALSE, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (f->lam, &x, &n, NULL)
                 && g_file_get_contents (again, &y, &m, NULL));
  g_assert_cmpmem (x, n, y, m);
  g_assert_false (lamina_archive_unpack (f->lam, tree, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "exists already", NULL);
}

static void
test_inspect (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (lamina_archive_pack (f->project, f->lam, FALSE, &error));
  g_autofree char *text = lamina_archive_inspect (f->context, f->lam, FALSE, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "small"));
  g_assert_nonnull (strstr (text, "backend  reference"));
  g_assert_nonnull (strstr (text, "4 variables, 1210 numbers"));
  g_autofree char *json = lamina_archive_inspect (f->context, f->lam, TRUE, &error);
  g_autoptr (JsonNode) node = json_from_string (json, NULL);
  JsonObject *object = json_node_get_object (node);
  g_assert_cmpstr (json_object_get_string_member (object, "format"), ==, "lam/1");
  g_assert_cmpint (json_object_get_int_member (object, "step"), ==, 0);
  g_assert_false (json_object_get_boolean_member (object, "resumes"));
  g_assert_null (lamina_archive_inspect (f->context, "none.lam", FALSE, &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "none.lam", NULL);
}

/* Types that are not installed leave the rest visible. */
static void
test_inspect_unknown (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *config = g_build_filename (f->project, "model.json", NULL);
  g_assert_true (g_file_set_contents (
      config, "{ \"name\": \"odd\", \"model\": { \"type\": \"nobody.layer\" } }", -1, NULL));
  g_autofree char *text = lamina_archive_inspect (f->context, f->project, FALSE, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "odd"));
  g_assert_nonnull (strstr (text, "layers unknown"));
  g_assert_nonnull (strstr (text, "nobody.layer"));
}

static void
test_no_code (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *list = lamina_archive_list_code (f->project, &error);
  g_assert_cmpstr (list, ==, "");
  g_assert_true (lamina_archive_trust (f->project, &error));
  g_assert_false (lamina_trust_remove ("xyz", &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "xyz", NULL);
}

/* --- templates ------------------------------------------------------------------------------------ */

static void
use_source_templates (void)
{
  const char *srcdir = g_getenv ("LAMINA_SRCDIR");
  g_autofree char *dirs = g_strdup_printf ("%s/tools:%s/tests", srcdir, srcdir);
  g_setenv ("LAMINA_DATA_DIR", dirs, TRUE);
}

/* Every template opens and has data. */
static void
test_templates (Fixture *f, gconstpointer unused)
{
  use_source_templates ();
  g_auto (GStrv) names = lamina_templates ();
  g_assert_cmpuint (g_strv_length (names), >=, 2);
  for (guint i = 0; names[i] != NULL; i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *path = g_build_filename (f->folder, names[i], NULL);
    g_assert_true (lamina_template_create (names[i], path, &error));
    g_autoptr (LaminaModel) model = lamina_model_open (f->context, path, NULL, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (lamina_model_name (model), ==, names[i]);
    g_autoptr (GHashTable) batch = lamina_model_batch (model, "train", 0, &error);
    g_assert_no_error (error);
  }
}

/* Nothing is left of what failed, nothing that is there is touched. */
static void
test_template_refused (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (f->folder, "new", NULL);
  use_source_templates ();
  g_assert_false (lamina_template_create ("digits-mpl", path, &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "did you mean \"digits-mlp\"", NULL);
  g_assert_false (lamina_template_create ("digits-mlp", f->project, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "exists already", NULL);
  g_autofree char *templates = g_strdup_printf ("%s/tools", g_getenv ("LAMINA_SRCDIR"));
  g_setenv ("LAMINA_DATA_DIR", templates, TRUE); /* templates, but no data */
  if (g_file_test (LM_DATA_DIR "/data/digits.npz", G_FILE_TEST_EXISTS))
    return; /* found in the installed place */
  g_assert_false (lamina_template_create ("digits-mlp", path, &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "data/digits.npz", NULL);
  g_autoptr (GDir) dir = g_dir_open (f->folder, 0, NULL);
  g_assert_null (g_dir_read_name (dir));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, fn) g_test_add ("/api/" name, Fixture, NULL, set_up, fn, tear_down)
  ADD ("archive/pack", test_pack);
  ADD ("archive/unpack", test_unpack);
  ADD ("archive/no_code", test_no_code);
  ADD ("inspect/archive", test_inspect);
  ADD ("inspect/unknown_type", test_inspect_unknown);
  ADD ("template/create", test_templates);
  ADD ("template/refused", test_template_refused);
#undef ADD
  return g_test_run ();
}
