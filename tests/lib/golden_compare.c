/* SPDX-License-Identifier: Apache-2.0 */
/* Compares arrays with golden vectors by the tolerance modes of tests/golden/README.md. */
#include "tests/lib/golden.h"

#include <math.h>
#include <string.h>

static float
float_of_bits (uint32_t bits)
{
  float x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

/* Exact: every binary16 is a binary32. */
static double
half_value (uint16_t bits)
{
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  double magnitude;

  if (exponent == 31)
    magnitude = fraction == 0 ? INFINITY : NAN;
  else if (exponent == 0)
    magnitude = ldexp (fraction, -24);
  else
    magnitude = ldexp (1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double
lm_golden_value (lam_dtype dtype, const void *data, int64_t i)
{
  switch (dtype) {
  case LAM_F64:
    return ((const double *)data)[i];
  case LAM_F32:
    return ((const float *)data)[i];
  case LAM_F16:
    return half_value (((const uint16_t *)data)[i]);
  case LAM_BF16:
    return float_of_bits ((uint32_t)((const uint16_t *)data)[i] << 16);
  case LAM_I64:
    return (double)((const int64_t *)data)[i];
  case LAM_I32:
    return ((const int32_t *)data)[i];
  case LAM_I16:
    return ((const int16_t *)data)[i];
  case LAM_I8:
    return ((const int8_t *)data)[i];
  case LAM_U64:
    return (double)((const uint64_t *)data)[i];
  case LAM_U32:
    return ((const uint32_t *)data)[i];
  case LAM_U16:
    return ((const uint16_t *)data)[i];
  default:
    return ((const uint8_t *)data)[i];
  }
}

/* The bits of a float as an integer that grows with the value; both zeros give 0. */
static int64_t
ordered (lam_dtype dtype, const void *data, int64_t i)
{
  uint64_t bits, sign;
  uint32_t width = lam_dtype_bits (dtype);

  if (width == 64)
    bits = ((const uint64_t *)data)[i];
  else if (width == 32)
    bits = ((const uint32_t *)data)[i];
  else
    bits = ((const uint16_t *)data)[i];
  sign = (uint64_t)1 << (width - 1);
  return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

double
lm_golden_ulps (lam_dtype dtype, const void *a, const void *b, int64_t i)
{
  double x = lm_golden_value (dtype, a, i), y = lm_golden_value (dtype, b, i);
  int64_t p, q;

  if (isnan (x) && isnan (y))
    return 0;
  if (isnan (x) || isnan (y) || ((isinf (x) || isinf (y)) && x != y))
    return INFINITY;
  p = ordered (dtype, a, i);
  q = ordered (dtype, b, i);
  return p > q ? (double)((uint64_t)p - (uint64_t)q) : (double)((uint64_t)q - (uint64_t)p);
}

static bool
same_bits (const LmGoldenTensor *want, const void *got, int64_t i)
{
  gsize width = lam_dtype_bits (want->type.dtype) / 8;

  return memcmp ((const char *)want->data + (gsize)i * width, (const char *)got + (gsize)i * width,
                 width)
         == 0;
}

static bool
within (const LmGoldenTensor *want, const void *got, int64_t i, const LmGoldenTolerance *t)
{
  lam_dtype dtype = want->type.dtype;
  double x, y;

  if (same_bits (want, got, i))
    return true;
  if (!lam_dtype_is_float (dtype))
    return false;
  x = lm_golden_value (dtype, want->data, i);
  y = lm_golden_value (dtype, got, i);
  if (isnan (x) || isnan (y))
    return isnan (x) && isnan (y);
  if (t->mode == LM_GOLDEN_BITS || t->mode == LM_GOLDEN_EITHER_CASE)
    return false;
  if (isinf (x) || isinf (y))
    return x == y;
  if (t->mode == LM_GOLDEN_CLOSE)
    return fabs (x - y) <= t->atol + t->rtol * fabs (x);
  return lm_golden_ulps (dtype, want->data, got, i) <= t->ulp || fabs (x - y) <= t->atol;
}

static void
print_element (GString *out, lam_dtype dtype, const void *data, int64_t i)
{
  if (dtype == LAM_I64)
    g_string_append_printf (out, "%" G_GINT64_FORMAT, ((const int64_t *)data)[i]);
  else if (dtype == LAM_U64)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, ((const uint64_t *)data)[i]);
  else {
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append (out, g_ascii_dtostr (text, sizeof text, lm_golden_value (dtype, data, i)));
  }
}

/* Appends the first difference and the number of them. */
static void
explain (const char *label, const LmGoldenTensor *want, const void *got, const int64_t at[2],
         GString *why)
{
  lam_dtype dtype = want->type.dtype;
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (why, "%s: element %" G_GINT64_FORMAT " of %s[", label, at[0],
                          lam_dtype_name (dtype));
  for (int32_t d = 0; d < want->type.rank; d++)
    g_string_append_printf (why, "%s%" G_GINT64_FORMAT, d > 0 ? "," : "", want->type.dims[d]);
  g_string_append (why, "]: wanted ");
  print_element (why, dtype, want->data, at[0]);
  g_string_append (why, ", got ");
  print_element (why, dtype, got, at[0]);
  if (lam_dtype_is_float (dtype))
    g_string_append_printf (
        why, " (%s ulp apart)",
        g_ascii_dtostr (text, sizeof text, lm_golden_ulps (dtype, want->data, got, at[0])));
  g_string_append_printf (why, "; %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " differ\n", at[1],
                          want->elements);
}

bool
lm_golden_compare_arrays (const char *label, const LmGoldenTensor *want, const LmGoldenTensor *ref,
                          const void *got, const LmGoldenTolerance *t, GString *why)
{
  int64_t at[2] = {-1, 0}; /* first difference, number of them */

  for (int64_t i = 0; i < want->elements; i++) {
    if (within (want, got, i, t) || (ref != NULL && within (ref, got, i, t)))
      continue;
    if (at[1]++ == 0)
      at[0] = i;
  }
  if (at[1] > 0)
    explain (label, want, got, at, why);
  return at[1] == 0;
}

bool
lm_golden_compare_with (const LmGolden *g, const LmGoldenCase *c, const char *section,
                        const char *name, const void *got, gsize nbytes, const LmGoldenTolerance *t,
                        GString *why)
{
  g_autofree char *label = g_strdup_printf ("%s: %s/%s", c->id, section, name);
  LmGoldenTensor want, ref;
  bool has_ref;

  if (!lm_golden_tensor (g, c, section, name, &want)) {
    g_string_append_printf (why, "%s: the case has no such tensor\n", label);
    return false;
  }
  if (t->mode == LM_GOLDEN_NONE) {
    g_string_append_printf (why, "%s: the case has no tolerance\n", label);
    return false;
  }
  if (nbytes != want.nbytes) {
    g_string_append_printf (why, "%s: wanted %" G_GSIZE_FORMAT " bytes, got %" G_GSIZE_FORMAT "\n",
                            label, want.nbytes, nbytes);
    return false;
  }
  has_ref = t->mode == LM_GOLDEN_EITHER && strcmp (section, "out") == 0
            && lm_golden_tensor (g, c, "ref", name, &ref);
  return lm_golden_compare_arrays (label, &want, has_ref ? &ref : NULL, got, t, why);
}

bool
lm_golden_compare (const LmGolden *g, const LmGoldenCase *c, const char *section, const char *name,
                   const void *got, gsize nbytes, GString *why)
{
  return lm_golden_compare_with (g, c, section, name, got, nbytes, &c->tolerance, why);
}
