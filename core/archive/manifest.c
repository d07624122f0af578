/* SPDX-License-Identifier: Apache-2.0 */
/* The manifest against the members: every file listed once with its size, every plugin described. */
#include "core/archive/profile.h"

#include <string.h>

typedef struct Check {
  GHashTable *members; /* name -> LmMember*, borrowed */
  GPtrArray *plugins;
  const char *where;
  GError **error;
} Check;

static bool G_GNUC_PRINTF (2, 3) fail (Check *c, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (c->error, LM_ERROR, LM_ERROR_CORRUPT, "%s: " LM_MANIFEST ": %s", c->where, message);
  return false;
}

/* A member that is a string, or NULL. */
static const char *
text_of (JsonObject *object, const char *key)
{
  JsonNode *node = json_object_get_member (object, key);

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node)
      || json_node_get_value_type (node) != G_TYPE_STRING)
    return NULL;
  return json_node_get_string (node);
}

/* Texts of a manifest are shown to people who decide about trust: a control byte could forge lines. */
static bool
check_printable (Check *c, const char *text)
{
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    if (g_unichar_iscntrl (g_utf8_get_char (p)))
      return fail (c, "a text holds the control character U+%04X", g_utf8_get_char (p));
  return true;
}

/* Every key and text: printable; keys with "!" must be understood, and this version knows none. */
static bool
check_texts (Check *c, JsonNode *node)
{
  if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING)
    return check_printable (c, json_node_get_string (node));
  if (JSON_NODE_HOLDS_ARRAY (node)) {
    JsonArray *array = json_node_get_array (node);
    for (guint i = 0; i < json_array_get_length (array); i++)
      if (!check_texts (c, json_array_get_element (array, i)))
        return false;
  } else if (JSON_NODE_HOLDS_OBJECT (node)) {
    JsonObjectIter iter;
    const char *key;
    JsonNode *value;
    json_object_iter_init (&iter, json_node_get_object (node));
    while (json_object_iter_next (&iter, &key, &value)) {
      if (!check_printable (c, key))
        return false;
      if (key[0] == '!') {
        g_set_error (c->error, LM_ERROR, LM_ERROR_UNSUPPORTED,
                     "%s: " LM_MANIFEST
                     ": the key \"%s\" must be understood, and this version does "
                     "not know it; update Lamina",
                     c->where, key);
        return false;
      }
      if (!check_texts (c, value))
        return false;
    }
  }
  return true;
}

static bool
check_format (Check *c, JsonObject *manifest)
{
  const char *format = text_of (manifest, "format"), *reader = text_of (manifest, "min_reader");
  g_auto (GStrv) parts = g_strsplit (reader != NULL ? reader : "", ".", 2);
  guint64 major = 0, minor = 0;

  if (format == NULL || strcmp (format, LM_FORMAT) != 0)
    return fail (c, "format: wanted \"" LM_FORMAT "\", got \"%s\"", format ? format : "nothing");
  if (g_strv_length (parts) != 2
      || !g_ascii_string_to_unsigned (parts[0], 10, 0, G_MAXUINT16, &major, NULL)
      || !g_ascii_string_to_unsigned (parts[1], 10, 0, G_MAXUINT16, &minor, NULL))
    return fail (c, "min_reader: wanted \"1.0\", got \"%s\"", reader != NULL ? reader : "nothing");
  if (major == LM_READER_MAJOR && minor <= LM_READER_MINOR)
    return true;
  g_set_error (c->error, LM_ERROR, LM_ERROR_UNSUPPORTED,
               "%s: it needs a reader of version %s, this is %u.%u; update Lamina", c->where,
               reader, LM_READER_MAJOR, LM_READER_MINOR);
  return false;
}

static bool
check_file (Check *c, JsonNode *node, guint i)
{
  JsonObject *file = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *path = file != NULL ? text_of (file, "path") : NULL;
  const char *sha256 = file != NULL ? text_of (file, "sha256") : NULL;
  JsonNode *size = file != NULL ? json_object_get_member (file, "size") : NULL;
  LmMember *member;

  if (path == NULL || sha256 == NULL || !lm_profile_sha256_ok (sha256) || size == NULL
      || !JSON_NODE_HOLDS_VALUE (size) || json_node_get_value_type (size) != G_TYPE_INT64)
    return fail (c, "files[%u]: wanted path, size and sha256", i);
  member = g_hash_table_lookup (c->members, path);
  if (member == NULL || strcmp (path, LM_MANIFEST) == 0 || strcmp (path, LM_SIGNATURE) == 0)
    return fail (c, "files[%u]: \"%s\" is listed but not there", i, path);
  if (member->sha256 != NULL)
    return fail (c, "files[%u]: \"%s\" is listed twice", i, path);
  if (json_node_get_int (size) < 0 || (uint64_t)json_node_get_int (size) != member->size)
    return fail (c,
                 "files[%u]: \"%s\" has %" G_GUINT64_FORMAT " bytes, the manifest says "
                 "%" G_GINT64_FORMAT "; is the download complete?",
                 i, path, member->size, json_node_get_int (size));
  member->sha256 = g_strdup (sha256);
  return true;
}

static bool
check_files (Check *c, JsonObject *manifest, const GPtrArray *members)
{
  JsonNode *node = json_object_get_member (manifest, "files");
  JsonArray *files =
      node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  if (files == NULL)
    return fail (c, "files: wanted a list");
  for (guint i = 0; i < json_array_get_length (files); i++)
    if (!check_file (c, json_array_get_element (files, i), i))
      return false;
  for (guint i = 0; i < members->len; i++) {
    const LmMember *member = members->pdata[i];
    if (member->sha256 == NULL && strcmp (member->name, LM_MANIFEST) != 0
        && strcmp (member->name, LM_SIGNATURE) != 0)
      return fail (c, "\"%s\" is there but not listed", member->name);
  }
  return true;
}

void
lm_archive_plugin_free (gpointer data)
{
  LmArchivePlugin *plugin = data;

  g_free (plugin->id);
  g_free (plugin->version);
  g_free (plugin->platform);
  g_free (plugin->file);
  g_free (plugin->sha256);
  g_strfreev (plugin->provides);
  g_free (plugin);
}

/* A list of strings; NULL when it is something else. Absent: the empty list. */
static char **
read_texts (JsonObject *object, const char *key)
{
  JsonNode *node = json_object_get_member (object, key);
  GPtrArray *texts;
  JsonArray *array;

  if (node == NULL)
    return g_new0 (char *, 1);
  if (!JSON_NODE_HOLDS_ARRAY (node))
    return NULL;
  array = json_node_get_array (node);
  texts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    JsonNode *element = json_array_get_element (array, i);
    if (!JSON_NODE_HOLDS_VALUE (element) || json_node_get_value_type (element) != G_TYPE_STRING) {
      g_ptr_array_unref (texts);
      return NULL;
    }
    g_ptr_array_add (texts, g_strdup (json_node_get_string (element)));
  }
  g_ptr_array_add (texts, NULL);
  return (char **)g_ptr_array_free (texts, FALSE);
}

static bool
check_plugin (Check *c, JsonNode *node, guint i)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *id = object != NULL ? text_of (object, "id") : NULL;
  const char *version = object != NULL ? text_of (object, "version") : NULL;
  const char *platform = object != NULL ? text_of (object, "platform") : NULL;
  const char *file = object != NULL ? text_of (object, "file") : NULL;
  const char *sha256 = object != NULL ? text_of (object, "sha256") : NULL;
  const LmMember *member = file != NULL ? g_hash_table_lookup (c->members, file) : NULL;
  char **provides = object != NULL ? read_texts (object, "provides") : NULL;
  LmArchivePlugin *plugin = g_new0 (LmArchivePlugin, 1);

  g_ptr_array_add (c->plugins, plugin);
  plugin->provides = provides;
  if (id == NULL || version == NULL || platform == NULL || file == NULL || provides == NULL)
    return fail (c, "plugins[%u]: wanted id, version, platform, file and provides", i);
  if (member == NULL || !g_str_has_prefix (file, "plugins/") || member->sha256 == NULL)
    return fail (c, "plugins[%u]: \"%s\" is not a member below plugins/", i, file);
  if (sha256 != NULL && strcmp (sha256, member->sha256) != 0)
    return fail (c, "plugins[%u]: the sha256 of \"%s\" differs from the one in files", i, file);
  if (member->size > LM_MAX_CODE)
    return fail (c, "plugins[%u]: \"%s\" has more than 256 MiB", i, file);
  plugin->id = g_strdup (id);
  plugin->version = g_strdup (version);
  plugin->platform = g_strdup (platform);
  plugin->file = g_strdup (file);
  plugin->sha256 = g_strdup (member->sha256);
  plugin->here = strcmp (platform, lm_platform ()) == 0;
  return true;
}

static bool
check_plugins (Check *c, JsonObject *manifest)
{
  JsonNode *node = json_object_get_member (manifest, "plugins");
  JsonArray *plugins;

  if (node == NULL)
    return true;
  if (!JSON_NODE_HOLDS_ARRAY (node))
    return fail (c, "plugins: wanted a list");
  plugins = json_node_get_array (node);
  if (json_array_get_length (plugins) > LM_MAX_CODE_FILES)
    return fail (c, "plugins: more than %u", LM_MAX_CODE_FILES);
  for (guint i = 0; i < json_array_get_length (plugins); i++)
    if (!check_plugin (c, json_array_get_element (plugins, i), i))
      return false;
  return true;
}

GPtrArray *
lm_manifest_check (JsonObject *manifest, const GPtrArray *members, const char *where,
                   GError **error)
{
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) plugins = g_ptr_array_new_with_free_func (lm_archive_plugin_free);
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  Check c = {by_name, plugins, where, error};

  for (guint i = 0; i < members->len; i++)
    g_hash_table_insert (by_name, ((LmMember *)members->pdata[i])->name, members->pdata[i]);
  json_node_set_object (node, manifest);
  if (!check_texts (&c, node) || !check_format (&c, manifest)
      || !check_files (&c, manifest, members) || !check_plugins (&c, manifest))
    return NULL;
  return g_steal_pointer (&plugins);
}
