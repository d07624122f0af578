/* SPDX-License-Identifier: Apache-2.0 */
/* reduce. The operand's axes fall into kept and reduced ones; whichever contains the innermost axis decides
 * whether runs are folded into one accumulator or rows are added to a row of accumulators. Work is
 * cut into pieces of fixed size whose accumulators are merged in order, so the result does not
 * depend on the number of threads. Sums and products of floats are accumulated in f64. */
#include "cpu.h"

#include <string.h>

enum {
  RUN = 8192,      /* elements folded by one call */
  PIECE = 1 << 16, /* elements in a piece */
  COLUMNS = 1024   /* accumulators in a row */
};

typedef struct geometry {
  const cpu_reducer *r;
  cpu_loop finish;        /* accumulators to the result's dtype */
  kit_view kept, reduced; /* merged; the innermost axis of one of them has stride 1 */
  bool rows;              /* that one is kept */
  int64_t size, acc_size, out_size;
  int64_t inner;             /* length of the innermost axis */
  int64_t outer, columns;    /* kept places outside rows; accumulators of one place */
  int64_t units;             /* reduced runs (or rows) of one place */
  int64_t run;               /* elements of the operand in a run */
  int64_t runs;              /* runs of the innermost reduced axis */
  int64_t per_piece, pieces; /* units in a piece, pieces of one place */
} geometry;

typedef struct job {
  const geometry *g;
  const char *in;
  char *out, *partial; /* accumulators (outer, pieces, columns) */
} job;

/* Element offset of flat index n over the first `rank` axes. */
static int64_t
offset_of (const kit_view *v, int32_t rank, int64_t n)
{
  int64_t offset = 0;
  for (int32_t i = rank - 1; i >= 0; i--) {
    offset += n % v->dims[i] * v->strides[i];
    n /= v->dims[i];
  }
  return offset;
}

/* Units from .. to-1 of one kept place into its accumulators. */
static void
fold (const geometry *g, const char *in, char *acc, int64_t from, int64_t to)
{
  const kit_view *r = &g->reduced;
  if (g->rows) {
    for (int64_t u = from; u < to; u++)
      g->r->rows (g->columns, in + offset_of (r, r->rank, u) * g->size, acc);
    return;
  }
  for (int64_t u = from; u < to; u++) {
    int64_t at = u % g->runs * g->run, n = g->inner - at < g->run ? g->inner - at : g->run;
    g->r->run (n, in + (offset_of (r, r->rank - 1, u / g->runs) + at) * g->size, acc);
  }
}

static void
run_piece (void *ctx, int64_t task, int thread)
{
  const job *j = ctx;
  const geometry *g = j->g;
  int64_t place = task / g->pieces, piece = task % g->pieces;
  int64_t from = piece * g->per_piece, to = from + g->per_piece;
  int32_t kept = g->kept.rank - (g->rows ? 1 : 0);
  char *acc = j->partial + task * g->columns * g->acc_size;
  (void)thread;
  g->r->init (g->columns, acc);
  fold (g, j->in + offset_of (&g->kept, kept, place) * g->size, acc, from,
        to < g->units ? to : g->units);
}

/* Few units and many places: a task takes several places and needs no pieces. */
static void
run_places (void *ctx, int64_t task, int thread)
{
  const job *j = ctx;
  const geometry *g = j->g;
  int64_t per_task = PIECE / (g->units * g->run * g->columns + 1) + 1, from = task * per_task;
  int64_t to = from + per_task < g->outer ? from + per_task : g->outer;
  (void)thread;
  for (int64_t place = from; place < to; place++)
    run_piece (ctx, place, 0);
  char *acc = j->partial + from * g->columns * g->acc_size;
  void *out = j->out + from * g->columns * g->out_size;
  g->finish ((to - from) * g->columns, &out, (const void *const[]) {acc});
}

static void
merge_place (void *ctx, int64_t place, int thread)
{
  const job *j = ctx;
  const geometry *g = j->g;
  char *acc = j->partial + place * g->pieces * g->columns * g->acc_size;
  void *out = j->out + place * g->columns * g->out_size;
  (void)thread;
  for (int64_t p = 1; p < g->pieces; p++)
    g->r->merge (g->columns, acc + p * g->columns * g->acc_size, acc);
  g->finish (g->columns, &out, (const void *const[]) {acc});
}

static void
reduce_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  cpu_pool *pool = x->backend->pool;
  job j = {g, cpu_at (x, &s->views[0]), cpu_at (x, &s->views[1]), cpu_scratch (x, s)};
  if (g->pieces == 1) {
    int64_t per_task = PIECE / (g->units * g->run * g->columns + 1) + 1;
    cpu_pool_run (pool, (g->outer + per_task - 1) / per_task, run_places, &j);
  } else {
    cpu_pool_run (pool, g->outer * g->pieces, run_piece, &j);
    for (int64_t place = 0; place < g->outer; place++)
      merge_place (&j, place, 0);
  }
}

/* --- lowering -------------------------------------------------------------------------------- */

/* Kept and reduced axes of the operand as views of it. */
static void
split (cpu_lower *l, const lam_equation *e, const cpu_view *in, geometry *g)
{
  uint64_t n;
  const int64_t *axes = lam_attr_ints (l->f, e, "dimensions", &n);
  memset (&g->kept, 0, sizeof g->kept);
  memset (&g->reduced, 0, sizeof g->reduced);
  for (int32_t i = 0; i < in->v.rank; i++) {
    kit_view *to = &g->kept;
    for (uint64_t k = 0; k < n; k++)
      if (axes[k] == i)
        to = &g->reduced;
    to->dims[to->rank] = in->v.dims[i];
    to->strides[to->rank++] = in->v.strides[i];
  }
  kit_view_merge (&g->kept);
  kit_view_merge (&g->reduced);
}

static bool
innermost_is_dense (const kit_view *v)
{
  return v->rank > 0 && v->strides[v->rank - 1] == 1;
}

/* A view that has an innermost axis of stride 1 is read as it is; any other is copied first. */
static cpu_view
operand (cpu_lower *l, const lam_equation *e, geometry *g)
{
  cpu_view in = cpu_operand (l, e, 0);
  if (in.dtype == LAM_F16 || in.dtype == LAM_BF16)
    in = cpu_converted (l, in, LAM_F32);
  split (l, e, &in, g);
  if (!innermost_is_dense (&g->kept) && !innermost_is_dense (&g->reduced)) {
    in = cpu_materialise (l, in, lam_operand (l->f, e, 0));
    split (l, e, &in, g);
  }
  return in;
}

/* A single element, kept or reduced, as an axis. */
static void
at_least_one_axis (kit_view *v)
{
  if (v->rank == 0) {
    v->rank = 1;
    v->dims[0] = v->strides[0] = 1;
  }
}

static void
plan_pieces (geometry *g)
{
  at_least_one_axis (&g->kept);
  at_least_one_axis (&g->reduced);
  int64_t kept = kit_elements (g->kept.rank, g->kept.dims);
  int64_t reduced = kit_elements (g->reduced.rank, g->reduced.dims);
  /* long runs are worth more than rows when both are possible */
  g->rows = !innermost_is_dense (&g->reduced)
            || (innermost_is_dense (&g->kept) && g->reduced.dims[g->reduced.rank - 1] == 1);
  const kit_view *inner = g->rows ? &g->kept : &g->reduced;
  g->inner = inner->dims[inner->rank - 1];
  if (g->rows) {
    if (g->inner > COLUMNS && g->inner % COLUMNS == 0) { /* another axis outside */
      g->kept.dims[g->kept.rank - 1] = g->inner / COLUMNS;
      g->kept.strides[g->kept.rank - 1] = COLUMNS;
      g->kept.dims[g->kept.rank] = g->inner = COLUMNS;
      g->kept.strides[g->kept.rank++] = 1;
    }
    g->columns = g->inner;
    g->run = 1;
    g->units = reduced;
  } else {
    g->columns = 1;
    g->run = g->inner < RUN ? g->inner : RUN;
    g->runs = g->run > 0 ? (g->inner + g->run - 1) / g->run : 1;
    g->units = g->inner > 0 ? reduced / g->inner * g->runs : 0;
  }
  g->outer = g->columns > 0 ? kept / g->columns : 0;
  g->per_piece = PIECE / (g->run * g->columns > 0 ? g->run * g->columns : 1);
  g->per_piece = g->per_piece < 8 ? 8 : g->per_piece;
  g->pieces = (g->units + g->per_piece - 1) / g->per_piece;
  g->pieces = g->pieces < 1 ? 1 : g->pieces;
}

void
cpu_lower_reduce (cpu_lower *l, const lam_equation *e)
{
  const cpu_isa *isa = l->backend->isa;
  geometry plan = {.size = 0};
  cpu_view in = operand (l, e, &plan), out = cpu_result (l, e, 0);
  if (l->no_memory || cpu_count (&out) == 0)
    return;
  cpu_step *s = cpu_add_step (l, reduce_step, 1, 1, sizeof (geometry));
  if (s == NULL)
    return;
  plan.r = cpu_find_reducer (isa, kit_combine (l->f, e), in.dtype);
  plan.size = cpu_size (in.dtype);
  plan.acc_size = cpu_size (plan.r->acc_dtype);
  plan.out_size = cpu_size (out.dtype);
  plan.finish = cpu_find_loop (isa, LAM_OP_convert, plan.r->acc_dtype, out.dtype);
  plan_pieces (&plan);
  *(geometry *)s->geo = plan;
  s->views[0] = in;
  s->views[1] = out;
  cpu_set_scratch (l, s, (uint64_t)(plan.outer * plan.pieces * plan.columns * plan.acc_size));
}
