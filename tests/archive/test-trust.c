/* SPDX-License-Identifier: Apache-2.0 */
/* Trust by digest and the content store: an archive with code for this and another platform. */
#include "core/archive/trust.h"

#include "core/archive/writer.h"
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

typedef struct {
  char *dir, *path;
} Home;

static void
remove_all (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *entry = g_build_filename (path, name, NULL);
    remove_all (entry);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_assert_cmpint (remove (path), ==, 0);
}

static Home
open_home (void)
{
  Home h = {g_dir_make_tmp ("lamina-test-XXXXXX", NULL), NULL};
  g_autofree char *config = g_build_filename (h.dir, "config", NULL);
  g_autofree char *cache = g_build_filename (h.dir, "cache", NULL);

  g_setenv ("XDG_CONFIG_HOME", config, TRUE);
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  h.path = g_build_filename (h.dir, "a model.lam", NULL);
  return h;
}

static void
close_home (Home *h)
{
  remove_all (h->dir);
  g_free (h->dir);
  g_free (h->path);
}

static void
add_plugin (LmArchiveWriter *writer, const Home *h, const char *platform, const char *code)
{
  g_autofree char *so = g_build_filename (h->dir, "acme.so", NULL);
  const char *text = "{\"id\":\"acme.layers\",\"version\":\"1.2.0\","
                     "\"provides\":[\"lamina.layer/1:acme.dense@1\"]}";
  g_autoptr (JsonNode) node = lm_json_parse (text, strlen (text), 0, "t", NULL);

  g_assert_true (g_file_set_contents (so, code, -1, NULL));
  lm_archive_writer_add_plugin (writer, so, platform, json_node_get_object (node));
}

/* An archive whose plugins are not ELF files: nothing here runs them. */
static LmArchive *
make_archive (const Home *h)
{
  g_autoptr (LmArchiveWriter) writer = lm_archive_writer_new ();
  g_autofree char *other = g_build_filename (h->dir, "o", NULL);
  Home elsewhere = {other, NULL};
  g_autoptr (GError) error = NULL;
  LmArchive *archive;

  g_assert_cmpint (g_mkdir (other, 0700), ==, 0);
  add_plugin (writer, h, lm_platform (), "code for here");
  add_plugin (writer, &elsewhere, "sparc-sun-solaris", "code for there");
  g_assert_true (lm_archive_writer_finish (writer, h->path, false, &error));
  archive = lm_archive_open (h->path, &error);
  g_assert_no_error (error);
  return archive;
}

static void
test_list (void)
{
  Home h = open_home ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) none = lm_trust_list (&error), one = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (none->len, ==, 0);
  g_assert_false (lm_trust_has (SHA));
  g_assert_true (lm_trust_add (SHA, "acme.layers 1.2.0", &error));
  g_assert_true (lm_trust_add (SHA, "acme.layers 1.2.0", &error)); /* again is fine */
  g_assert_true (lm_trust_has (SHA));
  one = lm_trust_list (&error);
  g_assert_cmpuint (one->len, ==, 1);
  g_assert_cmpstr (one->pdata[0], ==, SHA "  acme.layers 1.2.0");
  g_assert_true (lm_trust_remove (SHA, &error));
  g_assert_false (lm_trust_has (SHA));
  g_assert_false (lm_trust_remove (SHA, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_NOT_FOUND);
  close_home (&h);
}

static void
test_bad_digest (void)
{
  Home h = open_home ();
  static const char *const bad[] = {"", "../../x", "ABC", SHA "0", "0123"};

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_false (lm_trust_add (bad[i], "", &error));
    g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
    g_assert_false (lm_trust_has (bad[i]));
  }
  close_home (&h);
}

/* What others can write is not believed. */
static void
test_permissions (void)
{
  Home h = open_home ();
  g_autofree char *list = g_build_filename (h.dir, "config", "lamina", "trusted.d", NULL);
  g_autofree char *entry = g_build_filename (list, SHA, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (lm_trust_add (SHA, NULL, NULL));
  g_assert_cmpint (g_chmod (entry, 0666), ==, 0);
  g_assert_false (lm_trust_has (SHA));
  g_assert_cmpint (g_chmod (entry, 0600), ==, 0);
  g_assert_true (lm_trust_has (SHA));
  g_assert_cmpint (g_chmod (list, 0777), ==, 0);
  g_assert_false (lm_trust_has (SHA));
  g_assert_false (lm_trust_add (SHA, NULL, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_DENIED);
  close_home (&h);
}

static void
test_check (void)
{
  Home h = open_home ();
  g_autoptr (LmArchive) archive = make_archive (&h);
  const GPtrArray *plugins = lm_archive_plugins (archive);
  g_autofree char *sha256 = g_compute_checksum_for_string (G_CHECKSUM_SHA256, "code for here", -1);
  g_autofree char *next = g_strdup_printf ("\nrun: lamina trust '%s'", h.path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (plugins->len, ==, 2);
  g_assert_false (lm_trust_check (archive, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_DENIED);
  g_assert_nonnull (strstr (error->message, sha256));
  g_assert_nonnull (strstr (error->message, "acme.layers 1.2.0 (lamina.layer/1:acme.dense@1)"));
  g_assert_null (strstr (error->message, "sparc")); /* never loaded here */
  g_assert_true (g_str_has_suffix (error->message, next));
  g_assert_true (lm_trust_add (sha256, "", NULL));
  g_assert_true (lm_trust_check (archive, NULL));
  close_home (&h);
}

static const LmArchivePlugin *
own_plugin (const LmArchive *archive)
{
  const GPtrArray *plugins = lm_archive_plugins (archive);

  for (guint i = 0; i < plugins->len; i++)
    if (((LmArchivePlugin *)plugins->pdata[i])->here)
      return plugins->pdata[i];
  g_assert_not_reached ();
}

static void
test_extract (void)
{
  Home h = open_home ();
  g_autoptr (LmArchive) archive = make_archive (&h);
  const LmArchivePlugin *plugin = own_plugin (archive);
  g_autoptr (GError) error = NULL;
  g_autofree char *path = lm_archive_extract_plugin (archive, plugin, &error), *again = NULL;
  g_autofree char *wanted =
      g_build_filename (h.dir, "cache", "lamina", "so", plugin->sha256, "acme.so", NULL);
  g_autofree char *text = NULL;
  struct stat st;

  g_assert_no_error (error);
  g_assert_cmpstr (path, ==, wanted);
  g_assert_cmpint (g_stat (path, &st), ==, 0);
  g_assert_cmpint (st.st_mode & 0777, ==, 0500);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "code for here");
  /* A tampered copy is replaced, not used. */
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_true (g_file_set_contents (path, "evil", -1, NULL));
  again = lm_archive_extract_plugin (archive, plugin, &error);
  g_assert_no_error (error);
  g_clear_pointer (&text, g_free);
  g_assert_true (g_file_get_contents (again, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "code for here");
  close_home (&h);
}

static void
test_open_store (void)
{
  Home h = open_home ();
  g_autoptr (LmArchive) archive = make_archive (&h);
  g_autofree char *store = g_build_filename (h.dir, "cache", "lamina", "so", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (store, 0700), ==, 0);
  g_assert_cmpint (g_chmod (store, 0777), ==, 0);
  g_assert_null (lm_archive_extract_plugin (archive, own_plugin (archive), &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_DENIED);
  close_home (&h);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/archive/trust/list", test_list);
  g_test_add_func ("/archive/trust/bad_digest", test_bad_digest);
  g_test_add_func ("/archive/trust/permissions", test_permissions);
  g_test_add_func ("/archive/trust/check", test_check);
  g_test_add_func ("/archive/store/extract", test_extract);
  g_test_add_func ("/archive/store/open_store", test_open_store);
  return g_test_run ();
}
