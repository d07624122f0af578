/* SPDX-License-Identifier: Apache-2.0 */
/* The predictor and its small cache of executables. */
#include "core/program/predict.h"

#include <string.h>

#define CACHE 8

/* One compiled predict step. */
typedef struct Entry {
  char *shapes; /* "inputs:f32[8,64] ..." */
  LmStep *step;
  LmExecutable *exe;
} Entry;

struct LmPredictor {
  LmState *state;
  GQueue entries; /* of Entry*, last used first */
};

static void
entry_free (gpointer data)
{
  Entry *entry = data;
  g_free (entry->shapes);
  lm_executable_free (entry->exe);
  lm_step_free (entry->step);
  g_free (entry);
}

LmPredictor *
lm_predictor_new (LmState *state)
{
  LmPredictor *predictor = g_new0 (LmPredictor, 1);
  predictor->state = state;
  g_queue_init (&predictor->entries);
  return predictor;
}

void
lm_predictor_free (LmPredictor *predictor)
{
  if (predictor == NULL)
    return;
  g_queue_clear_full (&predictor->entries, entry_free);
  g_free (predictor);
}

/* --- the batch ------------------------------------------------------------------------------------ */

/* Names sorted, arrays converted; what the step's batch parameters will be. */
typedef struct Batch {
  LmBatchSpec spec;
  LmArray **arrays;
} Batch;

static void
batch_clear (Batch *b)
{
  for (guint i = 0; i < b->spec.n; i++) {
    g_free (b->spec.fields[i].name);
    lm_array_unref (b->arrays[i]);
  }
  g_free (b->spec.fields);
  g_free (b->arrays);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Batch, batch_clear)

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (a, b);
}

static bool
take_batch (Batch *b, GHashTable *batch, lam_dtype real, GError **error)
{
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (batch), by_text);
  guint n = g_hash_table_size (batch);
  b->spec.fields = g_new0 (LmBatchField, n + 1);
  b->arrays = g_new0 (LmArray *, n + 1);
  for (GList *l = names; l != NULL; l = l->next) {
    LmArray *array = g_hash_table_lookup (batch, l->data);
    bool convert = lam_dtype_is_float (array->type.dtype) && array->type.dtype != real;
    LmArray *taken = convert ? lm_array_convert (array, real, error) : lm_array_ref (array);
    if (taken == NULL)
      return false;
    b->arrays[b->spec.n] = taken;
    b->spec.fields[b->spec.n++] = (LmBatchField) {g_strdup (l->data), taken->type};
  }
  return true;
}

static char *
shapes_of (const LmBatchSpec *spec)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < spec->n; i++) {
    g_string_append_printf (out, "%s:", spec->fields[i].name);
    lm_type_print (out, &spec->fields[i].type);
    g_string_append_c (out, ' ');
  }
  return g_string_free (out, FALSE);
}

/* --- running -------------------------------------------------------------------------------------- */

static Entry *
find_entry (LmPredictor *predictor, const char *shapes)
{
  for (GList *l = predictor->entries.head; l != NULL; l = l->next)
    if (strcmp (((Entry *)l->data)->shapes, shapes) == 0) {
      g_queue_unlink (&predictor->entries, l);
      g_queue_push_head_link (&predictor->entries, l);
      return l->data;
    }
  return NULL;
}

static Entry *
compile_entry (LmPredictor *predictor, const LmBatchSpec *spec, char *shapes, GString *explain,
               GError **error)
{
  LmState *state = predictor->state;
  LmCompileArgs args = {.explain = explain};
  LmStep *step = lm_step_new_predict (state->model, spec, error);
  LmExecutable *exe =
      step != NULL ? lm_compile (state->backend, step->function, &args, error) : NULL;
  if (exe == NULL) {
    lm_step_free (step);
    return NULL;
  }
  Entry *entry = g_new0 (Entry, 1);
  *entry = (Entry) {g_strdup (shapes), step, exe};
  g_queue_push_head (&predictor->entries, entry);
  if (g_queue_get_length (&predictor->entries) > CACHE)
    entry_free (g_queue_pop_tail (&predictor->entries));
  return entry;
}

/* Arguments as host arrays: vars, step, key, batch. */
static bool
run_entry (LmState *state, const Entry *entry, const Batch *batch, LmArray **out, GError **error)
{
  guint n = state->n_vars, total = n + 2 + batch->spec.n;
  g_autofree LmBuffer **in = g_new0 (LmBuffer *, total), **results = NULL;
  guint n_results = entry->step->function->ir.n_results;
  results = g_new0 (LmBuffer *, n_results + 1);
  g_autoptr (LmArray) key = lm_program_key_array (lm_model_seed (state->model), LM_KEY_EVAL, error);
  bool ok = key != NULL && lm_state_eval_vars (state, entry->exe, in, error);
  in[n] = state->buffers[n + state->n_states];
  ok = ok && (in[n + 1] = lm_buffer_new_from_array (state->backend, key, error)) != NULL;
  for (guint i = 0; i < batch->spec.n && ok; i++)
    ok = (in[n + 2 + i] = lm_buffer_new_from_array (state->backend, batch->arrays[i], error))
         != NULL;
  for (guint i = 0; i < n_results && ok; i++)
    ok = (results[i] = lm_buffer_new (state->backend, lm_result_type (entry->step->function, i),
                                      lm_executable_layout (entry->exe, true, i), error))
         != NULL;
  ok = ok && lm_execute (entry->exe, in, results, error);
  for (guint i = 0; i < n_results && ok; i++)
    ok = (out[i] = lm_buffer_read (results[i], error)) != NULL;
  for (guint i = n + 1; i < total; i++)
    lm_buffer_free (in[i]);
  for (guint i = 0; i < n_results; i++)
    lm_buffer_free (results[i]);
  return ok;
}

GHashTable *
lm_predictor_run (LmPredictor *predictor, GHashTable *batch, GString *explain, GError **error)
{
  LmState *state = predictor->state;
  g_auto (Batch) b = {0};
  if (!lm_state_check (state, error)
      || !take_batch (&b, batch, lm_model_real_dtype (state->model), error))
    return NULL;
  g_autofree char *shapes = shapes_of (&b.spec);
  Entry *entry = find_entry (predictor, shapes);
  if (entry == NULL)
    entry = compile_entry (predictor, &b.spec, shapes, explain, error);
  if (entry == NULL)
    return NULL;
  guint n = entry->step->function->ir.n_results;
  g_autofree LmArray **out = g_new0 (LmArray *, n + 1);
  bool ok = run_entry (state, entry, &b, out, error);
  GHashTable *result = lm_arrays_new ();
  for (guint i = 0; i < n; i++) {
    guint k = i - lm_step_per_example_index (entry->step, 0);
    if (ok && k < entry->step->n_per_example)
      g_hash_table_insert (result, g_strdup (entry->step->per_example[k].name), out[i]);
    else
      lm_array_unref (out[i]);
  }
  if (!ok)
    g_clear_pointer (&result, g_hash_table_unref);
  return result;
}
