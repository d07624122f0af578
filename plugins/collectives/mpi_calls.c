/* SPDX-License-Identifier: Apache-2.0 */
/* Calls over MPI. They go in rounds that fit a staging buffer: every process gets its share of the elements
 * of all, reduces them in the order of ranks and gives the result to all, so that the bits are those
 * of the collective local. Waiting polls, so that another process's failure, which it tells in a
 * message, ends it. */
#include "mpi_group.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Bytes of a round: enough for bandwidth, little beside the tensors. */
#define ROUND_BYTES (UINT64_C (16) << 20)
/* Up to here every process reduces everything: one exchange instead of two. */
#define SMALL_BYTES 8192

/* --- errors --------------------------------------------------------------------------------------- */

static lam_status
fail (const lam_collective_group *g, lam_error *error, lam_status status, const char *why)
{
  char message[MPI_MAX_ERROR_STRING + 100];
  snprintf (message, sizeof message, "replica %u of %u: %s", g->table.rank, g->table.size, why);
  g->host->error_set (error, status, message);
  return status;
}

static lam_status
fail_mpi (const lam_collective_group *g, lam_error *error, int code)
{
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int n = 0;
  MPI_Error_string (code, text, &n);
  return fail (g, error, LAM_E_PEER, text);
}

/* --- news of others ------------------------------------------------------------------------------- */

int
mpi_listen (lam_collective_group *g)
{
  return MPI_Irecv (&g->word, 1, MPI_INT, MPI_ANY_SOURCE, 0, g->control, &g->news);
}

void
mpi_tell (lam_collective_group *g, int word)
{
  g->said = word;
  for (uint32_t r = 0; r < g->table.size; r++) {
    MPI_Request request;
    if (r != g->table.rank
        && MPI_Isend (&g->said, 1, MPI_INT, (int)r, 0, g->control, &request) == MPI_SUCCESS)
      MPI_Request_free (&request); /* MPI_Finalize sees to it */
  }
}

static void
take_news (lam_collective_group *g)
{
  int there = 0;
  if (MPI_Test (&g->news, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS || !there)
    return;
  g->left = g->left || g->word >= MPI_LEFT;
  g->aborted = g->aborted || g->word < MPI_LEFT;
  mpi_listen (g);
}

/* --- waiting -------------------------------------------------------------------------------------- */

/* What a process sent before it left arrives within this time. */
#define LEFT_SECONDS 10

typedef struct wait {
  uint32_t rounds;
  time_t since; /* when the first news of a process that left were seen; 0: none */
} wait;

static bool
is_hopeless (const lam_collective_group *g, wait *w)
{
  if (g->aborted || !g->left)
    return g->aborted;
  if (w->since == 0)
    w->since = time (NULL);
  return time (NULL) - w->since > LEFT_SECONDS;
}

/* One look at the request; *out_stop: it will never be done. The MPI status code. */
static int
look (lam_collective_group *g, wait *w, MPI_Request *request, int *out_done, bool *out_stop)
{
  pthread_mutex_lock (&g->mutex);
  int code = MPI_Test (request, out_done, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS && !*out_done)
    take_news (g);
  *out_stop = is_hopeless (g, w);
  pthread_mutex_unlock (&g->mutex);
  return code;
}

/* First eager, then in naps, so that the threads that compute have the processors. */
static void
rest (uint32_t round)
{
  static const struct timespec nap = {0, 20000};
  if (round < 200)
    sched_yield ();
  else
    nanosleep (&nap, NULL);
}

static lam_status
finish (lam_collective_group *g, int code, MPI_Request *request, lam_error *error)
{
  wait w = {0, 0};
  int done = 0;
  for (bool stop = false; code == MPI_SUCCESS && !stop; w.rounds++) {
    code = look (g, &w, request, &done, &stop);
    if (code == MPI_SUCCESS && done)
      return LAM_OK;
    rest (w.rounds);
  }
  return code != MPI_SUCCESS ? fail_mpi (g, error, code)
                             : fail (g, error, LAM_E_PEER, "another replica failed");
}

/* --- exchanges ------------------------------------------------------------------------------------ */

static lam_status
gather_equal (lam_collective_group *g, uint64_t bytes, lam_error *error)
{
  MPI_Request request;
  pthread_mutex_lock (&g->mutex);
  int code = MPI_Iallgather (g->send, (int)bytes, MPI_BYTE, g->receive, (int)bytes, MPI_BYTE,
                             g->data, &request);
  pthread_mutex_unlock (&g->mutex);
  return finish (g, code, &request, error);
}

/* Bytes counts[r] at at[r] of send to rank r; from each rank r this one's share. */
static lam_status
scatter (lam_collective_group *g, uint64_t share, lam_error *error)
{
  uint32_t n = g->table.size;
  MPI_Request request;
  for (uint32_t r = 0; r < n; r++) {
    g->counts[n + r] = (int)share;
    g->at[n + r] = (int)(share * r);
  }
  pthread_mutex_lock (&g->mutex);
  int code = MPI_Ialltoallv (g->send, g->counts, g->at, MPI_BYTE, g->receive, g->counts + n,
                             g->at + n, MPI_BYTE, g->data, &request);
  pthread_mutex_unlock (&g->mutex);
  return finish (g, code, &request, error);
}

/* This rank's reduced share to all: receive then holds what send held of the shares. */
static lam_status
spread (lam_collective_group *g, uint64_t share, lam_error *error)
{
  MPI_Request request;
  pthread_mutex_lock (&g->mutex);
  int code = MPI_Iallgatherv (g->share, (int)share, MPI_BYTE, g->receive, g->counts, g->at,
                              MPI_BYTE, g->data, &request);
  pthread_mutex_unlock (&g->mutex);
  return finish (g, code, &request, error);
}

/* --- rounds --------------------------------------------------------------------------------------- */

static bool
reserve (char **memory, uint64_t *cap, uint64_t bytes)
{
  if (bytes <= *cap)
    return true;
  char *bigger = malloc ((size_t)bytes);
  if (bigger == NULL)
    return false;
  free (*memory);
  *memory = bigger;
  *cap = bytes;
  return true;
}

/* Pieces begin at multiples of 8 bytes, so that elements are aligned. */
static uint64_t
padded (const lam_collective_call *call, uint32_t tensor, uint64_t count)
{
  return (count * reduce_size (call->dtypes[tensor]) + 7) / 8 * 8;
}

static bool
add_piece (lam_collective_group *g, piece p)
{
  if (g->n_pieces == g->cap_pieces) {
    uint32_t cap = g->cap_pieces == 0 ? 64 : 2 * g->cap_pieces;
    piece *bigger = realloc (g->pieces, cap * sizeof *bigger);
    if (bigger == NULL)
      return false;
    g->pieces = bigger;
    g->cap_pieces = cap;
  }
  g->pieces[g->n_pieces++] = p;
  return true;
}

/* The next pieces from *tensor, *from on, at most ROUND_BYTES; their bytes. 0: the end; UINT64_MAX:
 * no memory. */
static uint64_t
next_round (lam_collective_group *g, const lam_collective_call *call, uint32_t *tensor,
            uint64_t *from)
{
  uint64_t bytes = 0;
  g->n_pieces = 0;
  while (*tensor < call->n && bytes < ROUND_BYTES) {
    uint64_t left = call->counts[*tensor] - *from;
    uint64_t room = (ROUND_BYTES - bytes) / reduce_size (call->dtypes[*tensor]);
    uint64_t count = left < room ? left : room;
    if (count == 0 && left > 0)
      break;
    if (count > 0 && !add_piece (g, (piece) {*tensor, *from, count}))
      return UINT64_MAX;
    bytes += padded (call, *tensor, count);
    *from += count;
    if (count == left) {
      ++*tensor;
      *from = 0;
    }
  }
  return bytes;
}

/* Elements of a piece that belong to a rank's share. */
static piece
share_of (const lam_collective_group *g, const piece *p, uint32_t rank)
{
  uint64_t from, to = reduce_slice (p->count, g->table.size, rank, &from);
  return (piece) {p->tensor, p->from + from, to - from};
}

static uint64_t
share_bytes (const lam_collective_group *g, const lam_collective_call *call, uint32_t rank)
{
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < g->n_pieces; i++)
    bytes += padded (call, g->pieces[i].tensor, share_of (g, &g->pieces[i], rank).count);
  return bytes;
}

/* Between tensors and a row of pieces. */
static char *
pack (const lam_collective_call *call, piece p, char *to)
{
  uint64_t size = reduce_size (call->dtypes[p.tensor]);
  memcpy (to, (const char *)call->in[p.tensor] + p.from * size, p.count * size);
  return to + padded (call, p.tensor, p.count);
}

static const char *
unpack (const lam_collective_call *call, piece p, const char *from)
{
  uint64_t size = reduce_size (call->dtypes[p.tensor]);
  memcpy ((char *)call->out[p.tensor] + p.from * size, from, p.count * size);
  return from + padded (call, p.tensor, p.count);
}

/* Piece p lies in receive, at `at` of each rank's `stride` bytes; `out` gets it reduced. */
static void
reduce_piece (lam_collective_group *g, const lam_collective_call *call, piece p, uint64_t at,
              uint64_t stride, char *out)
{
  uint64_t size = reduce_size (call->dtypes[p.tensor]);
  reduce_fn reduce = reduce_find (call->dtypes[p.tensor]);
  reduce_block block;
  for (uint32_t r = 0; r < g->table.size; r++)
    g->in[r] = g->receive + r * stride + at;
  for (uint64_t from = 0, n; from < p.count; from += n) {
    n = p.count - from < REDUCE_BLOCK ? p.count - from : REDUCE_BLOCK;
    reduce (call->reduction, g->in, g->table.size, from, n, &block);
    memcpy (out + from * size, &block, n * size);
  }
}

/* Everything to everyone. */
static lam_status
reduce_small (lam_collective_group *g, const lam_collective_call *call, uint64_t bytes,
              lam_error *error)
{
  uint64_t at = 0;
  char *to = g->send;
  for (uint32_t i = 0; i < g->n_pieces; i++)
    to = pack (call, g->pieces[i], to);
  lam_status status = gather_equal (g, bytes, error);
  for (uint32_t i = 0; i < g->n_pieces && status == LAM_OK; i++) {
    piece p = g->pieces[i];
    char *out = (char *)call->out[p.tensor] + p.from * reduce_size (call->dtypes[p.tensor]);
    reduce_piece (g, call, p, at, bytes, out);
    at += padded (call, p.tensor, p.count);
  }
  return status;
}

/* Shares to their ranks, and reduced back to everyone. */
static lam_status
reduce_large (lam_collective_group *g, const lam_collective_call *call, lam_error *error)
{
  uint64_t mine = share_bytes (g, call, g->table.rank), at = 0;
  char *to = g->send;
  for (uint32_t r = 0; r < g->table.size; r++) {
    g->at[r] = (int)(to - g->send);
    for (uint32_t i = 0; i < g->n_pieces; i++)
      to = pack (call, share_of (g, &g->pieces[i], r), to);
    g->counts[r] = (int)(to - g->send) - g->at[r];
  }
  lam_status status = scatter (g, mine, error);
  for (uint32_t i = 0; i < g->n_pieces && status == LAM_OK; i++) {
    piece p = share_of (g, &g->pieces[i], g->table.rank);
    reduce_piece (g, call, p, at, mine, g->share + at);
    at += padded (call, p.tensor, p.count);
  }
  if (status == LAM_OK)
    status = spread (g, mine, error);
  const char *from = g->receive;
  for (uint32_t r = 0; r < g->table.size && status == LAM_OK; r++)
    for (uint32_t i = 0; i < g->n_pieces; i++)
      from = unpack (call, share_of (g, &g->pieces[i], r), from);
  return status;
}

static lam_status
run_round (lam_collective_group *g, const lam_collective_call *call, uint64_t bytes,
           lam_error *error)
{
  uint64_t n = g->table.size, pads = 8 * n * g->n_pieces; /* each share has its own */
  bool small = bytes <= SMALL_BYTES;
  uint64_t mine = small ? 0 : share_bytes (g, call, g->table.rank);
  uint64_t receive = small ? n * bytes : (n * mine > bytes + pads ? n * mine : bytes + pads);
  if (!reserve (&g->send, &g->cap_send, bytes + pads)
      || !reserve (&g->receive, &g->cap_receive, receive)
      || !reserve (&g->share, &g->cap_share, mine + 8))
    return fail (g, error, LAM_E_NO_MEMORY, "no memory to exchange tensors");
  return small ? reduce_small (g, call, bytes, error) : reduce_large (g, call, error);
}

lam_status
mpi_all_reduce (void *self, const lam_collective_call *call, lam_error *error)
{
  lam_collective_group *g = self;
  const char *why;
  uint32_t tensor = 0;
  uint64_t from = 0, bytes;
  lam_status status = reduce_check (call, &why);
  if (status != LAM_OK)
    return fail (g, error, status, why);
  while (status == LAM_OK && (bytes = next_round (g, call, &tensor, &from)) > 0)
    status = bytes == UINT64_MAX ? fail (g, error, LAM_E_NO_MEMORY, "no memory for a call")
                                 : run_round (g, call, bytes, error);
  return status;
}

/* --- all_gather ----------------------------------------------------------------------------------- */

static lam_status
gather_tensor (lam_collective_group *g, const lam_collective_call *call, uint32_t i,
               lam_error *error)
{
  uint64_t total = call->counts[i] * reduce_size (call->dtypes[i]), n;
  lam_status status = LAM_OK;
  for (uint64_t from = 0; from < total && status == LAM_OK; from += n) {
    n = total - from < ROUND_BYTES ? total - from : ROUND_BYTES;
    if (!reserve (&g->send, &g->cap_send, n)
        || !reserve (&g->receive, &g->cap_receive, n * g->table.size))
      return fail (g, error, LAM_E_NO_MEMORY, "no memory to exchange tensors");
    memcpy (g->send, (const char *)call->in[i] + from, (size_t)n);
    status = gather_equal (g, n, error);
    for (uint32_t r = 0; r < g->table.size && status == LAM_OK; r++)
      memcpy ((char *)call->out[i] + r * total + from, g->receive + r * n, (size_t)n);
  }
  return status;
}

lam_status
mpi_all_gather (void *self, const lam_collective_call *call, lam_error *error)
{
  lam_status status = LAM_OK;
  for (uint32_t i = 0; i < call->n && status == LAM_OK; i++)
    status = gather_tensor (self, call, i, error);
  return status;
}
