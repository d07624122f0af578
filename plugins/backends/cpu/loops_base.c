/* SPDX-License-Identifier: Apache-2.0 */
/* The loops built for any processor of the architecture. */
#include "kernels.h"
#include <kit/float16.h>
#include <kit/ops.h>
#include <math.h>

#define CPU_VECTOR 16
#define GEMM_MR    6
#define CPU_NAME   "baseline"
#define CPU_TABLE  cpu_isa_base

#include "loops_f32.h"
#include "loops_reduce.h"
#include "loops_gemm.h"
#include "loops_table.h"
