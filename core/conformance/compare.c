/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a backend's result with reference's, element by element. */
#include "core/conformance/cases.h"

#include <math.h>
#include <string.h>

static double
epsilon (lam_dtype dtype) /* from 1 to the next number */
{
  return dtype == LAM_F64   ? 0x1p-52
         : dtype == LAM_F32 ? 0x1p-23
         : dtype == LAM_F16 ? 0x1p-10
                            : 0x1p-7;
}

static double
smallest_normal (lam_dtype dtype)
{
  return dtype == LAM_F64 ? 0x1p-1022 : dtype == LAM_F16 ? 0x1p-14 : 0x1p-126;
}

static uint64_t
bits_at (const LmArray *a, int64_t i)
{
  gsize width = lam_dtype_bits (a->type.dtype) / 8;
  uint64_t bits = 0;
  memcpy (&bits, (const char *)a->data + (gsize)i * width, width); /* little-endian */
  return bits;
}

/* The bits of a float as a number that grows with the value, both zeros 0. */
static int64_t
place (const LmArray *a, int64_t i)
{
  uint64_t bits = bits_at (a, i), sign = UINT64_C (1) << (lam_dtype_bits (a->type.dtype) - 1);
  return (bits & sign) != 0 ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

/* Units in the last place between two finite floats; subtracted as integers, f64 has more places than
 * digits. */
static double
ulps_between (const LmArray *a, const LmArray *b, int64_t i)
{
  int64_t x = place (a, i), y = place (b, i);
  return x > y ? (double)((uint64_t)x - (uint64_t)y) : (double)((uint64_t)y - (uint64_t)x);
}

/* --- one element -------------------------------------------------------------------------------------- */

/* A unit in the last place of x in the dtype. */
static double
ulp_of (lam_dtype dtype, double x)
{
  double most = fmax (fabs (x), smallest_normal (dtype));
  return ldexp (epsilon (dtype), ilogb (most));
}

/* How far a sum or product may be off. */
static double
bound (const LmComparison *c, lam_dtype dtype, double want, int64_t i)
{
  double n = c->count != NULL ? fabs (lm_array_get_double (c->count, i)) : 1;
  double size = c->allow == LM_ALLOW_PRODUCT ? fabs (want) : lm_array_get_double (c->size, i);
  double u = epsilon (c->accumulator) / 2;
  double least = c->rule->floor ? (c->accumulator == LAM_F64 ? 0x1p-1074 : 0x1p-149) : 0;
  return 8 * (sqrt (n) + 1) * u * size + n * least + ulp_of (dtype, want);
}

/* Both finite. */
static bool
is_near (LmComparison *c, const LmArray *got, const LmArray *want, int64_t i, double largest)
{
  lam_dtype dtype = want->type.dtype;
  double a = lm_array_get_double (got, i), b = lm_array_get_double (want, i);
  bool narrow = lam_dtype_bits (dtype) == 16;
  double ulps = ulps_between (got, want, i), part;
  switch (c->allow) {
  case LM_ALLOW_BITS:
  case LM_ALLOW_EQUAL:
    /* Rounded to f32 and then to bf16, whose smallest numbers are some of f32's: twice in the same place. */
    if (dtype == LAM_BF16 && c->allow == LM_ALLOW_EQUAL && fabs (b) < smallest_normal (dtype)
        && ulps <= 1)
      return true;
    c->worst_ulps = fmax (c->worst_ulps, ulps);
    return bits_at (got, i) == bits_at (want, i);
  case LM_ALLOW_ULPS:
    if (c->rule->floor && fabs (a - b) <= smallest_normal (dtype))
      return true;
    c->worst_ulps = fmax (c->worst_ulps, ulps);
    return ulps <= c->rule->ulps[narrow];
  case LM_ALLOW_STEP:
    part = fabs (a - b) / (c->rule->ulps[narrow] * epsilon (dtype) / 2 * largest + 0x1p-1000);
    break;
  default:
    part = fabs (a - b) / bound (c, dtype, b, i);
    break;
  }
  c->worst_part = fmax (c->worst_part, part);
  return part <= 1;
}

/* No number says how far apart they are. */
static bool
is_beyond (LmComparison *c)
{
  if (c->allow == LM_ALLOW_SUM || c->allow == LM_ALLOW_PRODUCT || c->allow == LM_ALLOW_STEP)
    c->worst_part = INFINITY;
  else
    c->worst_ulps = INFINITY;
  return false;
}

static bool
element_fits (LmComparison *c, const LmArray *got, const LmArray *want, int64_t i, double largest)
{
  if (bits_at (got, i) == bits_at (want, i))
    return true;
  if (!lam_dtype_is_float (want->type.dtype))
    return is_beyond (c);
  double a = lm_array_get_double (got, i), b = lm_array_get_double (want, i);
  if (isnan (a) || isnan (b))
    return (isnan (a) && isnan (b) && c->allow != LM_ALLOW_BITS) || is_beyond (c);
  /* One rounded up to infinity, the other stayed below: as near as numbers get there. */
  bool at_end = isinf (a) != isinf (b) && signbit (a) == signbit (b);
  if (at_end && c->allow != LM_ALLOW_BITS && c->allow != LM_ALLOW_EQUAL)
    return ulps_between (got, want, i) <= 1;
  return isfinite (a) && isfinite (b) ? is_near (c, got, want, i, largest) : is_beyond (c);
}

/* --- whole arrays -------------------------------------------------------------------------------------- */

static double
largest_of (const LmArray *a)
{
  double most = 0;
  for (int64_t i = 0; i < lam_type_elements (&a->type); i++) {
    double x = fabs (lm_array_get_double (a, i));
    most = isfinite (x) && x > most ? x : most;
  }
  return most;
}

static void
append_element (GString *out, const LmArray *a, int64_t i)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (!lam_dtype_is_float (a->type.dtype)) {
    int64_t x = lm_array_get_int (a, i);
    if (lam_dtype_is_unsigned (a->type.dtype))
      g_string_append_printf (out, "%" G_GUINT64_FORMAT, (uint64_t)x);
    else
      g_string_append_printf (out, "%" G_GINT64_FORMAT, x);
    return;
  }
  double x = lm_array_get_double (a, i);
  g_ascii_formatd (text, sizeof text, a->type.dtype == LAM_F64 ? "%.17g" : "%.9g", x);
  g_string_append_printf (out, "%s (0x%0*" G_GINT64_MODIFIER "x)", text,
                          (int)lam_dtype_bits (a->type.dtype) / 4, bits_at (a, i));
}

static char *
describe (const LmArray *got, const LmArray *want, int64_t at, int64_t wrong)
{
  GString *out = g_string_new (NULL);
  int64_t n = lam_type_elements (&want->type), rest = at, index[LAM_MAX_RANK];
  for (int32_t k = want->type.rank - 1; k >= 0; k--) {
    index[k] = rest % want->type.dims[k];
    rest /= want->type.dims[k];
  }
  g_string_append (out, "element [");
  for (int32_t k = 0; k < want->type.rank; k++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, k > 0 ? "," : "", index[k]);
  g_string_append (out, "]: wanted ");
  append_element (out, want, at);
  g_string_append (out, ", got ");
  append_element (out, got, at);
  g_string_append_printf (
      out, "; %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " elements are too far off", wrong, n);
  return g_string_free (out, FALSE);
}

bool
lm_case_compare (LmComparison *c, const LmArray *got, const LmArray *want, char **out_message)
{
  int64_t n = lam_type_elements (&want->type), wrong = 0, first = 0;
  double largest = c->allow == LM_ALLOW_STEP ? largest_of (want) : 0;
  for (int64_t i = 0; i < n; i++)
    if (!element_fits (c, got, want, i, largest) && wrong++ == 0)
      first = i;
  if (wrong == 0)
    return true;
  *out_message = describe (got, want, first, wrong);
  return false;
}
