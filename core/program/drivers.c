/* SPDX-License-Identifier: Apache-2.0 */
/* The driver threads of replicas: one job at a time on all of them, the first failure ends the group. */
#include "core/program/replicas_private.h"

/* The first failure is the cause: what others then say of the group's end is not kept. */
static void
note_failure (LmSlot *slot, GError *error)
{
  LmReplicas *r = slot->owner;
  bool peer = g_error_matches (error, LM_ERROR, LM_ERROR_PEER);
  if (r->group != NULL && !peer)
    g_prefix_error (&error, "replica %u of %u: ", lm_replicas_first_rank (r) + slot->index,
                    lm_replicas_size (r));
  g_mutex_lock (&r->mutex);
  bool first = r->failure == NULL;
  if (!first && !peer && g_error_matches (r->failure, LM_ERROR, LM_ERROR_PEER))
    g_clear_error (&r->failure);
  if (r->failure == NULL)
    r->failure = error;
  else
    g_error_free (error);
  g_mutex_unlock (&r->mutex);
  if (first && r->group != NULL)
    lm_group_abort (r->group);
}

static void
run_slot (LmSlot *slot)
{
  GError *error = NULL;
  if (!slot->owner->job (slot, slot->owner->data, &error))
    note_failure (slot, error);
}

static gpointer
drive (gpointer data)
{
  LmSlot *slot = data;
  LmReplicas *r = slot->owner;
  uint64_t seen = 0;
  g_mutex_lock (&r->mutex);
  for (;;) {
    while (r->round == seen && !r->quit)
      g_cond_wait (&r->changed, &r->mutex);
    if (r->quit)
      break;
    seen = r->round;
    g_mutex_unlock (&r->mutex);
    run_slot (slot);
    g_mutex_lock (&r->mutex);
    if (--r->busy == 0)
      g_cond_broadcast (&r->changed);
  }
  g_mutex_unlock (&r->mutex);
  return NULL;
}

bool
lm_replicas_start_threads (LmReplicas *r, GError **error)
{
  for (guint i = 1; i < r->n; i++) {
    g_autofree char *name = g_strdup_printf ("lamina-rep-%u", i);
    r->slots[i].thread = g_thread_try_new (name, drive, &r->slots[i], error);
    if (r->slots[i].thread == NULL) {
      g_prefix_error (error, "starting the thread of replica %u: ", i);
      return false;
    }
  }
  return true;
}

void
lm_replicas_end_threads (LmReplicas *r)
{
  g_mutex_lock (&r->mutex);
  r->quit = true;
  g_cond_broadcast (&r->changed);
  g_mutex_unlock (&r->mutex);
  for (guint i = 1; i < r->n; i++)
    if (r->slots[i].thread != NULL)
      g_thread_join (r->slots[i].thread);
  g_mutex_clear (&r->mutex);
  g_cond_clear (&r->changed);
}

bool
lm_replicas_run (LmReplicas *r, LmSlotJob job, gpointer data, GError **error)
{
  g_mutex_lock (&r->mutex);
  bool fine = r->failure == NULL;
  if (fine) {
    r->job = job;
    r->data = data;
    r->going = r->ended = 0;
    r->busy = r->n - 1;
    r->round++;
    g_cond_broadcast (&r->changed);
  }
  g_mutex_unlock (&r->mutex);
  if (fine)
    run_slot (&r->slots[0]);
  g_mutex_lock (&r->mutex);
  while (r->busy > 0)
    g_cond_wait (&r->changed, &r->mutex);
  if (r->failure != NULL)
    g_propagate_error (error, g_error_copy (r->failure));
  fine = r->failure == NULL;
  if (!fine && r->group == NULL) /* nobody else is lost: the next job may go better */
    g_clear_error (&r->failure);
  g_mutex_unlock (&r->mutex);
  return fine;
}

/* --- agreement -------------------------------------------------------------------------------------- */

bool
lm_replicas_stop (LmReplicas *r)
{
  bool others = r->group != NULL && r->n < lm_replicas_size (r);
  g_mutex_lock (&r->mutex);
  r->stop = others;
  g_mutex_unlock (&r->mutex);
  return others;
}

bool
lm_replicas_stopped (const LmReplicas *r)
{
  return r->stopped;
}

static bool
fail_uneven (GError **error)
{
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
               "its input and those of other replicas do not end at the same step; an input must "
               "give every replica as many batches");
  return false;
}

/* Among the replicas of this process. Whoever finds that some go and some do not fails. */
static bool
agree_here (LmReplicas *r, bool end, GError **error)
{
  g_mutex_lock (&r->mutex);
  *(end ? &r->ended : &r->going) += 1;
  bool mixed = r->ended > 0 && r->going > 0;
  if (r->going + r->ended == r->n && !mixed)
    r->going = r->ended = 0; /* a job may have many steps */
  g_mutex_unlock (&r->mutex);
  return !mixed || fail_uneven (error);
}

/* Among all: an end of some is an error, a wish to stop of any is an end for all. */
static bool
agree_all (LmSlot *slot, bool *end, GError **error)
{
  LmReplicas *r = slot->owner;
  guint size = lm_replicas_size (r), ended = 0;
  g_mutex_lock (&r->mutex);
  uint64_t words[2] = {*end, r->stop};
  g_mutex_unlock (&r->mutex);
  g_autofree uint64_t *all = g_new0 (uint64_t, 2 * (gsize)size);
  if (!lm_group_gather_words (r->group, slot->index, words, 2, all, error))
    return false;
  bool stop = false;
  for (guint q = 0; q < size; q++) {
    ended += all[2 * q] != 0;
    stop = stop || all[2 * q + 1] != 0;
  }
  if (ended != 0 && ended != size)
    return fail_uneven (error);
  *end = *end || stop;
  g_mutex_lock (&r->mutex);
  r->stop = r->stop && !stop;
  r->stopped = stop;
  g_mutex_unlock (&r->mutex);
  return true;
}

bool
lm_slot_agree (gpointer user, bool *end, GError **error)
{
  LmSlot *slot = user;
  LmReplicas *r = slot->owner;
  return r->n == lm_replicas_size (r) ? agree_here (r, *end, error) : agree_all (slot, end, error);
}
