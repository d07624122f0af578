/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise steps. A loop works on dense runs; an operand that is not dense (a splat, a bias, a
 * transposed view) or has 16-bit floats is brought into a tile in L1 first, so that broadcasts are
 * never written to memory and one set of loops serves all. */
#include "cpu.h"

#include <string.h>

#define MAX_OPERANDS 4

typedef enum {
  DENSE,  /* read where it is */
  SPLAT,  /* one element: the tile is filled once */
  REPEAT, /* a short row again and again: the tile holds whole rows and is filled once */
  GATHER  /* anything else: the tile is filled for each run */
} access_kind;

typedef struct access {
  access_kind kind;
  kit_view view;  /* merged */
  int64_t size;   /* bytes an element in memory */
  int64_t staged; /* bytes an element in the tile */
  cpu_loop widen; /* to f32, or NULL */
} access;

typedef struct geometry {
  cpu_loop loop;
  cpu_loop narrow; /* result 0 from f32, or NULL */
  int64_t n, grain;
  int64_t out_size;
  bool dense; /* no tile is needed: runs are as long as tasks */
  access in[MAX_OPERANDS];
} geometry;

/* A tile of REPEAT holds CPU_TILE elements from any phase of a row. */
typedef struct tiles {
  _Alignas(64) char in[MAX_OPERANDS][2 * CPU_TILE * 8];
  _Alignas(64) char half[2 * CPU_TILE * 2];
  _Alignas(64) char out[CPU_TILE * 4];
} tiles;

typedef struct job {
  const geometry *g;
  const char *in[MAX_OPERANDS];
  char *out[2];
  uint32_t n_in;
} job;

/* Brings n elements from `from` on into a tile. */
static void
stage (const access *a, const char *src, tiles *t, uint32_t k, int64_t from, int64_t n)
{
  char *tile = a->widen != NULL ? t->half : t->in[k];
  if (a->kind == DENSE)
    memcpy (tile, src + from * a->size, (size_t)(n * a->size));
  else
    cpu_fill_tile (&a->view, a->size, src, tile, from, n);
  if (a->widen != NULL)
    a->widen (n, (void *[]) {t->in[k]}, (const void *[]) {t->half});
}

/* Fills the tiles that stay the same for all runs. */
static void
stage_once (const job *j, tiles *t, int64_t n)
{
  for (uint32_t k = 0; k < j->n_in; k++) {
    const access *a = &j->g->in[k];
    int64_t tile = n < CPU_TILE ? n : CPU_TILE;
    if (a->kind == SPLAT)
      stage (a, j->in[k], t, k, 0, tile);
    else if (a->kind == REPEAT)
      stage (a, j->in[k], t, k, 0, tile + a->view.dims[1]);
  }
}

static const void *
operand (const job *j, tiles *t, uint32_t k, int64_t from, int64_t n)
{
  const access *a = &j->g->in[k];
  if (a->kind == DENSE && a->widen == NULL)
    return j->in[k] + from * a->size;
  if (a->kind == SPLAT)
    return t->in[k];
  if (a->kind == REPEAT)
    return t->in[k] + from % a->view.dims[1] * a->staged;
  stage (a, j->in[k], t, k, from, n);
  return t->in[k];
}

static void
run_task (void *ctx, int64_t task, int thread)
{
  const job *j = ctx;
  const geometry *g = j->g;
  int64_t from = task * g->grain, end = from + g->grain < g->n ? from + g->grain : g->n;
  tiles t;
  (void)thread;
  if (!g->dense)
    stage_once (j, &t, end - from);
  while (from < end) {
    int64_t n = g->dense || end - from < CPU_TILE ? end - from : CPU_TILE;
    const void *in[MAX_OPERANDS];
    char *result = j->out[0] + from * g->out_size;
    void *out[2] = {g->narrow != NULL ? t.out : result, NULL};
    if (j->out[1] != NULL)
      out[1] = j->out[1] + from * g->out_size;
    for (uint32_t k = 0; k < j->n_in; k++)
      in[k] = operand (j, &t, k, from, n);
    g->loop (n, out, in);
    if (g->narrow != NULL)
      g->narrow (n, (void *[]) {result}, (const void *[]) {t.out});
    from += n;
  }
}

static void
elementwise_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  job j = {.g = g, .n_in = s->n_in};
  for (uint32_t k = 0; k < s->n_in; k++)
    j.in[k] = cpu_at (x, &s->views[k]);
  for (uint32_t r = 0; r < s->n_out; r++)
    j.out[r] = cpu_at (x, &s->views[s->n_in + r]);
  cpu_pool_run (x->backend->pool, (g->n + g->grain - 1) / g->grain, run_task, &j);
}

/* Elements a task gets: about 20 us of work for one thread. Fixed, so the split is too. */
static int64_t
grain_of (int32_t op, lam_dtype dtype)
{
  bool dear = (op >= LAM_OP_exponential && op <= LAM_OP_erf_inv && op != LAM_OP_sqrt)
              || op == LAM_OP_power || op == LAM_OP_atan2 || op == LAM_OP_remainder
              || op == LAM_OP_threefry2x32;
  bool slow = dear
              && (dtype == LAM_F64 || op == LAM_OP_power || op == LAM_OP_sine || op == LAM_OP_cosine
                  || op == LAM_OP_tan || op == LAM_OP_cbrt);
  return slow ? 4096 : dear ? 1 << 14 : 1 << 16;
}

static void
set_access (access *a, const cpu_view *view, const cpu_isa *isa, bool widen)
{
  kit_view v = view->v;
  v.offset = 0; /* part of the operand's address */
  kit_view_merge (&v);
  a->view = v;
  a->size = a->staged = cpu_size (view->dtype);
  if (v.rank == 0 || (v.rank == 1 && v.strides[0] == 0))
    a->kind = SPLAT;
  else if (v.rank == 1 && v.strides[0] == 1)
    a->kind = DENSE;
  else if (v.rank == 2 && v.strides[0] == 0 && v.dims[1] <= CPU_TILE)
    a->kind = REPEAT;
  else
    a->kind = GATHER;
  if (widen && (view->dtype == LAM_F16 || view->dtype == LAM_BF16)) {
    a->widen = view->dtype == LAM_F16 ? isa->widen_f16 : isa->widen_bf16;
    a->staged = 4;
  }
}

static lam_dtype
computed_in (lam_dtype dtype)
{
  return dtype == LAM_F16 || dtype == LAM_BF16 ? LAM_F32 : dtype;
}

/* The loop for e over operands of dtype `in`, giving `out`. */
static cpu_loop
loop_of (cpu_lower *l, const lam_equation *e, lam_dtype in, lam_dtype out)
{
  int32_t variant = 0;
  if (e->op == LAM_OP_select)
    return cpu_find_loop (l->backend->isa, e->op, LAM_PRED, (int32_t)cpu_size (out));
  if (e->op == LAM_OP_compare)
    variant = kit_direction (l->f, e);
  else if (e->op == LAM_OP_convert)
    variant = out;
  return cpu_find_loop (l->backend->isa, e->op, computed_in (in), variant);
}

/* Whether the last axis jumps where another one runs: read in order, each element of such a view is in a
 * cache line of its own. What repeats elements stays a view, its copy would be larger than what it reads. */
static bool
is_transposed (const kit_view *v)
{
  int32_t last = v->rank - 1;
  bool runs = false;
  while (last > 0 && v->dims[last] == 1)
    last--;
  for (int32_t i = 0; i <= last; i++) {
    if (v->strides[i] == 0 && v->dims[i] > 1)
      return false;
    runs = runs || (i < last && v->strides[i] == 1 && v->dims[i] > 1);
  }
  return runs && v->strides[last] > 1;
}

/* Elements from which a transposed view is worth a copy in blocks. */
#define COPY_FROM 4096

/* Copies go before the step that reads them. */
static void
straighten (cpu_lower *l, const lam_equation *e)
{
  for (uint32_t k = 0; k < e->n_operands; k++) {
    cpu_view view = cpu_operand (l, e, k);
    if (is_transposed (&view.v) && cpu_count (&view) >= COPY_FROM)
      cpu_dense_operand (l, e, k);
  }
}

/* Operand k with the result's shape: scalars of select and clamp are repeated. */
static cpu_view
operand_view (cpu_lower *l, const lam_equation *e, uint32_t k, const kit_view *shape)
{
  cpu_view view = cpu_operand (l, e, k);
  if (view.v.rank == 0 && shape->rank > 0) {
    int64_t offset = view.v.offset;
    view.v = *shape;
    view.v.offset = offset;
    memset (view.v.strides, 0, sizeof view.v.strides);
  }
  return view;
}

/* The result may take over operands that are read in the order they are written. */
static uint32_t
in_place (const cpu_step *s, const geometry *g)
{
  uint32_t bits = 0;
  for (uint32_t k = 0; k < s->n_in; k++)
    if (g->in[k].kind == DENSE && s->views[k].v.offset == 0 && g->in[k].size == g->out_size)
      bits |= 1u << k;
  return bits;
}

void
cpu_lower_elementwise (cpu_lower *l, const lam_equation *e)
{
  const cpu_isa *isa = l->backend->isa;
  lam_dtype in = lam_value_type (l->f, lam_operand (l->f, e, 0))->dtype;
  if (e->op == LAM_OP_convert && in == lam_value_type (l->f, e->first_result)->dtype) {
    cpu_lower_same (l, e);
    return;
  }
  cpu_view out = cpu_result (l, e, 0), second = out;
  if (e->n_results > 1)
    second = cpu_result (l, e, 1);
  if (cpu_count (&out) == 0)
    return;
  straighten (l, e);
  cpu_step *s = cpu_add_step (l, elementwise_step, e->n_operands, e->n_results, sizeof (geometry));
  if (s == NULL)
    return;
  geometry *g = s->geo;
  bool moves = e->op == LAM_OP_select; /* bits pass through */
  g->n = cpu_count (&out);
  g->grain = grain_of (e->op, in);
  g->out_size = cpu_size (out.dtype);
  g->loop = loop_of (l, e, in, out.dtype);
  if (!moves && e->op != LAM_OP_convert && (out.dtype == LAM_F16 || out.dtype == LAM_BF16))
    g->narrow = out.dtype == LAM_F16 ? isa->narrow_f16 : isa->narrow_bf16;
  g->dense = g->narrow == NULL;
  for (uint32_t k = 0; k < e->n_operands; k++) {
    s->views[k] = operand_view (l, e, k, &out.v);
    set_access (&g->in[k], &s->views[k], isa, !moves);
    g->dense = g->dense && g->in[k].kind == DENSE && g->in[k].widen == NULL;
  }
  s->views[s->n_in] = out;
  if (e->n_results > 1)
    s->views[s->n_in + 1] = second;
  else
    s->in_place = in_place (s, g);
}

void
cpu_add_convert (cpu_lower *l, const cpu_view *dst, const cpu_view *src)
{
  cpu_step *s =
      cpu_count (dst) == 0 ? NULL : cpu_add_step (l, elementwise_step, 1, 1, sizeof (geometry));
  if (s == NULL)
    return;
  geometry *g = s->geo;
  lam_dtype in = computed_in (src->dtype);
  g->n = cpu_count (dst);
  g->grain = grain_of (LAM_OP_convert, in);
  g->out_size = cpu_size (dst->dtype);
  g->loop = cpu_find_loop (l->backend->isa, LAM_OP_convert, in, dst->dtype);
  s->views[0] = *src;
  s->views[1] = *dst;
  set_access (&g->in[0], src, l->backend->isa, true);
  g->dense = g->in[0].kind == DENSE && g->in[0].widen == NULL;
  s->in_place = in_place (s, g);
}

cpu_view
cpu_converted (cpu_lower *l, cpu_view src, lam_dtype dtype)
{
  if (src.dtype == dtype)
    return src;
  cpu_view dst = cpu_temporary (l, &src, dtype);
  if (!l->no_memory)
    cpu_add_convert (l, &dst, &src);
  return dst;
}
