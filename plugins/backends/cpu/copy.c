/* SPDX-License-Identifier: Apache-2.0 */
/* Strided copies: views made dense, parts of pad and concatenate, tiles of elementwise loops. */
#include "cpu.h"

#include <string.h>

/* Bytes from which a copy is worth the pool. */
#define PARALLEL_BYTES (1 << 19)

/* dst[i * ds] = src[i * ss] */
#define STRIDED(T)                                                                                 \
  static void strided_##T (char *dst, const char *src, int64_t n, int64_t ds, int64_t ss)          \
  {                                                                                                \
    T *d = (T *)(void *)dst;                                                                       \
    const T *s = (const T *)(const void *)src;                                                     \
    if (ds == 1)                                                                                   \
      for (int64_t i = 0; i < n; i++)                                                              \
        d[i] = s[i * ss];                                                                          \
    else                                                                                           \
      for (int64_t i = 0; i < n; i++)                                                              \
        d[i * ds] = s[i * ss];                                                                     \
  }
STRIDED (uint8_t)
STRIDED (uint16_t)
STRIDED (uint32_t)
STRIDED (uint64_t)

static void
run_line (char *dst, const char *src, int64_t size, int64_t n, int64_t ds, int64_t ss)
{
  if (ds == 1 && ss == 1) {
    if (n * size <= 32) /* small runs are common and a call is dear */
      for (int64_t i = 0; i < n * size; i++)
        dst[i] = src[i];
    else
      memcpy (dst, src, (size_t)(n * size));
  } else if (size == 4) {
    strided_uint32_t (dst, src, n, ds, ss);
  } else if (size == 8) {
    strided_uint64_t (dst, src, n, ds, ss);
  } else if (size == 2) {
    strided_uint16_t (dst, src, n, ds, ss);
  } else {
    strided_uint8_t (dst, src, n, ds, ss);
  }
}

void
cpu_splat (char *dst, const char *element, int64_t size, int64_t n)
{
  if (n > 0)
    run_line (dst, element, size, n, 1, 0);
}

/* Drops axes of size 1 and merges neighbours that both sides walk as one. */
void
cpu_copy_init (cpu_copy_plan *p, const kit_view *dst, const kit_view *src, int64_t size)
{
  p->rank = 0;
  p->size = size;
  for (int32_t i = 0; i < dst->rank; i++) {
    int32_t last = p->rank - 1;
    if (dst->dims[i] == 1)
      continue;
    if (last >= 0 && p->dst[last] == dst->strides[i] * dst->dims[i]
        && p->src[last] == src->strides[i] * dst->dims[i]) {
      p->dims[last] *= dst->dims[i];
    } else {
      last = p->rank++;
      p->dims[last] = dst->dims[i];
    }
    p->dst[last] = dst->strides[i];
    p->src[last] = src->strides[i];
  }
  if (p->rank == 0) {
    p->rank = 1;
    p->dims[0] = p->dst[0] = p->src[0] = 1;
  }
}

/* A plane whose rows run one way in memory and columns the other: in blocks that stay in L1. */
static void
run_plane (const cpu_copy_plan *p, char *dst, const char *src, int32_t a)
{
  int32_t b = p->rank - 1;
  for (int64_t i = 0; i < p->dims[a]; i += 16)
    for (int64_t j = 0; j < p->dims[b]; j += 16) {
      int64_t i_end = i + 16 < p->dims[a] ? i + 16 : p->dims[a];
      int64_t m = j + 16 < p->dims[b] ? 16 : p->dims[b] - j;
      for (int64_t k = i; k < i_end; k++)
        run_line (dst + (k * p->dst[a] + j * p->dst[b]) * p->size,
                  src + (k * p->src[a] + j * p->src[b]) * p->size, p->size, m, p->dst[b],
                  p->src[b]);
    }
}

/* All but the first axis, at one place of it. */
static void
run_from (const cpu_copy_plan *p, char *dst, const char *src, int32_t axis)
{
  int32_t last = p->rank - 1;
  int64_t at[LAM_MAX_RANK] = {0};
  bool plane = last > axis && p->src[last] != 1 && p->src[last - 1] == 1;
  int32_t outer = plane ? last - 1 : last; /* axes axis .. outer - 1 are counted here */
  do {
    int64_t d = kit_dot_index (outer - axis, at, p->dst + axis) * p->size;
    int64_t s = kit_dot_index (outer - axis, at, p->src + axis) * p->size;
    if (plane)
      run_plane (p, dst + d, src + s, last - 1);
    else
      run_line (dst + d, src + s, p->size, p->dims[last], p->dst[last], p->src[last]);
  } while (outer > axis && kit_next (outer - axis, p->dims + axis, at));
}

typedef struct job {
  const cpu_copy_plan *p;
  char *dst;
  const char *src;
  int64_t grain; /* places of the first axis in a task */
} job;

static void
run_part (void *ctx, int64_t task, int thread)
{
  const job *j = ctx;
  cpu_copy_plan part = *j->p;
  int64_t from = task * j->grain;
  (void)thread;
  part.dims[0] = from + j->grain < part.dims[0] ? j->grain : part.dims[0] - from;
  run_from (&part, j->dst + from * part.dst[0] * part.size, j->src + from * part.src[0] * part.size,
            0);
}

void
cpu_copy_run (const cpu_copy_plan *p, cpu_pool *pool, char *dst, const char *src)
{
  int64_t n = kit_elements (p->rank, p->dims);
  job j = {p, dst, src, 1};
  if (n == 0)
    return;
  if (n * p->size < PARALLEL_BYTES || p->dims[0] == 1) {
    run_from (p, dst, src, 0);
    return;
  }
  j.grain = (p->dims[0] + 15) / 16;
  cpu_pool_run (pool, (p->dims[0] + j.grain - 1) / j.grain, run_part, &j);
}

void
cpu_fill_tile (const kit_view *v, int64_t size, const char *src, char *tile, int64_t from,
               int64_t n)
{
  int32_t last = v->rank - 1;
  int64_t at[LAM_MAX_RANK];
  if (last < 0) {
    cpu_splat (tile, src, size, n);
    return;
  }
  for (int32_t i = last; i >= 0; i--) {
    at[i] = from % v->dims[i];
    from /= v->dims[i];
  }
  while (n > 0) {
    int64_t run = v->dims[last] - at[last] < n ? v->dims[last] - at[last] : n;
    run_line (tile, src + kit_dot_index (v->rank, at, v->strides) * size, size, run, 1,
              v->strides[last]);
    tile += run * size;
    n -= run;
    at[last] = 0;
    if (last > 0)
      kit_next (last, v->dims, at);
  }
}

static void
copy_step (const cpu_step *s, lam_exec *x)
{
  cpu_copy_run (s->geo, x->backend->pool, cpu_at (x, &s->views[1]), cpu_at (x, &s->views[0]));
}

void
cpu_add_copy (cpu_lower *l, const cpu_view *dst, const cpu_view *src)
{
  if (cpu_count (dst) == 0)
    return;
  cpu_step *s = cpu_add_step (l, copy_step, 1, 1, sizeof (cpu_copy_plan));
  if (s == NULL)
    return;
  s->views[0] = *src;
  s->views[1] = *dst;
  cpu_copy_init (s->geo, &dst->v, &src->v, cpu_size (dst->dtype));
}
