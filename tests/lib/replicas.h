/* SPDX-License-Identifier: Apache-2.0 */
/* One step on several replicas of this process: an LmTestRun each, on a thread each. */
#ifndef LM_TEST_REPLICAS_H
#define LM_TEST_REPLICAS_H

#include "core/run/group.h"
#include "tests/lib/steps.h"

typedef struct LmTestReplicas {
  guint n; /* 0 replicas: one run without a named axis; then n is 1 and group NULL */
  LmRegistry *registry;
  LmGroup *group;
  LmTestRun **runs;
} LmTestReplicas;

/* config (a reference each is taken) and weights for every replica; batch: one replica's part. */
LmTestReplicas *lm_test_replicas_new (JsonObject *config, GHashTable *weights,
                                      const LmBatchSpec *batch, LmStepKind kind,
                                      const char *backend, guint replicas);
void lm_test_replicas_free (LmTestReplicas *r);

/* One step; batches[i]: replica i's arrays. */
void lm_test_replicas_step (LmTestReplicas *r, LmArray *key, LmArray **const *batches);

/* Fails the test unless all replicas hold the same state, bit for bit. */
void lm_test_replicas_assert_equal (const LmTestReplicas *r);

/* Rows [i * rows / n, (i + 1) * rows / n) of each array of a batch: new arrays. */
LmArray **lm_test_replica_batch (LmArray *const *batch, guint n_arrays, guint i, guint n);

#endif
