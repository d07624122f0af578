/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.idx over any bytes, as inputs and as labels. */
#include "plugins/inputs/idx.c"

#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  idx p = {.rows = {.file = "fuzz", .batch_size = 3, .seed = -1, .shard = true},
           .labels = "",
           .dtype = "real",
           .scale = 1};
  idx both = p, keep = p;
  both.labels = "fuzz";
  keep.dtype = "keep";
  keep.rows.shuffle = true;
  fuzz_input (&idx_lam_vt, &p, data, size);
  fuzz_input (&idx_lam_vt, &both, data, size);
  fuzz_input (&idx_lam_vt, &keep, data, size);
  return 0;
}
