/* SPDX-License-Identifier: Apache-2.0 */
/* One element of any dtype as text and back, bit for bit, without the locale. */
#include "core/ir/text_number.h"

#include "core/base/array.h"

#include <math.h>
#include <string.h>

static uint64_t
load_bits (lam_dtype dtype, const void *p)
{
  uint64_t bits = 0;

  memcpy (&bits, p, lam_dtype_bits (dtype) / 8); /* little-endian hosts only */
  return bits;
}

static uint64_t
default_nan (lam_dtype dtype)
{
  switch (dtype) {
  case LAM_F64:
    return UINT64_C (0x7ff8000000000000);
  case LAM_F32:
    return 0x7fc00000u;
  case LAM_F16:
    return 0x7e00u;
  default:
    return 0x7fc0u; /* bf16 */
  }
}

static double
load_float (lam_dtype dtype, const void *p)
{
  uint64_t bits = load_bits (dtype, p);
  float f;
  double d;

  switch (dtype) {
  case LAM_F64:
    memcpy (&d, &bits, sizeof d);
    return d;
  case LAM_F32:
    memcpy (&f, &bits, sizeof f);
    return (double)f;
  case LAM_F16:
    return (double)lm_f16_to_f32 ((uint16_t)bits);
  default:
    return (double)lm_bf16_to_f32 ((uint16_t)bits);
  }
}

/* False when d is finite and too large for the dtype. */
static bool
store_float (lam_dtype dtype, double d, void *p)
{
  float f = (float)d;
  uint16_t h = dtype == LAM_F16 ? lm_f32_to_f16 (f) : lm_f32_to_bf16 (f);

  if (dtype == LAM_F64)
    memcpy (p, &d, sizeof d);
  else if (dtype == LAM_F32)
    memcpy (p, &f, sizeof f);
  else
    memcpy (p, &h, sizeof h);
  return !isfinite (d) || isfinite (load_float (dtype, p));
}

/* --- printing --------------------------------------------------------------------------------- */

static void
print_float (GString *out, lam_dtype dtype, const void *p)
{
  double d = load_float (dtype, p);
  uint64_t bits = load_bits (dtype, p), again = 0;
  char format[8], text[64] = "";

  if (isnan (d)) {
    if (bits == default_nan (dtype))
      g_string_append (out, "nan");
    else
      g_string_append_printf (out, "0x%0*" G_GINT64_MODIFIER "x", (int)lam_dtype_bits (dtype) / 4,
                              bits);
    return;
  }
  if (isinf (d)) {
    g_string_append (out, d < 0 ? "-inf" : "inf");
    return;
  }
  if (floor (d) == d && fabs (d) < 1e7) {
    g_string_append (out, g_ascii_formatd (text, sizeof text, "%.1f", d));
    return;
  }
  for (int digits = 1; digits <= 17; digits++) {
    g_snprintf (format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd (text, sizeof text, format, d);
    if (store_float (dtype, g_ascii_strtod (text, NULL), &again)
        && load_bits (dtype, &again) == bits)
      break;
  }
  g_string_append (out, text);
  if (strpbrk (text, ".e") == NULL)
    g_string_append (out, ".0");
}

void
lm_number_print (GString *out, lam_dtype dtype, const void *p)
{
  uint64_t bits = load_bits (dtype, p);
  unsigned unused = 64 - lam_dtype_bits (dtype);

  if (lam_dtype_is_float (dtype))
    print_float (out, dtype, p);
  else if (dtype == LAM_PRED)
    g_string_append (out, bits != 0 ? "true" : "false");
  else if (lam_dtype_is_signed (dtype))
    g_string_append_printf (out, "%" G_GINT64_FORMAT, (int64_t)(bits << unused) >> unused);
  else
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, bits);
}

/* --- parsing ---------------------------------------------------------------------------------- */

static bool
parse_hex (const char *token, gsize n, lam_dtype dtype, void *p)
{
  uint64_t bits = 0;

  if (n < 3 || n - 2 > lam_dtype_bits (dtype) / 4)
    return false;
  for (gsize i = 2; i < n; i++) {
    if (!g_ascii_isxdigit (token[i]))
      return false;
    bits = bits << 4 | (uint64_t)g_ascii_xdigit_value (token[i]);
  }
  memcpy (p, &bits, lam_dtype_bits (dtype) / 8);
  return true;
}

static bool
parse_float (const char *token, gsize n, lam_dtype dtype, void *p)
{
  char text[LM_NUMBER_MAX + 1], *end;
  uint64_t nan_bits = default_nan (dtype);
  double d;

  if (n >= 2 && token[0] == '0' && token[1] == 'x')
    return parse_hex (token, n, dtype, p);
  if (n == 3 && memcmp (token, "nan", 3) == 0) {
    memcpy (p, &nan_bits, lam_dtype_bits (dtype) / 8);
    return true;
  }
  if (n == 3 && memcmp (token, "inf", 3) == 0)
    return store_float (dtype, HUGE_VAL, p);
  if (n == 4 && memcmp (token, "-inf", 4) == 0)
    return store_float (dtype, -HUGE_VAL, p);
  if (n == 0 || n > LM_NUMBER_MAX)
    return false;
  memcpy (text, token, n);
  text[n] = '\0';
  if (strspn (text, "0123456789+-.eE") != n)
    return false;
  d = g_ascii_strtod (text, &end);
  return end == text + n && isfinite (d) && store_float (dtype, d, p);
}

static bool
parse_int (const char *token, gsize n, lam_dtype dtype, void *p)
{
  bool negative = n > 0 && token[0] == '-';
  unsigned bits = lam_dtype_bits (dtype);
  uint64_t magnitude = 0, limit;

  if (n <= (gsize)negative)
    return false;
  for (gsize i = negative; i < n; i++) {
    if (!g_ascii_isdigit (token[i]) || __builtin_mul_overflow (magnitude, 10u, &magnitude)
        || __builtin_add_overflow (magnitude, (uint64_t)(token[i] - '0'), &magnitude))
      return false;
  }
  if (lam_dtype_is_signed (dtype))
    limit = (UINT64_C (1) << (bits - 1)) - (negative ? 0 : 1);
  else
    limit = negative ? 0 : UINT64_MAX >> (64 - bits);
  if (magnitude > limit)
    return false;
  if (negative)
    magnitude = -magnitude;
  memcpy (p, &magnitude, bits / 8);
  return true;
}

bool
lm_number_parse (const char *token, gsize n, lam_dtype dtype, void *p)
{
  bool yes = n == 4 && memcmp (token, "true", 4) == 0;

  if (lam_dtype_is_float (dtype))
    return parse_float (token, n, dtype, p);
  if (dtype != LAM_PRED)
    return parse_int (token, n, dtype, p);
  *(uint8_t *)p = yes;
  return yes || (n == 5 && memcmp (token, "false", 5) == 0);
}
