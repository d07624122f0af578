/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a train step and running it over donated state. */
#include "core/program/runner.h"

#include <string.h>

static void
clear_readouts (LmReadout *readouts, guint n)
{
  for (guint i = 0; readouts != NULL && i < n; i++)
    lm_readout_clear (&readouts[i]);
  g_free (readouts);
}

void
lm_runner_free (LmRunner *r)
{
  if (r == NULL)
    return;
  for (guint i = r->n_state; r->out != NULL && i < r->n_results; i++)
    lm_buffer_free (r->out[i]);
  lm_readout_clear (&r->loss);
  if (r->step != NULL) {
    clear_readouts (r->metrics, 2 * r->step->n_metrics);
    clear_readouts (r->summaries, 2 * r->step->n_summaries);
    clear_readouts (r->watches, r->step->n_watches);
  }
  g_free (r->out);
  lm_executable_free (r->exe);
  lm_step_free (r->step);
  g_free (r);
}

/* Results 0 .. n_state - 1 go over the parameters of the same number. */
static bool
compile (LmRunner *r, GString *explain, GError **error)
{
  g_autofree lam_alias *aliases = g_new0 (lam_alias, r->n_state);
  for (guint i = 0; i < r->n_state; i++)
    aliases[i] = (lam_alias) {i, i};
  LmCompileArgs args = {.aliases = aliases, .n_aliases = r->n_state, .explain = explain};
  r->exe = lm_compile (r->state->backend, r->step->function, &args, error);
  return r->exe != NULL && lm_state_fit (r->state, r->exe, r->n_state, error);
}

static bool
prepare_summaries (LmRunner *r, GError **error)
{
  const LmStep *step = r->step;
  r->summaries = g_new0 (LmReadout, 2 * step->n_summaries + 1);
  for (guint i = 0, at = lm_step_summary_index (step, 0); i < step->n_summaries; i++) {
    if (!lm_readout_init (&r->summaries[2 * i], r->out[at++], error))
      return false;
    if (step->summaries[i].has_weight
        && !lm_readout_init (&r->summaries[2 * i + 1], r->out[at++], error))
      return false;
  }
  return true;
}

static bool
prepare (LmRunner *r, GError **error)
{
  const LmStep *step = r->step;
  r->out = g_new0 (LmBuffer *, r->n_results + 1);
  if (!lm_result_buffers (r->state->backend, r->exe, r->n_state, r->out + r->n_state, error)
      || !lm_readout_init (&r->loss, r->out[lm_step_loss_index (step)], error))
    return false;
  r->metrics = g_new0 (LmReadout, 2 * step->n_metrics + 1);
  for (guint i = 0; i < 2 * step->n_metrics; i++)
    if (!lm_readout_init (&r->metrics[i], r->out[lm_step_metric_index (step, 0) + i], error))
      return false;
  r->watches = g_new0 (LmReadout, step->n_watches + 1);
  for (guint i = 0; i < step->n_watches; i++)
    if (!lm_readout_init (&r->watches[i], r->out[lm_step_watch_index (step, i)], error))
      return false;
  return prepare_summaries (r, error);
}

LmRunner *
lm_runner_new (LmState *state, const LmBatchSpec *batch, const LmStepOptions *options,
               GString *explain, GError **error)
{
  g_autoptr (LmRunner) r = g_new0 (LmRunner, 1);
  r->state = state;
  r->step = lm_step_new_train (state->model, batch, options, error);
  if (r->step == NULL)
    return NULL;
  r->n_state = state->n_vars + state->n_states + 1;
  r->n_batch = batch->n;
  r->n_results = r->step->function->ir.n_results;
  if (!lm_state_check (state, error) || !compile (r, explain, error) || !prepare (r, error))
    return NULL;
  return g_steal_pointer (&r);
}

bool
lm_runner_run (LmRunner *r, LmBuffer *const *in, GError **error)
{
  memcpy (r->out, in, r->n_state * sizeof *r->out);
  if (lm_execute (r->exe, in, r->out, error))
    return true;
  r->state->broken = true;
  return false;
}

bool
lm_runner_read (LmReadout *readouts, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (readouts[i].host != NULL && !lm_readout_update (&readouts[i], error))
      return false;
  return true;
}

bool
lm_runner_check (const LmRunner *r, GError **error)
{
  for (guint i = 0; i < r->step->n_watches; i++) {
    const LmStepOutput *w = &r->step->watches[i];
    if (w->type == LM_WATCH_PRINT || lm_array_get_int (r->watches[i].host, 0) != 0)
      continue;
    if (w->type == LM_WATCH_NUMERICS)
      g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                   "%s holds a NaN or an infinity; it is the first value watched by "
                   "lam_check_numerics that does",
                   w->name);
    else
      g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s: this check failed", w->name);
    return false;
  }
  return true;
}
