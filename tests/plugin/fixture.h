/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles fixture.c at test time; without a C compiler the case is skipped. */
#ifndef TEST_PLUGIN_FIXTURE_H
#define TEST_PLUGIN_FIXTURE_H

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

/* A temporary folder; remove_folder takes it away with the files in it. */
static inline char *
make_folder (void)
{
  return g_dir_make_tmp ("lamina-test-XXXXXX", NULL);
}

static inline void
remove_folder (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *file = g_build_filename (path, name, NULL);
    if (g_file_test (file, G_FILE_TEST_IS_DIR) && !g_file_test (file, G_FILE_TEST_IS_SYMLINK))
      remove_folder (file);
    else
      g_unlink (file);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_rmdir (path);
}

/* dir/name built from fixture.c with the flags (blank-separated, shell-quoted); NULL: no compiler. */
static inline char *
build_fixture (const char *dir, const char *name, const char *flags)
{
  const char *srcdir = g_getenv ("LAMINA_SRCDIR");
  g_autofree char *source =
      g_build_filename (srcdir ? srcdir : ".", "tests", "plugin", "fixture.c", NULL);
  g_autofree char *sdk = g_build_filename (srcdir ? srcdir : ".", "sdk", NULL);
  char *path = g_build_filename (dir, name, NULL);
  g_autofree char *line = NULL, *output = NULL;
  g_auto (GStrv) argv = NULL;
  g_autofree char *cc = g_find_program_in_path ("cc");
  int status = -1;

  if (cc == NULL) {
    g_test_skip ("no C compiler");
    g_free (path);
    return NULL;
  }
  line = g_strdup_printf ("cc -std=gnu11 -shared -fPIC -w -I'%s' %s '%s' -o '%s'", sdk, flags,
                          source, path);
  g_assert_true (g_shell_parse_argv (line, NULL, &argv, NULL));
  g_assert_true (g_spawn_sync (NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &output,
                               &status, NULL));
  if (status != 0)
    g_error ("%s\n%s", line, output);
  return path;
}

#endif
