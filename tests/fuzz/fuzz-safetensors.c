/* SPDX-License-Identifier: Apache-2.0 */
/* safetensors: whatever is accepted can be written and read again. */
#include "core/archive/safetensors.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size), written = NULL;
  g_autoptr (GHashTable) metadata = NULL, again = NULL;
  g_autoptr (GHashTable) tensors = lm_safetensors_read (bytes, "fuzz", &metadata, NULL);
  g_autoptr (GError) error = NULL;

  if (tensors == NULL)
    return 0;
  written = lm_safetensors_write (tensors, metadata, 0, 64, &error);
  g_assert_no_error (error);
  again = lm_safetensors_read (written, "again", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_hash_table_size (again), ==, g_hash_table_size (tensors));
  return 0;
}
