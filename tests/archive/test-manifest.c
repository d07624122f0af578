/* SPDX-License-Identifier: Apache-2.0 */
/* The manifest against the members, and the directory form (plugin-abi 3.2, 3.3). */
#include "core/archive/archive.h"
#include "tests/archive/tarball.h"

#include <errno.h>
#include <unistd.h>

typedef struct {
  char *dir, *path;
} Folder;

static Folder
new_folder (void)
{
  Folder f = {g_dir_make_tmp ("lamina-test-XXXXXX", NULL), NULL};

  f.path = g_build_filename (f.dir, "m", NULL);
  g_assert_cmpint (g_mkdir (f.path, 0700), ==, 0);
  return f;
}

static void
put (const Folder *f, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (f->path, name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
remove_all (const char *path)
{
  GDir *dir = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *entry = g_build_filename (path, name, NULL);
    remove_all (entry);
  }
  if (dir != NULL)
    g_dir_close (dir);
  g_assert_cmpint (remove (path), ==, 0);
}

static void
end (Folder *f)
{
  remove_all (f->dir);
  g_free (f->dir);
  g_free (f->path);
}

static void
check_refused (const Folder *f, LmErrorCode code, const char *why)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (lm_archive_open (f->path, &error));
  g_assert_error (error, LM_ERROR, (gint)code);
  if (strstr (error->message, f->path) == NULL || strstr (error->message, why) == NULL)
    g_error ("\"%s\" is not in: %s", why, error->message);
}

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* A folder of one member and a given manifest. */
static void
check_manifest (const char *manifest, LmErrorCode code, const char *why)
{
  Folder f = new_folder ();

  put (&f, "config/model.json", "{}");
  put (&f, "manifest.json", manifest);
  check_refused (&f, code, why);
  end (&f);
}

#define HEAD                "{\"format\":\"lam/1\",\"min_reader\":\"1.0\","
#define FILE_OF(path, size) "{\"path\":\"" path "\",\"size\":" size ",\"sha256\":\"" SHA "\"}"
#define GOOD                HEAD "\"files\":[" FILE_OF ("config/model.json", "2") "]"

static void
test_refused (void)
{
  const LmErrorCode corrupt = LM_ERROR_CORRUPT, unsupported = LM_ERROR_UNSUPPORTED;

  check_manifest ("[]", corrupt, "wanted an object");
  check_manifest ("{", corrupt, "manifest.json:1:2");
  check_manifest ("// c\n{}", corrupt, "comments are not allowed");
  check_manifest ("{}", corrupt, "format: wanted \"lam/1\"");
  check_manifest ("{\"format\":\"lam/2\"}", corrupt, "got \"lam/2\"");
  check_manifest ("{\"format\":\"lam/1\",\"min_reader\":\"x\"}", corrupt, "min_reader");
  check_manifest ("{\"format\":\"lam/1\",\"min_reader\":\"1.1\"}", unsupported, "of version 1.1");
  check_manifest ("{\"format\":\"lam/1\",\"min_reader\":\"2.0\"}", unsupported, "of version 2.0");
  check_manifest (GOOD ",\"!new\":1}", unsupported, "\"!new\" must be understood");
  check_manifest (GOOD ",\"a\":[{\"!deep\":1}]}", unsupported, "\"!deep\" must be understood");
  check_manifest (HEAD "\"files\":[]}", corrupt, "\"config/model.json\" is there but not listed");
  check_manifest (HEAD "\"files\":{}}", corrupt, "files: wanted a list");
  check_manifest (HEAD "\"files\":[1]}", corrupt, "files[0]: wanted path");
  check_manifest (HEAD "\"files\":[" FILE_OF ("config/model.json", "3") "]}", corrupt,
                  "has 2 bytes, the manifest says 3");
  check_manifest (HEAD "\"files\":[" FILE_OF ("config/model.json",
                                              "2") "," FILE_OF ("config/model.json", "2") "]}",
                  corrupt, "listed twice");
  check_manifest (HEAD "\"files\":[" FILE_OF ("gone", "0") "]}", corrupt, "\"gone\" is listed but");
  check_manifest (HEAD "\"files\":[" FILE_OF ("../up", "0") "]}", corrupt,
                  "\"../up\" is listed but");
  check_manifest (HEAD "\"files\":[" FILE_OF ("manifest.json", "0") "]}", corrupt, "is listed but");
  check_manifest (GOOD ",\"plugins\":1}", corrupt, "plugins: wanted a list");
  check_manifest (GOOD ",\"plugins\":[{}]}", corrupt, "plugins[0]: wanted id");
  check_manifest (GOOD
                  ",\"plugins\":[{\"id\":\"a.b\",\"version\":\"1\",\"platform\":\"p\",\"file\":"
                  "\"config/model.json\",\"provides\":[]}]}",
                  corrupt, "not a member below plugins/");
}

static void
test_digest (void)
{
  Folder f = new_folder ();
  g_autoptr (LmArchive) archive = NULL;
  g_autoptr (GError) error = NULL;

  put (&f, "config/model.json", "{}");
  put (&f, "manifest.json", GOOD "}"); /* the sha256 is not that of "{}" */
  archive = lm_archive_open (f.path, &error);
  g_assert_no_error (error);
  g_assert_null (lm_archive_config (archive, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_CORRUPT);
  g_assert_nonnull (strstr (error->message, "changed or damaged"));
  end (&f);
}

static void
test_links (void)
{
  Folder f = new_folder (), g = new_folder (), outside = new_folder ();
  g_autofree char *link = g_build_filename (f.path, "config", NULL);
  g_autofree char *file = g_build_filename (g.path, "data.npz", NULL);
  g_autoptr (LmArchive) bare = NULL;

  /* In the directory form of an archive a link is an error ... */
  put (&outside, "model.json", "{}");
  put (&f, "manifest.json", GOOD "}");
  g_assert_cmpint (symlink (outside.path, link), ==, 0);
  check_refused (&f, LM_ERROR_CORRUPT, "\"config\" cannot be a member: it is a link");
  /* ... in a hand-made project it is not part of it. */
  put (&g, "model.json", "{}");
  g_assert_cmpint (symlink ("/etc/passwd", file), ==, 0);
  bare = lm_archive_open (g.path, NULL);
  g_assert_nonnull (bare);
  g_assert_false (lm_archive_has (bare, "data.npz"));
  end (&f);
  end (&g);
  end (&outside);
}

/* A member that becomes a link after opening is not followed. */
static void
test_swapped (void)
{
  Folder f = new_folder (), outside = new_folder ();
  g_autofree char *config = g_build_filename (f.path, "config", NULL);
  g_autoptr (LmArchive) archive = NULL;
  g_autoptr (GError) error = NULL;

  put (&outside, "model.json", "{\"stolen\": 1}");
  put (&f, "config/model.json", "{}");
  archive = lm_archive_open (f.path, NULL);
  g_assert_nonnull (archive);
  remove_all (config);
  g_assert_cmpint (symlink (outside.path, config), ==, 0);
  g_assert_null (lm_archive_config (archive, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_IO);
  end (&f);
  end (&outside);
}

static void
test_bare (void)
{
  Folder f = new_folder ();
  g_autoptr (LmArchive) archive = NULL;
  g_autoptr (JsonNode) config = NULL;

  check_refused (&f, LM_ERROR_NOT_FOUND, "neither a model nor a project");
  put (&f, "model.json", "// mine\n{\"backend\": \"acme.fast\"}");
  put (&f, ".git/HEAD", "x");
  archive = lm_archive_open (f.path, NULL);
  g_assert_null (lm_archive_manifest (archive));
  g_assert_cmpuint (lm_archive_plugins (archive)->len, ==, 0);
  g_assert_cmpuint (g_strv_length ((char **)(uintptr_t)lm_archive_members (archive)), ==, 1);
  g_assert_cmpstr (lm_archive_backend (archive), ==, "acme.fast");
  config = lm_archive_config (archive, NULL);
  g_assert_nonnull (config);
  end (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/archive/manifest/refused", test_refused);
  g_test_add_func ("/archive/manifest/digest", test_digest);
  g_test_add_func ("/archive/manifest/links", test_links);
  g_test_add_func ("/archive/manifest/swapped", test_swapped);
  g_test_add_func ("/archive/manifest/bare", test_bare);
  return g_test_run ();
}
