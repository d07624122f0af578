/* SPDX-License-Identifier: Apache-2.0 */
/* What a loop over steps knows of being one of several replicas. */
#ifndef LM_PROGRAM_REPLICA_H
#define LM_PROGRAM_REPLICA_H

#include "core/run/run.h"

/* All zero: no replicas. */
typedef struct LmReplica {
  uint32_t size;                    /* replicas of the step; 0: no axis is named */
  const lam_collective *collective; /* this one's view of the group; NULL: it is alone */
  bool mirrors; /* another replica writes the files: this one computes what goes into them */
  /* NULL: nothing. Called with each batch (or *end: there is none) before its step, so that all
   * replicas make it or none does: may set *end. False: the step must not run. */
  bool (*agree) (gpointer user, bool *end, GError **error);
  gpointer user;
} LmReplica;

static inline bool
lm_replica_agree (const LmReplica *replica, bool *end, GError **error)
{
  return replica->agree == NULL || replica->agree (replica->user, end, error);
}

#endif
