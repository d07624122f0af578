/* SPDX-License-Identifier: Apache-2.0 */
/* dot_general: floats by matrix products, straight from the operands' views where each group of axes
 * (batch, free, contracted) has one stride, from a packed copy otherwise; integers by plain loops. */
#include "cpu.h"

#include <string.h>

typedef struct geometry {
  cpu_gemm gemm;
  int64_t batch, lhs_batch, rhs_batch, out_batch; /* count, and strides in elements */
  bool batch_parallel;                            /* a batch of small products: one a task */
  uint64_t scratch_each;
} geometry;

/* The axes of one group of an operand, as a view of it. */
static kit_view
group (const cpu_view *operand, const int64_t *axes, int64_t n)
{
  kit_view v = {.rank = (int32_t)n};
  for (int64_t i = 0; i < n; i++) {
    v.dims[i] = operand->v.dims[axes[i]];
    v.strides[i] = operand->v.strides[axes[i]];
  }
  return v;
}

typedef struct side {
  cpu_view view;
  kit_view batch, free, contract;
} side;

static side
split (cpu_lower *l, const lam_equation *e, cpu_view view, const char *batch_key, const char *key)
{
  side s = {.view = view};
  uint64_t n_batch, n_contract;
  const int64_t *batch = lam_attr_ints (l->f, e, batch_key, &n_batch);
  const int64_t *contract = lam_attr_ints (l->f, e, key, &n_contract);
  int64_t rest[LAM_MAX_RANK], n_rest = 0;
  bool used[LAM_MAX_RANK] = {false};
  for (uint64_t i = 0; i < n_batch; i++)
    used[batch[i]] = true;
  for (uint64_t i = 0; i < n_contract; i++)
    used[contract[i]] = true;
  for (int32_t i = 0; i < s.view.v.rank; i++)
    if (!used[i])
      rest[n_rest++] = i;
  s.batch = group (&s.view, batch, (int64_t)n_batch);
  s.free = group (&s.view, rest, n_rest);
  s.contract = group (&s.view, contract, (int64_t)n_contract);
  return s;
}

/* The one distance between neighbours of a group, or false. */
static bool
one_stride (const kit_view *v, int64_t *out)
{
  kit_view merged = *v;
  kit_view_merge (&merged);
  *out = merged.rank == 0 ? 1 : merged.strides[0];
  return merged.rank <= 1;
}

static void
append (kit_view *to, const kit_view *from)
{
  for (int32_t i = 0; i < from->rank; i++, to->rank++) {
    to->dims[to->rank] = from->dims[i];
    to->strides[to->rank] = from->strides[i];
  }
}

/* Copies the operand as (batch, free, contracted) and describes the copy. */
static void
pack_side (cpu_lower *l, side *s)
{
  cpu_view ordered = s->view;
  int64_t strides[LAM_MAX_RANK];
  ordered.v.rank = 0;
  append (&ordered.v, &s->batch);
  append (&ordered.v, &s->free);
  append (&ordered.v, &s->contract);
  uint32_t value = l->no_memory ? 0 : l->x->bufs[s->view.buffer].value;
  s->view = cpu_materialise (l, ordered, value);
  kit_strides (s->view.v.rank, s->view.v.dims, strides);
  memcpy (s->batch.strides, strides, sizeof *strides * (size_t)s->batch.rank);
  memcpy (s->free.strides, strides + s->batch.rank, sizeof *strides * (size_t)s->free.rank);
  memcpy (s->contract.strides, strides + s->batch.rank + s->free.rank,
          sizeof *strides * (size_t)s->contract.rank);
}

/* Strides of batch, free and contracted elements. */
static void
strides_of (cpu_lower *l, side *s, int64_t out[3])
{
  if (one_stride (&s->batch, &out[0]) && one_stride (&s->free, &out[1])
      && one_stride (&s->contract, &out[2]))
    return;
  pack_side (l, s);
  one_stride (&s->batch, &out[0]);
  one_stride (&s->free, &out[1]);
  one_stride (&s->contract, &out[2]);
}

/* --- floats ---------------------------------------------------------------------------------- */

typedef struct job {
  const geometry *g;
  const lam_backend *backend;
  const char *a, *b;
  char *c, *scratch;
} job;

static void
run_one (void *ctx, int64_t i, int thread)
{
  const job *j = ctx;
  const geometry *g = j->g;
  int64_t size = cpu_size (g->gemm.dtype);
  const char *a = j->a + i * g->lhs_batch * size, *b = j->b + i * g->rhs_batch * size;
  char *c = j->c + i * g->out_batch * size;
  if (g->batch_parallel)
    cpu_gemm_run (&g->gemm, j->backend, a, b, c, j->scratch + (uint64_t)thread * g->scratch_each);
  else
    cpu_gemm_parallel (&g->gemm, j->backend, a, b, c, j->scratch);
}

static void
dot_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  job j = {.g = g,
           .backend = x->backend,
           .a = cpu_at (x, &s->views[0]),
           .b = cpu_at (x, &s->views[1]),
           .c = cpu_at (x, &s->views[2]),
           .scratch = cpu_scratch (x, s)};
  if (g->batch_parallel)
    cpu_pool_run (x->backend->pool, g->batch, run_one, &j);
  else
    for (int64_t i = 0; i < g->batch; i++)
      run_one (&j, i, 0);
}

/* --- integers: in 64 bits, where products wrap as in any narrower type -------------------------- */

static void
integer_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  const cpu_gemm *m = &g->gemm;
  const uint64_t *a = cpu_at (x, &s->views[0]), *b = cpu_at (x, &s->views[1]);
  uint64_t *c = cpu_at (x, &s->views[2]);
  for (int64_t n = 0; n < g->batch; n++, a += g->lhs_batch, b += g->rhs_batch, c += g->out_batch)
    for (int64_t i = 0; i < m->m; i++)
      for (int64_t j = 0; j < m->n; j++) {
        uint64_t sum = 0;
        for (int64_t k = 0; k < m->k; k++)
          sum += a[i * m->a.rows + k * m->a.cols] * b[k * m->b.rows + j * m->b.cols];
        c[i * m->n + j] = sum;
      }
}

/* --- lowering -------------------------------------------------------------------------------- */

lam_dtype
cpu_contract_dtype (lam_dtype in, lam_dtype out)
{
  if (!lam_dtype_is_float (in))
    return LAM_I64;
  return in == LAM_F64 || out == LAM_F64 ? LAM_F64 : LAM_F32;
}

static void
set_scratch (cpu_lower *l, cpu_step *s, geometry *g)
{
  int threads = cpu_pool_threads (l->backend->pool);
  g->batch_parallel = g->batch > 1 && !g->gemm.blas;
  g->scratch_each = cpu_gemm_scratch (&g->gemm, l->backend);
  cpu_set_scratch (l, s, g->scratch_each * (uint64_t)threads);
}

/* out = lhs . rhs, all of one dtype. */
static void
add_dot (cpu_lower *l, side *lhs, side *rhs, const cpu_view *out)
{
  int64_t ls[3], rs[3];
  strides_of (l, lhs, ls);
  strides_of (l, rhs, rs);
  bool floats = lam_dtype_is_float (out->dtype);
  cpu_step *s = cpu_add_step (l, floats ? dot_step : integer_step, 2, 1, sizeof (geometry));
  if (s == NULL)
    return;
  geometry *g = s->geo;
  cpu_gemm *m = &g->gemm;
  s->views[0] = lhs->view;
  s->views[1] = rhs->view;
  s->views[2] = *out;
  m->m = kit_elements (lhs->free.rank, lhs->free.dims);
  m->n = kit_elements (rhs->free.rank, rhs->free.dims);
  m->k = kit_elements (lhs->contract.rank, lhs->contract.dims);
  m->a = (cpu_matrix) {ls[1], ls[2]};
  m->b = (cpu_matrix) {rs[2], rs[1]};
  m->c = (cpu_matrix) {m->n, 1};
  m->dtype = out->dtype;
  g->batch = kit_elements (lhs->batch.rank, lhs->batch.dims);
  g->lhs_batch = ls[0];
  g->rhs_batch = rs[0];
  g->out_batch = m->m * m->n;
  if (!floats)
    return;
  cpu_gemm_init (m, l->backend);
  set_scratch (l, s, g);
}

void
cpu_lower_dot (cpu_lower *l, const lam_equation *e)
{
  cpu_view a = cpu_operand (l, e, 0), b = cpu_operand (l, e, 1), out = cpu_result (l, e, 0);
  lam_dtype dtype = cpu_contract_dtype (a.dtype, out.dtype);
  cpu_view sums = dtype == out.dtype ? out : cpu_temporary (l, &out, dtype);
  if (l->no_memory || cpu_count (&out) == 0)
    return;
  a = cpu_converted (l, a, dtype);
  b = cpu_converted (l, b, dtype);
  side lhs = split (l, e, a, "lhs_batching_dimensions", "lhs_contracting_dimensions");
  side rhs = split (l, e, b, "rhs_batching_dimensions", "rhs_contracting_dimensions");
  add_dot (l, &lhs, &rhs, &sums);
  if (dtype != out.dtype)
    cpu_add_convert (l, &out, &sums);
}
