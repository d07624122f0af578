/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.csv over any bytes: with and without a header, as floats, integers and whatever is not empty. */
#include "plugins/inputs/csv.c"

#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static csv
config (bool header, const char *missing, const char *const *dtypes)
{
  csv p = {.rows = {.file = "fuzz", .batch_size = 3, .shuffle = true, .seed = -1, .shard = true},
           .delimiter = ",",
           .missing = missing,
           .header = header};
  static const char *const first = "0";
  if (dtypes != NULL) {
    p.columns = (lam_strings) {&first, 1};
    p.dtypes = (lam_strings) {dtypes, 1};
  }
  return p;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const dtypes[] = {"f64", "i8", "u64", "i16", "bool"};
  csv floats = config (true, "nan", NULL), skip = config (false, "skip", NULL);
  fuzz_input (&csv_lam_vt, &floats, data, size);
  fuzz_input (&csv_lam_vt, &skip, data, size);
  for (size_t i = 0; i < G_N_ELEMENTS (dtypes); i++) {
    csv first = config (false, "error", &dtypes[i]);
    fuzz_input (&csv_lam_vt, &first, data, size);
  }
  return 0;
}
