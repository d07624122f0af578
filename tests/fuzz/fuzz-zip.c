/* SPDX-License-Identifier: Apache-2.0 */
/* Zip files (npz): members stay within the limit. */
#include "core/archive/zip.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const guint64 most = 1 << 20;
  g_autoptr (GHashTable) members = lm_zip_read_bytes (data, size, most, NULL);
  GHashTableIter iter;
  gpointer bytes;
  guint64 sum = 0;

  if (members == NULL)
    return 0;
  g_hash_table_iter_init (&iter, members);
  while (g_hash_table_iter_next (&iter, NULL, &bytes))
    sum += g_bytes_get_size (bytes);
  g_assert_cmpuint (sum, <=, most);
  return 0;
}
