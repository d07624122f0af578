/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs on all replicas of this process, and what training and evaluation are made of. */
#include "core/program/replicas_private.h"

#include "core/ir/text.h"
#include <string.h>

/* --- building -------------------------------------------------------------------------------------- */

static void
slot_clear (LmSlot *slot)
{
  lm_train_loop_free (slot->loop);
  lm_eval_free (slot->eval);
  lm_input_free (slot->input);
  if (slot->index > 0)
    lm_state_free (slot->state);
  lm_backend_unref (slot->backend);
}

void
lm_replicas_free (LmReplicas *r)
{
  if (r == NULL)
    return;
  lm_replicas_end_threads (r);
  for (guint i = 0; i < r->n; i++)
    slot_clear (&r->slots[i]);
  g_clear_error (&r->failure);
  g_free (r->slots);
  g_free (r);
}

static bool
init_slot (LmReplicas *r, guint i, GError **error)
{
  LmSlot *slot = &r->slots[i];
  slot->owner = r;
  slot->index = i;
  slot->replica =
      (LmReplica) {.size = lm_replicas_size (r),
                   .collective = r->group != NULL ? lm_group_member (r->group, i) : NULL,
                   .mirrors = lm_replicas_first_rank (r) + i > 0,
                   .agree = r->group != NULL ? lm_slot_agree : NULL,
                   .user = slot};
  if (i == 0) {
    slot->state = r->args.state;
    slot->backend = lm_backend_ref (slot->state->backend);
    return true;
  }
  slot->backend = lm_backend_open (lm_model_registry (r->args.state->model), r->args.backend,
                                   r->args.backend_options, error);
  return slot->backend != NULL;
}

LmReplicas *
lm_replicas_new (const LmReplicasArgs *args, GError **error)
{
  g_autoptr (LmReplicas) r = g_new0 (LmReplicas, 1);
  g_mutex_init (&r->mutex);
  g_cond_init (&r->changed);
  r->args = *args;
  r->group = args->group;
  r->n = args->group != NULL ? lm_group_n_local (args->group) : 1;
  r->slots = g_new0 (LmSlot, r->n);
  for (guint i = 0; i < r->n; i++)
    if (!init_slot (r, i, error))
      return NULL;
  return lm_replicas_start_threads (r, error) ? g_steal_pointer (&r) : NULL;
}

uint32_t
lm_replicas_size (const LmReplicas *r)
{
  return r->group != NULL ? lm_group_size (r->group) : 0;
}

uint32_t
lm_replicas_first_rank (const LmReplicas *r)
{
  return r->group != NULL ? lm_group_first_rank (r->group) : 0;
}

/* --- states ---------------------------------------------------------------------------------------- */

static LmState *
copy_state (LmState *from, LmBackend *backend, GError **error)
{
  guint n = from->n_vars;
  g_autoptr (GPtrArray) vars = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  for (guint i = 0; i < n; i++) {
    LmArray *array = lm_buffer_read (from->buffers[i], error);
    if (array == NULL)
      return NULL;
    g_ptr_array_add (vars, array);
  }
  g_autoptr (GHashTable) learners =
      from->init != NULL ? lm_state_read_learners (from, error) : NULL;
  if (from->init != NULL && learners == NULL)
    return NULL;
  g_ptr_array_add (vars, NULL); /* no variables: still an array */
  g_autoptr (LmState) copy =
      lm_state_new (from->model, backend, (LmArray *const *)vars->pdata, error);
  if (copy == NULL || !lm_state_set_step (copy, from->step, error)
      || (learners != NULL && !lm_state_init_learners (copy, learners, "replica", error)))
    return NULL;
  return g_steal_pointer (&copy);
}

static bool
copy_states (LmReplicas *r, GError **error)
{
  for (guint i = 1; i < r->n; i++) {
    LmSlot *slot = &r->slots[i];
    g_clear_pointer (&slot->loop, lm_train_loop_free);
    g_clear_pointer (&slot->state, lm_state_free);
    slot->state = copy_state (r->args.state, slot->backend, error);
    if (slot->state == NULL)
      return false;
  }
  return true;
}

/* --- agreement with other processes ------------------------------------------------------------------ */

/* A word of 64 bits for any bytes. */
static uint64_t
hash_bytes (uint64_t hash, const void *data, uint64_t bytes)
{
  const char *p = data;
  uint64_t word;
  for (; bytes >= sizeof word; bytes -= sizeof word, p += sizeof word) {
    memcpy (&word, p, sizeof word);
    hash = (hash ^ word) * UINT64_C (0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
  }
  word = bytes;
  memcpy (&word, p, bytes);
  return ((hash ^ word) * UINT64_C (0x9e3779b97f4a7c15)) ^ bytes;
}

/* What all replicas find at once is told by the first one of all. */
static bool
is_told_by_another (const LmSlot *slot, GError **error)
{
  if (slot->replica.collective->rank == 0)
    return false;
  g_set_error (error, LM_ERROR, LM_ERROR_PEER, "replica 0 tells what is wrong");
  return true;
}

/* By buffer of the state. */
static uint64_t *
hash_state (LmState *state, guint n, GError **error)
{
  g_autofree uint64_t *words = g_new0 (uint64_t, n);
  if (!lm_state_check (state, error))
    return NULL;
  for (guint i = 0; i < n; i++) {
    g_autoptr (LmArray) array = lm_buffer_read (state->buffers[i], error);
    if (array == NULL)
      return NULL;
    words[i] = hash_bytes (1, array->data, (uint64_t)array->bytes);
  }
  return g_steal_pointer (&words);
}

static const char *
buffer_name (const LmState *state, guint i)
{
  if (i < state->n_vars)
    return lm_model_var_infos (state->model)[i]->path;
  return i < state->n_vars + state->n_states ? state->init->paths[i - state->n_vars] : "step";
}

static bool
check_state (LmSlot *slot, gpointer data, GError **error)
{
  LmReplicas *r = slot->owner;
  guint n = slot->state->n_vars + slot->state->n_states + 1, size = lm_replicas_size (r), i = 0;
  g_autofree uint64_t *words = hash_state (slot->state, n, error);
  g_autofree uint64_t *all = g_new0 (uint64_t, (gsize)n * size);
  if (words == NULL || !lm_group_gather_words (r->group, slot->index, words, n, all, error))
    return false;
  while (i < n * size && all[i] == all[i % n])
    i++;
  if (i < n * size && !is_told_by_another (slot, error))
    g_set_error (error, LM_ERROR, LM_ERROR_INTERNAL,
                 "%s differs between replica %u and replica 0 at step %" G_GUINT64_FORMAT
                 "; all must be of the same bits",
                 buffer_name (slot->state, i % n), i / n, slot->state->step);
  return i == n * size;
}

/* A full disk says nothing against the state of the first replica, which is all that can be kept then. */
static bool
is_cut_off (const LmReplicas *r)
{
  return r->failure != NULL && g_error_matches (r->failure, LM_ERROR, LM_ERROR_IO);
}

bool
lm_replicas_check (LmReplicas *r, GError **error)
{
  bool started = r->group != NULL && r->slots[r->n - 1].state != NULL; /* else no step was made */
  return !started || is_cut_off (r) || lm_replicas_run (r, check_state, NULL, error);
}

static bool
meet (LmSlot *slot, gpointer data, GError **error)
{
  LmReplicas *r = slot->owner;
  uint64_t word = 0;
  g_autofree uint64_t *all = g_new0 (uint64_t, lm_replicas_size (r));
  return lm_group_gather_words (r->group, slot->index, &word, 1, all, error);
}

bool
lm_replicas_meet (LmReplicas *r, GError **error)
{
  bool others = r->group != NULL && r->n < lm_replicas_size (r);
  return !others || is_cut_off (r) || lm_replicas_run (r, meet, NULL, error);
}

/* Before anything is exchanged that would not fit together. */
static bool
check_function (LmSlot *slot, gpointer data, GError **error)
{
  LmReplicas *r = slot->owner;
  g_autofree uint64_t *all = g_new0 (uint64_t, lm_replicas_size (r));
  if (!lm_group_gather_words (r->group, slot->index, data, 1, all, error))
    return false;
  guint q = 0;
  while (q < lm_replicas_size (r) && all[q] == all[0])
    q++;
  if (q < lm_replicas_size (r) && !is_told_by_another (slot, error))
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "replica %u was given another model, config or options than replica 0; start all "
                 "processes alike",
                 q);
  return q == lm_replicas_size (r);
}

static bool
check_functions (LmReplicas *r, const LmFunction *f, GError **error)
{
  if (r->group == NULL || r->n == lm_replicas_size (r))
    return true;
  g_autofree char *text = lm_text_print (f);
  uint64_t word = hash_bytes (1, text, strlen (text));
  return lm_replicas_run (r, check_function, &word, error);
}

/* --- inputs ---------------------------------------------------------------------------------------- */

static LmInput *
open_input (LmSlot *slot, const char *name, GError **error)
{
  LmReplicas *r = slot->owner;
  LmModel *model = r->args.state->model;
  const LmInputReplica which = {lm_replicas_first_rank (r) + slot->index, lm_replicas_size (r)};
  return r->group == NULL ? lm_input_open (model, name, r->args.files, error)
                          : lm_input_open_replica (model, name, r->args.files, &which, error);
}

bool
lm_replicas_open_input (LmReplicas *r, const LmArray *position, GError **error)
{
  for (guint i = 0; i < r->n; i++) {
    LmSlot *slot = &r->slots[i];
    g_clear_pointer (&slot->loop, lm_train_loop_free);
    g_clear_pointer (&slot->input, lm_input_free);
    slot->input = open_input (slot, "train", error);
    if (slot->input == NULL
        || (position != NULL && !lm_input_restore (slot->input, position, error)))
      return false;
  }
  return true;
}

LmInput *
lm_replicas_input (LmReplicas *r)
{
  return r->slots[0].input;
}

/* --- training -------------------------------------------------------------------------------------- */

bool
lm_replicas_start (LmReplicas *r, const LmTrainOptions *options, GError **error)
{
  g_return_val_if_fail (r->slots[0].input != NULL, false);
  LmTrainOptions own = *options;
  if (!copy_states (r, error))
    return false;
  for (guint i = 0; i < r->n; i++) {
    LmSlot *slot = &r->slots[i];
    own.replica = slot->replica;
    own.replica.mirrors = slot->replica.mirrors && options->events != NULL;
    own.events = slot->replica.mirrors ? NULL : options->events;
    own.explain = i == 0 ? options->explain : NULL;
    g_clear_pointer (&slot->loop, lm_train_loop_free);
    slot->loop = lm_train_loop_new (slot->state, slot->input, &own, error);
    if (slot->loop == NULL)
      return false;
  }
  return check_functions (r, lm_train_loop_function (r->slots[0].loop), error)
         && (r->n == lm_replicas_size (r) || lm_replicas_check (r, error));
}

static bool
make_step (LmSlot *slot, gpointer data, GError **error)
{
  GError *why = NULL;
  slot->report = lm_train_loop_step (slot->loop, &why);
  if (why != NULL)
    g_propagate_error (error, why);
  return why == NULL;
}

const LmTrainReport *
lm_replicas_step (LmReplicas *r, GError **error)
{
  return lm_replicas_run (r, make_step, NULL, error) ? r->slots[0].report : NULL;
}

/* --- evaluation ------------------------------------------------------------------------------------ */

static bool
evaluate (LmSlot *slot, gpointer data, GError **error)
{
  g_autoptr (LmEvalResult) result = lm_eval_run (slot->eval, error);
  if (result == NULL)
    return false;
  if (slot->index == 0)
    *(LmEvalResult **)data = g_steal_pointer (&result);
  return true;
}

/* States that have fallen behind the first one's, or were never needed. */
static bool
refresh_states (LmReplicas *r, GError **error)
{
  for (guint i = 1; i < r->n; i++)
    if (r->slots[i].state == NULL || r->slots[i].state->step != r->args.state->step)
      return copy_states (r, error);
  return true;
}

static bool
prepare_evals (LmReplicas *r, const char *name, LmInput **inputs, GError **error)
{
  for (guint i = 0; i < r->n; i++) {
    LmSlot *slot = &r->slots[i];
    inputs[i] = open_input (slot, name, error);
    if (inputs[i] == NULL)
      return false;
    slot->eval = lm_eval_new (slot->state, inputs[i], &slot->replica,
                              i == 0 ? r->args.explain : NULL, error);
    if (slot->eval == NULL)
      return false;
  }
  return check_functions (r, lm_eval_function (r->slots[0].eval), error);
}

LmEvalResult *
lm_replicas_evaluate (LmReplicas *r, const char *input, GError **error)
{
  g_autofree LmInput **inputs = g_new0 (LmInput *, r->n);
  g_autoptr (LmEvalResult) result = NULL;
  bool ok = refresh_states (r, error) && prepare_evals (r, input, inputs, error)
            && lm_replicas_run (r, evaluate, &result, error);
  for (guint i = 0; i < r->n; i++) {
    g_clear_pointer (&r->slots[i].eval, lm_eval_free);
    lm_input_free (inputs[i]);
  }
  return ok ? g_steal_pointer (&result) : NULL;
}
