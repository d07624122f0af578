/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a run on its backend. */
#include "core/program/state.h"

#include <lamina/prng.h>
#include <string.h>

void
lm_program_key (uint64_t seed, LmKeyUse use, uint32_t words[2])
{
  lam_prng_key key = lam_prng_seed (seed);
  if (use != LM_KEY_TRAIN)
    key = lam_prng_fold_in (key, UINT32_MAX + (uint32_t)LM_KEY_INIT - (uint32_t)use);
  words[0] = key.word[0];
  words[1] = key.word[1];
}

LmArray *
lm_program_key_array (uint64_t seed, LmKeyUse use, GError **error)
{
  lam_type type = lm_type (LAM_U32, 1, (int64_t[]) {2});
  uint32_t words[2];
  lm_program_key (seed, use, words);
  return lm_array_new_copy (&type, words, error);
}

GHashTable *
lm_arrays_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)lm_array_unref);
}

static void
free_arrays (LmArray **arrays, guint n)
{
  for (guint i = 0; i < n; i++)
    lm_array_unref (arrays[i]);
  g_free (arrays);
}

static LmArray **
draw_vars (LmModel *model, LmBackend *backend, GError **error)
{
  g_autoptr (LmFunction) f = lm_model_init_function (model, error);
  g_autoptr (LmArray) key =
      f != NULL ? lm_program_key_array (lm_model_seed (model), LM_KEY_INIT, error) : NULL;
  if (key == NULL)
    return NULL;
  LmArray **out = g_new0 (LmArray *, lm_model_n_vars (model) + 1);
  if (lm_run_function (backend, f, (LmArray *const[]) {key}, out, error))
    return out;
  g_prefix_error (error, "drawing the initial variables: ");
  g_free (out);
  return NULL;
}

LmState *
lm_state_new (LmModel *model, LmBackend *backend, LmArray *const *vars, GError **error)
{
  guint n = lm_model_n_vars (model);
  LmArray **drawn = vars == NULL ? draw_vars (model, backend, error) : NULL;
  if (vars == NULL && drawn == NULL)
    return NULL;
  LmState *state = g_new0 (LmState, 1);
  state->backend = lm_backend_ref (backend);
  state->model = model;
  state->n_vars = n;
  state->buffers = g_new0 (LmBuffer *, n + 1);
  bool ok = true;
  for (guint i = 0; i < n && ok; i++) {
    state->buffers[i] =
        lm_buffer_new_from_array (backend, drawn != NULL ? drawn[i] : vars[i], error);
    ok = state->buffers[i] != NULL;
  }
  if (drawn != NULL)
    free_arrays (drawn, n);
  if (ok && lm_state_set_step (state, 0, error))
    return state;
  lm_state_free (state);
  return NULL;
}

void
lm_state_free (LmState *state)
{
  if (state == NULL)
    return;
  for (guint i = 0; i < state->n_vars + state->n_states + 1; i++)
    g_clear_pointer (&state->buffers[i], lm_buffer_free);
  g_free (state->buffers);
  g_clear_pointer (&state->init, lm_state_init_free);
  lm_backend_unref (state->backend);
  g_free (state);
}

bool
lm_state_check (const LmState *state, GError **error)
{
  if (!state->broken)
    return true;
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
               "the last step failed half-way and its variables are lost; open the model again");
  return false;
}

bool
lm_state_set_step (LmState *state, uint64_t step, GError **error)
{
  lam_type type = lm_scalar_type (LAM_U32);
  uint32_t word = (uint32_t)step;
  if (step >= UINT32_MAX - 16) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "step %" G_GUINT64_FORMAT ": steps are counted in 32 bits", step);
    return false;
  }
  g_autoptr (LmArray) array = lm_array_new_copy (&type, &word, error);
  LmBuffer *buffer = array != NULL ? lm_buffer_new_from_array (state->backend, array, error) : NULL;
  if (buffer == NULL)
    return false;
  lm_buffer_free (state->buffers[state->n_vars + state->n_states]);
  state->buffers[state->n_vars + state->n_states] = buffer;
  state->step = step;
  return true;
}

/* --- learner states ------------------------------------------------------------------------------ */

/* One report of everything that does not fit; false when there is any. */
static bool
check_learners (const LmStateInit *init, guint n, GHashTable *arrays, const char *where,
                GError **error)
{
  g_autoptr (GString) report = g_string_new (NULL);
  guint found = 0;
  for (guint i = 0; i < n; i++) {
    const LmArray *array = g_hash_table_lookup (arrays, init->paths[i]);
    const lam_type *type = lm_result_type (init->function, i);
    g_autofree char *wanted = lm_type_to_string (type);
    found += array != NULL;
    if (array == NULL) {
      g_string_append_printf (report, "\n  missing %s: wanted %s", init->paths[i], wanted);
    } else if (!lm_type_equal (&array->type, type)) {
      g_autofree char *got = lm_type_to_string (&array->type);
      g_string_append_printf (report, "\n  %s: wanted %s, got %s", init->paths[i], wanted, got);
    }
  }
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init (&iter, arrays);
  while (found < g_hash_table_size (arrays) && g_hash_table_iter_next (&iter, &name, NULL))
    if (!g_strv_contains ((const char *const *)init->paths, name)) {
      g_string_append_printf (report, "\n  unexpected %s", (char *)name);
      lm_append_did_you_mean (report, name, (const char *const *)init->paths);
    }
  if (report->len == 0)
    return true;
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
               "%s: the learner states do not fit the config:%s\n  to start the learners anew from "
               "the same variables, train with --init WEIGHTS.safetensors",
               where, report->str);
  return false;
}

/* States as the learners start them, by running their function on the present variables. */
static LmArray **
start_learners (LmState *state, const LmStateInit *init, guint n, GError **error)
{
  LmArray **in = g_new0 (LmArray *, state->n_vars + 1), **out = g_new0 (LmArray *, n + 1);
  bool ok = true;
  for (guint i = 0; i < state->n_vars && ok; i++)
    ok = (in[i] = lm_buffer_read (state->buffers[i], error)) != NULL;
  ok = ok && lm_run_function (state->backend, init->function, in, out, error);
  free_arrays (in, state->n_vars);
  if (ok)
    return out;
  g_free (out);
  return NULL;
}

bool
lm_state_init_learners (LmState *state, GHashTable *arrays, const char *where, GError **error)
{
  g_return_val_if_fail (state->init == NULL, false);
  g_autoptr (LmStateInit) init = lm_state_init_new (state->model, error);
  if (init == NULL || !lm_state_check (state, error))
    return false;
  guint n = init->function->ir.n_results;
  if (arrays != NULL && !check_learners (init, n, arrays, where, error))
    return false;
  LmArray **started = arrays == NULL ? start_learners (state, init, n, error) : NULL;
  if (arrays == NULL && started == NULL)
    return false;
  LmBuffer **buffers = g_new0 (LmBuffer *, n + 1);
  bool ok = true;
  for (guint i = 0; i < n && ok; i++) {
    LmArray *from = started != NULL ? started[i] : g_hash_table_lookup (arrays, init->paths[i]);
    ok = (buffers[i] = lm_buffer_new_from_array (state->backend, from, error)) != NULL;
  }
  if (started != NULL)
    free_arrays (started, n);
  if (ok) {
    LmBuffer *step = state->buffers[state->n_vars];
    state->buffers = g_renew (LmBuffer *, state->buffers, state->n_vars + n + 1);
    memcpy (state->buffers + state->n_vars, buffers, n * sizeof *buffers);
    state->buffers[state->n_vars + n] = step;
    state->n_states = n;
    state->init = g_steal_pointer (&init);
  } else {
    for (guint i = 0; i < n; i++)
      lm_buffer_free (buffers[i]);
  }
  g_free (buffers);
  return ok;
}

/* --- reading back -------------------------------------------------------------------------------- */

static bool
read_into (GHashTable *table, const char *name, LmBuffer *buffer, GError **error)
{
  LmArray *array = lm_buffer_read (buffer, error);
  if (array != NULL)
    g_hash_table_insert (table, g_strdup (name), array);
  return array != NULL;
}

GHashTable *
lm_state_read_vars (LmState *state, GError **error)
{
  g_autoptr (GHashTable) table = lm_arrays_new ();
  const lam_var_info *const *infos = lm_model_var_infos (state->model);
  if (!lm_state_check (state, error))
    return NULL;
  for (guint i = 0; i < state->n_vars; i++)
    if (!read_into (table, infos[i]->path, state->buffers[i], error))
      return NULL;
  return g_steal_pointer (&table);
}

GHashTable *
lm_state_read_learners (LmState *state, GError **error)
{
  g_autoptr (GHashTable) table = lm_arrays_new ();
  if (!lm_state_check (state, error))
    return NULL;
  for (guint i = 0; i < state->n_states; i++)
    if (!read_into (table, state->init->paths[i], state->buffers[state->n_vars + i], error))
      return NULL;
  return g_steal_pointer (&table);
}

/* Brings buffer `index` into a layout. */
static bool
fit_one (LmState *state, guint index, uint64_t wanted, GError **error)
{
  if (lm_buffer_layout (state->buffers[index]) == wanted)
    return true;
  g_autoptr (LmArray) array = lm_buffer_read (state->buffers[index], error);
  g_autoptr (LmBuffer) buffer =
      array != NULL ? lm_buffer_new (state->backend, &array->type, wanted, error) : NULL;
  if (buffer == NULL || !lm_buffer_write (buffer, array, error))
    return false;
  lm_buffer_free (state->buffers[index]);
  state->buffers[index] = g_steal_pointer (&buffer);
  return true;
}

bool
lm_state_fit (LmState *state, LmExecutable *exe, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!fit_one (state, i, lm_executable_layout (exe, false, i), error))
      return false;
  return true;
}

/* indices[i]: the buffer of variable i's average where learner `states` keeps one. */
static void
find_averages (const LmState *state, const LmNest *states, guint *indices)
{
  const LmNest *averages = lm_optimizer_find_ema (states);
  if (averages == NULL)
    return;
  g_auto (GStrv) paths = lm_nest_paths (averages);
  g_autoptr (GArray) leaves = lm_nest_flatten (averages);
  g_autoptr (GHashTable) by_path = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < leaves->len; i++)
    g_hash_table_insert (by_path, paths[i],
                         GUINT_TO_POINTER ((guint)g_array_index (leaves, uint64_t, i)));
  for (guint i = 0; i < state->n_vars; i++) {
    const char *path = lm_model_var_infos (state->model)[i]->path;
    guint number = GPOINTER_TO_UINT (g_hash_table_lookup (by_path, path));
    if (number != 0)
      indices[i] = state->n_vars + number - 1;
  }
}

bool
lm_state_eval_vars (LmState *state, LmExecutable *exe, LmBuffer **out, GError **error)
{
  g_autofree guint *indices = g_new (guint, state->n_vars + 1);
  for (guint i = 0; i < state->n_vars; i++)
    indices[i] = i;
  for (guint k = 0; state->init != NULL && k < lm_nest_size (state->init->structure); k++)
    find_averages (state, lm_nest_child (state->init->structure, k), indices);
  for (guint i = 0; i < state->n_vars; i++) {
    if (!fit_one (state, indices[i], lm_executable_layout (exe, false, i), error))
      return false;
    out[i] = state->buffers[indices[i]];
  }
  return true;
}
