/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of threads that runs numbered tasks. Which thread runs a task is open, so a task must not
 * depend on it; what a task computes depends on its number only. */
#ifndef CPU_POOL_H
#define CPU_POOL_H

#include <stdint.h>

typedef struct cpu_pool cpu_pool;

/* task: 0 .. n-1; thread: 0 .. threads-1, for scratch memory. */
typedef void (*cpu_task_fn) (void *ctx, int64_t task, int thread);

/* threads >= 1 counts the caller; fewer are started when the system refuses. NULL: no memory. */
cpu_pool *cpu_pool_new (int threads);
void cpu_pool_free (cpu_pool *pool); /* joins; accepts NULL */
int cpu_pool_threads (const cpu_pool *pool);

/* Runs all tasks and returns when they are done. When another caller has the pool, the tasks run on
 * the calling thread. */
void cpu_pool_run (cpu_pool *pool, int64_t tasks, cpu_task_fn fn, void *ctx);

#endif
