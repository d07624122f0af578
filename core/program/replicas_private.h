/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the replicas of a process, shared by their two files only. */
#ifndef LM_PROGRAM_REPLICAS_PRIVATE_H
#define LM_PROGRAM_REPLICAS_PRIVATE_H

#include "core/program/replicas.h"

/* One replica. Between jobs it belongs to the caller, during a job to its driver thread. */
typedef struct LmSlot {
  LmReplicas *owner;
  guint index;
  LmReplica replica;
  LmBackend *backend;
  LmState *state; /* of slot 0: borrowed */
  LmInput *input; /* "train" */
  LmTrainLoop *loop;
  LmEval *eval;
  const LmTrainReport *report;
  GThread *thread; /* NULL: the caller drives it */
} LmSlot;

/* Work that all replicas do at once; one that meets others in the collective. */
typedef bool (*LmSlotJob) (LmSlot *slot, gpointer data, GError **error);

struct LmReplicas {
  LmReplicasArgs args;
  LmGroup *group;
  guint n;
  LmSlot *slots;
  GMutex mutex; /* guards all that follows */
  GCond changed;
  LmSlotJob job;
  gpointer data;
  uint64_t round; /* counts jobs; a change starts one */
  guint busy;     /* threads that have not finished it */
  bool quit;
  guint going, ended; /* replicas with a batch for the step at hand, and without */
  bool stop;          /* asked for */
  bool stopped;       /* agreed on */
  GError *failure;    /* the first one's: the group is gone */
};

bool lm_replicas_start_threads (LmReplicas *r, GError **error);
void lm_replicas_end_threads (LmReplicas *r);

/* Runs the job on every replica and waits. False: the first failure, with its rank. */
bool lm_replicas_run (LmReplicas *r, LmSlotJob job, gpointer data, GError **error);

/* For LmReplica.agree; user is the slot. */
bool lm_slot_agree (gpointer user, bool *end, GError **error);

#endif
