/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the readers of .npy and .npz: of whatever is accepted, every element can be read. */
#include "core/archive/npy.h"
#include "core/archive/zip.h"
#include <lamina/ir.h>
#include "plugins/inputs/npy.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* The core's own reader: what it takes has as many elements as its shape says. */
static void
read_core (const void *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (LmArray) array = lm_npy_read (bytes, "fuzz", NULL);
  double sum = 0;
  for (int64_t i = 0; array != NULL && i < lam_type_elements (&array->type); i++)
    sum += lm_array_get_double (array, i);
  g_assert_true (sum <= 0 || sum >= 0 || sum != sum);
}

static void
read_array (const void *data, gsize size)
{
  npy_array array;
  read_core (data, size);
  if (npy_read (data, size, &array) != NULL)
    return;
  uint64_t bytes = (uint64_t)array.elements * (lam_dtype_bits (array.type.dtype) / 8);
  uint8_t sum = 0;
  g_assert_cmpint (lam_type_elements (&array.type), ==, array.elements);
  for (uint64_t i = 0; i < bytes; i++)
    sum ^= array.data[i];
  g_assert_cmpint (sum, <=, UINT8_MAX);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  GHashTableIter iter;
  gpointer member;
  read_array (data, size);
  g_autoptr (GHashTable) members = lm_zip_read_bytes (data, size, 1 << 24, NULL);
  if (members == NULL)
    return 0;
  g_hash_table_iter_init (&iter, members);
  while (g_hash_table_iter_next (&iter, NULL, &member)) {
    gsize n;
    const void *bytes = g_bytes_get_data (member, &n);
    read_array (bytes, n);
  }
  return 0;
}
