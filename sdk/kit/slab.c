/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets by a sweep over time. */
#include <kit/slab.h>

#include <stdlib.h>

#include "holes.h"

/* Pieces that share one address, as one. */
typedef struct group {
  uint64_t bytes, offset;
  uint32_t first, last;
} group;

typedef struct order {
  uint32_t time, group;
  uint64_t bytes;
} order;

typedef struct planner {
  uint32_t n;     /* pieces */
  uint32_t *root; /* of each piece */
  group *groups;  /* indexed by root piece; bytes 0: not a root or empty */
  order *starts, *ends;
  uint32_t n_orders;
  kit_hole *nodes;
} planner;

static int
by_time (const void *a, const void *b)
{
  const order *x = (const order *)a, *y = (const order *)b;

  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  if (x->bytes != y->bytes) /* big ones first: they are the hardest to place */
    return x->bytes > y->bytes ? -1 : 1;
  return x->group < y->group ? -1 : x->group > y->group;
}

static void
planner_clear (planner *p)
{
  free (p->root);
  free (p->groups);
  free (p->starts);
  free (p->ends);
  free (p->nodes);
}

static void
find_roots (planner *p, const kit_piece *pieces)
{
  for (uint32_t i = 0; i < p->n; i++)
    p->root[i] = UINT32_MAX;
  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t root = i, at = i;
    while (p->root[root] == UINT32_MAX && pieces[root].shares >= 0)
      root = (uint32_t)pieces[root].shares;
    if (p->root[root] != UINT32_MAX)
      root = p->root[root];
    while (p->root[at] == UINT32_MAX) { /* the whole chain learns it: O(n) in all */
      uint32_t next = pieces[at].shares >= 0 ? (uint32_t)pieces[at].shares : at;
      p->root[at] = root;
      at = next;
    }
  }
}

/* Sizes are rounded up to the alignment; false on overflow of their sum. */
static bool
make_groups (planner *p, const kit_piece *pieces)
{
  uint64_t sum = 0;

  for (uint32_t i = 0; i < p->n; i++) {
    group *g = &p->groups[p->root[i]];
    uint64_t bytes = pieces[i].bytes;
    if (bytes > UINT64_MAX - KIT_SLAB_ALIGN || sum + bytes + KIT_SLAB_ALIGN < sum)
      return false;
    sum += bytes + KIT_SLAB_ALIGN;
    bytes = (bytes + KIT_SLAB_ALIGN - 1) / KIT_SLAB_ALIGN * KIT_SLAB_ALIGN;
    if (bytes == 0)
      continue;
    if (g->bytes == 0 || pieces[i].first < g->first)
      g->first = pieces[i].first;
    if (g->bytes == 0 || pieces[i].last > g->last)
      g->last = pieces[i].last;
    if (bytes > g->bytes)
      g->bytes = bytes;
  }
  return true;
}

static lam_status
planner_init (planner *p, const kit_piece *pieces, uint32_t n)
{
  size_t room = (size_t)n + 1;

  *p = (planner) {n, NULL, NULL, NULL, NULL, 0, NULL};
  p->root = (uint32_t *)malloc (room * sizeof *p->root);
  p->groups = (group *)calloc (room, sizeof *p->groups);
  p->starts = (order *)malloc (room * sizeof *p->starts);
  p->ends = (order *)malloc (room * sizeof *p->ends);
  p->nodes = (kit_hole *)malloc ((room + 1) * sizeof *p->nodes);
  if (p->root == NULL || p->groups == NULL || p->starts == NULL || p->ends == NULL
      || p->nodes == NULL)
    return LAM_E_NO_MEMORY;
  find_roots (p, pieces);
  if (!make_groups (p, pieces))
    return LAM_E_NO_MEMORY;
  for (uint32_t i = 0; i < n; i++) {
    const group *g = &p->groups[i];
    if (g->bytes == 0)
      continue;
    p->starts[p->n_orders] = (order) {g->first, i, g->bytes};
    p->ends[p->n_orders] = (order) {g->last, i, g->bytes};
    p->n_orders++;
  }
  qsort (p->starts, p->n_orders, sizeof *p->starts, by_time);
  qsort (p->ends, p->n_orders, sizeof *p->ends, by_time);
  return LAM_OK;
}

/* One sweep; returns the size of the slab. */
static uint64_t
sweep (planner *p)
{
  kit_holes holes;
  uint64_t top = 0;
  uint32_t ended = 0;

  kit_holes_init (&holes, p->nodes);
  for (uint32_t i = 0; i < p->n_orders; i++) {
    group *g = &p->groups[p->starts[i].group];
    for (; p->ends[ended].time < g->first; ended++) {
      const group *old = &p->groups[p->ends[ended].group];
      kit_holes_give (&holes, old->offset, old->bytes);
    }
    if (kit_holes_take (&holes, g->bytes, &g->offset))
      continue;
    g->offset = kit_holes_take_end (&holes, top); /* grow the slab, using what is free at its end */
    top = g->offset + g->bytes;
  }
  return top;
}

lam_status
kit_slab_plan (kit_piece *pieces, uint32_t n, uint64_t *out_bytes)
{
  planner p;
  lam_status status = planner_init (&p, pieces, n);

  *out_bytes = 0;
  if (status == LAM_OK) {
    *out_bytes = sweep (&p);
    for (uint32_t i = 0; i < n; i++)
      pieces[i].offset = pieces[i].bytes != 0 ? p.groups[p.root[i]].offset : 0;
  }
  planner_clear (&p);
  return status;
}

uint64_t
kit_slab_peak (const kit_piece *pieces, uint32_t n)
{
  planner p;
  uint64_t live = 0, peak = 0;
  uint32_t ended = 0;

  if (planner_init (&p, pieces, n) != LAM_OK) {
    planner_clear (&p);
    return KIT_NOWHERE;
  }
  for (uint32_t i = 0; i < p.n_orders; i++) {
    for (; p.ends[ended].time < p.starts[i].time; ended++)
      live -= p.ends[ended].bytes;
    live += p.starts[i].bytes;
    if (live > peak)
      peak = live;
  }
  planner_clear (&p);
  return peak;
}
