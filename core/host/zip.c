/* SPDX-License-Identifier: Apache-2.0 */
/* Host extension "lamina.host.zip/1" (sdk/lamina/ext/zip.h) over core/archive's zip reader. */
#include "core/host/private.h"

#include "core/archive/zip.h"
#include "core/plugin/error.h"
#include <string.h>

/* Members of one file in memory; more would be a bomb. */
#define MAX_BYTES (UINT64_C (64) << 30)

struct lam_zip {
  GHashTable *members; /* name -> GBytes* */
  GPtrArray *names;    /* sorted, borrowed from members */
};

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static lam_status
zip_open (const void *data, uint64_t size, lam_zip **out, lam_error *error)
{
  g_autoptr (GError) why = NULL;
  GHashTable *members = lm_zip_read_bytes (data, size, MAX_BYTES, &why);
  if (members == NULL)
    return lm_plugin_error_set (
        error, why->code == LM_ERROR_NO_MEMORY ? LAM_E_NO_MEMORY : LAM_E_CORRUPT, why->message);
  lam_zip *zip = g_new0 (lam_zip, 1);
  zip->members = members;
  zip->names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init (&iter, members);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (zip->names, name);
  g_ptr_array_sort (zip->names, by_text);
  *out = zip;
  return LAM_OK;
}

static const void *
zip_member (const lam_zip *zip, const char *name, uint64_t *out_size)
{
  GBytes *bytes = g_hash_table_lookup (zip->members, name);
  gsize size = 0;
  const void *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
  *out_size = size;
  return bytes != NULL && data == NULL ? "" : data;
}

static const char *
zip_name (const lam_zip *zip, uint32_t i)
{
  return i < zip->names->len ? zip->names->pdata[i] : NULL;
}

static void
zip_close (lam_zip *zip)
{
  if (zip == NULL)
    return;
  g_ptr_array_unref (zip->names);
  g_hash_table_unref (zip->members);
  g_free (zip);
}

const lam_ext_zip lm_host_zip = {
    .struct_size = sizeof (lam_ext_zip),
    .open = zip_open,
    .member = zip_member,
    .name = zip_name,
    .close = zip_close,
};
