/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that cases run on, from a seeded generator: ordinary ones, and those that backends get
 * wrong. */
#include "core/conformance/cases.h"

#include <math.h>
#include <string.h>

/* --- storing --------------------------------------------------------------------------------------- */

/* The low bits of x as an element. */
static void
store_bits (lam_dtype dtype, void *data, int64_t i, uint64_t x)
{
  switch (lam_dtype_bits (dtype)) {
  case 64:
    ((uint64_t *)data)[i] = x;
    break;
  case 32:
    ((uint32_t *)data)[i] = (uint32_t)x;
    break;
  case 16:
    ((uint16_t *)data)[i] = (uint16_t)x;
    break;
  default:
    ((uint8_t *)data)[i] = dtype == LAM_PRED ? x & 1 : (uint8_t)x;
    break;
  }
}

static uint64_t
random_bits (GRand *rand)
{
  return (uint64_t)g_rand_int (rand) << 32 | g_rand_int (rand);
}

static guint
below (GRand *rand, guint n)
{
  return (guint)g_rand_int_range (rand, 0, (gint32)n);
}

/* --- floats ----------------------------------------------------------------------------------------- */

/* Smallest normal number's exponent, smallest number's, largest exponent, digits. */
typedef struct Format {
  int normal, least, most, digits;
} Format;

static Format
format_of (lam_dtype dtype)
{
  return dtype == LAM_F64   ? (Format) {-1022, -1074, 1023, 53}
         : dtype == LAM_F32 ? (Format) {-126, -149, 127, 24}
         : dtype == LAM_F16 ? (Format) {-14, -24, 15, 11}
                            : (Format) {-126, -133, 127, 8};
}

/* What implementations trip over: zeros, halves on their way to a whole number, ends of the range, the
 * places where exponentials overflow or vanish, integers at the edge of other dtypes. */
static double
landmark (GRand *rand, lam_dtype dtype)
{
  static const double common[] = {
      0.0,     -0.0,   1.0,       -1.0,      0.5,   -0.5,       1.5,          -1.5,        2.5,
      -2.5,    3.0,    -3.0,      0.1,       -0.1,  88.7,       -87.4,        -103.,       709.7,
      -745.,   11.0,   -9.75,     127.5,     128.0, 255.,       256.0,        -128.0,      -128.75,
      -129.0,  32767,  32768,     65535,     65536, 2147483648, -2147483648., 4294967296., 0x1p63,
      -0x1p63, 0x1p64, 1.5707964, 3.1415927, 1e30,  -1e-30};
  Format f = format_of (dtype);
  double sign = g_rand_boolean (rand) ? 1 : -1;
  switch (below (rand, 12)) {
  case 0:
    return sign * INFINITY;
  case 1:
    return sign * NAN;
  case 2:
    return sign * ldexp (1, f.least);
  case 3:
    return sign * ldexp (1 + below (rand, 100), f.least);
  case 4:
    return sign * ldexp (1, f.normal);
  case 5:
    return sign * (ldexp (1, f.most) + ldexp (1 - ldexp (1, 1 - f.digits), f.most));
  case 6:
    return sign * (1 + ldexp (1, 1 - f.digits));
  default:
    return common[below (rand, G_N_ELEMENTS (common))];
  }
}

/* Bits with the highest of the fraction set where they are a NaN. */
static uint64_t
quiet (lam_dtype dtype, uint64_t bits)
{
  uint32_t width = lam_dtype_bits (dtype), fraction = (uint32_t)format_of (dtype).digits - 1;
  uint64_t exponent = (UINT64_C (1) << (width - 1 - fraction)) - 1;
  uint64_t highest = UINT64_C (1) << (fraction - 1);
  bool special = (bits >> fraction & exponent) == exponent;
  return special && (bits & (2 * highest - 1)) != 0 ? bits | highest : bits;
}

static void
draw_special_float (GRand *rand, LmArray *array, int64_t i)
{
  lam_dtype dtype = array->type.dtype;
  switch (below (rand, 8)) {
  case 0:
    store_bits (dtype, array->data, i, quiet (dtype, random_bits (rand)));
    break;
  case 1:
  case 2:
    lm_array_set_double (array, i, landmark (rand, dtype));
    break;
  case 3:
    lm_array_set_double (array, i, (double)g_rand_int_range (rand, -20, 21) / 2);
    break;
  default:
    lm_array_set_double (array, i, g_rand_double_range (rand, -4, 4));
    break;
  }
}

static double
draw_float (GRand *rand, LmDraw draw)
{
  static const double ties[] = {0.0, -0.0, 1.0, -1.0, 2.0, 0.5, INFINITY, -INFINITY, NAN, -NAN};
  double sign;
  switch (draw) {
  case LM_DRAW_SPARSE:
    if (below (rand, 40) == 0)
      return below (rand, 2) == 0 ? NAN : below (rand, 2) == 0 ? INFINITY : -INFINITY;
    return g_rand_double_range (rand, -2, 2);
  case LM_DRAW_TIES: /* a NaN ends every contest: rare */
    return ties[below (rand, below (rand, 6) == 0 ? 10 : 6)];
  case LM_DRAW_DISTINCT:
    return (double)g_rand_int_range (rand, -6, 7) / 2;
  case LM_DRAW_POSITIVE:
    return g_rand_double_range (rand, 0.25, 1);
  case LM_DRAW_FACTORS:
    sign = g_rand_boolean (rand) ? 1 : -1;
    return sign * g_rand_double_range (rand, 0.9, 1.1);
  default:
    return g_rand_double_range (rand, -2, 2);
  }
}

/* --- integers ---------------------------------------------------------------------------------------- */

static uint64_t
draw_int (GRand *rand, lam_dtype dtype, LmDraw draw)
{
  uint32_t bits = lam_dtype_bits (dtype);
  if (draw == LM_DRAW_TIES || draw == LM_DRAW_DISTINCT)
    return (uint64_t)(int64_t)g_rand_int_range (rand, -3, 4);
  if (draw != LM_DRAW_SPECIAL)
    return random_bits (rand);
  switch (below (rand, 6)) {
  case 0:
    return (uint64_t)(int64_t)g_rand_int_range (rand, -3, 4);
  case 1: /* shift amounts around the width */
    return below (rand, bits + 3);
  case 2: /* the ends: 0x80.. and 0x7f.. */
    return (UINT64_C (1) << (bits - 1)) - below (rand, 2);
  case 3: /* a float's digits end here */
    return (UINT64_C (1) << below (rand, bits)) + below (rand, 2);
  default:
    return random_bits (rand);
  }
}

/* Mostly inside, often just outside, sometimes as far as the dtype goes. */
static uint64_t
draw_index (GRand *rand, lam_dtype dtype, int64_t bound)
{
  uint32_t bits = lam_dtype_bits (dtype);
  switch (below (rand, 12)) {
  case 0:
    return (UINT64_C (1) << (bits - 1)) - below (rand, 2);
  case 1:
    return random_bits (rand);
  case 2:
  case 3:
    return (uint64_t)(int64_t)g_rand_int_range (rand, -4, (gint32)bound + 5);
  default:
    return below (rand, (guint)bound);
  }
}

/* --- arrays ------------------------------------------------------------------------------------------- */

static void
draw_every (const LmDrawing *d, lam_dtype dtype, void *data, int64_t i)
{
  uint64_t bits = (uint64_t)i >> (d->param * lam_dtype_bits (dtype));
  store_bits (dtype, data, i, lam_dtype_is_float (dtype) ? quiet (dtype, bits) : bits);
}

LmArray *
lm_case_draw (const LmDrawing *d, const lam_type *type, GError **error)
{
  LmArray *array = lm_array_new (type, error);
  int64_t n = array != NULL ? lam_type_elements (type) : 0;
  for (int64_t i = 0; i < n; i++)
    if (d->bound > 0)
      store_bits (type->dtype, array->data, i, draw_index (d->rand, type->dtype, d->bound));
    else if (d->draw == LM_DRAW_EVERY)
      draw_every (d, type->dtype, array->data, i);
    else if (!lam_dtype_is_float (type->dtype))
      store_bits (type->dtype, array->data, i, draw_int (d->rand, type->dtype, d->draw));
    else if (d->draw == LM_DRAW_SPECIAL)
      draw_special_float (d->rand, array, i);
    else
      lm_array_set_double (array, i, draw_float (d->rand, d->draw));
  return array;
}
