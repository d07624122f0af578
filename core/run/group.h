/* SPDX-License-Identifier: Apache-2.0 */
/* A group of replicas as the core sees it: a collective plugin opened by name. */
#ifndef LM_RUN_GROUP_H
#define LM_RUN_GROUP_H

#include "core/run/run.h"

typedef struct LmGroup LmGroup;

/* Joins with n_local replicas of this process. name: a full id or its last part ("local", "mpi").
 * options: JSON object for its field table or NULL. */
LmGroup *lm_group_open (LmRegistry *registry, const char *name, JsonObject *options, guint n_local,
                        GError **error);
void lm_group_free (LmGroup *group); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmGroup, lm_group_free)

const char *lm_group_id (const LmGroup *group);
guint lm_group_size (const LmGroup *group);       /* replicas in all */
guint lm_group_first_rank (const LmGroup *group); /* of local replica 0 */
guint lm_group_n_local (const LmGroup *group);

/* Local replica i's view, for lm_executable_set_collective; lives as long as the group. */
const lam_collective *lm_group_member (LmGroup *group, guint i);

/* A replica failed: calls that wait, and later ones, fail. Any thread. */
void lm_group_abort (LmGroup *group);

/* One all_gather of n 64-bit words over the group, by local replica i; out: size * n. */
bool lm_group_gather_words (LmGroup *group, guint i, const uint64_t *words, guint n, uint64_t *out,
                            GError **error);

#endif
