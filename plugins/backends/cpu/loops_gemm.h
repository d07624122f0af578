/* SPDX-License-Identifier: Apache-2.0 */
/* Register-blocked inner products: GEMM_MR rows of a with any strides by two vectors of packed columns.
 * Written with the compiler's vector types, so that one source serves every vector width; fully
 * unrolled, so that the accumulators are registers. Every sum runs over k in order. */

#define NR_F32 (2 * (int)(CPU_VECTOR / sizeof (float)))
#define NR_F64 (2 * (int)(CPU_VECTOR / sizeof (double)))

#ifdef __clang__
#define GEMM_UNROLL _Pragma ("clang loop unroll(full)")
#else
#define GEMM_UNROLL _Pragma ("GCC unroll 16")
#endif

/* V: a vector; U: the same without alignment, for rows of c. */
#define GEMM_KERNEL(name, T, V, U)                                                                 \
  typedef T V __attribute__ ((vector_size (CPU_VECTOR)));                                          \
  typedef T U __attribute__ ((vector_size (CPU_VECTOR), aligned (sizeof (T)), may_alias));         \
  static void name (int64_t k, const void *a_, const int64_t a_stride[2], const void *b_,          \
                    void *c_, int64_t c_rows, bool add)                                            \
  {                                                                                                \
    const T *a = a_;                                                                               \
    const V *b = b_;                                                                               \
    const int64_t rows = a_stride[0], cols = a_stride[1];                                          \
    V acc0[GEMM_MR] = {{0}}, acc1[GEMM_MR] = {{0}};                                                \
    T *c = c_;                                                                                     \
    for (int64_t p = 0; p < k; p++, a += cols, b += 2) {                                           \
      V b0 = b[0], b1 = b[1];                                                                      \
      GEMM_UNROLL                                                                                  \
      for (int i = 0; i < GEMM_MR; i++) {                                                          \
        acc0[i] += a[i * rows] * b0;                                                               \
        acc1[i] += a[i * rows] * b1;                                                               \
      }                                                                                            \
    }                                                                                              \
    GEMM_UNROLL                                                                                    \
    for (int i = 0; i < GEMM_MR; i++) {                                                            \
      U *to = (U *)(void *)(c + i * c_rows);                                                       \
      if (add) {                                                                                   \
        acc0[i] += to[0];                                                                          \
        acc1[i] += to[1];                                                                          \
      }                                                                                            \
      to[0] = acc0[i];                                                                             \
      to[1] = acc1[i];                                                                             \
    }                                                                                              \
  }

GEMM_KERNEL (gemm_f32, float, vec_f32, vec_f32_unaligned)
GEMM_KERNEL (gemm_f64, double, vec_f64, vec_f64_unaligned)
