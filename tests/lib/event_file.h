/* SPDX-License-Identifier: Apache-2.0 */
/* Reads TensorBoard's event files, independent of what writes them. */
#ifndef LM_TEST_EVENT_FILE_H
#define LM_TEST_EVENT_FILE_H

#include <glib.h>
#include <stdint.h>

/* A part of a file: a message of protocol buffers, or a string. */
typedef struct LmTestBytes {
  const guint8 *at, *end;
} LmTestBytes;

/* n bytes, little endian. */
uint64_t lm_test_little (const guint8 *p, guint n);

/* The next field's number; numbers to *value, bytes to *inner. 0 at the end. */
guint lm_test_field (LmTestBytes *r, uint64_t *value, LmTestBytes *inner);

/* Field `number` of a message; the test fails when it is not there. */
LmTestBytes lm_test_find (LmTestBytes message, guint number, uint64_t *value);
uint64_t lm_test_find_number (LmTestBytes message, guint number);

/* The records of a file, CRCs checked: LmTestBytes each, parts of data. */
GArray *lm_test_records (const char *data, gsize n);

/* One value of an event. */
typedef struct LmTestEntry {
  uint64_t step;
  char *tag;
  guint kind;   /* the field that holds it: 2 a number, 4 an image, 8 a tensor (text, histogram) */
  float number; /* of kind 2 */
  char *text;   /* of kind 8, NULL: not a text */
} LmTestEntry;

/* Those of the one event file in a folder, without its version record. */
GArray *lm_test_entries (const char *folder);
/* By step and tag; NULL: none. */
const LmTestEntry *lm_test_entry (GArray *entries, uint64_t step, const char *tag);

#endif
