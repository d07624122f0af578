/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of f32 and f64, for each instruction set. Sums and products of f32 are accumulated in f64
 * in 16 lanes; the lanes are folded in a fixed order. */

#define LANES 16

#define REDUCER(name, T, A, identity, step)                                                        \
  static void name##_init (int64_t n, void *acc_)                                                  \
  {                                                                                                \
    A *acc = acc_;                                                                                 \
    for (int64_t i = 0; i < n; i++)                                                                \
      acc[i] = (A)(identity);                                                                      \
  }                                                                                                \
  static void name##_run (int64_t n, const void *a_, void *acc_)                                   \
  {                                                                                                \
    const T *x = a_;                                                                               \
    A lanes[LANES], *acc = acc_, a, b;                                                             \
    int64_t i = 0;                                                                                 \
    for (int l = 0; l < LANES; l++)                                                                \
      lanes[l] = (A)(identity);                                                                    \
    for (; i + LANES <= n; i += LANES)                                                             \
      for (int l = 0; l < LANES; l++) {                                                            \
        a = lanes[l], b = (A)x[i + l];                                                             \
        lanes[l] = (A)(step);                                                                      \
      }                                                                                            \
    for (int l = 0; i < n; i++, l++) {                                                             \
      a = lanes[l], b = (A)x[i];                                                                   \
      lanes[l] = (A)(step);                                                                        \
    }                                                                                              \
    for (int width = LANES / 2; width > 0; width /= 2)                                             \
      for (int l = 0; l < width; l++) {                                                            \
        a = lanes[l], b = lanes[l + width];                                                        \
        lanes[l] = (A)(step);                                                                      \
      }                                                                                            \
    a = acc[0], b = lanes[0];                                                                      \
    acc[0] = (A)(step);                                                                            \
  }                                                                                                \
  static void name##_rows (int64_t n, const void *a_, void *acc_)                                  \
  {                                                                                                \
    const T *x = a_;                                                                               \
    A *acc = acc_;                                                                                 \
    CPU_INDEPENDENT                                                                                \
    for (int64_t i = 0; i < n; i++) {                                                              \
      A a = acc[i], b = (A)x[i];                                                                   \
      acc[i] = (A)(step);                                                                          \
    }                                                                                              \
  }                                                                                                \
  static void name##_merge (int64_t n, const void *b_, void *acc_)                                 \
  {                                                                                                \
    const A *x = b_;                                                                               \
    A *acc = acc_;                                                                                 \
    CPU_INDEPENDENT                                                                                \
    for (int64_t i = 0; i < n; i++) {                                                              \
      A a = acc[i], b = x[i];                                                                      \
      acc[i] = (A)(step);                                                                          \
    }                                                                                              \
  }
#define REDUCER_ROW(combine, dtype, acc, name)                                                     \
  {                                                                                                \
    KIT_COMBINE_##combine, dtype, acc, name##_init, name##_run, name##_rows, name##_merge          \
  }
