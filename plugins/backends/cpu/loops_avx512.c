/* SPDX-License-Identifier: Apache-2.0 */
/* The loops built for AVX-512 (F, BW, DQ, VL). */
#include "kernels.h"
#include <kit/float16.h>
#include <kit/ops.h>
#include <math.h>

#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2,popcnt"))),   \
    apply_to = function)
#else
#pragma GCC target(                                                                                \
    "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2,popcnt,prefer-vector-width=512")
#endif
#define CPU_HAS_FMA
#define CPU_VECTOR 64
#define GEMM_MR    12
#define CPU_NAME   "AVX-512"
#define CPU_TABLE  cpu_isa_avx512

#include "loops_f32.h"
#include "loops_reduce.h"
#include "loops_gemm.h"
#include "loops_table.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
