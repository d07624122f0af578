/* SPDX-License-Identifier: Apache-2.0 */
/* The list of trusted code: one small file a digest, named by it. */
#include "core/archive/trust.h"

#include "core/archive/file.h"
#include "core/archive/profile.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *
list_path (void)
{
  const char *config = g_getenv ("XDG_CONFIG_HOME");

  if (config != NULL && g_path_is_absolute (config))
    return g_build_filename (config, "lamina", "trusted.d", NULL);
  return g_build_filename (g_get_home_dir (), ".config", "lamina", "trusted.d", NULL);
}

static char *
entry_path (const char *sha256)
{
  g_autofree char *list = list_path ();

  return g_build_filename (list, sha256, NULL);
}

/* A list or an entry that others can write says nothing. */
static bool
is_ours (const char *path, mode_t type)
{
  struct stat st;

  return g_lstat (path, &st) == 0 && (st.st_mode & S_IFMT) == type && st.st_uid == geteuid ()
         && (st.st_mode & 022) == 0;
}

bool
lm_trust_has (const char *sha256)
{
  g_autofree char *list = list_path (), *path = NULL;

  if (!lm_profile_sha256_ok (sha256))
    return false;
  path = entry_path (sha256);
  return is_ours (list, S_IFDIR) && is_ours (path, S_IFREG);
}

static bool
check_sha256 (const char *sha256, GError **error)
{
  if (lm_profile_sha256_ok (sha256))
    return true;
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
               "\"%s\" is not a sha256: wanted 64 lower-case hexadecimal digits", sha256);
  return false;
}

bool
lm_trust_add (const char *sha256, const char *note, GError **error)
{
  g_autofree char *list = list_path (), *path = NULL, *text = NULL;
  LmNewFile file;

  if (!check_sha256 (sha256, error))
    return false;
  path = entry_path (sha256);
  if (g_mkdir_with_parents (list, 0700) != 0) {
    g_set_error (error, LM_ERROR, LM_ERROR_IO, "cannot make %s: %s", list, g_strerror (errno));
    return false;
  }
  if (!is_ours (list, S_IFDIR)) {
    g_set_error (
        error, LM_ERROR, LM_ERROR_DENIED,
        "%s is not a folder of yours alone, so nothing in it is believed; run: chmod go-w %s", list,
        list);
    return false;
  }
  text = g_strdup_printf ("%s\n", note != NULL ? note : "");
  if (!lm_new_file_open (&file, path, 0600, error))
    return false;
  if (!lm_new_file_write (&file, text, strlen (text), error)) {
    lm_new_file_abandon (&file);
    return false;
  }
  return lm_new_file_commit (&file, error);
}

bool
lm_trust_remove (const char *sha256, GError **error)
{
  g_autofree char *path = NULL;

  if (!check_sha256 (sha256, error))
    return false;
  path = entry_path (sha256);
  if (g_unlink (path) == 0)
    return true;
  g_set_error (error, LM_ERROR, errno == ENOENT ? LM_ERROR_NOT_FOUND : LM_ERROR_IO,
               "cannot remove %s from the trusted files: %s", sha256,
               errno == ENOENT ? "it is not among them; see lamina trust --list"
                               : g_strerror (errno));
  return false;
}

static int
compare_lines (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *
lm_trust_list (GError **error)
{
  g_autofree char *list = list_path ();
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) cause = NULL;
  GDir *dir = g_dir_open (list, 0, &cause);

  if (dir == NULL && !g_error_matches (cause, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
    g_set_error (error, LM_ERROR, LM_ERROR_IO, "cannot read the trusted files: %s", cause->message);
    g_ptr_array_unref (lines);
    return NULL;
  }
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *path = g_build_filename (list, name, NULL), *note = NULL;
    if (!lm_trust_has (name) || !g_file_get_contents (path, &note, NULL, NULL))
      continue;
    g_ptr_array_add (lines, g_strdup_printf ("%s  %s", name, g_strchomp (note)));
  }
  g_clear_pointer (&dir, g_dir_close);
  g_ptr_array_sort (lines, compare_lines);
  return lines;
}

bool
lm_trust_check (const LmArchive *archive, GError **error)
{
  return lm_trust_check_plugins (lm_archive_path (archive), lm_archive_plugins (archive), error);
}

bool
lm_trust_check_plugins (const char *path, const GPtrArray *plugins, GError **error)
{
  g_autoptr (GString) lines = g_string_new (NULL);
  g_autofree char *quoted = NULL;

  for (guint i = 0; i < plugins->len; i++) {
    const LmArchivePlugin *plugin = plugins->pdata[i];
    g_autofree char *provides = g_strjoinv (", ", plugin->provides);
    if (plugin->here && !lm_trust_has (plugin->sha256))
      g_string_append_printf (lines, "\n  %s %s (%s)\n    %s\n    sha256 %s", plugin->id,
                              plugin->version, provides, plugin->file, plugin->sha256);
  }
  if (lines->len == 0)
    return true;
  quoted =
      strpbrk (path, " \t'\"\\$`&;()<>*?|!#~") != NULL ? g_shell_quote (path) : g_strdup (path);
  g_set_error (
      error, LM_ERROR, LM_ERROR_DENIED,
      "%s brings code that you have not trusted yet; it would run with all your rights:%s\n"
      "run: lamina trust %s",
      path, lines->str, quoted);
  return false;
}
