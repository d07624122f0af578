/* SPDX-License-Identifier: Apache-2.0 */
/* The table of one build of the loops; included last by each loops_*.c, which names it CPU_TABLE. */

static inline double
max_f64 (double a, double b)
{
  return a > b ? a : b > a ? b : a != a || b != b ? a + b : signbit (a) ? b : a;
}

static inline double
min_f64 (double a, double b)
{
  return a < b ? a : b < a ? b : a != a || b != b ? a + b : signbit (a) ? a : b;
}

REDUCER (sum_f32, float, double, 0, a + b)
REDUCER (product_f32, float, double, 1, a *b)
REDUCER (max_f32, float, float, -INFINITY, vm_max (a, b))
REDUCER (min_f32, float, float, INFINITY, vm_min (a, b))
REDUCER (sum_f64, double, double, 0, a + b)
REDUCER (product_f64, double, double, 1, a *b)
REDUCER (max_f64, double, double, -INFINITY, max_f64 (a, b))
REDUCER (min_f64, double, double, INFINITY, min_f64 (a, b))

static const cpu_reducer reducers[] = {
    REDUCER_ROW (ADD, LAM_F32, LAM_F64, sum_f32),
    REDUCER_ROW (MULTIPLY, LAM_F32, LAM_F64, product_f32),
    REDUCER_ROW (MAXIMUM, LAM_F32, LAM_F32, max_f32),
    REDUCER_ROW (MINIMUM, LAM_F32, LAM_F32, min_f32),
    REDUCER_ROW (ADD, LAM_F64, LAM_F64, sum_f64),
    REDUCER_ROW (MULTIPLY, LAM_F64, LAM_F64, product_f64),
    REDUCER_ROW (MAXIMUM, LAM_F64, LAM_F64, max_f64),
    REDUCER_ROW (MINIMUM, LAM_F64, LAM_F64, min_f64),
};

const cpu_isa CPU_TABLE = {
    CPU_NAME,
    loops,
    (uint32_t)(sizeof loops / sizeof loops[0]),
    reducers,
    (uint32_t)(sizeof reducers / sizeof reducers[0]),
    gemm_f32,
    gemm_f64,
    GEMM_MR,
    NR_F32,
    NR_F64,
    widen_f16,
    narrow_f16,
    widen_bf16,
    narrow_bf16,
};
