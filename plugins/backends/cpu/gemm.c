/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products by packed blocks for operands with any strides. Each result element sums over k
 * in the same order however the work is split, so results do not depend on the number of threads. */
#include "cpu.h"

#include <string.h>

enum { MC = 144, KC = 256, NC = 1024 }; /* MC: a multiple of 6 and 12, NC: of 8 to 32 */

/* Multiply-adds from which OpenBLAS is called, and from which a product is worth several threads. */
#define BLAS_WORK     32768.0
#define PARALLEL_WORK 2e6

typedef struct blocking {
  int64_t mr, nr, size; /* size: bytes of a packed element */
  cpu_gemm_kernel kernel;
  int64_t nc, kc;
} blocking;

static double
work_of (const cpu_gemm *g)
{
  return (double)g->m * (double)g->n * (double)g->k;
}

static int64_t
smaller (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static blocking
blocking_of (const cpu_gemm *g, const cpu_isa *isa)
{
  bool f64 = g->dtype == LAM_F64;
  blocking b = {.mr = isa->mr, .nr = f64 ? isa->nr_f64 : isa->nr_f32, .size = f64 ? 8 : 4};
  b.kernel = f64 ? isa->gemm_f64 : isa->gemm_f32;
  b.nc = smaller (NC, (g->n + b.nr - 1) / b.nr * b.nr);
  b.kc = smaller (KC, g->k);
  return b;
}

void
cpu_gemm_init (cpu_gemm *g, const lam_backend *backend)
{
  g->blas = backend->blas != NULL && work_of (g) >= BLAS_WORK && cpu_blas_takes (g);
}

static uint64_t
aligned (uint64_t bytes)
{
  return (bytes + 63) / 64 * 64;
}

uint64_t
cpu_gemm_scratch (const cpu_gemm *g, const lam_backend *backend)
{
  blocking b = blocking_of (g, backend->isa);
  if (g->blas)
    return 0;
  return aligned ((uint64_t)(MC * b.kc * b.size)) + aligned ((uint64_t)(b.kc * b.nc * b.size))
         + aligned ((uint64_t)(b.mr * b.nr * b.size));
}

/* --- packing: `lines` rows (of a) or columns (of b) in panels of `width`, k deep -------------- */

#define PACK(name, T)                                                                              \
  static void name (T *dst, const T *src, int64_t lines, int64_t k, int64_t width,                 \
                    const int64_t stride[2])                                                       \
  {                                                                                                \
    int64_t ls = stride[0], ks = stride[1];                                                        \
    for (int64_t from = 0; from < lines; from += width, dst += width * k) {                        \
      int64_t n = lines - from < width ? lines - from : width;                                     \
      const T *s = src + from * ls;                                                                \
      if (n < width)                                                                               \
        memset (dst, 0, (size_t)(width * k) * sizeof *dst);                                        \
      if (ls == 1) {                                                                               \
        for (int64_t p = 0; p < k; p++)                                                            \
          for (int64_t i = 0; i < n; i++)                                                          \
            dst[p * width + i] = s[p * ks + i];                                                    \
      } else {                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                            \
          for (int64_t p = 0; p < k; p++)                                                          \
            dst[p * width + i] = s[i * ls + p * ks];                                               \
      }                                                                                            \
    }                                                                                              \
  }
PACK (pack_f32, float)
PACK (pack_f64, double)

static void
pack (lam_dtype dtype, void *dst, const void *src, int64_t lines, int64_t k, int64_t width,
      int64_t line_stride, int64_t k_stride)
{
  const int64_t stride[2] = {line_stride, k_stride};
  if (dtype == LAM_F32)
    pack_f32 (dst, src, lines, k, width, stride);
  else
    pack_f64 (dst, src, lines, k, width, stride);
}

/* --- results --------------------------------------------------------------------------------- */

/* A tile (rows of nr) into c, m rows by n columns; add: on top of what is there. */
#define STORE(name, T)                                                                             \
  static void name (T *c, cpu_matrix at, const T *tile, int64_t m, int64_t n, int64_t nr,          \
                    bool add)                                                                      \
  {                                                                                                \
    for (int64_t i = 0; i < m; i++, tile += nr) {                                                  \
      T *row = c + i * at.rows;                                                                    \
      if (at.cols == 1 && !add)                                                                    \
        memcpy (row, tile, (size_t)n * sizeof *row);                                               \
      else if (at.cols == 1)                                                                       \
        for (int64_t j = 0; j < n; j++)                                                            \
          row[j] += tile[j];                                                                       \
      else                                                                                         \
        for (int64_t j = 0; j < n; j++)                                                            \
          row[j * at.cols] = add ? row[j * at.cols] + tile[j] : tile[j];                           \
    }                                                                                              \
  }
STORE (store_f32, float)
STORE (store_f64, double)

/* --- the blocked product --------------------------------------------------------------------- */

typedef struct panels {
  char *a, *b, *tile;
} panels;

/* One packed block of a (mc, kc) with one of b (kc, nc); extent: mc, nc, kc, and where in k it is. */
static void
multiply_block (const cpu_gemm *g, const blocking *b, const panels *p, char *c,
                const int64_t extent[4])
{
  cpu_matrix at = g->c;
  bool add = extent[3] > 0;
  int64_t mc = extent[0], nc = extent[1], kc = extent[2];
  for (int64_t j = 0; j < nc; j += b->nr)
    for (int64_t i = 0; i < mc; i += b->mr) {
      int64_t m = smaller (b->mr, mc - i), n = smaller (b->nr, nc - j);
      char *to = c + (i * at.rows + j * at.cols) * b->size;
      b->kernel (kc, p->a + i * kc * b->size, p->b + j * kc * b->size, p->tile);
      if (g->dtype == LAM_F64)
        store_f64 ((double *)(void *)to, at, (double *)(void *)p->tile, m, n, b->nr, add);
      else
        store_f32 ((float *)(void *)to, at, (float *)(void *)p->tile, m, n, b->nr, add);
    }
}

static void
multiply (const cpu_gemm *g, const blocking *b, const panels *p, const char *a, const char *bb,
          char *c)
{
  for (int64_t j = 0; j < g->n; j += b->nc)
    for (int64_t k = 0; k < g->k; k += KC) {
      int64_t nc = smaller (b->nc, g->n - j), kc = smaller (KC, g->k - k);
      pack (g->dtype, p->b, bb + (k * g->b.rows + j * g->b.cols) * b->size, nc, kc, b->nr,
            g->b.cols, g->b.rows);
      for (int64_t i = 0; i < g->m; i += MC) {
        int64_t mc = smaller (MC, g->m - i);
        pack (g->dtype, p->a, a + (i * g->a.rows + k * g->a.cols) * b->size, mc, kc, b->mr,
              g->a.rows, g->a.cols);
        multiply_block (g, b, p, c + (i * g->c.rows + j * g->c.cols) * b->size,
                        (const int64_t[]) {mc, nc, kc, k});
      }
    }
}

static void
clear (const cpu_gemm *g, char *c)
{
  for (int64_t i = 0; i < g->m; i++)
    for (int64_t j = 0; j < g->n; j++)
      memset (c + (i * g->c.rows + j * g->c.cols) * cpu_size (g->dtype), 0,
              (size_t)cpu_size (g->dtype));
}

void
cpu_gemm_run (const cpu_gemm *g, const lam_backend *backend, const void *a, const void *b, void *c,
              void *scratch)
{
  blocking block = blocking_of (g, backend->isa);
  if (g->k == 0) {
    clear (g, c);
    return;
  }
  if (g->blas) {
    cpu_blas_gemm (backend->blas, g, a, b, c, 1);
    return;
  }
  panels p = {.a = scratch};
  p.b = p.a + aligned ((uint64_t)(MC * block.kc * block.size));
  p.tile = p.b + aligned ((uint64_t)(block.kc * block.nc * block.size));
  multiply (g, &block, &p, a, b, c);
}

/* --- over the pool --------------------------------------------------------------------------- */

typedef struct job {
  const cpu_gemm *g;
  const lam_backend *backend;
  const char *a, *b;
  char *c, *scratch;
  int64_t rows; /* of c in a task */
} job;

static void
run_rows (void *ctx, int64_t task, int thread)
{
  const job *j = ctx;
  cpu_gemm part = *j->g;
  int64_t from = task * j->rows;
  part.m = smaller (j->rows, part.m - from);
  cpu_gemm_run (&part, j->backend, j->a + from * part.a.rows * cpu_size (part.dtype), j->b,
                j->c + from * part.c.rows * cpu_size (part.dtype),
                j->scratch + (uint64_t)thread * cpu_gemm_scratch (j->g, j->backend));
}

void
cpu_gemm_parallel (const cpu_gemm *g, const lam_backend *backend, const void *a, const void *b,
                   void *c, void *scratch)
{
  int threads = cpu_pool_threads (backend->pool);
  if (work_of (g) < PARALLEL_WORK || threads == 1) {
    cpu_gemm_run (g, backend, a, b, c, scratch);
  } else if (g->blas) {
    cpu_blas_gemm (backend->blas, g, a, b, c, threads);
  } else {
    int64_t rows = (g->m + threads - 1) / threads;
    job j = {g, backend, a, b, c, scratch, rows};
    cpu_pool_run (backend->pool, (g->m + rows - 1) / rows, run_rows, &j);
  }
}
