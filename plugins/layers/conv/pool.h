/* SPDX-License-Identifier: Apache-2.0 */
/* What the poolings share: values that never win. */
#ifndef LAMINA_LAYERS_POOL_H
#define LAMINA_LAYERS_POOL_H

#include <lamina/layer.h>
#include <string.h>

/* The least value of x's dtype: -inf for floats. */
static inline lam_tensor
pool_lowest (lam_trace *t, lam_tensor x)
{
  lam_dtype dtype = lam_dtype_of (t, x);
  uint32_t bits = lam_dtype_bits (dtype);
  if (lam_dtype_is_float (dtype))
    return lam_scalar (t, dtype, -__builtin_inf ());
  return lam_full_bits (t, dtype, LAM_SCALAR,
                        lam_dtype_is_signed (dtype) ? UINT64_C (1) << (bits - 1) : 0);
}

/* x with `value` where paddings (as x, or sizes 1) are above 0. */
static inline lam_tensor
pool_fill (lam_trace *t, lam_tensor x, lam_tensor paddings, lam_tensor value)
{
  return lam_where (t, lam_gt (t, paddings, lam_zeros_like (t, paddings)), value, x);
}

#endif
