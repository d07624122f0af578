/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.safetensors over any bytes: its reader of the header, alone and with labels. */
#include "plugins/inputs/safetensors.c"

#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  safetensors p = {.rows = {.file = "fuzz", .batch_size = 3, .seed = -1, .shard = true},
                   .inputs = "x",
                   .labels = "",
                   .dtype = "real",
                   .scale = 1};
  safetensors both = p, keep = p;
  both.labels = "y";
  keep.dtype = "keep";
  keep.rows.shuffle = true;
  fuzz_input (&safetensors_lam_vt, &p, data, size);
  fuzz_input (&safetensors_lam_vt, &both, data, size);
  fuzz_input (&safetensors_lam_vt, &keep, data, size);
  return 0;
}
