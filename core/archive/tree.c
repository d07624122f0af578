/* SPDX-License-Identifier: Apache-2.0 */
/* The directory form: the same members as files of a folder, links never followed. */
#include "core/archive/profile.h"

#include "core/archive/file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH 8

typedef struct Walk {
  GPtrArray *members;
  const char *where;
  bool strict;
  GError **error;
} Walk;

static bool
fail_name (Walk *w, const char *name, const char *why)
{
  g_autofree char *shown = g_utf8_make_valid (name, -1);

  g_set_error (w->error, LM_ERROR, LM_ERROR_CORRUPT, "%s: \"%.80s\" cannot be a member: %s",
               w->where, shown, why);
  return false;
}

static bool walk (Walk *w, int fd, const char *prefix, int depth);

static bool
add_entry (Walk *w, int fd, const char *prefix, const char *entry, int depth)
{
  g_autofree char *name =
      *prefix != '\0' ? g_strconcat (prefix, "/", entry, NULL) : g_strdup (entry);
  const char *fault;
  struct stat st;

  if (!w->strict && lm_is_temporary_name (entry)) /* a killed writer's */
    return true;
  if (fstatat (fd, entry, &st, AT_SYMLINK_NOFOLLOW) != 0)
    return fail_name (w, name, g_strerror (errno));
  if (S_ISDIR (st.st_mode)) {
    int sub;
    if (depth >= MAX_DEPTH)
      return !w->strict || fail_name (w, name, "it is more than 8 folders deep");
    sub = openat (fd, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return sub >= 0 ? walk (w, sub, name, depth + 1) : fail_name (w, name, g_strerror (errno));
  }
  fault = lm_profile_name_fault (name);
  if (!S_ISREG (st.st_mode))
    fault = "it is a link or a special file; only plain files are";
  if (fault != NULL)
    return !w->strict || fail_name (w, name, fault);
  if (w->members->len >= LM_MAX_MEMBERS)
    return fail_name (w, name, "there are more than 100000 files");
  g_ptr_array_add (w->members, lm_member_new (name, 0, (uint64_t)st.st_size));
  return true;
}

/* Takes fd. */
static bool
walk (Walk *w, int fd, const char *prefix, int depth)
{
  DIR *dir = fdopendir (fd);
  struct dirent *entry;
  bool ok = true;

  if (dir == NULL) {
    close (fd);
    return fail_name (w, prefix, g_strerror (errno));
  }
  while (ok && (entry = readdir (dir)) != NULL)
    if (entry->d_name[0] != '.')
      ok = add_entry (w, dirfd (dir), prefix, entry->d_name, depth);
  closedir (dir);
  return ok;
}

static int
compare_members (gconstpointer a, gconstpointer b)
{
  const LmMember *const *x = a, *const *y = b;

  return lm_profile_order ((*x)->name, (*y)->name);
}

GPtrArray *
lm_tree_members (const char *path, bool strict, GError **error)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func (lm_member_free);
  Walk w = {members, path, strict, error};
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0) {
    g_set_error (error, LM_ERROR, LM_ERROR_IO, "cannot open %s: %s", path, g_strerror (errno));
    return NULL;
  }
  if (!walk (&w, fd, "", 1))
    return NULL;
  g_ptr_array_sort (members, compare_members);
  if (strict && !lm_profile_check_names (members, path, error))
    return NULL;
  return g_steal_pointer (&members);
}

/* Opens step by step: O_NOFOLLOW guards only the last step of a path. -1 and errno on failure. */
static int
open_beneath (const char *path, char **parts)
{
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  for (; fd >= 0 && *parts != NULL; parts++) {
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (parts[1] != NULL ? O_DIRECTORY : O_NONBLOCK);
    int next = openat (fd, *parts, flags), saved = errno;
    close (fd);
    errno = saved;
    fd = next;
  }
  return fd;
}

GBytes *
lm_tree_read (const char *path, const char *name, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);
  g_autofree char *file = g_build_filename (path, name, NULL);
  int fd;

  g_return_val_if_fail (lm_profile_name_fault (name) == NULL, NULL);
  fd = open_beneath (path, parts);
  return lm_map_fd (fd, file, error);
}
