/* SPDX-License-Identifier: Apache-2.0 */
/* Files written aside: what killed writers leave goes with the next one, what living ones write stays. */
#include "core/archive/file.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Folder {
  char *dir, *goal;
} Folder;

static Folder
make_folder (void)
{
  Folder f = {.dir = g_dir_make_tmp ("lamina-test-XXXXXX", NULL)};
  f.goal = g_build_filename (f.dir, "m.lam", NULL);
  return f;
}

static char *
put (const Folder *f, const char *name)
{
  char *path = g_build_filename (f->dir, name, NULL);
  g_assert_true (g_file_set_contents (path, "half", -1, NULL));
  return path;
}

static void
remove_folder (Folder *f)
{
  GDir *dir = g_dir_open (f->dir, 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *path = g_build_filename (f->dir, name, NULL);
    g_remove (path);
  }
  g_dir_close (dir);
  g_assert_cmpint (g_rmdir (f->dir), ==, 0);
  g_free (f->dir);
  g_free (f->goal);
}

static bool
exists (const char *path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static void
write_goal (const Folder *f)
{
  g_autoptr (GError) error = NULL;
  LmNewFile file;
  lm_new_file_open (&file, f->goal, 0666, &error);
  g_assert_no_error (error);
  g_assert_true (lm_new_file_write (&file, "whole", 5, &error));
  g_assert_true (lm_new_file_commit (&file, &error));
}

static void
test_names (void)
{
  static const char *const yes[] = {"m.lam.0123abcd.tmp", "x.FFFFFFFF.tmp"};
  static const char *const no[] = {"m.lam",          "m.tmp",          ".0123abcd.tmp",
                                   "m.0123abc.tmp",  "m.0123abcg.tmp", "m.0123abcd.tmp.x",
                                   "m-0123abcd.tmp", "m.0123abcd.tm",  ""};
  for (guint i = 0; i < G_N_ELEMENTS (yes); i++)
    g_assert_true (lm_is_temporary_name (yes[i]));
  for (guint i = 0; i < G_N_ELEMENTS (no); i++)
    g_assert_false (lm_is_temporary_name (no[i]));
  g_autofree char *made = lm_temporary_name ("folder/m.lam");
  g_assert_true (lm_is_temporary_name (made));
  g_assert_true (g_str_has_prefix (made, "folder/m.lam."));
}

static void
test_stale (void)
{
  Folder f = make_folder ();
  g_autofree char *stale = put (&f, "m.lam.0123abcd.tmp");
  g_autofree char *other = put (&f, "n.lam.0123abcd.tmp"),
                  *longer = put (&f, "m.lam.x.0123abcd.tmp");
  g_autofree char *own = put (&f, "m.lam.notmine1.tmp");
  g_autofree char *link = g_build_filename (f.dir, "m.lam.89abcdef.tmp", NULL);
  g_autofree char *folder = g_build_filename (f.dir, "m.lam.00000000.tmp", NULL);
  g_assert_cmpint (symlink (other, link), ==, 0);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  write_goal (&f);
  g_assert_false (exists (stale));
  g_assert_true (exists (other) && exists (longer) && exists (own) && exists (link));
  g_assert_true (exists (folder) && exists (f.goal));
  remove_folder (&f);
}

/* Two at once, as two processes may: neither takes the other's for a stale one. */
static void
test_living (void)
{
  Folder f = make_folder ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  LmNewFile first;
  g_assert_true (lm_new_file_open (&first, f.goal, 0666, &error));
  write_goal (&f);
  g_assert_true (exists (first.temporary));
  g_assert_true (lm_new_file_write (&first, "later", 5, &error));
  g_assert_true (lm_new_file_commit (&first, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (f.goal, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "later");
  remove_folder (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/archive/file/names", test_names);
  g_test_add_func ("/archive/file/stale", test_stale);
  g_test_add_func ("/archive/file/living", test_living);
  return g_test_run ();
}
