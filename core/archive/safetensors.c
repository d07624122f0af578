/* SPDX-License-Identifier: Apache-2.0 */
/* Reads safetensors: header checked as a whole, then views into the bytes. */
#include "core/archive/safetensors.h"

#include "core/archive/file.h"
#include "core/base/json.h"
#include <string.h>

#define MAX_HEADER  (100u << 20)
#define MAX_TENSORS 1000000u

/* The format's names, by our dtype codes from LAM_F64 on. */
static const char *const dtype_names[] = {"F64", "F32", "F16", "BF16", "I64", "I32", "I16",
                                          "I8",  "U64", "U32", "U16",  "U8",  "BOOL"};

typedef struct Entry {
  const char *name; /* owned by the header's tree */
  lam_type type;
  uint64_t begin, end;
} Entry;

/* One reading. */
typedef struct Reader {
  const char *where;
  GBytes *bytes;
  const guchar *data; /* behind the header */
  uint64_t n_data;
  GArray *entries;
  GHashTable *metadata;
  GError **error;
} Reader;

const char *
lm_safetensors_dtype_name (lam_dtype dtype)
{
  g_return_val_if_fail (dtype >= LAM_F64 && dtype <= LAM_PRED, NULL);
  return dtype_names[dtype - LAM_F64];
}

static bool G_GNUC_PRINTF (3, 4) fail (Reader *r, LmErrorCode code, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (r->error, LM_ERROR, code, "%s: %s", r->where, message);
  return false;
}

bool
lm_safetensors_name_ok (const char *name)
{
  for (const char *p = name; *p != '\0'; p++)
    if ((guchar)*p < 0x20 || *p == 0x7f)
      return false;
  return *name != '\0' && g_utf8_validate (name, -1, NULL);
}

/* The tree of the header, or NULL; sets data and n_data. */
static JsonNode *
read_header (Reader *r)
{
  gsize n;
  const guchar *p = g_bytes_get_data (r->bytes, &n);
  uint64_t length = 0;
  g_autoptr (JsonNode) node = NULL;

  for (int i = 7; n >= 8 && i >= 0; i--)
    length = length << 8 | p[i];
  if (n < 8 || length > MAX_HEADER || length > n - 8) {
    fail (r, LM_ERROR_CORRUPT,
          "not a whole safetensors file: %" G_GSIZE_FORMAT " bytes, and the first eight announce a "
          "header of %" G_GUINT64_FORMAT " (at most %u); is the download complete?",
          n, length, MAX_HEADER);
    return NULL;
  }
  if (length == 0 || p[8] != '{') {
    fail (r, LM_ERROR_CORRUPT, "the safetensors header does not start with '{'");
    return NULL;
  }
  node = lm_json_parse ((const char *)p + 8, length, LM_JSON_STRICT, r->where, r->error);
  if (node == NULL)
    return NULL;
  r->data = p + 8 + length;
  r->n_data = n - 8 - length;
  return g_steal_pointer (&node);
}

static bool
read_metadata (Reader *r, JsonNode *node)
{
  JsonObjectIter iter;
  const char *key;
  JsonNode *value;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    return fail (r, LM_ERROR_CORRUPT, "__metadata__ is not an object of strings");
  r->metadata = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  json_object_iter_init (&iter, json_node_get_object (node));
  while (json_object_iter_next (&iter, &key, &value)) {
    if (!JSON_NODE_HOLDS_VALUE (value) || json_node_get_value_type (value) != G_TYPE_STRING)
      return fail (r, LM_ERROR_CORRUPT, "__metadata__: \"%s\" is not a string", key);
    g_hash_table_insert (r->metadata, g_strdup (key), g_strdup (json_node_get_string (value)));
  }
  return true;
}

/* A list of integers >= 0 of at most `most` elements; its length, or -1. */
static int
read_sizes (JsonObject *object, const char *key, int64_t *out, guint most)
{
  JsonNode *node = json_object_get_member (object, key);
  JsonArray *array;

  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return -1;
  array = json_node_get_array (node);
  if (json_array_get_length (array) > most)
    return -1;
  for (guint i = 0; i < json_array_get_length (array); i++) {
    JsonNode *element = json_array_get_element (array, i);
    if (!JSON_NODE_HOLDS_VALUE (element) || json_node_get_value_type (element) != G_TYPE_INT64)
      return -1;
    out[i] = json_node_get_int (element);
    if (out[i] < 0)
      return -1;
  }
  return (int)json_array_get_length (array);
}

static bool
read_dtype (Reader *r, const char *name, JsonObject *object, lam_dtype *out)
{
  JsonNode *node = json_object_get_member (object, "dtype");
  const char *text = NULL;

  if (node != NULL && JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == G_TYPE_STRING)
    text = json_node_get_string (node);
  if (text == NULL)
    return fail (r, LM_ERROR_CORRUPT, "tensor \"%s\" has no dtype", name);
  for (guint i = 0; i < G_N_ELEMENTS (dtype_names); i++)
    if (strcmp (text, dtype_names[i]) == 0) {
      *out = LAM_F64 + (lam_dtype)i;
      return true;
    }
  return fail (r, LM_ERROR_UNSUPPORTED,
               "tensor \"%s\" has dtype %s, which this version does not know", name, text);
}

static bool
read_entry (Reader *r, const char *name, JsonNode *node)
{
  Entry entry = {name, {0}, 0, 0};
  int64_t offsets[2] = {0}, bytes = 0;
  JsonObject *object;

  if (!lm_safetensors_name_ok (name))
    return fail (r, LM_ERROR_CORRUPT, "a tensor's name is empty or has control characters");
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return fail (r, LM_ERROR_CORRUPT, "the entry of \"%s\" is not an object", name);
  object = json_node_get_object (node);
  if (!read_dtype (r, name, object, &entry.type.dtype))
    return false;
  entry.type.rank = read_sizes (object, "shape", entry.type.dims, LAM_MAX_RANK);
  if (entry.type.rank < 0)
    return fail (r, LM_ERROR_CORRUPT, "tensor \"%s\": the shape is not a list of up to %d sizes",
                 name, LAM_MAX_RANK);
  if (json_object_get_size (object) != 3 || read_sizes (object, "data_offsets", offsets, 2) != 2)
    return fail (r, LM_ERROR_CORRUPT,
                 "tensor \"%s\": wanted dtype, shape and data_offsets [begin, end]", name);
  entry.begin = (uint64_t)offsets[0];
  entry.end = (uint64_t)offsets[1];
  if (!lm_type_checked_bytes (&entry.type, NULL, &bytes) || entry.begin > entry.end
      || entry.end - entry.begin != (uint64_t)bytes) {
    g_autofree char *type = lm_type_to_string (&entry.type);
    return fail (r, LM_ERROR_CORRUPT,
                 "tensor \"%s\" %s does not take the bytes %" G_GUINT64_FORMAT
                 " to %" G_GUINT64_FORMAT,
                 name, type, entry.begin, entry.end);
  }
  g_array_append_val (r->entries, entry);
  return true;
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;

  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x->end < y->end ? -1 : x->end > y->end;
}

/* Entries cover the data exactly: no hole, no overlap, nothing behind. */
static bool
check_places (Reader *r)
{
  uint64_t at = 0;

  g_array_sort (r->entries, compare_places);
  for (guint i = 0; i < r->entries->len; i++) {
    const Entry *entry = &g_array_index (r->entries, Entry, i);
    if (entry->begin != at)
      return fail (r, LM_ERROR_CORRUPT,
                   "tensor \"%s\" begins at %" G_GUINT64_FORMAT ", but the one before it ends at "
                   "%" G_GUINT64_FORMAT "; holes and overlaps are not allowed",
                   entry->name, entry->begin, at);
    at = entry->end;
  }
  if (at != r->n_data)
    return fail (r, LM_ERROR_CORRUPT,
                 "the tensors take %" G_GUINT64_FORMAT " bytes, but %" G_GUINT64_FORMAT
                 " are there; is the download complete?",
                 at, r->n_data);
  return true;
}

static bool
read_entries (Reader *r, JsonObject *header)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  if (json_object_get_size (header) > MAX_TENSORS)
    return fail (r, LM_ERROR_CORRUPT, "more than %u tensors", MAX_TENSORS);
  json_object_iter_init (&iter, header);
  while (json_object_iter_next (&iter, &name, &node))
    if (strcmp (name, "__metadata__") == 0 ? !read_metadata (r, node) : !read_entry (r, name, node))
      return false;
  return check_places (r);
}

/* A view where the data are aligned for their dtype, else a copy. */
static LmArray *
make_array (Reader *r, const Entry *entry)
{
  const guchar *data = r->data + entry->begin;
  size_t size = lam_dtype_bits (entry->type.dtype) / 8;

  if (entry->type.dtype == LAM_PRED)
    for (uint64_t i = 0; i < entry->end - entry->begin; i++)
      if (data[i] > 1) {
        fail (r, LM_ERROR_CORRUPT, "tensor \"%s\": a bool is 0 or 1, got %u", entry->name,
              (guint)data[i]);
        return NULL;
      }
  if ((uintptr_t)data % size != 0)
    return lm_array_new_copy (&entry->type, data, r->error);
  return lm_array_new_view (&entry->type, data, g_bytes_ref (r->bytes),
                            (GDestroyNotify)g_bytes_unref);
}

static GHashTable *
make_arrays (Reader *r)
{
  g_autoptr (GHashTable) tensors =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)lm_array_unref);

  for (guint i = 0; i < r->entries->len; i++) {
    const Entry *entry = &g_array_index (r->entries, Entry, i);
    LmArray *array;
    if (g_str_has_prefix (entry->name, LM_SAFETENSORS_PAD))
      continue;
    array = make_array (r, entry);
    if (array == NULL)
      return NULL;
    g_hash_table_insert (tensors, g_strdup (entry->name), array);
  }
  return g_steal_pointer (&tensors);
}

GHashTable *
lm_safetensors_read (GBytes *bytes, const char *where, GHashTable **out_metadata, GError **error)
{
  Reader r = {.where = where, .bytes = bytes, .error = error};
  g_autoptr (JsonNode) header = NULL;
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  GHashTable *tensors = NULL;

  r.entries = entries;
  header = read_header (&r);
  if (header != NULL && read_entries (&r, json_node_get_object (header)))
    tensors = make_arrays (&r);
  if (out_metadata != NULL)
    *out_metadata = tensors != NULL ? g_steal_pointer (&r.metadata) : NULL;
  g_clear_pointer (&r.metadata, g_hash_table_unref);
  return tensors;
}

GHashTable *
lm_safetensors_read_file (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = lm_map_file (path, true, error);

  return bytes != NULL ? lm_safetensors_read (bytes, path, NULL, error) : NULL;
}
