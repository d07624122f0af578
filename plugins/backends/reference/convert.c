/* SPDX-License-Identifier: Apache-2.0 */
/* convert: between all dtypes. */
#include "reference.h"

#include <math.h>

#define BLOCK 256

/* Truncates, saturates; NaN gives 0. */
static int64_t
float_to_int (double x, lam_dtype dtype)
{
  uint32_t bits = lam_dtype_bits (dtype);
  double limit; /* 2^value bits: the first that does not fit */

  if (dtype == LAM_PRED)
    return x != 0;
  if (isnan (x))
    return 0;
  if (lam_dtype_is_signed (dtype)) {
    limit = ldexp (1, (int)bits - 1);
    if (x >= limit)
      return INT64_MAX >> (64 - bits);
    return x < -limit ? INT64_MIN >> (64 - bits) : (int64_t)x;
  }
  limit = ldexp (1, (int)bits);
  if (x >= limit)
    return (int64_t)(UINT64_MAX >> (64 - bits));
  return x <= 0 ? 0 : (int64_t)(uint64_t)x;
}

/* An integer as a double that rounds to any narrower float as the integer itself does: above 2^53 the
 * bits that do not fit are kept as one sticky bit (rounding to odd). */
static double
int_to_double (int64_t i, lam_dtype from, lam_dtype to)
{
  bool negative = lam_dtype_is_signed (from) && i < 0;
  uint64_t m = negative ? 0 - (uint64_t)i : (uint64_t)i;
  uint64_t odd = m;
  double x;

  if (to != LAM_F64 && m >> 53 != 0) {
    int shift = 11 - __builtin_clzll (m);
    odd = m >> shift << shift;
    if (odd != m)
      odd |= UINT64_C (1) << shift;
  }
  x = (double)odd;
  return negative ? -x : x;
}

static void
run_convert (const ref_step *s)
{
  lam_dtype from = ref_in_type (s, 0)->dtype, to = ref_out_type (s)->dtype;
  int64_t n = lam_type_elements (ref_out_type (s));
  double x[BLOCK];
  int64_t v[BLOCK];

  for (int64_t at = 0; at < n; at += BLOCK) {
    int64_t m = n - at < BLOCK ? n - at : BLOCK;
    if (lam_dtype_is_float (from)) {
      ref_load_float (from, ref_in (s, 0), at, m, x);
      for (int64_t i = 0; i < m && !lam_dtype_is_float (to); i++)
        v[i] = float_to_int (x[i], to);
    } else {
      ref_load_int (from, ref_in (s, 0), at, m, v);
      for (int64_t i = 0; i < m && lam_dtype_is_float (to); i++)
        x[i] = int_to_double (v[i], from, to);
    }
    if (lam_dtype_is_float (to))
      ref_store_float (to, ref_out (s, 0), at, m, x);
    else
      ref_store_int (to, ref_out (s, 0), at, m, v);
  }
}

lam_status
ref_prepare_convert (ref_step *s, const lam_function *f, const lam_equation *e)
{
  (void)f;
  if (e->op != LAM_OP_convert)
    return LAM_E_UNSUPPORTED;
  s->run = run_convert;
  return LAM_OK;
}
