/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_precision, on the bits of each element. */
#include "reference.h"

#include <stdlib.h>

typedef struct precision_args {
  lam_dtype bits;              /* unsigned integers as wide as the floats */
  uint32_t exponent, mantissa; /* bits of the dtype */
  int64_t to_exponent, to_mantissa;
} precision_args;

static uint64_t
reduce (const precision_args *a, uint64_t u)
{
  uint64_t exponents = ((UINT64_C (1) << a->exponent) - 1) << a->mantissa;
  uint64_t sign = u & UINT64_C (1) << (a->exponent + a->mantissa);
  uint64_t bias = (UINT64_C (1) << (a->exponent - 1)) - 1;

  if ((u & ~sign) > exponents) /* NaN */
    return u;
  if (a->to_mantissa < a->mantissa) {
    uint32_t cut = a->mantissa - (uint32_t)a->to_mantissa;
    uint64_t half = UINT64_C (1) << (cut - 1);
    u += half - 1 + (u >> cut & 1); /* to nearest even; a carry runs into the exponent */
    u = u >> cut << cut;
  }
  if (a->to_exponent < a->exponent) {
    uint64_t own = (UINT64_C (1) << (a->to_exponent - 1)) - 1;
    if ((u & exponents) >> a->mantissa > bias + own)
      return sign | exponents;
    if ((u & exponents) >> a->mantissa <= bias - own)
      return sign;
  }
  return u;
}

static void
run_precision (const ref_step *s)
{
  const precision_args *a = s->args;
  int64_t n = lam_type_elements (ref_out_type (s)), u;

  for (int64_t i = 0; i < n; i++) {
    ref_load_int (a->bits, ref_in (s, 0), i, 1, &u);
    u = (int64_t)reduce (a, (uint64_t)u);
    ref_store_int (a->bits, ref_out (s, 0), i, 1, &u);
  }
}

lam_status
ref_prepare_precision (ref_step *s, const lam_function *f, const lam_equation *e)
{
  static const precision_args formats[] = {{LAM_U64, 11, 52, 0, 0},
                                           {LAM_U32, 8, 23, 0, 0},
                                           {LAM_U16, 5, 10, 0, 0},
                                           {LAM_U16, 8, 7, 0, 0}};
  lam_dtype dtype = ref_out_type (s)->dtype;
  precision_args *a;

  if (e->op != LAM_OP_reduce_precision)
    return LAM_E_UNSUPPORTED;
  a = malloc (sizeof *a);
  if (a == NULL)
    return LAM_E_NO_MEMORY;
  *a = formats[dtype == LAM_F64 ? 0 : dtype == LAM_F32 ? 1 : dtype == LAM_F16 ? 2 : 3];
  a->to_exponent = lam_attr_int (f, e, "exponent_bits", 0);
  a->to_mantissa = lam_attr_int (f, e, "mantissa_bits", 0);
  s->args = a;
  s->run = run_precision;
  return LAM_OK;
}
