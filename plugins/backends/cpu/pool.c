/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool: workers spin for some microseconds after work, then sleep on a condition. */
#include "pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__x86_64__) || defined(__i386__)
#define RELAX() __builtin_ia32_pause ()
#else
#define RELAX() atomic_signal_fence (memory_order_seq_cst)
#endif

/* About 30 us of spinning: longer than the gap between two steps, shorter than a time slice. */
#define SPINS 1000

typedef struct worker {
  cpu_pool *pool;
  pthread_t thread;
  int number;
} worker;

struct cpu_pool {
  int threads; /* the caller included */
  worker *workers;
  pthread_mutex_t caller; /* held by the one who has the pool */
  pthread_mutex_t mutex;  /* guards the job: fn, ctx, tasks, open */
  pthread_cond_t wake, done;
  atomic_uint round; /* counts jobs; a change is the start of one */
  atomic_int active; /* workers inside the job */
  atomic_bool stop;
  atomic_int_fast64_t next;
  bool open; /* a worker may still join the job */
  int64_t tasks;
  cpu_task_fn fn;
  void *ctx;
};

static void
work (cpu_pool *pool, int thread)
{
  for (;;) {
    int64_t task = atomic_fetch_add_explicit (&pool->next, 1, memory_order_relaxed);
    if (task >= pool->tasks)
      return;
    pool->fn (pool->ctx, task, thread);
  }
}

/* Waits until round differs from seen. */
static unsigned
wait_round (cpu_pool *pool, unsigned seen)
{
  unsigned now;
  for (int i = 0; i < SPINS; i++) {
    now = atomic_load_explicit (&pool->round, memory_order_acquire);
    if (now != seen)
      return now;
    RELAX ();
  }
  pthread_mutex_lock (&pool->mutex);
  while ((now = atomic_load (&pool->round)) == seen)
    pthread_cond_wait (&pool->wake, &pool->mutex);
  pthread_mutex_unlock (&pool->mutex);
  return now;
}

/* A worker that wakes when the job is over does not join it, so nobody waits for it. */
static bool
join_job (cpu_pool *pool)
{
  pthread_mutex_lock (&pool->mutex);
  bool joins = pool->open;
  if (joins)
    atomic_fetch_add (&pool->active, 1);
  pthread_mutex_unlock (&pool->mutex);
  return joins;
}

static void *
worker_main (void *data)
{
  worker *w = data;
  cpu_pool *pool = w->pool;
  unsigned seen = 0;
  for (;;) {
    seen = wait_round (pool, seen);
    if (atomic_load (&pool->stop))
      return NULL;
    if (!join_job (pool))
      continue;
    work (pool, w->number);
    pthread_mutex_lock (&pool->mutex);
    if (atomic_fetch_sub (&pool->active, 1) == 1)
      pthread_cond_signal (&pool->done);
    pthread_mutex_unlock (&pool->mutex);
  }
}

/* Starts workers with every signal blocked: signals are the application's. */
static void
start (cpu_pool *pool, int threads)
{
  sigset_t all, old;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  for (int i = 1; i < threads; i++) {
    worker *w = &pool->workers[i - 1];
    char name[16];
    w->pool = pool;
    w->number = i;
    if (pthread_create (&w->thread, NULL, worker_main, w) != 0)
      break;
    snprintf (name, sizeof name, "lamina-cpu-%d", i % 1000);
    pthread_setname_np (w->thread, name);
    pool->threads++;
  }
  pthread_sigmask (SIG_SETMASK, &old, NULL);
}

cpu_pool *
cpu_pool_new (int threads)
{
  cpu_pool *pool = calloc (1, sizeof *pool);
  if (pool == NULL)
    return NULL;
  pool->threads = 1;
  pthread_mutex_init (&pool->caller, NULL);
  pthread_mutex_init (&pool->mutex, NULL);
  pthread_cond_init (&pool->wake, NULL);
  pthread_cond_init (&pool->done, NULL);
  if (threads > 1) {
    pool->workers = calloc ((size_t)threads - 1, sizeof *pool->workers);
    if (pool->workers != NULL)
      start (pool, threads);
  }
  return pool;
}

void
cpu_pool_free (cpu_pool *pool)
{
  if (pool == NULL)
    return;
  pthread_mutex_lock (&pool->mutex);
  atomic_store (&pool->stop, true);
  atomic_fetch_add (&pool->round, 1);
  pthread_cond_broadcast (&pool->wake);
  pthread_mutex_unlock (&pool->mutex);
  for (int i = 1; i < pool->threads; i++)
    pthread_join (pool->workers[i - 1].thread, NULL);
  pthread_cond_destroy (&pool->done);
  pthread_cond_destroy (&pool->wake);
  pthread_mutex_destroy (&pool->mutex);
  pthread_mutex_destroy (&pool->caller);
  free (pool->workers);
  free (pool);
}

int
cpu_pool_threads (const cpu_pool *pool)
{
  return pool->threads;
}

/* Lets workers in. */
static void
open_job (cpu_pool *pool, int64_t tasks, cpu_task_fn fn, void *ctx)
{
  pthread_mutex_lock (&pool->mutex);
  pool->fn = fn;
  pool->ctx = ctx;
  pool->tasks = tasks;
  pool->open = true;
  atomic_store_explicit (&pool->next, 0, memory_order_relaxed);
  atomic_fetch_add (&pool->round, 1);
  pthread_cond_broadcast (&pool->wake);
  pthread_mutex_unlock (&pool->mutex);
}

/* Lets no more in and waits for those who are. */
static void
close_job (cpu_pool *pool)
{
  pthread_mutex_lock (&pool->mutex);
  pool->open = false;
  pthread_mutex_unlock (&pool->mutex);
  for (int i = 0; i < SPINS; i++) {
    if (atomic_load_explicit (&pool->active, memory_order_acquire) == 0)
      return;
    RELAX ();
  }
  pthread_mutex_lock (&pool->mutex);
  while (atomic_load (&pool->active) != 0)
    pthread_cond_wait (&pool->done, &pool->mutex);
  pthread_mutex_unlock (&pool->mutex);
}

void
cpu_pool_run (cpu_pool *pool, int64_t tasks, cpu_task_fn fn, void *ctx)
{
  if (tasks <= 1 || pool->threads == 1 || pthread_mutex_trylock (&pool->caller) != 0) {
    for (int64_t i = 0; i < tasks; i++)
      fn (ctx, i, 0);
    return;
  }
  open_job (pool, tasks, fn, ctx);
  work (pool, 0);
  close_job (pool);
  pthread_mutex_unlock (&pool->caller);
}
