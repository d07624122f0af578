/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation loop. */
#include "core/program/eval.h"

#include "core/program/scalar.h"
#include <string.h>

struct LmEval {
  LmState *state;
  LmInput *input;
  LmStep *step;
  LmExecutable *exe;
  guint n_vars, n_batch, n_results;
  LmBuffer **in, **out; /* in: vars, step, key, batch */
  LmBuffer *key;
  guint n_pairs;    /* the loss and the metrics */
  LmReadout *pairs; /* value, weight of each */
  double *sums;     /* of value * weight, of weight */
  int64_t batches;
  LmReplica replica;
};

void
lm_eval_free (LmEval *e)
{
  if (e == NULL)
    return;
  for (guint i = 0; e->out != NULL && i < e->n_results; i++)
    lm_buffer_free (e->out[i]);
  for (guint i = 0; e->in != NULL && i < e->n_batch; i++)
    lm_buffer_free (e->in[e->n_vars + 2 + i]);
  for (guint i = 0; e->pairs != NULL && i < 2 * e->n_pairs; i++)
    lm_readout_clear (&e->pairs[i]);
  lm_buffer_free (e->key);
  g_free (e->in);
  g_free (e->out);
  g_free (e->pairs);
  g_free (e->sums);
  lm_executable_free (e->exe);
  lm_step_free (e->step);
  g_free (e);
}

static bool
bind (LmEval *e, GError **error)
{
  LmBackend *backend = e->state->backend;
  guint n = e->n_vars;
  e->in = g_new0 (LmBuffer *, n + 2 + e->n_batch);
  e->out = g_new0 (LmBuffer *, e->n_results + 1);
  g_autoptr (LmArray) key =
      lm_program_key_array (lm_model_seed (e->state->model), LM_KEY_EVAL, error);
  if (key == NULL || !lm_input_buffers (backend, e->exe, n + 1, 1, &e->key, error)
      || !lm_buffer_write (e->key, key, error)
      || !lm_state_eval_vars (e->state, e->exe, e->in, error))
    return false;
  e->in[n] = e->state->buffers[n + e->state->n_states];
  e->in[n + 1] = e->key;
  return lm_input_buffers (backend, e->exe, n + 2, e->n_batch, e->in + n + 2, error)
         && lm_result_buffers (backend, e->exe, 0, e->out, error);
}

/* Pair 0 is the loss with its weight. */
static bool
prepare_pairs (LmEval *e, GError **error)
{
  e->n_pairs = 1 + e->step->n_metrics;
  e->pairs = g_new0 (LmReadout, 2 * e->n_pairs);
  e->sums = g_new0 (double, 2 * e->n_pairs);
  for (guint i = 0; i < 2 * e->n_pairs; i++) {
    guint first = i < 2 ? lm_step_loss_index (e->step) : lm_step_metric_index (e->step, i / 2 - 1);
    if (!lm_readout_init (&e->pairs[i], e->out[first + i % 2], error))
      return false;
  }
  return true;
}

/* Batches of weight 0 count nothing, even where their mean is not a number. */
static bool
add_batch (LmEval *e, GError **error)
{
  for (guint i = 0; i < e->n_pairs; i++) {
    LmReadout *pair = e->pairs + 2 * i;
    if (!lm_readout_update (&pair[0], error) || !lm_readout_update (&pair[1], error))
      return false;
    double weight = lm_readout_mean (&pair[1]);
    if (weight != 0)
      e->sums[2 * i] += lm_readout_mean (&pair[0]) * weight;
    e->sums[2 * i + 1] += weight;
  }
  e->batches++;
  return true;
}

static bool
run (LmEval *e, GError **error)
{
  int64_t most = lm_input_batches (e->input);
  bool end = false;
  lm_input_reset (e->input);
  while (most < 0 || e->batches < most) {
    if (!lm_input_next (e->input, &end, error) || !lm_replica_agree (&e->replica, &end, error))
      return false;
    if (end)
      break;
    for (guint i = 0; i < e->n_batch; i++)
      if (!lm_buffer_write (e->in[e->n_vars + 2 + i], lm_input_arrays (e->input)[i], error))
        return false;
    if (!lm_execute (e->exe, e->in, e->out, error) || !add_batch (e, error))
      return false;
  }
  return true;
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (((const LmEvalMetric *)a)->name, ((const LmEvalMetric *)b)->name);
}

static LmEvalResult *
take_result (const LmEval *e)
{
  LmEvalResult *result = g_new0 (LmEvalResult, 1);
  result->metrics = g_new0 (LmEvalMetric, e->n_pairs);
  result->batches = e->batches;
  for (guint i = 0; i < e->n_pairs; i++) {
    const char *name = i == 0 ? "loss" : e->step->metrics[i - 1].name;
    double weight = e->sums[2 * i + 1];
    if (i == 0 || strcmp (name, "loss") != 0)
      result->metrics[result->n++] =
          (LmEvalMetric) {g_strdup (name), weight != 0 ? e->sums[2 * i] / weight : 0, weight};
  }
  qsort (result->metrics + 1, result->n - 1, sizeof *result->metrics, by_name);
  return result;
}

void
lm_eval_result_free (LmEvalResult *result)
{
  if (result == NULL)
    return;
  for (guint i = 0; i < result->n; i++)
    g_free (result->metrics[i].name);
  g_free (result->metrics);
  g_free (result);
}

LmEval *
lm_eval_new (LmState *state, LmInput *input, const LmReplica *replica, GString *explain,
             GError **error)
{
  g_autoptr (LmEval) e = g_new0 (LmEval, 1);
  LmCompileArgs args = {.explain = explain};
  e->state = state;
  e->input = input;
  e->n_vars = state->n_vars;
  e->n_batch = lm_input_spec (input)->n;
  if (replica != NULL)
    e->replica = *replica;
  const LmStepOptions options = {.replicas = e->replica.size};
  e->step = lm_step_new_eval (state->model, lm_input_spec (input), &options, error);
  if (e->step == NULL || !lm_state_check (state, error))
    return NULL;
  e->n_results = e->step->function->ir.n_results;
  e->exe = lm_compile (state->backend, e->step->function, &args, error);
  if (e->exe == NULL)
    return NULL;
  lm_executable_set_collective (e->exe, e->replica.collective);
  return bind (e, error) && prepare_pairs (e, error) ? g_steal_pointer (&e) : NULL;
}

const LmFunction *
lm_eval_function (const LmEval *e)
{
  return e->step->function;
}

LmEvalResult *
lm_eval_run (LmEval *e, GError **error)
{
  e->batches = 0;
  memset (e->sums, 0, 2 * e->n_pairs * sizeof *e->sums);
  return run (e, error) ? take_result (e) : NULL;
}

LmEvalResult *
lm_evaluate (LmState *state, LmInput *input, GString *explain, GError **error)
{
  g_autoptr (LmEval) e = lm_eval_new (state, input, NULL, explain, error);
  return e != NULL ? lm_eval_run (e, error) : NULL;
}
