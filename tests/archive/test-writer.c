/* SPDX-License-Identifier: Apache-2.0 */
/* The writer: what it writes is read back the same, is reproducible, page-aligned, atomic, and fine
 * for other tools (tar). */
#include "core/archive/writer.h"

#include "core/archive/profile.h"
#include <glib/gstdio.h>
#include <string.h>

static const char *const config = "{\"a\": 1} // mine\n";

static GHashTable *
some_tensors (void)
{
  GHashTable *tensors =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)lm_array_unref);
  lam_type type = lm_type (LAM_F32, 2, (int64_t[]) {40, 30});
  LmArray *w = lm_array_new (&type, NULL);

  for (int i = 0; i < 1200; i++)
    ((float *)w->data)[i] = (float)i;
  g_hash_table_insert (tensors, g_strdup ("net.w"), w);
  return tensors;
}

static LmArchiveWriter *
some_archive (bool reversed)
{
  LmArchiveWriter *writer = lm_archive_writer_new ();
  g_autoptr (GHashTable) tensors = some_tensors ();
  g_autoptr (GBytes) text = g_bytes_new_static (config, strlen (config));
  g_autoptr (JsonNode) backend = json_node_init_string (json_node_alloc (), "acme.fast");

  for (int i = 0; i < 3; i++) {
    if (i == (reversed ? 2 : 0))
      lm_archive_writer_add (writer, "README.md", text);
    if (i == 1)
      lm_archive_writer_add_tensors (writer, "weights/model.safetensors", tensors);
    if (i == (reversed ? 0 : 2))
      lm_archive_writer_add (writer, "config/model.json", text);
  }
  lm_archive_writer_set (writer, "backend", backend);
  return writer;
}

static void
check_contents (const char *path, bool directory)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmArchive) archive = lm_archive_open (path, &error);
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GHashTable) weights = NULL;
  g_autofree char *list = NULL;
  const LmArray *w;

  g_assert_no_error (error);
  g_assert_cmpint (lm_archive_is_directory (archive), ==, directory);
  list = g_strjoinv (" ", (char **)(uintptr_t)lm_archive_members (archive));
  g_assert_cmpstr (list, ==, "manifest.json config/model.json weights/model.safetensors README.md");
  g_assert_cmpstr (lm_archive_backend (archive), ==, "acme.fast");
  node = lm_archive_config (archive, &error);
  g_assert_no_error (error);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (node), "a"), ==, 1);
  weights = lm_archive_weights (archive, &error);
  g_assert_no_error (error);
  w = g_hash_table_lookup (weights, "net.w");
  g_assert_cmpint (w->type.dims[0], ==, 40);
  g_assert_true (w->read_only);
  g_assert_cmpuint ((uintptr_t)w->data % 64, ==, 0);
  g_assert_cmpfloat (lm_array_get_double (w, 1199), ==, 1199);
  g_assert_null (lm_archive_state (archive, "none", &error));
  g_assert_no_error (error);
}

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

static char *
contents (const char *path, gsize *n)
{
  char *text;

  g_assert_true (g_file_get_contents (path, &text, n, NULL));
  return text;
}

static void
test_forms (void)
{
  g_autofree char *dir = g_dir_make_tmp ("lamina-test-XXXXXX", NULL);
  g_autofree char *tar = g_build_filename (dir, "m.lam", NULL);
  g_autofree char *tree = g_build_filename (dir, "m", NULL);
  g_autofree char *again = g_build_filename (dir, "again.lam", NULL), *a = NULL, *b = NULL;
  g_autoptr (LmArchiveWriter) writer = some_archive (false);
  g_autoptr (LmArchive) packed = NULL, unpacked = NULL;
  g_autoptr (GError) error = NULL;
  gsize n, m;

  g_assert_true (lm_archive_writer_finish (writer, tar, false, &error));
  g_assert_no_error (error);
  check_contents (tar, false);
  /* unpack and pack again: not a bit differs */
  packed = lm_archive_open (tar, NULL);
  g_assert_true (lm_archive_convert (packed, tree, true, &error));
  check_contents (tree, true);
  unpacked = lm_archive_open (tree, NULL);
  g_assert_true (lm_archive_convert (unpacked, again, false, &error));
  a = contents (tar, &n);
  b = contents (again, &m);
  g_assert_cmpmem (a, n, b, m);
  remove_all (dir);
}

/* The order of adding does not matter, nor does the time. */
static void
test_reproducible (void)
{
  g_autofree char *dir = g_dir_make_tmp ("lamina-test-XXXXXX", NULL);
  g_autofree char *one = g_build_filename (dir, "1.lam", NULL), *a = NULL, *b = NULL;
  g_autofree char *two = g_build_filename (dir, "2.lam", NULL);
  g_autoptr (LmArchiveWriter) x = some_archive (false), y = some_archive (true);
  gsize n, m;

  g_assert_true (lm_archive_writer_finish (x, one, false, NULL));
  g_assert_true (lm_archive_writer_finish (y, two, false, NULL));
  a = contents (one, &n);
  b = contents (two, &m);
  g_assert_cmpmem (a, n, b, m);
  remove_all (dir);
}

static void
test_alignment (void)
{
  g_autofree char *dir = g_dir_make_tmp ("lamina-test-XXXXXX", NULL), *text = NULL;
  g_autofree char *path = g_build_filename (dir, "m.lam", NULL);
  g_autoptr (LmArchiveWriter) writer = some_archive (false);
  g_autoptr (GPtrArray) members = NULL;
  gsize n;
  guint64 header;

  g_assert_true (lm_archive_writer_finish (writer, path, false, NULL));
  text = contents (path, &n);
  g_autoptr (GBytes) map = g_bytes_new (text, n);
  members = lm_tar_members (map, path, NULL);
  const LmMember *weights = members->pdata[2];
  memcpy (&header, text + weights->offset, 8);
  g_assert_cmpuint ((weights->offset + 8 + header) % 4096, ==, 0);
  remove_all (dir);
}

/* GNU tar is the independent reader. */
static void
test_other_tool (void)
{
  g_autofree char *dir = g_dir_make_tmp ("lamina-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "m.lam", NULL), *out = NULL;
  g_autofree char *program = g_find_program_in_path ("tar");
  g_autoptr (LmArchiveWriter) writer = some_archive (false);
  const char *argv[] = {"tar", "-xOf", path, "config/model.json", NULL};
  int status = -1;

  g_assert_true (lm_archive_writer_finish (writer, path, false, NULL));
  if (program == NULL)
    g_test_skip ("no tar");
  else
    g_assert_true (g_spawn_sync (NULL, (char **)(uintptr_t)argv, NULL, G_SPAWN_SEARCH_PATH, NULL,
                                 NULL, &out, NULL, &status, NULL));
  g_assert_cmpstr (out, ==, program != NULL ? config : NULL);
  remove_all (dir);
}

static void
check_refused (LmArchiveWriter *writer, const char *path, bool directory, const char *why)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (lm_archive_writer_finish (writer, path, directory, &error));
  g_assert_true (error->domain == LM_ERROR);
  if (strstr (error->message, why) == NULL)
    g_error ("\"%s\" is not in: %s", why, error->message);
}

static void
test_refused (void)
{
  g_autofree char *dir = g_dir_make_tmp ("lamina-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "m.lam", NULL);
  g_autofree char *nowhere = g_build_filename (dir, "no", "m.lam", NULL);
  g_autoptr (LmArchiveWriter) name = lm_archive_writer_new (), twice = lm_archive_writer_new ();
  g_autoptr (LmArchiveWriter) key = lm_archive_writer_new (), gone = lm_archive_writer_new ();
  g_autoptr (LmArchiveWriter) good = some_archive (false);
  g_autoptr (GBytes) bytes = g_bytes_new_static ("x", 1);
  g_autoptr (JsonNode) null = json_node_new (JSON_NODE_NULL);

  lm_archive_writer_add (name, "../x", bytes);
  check_refused (name, path, false, "\"../x\" cannot be a member of an archive");
  lm_archive_writer_add (twice, "a", bytes);
  lm_archive_writer_add (twice, "A", bytes);
  check_refused (twice, path, false, "differs from it only in case");
  lm_archive_writer_set (key, "files", null);
  check_refused (key, path, false, "\"files\" is the writer's own");
  lm_archive_writer_add_file (gone, "a", "/no/such/file");
  check_refused (gone, path, false, "/no/such/file");
  check_refused (good, dir, false, "is a folder");
  check_refused (good, dir, true, "exists and is not overwritten");
  check_refused (good, nowhere, false, "cannot create");
  check_refused (good, nowhere, true, "cannot make");
  g_assert_cmpint (g_rmdir (dir), ==, 0); /* nothing was left behind */
}

/* An old archive stays whole when a new one cannot be written. */
static void
test_atomic (void)
{
  g_autofree char *dir = g_dir_make_tmp ("lamina-test-XXXXXX", NULL), *before = NULL, *after = NULL;
  g_autofree char *path = g_build_filename (dir, "m.lam", NULL);
  g_autoptr (LmArchiveWriter) good = some_archive (false), bad = some_archive (false);
  g_autoptr (LmArchive) open = NULL;
  g_autoptr (GHashTable) weights = NULL;
  gsize n, m;

  g_assert_true (lm_archive_writer_finish (good, path, false, NULL));
  before = contents (path, &n);
  lm_archive_writer_add_file (bad, "zzz", "/no/such/file");
  g_assert_false (lm_archive_writer_finish (bad, path, false, NULL));
  after = contents (path, &m);
  g_assert_cmpmem (before, n, after, m);
  /* Overwriting does not disturb who has the old one mapped. */
  open = lm_archive_open (path, NULL);
  weights = lm_archive_weights (open, NULL);
  g_assert_true (lm_archive_writer_finish (good, path, false, NULL));
  g_assert_cmpfloat (lm_array_get_double (g_hash_table_lookup (weights, "net.w"), 7), ==, 7);
  remove_all (dir);
}

/* A hand-made project becomes an archive; its model.json moves to its place. */
static void
test_pack_project (void)
{
  g_autofree char *dir = g_dir_make_tmp ("lamina-test-XXXXXX", NULL), *list = NULL;
  g_autofree char *project = g_build_filename (dir, "p", NULL);
  g_autofree char *model = g_build_filename (project, "model.json", NULL);
  g_autofree char *path = g_build_filename (dir, "m.lam", NULL);
  g_autoptr (LmArchive) bare = NULL, packed = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir (project, 0700), ==, 0);
  g_assert_true (g_file_set_contents (model, config, -1, NULL));
  bare = lm_archive_open (project, NULL);
  g_assert_true (lm_archive_convert (bare, path, false, &error));
  packed = lm_archive_open (path, &error);
  g_assert_no_error (error);
  list = g_strjoinv (" ", (char **)(uintptr_t)lm_archive_members (packed));
  g_assert_cmpstr (list, ==, "manifest.json config/model.json");
  remove_all (dir);
}

static void
put (const char *path)
{
  g_assert_true (g_file_set_contents (path, "half", -1, NULL));
}

/* What killed writers left is no part of a project; a name that only looks like it is. */
static void
test_pack_leftovers (void)
{
  g_autofree char *dir = g_dir_make_tmp ("lamina-test-XXXXXX", NULL), *list = NULL;
  g_autofree char *project = g_build_filename (dir, "p", NULL);
  g_autofree char *model = g_build_filename (project, "model.json", NULL);
  g_autofree char *file = g_build_filename (project, "trained.lam.0123abcd.tmp", NULL);
  g_autofree char *folder = g_build_filename (project, "tree.89abcdef.tmp", NULL);
  g_autofree char *inside = g_build_filename (folder, "model.json", NULL);
  g_autofree char *own = g_build_filename (project, "notes.tmp", NULL);
  g_autofree char *path = g_build_filename (dir, "m.lam", NULL);
  g_autoptr (LmArchive) bare = NULL, packed = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir (project, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (model, config, -1, NULL));
  put (file);
  put (inside);
  put (own);
  bare = lm_archive_open (project, NULL);
  g_assert_true (lm_archive_convert (bare, path, false, &error));
  packed = lm_archive_open (path, &error);
  g_assert_no_error (error);
  list = g_strjoinv (" ", (char **)(uintptr_t)lm_archive_members (packed));
  g_assert_cmpstr (list, ==, "manifest.json config/model.json notes.tmp");
  remove_all (dir);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/archive/writer/forms", test_forms);
  g_test_add_func ("/archive/writer/reproducible", test_reproducible);
  g_test_add_func ("/archive/writer/alignment", test_alignment);
  g_test_add_func ("/archive/writer/other_tool", test_other_tool);
  g_test_add_func ("/archive/writer/refused", test_refused);
  g_test_add_func ("/archive/writer/atomic", test_atomic);
  g_test_add_func ("/archive/writer/pack_project", test_pack_project);
  g_test_add_func ("/archive/writer/pack_leftovers", test_pack_leftovers);
  return g_test_run ();
}
