/* SPDX-License-Identifier: Apache-2.0 */
/* Code that models bring: found, described by its notes, refused until trusted, carried over. */
#include "core/program/code.h"

#include "core/archive/trust.h"
#include "tests/lib/project.h"
#include <glib/gstdio.h>
#include <string.h>

/* A project whose plugins/<platform>/ holds the built lamina-layers-basic.so as acme.so; lists of trust
 * and caches in a folder of its own. */
typedef struct Fixture {
  char *folder, *project, *so;
} Fixture;

static void
copy (const char *from, const char *to)
{
  g_autofree char *data = NULL, *parent = g_path_get_dirname (to);
  gsize n;
  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_get_contents (from, &data, &n, NULL));
  g_assert_true (g_file_set_contents (to, data, (gssize)n, NULL));
}

static char *
find_basic (void)
{
  const char *dir = g_getenv ("LAMINA_PLUGIN_DIR");
  g_autoptr (GDir) open = g_dir_open (dir, 0, NULL);
  for (const char *name; (name = g_dir_read_name (open)) != NULL;)
    if (strstr (name, "basic") != NULL && g_str_has_suffix (name, ".so"))
      return g_build_filename (dir, name, NULL);
  g_assert_not_reached ();
}

static void
set_up (Fixture *f, gconstpointer unused)
{
  g_autofree char *basic = find_basic ();
  f->folder = g_dir_make_tmp ("lamina-code-XXXXXX", NULL);
  f->project = g_build_filename (f->folder, "m", NULL);
  f->so = g_build_filename (f->project, "plugins", lm_platform (), "acme.so", NULL);
  g_autofree char *config = g_build_filename (f->project, "model.json", NULL);
  copy (basic, f->so);
  g_assert_true (g_file_set_contents (config, "{}", -1, NULL));
  g_setenv ("XDG_CONFIG_HOME", f->folder, TRUE);
  g_setenv ("XDG_CACHE_HOME", f->folder, TRUE);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  lm_test_remove_tree (f->folder);
  g_free (f->folder);
  g_free (f->project);
  g_free (f->so);
}

static LmArchive *
open_project (const Fixture *f)
{
  g_autoptr (GError) error = NULL;
  LmArchive *archive = lm_archive_open (f->project, &error);
  g_assert_no_error (error);
  return archive;
}

static void
test_list (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmArchive) archive = open_project (f);
  g_autoptr (GPtrArray) list = lm_code_list (archive, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (list->len, ==, 1);
  const LmArchivePlugin *p = list->pdata[0];
  g_assert_cmpstr (p->id, ==, "lamina.layers.basic");
  g_assert_true (p->here);
  g_assert_cmpuint (strlen (p->sha256), ==, 64);
  g_assert_true (
      g_strv_contains ((const char *const *)p->provides, "lamina.layer/1:lamina.linear@1"));
}

static void
test_trust (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmArchive) archive = open_project (f);
  LmRegistry *registry = lm_registry_new (lm_host_tables ()->host);
  g_assert_false (lm_code_register (archive, registry, &error));
  lm_test_assert_error (&error, LM_ERROR_DENIED, "lamina.layers.basic", "acme.so",
                        "run: lamina trust", NULL);
  g_assert_cmpuint (lm_registry_plugins (registry)->len, ==, 0);
  g_autoptr (GPtrArray) list = lm_code_list (archive, &error);
  const LmArchivePlugin *p = list->pdata[0];
  g_assert_true (lm_trust_add (p->sha256, "test", &error));
  g_assert_true (lm_code_register (archive, registry, &error));
  g_assert_no_error (error);
  const LmProvided *found = lm_registry_find (registry, LAM_KIND_LAYER, "lamina.linear", &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (found->plugin_path, p->sha256)); /* out of the private store */
  lm_registry_free (registry);
}

/* One changed byte is another file: trust does not reach it. */
static void
test_changed (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmArchive) before = open_project (f);
  g_autoptr (GPtrArray) list = lm_code_list (before, &error);
  g_assert_true (lm_trust_add (((LmArchivePlugin *)list->pdata[0])->sha256, "test", &error));
  g_autofree char *data = NULL;
  gsize n;
  g_assert_true (g_file_get_contents (f->so, &data, &n, NULL));
  data = g_realloc (data, n + 1);
  data[n] = 0;
  g_assert_true (g_file_set_contents (f->so, data, (gssize)n + 1, NULL));
  g_autoptr (LmArchive) archive = open_project (f);
  LmRegistry *registry = lm_registry_new (lm_host_tables ()->host);
  g_assert_false (lm_code_register (archive, registry, &error));
  g_assert_cmpint (error->code, ==, LM_ERROR_DENIED);
  lm_registry_free (registry);
}

static void
test_not_a_plugin (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (g_file_set_contents (f->so, "no shared object", -1, NULL));
  g_autoptr (LmArchive) archive = open_project (f);
  g_assert_null (lm_code_list (archive, &error));
  lm_test_assert_error (&error, LM_ERROR_PLUGIN, "acme.so", NULL);
}

/* An archive that needs newer revisions than there are: all in one error; unknown ones are not its
 * business. */
static void
test_requires (Fixture *f, gconstpointer unused)
{
  static const char text[] =
      "{\"plugins\": [{\"id\": \"lamina.layers.basic\", \"provides\": ["
      "\"lamina.layer/1:lamina.linear@1\", \"lamina.layer/1:lamina.bias@77\","
      "\"lamina.layer/1:nobody.layer@5\", \"odd\", 3]}, 4]}";
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (f->folder, "m.lam", NULL);
  g_autoptr (LmArchiveWriter) writer = lm_archive_writer_new ();
  g_autoptr (GBytes) config = g_bytes_new_static ("{}", 2);
  g_autoptr (JsonNode) requires = json_from_string (text, NULL);
  lm_archive_writer_add (writer, "config/model.json", config);
  lm_archive_writer_set (writer, "requires", requires);
  g_assert_true (lm_archive_writer_finish (writer, path, false, &error));
  g_autoptr (LmArchive) archive = lm_archive_open (path, &error);
  LmRegistry *registry = lm_test_registry (), *empty = lm_registry_new (lm_host_tables ()->host);
  g_assert_false (lm_code_check_requires (archive, registry, &error));
  g_assert_null (strstr (error->message, "lamina.linear"));
  g_assert_null (strstr (error->message, "nobody"));
  lm_test_assert_error (&error, LM_ERROR_PLUGIN, "m.lam", "lamina.bias: wanted revision 77, got 1",
                        NULL);
  g_assert_true (lm_code_check_requires (archive, empty, &error));
  lm_registry_free (registry);
  lm_registry_free (empty);
}

/* Carried into an archive, which describes it in its manifest and can be read the same way. */
static void
test_carry (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (f->folder, "m.lam", NULL);
  g_autofree char *readme = g_build_filename (f->project, "README.md", NULL);
  g_autofree char *stray = g_build_filename (f->project, "notes.txt", NULL);
  g_assert_true (g_file_set_contents (readme, "read me", -1, NULL));
  g_assert_true (g_file_set_contents (stray, "not carried", -1, NULL));
  g_autoptr (LmArchive) project = open_project (f);
  g_autoptr (LmArchiveWriter) writer = lm_archive_writer_new ();
  g_autoptr (GBytes) config = g_bytes_new_static ("{}", 2);
  lm_archive_writer_add (writer, "config/model.json", config);
  g_assert_true (lm_carry_members (project, NULL, writer, &error));
  g_assert_true (lm_archive_writer_finish (writer, path, false, &error));
  g_autoptr (LmArchive) archive = lm_archive_open (path, &error);
  g_assert_no_error (error);
  g_assert_true (lm_archive_has (archive, "README.md"));
  g_assert_false (lm_archive_has (archive, "notes.txt"));
  g_autoptr (GPtrArray) a = lm_code_list (project, &error), b = lm_code_list (archive, &error);
  const LmArchivePlugin *x = a->pdata[0], *y = b->pdata[0];
  g_assert_cmpstr (x->sha256, ==, y->sha256);
  g_assert_cmpstr (x->id, ==, y->id);
  g_assert_cmpstr (x->file, ==, y->file);
  g_assert_true (g_strv_equal ((const char *const *)x->provides, (const char *const *)y->provides));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/program/code/list", Fixture, NULL, set_up, test_list, tear_down);
  g_test_add ("/program/code/trust", Fixture, NULL, set_up, test_trust, tear_down);
  g_test_add ("/program/code/changed", Fixture, NULL, set_up, test_changed, tear_down);
  g_test_add ("/program/code/not_a_plugin", Fixture, NULL, set_up, test_not_a_plugin, tear_down);
  g_test_add ("/program/code/requires", Fixture, NULL, set_up, test_requires, tear_down);
  g_test_add ("/program/code/carry", Fixture, NULL, set_up, test_carry, tear_down);
  return g_test_run ();
}
