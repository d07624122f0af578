/* SPDX-License-Identifier: Apache-2.0 */
/* Locks on files to be written: who is kept out, and what is left. */
#include "core/archive/lock.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void
assert_taken (const char *path)
{
  g_autoptr (GError) error = NULL;
  LmFileLock *lock;
  g_assert_false (lm_file_lock (path, &lock, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_IO);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_null (lock);
}

static LmFileLock *
lock_free_one (const char *path)
{
  g_autoptr (GError) error = NULL;
  LmFileLock *lock;
  g_assert_true (lm_file_lock (path, &lock, &error));
  g_assert_no_error (error);
  g_assert_nonnull (lock);
  return lock;
}

static void
test_one (void)
{
  g_autofree char *dir = g_dir_make_tmp ("lamina-test-XXXXXX", NULL);
  g_autofree char *a = g_build_filename (dir, "a.lam", NULL),
                  *b = g_build_filename (dir, "b.lam", NULL);
  g_autofree char *link = g_build_filename (dir, "link.lam", NULL);
  g_assert_true (g_file_set_contents (a, "old", -1, NULL));
  g_assert_cmpint (symlink ("a.lam", link), ==, 0);
  LmFileLock *first = lock_free_one (a), *second = lock_free_one (b);
  assert_taken (a);
  assert_taken (link); /* the same file */
  lm_file_unlock (first);
  first = lock_free_one (link);
  assert_taken (a);
  lm_file_unlock (first);
  lm_file_unlock (second);
  lm_file_unlock (NULL);
  g_assert_cmpint (g_unlink (a), ==, 0);
  g_assert_cmpint (g_unlink (link), ==, 0);
  g_assert_cmpint (g_rmdir (dir), ==, 0); /* nothing else is there */
}

/* The lock of a process goes with it, whatever it leaves behind. */
static void
test_killed (void)
{
  g_autofree char *dir = g_dir_make_tmp ("lamina-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "a.lam", NULL);
  int ready[2], status;
  char byte = 0;
  g_assert_cmpint (pipe (ready), ==, 0);
  pid_t child = fork ();
  if (child == 0) {
    LmFileLock *lock;
    byte = lm_file_lock (path, &lock, NULL) ? 1 : 2;
    if (write (ready[1], &byte, 1) == 1)
      pause ();
    _exit (0);
  }
  g_assert_cmpint ((int)read (ready[0], &byte, 1), ==, 1);
  g_assert_cmpint (byte, ==, 1);
  assert_taken (path);
  g_assert_cmpint (kill (child, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  lm_file_unlock (lock_free_one (path));
  close (ready[0]);
  close (ready[1]);
  g_assert_cmpint (g_rmdir (dir), ==, 0);
}

static void
test_none (void)
{
  g_autoptr (GError) error = NULL;
  LmFileLock *lock;
  g_assert_true (lm_file_lock ("no/such/folder/a.lam", &lock, &error)); /* writing will say so */
  g_assert_null (lock);
  g_assert_false (lm_file_lock ("/dev/null", &lock, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_IO);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/archive/lock/one", test_one);
  g_test_add_func ("/archive/lock/killed", test_killed);
  g_test_add_func ("/archive/lock/none", test_none);
  return g_test_run ();
}
