/* SPDX-License-Identifier: Apache-2.0 */
/* How reductions and scatter combine two elements, and what they start from. */
#include "reference.h"

#include <math.h>

double
ref_identity_float (int32_t combine)
{
  switch (combine) {
  case KIT_COMBINE_MULTIPLY:
    return 1;
  case KIT_COMBINE_MAXIMUM:
    return -INFINITY;
  case KIT_COMBINE_MINIMUM:
    return INFINITY;
  default:
    return 0;
  }
}

/* Smallest and largest element of an integer dtype, as wide elements. */
static int64_t
least (lam_dtype dtype)
{
  if (!lam_dtype_is_signed (dtype))
    return 0;
  return INT64_MIN >> (64 - lam_dtype_bits (dtype));
}

static int64_t
greatest (lam_dtype dtype)
{
  if (dtype == LAM_PRED)
    return 1;
  if (lam_dtype_is_signed (dtype))
    return INT64_MAX >> (64 - lam_dtype_bits (dtype));
  return (int64_t)(UINT64_MAX >> (64 - lam_dtype_bits (dtype)));
}

int64_t
ref_identity_int (int32_t combine, lam_dtype dtype)
{
  switch (combine) {
  case KIT_COMBINE_MULTIPLY:
    return 1;
  case KIT_COMBINE_MAXIMUM:
    return least (dtype);
  case KIT_COMBINE_MINIMUM:
    return greatest (dtype);
  case KIT_COMBINE_AND:
    return dtype == LAM_PRED ? 1 : -1;
  default:
    return 0;
  }
}

double
ref_combine_float (int32_t combine, double a, double b)
{
  switch (combine) {
  case KIT_COMBINE_ADD:
    return a + b;
  case KIT_COMBINE_MULTIPLY:
    return a * b;
  case KIT_COMBINE_MAXIMUM:
    if (isnan (a) || isnan (b))
      return NAN;
    if (a == b) /* +0 above -0 */
      return signbit (a) ? b : a;
    return a > b ? a : b;
  case KIT_COMBINE_MINIMUM:
    if (isnan (a) || isnan (b))
      return NAN;
    if (a == b)
      return signbit (a) ? a : b;
    return a < b ? a : b;
  default: /* update */
    return b;
  }
}

int64_t
ref_combine_int (int32_t combine, lam_dtype dtype, int64_t a, int64_t b)
{
  bool above = lam_dtype_is_signed (dtype) ? a > b : (uint64_t)a > (uint64_t)b;

  switch (combine) {
  case KIT_COMBINE_ADD:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  case KIT_COMBINE_MULTIPLY:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case KIT_COMBINE_MAXIMUM:
    return above ? a : b;
  case KIT_COMBINE_MINIMUM:
    return above ? b : a;
  case KIT_COMBINE_AND:
    return a & b;
  case KIT_COMBINE_OR:
    return a | b;
  default:
    return b;
  }
}
