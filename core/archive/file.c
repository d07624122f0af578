/* SPDX-License-Identifier: Apache-2.0 */
/* Files written aside, mapped files, digests. */
#include "core/archive/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
fail_io (GError **error, const char *what, const char *path)
{
  int saved = errno;

  g_set_error (error, LM_ERROR, saved == ENOENT ? LM_ERROR_NOT_FOUND : LM_ERROR_IO,
               "cannot %s %s: %s", what, path, g_strerror (saved));
  return false;
}

char *
lm_file_goal (const char *path, int *mode, GError **error)
{
  struct stat st;

  if (lstat (path, &st) != 0)
    return g_strdup (path);
  char *real = realpath (path, NULL);
  if (real == NULL || stat (real, &st) != 0) {
    fail_io (error, "follow", path);
    free (real);
    return NULL;
  }
  char *goal = g_strdup (real);
  free (real);
  if (!S_ISREG (st.st_mode)) {
    g_set_error (error, LM_ERROR, LM_ERROR_IO,
                 "cannot write %s: it is not a regular file; name another file", path);
    g_free (goal);
    return NULL;
  }
  *mode = st.st_mode & 0777;
  return goal;
}

/* --- temporaries --------------------------------------------------------------------------------- */

#define HEX_DIGITS 8
#define SUFFIX     ".tmp"

/* Who writes a temporary holds a lock on it, which goes with the process. */
char *
lm_temporary_name (const char *path)
{
  return g_strdup_printf ("%s.%08x" SUFFIX, path, g_random_int ());
}

bool
lm_is_temporary_name (const char *name)
{
  gsize n = strlen (name), tail = 1 + HEX_DIGITS + strlen (SUFFIX);

  if (n <= tail || name[n - tail] != '.' || !g_str_has_suffix (name, SUFFIX))
    return false;
  for (gsize i = n - tail + 1; i < n - strlen (SUFFIX); i++)
    if (!g_ascii_isxdigit (name[i]))
      return false;
  return true;
}

/* A regular file of ours, without a writer. Its lock is held while it goes, so that no writer takes
 * it meanwhile. */
static void
remove_stale (const char *path)
{
  struct stat st;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

  if (fd < 0)
    return;
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && st.st_uid == geteuid ()
      && flock (fd, LOCK_EX | LOCK_NB) == 0)
    g_unlink (path);
  close (fd);
}

/* What killed writers of the same file left behind. */
static void
remove_stale_ones (const char *goal)
{
  g_autofree char *folder = g_path_get_dirname (goal), *base = g_path_get_basename (goal);
  gsize n = strlen (base), whole = n + 1 + HEX_DIGITS + strlen (SUFFIX);
  GDir *dir = g_dir_open (folder, 0, NULL);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    if (strlen (name) != whole || strncmp (name, base, n) != 0 || !lm_is_temporary_name (name))
      continue;
    g_autofree char *path = g_build_filename (folder, name, NULL);
    remove_stale (path);
  }
  g_clear_pointer (&dir, g_dir_close);
}

/* False: another writer took the file for a stale one before it was locked, and removed it. Where there
 * are no locks nobody takes it for one. */
static bool
keep_temporary (int fd)
{
  struct stat st;

  while (flock (fd, LOCK_EX) != 0 && errno == EINTR)
    ;
  return fstat (fd, &st) != 0 || st.st_nlink > 0;
}

/* --- new files ----------------------------------------------------------------------------------- */

/* False: another name may do, if errno is EEXIST. */
static bool
open_temporary (LmNewFile *file, int mode)
{
  file->temporary = lm_temporary_name (file->path);
  file->fd = g_open (file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
  if (file->fd < 0 || keep_temporary (file->fd))
    return file->fd >= 0;
  close (file->fd);
  file->fd = -1;
  errno = EEXIST;
  return false;
}

bool
lm_new_file_open (LmNewFile *file, const char *path, int mode, GError **error)
{
  file->path = lm_file_goal (path, &mode, error);
  if (file->path == NULL)
    return false;
  path = file->path;
  remove_stale_ones (path);
  for (int i = 0; i < 100; i++) {
    if (open_temporary (file, mode))
      return true;
    if (errno != EEXIST)
      break;
    g_clear_pointer (&file->temporary, g_free);
  }
  fail_io (error, "create", file->temporary != NULL ? file->temporary : path);
  g_clear_pointer (&file->temporary, g_free);
  g_clear_pointer (&file->path, g_free);
  return false;
}

bool
lm_new_file_write (LmNewFile *file, const void *data, gsize n, GError **error)
{
  const char *p = data;

  while (n > 0) {
    ssize_t done = write (file->fd, p, MIN (n, (gsize)1 << 30));
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return fail_io (error, "write", file->path);
    p += done;
    n -= (gsize)done;
  }
  return true;
}

static void
clear_file (LmNewFile *file)
{
  if (file->fd >= 0)
    close (file->fd);
  file->fd = -1;
  g_clear_pointer (&file->temporary, g_free);
  g_clear_pointer (&file->path, g_free);
}

void
lm_new_file_abandon (LmNewFile *file)
{
  g_unlink (file->temporary);
  clear_file (file);
}

bool
lm_new_file_commit (LmNewFile *file, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (file->path);
  int failed = fsync (file->fd);

  if (close (file->fd) != 0)
    failed = -1;
  file->fd = -1;
  if (failed != 0 || g_rename (file->temporary, file->path) != 0) {
    fail_io (error, "write", file->path);
    lm_new_file_abandon (file);
    return false;
  }
  clear_file (file);
  return lm_sync_folder (folder, error);
}

bool
lm_sync_folder (const char *path, GError **error)
{
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool ok = fd >= 0 && (fsync (fd) == 0 || errno == EINVAL); /* some file systems cannot */

  if (!ok)
    fail_io (error, "sync", path);
  if (fd >= 0)
    close (fd);
  return ok;
}

typedef struct Map {
  void *data;
  gsize size;
} Map;

static void
map_free (gpointer data)
{
  Map *map = data;

  munmap (map->data, map->size);
  g_free (map);
}

GBytes *
lm_map_fd (int fd, const char *path, GError **error)
{
  struct stat st;
  void *data = NULL;
  Map *map;

  if (fd < 0) {
    fail_io (error, "open", path);
    return NULL;
  }
  if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode)) {
    g_set_error (error, LM_ERROR, LM_ERROR_IO, "cannot read %s: it is not a regular file", path);
    close (fd);
    return NULL;
  }
  if (st.st_size > 0)
    data = mmap (NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close (fd);
  if (data == MAP_FAILED) {
    fail_io (error, "map", path);
    return NULL;
  }
  if (data == NULL)
    return g_bytes_new (NULL, 0);
  map = g_new (Map, 1);
  map->data = data;
  map->size = (gsize)st.st_size;
  return g_bytes_new_with_free_func (data, map->size, map_free, map);
}

/* O_NONBLOCK: opening a FIFO must not hang. */
GBytes *
lm_map_file (const char *path, bool follow, GError **error)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));

  return lm_map_fd (fd, path, error);
}

char *
lm_sha256 (GBytes *bytes)
{
  return g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
}
