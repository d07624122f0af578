/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of the digits. */
#include "tests/lib/digits.h"

#include "core/archive/zip.h"
#include "tests/lib/fixture.h"
#include <string.h>

#define PER_EPOCH   22
#define ROW_NUMBERS 64

/* The arrays of digits.npz are npy 1.0: data start after the header's newline. */
static const void *
npy_data (GHashTable *members, const char *name)
{
  const char *text = g_bytes_get_data (g_hash_table_lookup (members, name), NULL);
  return strchr (text + 10, '\n') + 1;
}

LmTestDigits
lm_test_digits_open (void)
{
  g_autoptr (GError) error = NULL;
  const char *source = g_getenv ("LAMINA_SRCDIR");
  g_autofree char *path =
      g_build_filename (source != NULL ? source : ".", "tests/data/digits.npz", NULL);
  LmTestDigits d = {lm_zip_read (path, 0, &error), NULL, NULL};
  g_assert_no_error (error);
  d.inputs = npy_data (d.members, "inputs.npy");
  d.labels = npy_data (d.members, "labels.npy");
  return d;
}

void
lm_test_digits_clear (LmTestDigits *d)
{
  g_clear_pointer (&d->members, g_hash_table_unref);
}

/* File row of training row i: rows with index mod 5 == 0 are the test split. */
static gint64
train_row (gint64 i)
{
  return i / 4 * 5 + i % 4 + 1;
}

void
lm_test_digits_batch (const LmTestDigits *d, gint64 step, lam_dtype dtype, bool uneven,
                      LmArray *batch[3])
{
  lam_type inputs = lm_type (dtype, 4, (int64_t[]) {LM_DIGITS_BATCH, 8, 8, 1});
  lam_type labels = lm_type (LAM_I32, 1, (int64_t[]) {LM_DIGITS_BATCH}), weights = labels;
  g_autofree double *x = g_new (double, LM_DIGITS_BATCH *ROW_NUMBERS);
  double y[LM_DIGITS_BATCH], w[LM_DIGITS_BATCH];
  weights.dtype = dtype;
  for (gint64 i = 0; i < LM_DIGITS_BATCH; i++) {
    gint64 row = train_row (step % PER_EPOCH * LM_DIGITS_BATCH + i);
    for (gint64 k = 0; k < ROW_NUMBERS; k++)
      x[i * ROW_NUMBERS + k] = d->inputs[row * ROW_NUMBERS + k] / 16.0;
    y[i] = d->labels[row];
    w[i] = uneven ? (double)(i % 3 + 1) / 2 : 1;
  }
  batch[0] = lm_test_array (&inputs, x);
  batch[1] = lm_test_array (&labels, y);
  batch[2] = lm_test_array (&weights, w);
}
