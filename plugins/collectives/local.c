/* SPDX-License-Identifier: Apache-2.0 */
/* The replicas of one process, each on a thread of its own. A call meets twice: when every replica has
 * said where its tensors are, and when all are done. In between each replica reduces its share of the
 * elements and writes it to every replica's results; calls allocate nothing. */
#include "reduce.h"

#include <lamina/plugin.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__x86_64__) || defined(__i386__)
#define RELAX() __builtin_ia32_pause ()
#else
#define RELAX() atomic_signal_fence (memory_order_seq_cst)
#endif

/* About 50 us: longer than replicas are usually apart, shorter than going to sleep and being woken. */
#define SPINS 2000

typedef struct local {
  char unused; /* no options */
} local;

LAM_NO_FIELDS (local)

typedef struct member {
  lam_collective table; /* first: what the host sees */
  lam_collective_group *group;
} member;

struct lam_collective_group {
  const lam_host *host;
  uint32_t n;
  pthread_mutex_t mutex; /* guards arrived, meeting, aborted */
  pthread_cond_t changed;
  uint32_t arrived;
  atomic_uint_fast64_t meeting; /* counts those that came about */
  int spins;                    /* looks before a sleep: 0 with fewer processors than replicas */
  bool aborted;
  const lam_collective_call **calls; /* of each replica, between the two meetings */
  const void **in;                   /* [n * n]: replica r's view of one tensor at r * n */
  member *members;
};

/* --- meeting -------------------------------------------------------------------------------------- */

/* Waits until all replicas are here. False after an abort, which a meeting that must be held ignores. */
static bool
meet (lam_collective_group *g, bool must)
{
  pthread_mutex_lock (&g->mutex);
  uint64_t meeting = g->meeting;
  bool held = must || !g->aborted;
  if (held && ++g->arrived == g->n) {
    g->arrived = 0;
    g->meeting++;
    pthread_cond_broadcast (&g->changed);
  }
  if (held && g->meeting == meeting) {
    pthread_mutex_unlock (&g->mutex);
    for (int i = 0; i < g->spins && atomic_load (&g->meeting) == meeting; i++)
      RELAX ();
    pthread_mutex_lock (&g->mutex);
  }
  while (held && g->meeting == meeting && (must || !g->aborted))
    pthread_cond_wait (&g->changed, &g->mutex);
  held = held && g->meeting != meeting;
  pthread_mutex_unlock (&g->mutex);
  return held;
}

static void
local_abort (lam_collective_group *g)
{
  pthread_mutex_lock (&g->mutex);
  g->aborted = true;
  pthread_cond_broadcast (&g->changed);
  pthread_mutex_unlock (&g->mutex);
}

static lam_status
fail (const member *m, lam_error *error, lam_status status, const char *why)
{
  char message[200];
  snprintf (message, sizeof message, "replica %u of %u: %s", m->table.rank, m->group->n, why);
  m->group->host->error_set (error, status, message);
  return status;
}

static bool
is_same (const lam_collective_call *a, const lam_collective_call *b)
{
  if (a->n != b->n || a->reduction != b->reduction)
    return false;
  for (uint32_t i = 0; i < a->n; i++)
    if (a->dtypes[i] != b->dtypes[i] || a->counts[i] != b->counts[i])
      return false;
  return true;
}

/* Meets, and looks at all calls: every replica comes to the same verdict. */
static lam_status
begin (member *m, const lam_collective_call *call, lam_error *error)
{
  lam_collective_group *g = m->group;
  g->calls[m->table.rank] = call;
  if (!meet (g, false))
    return fail (m, error, LAM_E_PEER, "another replica failed");
  for (uint32_t r = 1; r < g->n; r++)
    if (!is_same (g->calls[0], g->calls[r])) {
      meet (g, true); /* nobody's call goes while others look at it */
      return fail (m, error, LAM_E_INVALID,
                   "the replicas do not make the same calls; they must run the same function");
    }
  return LAM_OK;
}

/* --- calls ---------------------------------------------------------------------------------------- */

/* This replica's share of tensor i. */
static void
reduce_tensor (member *m, uint32_t i)
{
  lam_collective_group *g = m->group;
  const lam_collective_call *call = g->calls[0];
  const void **in = g->in + (size_t)m->table.rank * g->n;
  reduce_fn reduce = reduce_find (call->dtypes[i]);
  uint64_t from, size = reduce_size (call->dtypes[i]);
  uint64_t to = reduce_slice (call->counts[i], g->n, m->table.rank, &from);
  reduce_block block;
  for (uint32_t r = 0; r < g->n; r++)
    in[r] = g->calls[r]->in[i];
  for (uint64_t n; from < to; from += n) {
    n = to - from < REDUCE_BLOCK ? to - from : REDUCE_BLOCK;
    reduce (call->reduction, in, g->n, from, n, &block);
    for (uint32_t r = 0; r < g->n; r++)
      memcpy ((char *)g->calls[r]->out[i] + from * size, &block, n * size);
  }
}

static lam_status
all_reduce (void *self, const lam_collective_call *call, lam_error *error)
{
  member *m = self;
  const char *why;
  lam_status status = reduce_check (call, &why);
  if (status != LAM_OK)
    return fail (m, error, status, why);
  status = begin (m, call, error);
  if (status != LAM_OK)
    return status;
  for (uint32_t i = 0; i < call->n; i++)
    reduce_tensor (m, i);
  meet (m->group, true);
  return LAM_OK;
}

static lam_status
all_gather (void *self, const lam_collective_call *call, lam_error *error)
{
  member *m = self;
  lam_collective_group *g = m->group;
  lam_status status = begin (m, call, error);
  if (status != LAM_OK)
    return status;
  for (uint32_t i = 0; i < call->n; i++) {
    size_t bytes = (size_t)(call->counts[i] * reduce_size (call->dtypes[i]));
    for (uint32_t r = 0; r < g->n; r++)
      memcpy ((char *)call->out[i] + r * bytes, g->calls[r]->in[i], bytes);
  }
  meet (g, true);
  return LAM_OK;
}

/* --- life ----------------------------------------------------------------------------------------- */

static void
local_close (lam_collective_group *g)
{
  if (g == NULL)
    return;
  pthread_mutex_destroy (&g->mutex);
  pthread_cond_destroy (&g->changed);
  free (g->calls);
  free (g->in);
  free (g->members);
  free (g);
}

static bool
make_members (lam_collective_group *g)
{
  g->calls = calloc (g->n, sizeof *g->calls);
  g->in = calloc ((size_t)g->n * g->n, sizeof *g->in);
  g->members = calloc (g->n, sizeof *g->members);
  if (g->calls == NULL || g->in == NULL || g->members == NULL)
    return false;
  for (uint32_t r = 0; r < g->n; r++) {
    g->members[r].group = g;
    g->members[r].table = (lam_collective) {.struct_size = sizeof (lam_collective),
                                            .rank = r,
                                            .size = g->n,
                                            .self = &g->members[r],
                                            .all_reduce = all_reduce,
                                            .all_gather = all_gather};
  }
  return true;
}

static uint32_t
processors (void)
{
  cpu_set_t set;
  return sched_getaffinity (0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT (&set) : 1;
}

static lam_status
local_open (const lam_host *host, const void *options, uint32_t n_local, lam_collective_group **out,
            lam_error *error)
{
  lam_collective_group *g = calloc (1, sizeof *g);
  (void)options;
  if (g != NULL) {
    pthread_mutex_init (&g->mutex, NULL);
    pthread_cond_init (&g->changed, NULL);
    g->host = host;
    g->n = n_local;
    g->spins = n_local <= processors () ? SPINS : 0;
  }
  if (n_local == 0 || g == NULL || !make_members (g)) {
    local_close (g);
    return host->error_set (error, n_local == 0 ? LAM_E_INVALID : LAM_E_NO_MEMORY,
                            n_local == 0 ? "local: a group has at least one replica"
                                         : "local: no memory for the group");
  }
  *out = g;
  return LAM_OK;
}

static uint32_t
local_size (const lam_collective_group *g)
{
  return g->n;
}

static uint32_t
local_first_rank (const lam_collective_group *g)
{
  (void)g;
  return 0;
}

static const lam_collective *
local_member (lam_collective_group *g, uint32_t i)
{
  return &g->members[i].table;
}

static const lam_collective_vt table = {
    .struct_size = sizeof table,
    .options_size = sizeof (local),
    .fields = local_lam_fields,
    .open = local_open,
    .close = local_close,
    .size = local_size,
    .first_rank = local_first_rank,
    .member = local_member,
    .abort = local_abort,
};

LAM_COLLECTIVE (local, "lamina.local", 1, "The replicas of one process, through its memory.",
                &table)
LAM_PLUGIN ("lamina.collectives.local", "0.1.0", "Apache-2.0", LAM_PROVIDES (local))
