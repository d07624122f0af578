/* SPDX-License-Identifier: Apache-2.0 */
/* Inner loops. They are compiled once for the baseline and, where width pays, again for AVX2 and
 * AVX-512 (loops_*.c); a table a build holds them, and the backend picks one when it is opened. */
#ifndef CPU_KERNELS_H
#define CPU_KERNELS_H

#include <lamina/ir.h>

/* Elementwise: n elements of each in[k] give n elements of each out[r]. out[0] may be an in[k]. */
typedef void (*cpu_loop) (int64_t n, void *const *out, const void *const *in);

/* Elementwise loops by op and operand dtype. variant: comparison direction, or dtype of the result of
 * convert; 0 otherwise. */
typedef struct cpu_loop_entry {
  int32_t op, variant;
  lam_dtype dtype;
  cpu_loop loop;
} cpu_loop_entry;

/* A reduction's loops. Accumulators have their own dtype: f64 for sums and products of f32 (and of
 * f16 and bf16, which come here widened), else the operand's. */
typedef struct cpu_reducer {
  int32_t combine; /* KIT_COMBINE_* */
  lam_dtype dtype, acc_dtype;
  void (*init) (int64_t n, void *acc);
  void (*run) (int64_t n, const void *a, void *acc);   /* acc[0] gets all of a */
  void (*rows) (int64_t n, const void *a, void *acc);  /* acc[j] gets a[j] */
  void (*merge) (int64_t n, const void *b, void *acc); /* acc[j] gets accumulator b[j] */
} cpu_reducer;

/* c (mr, nr), rows c_rows apart, gets (add: has added) the product of a (mr, k), of any two strides, with
 * the packed panel b: k rows of nr. */
typedef void (*cpu_gemm_kernel) (int64_t k, const void *a, const int64_t a_stride[2], const void *b,
                                 void *c, int64_t c_rows, bool add);

typedef struct cpu_isa {
  const char *name;
  const cpu_loop_entry *loops;
  uint32_t n_loops;
  const cpu_reducer *reducers;
  uint32_t n_reducers;
  cpu_gemm_kernel gemm_f32, gemm_f64;
  int32_t mr, nr_f32, nr_f64;
  cpu_loop widen_f16, narrow_f16, widen_bf16, narrow_bf16; /* to and from f32 */
} cpu_isa;

extern const cpu_isa cpu_isa_base, cpu_isa_avx2, cpu_isa_avx512;

/* The build of that name ("baseline", "avx2", "avx512"), or the best one for "auto"; NULL if this
 * processor cannot run it. */
const cpu_isa *cpu_isa_pick (const char *name);

/* The loop of isa, else of the baseline; NULL if there is none. */
cpu_loop cpu_find_loop (const cpu_isa *isa, int32_t op, lam_dtype dtype, int32_t variant);
const cpu_reducer *cpu_find_reducer (const cpu_isa *isa, int32_t combine, lam_dtype dtype);

/* loops_int.c, loops_f64.c, loops_convert.c: baseline only */
extern const cpu_loop_entry cpu_loops_int[], cpu_loops_f64[], cpu_loops_convert[];
extern const uint32_t cpu_n_loops_int, cpu_n_loops_f64, cpu_n_loops_convert;
extern const cpu_reducer cpu_reducers_int[];
extern const uint32_t cpu_n_reducers_int;

/* Iterations of the loop that follows do not depend on each other: an operand is either the result's
 * own memory, element by element, or does not overlap it. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* loops that call libm stay scalar */
#define CPU_INDEPENDENT _Pragma ("clang loop vectorize(assume_safety)")
#else
#define CPU_INDEPENDENT _Pragma ("GCC ivdep")
#endif

#endif
