/* SPDX-License-Identifier: Apache-2.0 */
/* dynamic_slice and dynamic_update_slice: a strided copy whose place is read when it runs. An update
 * of an operand that dies here (a cache of keys and values) touches the updated part only. */
#include "cpu.h"

#include <string.h>

typedef struct geometry {
  cpu_copy_plan window; /* of the part that starts choose */
  cpu_copy_plan rest;   /* update: all of the operand into the result */
  int32_t rank;
  uint32_t first; /* operand that holds the start of axis 0 */
  int64_t size;   /* bytes an element */
  int64_t limits[LAM_MAX_RANK], strides[LAM_MAX_RANK];
} geometry;

/* Bytes from the start of the array to the window. */
static int64_t
window_at (const cpu_step *s, const lam_exec *x)
{
  const geometry *g = s->geo;
  int64_t at = 0;
  for (int32_t k = 0; k < g->rank; k++) {
    const cpu_view *view = &s->views[g->first + (uint32_t)k];
    int64_t start = cpu_read_int (view->dtype, cpu_at (x, view), 0);
    start = start > g->limits[k] ? g->limits[k] : start;
    at += (start < 0 ? 0 : start) * g->strides[k];
  }
  return at * g->size;
}

static void
slice_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  const char *in = cpu_at (x, &s->views[0]);
  cpu_copy_run (&g->window, x->backend->pool, cpu_at (x, &s->views[s->n_in]),
                in + window_at (s, x));
}

static void
update_step (const cpu_step *s, lam_exec *x)
{
  const geometry *g = s->geo;
  const char *in = cpu_at (x, &s->views[0]);
  char *out = cpu_at (x, &s->views[s->n_in]);
  int64_t at = window_at (s, x); /* before the result is written: a start may lie under it */
  if (in != out)
    cpu_copy_run (&g->rest, x->backend->pool, out, in);
  cpu_copy_run (&g->window, x->backend->pool, out + at, cpu_at (x, &s->views[1]));
}

void
cpu_lower_dynamic (cpu_lower *l, const lam_equation *e)
{
  bool update = e->op == LAM_OP_dynamic_update_slice;
  cpu_view out = cpu_result (l, e, 0);
  if (l->no_memory || cpu_count (&out) == 0)
    return;
  cpu_step *s =
      cpu_add_step (l, update ? update_step : slice_step, e->n_operands, 1, sizeof (geometry));
  if (s == NULL)
    return;
  geometry *g = s->geo;
  for (uint32_t k = 0; k < e->n_operands; k++)
    s->views[k] = cpu_operand (l, e, k);
  s->views[s->n_in] = out;
  const cpu_view *whole = update ? &out : &s->views[0], *part = update ? &s->views[1] : &out;
  g->rank = out.v.rank;
  g->first = update ? 2 : 1;
  g->size = cpu_size (out.dtype);
  for (int32_t k = 0; k < g->rank; k++) {
    g->limits[k] = whole->v.dims[k] - part->v.dims[k];
    g->strides[k] = whole->v.strides[k];
  }
  kit_view window = part->v; /* the same part, seen in the whole */
  memcpy (window.strides, whole->v.strides, sizeof window.strides);
  cpu_copy_init (&g->window, update ? &window : &out.v, update ? &part->v : &window, g->size);
  if (!update)
    return;
  cpu_copy_init (&g->rest, &out.v, &s->views[0].v, g->size);
  s->in_place = cpu_is_dense (&s->views[0]) ? 1 : 0;
}
