/* SPDX-License-Identifier: Apache-2.0 */
/* The communication thread: a queue of calls, in order. */
#include "comm.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct cpu_comm {
  pthread_t thread;
  pthread_mutex_t mutex;       /* guards all that follows */
  pthread_cond_t posted, done; /* done: a job, or all of them */
  cpu_comm_job *first, *last;  /* first: at work or next */
  lam_status status;           /* of the first failure in this run */
  bool stop;
};

/* first is set: takes it off when it has been made. The mutex is held, but not during the call. */
static void
make_first (cpu_comm *comm)
{
  cpu_comm_job *job = comm->first;
  lam_status status = comm->status;
  if (status == LAM_OK) {
    pthread_mutex_unlock (&comm->mutex);
    status = kit_all_reduce (&job->replica, &job->call);
    pthread_mutex_lock (&comm->mutex);
  }
  comm->status = job->status = status;
  comm->first = job->next;
  job->done = true;
  pthread_cond_broadcast (&comm->done);
}

static void *
comm_main (void *data)
{
  cpu_comm *comm = data;
  pthread_mutex_lock (&comm->mutex);
  for (;;) {
    while (comm->first == NULL && !comm->stop)
      pthread_cond_wait (&comm->posted, &comm->mutex);
    if (comm->first == NULL)
      break;
    make_first (comm);
  }
  pthread_mutex_unlock (&comm->mutex);
  return NULL;
}

cpu_comm *
cpu_comm_new (void)
{
  sigset_t all, old;
  cpu_comm *comm = calloc (1, sizeof *comm);
  if (comm == NULL)
    return NULL;
  pthread_mutex_init (&comm->mutex, NULL);
  pthread_cond_init (&comm->posted, NULL);
  pthread_cond_init (&comm->done, NULL);
  sigfillset (&all); /* signals are the application's */
  pthread_sigmask (SIG_SETMASK, &all, &old);
  int failed = pthread_create (&comm->thread, NULL, comm_main, comm);
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  if (failed == 0) {
    pthread_setname_np (comm->thread, "lamina-comm");
    return comm;
  }
  free (comm);
  return NULL;
}

void
cpu_comm_free (cpu_comm *comm)
{
  if (comm == NULL)
    return;
  pthread_mutex_lock (&comm->mutex);
  comm->stop = true;
  pthread_cond_signal (&comm->posted);
  pthread_mutex_unlock (&comm->mutex);
  pthread_join (comm->thread, NULL);
  pthread_cond_destroy (&comm->posted);
  pthread_cond_destroy (&comm->done);
  pthread_mutex_destroy (&comm->mutex);
  free (comm);
}

void
cpu_comm_post (cpu_comm *comm, cpu_comm_job *job)
{
  job->next = NULL;
  job->done = false;
  pthread_mutex_lock (&comm->mutex);
  if (comm->first == NULL)
    comm->first = job;
  else
    comm->last->next = job;
  comm->last = job;
  pthread_cond_signal (&comm->posted);
  pthread_mutex_unlock (&comm->mutex);
}

lam_status
cpu_comm_wait (cpu_comm *comm, cpu_comm_job *job)
{
  pthread_mutex_lock (&comm->mutex);
  while (!job->done)
    pthread_cond_wait (&comm->done, &comm->mutex);
  pthread_mutex_unlock (&comm->mutex);
  return job->status;
}

lam_status
cpu_comm_drain (cpu_comm *comm)
{
  if (comm == NULL)
    return LAM_OK;
  pthread_mutex_lock (&comm->mutex);
  while (comm->first != NULL)
    pthread_cond_wait (&comm->done, &comm->mutex);
  lam_status status = comm->status;
  pthread_mutex_unlock (&comm->mutex);
  return status;
}

void
cpu_comm_reset (cpu_comm *comm)
{
  if (comm == NULL)
    return;
  pthread_mutex_lock (&comm->mutex);
  comm->status = LAM_OK;
  pthread_mutex_unlock (&comm->mutex);
}
