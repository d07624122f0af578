/* SPDX-License-Identifier: Apache-2.0 */
/* Collects members, describes them in a manifest, writes all. */
#include "core/archive/writer.h"

#include "core/archive/emit.h"
#include "core/archive/file.h"
#include "core/archive/profile.h"
#include "core/archive/safetensors.h"
#include <string.h>

#define BLOCK 512u
/* The manifest with its header takes a multiple of this: where the next members lie, and so the
 * padding of tensor data to pages, does not depend on the length of the manifest. */
#define PAGE 4096u

typedef struct Item {
  char *name;
  GBytes *bytes; /* or one of the next two, until finish */
  char *path;
  GHashTable *tensors;
} Item;

struct LmArchiveWriter {
  GPtrArray *items; /* of Item* */
  JsonObject *keys;
  JsonArray *plugins;
  GError *error; /* the first one */
};

static void
item_free (gpointer data)
{
  Item *item = data;

  g_free (item->name);
  g_free (item->path);
  g_clear_pointer (&item->bytes, g_bytes_unref);
  g_clear_pointer (&item->tensors, g_hash_table_unref);
  g_free (item);
}

LmArchiveWriter *
lm_archive_writer_new (void)
{
  LmArchiveWriter *writer = g_new0 (LmArchiveWriter, 1);

  writer->items = g_ptr_array_new_with_free_func (item_free);
  writer->keys = json_object_new ();
  writer->plugins = json_array_new ();
  return writer;
}

void
lm_archive_writer_free (LmArchiveWriter *writer)
{
  if (writer == NULL)
    return;
  g_ptr_array_unref (writer->items);
  json_object_unref (writer->keys);
  json_array_unref (writer->plugins);
  g_clear_error (&writer->error);
  g_free (writer);
}

static void G_GNUC_PRINTF (2, 3) fail (LmArchiveWriter *writer, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  if (writer->error != NULL)
    return;
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (&writer->error, LM_ERROR, LM_ERROR_INVALID, message);
}

static Item *
add_item (LmArchiveWriter *writer, const char *name)
{
  const char *fault = lm_profile_name_fault (name);
  Item *item;

  if (fault == NULL && (strcmp (name, LM_MANIFEST) == 0 || strcmp (name, LM_SIGNATURE) == 0))
    fault = "the writer makes it itself";
  if (fault != NULL) {
    g_autofree char *shown = g_utf8_make_valid (name, -1);
    fail (writer, "\"%s\" cannot be a member of an archive: %s", shown, fault);
    return NULL;
  }
  item = g_new0 (Item, 1);
  item->name = g_strdup (name);
  g_ptr_array_add (writer->items, item);
  return item;
}

void
lm_archive_writer_add (LmArchiveWriter *writer, const char *name, GBytes *bytes)
{
  Item *item = add_item (writer, name);

  if (item != NULL)
    item->bytes = g_bytes_ref (bytes);
}

void
lm_archive_writer_add_file (LmArchiveWriter *writer, const char *name, const char *path)
{
  Item *item = add_item (writer, name);

  if (item != NULL)
    item->path = g_strdup (path);
}

void
lm_archive_writer_add_tensors (LmArchiveWriter *writer, const char *name, GHashTable *tensors)
{
  Item *item = add_item (writer, name);

  if (item != NULL)
    item->tensors = g_hash_table_ref (tensors);
}

static JsonObject *
copy_object (JsonObject *object)
{
  JsonObject *copy = json_object_new ();
  g_autoptr (GList) keys = json_object_get_members (object);

  for (GList *l = keys; l != NULL; l = l->next)
    json_object_set_member (copy, l->data,
                            json_node_copy (json_object_get_member (object, l->data)));
  return copy;
}

void
lm_archive_writer_add_plugin (LmArchiveWriter *writer, const char *path, const char *platform,
                              JsonObject *description)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = g_strdup_printf ("plugins/%s/%s", platform, base);
  JsonObject *object = copy_object (description);

  if (!json_object_has_member (object, "id") || !json_object_has_member (object, "version")
      || !json_object_has_member (object, "provides"))
    fail (writer, "the description of plugin %s needs id, version and provides", path);
  json_object_set_string_member (object, "file", name);
  json_object_set_string_member (object, "platform", platform);
  json_array_add_object_element (writer->plugins, object);
  lm_archive_writer_add_file (writer, name, path);
}

void
lm_archive_writer_set (LmArchiveWriter *writer, const char *key, JsonNode *value)
{
  static const char *const own[] = {"format", "min_reader", "files", "plugins", NULL};

  if (g_strv_contains (own, key))
    fail (writer, "the manifest key \"%s\" is the writer's own", key);
  else
    json_object_set_member (writer->keys, key, json_node_copy (value));
}

static int
compare_items (gconstpointer a, gconstpointer b)
{
  const Item *const *x = a, *const *y = b;

  return lm_profile_order ((*x)->name, (*y)->name);
}

/* Sorts; refuses names that clash. */
static bool
check_items (LmArchiveWriter *writer, const char *path, GError **error)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func (lm_member_free);

  if (writer->error != NULL) {
    g_propagate_error (error, g_error_copy (writer->error));
    return false;
  }
  g_ptr_array_sort (writer->items, compare_items);
  g_ptr_array_add (members, lm_member_new (LM_MANIFEST, 0, 0));
  for (guint i = 0; i < writer->items->len; i++)
    g_ptr_array_add (members, lm_member_new (((Item *)writer->items->pdata[i])->name, 0, 0));
  return lm_profile_check_names (members, path, error);
}

/* The bytes of each item; tensors are laid out for the place that the item will have in a tar. */
static bool
load_items (LmArchiveWriter *writer, GError **error)
{
  gsize at = 0; /* from the end of the manifest: a multiple of PAGE in the file */

  for (guint i = 0; i < writer->items->len; i++) {
    Item *item = writer->items->pdata[i];
    at += BLOCK;
    if (item->tensors != NULL) {
      g_clear_pointer (&item->bytes, g_bytes_unref);
      item->bytes = lm_safetensors_write (item->tensors, NULL, at, PAGE, error);
    } else if (item->path != NULL) {
      g_clear_pointer (&item->bytes, g_bytes_unref);
      item->bytes = lm_map_file (item->path, true, error);
    }
    if (item->bytes == NULL)
      return false;
    at += (g_bytes_get_size (item->bytes) + BLOCK - 1) / BLOCK * BLOCK;
  }
  return true;
}

static const char *
role_of (const char *name)
{
  static const char *const roles[] = {"config", "weights", "state", "plugins", "compiled"};

  for (guint i = 0; i < G_N_ELEMENTS (roles); i++)
    if (g_str_has_prefix (name, roles[i]) && name[strlen (roles[i])] == '/')
      return strcmp (roles[i], "plugins") == 0 ? "code" : roles[i];
  return "asset";
}

static JsonArray *
list_files (const LmArchiveWriter *writer, GHashTable *digests)
{
  JsonArray *files = json_array_new ();

  for (guint i = 0; i < writer->items->len; i++) {
    const Item *item = writer->items->pdata[i];
    char *sha256 = lm_sha256 (item->bytes);
    JsonObject *file = json_object_new ();
    json_object_set_string_member (file, "path", item->name);
    json_object_set_string_member (file, "role", role_of (item->name));
    json_object_set_string_member (file, "sha256", sha256);
    json_object_set_int_member (file, "size", (gint64)g_bytes_get_size (item->bytes));
    json_array_add_object_element (files, file);
    g_hash_table_insert (digests, item->name, sha256);
  }
  return files;
}

/* The manifest's text, with blanks so that it fills whole pages together with its tar header. */
static GBytes *
make_manifest (const LmArchiveWriter *writer)
{
  g_autoptr (GHashTable) digests = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  g_autoptr (JsonObject) manifest = copy_object (writer->keys);
  g_autofree char *text = NULL;
  GString *out;

  json_object_set_string_member (manifest, "format", LM_FORMAT);
  json_object_set_string_member (manifest, "min_reader", "1.0");
  json_object_set_array_member (manifest, "files", list_files (writer, digests));
  for (guint i = 0; i < json_array_get_length (writer->plugins); i++) {
    JsonObject *plugin = json_array_get_object_element (writer->plugins, i);
    const char *file = json_object_get_string_member (plugin, "file");
    json_object_set_string_member (plugin, "sha256", g_hash_table_lookup (digests, file));
  }
  json_object_set_array_member (manifest, "plugins", json_array_ref (writer->plugins));
  json_node_set_object (node, manifest);
  text = lm_json_print (node);
  out = g_string_new (text);
  while ((BLOCK + out->len) % PAGE != 0)
    g_string_append_c (out, (BLOCK + out->len + 1) % PAGE == 0 ? '\n' : ' ');
  return g_string_free_to_bytes (out);
}

bool
lm_archive_writer_finish (LmArchiveWriter *writer, const char *path, bool directory, GError **error)
{
  g_autoptr (GArray) emits = g_array_new (FALSE, FALSE, sizeof (LmEmit));
  g_autoptr (GBytes) manifest = NULL;
  LmEmit first = {LM_MANIFEST, NULL};

  if (!check_items (writer, path, error) || !load_items (writer, error))
    return false;
  first.bytes = manifest = make_manifest (writer);
  if (g_bytes_get_size (manifest) > LM_MAX_MANIFEST) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s: the manifest would exceed 4 MiB", path);
    return false;
  }
  g_array_append_val (emits, first);
  for (guint i = 0; i < writer->items->len; i++) {
    const Item *item = writer->items->pdata[i];
    LmEmit emit = {item->name, item->bytes};
    g_array_append_val (emits, emit);
  }
  return directory ? lm_emit_tree (path, emits, error) : lm_emit_tar (path, emits, error);
}

/* A hand-made project: its files, with a manifest made for them. */
static bool
pack_bare (LmArchive *archive, const char *path, bool directory, GError **error)
{
  g_autoptr (LmArchiveWriter) writer = lm_archive_writer_new ();
  bool rename = !lm_archive_has (archive, LM_CONFIG);

  for (const char *const *name = lm_archive_members (archive); *name != NULL; name++) {
    g_autoptr (GBytes) bytes = lm_archive_read (archive, *name, error);
    if (bytes == NULL)
      return false;
    lm_archive_writer_add (
        writer, rename && strcmp (*name, LM_BARE_CONFIG) == 0 ? LM_CONFIG : *name, bytes);
  }
  return lm_archive_writer_finish (writer, path, directory, error);
}

bool
lm_archive_convert (LmArchive *archive, const char *path, bool directory, GError **error)
{
  g_autoptr (GArray) emits = g_array_new (FALSE, FALSE, sizeof (LmEmit));
  bool ok = true;

  if (lm_archive_manifest (archive) == NULL)
    return pack_bare (archive, path, directory, error);
  for (const char *const *name = lm_archive_members (archive); ok && *name != NULL; name++) {
    LmEmit emit = {*name, lm_archive_read (archive, *name, error)};
    ok = emit.bytes != NULL;
    if (ok)
      g_array_append_val (emits, emit);
  }
  if (ok)
    ok = directory ? lm_emit_tree (path, emits, error) : lm_emit_tar (path, emits, error);
  for (guint i = 0; i < emits->len; i++)
    g_bytes_unref (g_array_index (emits, LmEmit, i).bytes);
  return ok;
}
