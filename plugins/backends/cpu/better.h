/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that look for the greatest or least element, for every dtype that the cpu backend orders. */
#ifndef CPU_BETTER_H
#define CPU_BETTER_H

#include <lamina/types.h>

/* KERNEL (name, T, better, is_nan) defines a function for elements of T: `better` compares the element a
 * with the best so far, b; `is_nan` says that a is the first NaN, which wins over any number. */
#define BETTER_PAIR(KERNEL, S, T, is_nan)                                                          \
  KERNEL (max_##S, T, a > b, is_nan)                                                               \
  KERNEL (min_##S, T, a < b, is_nan)

/* The kernels max_f32, min_f32 ..., and static TYPE *find (dtype, max), which picks one. */
#define BETTER_KERNELS(KERNEL, TYPE, find)                                                         \
  BETTER_PAIR (KERNEL, f64, double, (a != a && b == b))                                            \
  BETTER_PAIR (KERNEL, f32, float, (a != a && b == b))                                             \
  BETTER_PAIR (KERNEL, i64, int64_t, false)                                                        \
  BETTER_PAIR (KERNEL, i32, int32_t, false)                                                        \
  BETTER_PAIR (KERNEL, i16, int16_t, false)                                                        \
  BETTER_PAIR (KERNEL, i8, int8_t, false)                                                          \
  BETTER_PAIR (KERNEL, u64, uint64_t, false)                                                       \
  BETTER_PAIR (KERNEL, u32, uint32_t, false)                                                       \
  BETTER_PAIR (KERNEL, u16, uint16_t, false)                                                       \
  BETTER_PAIR (KERNEL, u8, uint8_t, false)                                                         \
  static TYPE find (lam_dtype dtype, bool max)                                                     \
  {                                                                                                \
    switch (dtype) {                                                                               \
    case LAM_F64:                                                                                  \
      return max ? max_f64 : min_f64;                                                              \
    case LAM_F32:                                                                                  \
      return max ? max_f32 : min_f32;                                                              \
    case LAM_I64:                                                                                  \
      return max ? max_i64 : min_i64;                                                              \
    case LAM_I32:                                                                                  \
      return max ? max_i32 : min_i32;                                                              \
    case LAM_I16:                                                                                  \
      return max ? max_i16 : min_i16;                                                              \
    case LAM_I8:                                                                                   \
      return max ? max_i8 : min_i8;                                                                \
    case LAM_U64:                                                                                  \
      return max ? max_u64 : min_u64;                                                              \
    case LAM_U32:                                                                                  \
      return max ? max_u32 : min_u32;                                                              \
    case LAM_U16:                                                                                  \
      return max ? max_u16 : min_u16;                                                              \
    default: /* u8 and bool */                                                                     \
      return max ? max_u8 : min_u8;                                                                \
    }                                                                                              \
  }

#endif
