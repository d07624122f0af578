/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files and their notes: a reason or an identity, never both, nothing read beyond the end. */
#include "core/plugin/elf.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  bool not_plugin = false;
  g_autoptr (LmElfNotes) notes = lm_elf_read_bytes (data, size, "fuzz", &not_plugin, &error);

  g_assert_cmpint ((notes != NULL) + (error != NULL) + not_plugin, ==, 1);
  if (notes != NULL)
    g_assert_nonnull (notes->plugin_id);
  return 0;
}
