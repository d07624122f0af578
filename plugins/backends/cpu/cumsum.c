/* SPDX-License-Identifier: Apache-2.0 */
/* cumsum: along the axis one row after the other; a row is what lies inside the axis, in blocks whose
 * sums stay in L1. Sums are kept as reference keeps them, so that the results are equal. */
#include "cpu.h"

#include <kit/float16.h>

enum { LANES = 256 };

/* n sums side by side over `size` rows that are `step` elements apart (negative: from the end). */
typedef void (*sum_fn) (const void *in, void *out, int64_t size, int64_t step, int64_t n,
                        bool exclusive);

typedef struct geometry {
  kit_axis axis;
  bool reverse, exclusive;
  sum_fn sum;
  int64_t size, blocks; /* bytes an element; blocks of LANES in a row */
} geometry;

typedef struct job {
  const geometry *g;
  const char *in;
  char *out;
} job;

#define SUMS(name, T, ACC, load, store)                                                            \
  static void name (const void *in, void *out, int64_t size, int64_t step, int64_t n,              \
                    bool exclusive)                                                                \
  {                                                                                                \
    const T *x = in;                                                                               \
    T *y = out;                                                                                    \
    ACC sum[LANES] = {0};                                                                          \
    for (int64_t i = 0; i < size; i++, x += step, y += step)                                       \
      for (int64_t j = 0; j < n; j++) {                                                            \
        ACC before = sum[j];                                                                       \
        sum[j] = (ACC)(before + load (x[j]));                                                      \
        y[j] = (T)store (exclusive ? before : sum[j]);                                             \
      }                                                                                            \
  }
#define SAME(x) (x)
SUMS (sum_f64, double, double, SAME, SAME)
SUMS (sum_f32, float, double, SAME, SAME)
SUMS (sum_f16, uint16_t, float, kit_f16_to_f32, kit_f32_to_f16)
SUMS (sum_bf16, uint16_t, float, kit_bf16_to_f32, kit_f32_to_bf16)
SUMS (sum_64, uint64_t, uint64_t, SAME, SAME)
SUMS (sum_32, uint32_t, uint32_t, SAME, SAME)
SUMS (sum_16, uint16_t, uint16_t, SAME, SAME)
SUMS (sum_8, uint8_t, uint8_t, SAME, SAME)

/* Integers wrap, so that signs do not matter. */
static sum_fn
find_sum (lam_dtype dtype)
{
  switch (dtype) {
  case LAM_F64:
    return sum_f64;
  case LAM_F32:
    return sum_f32;
  case LAM_F16:
    return sum_f16;
  case LAM_BF16:
    return sum_bf16;
  default:
    break;
  }
  switch (lam_dtype_bits (dtype)) {
  case 64:
    return sum_64;
  case 32:
    return sum_32;
  case 16:
    return sum_16;
  default:
    return sum_8;
  }
}

static void
run_block (void *ctx, int64_t task, int thread)
{
  const job *j = ctx;
  const geometry *g = j->g;
  int64_t lane = task % g->blocks * LANES, rows = g->axis.size, inner = g->axis.inner;
  int64_t n = inner - lane < LANES ? inner - lane : LANES;
  int64_t from = (task / g->blocks * rows + (g->reverse ? rows - 1 : 0)) * inner + lane;
  (void)thread;
  g->sum (j->in + from * g->size, j->out + from * g->size, rows, g->reverse ? -inner : inner, n,
          g->exclusive);
}

static void
cumsum_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  job j = {g, cpu_at (x, &s->views[0]), cpu_at (x, &s->views[1])};
  int64_t tasks = g->axis.outer * g->blocks;
  if (g->axis.size * g->axis.inner * g->axis.outer < 1 << 13) /* not worth the pool */
    for (int64_t i = 0; i < tasks; i++)
      run_block (&j, i, 0);
  else
    cpu_pool_run (x->backend->pool, tasks, run_block, &j);
}

void
cpu_lower_cumsum (cpu_lower *l, const lam_equation *e)
{
  cpu_view in = cpu_dense_operand (l, e, 0), out = cpu_result (l, e, 0);
  if (l->no_memory || cpu_count (&out) == 0)
    return;
  cpu_step *s = cpu_add_step (l, cumsum_step, 1, 1, sizeof (geometry));
  if (s == NULL)
    return;
  geometry *g = s->geo;
  s->views[0] = in;
  s->views[1] = out;
  s->in_place = 1; /* an element is read before its sum is written */
  kit_split_axis (lam_value_type (l->f, e->first_result), lam_attr_int (l->f, e, "dimension", 0),
                  &g->axis);
  g->reverse = lam_attr_int (l->f, e, "reverse", 0) != 0;
  g->exclusive = lam_attr_int (l->f, e, "exclusive", 0) != 0;
  g->sum = find_sum (out.dtype);
  g->size = cpu_size (out.dtype);
  g->blocks = (g->axis.inner + LANES - 1) / LANES;
}
