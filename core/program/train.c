/* SPDX-License-Identifier: Apache-2.0 */
/* The training loop. */
#include "core/program/train.h"

#include "core/program/scalar.h"
#include <string.h>

struct LmTrainLoop {
  LmState *state;
  LmInput *input;
  LmStep *step;
  LmExecutable *exe;
  guint n_state, n_batch, n_results; /* n_state: vars, learner states, step */
  LmBuffer **in, **out;              /* all of the function; the first n_state are the state's */
  LmBuffer *key;
  LmReadout loss, *metrics, *summaries; /* metrics: value, weight of each */
  LmNumber *metric_numbers, *scalar_numbers;
  LmTrainReport report;
};

/* --- config ---------------------------------------------------------------------------------------- */

void
lm_train_config_declare (lam_fields *lam_f_)
{
  typedef LmTrainConfig lam_self_;
  LAM_INT (steps, 1000, "How many steps a run makes in all."), LAM_MIN (1), LAM_MAX (4294967000.0);
}

bool
lm_train_config_read (const LmModel *model, LmTrainConfig *out, GError **error)
{
  JsonNode *node = json_object_get_member (lm_model_config (model), "train");
  if (node != NULL && !JSON_NODE_HOLDS_OBJECT (node)) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "config: \"train\" is not an object; it wants one such as { \"steps\": 1000 }");
    return false;
  }
  LmFieldTable *table = lm_field_table_new ("train", lm_train_config_declare, sizeof *out, error);
  if (table == NULL)
    return false;
  g_autoptr (JsonObject) empty = json_object_new ();
  g_autoptr (LmParams) params = lm_params_new (
      table, node != NULL ? json_node_get_object (node) : empty, NULL, "train", error);
  bool good = params != NULL;
  if (good)
    lm_params_fill (params, out);
  g_clear_pointer (&params, lm_params_free); /* it reads the table when it goes */
  lm_field_table_free (table);
  return good;
}

/* --- building -------------------------------------------------------------------------------------- */

void
lm_train_loop_free (LmTrainLoop *loop)
{
  if (loop == NULL)
    return;
  for (guint i = 0; loop->out != NULL && i + loop->n_state < loop->n_results; i++)
    lm_buffer_free (loop->out[loop->n_state + i]);
  for (guint i = 0; loop->in != NULL && i < loop->n_batch; i++)
    lm_buffer_free (loop->in[loop->n_state + 1 + i]);
  lm_buffer_free (loop->key);
  lm_readout_clear (&loop->loss);
  for (guint i = 0; loop->metrics != NULL && i < 2 * loop->step->n_metrics; i++)
    lm_readout_clear (&loop->metrics[i]);
  for (guint i = 0; loop->summaries != NULL && i < loop->step->n_summaries; i++)
    lm_readout_clear (&loop->summaries[i]);
  g_free (loop->metrics);
  g_free (loop->summaries);
  g_free (loop->metric_numbers);
  g_free (loop->scalar_numbers);
  g_free (loop->in);
  g_free (loop->out);
  lm_executable_free (loop->exe);
  lm_step_free (loop->step);
  g_free (loop);
}

/* Results 0 .. n_state - 1 go over the parameters of the same number. */
static bool
compile (LmTrainLoop *loop, GString *explain, GError **error)
{
  g_autofree lam_alias *aliases = g_new0 (lam_alias, loop->n_state);
  for (guint i = 0; i < loop->n_state; i++)
    aliases[i] = (lam_alias) {i, i};
  LmCompileArgs args = {.aliases = aliases, .n_aliases = loop->n_state, .explain = explain};
  loop->exe = lm_compile (loop->state->backend, loop->step->function, &args, error);
  return loop->exe != NULL && lm_state_fit (loop->state, loop->exe, loop->n_state, error);
}

static bool
bind (LmTrainLoop *loop, GError **error)
{
  LmState *state = loop->state;
  guint n = loop->n_state;
  loop->in = g_new0 (LmBuffer *, n + 1 + loop->n_batch);
  loop->out = g_new0 (LmBuffer *, loop->n_results + 1);
  g_autoptr (LmArray) key =
      lm_program_key_array (lm_model_seed (state->model), LM_KEY_TRAIN, error);
  if (key == NULL || !lm_input_buffers (state->backend, loop->exe, n, 1, &loop->key, error)
      || !lm_buffer_write (loop->key, key, error))
    return false;
  loop->in[n] = loop->key;
  return lm_input_buffers (state->backend, loop->exe, n + 1, loop->n_batch, loop->in + n + 1, error)
         && lm_result_buffers (state->backend, loop->exe, n, loop->out + n, error);
}

static bool
prepare_readouts (LmTrainLoop *loop, GError **error)
{
  const LmStep *step = loop->step;
  loop->metrics = g_new0 (LmReadout, 2 * step->n_metrics + 1);
  loop->summaries = g_new0 (LmReadout, step->n_summaries + 1);
  loop->metric_numbers = g_new0 (LmNumber, step->n_metrics + 1);
  loop->scalar_numbers = g_new0 (LmNumber, step->n_summaries + 1);
  loop->report.metrics = loop->metric_numbers;
  loop->report.scalars = loop->scalar_numbers;
  if (!lm_readout_init (&loop->loss, loop->out[lm_step_loss_index (step)], error))
    return false;
  for (guint i = 0; i < 2 * step->n_metrics; i++)
    if (!lm_readout_init (&loop->metrics[i], loop->out[lm_step_metric_index (step, i / 2) + i % 2],
                          error))
      return false;
  for (guint i = 0; i < step->n_summaries; i++)
    if (step->summaries[i].type == LAM_SUMMARY_SCALAR
        && !lm_readout_init (&loop->summaries[i], loop->out[lm_step_summary_index (step, i)],
                             error))
      return false;
  return true;
}

LmTrainLoop *
lm_train_loop_new (LmState *state, LmInput *input, GString *explain, GError **error)
{
  g_return_val_if_fail (state->init != NULL, NULL);
  g_autoptr (LmTrainLoop) loop = g_new0 (LmTrainLoop, 1);
  loop->state = state;
  loop->input = input;
  const LmStepOptions options = {.with_summaries = true};
  loop->step = lm_step_new_train (state->model, lm_input_spec (input), &options, error);
  if (loop->step == NULL)
    return NULL;
  loop->n_state = state->n_vars + state->n_states + 1;
  loop->n_batch = lm_input_spec (input)->n;
  loop->n_results = loop->step->function->ir.n_results;
  if (!lm_state_check (state, error) || !compile (loop, explain, error) || !bind (loop, error)
      || !prepare_readouts (loop, error))
    return NULL;
  return g_steal_pointer (&loop);
}

/* --- running --------------------------------------------------------------------------------------- */

static bool
read_report (LmTrainLoop *loop, GError **error)
{
  const LmStep *step = loop->step;
  LmTrainReport *report = &loop->report;
  report->n_metrics = report->n_scalars = 0;
  if (!lm_readout_update (&loop->loss, error))
    return false;
  report->loss = lm_readout_mean (&loop->loss);
  for (guint i = 0; i < step->n_metrics; i++) {
    LmReadout *pair = loop->metrics + 2 * i;
    if (!lm_readout_update (&pair[0], error) || !lm_readout_update (&pair[1], error))
      return false;
    if (strcmp (step->metrics[i].name, "loss") != 0)
      loop->metric_numbers[report->n_metrics++] = (LmNumber) {
          step->metrics[i].name, lm_readout_mean (&pair[0]), lm_readout_mean (&pair[1])};
  }
  for (guint i = 0; i < step->n_summaries; i++) {
    if (loop->summaries[i].host == NULL)
      continue;
    if (!lm_readout_update (&loop->summaries[i], error))
      return false;
    loop->scalar_numbers[report->n_scalars++] =
        (LmNumber) {step->summaries[i].name, lm_readout_mean (&loop->summaries[i]), 1};
  }
  return true;
}

const LmTrainReport *
lm_train_loop_step (LmTrainLoop *loop, GError **error)
{
  LmState *state = loop->state;
  bool end = false;
  if (!lm_state_check (state, error) || !lm_input_next (loop->input, &end, error) || end)
    return NULL;
  for (guint i = 0; i < loop->n_batch; i++)
    if (!lm_buffer_write (loop->in[loop->n_state + 1 + i], lm_input_arrays (loop->input)[i], error))
      return NULL;
  memcpy (loop->in, state->buffers, loop->n_state * sizeof *loop->in);
  memcpy (loop->out, state->buffers, loop->n_state * sizeof *loop->out);
  if (!lm_execute (loop->exe, loop->in, loop->out, error)) {
    state->broken = true;
    return NULL;
  }
  loop->report.step = state->step++;
  return read_report (loop, error) ? &loop->report : NULL;
}
