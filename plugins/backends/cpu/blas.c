/* SPDX-License-Identifier: Apache-2.0 */
/* OpenBLAS, opened at run time. Its own choice of core type can be wrong by a factor of five (0.3.21 takes a
 * new Xeon for a Prescott), so the choice is made here, before it is loaded; some builds miscompute
 * on some processors, so one product of each type is checked; concurrent callers can end the
 * process, so there is one at a time. */
#include "cpu.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

typedef void (*sgemm_fn) (int order, int ta, int tb, int m, int n, int k, float alpha,
                          const float *a, int lda, const float *b, int ldb, float beta, float *c,
                          int ldc);
typedef void (*dgemm_fn) (int order, int ta, int tb, int m, int n, int k, double alpha,
                          const double *a, int lda, const double *b, int ldb, double beta,
                          double *c, int ldc);

struct cpu_blas {
  sgemm_fn sgemm;
  dgemm_fn dgemm;
  void (*set_threads) (int n);
};

/* The library is one for the whole process, and so is this lock: several backends may be open. */
static pthread_mutex_t one_caller = PTHREAD_MUTEX_INITIALIZER;

/* Sets a variable unless the user has; true if it has to be unset again. */
static bool
set_if_absent (const char *name, const char *value)
{
  return value != NULL && getenv (name) == NULL && setenv (name, value, 1) == 0;
}

static const char *
core_for (const cpu_isa *isa)
{
  if (isa == &cpu_isa_base)
    return NULL; /* OpenBLAS's own choice */
#if defined(__x86_64__)
  return isa == &cpu_isa_avx512 ? "SkylakeX" : "Haswell";
#else
  return NULL;
#endif
}

static void *
open_library (const cpu_isa *isa)
{
  bool core = set_if_absent ("OPENBLAS_CORETYPE", core_for (isa));
  bool number = set_if_absent ("OPENBLAS_NUM_THREADS", "1");
  void *library = dlopen ("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (core)
    unsetenv ("OPENBLAS_CORETYPE");
  if (number)
    unsetenv ("OPENBLAS_NUM_THREADS");
  return library;
}

/* C's only road from an object pointer to a function pointer is through bytes. */
static bool
find (void *library, const char *name, void *out_function)
{
  void *symbol = dlsym (library, name);
  if (symbol == NULL)
    return false;
  *(void **)out_function = symbol;
  return true;
}

/* One product of odd sizes, A transposed, against plain loops. */
static bool
check (cpu_blas *blas, lam_dtype dtype)
{
  enum { M = 37, N = 29, K = 53 };
  static const cpu_gemm shape = {.m = M, .n = N, .k = K, .a = {1, M}, .b = {N, 1}, .c = {N, 1}};
  cpu_gemm g = shape;
  double *memory = calloc (M * K + K * N + M * N, sizeof *memory);
  bool ok = memory != NULL;
  if (!ok)
    return false;
  bool f32 = dtype == LAM_F32;
  double *a = memory, *b = a + M * K, *c = b + K * N;
  float *fa = (float *)a, *fb = (float *)b, *fc = (float *)c;
  for (int i = 0; i < M * K + K * N; i++) {
    double value = (i * 7919 % 251 - 125) / 64.0; /* sums of products are exact in f32 */
    double *d = i < M * K ? &a[i] : &b[i - M * K];
    float *s = i < M * K ? &fa[i] : &fb[i - M * K];
    if (f32)
      *s = (float)value;
    else
      *d = value;
  }
  g.dtype = dtype;
  cpu_blas_gemm (blas, &g, a, b, c);
  for (int i = 0; i < M * N && ok; i++) {
    double sum = 0;
    for (int p = 0; p < K; p++)
      sum +=
          f32 ? (double)fa[p * M + i / N] * fb[p * N + i % N] : a[p * M + i / N] * b[p * N + i % N];
    ok = fabs (sum - (f32 ? fc[i] : c[i])) <= 1e-3;
  }
  free (memory);
  return ok;
}

cpu_blas *
cpu_blas_open (const cpu_isa *isa, const char **out_core)
{
  char *(*core_name) (void);
  void *library = open_library (isa);
  cpu_blas *blas = library != NULL ? calloc (1, sizeof *blas) : NULL;
  *out_core = "OpenBLAS is not installed";
  if (blas == NULL)
    return NULL; /* the library is never closed: it has threads of its own */
  if (!find (library, "cblas_sgemm", &blas->sgemm) || !find (library, "cblas_dgemm", &blas->dgemm)
      || !find (library, "openblas_set_num_threads", &blas->set_threads)) {
    *out_core = "libopenblas.so.0 is not OpenBLAS";
    free (blas);
    return NULL;
  }
  blas->set_threads (1); /* all parallelism is the pool's */
  if (check (blas, LAM_F32) && check (blas, LAM_F64)) {
    *out_core = find (library, "openblas_get_corename", &core_name) ? core_name () : "";
    return blas;
  }
  *out_core = "OpenBLAS miscomputes here";
  free (blas);
  return NULL;
}

void
cpu_blas_close (cpu_blas *blas)
{
  free (blas);
}

static bool
fits (cpu_matrix m)
{
  return (m.cols == 1 && m.rows >= 1) || (m.rows == 1 && m.cols >= 1);
}

bool
cpu_blas_takes (const cpu_gemm *g)
{
  const int64_t most = 1 << 30; /* its integers are 32 bits wide */
  return fits (g->a) && fits (g->b) && g->c.cols == 1 && g->m < most && g->n < most && g->k < most
         && g->a.rows < most && g->a.cols < most && g->b.rows < most && g->b.cols < most
         && g->c.rows < most;
}

static int
leading (cpu_matrix m, int64_t inner)
{
  int64_t ld = m.cols == 1 ? m.rows : m.cols;
  return (int)(ld > inner ? ld : inner);
}

void
cpu_blas_gemm (cpu_blas *blas, const cpu_gemm *g, const void *a, const void *b, void *c)
{
  int ta = g->a.cols == 1 ? NO_TRANS : TRANS, tb = g->b.cols == 1 ? NO_TRANS : TRANS;
  int lda = leading (g->a, ta == NO_TRANS ? g->k : g->m);
  int ldb = leading (g->b, tb == NO_TRANS ? g->n : g->k);
  int m = (int)g->m, n = (int)g->n, k = (int)g->k, ldc = (int)(g->c.rows > n ? g->c.rows : n);
  pthread_mutex_lock (&one_caller);
  if (g->dtype == LAM_F32)
    blas->sgemm (ROW_MAJOR, ta, tb, m, n, k, 1, a, lda, b, ldb, 0, c, ldc);
  else
    blas->dgemm (ROW_MAJOR, ta, tb, m, n, k, 1, a, lda, b, ldb, 0, c, ldc);
  pthread_mutex_unlock (&one_caller);
}
