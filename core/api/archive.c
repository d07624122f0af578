/* SPDX-License-Identifier: Apache-2.0 */
/* Archives as files: packing, unpacking, and trust in their code. */
#include "core/api/private.h"

#include "core/archive/trust.h"
#include <string.h>

static bool
check_new (const char *path, const char *advice, GError **error)
{
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return true;
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s exists already; %s", path, advice);
  return false;
}

/* --- pack and unpack ------------------------------------------------------------------------------ */

/* Of a project: not what describes it, not other archives that lie in it. */
static bool
is_project_file (const char *name)
{
  return strcmp (name, "config/model.json") != 0 && strcmp (name, "model.json") != 0
         && !g_str_has_prefix (name, "plugins/") && !g_str_has_suffix (name, ".lam");
}

static bool
add_config (LmArchive *archive, LmArchiveWriter *writer, GError **error)
{
  const char *name =
      lm_archive_has (archive, "config/model.json") ? "config/model.json" : "model.json";
  g_autoptr (JsonObject) config = lm_config_open (archive, error);
  g_autoptr (GBytes) bytes = config != NULL ? lm_archive_read (archive, name, error) : NULL;
  if (bytes == NULL)
    return false;
  lm_archive_writer_add (writer, "config/model.json", bytes);
  JsonNode *title = json_object_get_member (config, "name");
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *model = json_object_new ();
  if (title != NULL)
    json_object_set_member (model, "name", json_node_copy (title));
  json_node_take_object (node, model);
  lm_archive_writer_set (writer, "model", node);
  return true;
}

static bool
pack_project (LmArchive *archive, const char *path, GError **error)
{
  g_autoptr (LmArchiveWriter) writer = lm_archive_writer_new ();
  g_autoptr (GHashTable) added = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (!add_config (archive, writer, error))
    return false;
  for (const char *const *m = lm_archive_members (archive); *m != NULL; m++) {
    if (!is_project_file (*m))
      continue;
    g_autoptr (GBytes) bytes = lm_archive_read (archive, *m, error);
    if (bytes == NULL)
      return false;
    lm_archive_writer_add (writer, *m, bytes);
    g_hash_table_add (added, g_strdup (*m));
  }
  return lm_carry_members (archive, added, writer, error)
         && lm_archive_writer_finish (writer, path, false, error);
}

gboolean
lamina_archive_pack (const char *directory, const char *path, gboolean force, GError **error)
{
  if (!g_file_test (directory, G_FILE_TEST_IS_DIR)) {
    g_set_error (error, LM_ERROR, LM_ERROR_NOT_FOUND, "%s: no such folder to pack", directory);
    return FALSE;
  }
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    force = FALSE;
  if (!force && !check_new (path, "choose another name or overwrite it by force", error))
    return FALSE;
  g_autoptr (LmArchive) archive = lm_archive_open (directory, error);
  if (archive == NULL)
    return FALSE;
  return lm_archive_manifest (archive) != NULL ? lm_archive_convert (archive, path, false, error)
                                               : pack_project (archive, path, error);
}

gboolean
lamina_archive_unpack (const char *path, const char *directory, GError **error)
{
  if (!check_new (directory, "choose another name", error))
    return FALSE;
  g_autoptr (LmArchive) archive = lm_archive_open (path, error);
  return archive != NULL && lm_archive_convert (archive, directory, true, error);
}

/* --- trust ---------------------------------------------------------------------------------------- */

char *
lamina_archive_list_code (const char *path, GError **error)
{
  g_autoptr (LmArchive) archive = lm_archive_open (path, error);
  g_autoptr (GPtrArray) list = archive != NULL ? lm_code_list (archive, error) : NULL;
  if (list == NULL)
    return NULL;
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < list->len; i++) {
    const LmArchivePlugin *p = list->pdata[i];
    if (p->here)
      g_string_append_printf (out, "%s  %s  %s%s\n", p->sha256, p->id, p->file,
                              lm_trust_has (p->sha256) ? "  (trusted)" : "");
  }
  return g_string_free (out, FALSE);
}

gboolean
lamina_archive_trust (const char *path, GError **error)
{
  g_autoptr (LmArchive) archive = lm_archive_open (path, error);
  g_autoptr (GPtrArray) list = archive != NULL ? lm_code_list (archive, error) : NULL;
  for (guint i = 0; list != NULL && i < list->len; i++) {
    const LmArchivePlugin *p = list->pdata[i];
    g_autofree char *note = g_strdup_printf ("%s %s (%s)", p->id, p->version, path);
    if (!p->here)
      continue;
    /* The digest is that of the bytes, not what a manifest claims: reading checks it. */
    g_autoptr (GBytes) bytes = lm_archive_read (archive, p->file, error);
    if (bytes == NULL || !lm_trust_add (p->sha256, note, error))
      return FALSE;
  }
  return list != NULL;
}

char *
lamina_trust_list (GError **error)
{
  g_autoptr (GPtrArray) lines = lm_trust_list (error);
  if (lines == NULL)
    return NULL;
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < lines->len; i++)
    g_string_append_printf (out, "%s\n", (const char *)lines->pdata[i]);
  return g_string_free (out, FALSE);
}

gboolean
lamina_trust_remove (const char *sha256, GError **error)
{
  return lm_trust_remove (sha256, error);
}
