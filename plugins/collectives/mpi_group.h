/* SPDX-License-Identifier: Apache-2.0 */
/* The group of the collective mpi, shared by its two files. */
#ifndef COLLECTIVES_MPI_GROUP_H
#define COLLECTIVES_MPI_GROUP_H

#include "reduce.h"

#include <lamina/plugin.h>
#include <mpi.h>
#include <pthread.h>

/* Elements [from, from + count) of a tensor. */
typedef struct piece {
  uint32_t tensor;
  uint64_t from, count;
} piece;

struct lam_collective_group {
  lam_collective table;
  const lam_host *host;
  MPI_Comm data, control;
  pthread_mutex_t mutex; /* one thread at a time inside MPI */
  MPI_Request news;      /* of another process: its rank, or LEFT + rank */
  int word;              /* of the news */
  int said;              /* to the others; stays while it is sent */
  bool aborted;          /* a process failed */
  bool left;             /* a process is done with the group */
  bool initialized;      /* MPI, by us */
  /* of a round */
  piece *pieces;
  uint32_t n_pieces, cap_pieces;
  char *send, *receive, *share;
  uint64_t cap_send, cap_receive, cap_share;
  int *counts, *at; /* [2 * size]: bytes to or from each rank, and where */
  const void **in;  /* [size] */
};

/* A process that leaves, rather than fails, says this plus its rank: what it has sent still arrives, but
 * nothing more will. */
#define MPI_LEFT (1 << 20)

/* mpi_calls.c: */

/* Waits for the next news. The mutex is held. */
int mpi_listen (lam_collective_group *g);
/* Sends a word to all others. The mutex is held. */
void mpi_tell (lam_collective_group *g, int word);

/* As in lam_collective; self is the group. */
lam_status mpi_all_reduce (void *self, const lam_collective_call *call, lam_error *error);
lam_status mpi_all_gather (void *self, const lam_collective_call *call, lam_error *error);

#endif
