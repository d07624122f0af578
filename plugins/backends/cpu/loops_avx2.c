/* SPDX-License-Identifier: Apache-2.0 */
/* The loops built for AVX2 with FMA. */
#include "kernels.h"
#include <kit/float16.h>
#include <kit/ops.h>
#include <math.h>

#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,bmi,bmi2,popcnt"))),             \
                             apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,popcnt")
#endif
#define CPU_HAS_FMA
#define CPU_VECTOR 32
#define GEMM_MR    6
#define CPU_NAME   "AVX2"
#define CPU_TABLE  cpu_isa_avx2

#include "loops_f32.h"
#include "loops_reduce.h"
#include "loops_gemm.h"
#include "loops_table.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
