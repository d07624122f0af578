/* SPDX-License-Identifier: Apache-2.0 */
/* convolution: patches of the image times the kernel as matrix products, in chunks of bounded scratch
 * that the threads share out. Every spec, stride, dilation, padding and grouping goes this way: they are
 * strides and orders of axes. The gradients are convolutions too; the orders of axes are chosen so
 * that their patches are copied in runs as well. */
#include "conv.h"

#include <string.h>

/* Bytes of patches in a chunk: they stay in L2 until they are multiplied. */
#define CHUNK_BYTES (384 << 10)

typedef struct geometry {
  cpu_conv v;
  cpu_gemm gemm;         /* of a full chunk */
  int64_t groups, chunk; /* points in a chunk */
  int64_t lines, line;   /* the points are `lines` runs of `line` with one stride in the result */
  int64_t line_stride;
  cpu_walk outer;     /* the axes of points that count lines */
  int64_t tap_stride; /* one stride of the kernel over the taps; 0: it is packed first */
  cpu_copy_plan pack; /* kernel to (taps, out feature) */
  bool swapped;       /* the product is (out feature, point) */
  uint64_t packed, patches,
      each; /* bytes: packed kernel of all groups; a thread's patches, scratch */
} geometry;

/* --- running --------------------------------------------------------------------------------- */

typedef struct job {
  const geometry *g;
  const lam_backend *backend;
  const char *lhs, *rhs;
  char *out, *scratch;
  int64_t size, chunks; /* chunks of a line */
} job;

/* Offset in the result of line number n. */
static int64_t
line_offset (const geometry *g, int64_t n)
{
  int64_t offset = 0;
  for (int32_t i = g->outer.rank - 1; i >= 0; i--) {
    int64_t at = n % g->outer.dims[i];
    n /= g->outer.dims[i];
    offset +=
        at
        * (g->outer.axis[i] == CPU_BATCH ? g->v.c.out_batch : g->v.c.out_spatial[g->outer.axis[i]]);
  }
  return offset;
}

/* First image and kernel element of a group. */
static void
group_of (const job *j, int64_t group, const char **out_image, const char **out_kernel)
{
  const geometry *g = j->g;
  const kit_conv *c = &g->v.c;
  int64_t per_group = c->out_features / g->groups;
  int64_t step =
      c->feature_groups > 1 ? c->group_features * c->lhs_feature : c->batch * c->lhs_batch;
  *out_image = j->lhs + group * step * j->size;
  if (g->tap_stride == 0)
    *out_kernel = j->scratch + group * g->gemm.k * (g->v.c.out_features / g->groups) * j->size;
  else
    *out_kernel = j->rhs + group * per_group * c->rhs_out * j->size;
}

static void
run_chunk (void *ctx, int64_t task, int thread)
{
  const job *j = ctx;
  const geometry *g = j->g;
  int64_t group = task / (g->lines * j->chunks), rest = task % (g->lines * j->chunks);
  int64_t number = rest / j->chunks, from = rest % j->chunks * g->chunk;
  int64_t n = g->line - from < g->chunk ? g->line - from : g->chunk;
  int64_t taps = kit_elements (g->v.taps.rank, g->v.taps.dims);
  char *patches = j->scratch + g->packed + (uint64_t)thread * g->each;
  const char *image, *kernel;
  cpu_gemm m = g->gemm;
  cpu_matrix by_point = g->v.taps_last ? (cpu_matrix) {taps, 1} : (cpu_matrix) {1, n};
  int64_t per_group = g->v.c.out_features / g->groups;
  char *out =
      j->out
      + (line_offset (g, number) + from * g->line_stride + group * per_group * g->v.c.out_feature)
            * j->size;
  group_of (j, group, &image, &kernel);
  cpu_conv_patches (&g->v, j->size, image, patches, number * g->line + from, n);
  if (g->swapped) {
    m.n = n;
    m.b = (cpu_matrix) {by_point.cols, by_point.rows};
    cpu_gemm_run (&m, j->backend, kernel, patches, out, patches + g->patches);
  } else {
    m.m = n;
    m.a = by_point;
    cpu_gemm_run (&m, j->backend, patches, kernel, out, patches + g->patches);
  }
}

static void
conv_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  job j = {.g = g,
           .backend = x->backend,
           .lhs = cpu_at (x, &s->views[0]),
           .rhs = cpu_at (x, &s->views[1]),
           .out = cpu_at (x, &s->views[2]),
           .scratch = cpu_scratch (x, s),
           .size = cpu_size (s->views[2].dtype),
           .chunks = (g->line + g->chunk - 1) / g->chunk};
  if (g->tap_stride == 0)
    cpu_copy_run (&g->pack, x->backend->pool, j.scratch, j.rhs);
  double work = (double)g->v.c.out_features * (double)(g->lines * g->line)
                * (double)kit_elements (g->v.taps.rank, g->v.taps.dims);
  int64_t tasks = g->groups * g->lines * j.chunks;
  if (work < 1e5) /* waking a thread costs more */
    for (int64_t i = 0; i < tasks; i++)
      run_chunk (&j, i, 0);
  else
    cpu_pool_run (x->backend->pool, tasks, run_chunk, &j);
}

static void
integer_step (const cpu_step *s, lam_exec *x)
{
  cpu_conv_integers (s->geo, cpu_at (x, &s->views[0]), cpu_at (x, &s->views[1]),
                     cpu_at (x, &s->views[2]));
}

/* --- lowering -------------------------------------------------------------------------------- */

/* Strides by role, from the views instead of dense arrays. */
static void
use_views (cpu_lower *l, const lam_equation *e, kit_conv *c, const cpu_view *views)
{
  uint64_t n;
  const int64_t *lhs = lam_attr_ints (l->f, e, "lhs_spec", &n);
  const int64_t *rhs = lam_attr_ints (l->f, e, "rhs_spec", &n);
  c->lhs_batch = views[0].v.strides[lhs[0]];
  c->lhs_feature = views[0].v.strides[lhs[1]];
  c->rhs_out = views[1].v.strides[rhs[0]];
  c->rhs_in = views[1].v.strides[rhs[1]];
  for (uint64_t i = 2; i < n; i++) {
    c->lhs_spatial[i - 2] = views[0].v.strides[lhs[i]];
    c->rhs_spatial[i - 2] = views[1].v.strides[rhs[i]];
  }
}

static int64_t
out_stride (const kit_conv *c, int32_t axis)
{
  return axis == CPU_BATCH ? c->out_batch : c->out_spatial[axis];
}

/* Batch and spatial axes by falling stride of the result, so that it is written forwards. */
static void
order_points (cpu_conv *v)
{
  cpu_walk *w = &v->points;
  w->rank = 0;
  for (int32_t axis = CPU_BATCH; axis < v->c.window.rank; axis++) {
    int32_t i = w->rank++;
    for (; i > 0 && out_stride (&v->c, w->axis[i - 1]) < out_stride (&v->c, axis); i--) {
      w->axis[i] = w->axis[i - 1];
      w->dims[i] = w->dims[i - 1];
    }
    w->axis[i] = axis;
    w->dims[i] = axis == CPU_BATCH ? v->c.batch : v->c.window.out_dims[axis];
  }
}

static kit_view
kernel_view (const cpu_conv *v)
{
  kit_view k = {.rank = v->taps.rank};
  for (int32_t i = 0; i < k.rank; i++) {
    k.dims[i] = v->taps.dims[i];
    k.strides[i] = v->taps.axis[i] == CPU_FEATURE ? v->c.rhs_in : v->c.rhs_spatial[v->taps.axis[i]];
  }
  return k;
}

static void
set_taps (cpu_conv *v, bool feature_last)
{
  cpu_walk *w = &v->taps;
  int32_t n = v->c.window.rank;
  w->rank = n + 1;
  for (int32_t i = 0; i < n; i++) {
    w->axis[i + !feature_last] = i;
    w->dims[i + !feature_last] = v->c.window.size[i];
  }
  w->axis[feature_last ? n : 0] = CPU_FEATURE;
  w->dims[feature_last ? n : 0] = v->c.group_features;
}

/* Rows of patches run over features where those are neighbours in the image; else columns run over points,
 * and the taps take the order in which the kernel needs no packing, if there is one. */
static int64_t
order_taps (cpu_conv *v)
{
  kit_view k;
  const cpu_walk *p = &v->points;
  int32_t fastest = p->axis[p->rank - 1];
  int64_t point = fastest == CPU_BATCH ? v->c.lhs_batch
                                       : v->c.lhs_spatial[fastest] * v->c.window.stride[fastest];
  v->taps_last = v->c.lhs_feature == 1 && (point != 1 || v->c.group_features >= 8);
  set_taps (v, true);
  k = kernel_view (v);
  kit_view_merge (&k);
  if (k.rank <= 1 || v->taps_last)
    return k.rank == 0 ? 1 : k.rank == 1 ? k.strides[0] : 0;
  set_taps (v, false);
  k = kernel_view (v);
  kit_view_merge (&k);
  return k.rank <= 1 ? k.strides[0] : 0;
}

/* How many of the last axes of points have one stride in the result. */
static void
split_lines (geometry *g)
{
  const cpu_walk *p = &g->v.points;
  int32_t i = p->rank - 1;
  g->line = p->dims[i];
  g->line_stride = out_stride (&g->v.c, p->axis[i]);
  for (; i > 0; i--) {
    if (p->dims[i - 1] != 1 && out_stride (&g->v.c, p->axis[i - 1]) != g->line * g->line_stride)
      break;
    g->line *= p->dims[i - 1];
  }
  g->outer = *p;
  g->outer.rank = i;
  g->lines = kit_elements (i, p->dims);
}

/* The kernel as (group, tap, out feature). */
static void
plan_packing (geometry *g, int64_t size)
{
  kit_view src = kernel_view (&g->v), dst;
  int64_t per_group = g->v.c.out_features / g->groups;
  memmove (src.dims + 1, src.dims, sizeof src.dims - sizeof src.dims[0]);
  memmove (src.strides + 1, src.strides, sizeof src.strides - sizeof src.strides[0]);
  src.dims[0] = g->groups;
  src.strides[0] = per_group * g->v.c.rhs_out;
  src.rank += 2;
  src.dims[src.rank - 1] = per_group;
  src.strides[src.rank - 1] = g->v.c.rhs_out;
  dst = src;
  kit_strides (dst.rank, dst.dims, dst.strides);
  cpu_copy_init (&g->pack, &dst, &src, size);
  g->packed = (uint64_t)(kit_elements (dst.rank, dst.dims) * size + 63) / 64 * 64;
}

static void
plan_product (geometry *g, const lam_backend *backend, lam_dtype dtype)
{
  const kit_conv *c = &g->v.c;
  int64_t size = cpu_size (dtype), taps = kit_elements (g->v.taps.rank, g->v.taps.dims);
  int64_t per_group = c->out_features / g->groups;
  int64_t tap = g->tap_stride, feature = c->rhs_out;
  if (tap == 0) {
    plan_packing (g, size);
    tap = per_group;
    feature = 1;
  }
  g->chunk = CHUNK_BYTES / (taps * size > 0 ? taps * size : 1) / 48 * 48;
  g->chunk = g->chunk < 48 ? 48 : g->chunk;
  g->chunk = g->chunk > g->line ? g->line : g->chunk;
  g->swapped = g->line_stride == 1 && c->out_feature != 1;
  g->gemm.dtype = dtype;
  g->gemm.k = taps;
  if (g->swapped) {
    g->gemm.m = per_group;
    g->gemm.n = g->chunk;
    g->gemm.a = (cpu_matrix) {feature, tap};
    g->gemm.c = (cpu_matrix) {c->out_feature, 1};
  } else {
    g->gemm.m = g->chunk;
    g->gemm.n = per_group;
    g->gemm.b = (cpu_matrix) {tap, feature};
    g->gemm.c = (cpu_matrix) {g->line_stride, c->out_feature};
  }
  g->patches = (uint64_t)(g->chunk * taps * size + 63) / 64 * 64;
  g->each = g->patches + cpu_gemm_scratch (&g->gemm, backend);
}

/* out = convolution of a and b, all of one dtype; out is dense. */
static void
add_conv (cpu_lower *l, const lam_equation *e, const cpu_view views[3])
{
  bool floats = lam_dtype_is_float (views[2].dtype);
  cpu_step *s = floats ? cpu_add_step (l, conv_step, 2, 1, sizeof (geometry))
                       : cpu_add_step (l, integer_step, 2, 1, sizeof (cpu_conv));
  if (s == NULL)
    return;
  memcpy (s->views, views, 3 * sizeof *views);
  cpu_conv *v = s->geo;
  kit_read_conv (l->f, e, &v->c);
  use_views (l, e, &v->c, views);
  order_points (v);
  if (!floats)
    return;
  geometry *g = s->geo; /* begins with the cpu_conv */
  g->groups = v->c.feature_groups * v->c.batch_groups;
  g->tap_stride = order_taps (v);
  split_lines (g);
  plan_product (g, l->backend, views[2].dtype);
  cpu_set_scratch (l, s, g->packed + g->each * (uint64_t)cpu_pool_threads (l->backend->pool));
}

void
cpu_lower_conv (cpu_lower *l, const lam_equation *e)
{
  cpu_view a = cpu_operand (l, e, 0), b = cpu_operand (l, e, 1), out = cpu_result (l, e, 0);
  lam_dtype dtype = cpu_contract_dtype (a.dtype, out.dtype);
  cpu_view sums = dtype == out.dtype ? out : cpu_temporary (l, &out, dtype);
  if (l->no_memory || cpu_count (&out) == 0)
    return;
  add_conv (l, e, (cpu_view[]) {cpu_converted (l, a, dtype), cpu_converted (l, b, dtype), sums});
  if (dtype != out.dtype)
    cpu_add_convert (l, &out, &sums);
}
