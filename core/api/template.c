/* SPDX-License-Identifier: Apache-2.0 */
/* Model templates: folders below <data>/templates that are copied, with the data files that their
 * inputs name. <data>: each folder of $LAMINA_DATA_DIR, then the installed one. */
#include "core/api/private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

static char **
data_folders (void)
{
  const char *given = g_getenv ("LAMINA_DATA_DIR");
  g_autofree char *all = g_strconcat (given != NULL ? given : "", ":", LM_DATA_DIR, NULL);
  return g_strsplit (all, ":", -1);
}

/* First <data>/part that is there, or NULL. */
static char *
find_data (const char *part)
{
  g_auto (GStrv) folders = data_folders ();
  for (guint i = 0; folders[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folders[i], part, NULL);
    if (*folders[i] != '\0' && g_file_test (path, G_FILE_TEST_EXISTS))
      return g_steal_pointer (&path);
  }
  return NULL;
}

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

char **
lamina_templates (void)
{
  g_auto (GStrv) folders = data_folders ();
  GPtrArray *names = g_ptr_array_new ();
  for (guint i = 0; folders[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folders[i], "templates", NULL);
    g_autoptr (GDir) dir = *folders[i] != '\0' ? g_dir_open (path, 0, NULL) : NULL;
    for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
      g_autofree char *config = g_build_filename (path, name, "model.json", NULL);
      if (g_file_test (config, G_FILE_TEST_EXISTS)
          && !g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, g_strdup (name));
    }
  }
  g_ptr_array_sort (names, by_text);
  g_ptr_array_add (names, NULL);
  return (char **)g_ptr_array_free (names, FALSE);
}

static char *
find_template (const char *name, GError **error)
{
  g_auto (GStrv) known = lamina_templates ();
  g_autofree char *part = g_build_filename ("templates", name, NULL);
  if (g_strv_contains ((const char *const *)known, name))
    return find_data (part);
  g_autofree char *list = g_strjoinv (", ", known);
  g_autoptr (GString) message = g_string_new (NULL);
  g_string_printf (message, "no template \"%s\"; there is: %s", name,
                   *list != '\0' ? list : "none (is Lamina installed whole?)");
  lm_append_did_you_mean (message, name, (const char *const *)known);
  g_set_error_literal (error, LM_ERROR, LM_ERROR_NOT_FOUND, message->str);
  return NULL;
}

/* --- copying -------------------------------------------------------------------------------------- */

static bool
make_folder (const char *path, GError **error)
{
  if (g_mkdir_with_parents (path, 0777) == 0)
    return true;
  g_set_error (error, LM_ERROR, LM_ERROR_IO, "cannot make the folder %s: %s", path,
               g_strerror (errno));
  return false;
}

static bool
copy_file (const char *from, const char *to, GError **error)
{
  g_autofree char *data = NULL, *folder = g_path_get_dirname (to);
  g_autoptr (GError) why = NULL;
  gsize n;
  if (!make_folder (folder, error))
    return false;
  if (g_file_get_contents (from, &data, &n, &why)
      && g_file_set_contents_full (to, data, (gssize)n, G_FILE_SET_CONTENTS_CONSISTENT, 0666, &why))
    return true;
  g_set_error_literal (error, LM_ERROR, LM_ERROR_IO, why->message);
  return false;
}

/* All plain files of a template; folders in it are not used. */
static bool
copy_template (const char *from, const char *to, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autoptr (GDir) dir = g_dir_open (from, 0, &why);
  if (dir == NULL) {
    g_set_error_literal (error, LM_ERROR, LM_ERROR_IO, why->message);
    return false;
  }
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *source = g_build_filename (from, name, NULL);
    g_autofree char *goal = g_build_filename (to, name, NULL);
    if (g_file_test (source, G_FILE_TEST_IS_REGULAR) && !copy_file (source, goal, error))
      return false;
  }
  return true;
}

/* The file that one input names, when the template itself does not have it. */
static bool
copy_data (JsonNode *input, const char *to, GError **error)
{
  const char *file =
      JSON_NODE_HOLDS_OBJECT (input)
          ? json_object_get_string_member_with_default (json_node_get_object (input), "file", NULL)
          : NULL;
  g_autofree char *goal = file != NULL ? g_build_filename (to, file, NULL) : NULL;
  if (file == NULL || g_file_test (goal, G_FILE_TEST_EXISTS))
    return true;
  g_autofree char *source = find_data (file);
  if (source != NULL)
    return copy_file (source, goal, error);
  g_set_error (error, LM_ERROR, LM_ERROR_NOT_FOUND,
               "the template's data file %s is not in %s; is Lamina installed whole?", file,
               LM_DATA_DIR);
  return false;
}

static bool
copy_all (const char *from, const char *to, GError **error)
{
  if (!copy_template (from, to, error))
    return false;
  g_autoptr (LmArchive) archive = lm_archive_open (to, error);
  g_autoptr (JsonObject) config = archive != NULL ? lm_config_open (archive, error) : NULL;
  if (config == NULL)
    return false;
  JsonNode *inputs = json_object_get_member (config, "inputs");
  if (inputs == NULL || !JSON_NODE_HOLDS_OBJECT (inputs))
    return true;
  JsonObjectIter iter;
  const char *name;
  JsonNode *input;
  json_object_iter_init (&iter, json_node_get_object (inputs));
  while (json_object_iter_next (&iter, &name, &input))
    if (!copy_data (input, to, error))
      return false;
  return true;
}

/* Removes what a failed copy left. */
static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *child = g_build_filename (path, name, NULL);
    if (g_file_test (child, G_FILE_TEST_IS_DIR) && !g_file_test (child, G_FILE_TEST_IS_SYMLINK))
      remove_tree (child);
    else
      g_unlink (child);
  }
  g_rmdir (path);
}

/* Made aside and renamed: a folder is there whole or not at all. */
gboolean
lamina_template_create (const char *name, const char *goal, GError **error)
{
  g_autofree char *path = g_canonicalize_filename (goal, NULL); /* no slash at the end */
  g_autofree char *from = find_template (name, error);
  g_autofree char *aside = g_strdup_printf ("%s.new-XXXXXX", path);
  g_autofree char *folder = g_path_get_dirname (path);
  if (from == NULL)
    return FALSE;
  if (g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s exists already; choose another name", path);
    return FALSE;
  }
  if (!make_folder (folder, error))
    return FALSE;
  if (g_mkdtemp_full (aside, 0755) == NULL) {
    g_set_error (error, LM_ERROR, LM_ERROR_IO, "cannot make a folder beside %s: %s", path,
                 g_strerror (errno));
    return FALSE;
  }
  if (copy_all (from, aside, error)) {
    if (g_rename (aside, path) == 0)
      return TRUE;
    g_set_error (error, LM_ERROR, LM_ERROR_IO, "cannot make %s: %s", path, g_strerror (errno));
  }
  remove_tree (aside);
  return FALSE;
}
