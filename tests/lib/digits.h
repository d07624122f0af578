/* SPDX-License-Identifier: Apache-2.0 */
/* tests/data/digits.npz as the batches of tests/golden/train.py. */
#ifndef LM_TEST_DIGITS_H
#define LM_TEST_DIGITS_H

#include "core/base/array.h"

#define LM_DIGITS_BATCH 64

/* The digits: numbers 0 .. 16 and labels. */
typedef struct LmTestDigits {
  GHashTable *members;
  const guint8 *inputs; /* (1797, 8, 8, 1) */
  const gint32 *labels; /* (1797) */
} LmTestDigits;

LmTestDigits lm_test_digits_open (void);
void lm_test_digits_clear (LmTestDigits *digits);

/* Batch of step i in file order: inputs / 16, labels, weights: 1, or (row mod 3 + 1) / 2. */
void lm_test_digits_batch (const LmTestDigits *d, gint64 step, lam_dtype dtype, bool uneven,
                           LmArray *batch[3]);

#endif
