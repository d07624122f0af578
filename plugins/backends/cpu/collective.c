/* SPDX-License-Identifier: Apache-2.0 */
/* Equations over replicas. Calls into the collective are made on the thread that runs the executable,
 * or, for an all_reduce whose results are not needed at once, on the executable's communication
 * thread; never inside the pool, and with no lock held. */
#include "cpu.h"

#include <string.h>

/* Below this many bytes handing a call to another thread costs more than it saves. */
#define OVERLAP_BYTES (1 << 18)

typedef struct geometry {
  cpu_comm_job job;
  const void **in;
  void **out;
  bool overlap; /* a step waits for it */
  bool posted;  /* in this run */
} geometry;

/* --- all_reduce -------------------------------------------------------------------------------- */

static void
reduce_step (const cpu_step *s, lam_exec *x)
{
  geometry *g = s->geo;
  for (uint32_t k = 0; k < s->n_in; k++) {
    g->in[k] = cpu_at (x, &s->views[k]);
    g->out[k] = cpu_at (x, &s->views[s->n_in + k]);
  }
  g->job.replica = x->replica;
  g->posted = g->overlap && x->comm != NULL && !kit_is_alone (&x->replica);
  if (g->posted) {
    cpu_comm_post (x->comm, &g->job);
    return;
  }
  x->status = cpu_comm_drain (x->comm); /* calls keep their order */
  if (x->status == LAM_OK)
    x->status = kit_all_reduce (&x->replica, &g->job.call);
}

static void
wait_step (const cpu_step *s, lam_exec *x)
{
  geometry *g = *(geometry **)s->geo;
  if (g->posted)
    x->status = cpu_comm_wait (x->comm, &g->job);
}

/* Room for the call's arrays. */
static bool
fill_call (cpu_lower *l, const lam_equation *e, geometry *g)
{
  uint32_t n = e->n_operands;
  lam_dtype *dtypes = cpu_new (l, n * sizeof *dtypes);
  uint64_t *counts = cpu_new (l, n * sizeof *counts);
  g->in = cpu_new (l, n * sizeof *g->in);
  g->out = cpu_new (l, n * sizeof *g->out);
  if (l->no_memory)
    return false;
  for (uint32_t k = 0; k < n; k++) {
    const lam_type *type = lam_value_type (l->f, e->first_result + k);
    dtypes[k] = type->dtype;
    counts[k] = (uint64_t)lam_type_elements (type);
  }
  g->job.call = (lam_collective_call) {.struct_size = sizeof g->job.call,
                                       .reduction = kit_reduction (l->f, e),
                                       .n = n,
                                       .dtypes = dtypes,
                                       .counts = counts,
                                       .in = g->in,
                                       .out = g->out};
  return true;
}

static bool
uses (const lam_function *f, const lam_equation *by, const lam_equation *e)
{
  for (uint32_t k = 0; k < by->n_operands; k++)
    if (lam_operand (f, by, k) - e->first_result < e->n_results)
      return true;
  return false;
}

/* Something can be done before its results are needed. */
static bool
may_overlap (const cpu_lower *l, const lam_equation *e)
{
  int64_t bytes = 0;
  for (uint32_t k = 0; k < e->n_results; k++)
    bytes += lam_type_bytes (lam_value_type (l->f, e->first_result + k));
  return bytes >= OVERLAP_BYTES && l->equation + 1 < l->f->n_equations
         && !uses (l->f, lam_equation_at (l->f, l->equation + 1), e);
}

void
cpu_lower_all_reduce (cpu_lower *l, const lam_equation *e)
{
  uint32_t n = e->n_operands;
  for (uint32_t k = 0; k < n; k++) /* first all: copies are steps of their own */
    cpu_dense_operand (l, e, k);
  cpu_step *s = l->no_memory ? NULL : cpu_add_step (l, reduce_step, n, n, sizeof (geometry));
  if (s == NULL || !fill_call (l, e, s->geo))
    return;
  geometry *g = s->geo;
  for (uint32_t k = 0; k < n; k++) {
    s->views[k] = cpu_operand (l, e, k);
    s->views[n + k] = cpu_result (l, e, k);
  }
  s->pairwise = true;
  g->overlap = may_overlap (l, e);
  if (!g->overlap || l->no_memory)
    return;
  cpu_waiting *w = cpu_new (l, sizeof *w);
  if (w == NULL)
    return;
  *w = (cpu_waiting) {l->waiting, e, l->x->n_steps - 1};
  l->waiting = w;
  l->x->overlaps = true;
}

/* Keeps operands and results where they are until the call is over. */
static void
add_wait (cpu_lower *l, const cpu_waiting *w)
{
  uint32_t n = 2 * w->e->n_operands;
  cpu_step *s = cpu_add_step (l, wait_step, n, 0, sizeof (geometry *));
  if (s == NULL)
    return;
  const cpu_step *start = &l->x->steps[w->step];
  memcpy (s->views, start->views, n * sizeof *s->views);
  *(geometry **)s->geo = start->geo;
  s->waits = true;
}

void
cpu_lower_waits (cpu_lower *l, const lam_equation *e)
{
  for (cpu_waiting **at = &l->waiting; *at != NULL && !l->no_memory;) {
    if (e != NULL && !uses (l->f, e, (*at)->e)) {
      at = &(*at)->next;
      continue;
    }
    add_wait (l, *at);
    *at = (*at)->next;
  }
}

/* --- all_gather, axis_index ---------------------------------------------------------------------- */

static void
gather_step (const cpu_step *s, lam_exec *x)
{
  x->status = cpu_comm_drain (x->comm);
  if (x->status == LAM_OK)
    x->status = kit_run_all_gather (&x->replica, s->geo, cpu_at (x, &s->views[0]),
                                    cpu_at (x, &s->views[1]), cpu_scratch (x, s));
}

void
cpu_lower_all_gather (cpu_lower *l, const lam_equation *e)
{
  cpu_view in = cpu_dense_operand (l, e, 0), out = cpu_result (l, e, 0);
  cpu_step *s = l->no_memory ? NULL : cpu_add_step (l, gather_step, 1, 1, sizeof (kit_all_gather));
  if (s == NULL)
    return;
  s->views[0] = in;
  s->views[1] = out;
  kit_read_all_gather (l->f, e, s->geo);
  cpu_set_scratch (l, s, kit_all_gather_scratch (s->geo));
}

static void
index_step (const cpu_step *s, lam_exec *x)
{
  uint32_t rank = kit_rank (&x->replica);
  memcpy (cpu_at (x, &s->views[0]), &rank, sizeof rank);
}

void
cpu_lower_axis_index (cpu_lower *l, const lam_equation *e)
{
  cpu_view out = cpu_result (l, e, 0);
  cpu_step *s = l->no_memory ? NULL : cpu_add_step (l, index_step, 0, 1, 0);
  if (s != NULL)
    s->views[0] = out;
}
