/* SPDX-License-Identifier: Apache-2.0 */
/* Register-blocked inner products on packed panels: GEMM_MR rows by two vectors of columns.
 * Written with the compiler's vector types, so that one source serves every vector width. */

typedef float vec_f32 __attribute__ ((vector_size (CPU_VECTOR)));
typedef double vec_f64 __attribute__ ((vector_size (CPU_VECTOR)));

#define NR_F32 (2 * (int)(CPU_VECTOR / sizeof (float)))
#define NR_F64 (2 * (int)(CPU_VECTOR / sizeof (double)))

/* Unrolled by the compiler; every sum runs over k in order. */
#define GEMM_KERNEL(name, T, V)                                                                    \
  static void name (int64_t k, const void *a_, const void *b_, void *c_)                           \
  {                                                                                                \
    const T *a = a_;                                                                               \
    const V *b = b_;                                                                               \
    V acc0[GEMM_MR] = {{0}}, acc1[GEMM_MR] = {{0}}, *c = c_;                                       \
    for (int64_t p = 0; p < k; p++, a += GEMM_MR, b += 2) {                                        \
      V b0 = b[0], b1 = b[1];                                                                      \
      GEMM_UNROLL                                                                                  \
      for (int i = 0; i < GEMM_MR; i++) {                                                          \
        acc0[i] += a[i] * b0;                                                                      \
        acc1[i] += a[i] * b1;                                                                      \
      }                                                                                            \
    }                                                                                              \
    GEMM_UNROLL                                                                                    \
    for (int i = 0; i < GEMM_MR; i++) {                                                            \
      c[2 * i] = acc0[i];                                                                          \
      c[2 * i + 1] = acc1[i];                                                                      \
    }                                                                                              \
  }

#ifdef __clang__
#define GEMM_UNROLL _Pragma ("clang loop unroll(full)")
#else
#define GEMM_UNROLL _Pragma ("GCC unroll 16")
#endif

GEMM_KERNEL (gemm_f32, float, vec_f32)
GEMM_KERNEL (gemm_f64, double, vec_f64)
