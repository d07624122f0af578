/* SPDX-License-Identifier: Apache-2.0 */
/* Finding, registering and carrying over the code of an archive or project. */
#include "core/program/code.h"

#include "core/archive/file.h"
#include "core/archive/trust.h"
#include "core/plugin/elf.h"
#include <string.h>

static LmArchivePlugin *
plugin_copy (const LmArchivePlugin *p)
{
  LmArchivePlugin *copy = g_new0 (LmArchivePlugin, 1);
  *copy = (LmArchivePlugin) {g_strdup (p->id),
                             g_strdup (p->version),
                             g_strdup (p->platform),
                             g_strdup (p->file),
                             g_strdup (p->sha256),
                             g_strdupv (p->provides),
                             p->here};
  return copy;
}

/* "plugins/<platform>/<name>.so" -> platform, else NULL. */
static char *
platform_of (const char *member)
{
  g_auto (GStrv) parts = g_strsplit (member, "/", -1);
  bool plugin = g_strv_length (parts) == 3 && strcmp (parts[0], "plugins") == 0
                && g_str_has_suffix (parts[2], ".so");
  return plugin ? g_strdup (parts[1]) : NULL;
}

static char **
provides_of (const LmElfNotes *notes)
{
  GPtrArray *out = g_ptr_array_new ();
  for (guint i = 0; notes != NULL && i < notes->provides->len; i++) {
    const LmPluginProvides *p = notes->provides->pdata[i];
    g_ptr_array_add (out, g_strdup_printf ("%s:%s@%u", p->kind, p->id, p->revision));
  }
  g_ptr_array_add (out, NULL);
  return (char **)g_ptr_array_free (out, FALSE);
}

/* Notes of another machine's file cannot be read here: it is listed by its name alone. */
static LmArchivePlugin *
describe_file (LmArchive *archive, const char *member, const char *platform, GError **error)
{
  g_autoptr (GBytes) bytes = lm_archive_read (archive, member, error);
  if (bytes == NULL)
    return NULL;
  bool here = strcmp (platform, lm_platform ()) == 0, not_plugin = false;
  g_autofree char *where = g_strdup_printf ("%s/%s", lm_archive_path (archive), member);
  gsize n;
  const void *data = g_bytes_get_data (bytes, &n);
  LmElfNotes *notes = here ? lm_elf_read_bytes (data, n, where, &not_plugin, error) : NULL;
  if (not_plugin)
    g_set_error (error, LM_ERROR, LM_ERROR_PLUGIN,
                 "%s: a shared object, but no Lamina plugin (it has no " LAM_ENTRY_SYMBOL
                 "); remove it, or build it with LAM_PLUGIN",
                 where);
  if (here && notes == NULL)
    return NULL;
  LmArchivePlugin *plugin = g_new0 (LmArchivePlugin, 1);
  *plugin = (LmArchivePlugin) {.id = notes != NULL ? g_strdup (notes->plugin_id)
                                                   : g_path_get_basename (member),
                               .version = g_strdup (notes != NULL ? notes->version : "?"),
                               .platform = g_strdup (platform),
                               .file = g_strdup (member),
                               .sha256 = lm_sha256 (bytes),
                               .provides = provides_of (notes),
                               .here = here};
  if (notes != NULL)
    lm_elf_notes_free (notes);
  return plugin;
}

GPtrArray *
lm_code_list (LmArchive *archive, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (lm_archive_plugin_free);
  if (lm_archive_manifest (archive) != NULL) {
    const GPtrArray *described = lm_archive_plugins (archive);
    for (guint i = 0; i < described->len; i++)
      g_ptr_array_add (list, plugin_copy (described->pdata[i]));
    return g_steal_pointer (&list);
  }
  for (const char *const *m = lm_archive_members (archive); *m != NULL; m++) {
    g_autofree char *platform = platform_of (*m);
    LmArchivePlugin *plugin =
        platform != NULL ? describe_file (archive, *m, platform, error) : NULL;
    if (plugin != NULL)
      g_ptr_array_add (list, plugin);
    else if (platform != NULL)
      return NULL;
  }
  return g_steal_pointer (&list);
}

bool
lm_code_register (LmArchive *archive, LmRegistry *registry, GError **error)
{
  g_autoptr (GPtrArray) list = lm_code_list (archive, error);
  if (list == NULL || !lm_trust_check_plugins (lm_archive_path (archive), list, error))
    return false;
  for (guint i = 0; i < list->len; i++) {
    const LmArchivePlugin *plugin = list->pdata[i];
    if (!plugin->here)
      continue;
    g_autofree char *path = lm_archive_extract_plugin (archive, plugin, error);
    if (path == NULL || !lm_registry_add_file (registry, path, lm_archive_path (archive), error))
      return false;
  }
  return true;
}

/* --- revisions ----------------------------------------------------------------------------------- */

/* "kind:id@revision" against the registry's notes, without loading: a line when it is too old. */
static void
check_required (LmRegistry *registry, const char *text, GString *report)
{
  const char *colon = strchr (text, ':'), *at = strrchr (text, '@');
  if (colon == NULL || at == NULL || at < colon)
    return;
  g_autofree char *kind = g_strndup (text, (gsize)(colon - text));
  g_autofree char *id = g_strndup (colon + 1, (gsize)(at - colon - 1));
  guint64 wanted = g_ascii_strtoull (at + 1, NULL, 10);
  const GPtrArray *plugins = lm_registry_plugins (registry);
  for (guint i = 0; i < plugins->len; i++) {
    const LmPluginInfo *info = plugins->pdata[i];
    for (guint k = 0; info->refused == NULL && !info->shadowed && k < info->provides->len; k++) {
      const LmPluginProvides *p = info->provides->pdata[k];
      if (strcmp (p->kind, kind) == 0 && strcmp (p->id, id) == 0) {
        if (p->revision < wanted)
          g_string_append_printf (
              report, "\n  %s: wanted revision %" G_GUINT64_FORMAT ", got %u from %s %s (%s)", id,
              wanted, p->revision, info->id, info->version, info->path);
        return; /* the first one is the one that is used */
      }
    }
  }
}

/* The strings of manifest.requires.plugins[].provides. */
static void
check_entry (LmRegistry *registry, JsonNode *entry, GString *report)
{
  JsonNode *node = JSON_NODE_HOLDS_OBJECT (entry)
                       ? json_object_get_member (json_node_get_object (entry), "provides")
                       : NULL;
  JsonArray *list =
      node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++) {
    JsonNode *text = json_array_get_element (list, i);
    if (JSON_NODE_HOLDS_VALUE (text) && json_node_get_value_type (text) == G_TYPE_STRING)
      check_required (registry, json_node_get_string (text), report);
  }
}

bool
lm_code_check_requires (LmArchive *archive, LmRegistry *registry, GError **error)
{
  JsonObject *manifest = lm_archive_manifest (archive);
  JsonNode *requires = manifest != NULL ? json_object_get_member (manifest, "requires") : NULL;
  JsonNode *plugins = requires != NULL && JSON_NODE_HOLDS_OBJECT (requires)
                          ? json_object_get_member (json_node_get_object (requires), "plugins")
                          : NULL;
  JsonArray *list =
      plugins != NULL && JSON_NODE_HOLDS_ARRAY (plugins) ? json_node_get_array (plugins) : NULL;
  g_autoptr (GString) report = g_string_new (NULL);
  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    check_entry (registry, json_array_get_element (list, i), report);
  if (report->len == 0)
    return true;
  g_set_error (error, LM_ERROR, LM_ERROR_PLUGIN,
               "%s was made with newer plugins than there are here:%s\n  install newer ones",
               lm_archive_path (archive), report->str);
  return false;
}

/* --- carrying over ------------------------------------------------------------------------------- */

/* The manifest's own entry of a plugin file, else one made of what its notes say. */
static JsonObject *
description (LmArchive *archive, const LmArchivePlugin *plugin)
{
  JsonObject *manifest = lm_archive_manifest (archive);
  JsonArray *entries = manifest != NULL ? json_object_get_array_member (manifest, "plugins") : NULL;
  for (guint i = 0; entries != NULL && i < json_array_get_length (entries); i++) {
    JsonObject *entry = json_array_get_object_element (entries, i);
    if (g_strcmp0 (json_object_get_string_member_with_default (entry, "file", NULL), plugin->file)
        == 0)
      return json_object_ref (entry);
  }
  JsonObject *object = json_object_new ();
  JsonArray *provides = json_array_new ();
  for (guint i = 0; plugin->provides[i] != NULL; i++)
    json_array_add_string_element (provides, plugin->provides[i]);
  json_object_set_string_member (object, "id", plugin->id);
  json_object_set_string_member (object, "version", plugin->version);
  json_object_set_array_member (object, "provides", provides);
  return object;
}

static bool
carry_plugins (LmArchive *archive, LmArchiveWriter *writer, GError **error)
{
  g_autoptr (GPtrArray) list = lm_code_list (archive, error);
  for (guint i = 0; list != NULL && i < list->len; i++) {
    const LmArchivePlugin *plugin = list->pdata[i];
    g_autoptr (JsonObject) entry = description (archive, plugin);
    g_autofree char *path = lm_archive_extract_plugin (archive, plugin, error);
    if (path == NULL)
      return false;
    lm_archive_writer_add_plugin (writer, path, plugin->platform, entry);
  }
  return list != NULL;
}

static bool
is_carried (const char *name, bool project)
{
  static const char *const own[] = {"manifest.json", "config/model.json", "model.json",
                                    "manifest.json.minisig"};
  static const char *const folders[] = {"weights/", "state/", "plugins/", "compiled/"};
  if (project)
    return g_str_has_prefix (name, "assets/") || strcmp (name, "README.md") == 0
           || strcmp (name, "LICENSE") == 0;
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    if (strcmp (name, own[i]) == 0)
      return false;
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    if (g_str_has_prefix (name, folders[i]))
      return false;
  return true;
}

bool
lm_carry_members (LmArchive *archive, GHashTable *except, LmArchiveWriter *writer, GError **error)
{
  JsonObject *manifest = lm_archive_manifest (archive);
  for (const char *const *m = lm_archive_members (archive); *m != NULL; m++) {
    bool taken = except != NULL && g_hash_table_contains (except, *m);
    if (taken || !is_carried (*m, manifest == NULL))
      continue;
    g_autoptr (GBytes) bytes = lm_archive_read (archive, *m, error);
    if (bytes == NULL)
      return false;
    lm_archive_writer_add (writer, *m, bytes);
  }
  if (manifest != NULL && json_object_has_member (manifest, "backend"))
    lm_archive_writer_set (writer, "backend", json_object_get_member (manifest, "backend"));
  return carry_plugins (archive, writer, error);
}
