/* SPDX-License-Identifier: Apache-2.0 */
/* Files written aside: temporary beside the goal, fsync, rename, fsync of the folder. A reader sees
 * the old file or the new one. */
#ifndef LM_ARCHIVE_FILE_H
#define LM_ARCHIVE_FILE_H

#include "core/base/error.h"

typedef struct LmNewFile {
  char *path, *temporary;
  int fd;
} LmNewFile;

/* mode is subject to the umask. Removes what killed writers of the same path left behind. After a success exactly one of commit and abandon follows. */
bool lm_new_file_open (LmNewFile *file, const char *path, int mode, GError **error);
bool lm_new_file_write (LmNewFile *file, const void *data, gsize n, GError **error);
bool lm_new_file_commit (LmNewFile *file, GError **error);
void lm_new_file_abandon (LmNewFile *file);

/* What path stands for when it is written: a link's goal. Only a new or a regular file will do; *mode
 * becomes the permissions of one that is replaced. */
char *lm_file_goal (const char *path, int *mode, GError **error);

/* A name beside path for what is written aside, "PATH.01234abc.tmp"; whether a name is such a one. */
char *lm_temporary_name (const char *path);
bool lm_is_temporary_name (const char *name);

/* fsync of a folder, so that a rename in it lasts. */
bool lm_sync_folder (const char *path, GError **error);

/* Maps a regular file read-only; follow: the last step of path may be a link. Code NOT_FOUND or IO. */
GBytes *lm_map_file (const char *path, bool follow, GError **error);

/* The same of an open file, which it closes; fd -1: errno says why it could not be opened. */
GBytes *lm_map_fd (int fd, const char *path, GError **error);

/* sha256 in lower-case hex. */
char *lm_sha256 (GBytes *bytes);

#endif
