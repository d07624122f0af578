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
 * Grammar. Spaces, line ends and comments may stand between any two tokens.
 *
 *   function = "func" "@" name "(" [value ":" type {","}] ")" "->" "(" [type {","}] ")"
 *              "{" {equation} "return" [value {","}] "}"
 *   equation = value {"," value} "=" op "(" [value {","}] ")" ["{" attr {"," attr} "}"]
 *              ["(" function {"," function} ")"] [":" type {"," type}] ["#" layer path]
 *   attr     = ["!"] key "=" literal              "!": must be understood
 *   type     = dtype "[" [dim {"," dim}] "]"      f32[] has rank 0
 *   value    = "%" and letters, digits, "_", "."  printed as 0, 1, 2 ... in order
 *
 * The result types may be left out where the op infers them; where they stand they are checked. A
 * comment behind an equation, on the line where it ends, is its layer path (escaped as strings are);
 * other comments are skipped.
 *
 * Literals by kind: int 3; ints [1, 2]; float 1.5, 1e-05, inf, nan (always with a point, an exponent
 * or a name); str "..." with \" \\ \n \t \r and \xNN (one byte); dtype f32; bytes 0x"00ff" in memory
 * order. Bytes that the schema of an op with a stated type knows (a constant's value) are a list of
 * elements of the result's dtype: numbers, or true and false. The printer takes the list up to 64
 * elements, else 0x"...".
 *
 * Floats are printed as the shortest decimal that reads back to the same bits; NaNs other than the
 * positive quiet one without payload as their bits: 0x7fc00001. A decimal too large for its dtype is
 * an error. Numbers without the locale. The parser bounds nesting (16) and sizes, works in linear
 * time, and says file, line and column. */
#ifndef LM_IR_TEXT_H
#define LM_IR_TEXT_H

#include "core/ir/ir.h"

char *lm_text_print (const LmFunction *f);

/* Equations [from, to) only, for error messages. */
char *lm_text_print_range (const LmFunction *f, uint32_t from, uint32_t to);

/* Parses exactly one function and verifies it. where: file name for errors (INVALID). */
LmFunction *lm_text_parse (const char *text, gsize n, const char *where, GError **error);

#endif
