/* SPDX-License-Identifier: Apache-2.0 */
/* What a run changes: variables, learner states and the step count, as buffers of one backend. The
 * train step gets them donated and writes its results over them.
 *
 * Keys. The root key of a run is PRNGKey (seed), u32[2] = (seed >> 32, seed & 0xffffffff). The train
 * step gets the root itself and folds it with the step (semantics 1.5), so the numbers from the top of
 * fold_in's range are free for everything else: initial variables use fold_in (root, 2^32 - 1),
 * evaluation and prediction 2^32 - 2, inputs are seeded with 2^32 - 3. */
#ifndef LM_PROGRAM_STATE_H
#define LM_PROGRAM_STATE_H

#include "core/run/run.h"
#include "core/step/step.h"

typedef enum {
  LM_KEY_TRAIN,
  LM_KEY_INIT,
  LM_KEY_EVAL,
  LM_KEY_INPUT,
} LmKeyUse;

/* words[0], words[1] of the key for a use. */
void lm_program_key (uint64_t seed, LmKeyUse use, uint32_t words[2]);
/* The same as a host array u32[2]. */
LmArray *lm_program_key_array (uint64_t seed, LmKeyUse use, GError **error);

typedef struct LmState {
  LmBackend *backend; /* a reference */
  LmModel *model;     /* borrowed */
  LmStateInit *init;  /* names and structure of the learner states; NULL before they exist */
  guint n_vars, n_states;
  LmBuffer **buffers; /* vars, states, step: the first parameters of a train step */
  uint64_t step;      /* same number as the step buffer */
  bool broken;        /* a step failed half-way: donated buffers hold nothing useful */
} LmState;

/* vars: n_vars arrays in flatten order, or NULL: drawn with the model's seed. No learner states yet;
 * step 0. */
LmState *lm_state_new (LmModel *model, LmBackend *backend, LmArray *const *vars, GError **error);
void lm_state_free (LmState *state); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmState, lm_state_free)

/* Makes the learner states: from the table (path -> LmArray*), where missing, unexpected and
 * mismatched ones come in one error, or with NULL as the learners start them. */
bool lm_state_init_learners (LmState *state, GHashTable *arrays, const char *where, GError **error);

bool lm_state_set_step (LmState *state, uint64_t step, GError **error);

/* Host copies: path -> LmArray*. */
GHashTable *lm_state_read_vars (LmState *state, GError **error);
GHashTable *lm_state_read_learners (LmState *state, GError **error);

/* Brings buffers [first, first + n) into the layouts that the executable wants of its first inputs. */
bool lm_state_fit (LmState *state, LmExecutable *exe, guint n, GError **error);

/* The n_vars variables as evaluation and prediction see them, in the layouts of the executable's first
 * inputs: their averages where a learner keeps them (an optimizer's ema_decay), else themselves.
 * Borrowed, until the state changes. */
bool lm_state_eval_vars (LmState *state, LmExecutable *exe, LmBuffer **out, GError **error);

/* Error of a broken state. */
bool lm_state_check (const LmState *state, GError **error);

/* New table of (name -> LmArray*), owning both. */
GHashTable *lm_arrays_new (void);

#endif
