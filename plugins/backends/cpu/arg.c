/* SPDX-License-Identifier: Apache-2.0 */
/* argmax and argmin along one axis: the first best element, the first NaN before all. */
#include "better.h"
#include "cpu.h"

enum { TILE = 256 };

typedef void (*arg_fn) (const void *in, int64_t n, int64_t stride, int64_t *out);

typedef struct geometry {
  kit_axis axis;
  arg_fn find;
  cpu_loop finish; /* i64 to the result's dtype */
  int64_t size, out_size;
} geometry;

typedef struct job {
  const geometry *g;
  const char *in;
  char *out;
} job;

#define ARG(name, T, better, is_nan)                                                               \
  static void name (const void *in, int64_t n, int64_t stride, int64_t *out)                       \
  {                                                                                                \
    const T *x = in;                                                                               \
    T b = x[0];                                                                                    \
    *out = 0;                                                                                      \
    for (int64_t i = 1; i < n; i++) {                                                              \
      T a = x[i * stride];                                                                         \
      if ((better) || (is_nan)) {                                                                  \
        b = a;                                                                                     \
        *out = i;                                                                                  \
      }                                                                                            \
    }                                                                                              \
  }
BETTER_KERNELS (ARG, arg_fn, find_arg)

/* TILE results. */
static void
run_tile (void *ctx, int64_t task, int thread)
{
  const job *j = ctx;
  const geometry *g = j->g;
  int64_t total = g->axis.outer * g->axis.inner, from = task * TILE, found[TILE];
  int64_t n = total - from < TILE ? total - from : TILE;
  void *out = j->out + from * g->out_size;
  (void)thread;
  for (int64_t i = 0; i < n; i++) {
    int64_t outer = (from + i) / g->axis.inner, inner = (from + i) % g->axis.inner;
    g->find (j->in + (outer * g->axis.size * g->axis.inner + inner) * g->size, g->axis.size,
             g->axis.inner, &found[i]);
  }
  g->finish (n, &out, (const void *const[]) {found});
}

static void
arg_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  job j = {g, cpu_at (x, &s->views[0]), cpu_at (x, &s->views[1])};
  int64_t tiles = (g->axis.outer * g->axis.inner + TILE - 1) / TILE;
  if (g->axis.size * TILE < 1 << 13) /* short scans: not worth the pool */
    for (int64_t i = 0; i < tiles; i++)
      run_tile (&j, i, 0);
  else
    cpu_pool_run (x->backend->pool, tiles, run_tile, &j);
}

void
cpu_lower_arg (cpu_lower *l, const lam_equation *e)
{
  cpu_view in = cpu_operand (l, e, 0), out = cpu_result (l, e, 0);
  if (in.dtype == LAM_F16 || in.dtype == LAM_BF16)
    in = cpu_converted (l, in, LAM_F32);
  else
    in = cpu_dense_operand (l, e, 0);
  if (l->no_memory || cpu_count (&out) == 0)
    return;
  cpu_step *s = cpu_add_step (l, arg_step, 1, 1, sizeof (geometry));
  if (s == NULL)
    return;
  geometry *g = s->geo;
  s->views[0] = in;
  s->views[1] = out;
  kit_split_axis (lam_value_type (l->f, lam_operand (l->f, e, 0)),
                  lam_attr_int (l->f, e, "dimension", 0), &g->axis);
  g->size = cpu_size (in.dtype);
  g->out_size = cpu_size (out.dtype);
  g->find = find_arg (in.dtype, e->op == LAM_OP_argmax);
  g->finish = cpu_find_loop (l->backend->isa, LAM_OP_convert, LAM_I64, out.dtype);
}
