/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that makes an executable's calls into its collective while the equations go on. Calls are
 * made in the order in which they were posted, so that it is the same on all replicas. */
#ifndef CPU_COMM_H
#define CPU_COMM_H

#include <kit/collective.h>

typedef struct cpu_comm cpu_comm;

/* A call: belongs to its step, one run at a time. */
typedef struct cpu_comm_job {
  struct cpu_comm_job *next;
  kit_replica replica;
  lam_collective_call call;
  lam_status status;
  bool done;
} cpu_comm_job;

cpu_comm *cpu_comm_new (void);       /* NULL: the system refuses; calls are then made at once */
void cpu_comm_free (cpu_comm *comm); /* joins; nothing is posted; accepts NULL */

void cpu_comm_post (cpu_comm *comm, cpu_comm_job *job);

/* Until the job is done; its status. After a failure later jobs are not made: they fail with it. */
lam_status cpu_comm_wait (cpu_comm *comm, cpu_comm_job *job);

/* Until nothing is left; accepts NULL. */
lam_status cpu_comm_drain (cpu_comm *comm);

/* Forgets an earlier run's failure; accepts NULL. */
void cpu_comm_reset (cpu_comm *comm);

#endif
