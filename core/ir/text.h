/* SPDX-License-Identifier: Apache-2.0 */
/* The exact text form: print -> parse -> print is the identity, and parse -> print -> parse gives an
 * equal function (bit-equal constants).
 *
 *   func @loss(%0: f32[2,3], %1: f32[3]) -> (f32[2]) {
 *     %2 = broadcast_in_dim(%1) {broadcast_dimensions = [1]} : f32[2,3]
 *     %3 = add(%0, %2) : f32[2,3]  # lm.stack.layer_03.ffn
 *     %4, %5 = optimization_barrier(%3, %1) : f32[2,3], f32[3]
 *     %6 = constant() {value = [1.0, 0x7fc00001, -inf]} : f32[3]
 *     %7 = composite(%3) {name = "lamina.gelu", version = 1} (func @gelu(...) -> (...) { ... }) : f32[2,3]
 *     return %2
 *   }
 *
 * Floats are printed as the shortest decimal that reads back to the same bits, other NaNs than the
 * quiet default as hex bits. Constants over 64 elements print as hex: 0x"...". A comment to the end of the
 * line is the layer path. A file may hold several functions; regions print inline. Numbers without
 * the locale. The parser bounds nesting (16), sizes and counts, and says line and column. */
#ifndef LM_IR_TEXT_H
#define LM_IR_TEXT_H

#include "core/ir/ir.h"

char *lm_text_print (const LmFunction *f);

/* Equations [from, to) only, for error messages. */
char *lm_text_print_range (const LmFunction *f, uint32_t from, uint32_t to);

/* Parses exactly one function and verifies it. where: file name for errors. */
LmFunction *lm_text_parse (const char *text, gsize n, const char *where, GError **error);

#endif
