/* SPDX-License-Identifier: Apache-2.0 */
/* The error domain, "did you mean", and the text of a type. */
#include "core/base/error.h"

#include <string.h>

/* Longer words are not typos worth a search: the table stays on the stack. */
#define MAX_WORD 128

/* Bytes of joined messages. */
#define MAX_JOINED 4096

GQuark
lm_error_quark (void)
{
  return g_quark_from_static_string ("lamina-error-quark");
}

LmErrorCode
lm_error_from_status (lam_status status)
{
  switch (status) {
  case LAM_E_INVALID:
  case LAM_E_EXISTS:
    return LM_ERROR_INVALID;
  case LAM_E_NOT_FOUND:
  case LAM_E_NO_DEVICE:
    return LM_ERROR_NOT_FOUND;
  case LAM_E_UNSUPPORTED:
  case LAM_E_STALE:
    return LM_ERROR_UNSUPPORTED;
  case LAM_E_IO:
  case LAM_E_BUSY:
  case LAM_E_TIMEOUT:
    return LM_ERROR_IO;
  case LAM_E_PEER:
    return LM_ERROR_PEER;
  case LAM_E_CORRUPT:
    return LM_ERROR_CORRUPT;
  case LAM_E_NO_MEMORY:
    return LM_ERROR_NO_MEMORY;
  case LAM_E_CANCELLED:
    return LM_ERROR_CANCELLED;
  case LAM_E_DENIED:
    return LM_ERROR_DENIED;
  case LAM_E_ABI:
  case LAM_E_INTERNAL: /* a fault in the callee, which is a plugin */
    return LM_ERROR_PLUGIN;
  default:
    return LM_ERROR_INTERNAL;
  }
}

void
lm_error_join (GError **all, GError *problem)
{
  static const char more[] = "\n(there are more problems)";
  if (problem == NULL)
    return;
  if (*all == NULL) {
    *all = problem;
    return;
  }
  char *before = (*all)->message;
  if (g_str_has_suffix (before, more)) {
    g_error_free (problem);
    return;
  }
  bool full = strlen (before) + strlen (problem->message) > MAX_JOINED;
  (*all)->message =
      full ? g_strconcat (before, more, NULL) : g_strconcat (before, "\n", problem->message, NULL);
  g_free (before);
  g_error_free (problem);
}

/* Edits between two words of at most MAX_WORD bytes: insert, delete, change, swap of neighbours. */
static size_t
edit_distance (const char *a, size_t na, const char *b, size_t nb)
{
  size_t rows[3][MAX_WORD + 1];
  size_t *before = rows[0], *last = rows[1], *row = rows[2];

  for (size_t j = 0; j <= nb; j++)
    last[j] = j;
  for (size_t i = 1; i <= na; i++) {
    row[0] = i;
    for (size_t j = 1; j <= nb; j++) {
      row[j] = MIN (last[j - 1] + (a[i - 1] != b[j - 1]), MIN (last[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = MIN (row[j], before[j - 2] + 1);
    }
    size_t *free_row = before;
    before = last;
    last = row;
    row = free_row;
  }
  return last[nb];
}

const char *
lm_did_you_mean (const char *word, const char *const *candidates)
{
  const char *best = NULL;
  size_t n, nearest;

  g_return_val_if_fail (word != NULL && candidates != NULL, NULL);
  n = strlen (word);
  if (n > MAX_WORD)
    return NULL;
  nearest = MAX (1, n / 3) + 1;
  for (; *candidates != NULL; candidates++) {
    size_t m = strlen (*candidates);
    size_t distance = m > MAX_WORD ? nearest : edit_distance (word, n, *candidates, m);
    if (distance < nearest) {
      nearest = distance;
      best = *candidates;
    }
  }
  return best;
}

void
lm_append_did_you_mean (GString *message, const char *word, const char *const *candidates)
{
  const char *near = lm_did_you_mean (word, candidates);

  if (near != NULL)
    g_string_append_printf (message, "; did you mean \"%s\"?", near);
}

void
lm_type_print (GString *out, const lam_type *type)
{
  g_string_append (out, lam_dtype_name (type->dtype));
  g_string_append_c (out, '[');
  for (int32_t i = 0; i < type->rank && i < LAM_MAX_RANK; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", type->dims[i]);
  g_string_append_c (out, ']');
}

char *
lm_type_to_string (const lam_type *type)
{
  GString *out = g_string_new (NULL);

  lm_type_print (out, type);
  return g_string_free (out, FALSE);
}

lam_dtype
lm_dtype_from_name (const char *name)
{
  for (lam_dtype dtype = LAM_F64; dtype <= LAM_PRED; dtype++)
    if (strcmp (lam_dtype_name (dtype), name) == 0)
      return dtype;
  return LAM_DTYPE_NONE;
}

bool
lm_type_equal (const lam_type *a, const lam_type *b)
{
  if (a->dtype != b->dtype || a->rank != b->rank)
    return false;
  for (int32_t i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i])
      return false;
  return true;
}

/* dims are multiplied without zeros first: [0, 2^62, 2^62] is refused whatever the order. */
bool
lm_type_checked_bytes (const lam_type *type, int64_t *out_elements, int64_t *out_bytes)
{
  int64_t n = 1, bytes;
  bool empty = false;

  if (type->rank < 0 || type->rank > LAM_MAX_RANK)
    return false;
  for (int32_t i = 0; i < type->rank; i++) {
    if (type->dims[i] < 0)
      return false;
    if (type->dims[i] == 0)
      empty = true;
    else if (__builtin_mul_overflow (n, type->dims[i], &n))
      return false;
  }
  if (__builtin_mul_overflow (n, (int64_t)lam_dtype_bits (type->dtype) / 8, &bytes))
    return false;
  if (out_elements != NULL)
    *out_elements = empty ? 0 : n;
  if (out_bytes != NULL)
    *out_bytes = empty ? 0 : bytes;
  return true;
}

lam_type
lm_type (lam_dtype dtype, int32_t rank, const int64_t *dims)
{
  lam_type type = {dtype, rank, {0}};

  g_return_val_if_fail (rank >= 0 && rank <= LAM_MAX_RANK, type);
  for (int32_t i = 0; i < rank; i++)
    type.dims[i] = dims[i];
  return type;
}

lam_type
lm_scalar_type (lam_dtype dtype)
{
  return lm_type (dtype, 0, NULL);
}
