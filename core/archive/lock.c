/* SPDX-License-Identifier: Apache-2.0 */
/* Locks on files that are replaced when they are written: on a file beside them. */
#include "core/archive/lock.h"

#include "core/archive/file.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct LmFileLock {
  char *path;
  int fd;
};

static char *
lock_path (const char *goal)
{
  g_autofree char *folder = g_path_get_dirname (goal), *base = g_path_get_basename (goal);
  g_autofree char *name = g_strdup_printf (".%s.lock", base);
  return g_build_filename (folder, name, NULL);
}

/* The one who had it removed it between our opening and our locking. */
static bool
is_gone (const char *path, int fd)
{
  struct stat mine, there;
  return fstat (fd, &mine) != 0 || lstat (path, &there) != 0 || mine.st_ino != there.st_ino
         || mine.st_dev != there.st_dev;
}

/* An open file with the lock, or -1 and errno: EWOULDBLOCK if another has it. */
static int
take (const char *path)
{
  for (;;) {
    int fd = open (path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (fd < 0)
      return -1;
    if (flock (fd, LOCK_EX | LOCK_NB) != 0) {
      int code = errno;
      close (fd);
      errno = code;
      return -1;
    }
    if (!is_gone (path, fd))
      return fd;
    close (fd);
  }
}

bool
lm_file_lock (const char *path, LmFileLock **out, GError **error)
{
  int mode = 0;
  g_autofree char *goal = lm_file_goal (path, &mode, error);

  *out = NULL;
  if (goal == NULL)
    return false;
  g_autofree char *name = lock_path (goal);
  int fd = take (name);
  if (fd < 0 && errno == EWOULDBLOCK) {
    g_set_error (error, LM_ERROR, LM_ERROR_IO,
                 "%s is being written by another training; wait for its end, or name another file",
                 path);
    return false;
  }
  if (fd >= 0) {
    *out = g_new (LmFileLock, 1);
    **out = (LmFileLock) {g_steal_pointer (&name), fd};
  }
  return true;
}

void
lm_file_unlock (LmFileLock *lock)
{
  if (lock == NULL)
    return;
  g_unlink (lock->path);
  close (lock->fd);
  g_free (lock->path);
  g_free (lock);
}
