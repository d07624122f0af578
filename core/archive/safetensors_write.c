/* SPDX-License-Identifier: Apache-2.0 */
/* Writes safetensors: big dtypes first, large tensors on 64 bytes, data where the caller wants. */
#include "core/archive/safetensors.h"

#include "core/base/json.h"
#include <string.h>

#define ALIGN      64
#define ALIGN_FROM 4096 /* smaller tensors are not worth a pad */

typedef struct Item {
  const char *name; /* NULL: a pad */
  const LmArray *array;
  uint64_t begin, end;
} Item;

static int
compare_items (gconstpointer a, gconstpointer b)
{
  const Item *x = a, *y = b;
  uint32_t p = lam_dtype_bits (x->array->type.dtype), q = lam_dtype_bits (y->array->type.dtype);

  return p != q ? (p > q ? -1 : 1) : strcmp (x->name, y->name);
}

static bool
collect (GHashTable *tensors, GArray *items, GError **error)
{
  GHashTableIter iter;
  gpointer name, array;

  g_hash_table_iter_init (&iter, tensors);
  while (g_hash_table_iter_next (&iter, &name, &array)) {
    Item item = {name, array, 0, 0};
    if (!lm_safetensors_name_ok (name) || g_str_has_prefix (name, LM_SAFETENSORS_PAD)
        || strcmp (name, "__metadata__") == 0) {
      g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                   "\"%s\" cannot be a tensor's name in safetensors: it is empty, reserved, or has "
                   "control characters",
                   (char *)name);
      return false;
    }
    g_array_append_val (items, item);
  }
  g_array_sort (items, compare_items);
  return true;
}

/* Items in their final order with places, pads between them; returns the bytes of all. */
static uint64_t
place (const GArray *items, GArray *placed)
{
  uint64_t at = 0;

  for (guint i = 0; i < items->len; i++) {
    Item item = g_array_index (items, Item, i);
    uint64_t aligned = (at + ALIGN - 1) / ALIGN * ALIGN;
    if (item.array->bytes >= ALIGN_FROM && aligned != at) {
      Item pad = {NULL, NULL, at, aligned};
      g_array_append_val (placed, pad);
      at = aligned;
    }
    item.begin = at;
    item.end = at += (uint64_t)item.array->bytes;
    g_array_append_val (placed, item);
  }
  return at;
}

static void
append_quoted (GString *out, const char *text)
{
  g_autoptr (JsonNode) node = json_node_init_string (json_node_alloc (), text);
  g_autofree char *quoted = lm_json_print (node);

  g_string_append (out, g_strchomp (quoted));
}

static void
append_metadata (GString *out, GHashTable *metadata)
{
  g_autoptr (GList) keys = g_list_sort (g_hash_table_get_keys (metadata), (GCompareFunc)strcmp);

  g_string_append (out, "\"__metadata__\":{");
  for (GList *l = keys; l != NULL; l = l->next) {
    append_quoted (out, l->data);
    g_string_append_c (out, ':');
    append_quoted (out, g_hash_table_lookup (metadata, l->data));
    if (l->next != NULL)
      g_string_append_c (out, ',');
  }
  g_string_append_c (out, '}');
}

static void
append_item (GString *out, const Item *item, guint *n_pads)
{
  if (out->len > 1)
    g_string_append_c (out, ',');
  if (item->name == NULL) {
    g_string_append_printf (out, "\"" LM_SAFETENSORS_PAD "%u\":{\"dtype\":\"U8\",\"shape\":[%u]",
                            (*n_pads)++, (guint)(item->end - item->begin));
  } else {
    const lam_type *type = &item->array->type;
    append_quoted (out, item->name);
    g_string_append_printf (out, ":{\"dtype\":\"%s\",\"shape\":[",
                            lm_safetensors_dtype_name (type->dtype));
    for (int32_t i = 0; i < type->rank; i++)
      g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", type->dims[i]);
    g_string_append_c (out, ']');
  }
  g_string_append_printf (out, ",\"data_offsets\":[%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT "]}",
                          item->begin, item->end);
}

/* The header, padded with blanks so that data start where they should. */
static GString *
make_header (const GArray *placed, GHashTable *metadata, gsize file_offset, gsize data_align)
{
  GString *out = g_string_new ("{");
  guint n_pads = 0;

  if (metadata != NULL && g_hash_table_size (metadata) > 0)
    append_metadata (out, metadata);
  for (guint i = 0; i < placed->len; i++)
    append_item (out, &g_array_index (placed, Item, i), &n_pads);
  g_string_append_c (out, '}');
  while ((file_offset + 8 + out->len) % MAX (data_align, 8) != 0)
    g_string_append_c (out, ' ');
  return out;
}

GBytes *
lm_safetensors_write (GHashTable *tensors, GHashTable *metadata, gsize file_offset,
                      gsize data_align, GError **error)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (Item));
  g_autoptr (GArray) placed = g_array_new (FALSE, FALSE, sizeof (Item));
  g_autoptr (GString) header = NULL;
  uint64_t bytes;
  guchar *out, *data;

  if (!collect (tensors, items, error))
    return NULL;
  bytes = place (items, placed);
  header = make_header (placed, metadata, file_offset, data_align);
  out = g_try_malloc (8 + header->len + bytes);
  if (out == NULL) {
    g_set_error (error, LM_ERROR, LM_ERROR_NO_MEMORY,
                 "no memory to write %" G_GUINT64_FORMAT " bytes of tensors", bytes);
    return NULL;
  }
  for (int i = 0; i < 8; i++)
    out[i] = (guchar)((uint64_t)header->len >> 8 * i);
  memcpy (out + 8, header->str, header->len);
  data = out + 8 + header->len;
  for (guint i = 0; i < placed->len; i++) {
    const Item *item = &g_array_index (placed, Item, i);
    if (item->name == NULL)
      memset (data + item->begin, 0, item->end - item->begin);
    else if (item->end > item->begin)
      memcpy (data + item->begin, item->array->data, item->end - item->begin);
  }
  return g_bytes_new_take (out, 8 + header->len + bytes);
}
