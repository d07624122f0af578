/* SPDX-License-Identifier: Apache-2.0 */
/* The one GError domain of the core, and helpers for messages that say what, where, wanted, got. */
#ifndef LM_BASE_ERROR_H
#define LM_BASE_ERROR_H

#include <glib.h>
#include <lamina/types.h>

#define LM_ERROR (lm_error_quark ())

/* Codes; the tool maps them to exit codes, the API shows them as LaminaError. */
typedef enum {
  LM_ERROR_INVALID = 1,     /* a value, shape, dtype or config key is wrong */
  LM_ERROR_NOT_FOUND = 2,   /* file, key, plugin, layer, device */
  LM_ERROR_CORRUPT = 3,     /* data do not follow their format */
  LM_ERROR_IO = 4,          /* the operating system refused */
  LM_ERROR_UNSUPPORTED = 5, /* valid, but this build or plugin cannot */
  LM_ERROR_DENIED = 6,      /* not trusted, not permitted */
  LM_ERROR_PLUGIN = 7,      /* a plugin was refused or misbehaved */
  LM_ERROR_NO_MEMORY = 8,
  LM_ERROR_CANCELLED = 9,
  LM_ERROR_INTERNAL = 10,
  LM_ERROR_PEER = 11, /* another replica failed, and says why */
} LmErrorCode;

GQuark lm_error_quark (void);

/* LmErrorCode for a plugin's status (LAM_E_*). */
LmErrorCode lm_error_from_status (lam_status status);

/* Adds a problem to those found so far: messages are joined by newlines, the code stays the first's.
 * problem is taken; NULL adds nothing. After 4 KiB of messages the rest is only said to be there. */
void lm_error_join (GError **all, GError *problem);

/* The candidate nearest to `word` by edit distance, or NULL when none is near (distance above
 * max (1, len / 3)). candidates is NULL-terminated; the result points into it. */
const char *lm_did_you_mean (const char *word, const char *const *candidates);

/* Appends "; did you mean "x"?" when there is a near candidate. */
void lm_append_did_you_mean (GString *message, const char *word, const char *const *candidates);

/* "f32[2,3]" for messages and the text form. Append form and allocated form. */
void lm_type_print (GString *out, const lam_type *type);
char *lm_type_to_string (const lam_type *type);

/* dtype by name ("f32"); LAM_DTYPE_NONE if unknown. */
lam_dtype lm_dtype_from_name (const char *name);

/* True if both dtype and shape are equal. */
bool lm_type_equal (const lam_type *a, const lam_type *b);

/* Elements and bytes with overflow checks; false (and nothing written) when a dim is negative, the
 * rank is above LAM_MAX_RANK or the product overflows int64. */
bool lm_type_checked_bytes (const lam_type *type, int64_t *out_elements, int64_t *out_bytes);

/* Builds a type: lm_type (LAM_F32, 2, (int64_t[]){ 2, 3 }). */
lam_type lm_type (lam_dtype dtype, int32_t rank, const int64_t *dims);
lam_type lm_scalar_type (lam_dtype dtype);

#endif
