/* SPDX-License-Identifier: Apache-2.0 */
/* The replicas of this process: each with a backend of its own, its own buffers, input and executables,
 * and a driver thread (the first one's is the caller). They make the same steps at the same time; a
 * failure of one ends the group and is reported once, as "replica R of N: ...". */
#ifndef LM_PROGRAM_REPLICAS_H
#define LM_PROGRAM_REPLICAS_H

#include "core/program/eval.h"
#include "core/program/train.h"
#include "core/run/group.h"

typedef struct LmReplicas LmReplicas;

typedef struct LmReplicasArgs {
  LmState *state;         /* of the first local replica; outlives the replicas */
  LmGroup *group;         /* likewise; NULL: one replica, and no axis is named */
  const lam_files *files; /* of inputs */
  const char *backend;    /* how the others' are opened, as in lm_backend_open */
  JsonObject *backend_options;
  GString *explain; /* may be NULL */
} LmReplicasArgs;

LmReplicas *lm_replicas_new (const LmReplicasArgs *args, GError **error);
void lm_replicas_free (LmReplicas *r); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmReplicas, lm_replicas_free)

uint32_t lm_replicas_size (const LmReplicas *r);       /* in all; 0: no axis is named */
uint32_t lm_replicas_first_rank (const LmReplicas *r); /* 0: this process prints and writes */

/* Opens the input "train" for every local replica; position (may be NULL) is where it goes on. */
bool lm_replicas_open_input (LmReplicas *r, const LmArray *position, GError **error);
LmInput *lm_replicas_input (LmReplicas *r); /* of the first replica; NULL before it is opened */

/* Compiles the step for every replica, whose states become those of the first one. Processes of a group
 * find out whether they run the same function from the same state. */
bool lm_replicas_start (LmReplicas *r, const LmTrainOptions *options, GError **error);

/* A step of all. NULL without an error: some input is at its end, or some process asked to stop. */
const LmTrainReport *lm_replicas_step (LmReplicas *r, GError **error);

/* Asks for an end. False: there are no other processes, so that no further step is all it takes; true:
 * lm_replicas_step tells when all have agreed. */
bool lm_replicas_stop (LmReplicas *r);
/* Whether the last NULL of lm_replicas_step was such an end. */
bool lm_replicas_stopped (const LmReplicas *r);

/* Whether all states have the same bits: if not, an error that names a replica and a variable. After a
 * file could not be read or written the others are gone, and nothing is checked. */
bool lm_replicas_check (LmReplicas *r, GError **error);

/* Waits until all processes are here, with the same exception. */
bool lm_replicas_meet (LmReplicas *r, GError **error);

/* One pass over the named input by all replicas. */
LmEvalResult *lm_replicas_evaluate (LmReplicas *r, const char *input, GError **error);

#endif
