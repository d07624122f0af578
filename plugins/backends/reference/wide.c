/* SPDX-License-Identifier: Apache-2.0 */
/* Every dtype as double or int64_t, and back with one rounding or truncation. */
#include "reference.h"

#include <kit/float16.h>

void
ref_load_float (lam_dtype dtype, const void *data, int64_t at, int64_t n, double *out)
{
  const uint16_t *h = (const uint16_t *)data + at;

  switch (dtype) {
  case LAM_F64:
    memcpy (out, (const double *)data + at, (size_t)n * sizeof *out);
    break;
  case LAM_F32:
    for (int64_t i = 0; i < n; i++)
      out[i] = ((const float *)data)[at + i];
    break;
  case LAM_F16:
    for (int64_t i = 0; i < n; i++)
      out[i] = kit_f16_to_f32 (h[i]);
    break;
  default:
    for (int64_t i = 0; i < n; i++)
      out[i] = kit_bf16_to_f32 (h[i]);
    break;
  }
}

void
ref_store_float (lam_dtype dtype, void *data, int64_t at, int64_t n, const double *in)
{
  uint16_t *h = (uint16_t *)data + at;

  switch (dtype) {
  case LAM_F64:
    memcpy ((double *)data + at, in, (size_t)n * sizeof *in);
    break;
  case LAM_F32:
    for (int64_t i = 0; i < n; i++)
      ((float *)data)[at + i] = (float)in[i];
    break;
  case LAM_F16:
    for (int64_t i = 0; i < n; i++)
      h[i] = kit_f64_to_f16 (in[i]);
    break;
  default:
    for (int64_t i = 0; i < n; i++)
      h[i] = kit_f64_to_bf16 (in[i]);
    break;
  }
}

#define LOAD(code, T)                                                                              \
  case code:                                                                                       \
    for (int64_t i = 0; i < n; i++)                                                                \
      out[i] = (int64_t)((const T *)data)[at + i];                                                 \
    break;

void
ref_load_int (lam_dtype dtype, const void *data, int64_t at, int64_t n, int64_t *out)
{
  switch (dtype) {
    LOAD (LAM_I64, int64_t)
    LOAD (LAM_I32, int32_t)
    LOAD (LAM_I16, int16_t)
    LOAD (LAM_I8, int8_t)
    LOAD (LAM_U64, uint64_t)
    LOAD (LAM_U32, uint32_t)
    LOAD (LAM_U16, uint16_t)
    LOAD (LAM_U8, uint8_t)
  default:
    for (int64_t i = 0; i < n; i++)
      out[i] = ((const uint8_t *)data)[at + i] != 0;
    break;
  }
}
#undef LOAD

#define STORE(code, T)                                                                             \
  case code:                                                                                       \
    for (int64_t i = 0; i < n; i++)                                                                \
      ((T *)data)[at + i] = (T)(uint64_t)in[i];                                                    \
    break;

void
ref_store_int (lam_dtype dtype, void *data, int64_t at, int64_t n, const int64_t *in)
{
  switch (dtype) {
    STORE (LAM_I64, uint64_t)
    STORE (LAM_U64, uint64_t)
    STORE (LAM_I32, uint32_t)
    STORE (LAM_U32, uint32_t)
    STORE (LAM_I16, uint16_t)
    STORE (LAM_U16, uint16_t)
    STORE (LAM_I8, uint8_t)
    STORE (LAM_U8, uint8_t)
  default:
    for (int64_t i = 0; i < n; i++)
      ((uint8_t *)data)[at + i] = in[i] != 0;
    break;
  }
}
#undef STORE
