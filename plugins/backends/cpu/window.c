/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_window and reduce_window_arg. Trailing axes that the window leaves alone (the channels of NHWC)
 * are one run, which is combined as a whole for each window position; without such axes the run
 * has one element. */
#include "better.h"
#include "cpu.h"

#include <string.h>

enum { LINE = 512 }; /* elements of a run done at once: accumulators live in L1 */

typedef struct geometry {
  kit_window w; /* of the axes before the run */
  const cpu_reducer *r;
  cpu_loop finish;               /* accumulators to the result's dtype */
  int64_t strides[LAM_MAX_RANK]; /* of the operand */
  int64_t run, outer;            /* elements of the run; result positions outside it */
  int64_t size, out_size;
  bool simple; /* no base dilation: a window's positions are a box */
} geometry;

typedef struct job {
  const geometry *g;
  const char *in;
  char *out;
  int64_t grain; /* positions in a task */
} job;

/* Window positions of the box that lies inside the operand, for result position o of axis k. */
static void
box (const kit_window *w, int32_t k, int64_t o, int64_t *from, int64_t *to)
{
  int64_t base = o * w->stride[k] - w->low[k], d = w->window_dilation[k];
  *from = base >= 0 ? 0 : (-base + d - 1) / d;
  *to = base >= w->in_dims[k] ? 0 : (w->in_dims[k] - base + d - 1) / d;
  *to = *to < w->size[k] ? *to : w->size[k];
}

/* Walks the window at result position o; visit gets the element offset and the position's number. */
typedef void (*visit_fn) (void *ctx, int64_t offset, int32_t position);

static void
walk_window (const geometry *g, const int64_t *o, visit_fn visit, void *ctx)
{
  const kit_window *w = &g->w;
  int64_t from[LAM_MAX_RANK], count[LAM_MAX_RANK], at[LAM_MAX_RANK] = {0}, to;
  for (int32_t k = 0; k < w->rank; k++) {
    from[k] = 0;
    to = w->size[k];
    if (g->simple)
      box (w, k, o[k], &from[k], &to);
    count[k] = to - from[k];
    if (count[k] <= 0)
      return;
  }
  do {
    int64_t offset = 0, number = 0;
    bool seen = true;
    for (int32_t k = 0; k < w->rank && seen; k++) {
      int64_t c = kit_window_at (w, k, o[k], from[k] + at[k]);
      seen = c >= 0;
      offset += c * g->strides[k];
      number = number * w->size[k] + from[k] + at[k];
    }
    if (seen)
      visit (ctx, offset, (int32_t)number);
  } while (kit_next (w->rank, count, at));
}

/* --- reduce_window --------------------------------------------------------------------------- */

typedef struct sums {
  const geometry *g;
  const char *in;
  int64_t n;
  _Alignas(64) char acc[LINE * 8];
} sums;

static void
add_run (void *ctx, int64_t offset, int32_t position)
{
  sums *s = ctx;
  (void)position;
  s->g->r->rows (s->n, s->in + offset * s->g->size, s->acc);
}

static void
run_sums (void *ctx, int64_t task, int thread)
{
  const job *j = ctx;
  const geometry *g = j->g;
  int64_t from = task * j->grain, to = from + j->grain < g->outer ? from + j->grain : g->outer;
  int64_t o[LAM_MAX_RANK], rest = from;
  sums s = {.g = g};
  (void)thread;
  for (int32_t k = g->w.rank - 1; k >= 0; k--) {
    o[k] = rest % g->w.out_dims[k];
    rest /= g->w.out_dims[k];
  }
  for (int64_t i = from; i < to; i++) {
    for (int64_t c = 0; c < g->run; c += LINE) {
      void *out = j->out + (i * g->run + c) * g->out_size;
      s.n = g->run - c < LINE ? g->run - c : LINE;
      s.in = j->in + c * g->size;
      g->r->init (s.n, s.acc);
      walk_window (g, o, add_run, &s);
      g->finish (s.n, &out, (const void *const[]) {s.acc});
    }
    kit_next (g->w.rank, g->w.out_dims, o);
  }
}

/* --- reduce_window_arg ----------------------------------------------------------------------- */

typedef struct winners winners;
typedef void (*win_fn) (winners *s, const void *in, int32_t position);

struct winners {
  const geometry *g;
  const char *in;
  win_fn win;
  int64_t n;
  bool first;
  _Alignas(64) char best[LINE * 8];
  int32_t *at; /* result */
};

/* A later element wins when it is better, or is the first NaN. */
#define WIN(name, T, better, is_nan)                                                               \
  static void name (winners *s, const void *in, int32_t position)                                  \
  {                                                                                                \
    const T *x = in;                                                                               \
    T *best = (T *)(void *)s->best;                                                                \
    int32_t *at = s->at;                                                                           \
    bool first = s->first;                                                                         \
    for (int64_t i = 0; i < s->n; i++) {                                                           \
      T a = x[i], b = best[i];                                                                     \
      bool wins = first || (better) || (is_nan);                                                   \
      best[i] = wins ? a : b;                                                                      \
      at[i] = wins ? position : at[i];                                                             \
    }                                                                                              \
  }
BETTER_KERNELS (WIN, win_fn, find_win)

static void
try_run (void *ctx, int64_t offset, int32_t position)
{
  winners *s = ctx;
  s->win (s, s->in + offset * s->g->size, position);
  s->first = false;
}

typedef struct arg_job {
  job j; /* first: run_args shares it */
  win_fn win;
} arg_job;

static void
run_args (void *ctx, int64_t task, int thread)
{
  const arg_job *a = ctx;
  const geometry *g = a->j.g;
  int64_t from = task * a->j.grain, to = from + a->j.grain;
  int64_t o[LAM_MAX_RANK], rest = from;
  winners s = {.g = g, .win = a->win};
  (void)thread;
  to = to < g->outer ? to : g->outer;
  for (int32_t k = g->w.rank - 1; k >= 0; k--) {
    o[k] = rest % g->w.out_dims[k];
    rest /= g->w.out_dims[k];
  }
  for (int64_t i = from; i < to; i++) {
    for (int64_t c = 0; c < g->run; c += LINE) {
      s.n = g->run - c < LINE ? g->run - c : LINE;
      s.in = a->j.in + c * g->size;
      s.at = (int32_t *)(void *)a->j.out + i * g->run + c;
      s.first = true;
      memset (s.at, 0, (size_t)s.n * sizeof *s.at);
      walk_window (g, o, try_run, &s);
    }
    kit_next (g->w.rank, g->w.out_dims, o);
  }
}

/* --- steps ----------------------------------------------------------------------------------- */

static int64_t
grain_of (const geometry *g)
{
  int64_t work = g->run * kit_elements (g->w.rank, g->w.size);
  return (1 << 16) / (work + 64) + 1;
}

static void
window_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  job j = {g, cpu_at (x, &s->views[0]), cpu_at (x, &s->views[1]), grain_of (g)};
  cpu_pool_run (x->backend->pool, (g->outer + j.grain - 1) / j.grain, run_sums, &j);
}

static void
window_arg_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  arg_job a = {.j = {g, cpu_at (x, &s->views[0]), cpu_at (x, &s->views[1]), grain_of (g)}};
  a.win = find_win (s->views[0].dtype, g->w.combine == KIT_COMBINE_MAXIMUM);
  cpu_pool_run (x->backend->pool, (g->outer + a.j.grain - 1) / a.j.grain, run_args, &a);
}

static bool
left_alone (const kit_window *w, int32_t k)
{
  return w->size[k] == 1 && w->stride[k] == 1 && w->low[k] == 0 && w->high[k] == 0
         && w->base_dilation[k] == 1;
}

void
cpu_lower_window (cpu_lower *l, const lam_equation *e)
{
  bool arg = e->op == LAM_OP_reduce_window_arg;
  cpu_view in = cpu_operand (l, e, 0), out = cpu_result (l, e, 0);
  if (in.dtype == LAM_F16 || in.dtype == LAM_BF16)
    in = cpu_converted (l, in, LAM_F32);
  else
    in = cpu_dense_operand (l, e, 0);
  if (l->no_memory || cpu_count (&out) == 0)
    return;
  cpu_step *s = cpu_add_step (l, arg ? window_arg_step : window_step, 1, 1, sizeof (geometry));
  if (s == NULL)
    return;
  geometry *g = s->geo;
  s->views[0] = in;
  s->views[1] = out;
  kit_read_window (l->f, e, &g->w);
  kit_strides (g->w.rank, g->w.in_dims, g->strides);
  g->run = 1;
  while (g->w.rank > 0 && left_alone (&g->w, g->w.rank - 1))
    g->run *= g->w.in_dims[--g->w.rank];
  g->simple = true;
  for (int32_t k = 0; k < g->w.rank; k++)
    g->simple = g->simple && g->w.base_dilation[k] == 1;
  g->outer = kit_elements (g->w.rank, g->w.out_dims);
  g->size = cpu_size (in.dtype);
  g->out_size = cpu_size (out.dtype);
  if (arg)
    return;
  g->r = cpu_find_reducer (l->backend->isa, g->w.combine, in.dtype);
  g->finish = cpu_find_loop (l->backend->isa, LAM_OP_convert, g->r->acc_dtype, out.dtype);
}
