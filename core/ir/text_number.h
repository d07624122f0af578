/* SPDX-License-Identifier: Apache-2.0 */
/* One element of any dtype as text and back, bit for bit. */
#ifndef LM_IR_TEXT_NUMBER_H
#define LM_IR_TEXT_NUMBER_H

#include "core/ir/ir.h"

/* Longest token of a number. */
#define LM_NUMBER_MAX 400

/* Appends the little-endian element at p (any alignment). */
void lm_number_print (GString *out, lam_dtype dtype, const void *p);

/* Reads a whole token of n bytes into the element at p; false if it is no number of this dtype. */
bool lm_number_parse (const char *token, gsize n, lam_dtype dtype, void *p);

#endif
