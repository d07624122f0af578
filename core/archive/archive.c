/* SPDX-License-Identifier: Apache-2.0 */
/* An opened archive: its members, manifest, config and tensors. */
#include "core/archive/archive.h"

#include "core/archive/file.h"
#include "core/archive/profile.h"
#include "core/archive/safetensors.h"
#include <string.h>

struct LmArchive {
  char *path;
  bool is_directory;
  GBytes *map;         /* of a tar */
  GPtrArray *members;  /* of LmMember*, in order */
  GPtrArray *names;    /* of char*, borrowed from members, NULL-terminated */
  GHashTable *by_name; /* name -> LmMember* */
  JsonNode *manifest;  /* NULL: a bare project */
  JsonNode *config;    /* made in memory; NULL: a member has it */
  GPtrArray *plugins;  /* of LmArchivePlugin* */
  char *backend;
};

void
lm_archive_free (LmArchive *archive)
{
  if (archive == NULL)
    return;
  g_free (archive->path);
  g_free (archive->backend);
  g_clear_pointer (&archive->plugins, g_ptr_array_unref);
  g_clear_pointer (&archive->manifest, json_node_unref);
  g_clear_pointer (&archive->config, json_node_unref);
  g_clear_pointer (&archive->by_name, g_hash_table_unref);
  g_clear_pointer (&archive->names, g_ptr_array_unref);
  g_clear_pointer (&archive->members, g_ptr_array_unref);
  g_clear_pointer (&archive->map, g_bytes_unref);
  g_free (archive);
}

static void
index_members (LmArchive *archive)
{
  archive->names = g_ptr_array_new ();
  archive->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < archive->members->len; i++) {
    LmMember *member = archive->members->pdata[i];
    g_ptr_array_add (archive->names, member->name);
    g_hash_table_insert (archive->by_name, member->name, member);
  }
  g_ptr_array_add (archive->names, NULL);
}

static bool
read_manifest (LmArchive *archive, GError **error)
{
  g_autoptr (GBytes) bytes = lm_archive_read (archive, LM_MANIFEST, error);
  g_autofree char *where = g_strdup_printf ("%s: " LM_MANIFEST, archive->path);
  gsize n;
  const char *text;

  if (bytes == NULL)
    return false;
  text = g_bytes_get_data (bytes, &n);
  if (n > LM_MAX_MANIFEST) {
    g_set_error (error, LM_ERROR, LM_ERROR_CORRUPT, "%s: %" G_GSIZE_FORMAT " bytes, at most %u",
                 where, n, LM_MAX_MANIFEST);
    return false;
  }
  archive->manifest = lm_json_parse (text, n, LM_JSON_STRICT, where, error);
  if (archive->manifest == NULL)
    return false;
  if (!JSON_NODE_HOLDS_OBJECT (archive->manifest)) {
    g_set_error (error, LM_ERROR, LM_ERROR_CORRUPT, "%s: wanted an object", where);
    return false;
  }
  archive->plugins = lm_manifest_check (json_node_get_object (archive->manifest), archive->members,
                                        archive->path, error);
  return archive->plugins != NULL;
}

/* A folder without a manifest is a project made by hand. */
static bool
check_bare (LmArchive *archive, GError **error)
{
  archive->plugins = g_ptr_array_new ();
  if (lm_archive_has (archive, LM_CONFIG) || lm_archive_has (archive, LM_BARE_CONFIG))
    return true;
  g_set_error (error, LM_ERROR, LM_ERROR_NOT_FOUND,
               "%s: neither a model nor a project: it has no " LM_MANIFEST ", " LM_CONFIG
               " or " LM_BARE_CONFIG "; make one with lamina new",
               archive->path);
  return false;
}

static const char *
backend_key (JsonNode *node)
{
  JsonObject *object =
      node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  JsonNode *value = object != NULL ? json_object_get_member (object, "backend") : NULL;

  if (value == NULL || !JSON_NODE_HOLDS_VALUE (value)
      || json_node_get_value_type (value) != G_TYPE_STRING)
    return NULL;
  return json_node_get_string (value);
}

/* The manifest's key, else the config's; a damaged config is reported by who reads it. */
static void
find_backend (LmArchive *archive)
{
  const char *id = backend_key (archive->manifest);
  g_autoptr (JsonNode) config = NULL;

  if (id == NULL) {
    config = lm_archive_config (archive, NULL);
    id = backend_key (config);
  }
  archive->backend = g_strdup (id);
}

static bool
open_members (LmArchive *archive, GError **error)
{
  if (archive->is_directory) {
    g_autofree char *manifest = g_build_filename (archive->path, LM_MANIFEST, NULL);
    archive->members =
        lm_tree_members (archive->path, g_file_test (manifest, G_FILE_TEST_EXISTS), error);
  } else {
    archive->map = lm_map_file (archive->path, true, error);
    if (archive->map != NULL)
      archive->members = lm_tar_members (archive->map, archive->path, error);
  }
  return archive->members != NULL;
}

LmArchive *
lm_archive_open (const char *path, GError **error)
{
  g_autoptr (LmArchive) archive = g_new0 (LmArchive, 1);

  archive->path = g_strdup (path);
  archive->is_directory = g_file_test (path, G_FILE_TEST_IS_DIR);
  if (!open_members (archive, error))
    return NULL;
  index_members (archive);
  if (lm_archive_has (archive, LM_MANIFEST) ? !read_manifest (archive, error)
                                            : !check_bare (archive, error))
    return NULL;
  find_backend (archive);
  return g_steal_pointer (&archive);
}

LmArchive *
lm_archive_new_config (const char *folder, JsonObject *config)
{
  LmArchive *archive = g_new0 (LmArchive, 1);

  archive->path = g_strdup (folder);
  archive->is_directory = true;
  archive->members = g_ptr_array_new ();
  archive->plugins = g_ptr_array_new ();
  archive->config = json_node_new (JSON_NODE_OBJECT);
  json_node_set_object (archive->config, config);
  index_members (archive);
  find_backend (archive);
  return archive;
}

const char *
lm_archive_path (const LmArchive *archive)
{
  return archive->path;
}

bool
lm_archive_is_directory (const LmArchive *archive)
{
  return archive->is_directory;
}

JsonObject *
lm_archive_manifest (const LmArchive *archive)
{
  return archive->manifest != NULL ? json_node_get_object (archive->manifest) : NULL;
}

const char *const *
lm_archive_members (const LmArchive *archive)
{
  return (const char *const *)archive->names->pdata;
}

bool
lm_archive_has (const LmArchive *archive, const char *name)
{
  return g_hash_table_contains (archive->by_name, name);
}

const GPtrArray *
lm_archive_plugins (const LmArchive *archive)
{
  return archive->plugins;
}

const char *
lm_archive_backend (const LmArchive *archive)
{
  return archive->backend;
}

static bool
verify (LmArchive *archive, LmMember *member, GBytes *bytes, GError **error)
{
  g_autofree char *sha256 = NULL;

  if (member->sha256 == NULL || member->verified)
    return true;
  sha256 = lm_sha256 (bytes);
  if (strcmp (sha256, member->sha256) != 0) {
    g_set_error (
        error, LM_ERROR, LM_ERROR_CORRUPT,
        "%s: \"%s\" was changed or damaged: its sha256 is %s, the manifest says %s; get the "
        "archive again",
        archive->path, member->name, sha256, member->sha256);
    return false;
  }
  /* A file of a directory may change under us: it is checked each time. */
  member->verified = !archive->is_directory;
  return true;
}

GBytes *
lm_archive_read (LmArchive *archive, const char *name, GError **error)
{
  LmMember *member = g_hash_table_lookup (archive->by_name, name);
  g_autoptr (GBytes) bytes = NULL;

  if (member == NULL) {
    g_autoptr (GString) text = g_string_new (NULL);
    g_string_printf (text, "%s: no member \"%s\"", archive->path, name);
    lm_append_did_you_mean (text, name, lm_archive_members (archive));
    g_set_error_literal (error, LM_ERROR, LM_ERROR_NOT_FOUND, text->str);
    return NULL;
  }
  bytes = archive->is_directory
              ? lm_tree_read (archive->path, name, error)
              : g_bytes_new_from_bytes (archive->map, member->offset, member->size);
  if (bytes == NULL || !verify (archive, member, bytes, error))
    return NULL;
  return g_steal_pointer (&bytes);
}

static JsonNode *
read_config (LmArchive *archive, GError **error)
{
  bool is_bare = archive->manifest == NULL && !lm_archive_has (archive, LM_CONFIG);
  const char *name = is_bare ? LM_BARE_CONFIG : LM_CONFIG;
  g_autoptr (GBytes) bytes = lm_archive_read (archive, name, error);
  g_autofree char *where = g_build_filename (archive->path, name, NULL);
  const char *text;
  gsize n;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &n);
  if (n <= LM_MAX_JSON)
    return lm_json_parse (text, n, LM_JSON_COMMENTS, where, error);
  g_set_error (error, LM_ERROR, LM_ERROR_CORRUPT, "%s: %" G_GSIZE_FORMAT " bytes, at most %u",
               where, n, LM_MAX_JSON);
  return NULL;
}

JsonNode *
lm_archive_config (LmArchive *archive, GError **error)
{
  return archive->config != NULL ? json_node_copy (archive->config) : read_config (archive, error);
}

/* Moves all of `from` into `into`. */
static bool
merge (GHashTable *into, GHashTable *from, const char *where, GError **error)
{
  GHashTableIter iter;
  gpointer name, array;

  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &name, &array)) {
    if (g_hash_table_contains (into, name)) {
      g_set_error (error, LM_ERROR, LM_ERROR_CORRUPT, "%s: the tensor \"%s\" is in two files",
                   where, (char *)name);
      return false;
    }
    g_hash_table_insert (into, g_strdup (name), lm_array_ref (array));
  }
  return true;
}

static GHashTable *
read_tensors (LmArchive *archive, const char *name, GError **error)
{
  g_autoptr (GBytes) bytes = lm_archive_read (archive, name, error);
  g_autofree char *where = g_build_filename (archive->path, name, NULL);

  return bytes != NULL ? lm_safetensors_read (bytes, where, NULL, error) : NULL;
}

GHashTable *
lm_archive_weights (LmArchive *archive, GError **error)
{
  g_autoptr (GHashTable) all = NULL;

  for (const char *const *name = lm_archive_members (archive); *name != NULL; name++) {
    g_autoptr (GHashTable) part = NULL;
    if (!g_str_has_prefix (*name, "weights/") || !g_str_has_suffix (*name, ".safetensors"))
      continue;
    part = read_tensors (archive, *name, error);
    if (part == NULL)
      return NULL;
    if (all == NULL)
      all = g_steal_pointer (&part);
    else if (!merge (all, part, archive->path, error))
      return NULL;
  }
  return g_steal_pointer (&all);
}

GHashTable *
lm_archive_state (LmArchive *archive, const char *name, GError **error)
{
  g_autofree char *member = g_strdup_printf ("state/%s.safetensors", name);

  return lm_archive_has (archive, member) ? read_tensors (archive, member, error) : NULL;
}
