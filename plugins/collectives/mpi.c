/* SPDX-License-Identifier: Apache-2.0 */
/* One replica a process, over MPI: joining and leaving the group. */
#include "mpi_group.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct mpi {
  char unused; /* no options */
} mpi;

LAM_NO_FIELDS (mpi)

static void
mpi_abort (lam_collective_group *g)
{
  pthread_mutex_lock (&g->mutex);
  if (!g->aborted)
    mpi_tell (g, (int)g->table.rank);
  g->aborted = true;
  pthread_mutex_unlock (&g->mutex);
}

/* Whoever still waits for this process, which another failure may have brought here, learns that it is in
 * vain. Calls that will never end may be under way; MPI_Finalize, which every process then comes to,
 * leaves them be. Freeing communicators would be one more call that all have to make. */
static void
leave (lam_collective_group *g)
{
  if (g->news != MPI_REQUEST_NULL) {
    if (!g->aborted)
      mpi_tell (g, MPI_LEFT + (int)g->table.rank);
    MPI_Cancel (&g->news);
    MPI_Request_free (&g->news);
  }
  if (g->initialized)
    MPI_Finalize ();
}

static void
mpi_close (lam_collective_group *g)
{
  if (g == NULL)
    return;
  leave (g);
  pthread_mutex_destroy (&g->mutex);
  free (g->pieces);
  free (g->send);
  free (g->receive);
  free (g->share);
  free (g->counts);
  free (g->at);
  free (g->in);
  free (g);
}

/* MPI for more than one thread, one at a time; NULL or why not. */
static const char *
start (lam_collective_group *g)
{
  int there = 0, over = 0, level = MPI_THREAD_SINGLE;
  MPI_Finalized (&over);
  if (over)
    return "MPI can be started once in a process, and has ended in this one";
  MPI_Initialized (&there);
  if (there) {
    MPI_Query_thread (&level);
  } else if (MPI_Init_thread (NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS) {
    return "MPI_Init_thread failed";
  } else {
    g->initialized = true;
  }
  if (level < MPI_THREAD_SERIALIZED)
    return "this MPI does not allow calls from more than one thread";
  MPI_Comm_set_errhandler (MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return NULL;
}

/* Communicators of our own, that report errors instead of ending the process. */
static const char *
join (lam_collective_group *g)
{
  int rank, size;
  if (MPI_Comm_dup (MPI_COMM_WORLD, &g->data) != MPI_SUCCESS
      || MPI_Comm_dup (MPI_COMM_WORLD, &g->control) != MPI_SUCCESS)
    return "MPI_Comm_dup failed";
  MPI_Comm_set_errhandler (g->data, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler (g->control, MPI_ERRORS_RETURN);
  MPI_Comm_rank (g->data, &rank);
  MPI_Comm_size (g->data, &size);
  g->counts = calloc (2 * (size_t)size, sizeof *g->counts);
  g->at = calloc (2 * (size_t)size, sizeof *g->at);
  g->in = calloc ((size_t)size, sizeof *g->in);
  g->table = (lam_collective) {.struct_size = sizeof (lam_collective),
                               .rank = (uint32_t)rank,
                               .size = (uint32_t)size,
                               .self = g,
                               .all_reduce = mpi_all_reduce,
                               .all_gather = mpi_all_gather};
  if (g->counts == NULL || g->at == NULL || g->in == NULL)
    return "no memory for the group";
  return mpi_listen (g) == MPI_SUCCESS ? NULL : "MPI_Irecv failed";
}

static lam_status
mpi_open (const lam_host *host, const void *options, uint32_t n_local, lam_collective_group **out,
          lam_error *error)
{
  (void)options;
  char message[200];
  if (n_local != 1) {
    snprintf (message, sizeof message,
              "mpi: one replica a process, got %u; start the processes with mpirun -n %u", n_local,
              n_local);
    return host->error_set (error, LAM_E_UNSUPPORTED, message);
  }
  lam_collective_group *g = calloc (1, sizeof *g);
  if (g == NULL)
    return host->error_set (error, LAM_E_NO_MEMORY, "mpi: no memory for the group");
  g->host = host;
  g->data = g->control = MPI_COMM_NULL;
  g->news = MPI_REQUEST_NULL;
  pthread_mutex_init (&g->mutex, NULL);
  const char *why = start (g);
  if (why == NULL)
    why = join (g);
  if (why != NULL) {
    mpi_close (g);
    snprintf (message, sizeof message, "mpi: %s", why);
    return host->error_set (error, LAM_E_NO_DEVICE, message);
  }
  *out = g;
  return LAM_OK;
}

static uint32_t
mpi_size (const lam_collective_group *g)
{
  return g->table.size;
}

static uint32_t
mpi_first_rank (const lam_collective_group *g)
{
  return g->table.rank;
}

static const lam_collective *
mpi_member (lam_collective_group *g, uint32_t i)
{
  (void)i;
  return &g->table;
}

static const lam_collective_vt table = {
    .struct_size = sizeof table,
    .options_size = sizeof (mpi),
    .fields = mpi_lam_fields,
    .open = mpi_open,
    .close = mpi_close,
    .size = mpi_size,
    .first_rank = mpi_first_rank,
    .member = mpi_member,
    .abort = mpi_abort,
};

LAM_COLLECTIVE (mpi, "lamina.mpi", 1, "One replica a process, over MPI (mpirun -n N).", &table)
LAM_PLUGIN ("lamina.collectives.mpi", "0.1.0", "Apache-2.0", LAM_PROVIDES (mpi))
