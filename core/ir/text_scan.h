/* SPDX-License-Identifier: Apache-2.0 */
/* The scanner under the parser of the text form: blanks and comments, words, numbers, strings, and
 * errors with file, line and column. After the first error every call returns false. */
#ifndef LM_IR_TEXT_SCAN_H
#define LM_IR_TEXT_SCAN_H

#include "core/ir/ir.h"

typedef struct LmScan {
  const char *text, *p, *end;
  const char *last; /* end of the last token that was taken: p may stand behind a comment since */
  const char *where;
  GError *error; /* the first one */
} LmScan;

/* A piece of the text. */
typedef struct LmToken {
  const char *p;
  gsize n;
} LmToken;

/* Sets the error unless set; at is a place in the text. Always false. */
bool lm_scan_fail (LmScan *s, const char *at, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Skips blanks and comments; the place of the next token. */
const char *lm_scan_here (LmScan *s);

/* Takes the character (after blanks) if it is next; lm_scan_expect fails where it is not. */
bool lm_scan_accept (LmScan *s, char c);
bool lm_scan_expect (LmScan *s, char c);

/* Takes the longest run of letters, digits and the characters of extra. what: for the error. */
bool lm_scan_word (LmScan *s, const char *extra, const char *what, LmToken *out);
bool lm_token_is (const LmToken *token, const char *word);

/* An integer of int64. */
bool lm_scan_int (LmScan *s, int64_t *out);

/* "..." with escapes; appended to out, which may hold any bytes. */
bool lm_scan_string (LmScan *s, GString *out);

/* The layer path behind an equation: a comment on the same line, unescaped; else out stays empty. */
bool lm_scan_path (LmScan *s, GString *out);

#endif
