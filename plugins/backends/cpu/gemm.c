/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products by packed blocks for operands with any strides. Each result element sums over k
 * in the same order however the work is split, so results do not depend on the number of threads. */
#include "cpu.h"

#include <string.h>

enum { MC = 144, KC = 256, NC = 1024 }; /* MC: a multiple of 6 and 12, NC: of 8 to 32 */

/* Multiply-adds between which OpenBLAS is called, on one thread. Below, its call costs too much; above, a
 * product is worth several threads, and all threads are the pool's. */
#define BLAS_WORK     32768.0
#define PARALLEL_WORK 4e6

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
  g->blas = backend->blas != NULL && work_of (g) >= BLAS_WORK && work_of (g) < PARALLEL_WORK
            && cpu_blas_takes (g);
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
      if (ls == 1 && n == width)                                                                   \
        for (int64_t p = 0; p < k; p++)                                                            \
          memcpy (dst + p * width, s + p * ks, (size_t)width * sizeof *dst);                       \
      else                                                                                         \
        for (int64_t p = 0; p < k; p++)                                                            \
          for (int64_t i = 0; i < n; i++)                                                          \
            dst[p * width + i] = s[i * ls + p * ks];                                               \
    }                                                                                              \
  }
PACK (pack_f32, float)
PACK (pack_f64, double)

static void
pack (lam_dtype dtype, void *dst, const void *src, const int64_t extent[3], int64_t line_stride,
      int64_t k_stride)
{
  const int64_t stride[2] = {line_stride, k_stride};
  if (dtype == LAM_F32)
    pack_f32 (dst, src, extent[0], extent[1], extent[2], stride);
  else
    pack_f64 (dst, src, extent[0], extent[1], extent[2], stride);
}

/* --- results --------------------------------------------------------------------------------- */

/* A tile (rows of nr) into c, m rows by n columns; add: on top of what is there. */
#define STORE(name, T)                                                                             \
  static void name (T *c, cpu_matrix at, const T *tile, int64_t m, int64_t n, int64_t nr,          \
                    bool add)                                                                      \
  {                                                                                                \
    for (int64_t i = 0; i < m; i++, tile += nr)                                                    \
      for (int64_t j = 0; j < n; j++) {                                                            \
        T *to = c + i * at.rows + j * at.cols;                                                     \
        *to = add ? *to + tile[j] : tile[j];                                                       \
      }                                                                                            \
  }
STORE (store_f32, float)
STORE (store_f64, double)

/* --- the blocked product --------------------------------------------------------------------- */

typedef struct panels {
  char *a, *b, *tile;
} panels;

/* A tile of c: by the kernel where it is whole, else aside and then copied. */
static void
multiply_tile (const cpu_gemm *g, const blocking *b, const char *a, const int64_t a_stride[2],
               const char *panel, char *c, const int64_t extent[4], char *tile)
{
  int64_t m = extent[0], n = extent[1], kc = extent[2];
  bool add = extent[3] > 0;
  if (m == b->mr && n == b->nr && g->c.cols == 1) {
    b->kernel (kc, a, a_stride, panel, c, g->c.rows, add);
    return;
  }
  b->kernel (kc, a, a_stride, panel, tile, b->nr, false);
  if (g->dtype == LAM_F64)
    store_f64 ((double *)(void *)c, g->c, (double *)(void *)tile, m, n, b->nr, add);
  else
    store_f32 ((float *)(void *)c, g->c, (float *)(void *)tile, m, n, b->nr, add);
}

/* mc rows of a (at a) by one packed block of b; extent: mc, nc, kc, and where in k it is. Rows of a
 * whose elements are neighbours are read where they are; others, and the last few, are packed. */
static void
multiply_block (const cpu_gemm *g, const blocking *b, const panels *p, const char *a, char *c,
                const int64_t extent[4])
{
  int64_t mc = extent[0], nc = extent[1], kc = extent[2];
  bool collide = g->a.rows * b->size % 4096 == 0; /* rows that would share a set of L1 */
  int64_t whole = g->a.cols == 1 && !(collide && nc > 256) ? mc / b->mr * b->mr : 0;
  if (whole < mc)
    pack (g->dtype, p->a, a + whole * g->a.rows * b->size,
          (const int64_t[]) {mc - whole, kc, b->mr}, g->a.rows, g->a.cols);
  for (int64_t j = 0; j < nc; j += b->nr)
    for (int64_t i = 0; i < mc; i += b->mr) {
      const char *from =
          i < whole ? a + i * g->a.rows * b->size : p->a + (i - whole) * kc * b->size;
      const int64_t read[2] = {i < whole ? g->a.rows : 1, i < whole ? 1 : b->mr};
      multiply_tile (
          g, b, from, read, p->b + j * kc * b->size, c + (i * g->c.rows + j * g->c.cols) * b->size,
          (const int64_t[]) {smaller (b->mr, mc - i), smaller (b->nr, nc - j), kc, extent[3]},
          p->tile);
    }
}

static void
multiply (const cpu_gemm *g, const blocking *b, const panels *p, const char *a, const char *bb,
          char *c)
{
  for (int64_t j = 0; j < g->n; j += b->nc)
    for (int64_t k = 0; k < g->k; k += KC) {
      int64_t nc = smaller (b->nc, g->n - j), kc = smaller (KC, g->k - k);
      pack (g->dtype, p->b, bb + (k * g->b.rows + j * g->b.cols) * b->size,
            (const int64_t[]) {nc, kc, b->nr}, g->b.cols, g->b.rows);
      for (int64_t i = 0; i < g->m; i += MC)
        multiply_block (g, b, p, a + (i * g->a.rows + k * g->a.cols) * b->size,
                        c + (i * g->c.rows + j * g->c.cols) * b->size,
                        (const int64_t[]) {smaller (MC, g->m - i), nc, kc, k});
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
    cpu_blas_gemm (backend->blas, g, a, b, c);
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
  uint64_t scratch_each;
  int64_t part; /* rows or columns of c in a task */
  bool columns;
} job;

static void
run_part (void *ctx, int64_t task, int thread)
{
  const job *j = ctx;
  cpu_gemm part = *j->g;
  int64_t from = task * j->part, size = cpu_size (part.dtype);
  const char *a = j->a, *b = j->b;
  char *c = j->c, *scratch = j->scratch + (uint64_t)thread * j->scratch_each;
  if (j->columns) {
    part.n = smaller (j->part, part.n - from);
    b += from * part.b.cols * size;
    c += from * part.c.cols * size;
  } else {
    part.m = smaller (j->part, part.m - from);
    a += from * part.a.rows * size;
    c += from * part.c.rows * size;
  }
  cpu_gemm_run (&part, j->backend, a, b, c, scratch);
}

/* The longer side of c is split, in whole tiles. */
void
cpu_gemm_parallel (const cpu_gemm *g, const lam_backend *backend, const void *a, const void *b,
                   void *c, void *scratch)
{
  int threads = cpu_pool_threads (backend->pool);
  if (work_of (g) < PARALLEL_WORK || threads == 1) {
    cpu_gemm_run (g, backend, a, b, c, scratch);
    return;
  }
  blocking block = blocking_of (g, backend->isa);
  bool columns = g->n > g->m;
  int64_t side = columns ? g->n : g->m, tile = columns ? block.nr : block.mr;
  int64_t part = ((side + threads - 1) / threads + tile - 1) / tile * tile;
  job j = {g, backend, a, b, c, scratch, cpu_gemm_scratch (g, backend), part, columns};
  cpu_pool_run (backend->pool, (side + part - 1) / part, run_part, &j);
}
