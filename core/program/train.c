/* SPDX-License-Identifier: Apache-2.0 */
/* The training loop. */
#include "core/program/train.h"

#include "core/program/runner.h"
#include "core/program/summaries.h"
#include <string.h>

struct LmTrainLoop {
  LmState *state;
  LmInput *input;
  LmTrainConfig config;
  bool scalars;
  bool entries; /* event files get entries, from this loop or from another replica's */
  LmReplica replica;
  LmRunner *plain, *full; /* without and with summaries; either may be NULL */
  LmEvents *events;
  guint n_state, n_batch; /* n_state: vars, learner states, step */
  LmBuffer **in;          /* of the step: the state's, key, batch */
  LmBuffer *key;
  LmNumber *metrics, *numbers; /* of reports */
  const char **print_names;
  const LmArray **print_values;
  LmTrainReport report;
  int64_t written; /* when events were written last, in microseconds */
  uint64_t written_step;
};

/* --- config ---------------------------------------------------------------------------------------- */

void
lm_train_config_declare (lam_fields *lam_f_)
{
  typedef LmTrainConfig lam_self_;
  LAM_INT (steps, 1000, "How many steps a run makes in all."), LAM_MIN (1), LAM_MAX (4294967000.0);
  LAM_INT (summary_interval_steps, 100, "Steps between two entries of event files."), LAM_MIN (1);
  LAM_INT (norm_interval_steps, 500, "Steps between two norms of all variables in event files."),
      LAM_MIN (1);
  LAM_INT (summary_verbosity, 3, "Summaries above it are not recorded."), LAM_MIN (1);
  LAM_BOOL (check_numerics, false,
            "Stop at the first NaN or infinity that lam_check_numerics or a gradient meets.");
  LAM_BOOL (enable_asserts, false, "Stop at the first lam_check that fails.");
  LAM_INT (
      replicas, 0,
      "Data-parallel replicas in this process, which share each batch; 0: none. Each has random "
      "numbers of its own."),
      LAM_MIN (0), LAM_MAX (LM_MAX_REPLICAS);
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
  for (guint i = 0; loop->in != NULL && i < loop->n_batch; i++)
    lm_buffer_free (loop->in[loop->n_state + 1 + i]);
  lm_buffer_free (loop->key);
  lm_runner_free (loop->plain);
  lm_runner_free (loop->full);
  lm_events_free (loop->events);
  g_free (loop->metrics);
  g_free (loop->numbers);
  g_free (loop->print_names);
  g_free (loop->print_values);
  g_free (loop->in);
  g_free (loop);
}

static LmRunner *
compile (LmTrainLoop *loop, bool with_summaries, GString *explain, GError **error)
{
  LmStepOptions options = {.with_summaries = with_summaries,
                           .check_numerics = loop->config.check_numerics,
                           .enable_asserts = loop->config.enable_asserts,
                           .verbosity = (int32_t)loop->config.summary_verbosity,
                           .replicas = loop->replica.size};
  LmRunner *r = lm_runner_new (loop->state, lm_input_spec (loop->input), &options, explain, error);
  if (r != NULL)
    lm_executable_set_collective (r->exe, loop->replica.collective);
  return r;
}

static LmRunner *
any_runner (const LmTrainLoop *loop)
{
  return loop->full != NULL ? loop->full : loop->plain;
}

static bool
bind (LmTrainLoop *loop, GError **error)
{
  LmState *state = loop->state;
  LmExecutable *exe = any_runner (loop)->exe;
  guint n = loop->n_state;
  loop->in = g_new0 (LmBuffer *, n + 1 + loop->n_batch);
  g_autoptr (LmArray) key =
      lm_program_key_array (lm_model_seed (state->model), LM_KEY_TRAIN, error);
  if (key == NULL || !lm_input_buffers (state->backend, exe, n, 1, &loop->key, error)
      || !lm_buffer_write (loop->key, key, error))
    return false;
  loop->in[n] = loop->key;
  return lm_input_buffers (state->backend, exe, n + 1, loop->n_batch, loop->in + n + 1, error);
}

/* Room for reports, so that steps allocate nothing. */
static void
reserve (LmTrainLoop *loop)
{
  const LmStep *step = any_runner (loop)->step;
  loop->metrics = g_new0 (LmNumber, step->n_metrics + 1);
  loop->numbers = g_new0 (LmNumber, step->n_summaries + 1);
  loop->print_names = g_new0 (const char *, step->n_watches + 1);
  loop->print_values = g_new0 (const LmArray *, step->n_watches + 1);
  loop->report.metrics = loop->metrics;
  loop->report.scalars = loop->numbers;
  loop->report.print_names = loop->print_names;
  loop->report.print_values = loop->print_values;
}

static bool
open_events (LmTrainLoop *loop, const char *folder, GError **error)
{
  loop->events = lm_events_new (folder, error);
  loop->written = g_get_monotonic_time ();
  loop->written_step = loop->state->step;
  return loop->events != NULL
         && (loop->state->step > 0
             || lm_summaries_write_model (loop->events, loop->state->model, error));
}

LmTrainLoop *
lm_train_loop_new (LmState *state, LmInput *input, const LmTrainOptions *options, GError **error)
{
  g_return_val_if_fail (state->init != NULL, NULL);
  g_autoptr (LmTrainLoop) loop = g_new0 (LmTrainLoop, 1);
  loop->state = state;
  loop->input = input;
  loop->config = options->config;
  loop->scalars = options->scalars;
  loop->replica = options->replica;
  loop->entries = options->events != NULL || options->replica.mirrors;
  loop->n_state = state->n_vars + state->n_states + 1;
  loop->n_batch = lm_input_spec (input)->n;
  bool each = options->scalars || (loop->entries && loop->config.summary_interval_steps == 1);
  if (!each && (loop->plain = compile (loop, false, options->explain, error)) == NULL)
    return NULL;
  if ((each || loop->entries)
      && (loop->full = compile (loop, true, each ? options->explain : NULL, error)) == NULL)
    return NULL;
  if (!bind (loop, error)
      || (options->events != NULL && !open_events (loop, options->events, error)))
    return NULL;
  reserve (loop);
  return g_steal_pointer (&loop);
}

const LmFunction *
lm_train_loop_function (const LmTrainLoop *loop)
{
  return any_runner (loop)->step->function;
}

/* --- running --------------------------------------------------------------------------------------- */

/* Whether event files get an entry after this step, as upstream: the last of every N. */
static bool
is_due (const LmTrainLoop *loop, uint64_t step)
{
  uint64_t n = (uint64_t)loop->config.summary_interval_steps;
  return loop->entries && step % n == n - 1;
}

static void
report_metrics (LmTrainLoop *loop, const LmRunner *r)
{
  LmTrainReport *report = &loop->report;
  report->n_metrics = 0;
  report->loss = lm_readout_mean (&r->loss);
  for (guint i = 0; i < r->step->n_metrics; i++)
    if (strcmp (r->step->metrics[i].name, "loss") != 0)
      loop->metrics[report->n_metrics++] =
          (LmNumber) {r->step->metrics[i].name, lm_readout_mean (&r->metrics[2 * i]),
                      lm_readout_mean (&r->metrics[2 * i + 1])};
}

static void
report_scalars (LmTrainLoop *loop, const LmRunner *r)
{
  loop->report.n_scalars = 0;
  for (guint i = 0; loop->scalars && i < r->step->n_summaries; i++) {
    const LmStepOutput *s = &r->step->summaries[i];
    if (s->type == LAM_SUMMARY_SCALAR || s->type == LAM_SUMMARY_AGGREGATE_SCALAR)
      loop->numbers[loop->report.n_scalars++] =
          (LmNumber) {s->name, lm_readout_mean (&r->summaries[2 * i]), 1};
  }
}

static void
report_prints (LmTrainLoop *loop, const LmRunner *r)
{
  loop->report.n_prints = 0;
  for (guint i = 0; i < r->step->n_watches; i++)
    if (r->step->watches[i].type == LM_WATCH_PRINT) {
      loop->print_names[loop->report.n_prints] = r->step->watches[i].name;
      loop->print_values[loop->report.n_prints++] = r->watches[i].host;
    }
}

static bool
write_events (LmTrainLoop *loop, const LmRunner *r, uint64_t step, GError **error)
{
  int64_t now = g_get_monotonic_time ();
  double seconds = (double)MAX (now - loop->written, 1) / 1e6;
  double rate = (double)(step + 1 - loop->written_step) / seconds;
  loop->written = now;
  loop->written_step = step + 1;
  return lm_summaries_write_step (loop->events, r, step, rate, error);
}

/* Everything that the step just made reports. */
static bool
report (LmTrainLoop *loop, LmRunner *r, GError **error)
{
  const LmStep *step = r->step;
  uint64_t number = loop->report.step;
  bool summaries = r == loop->full && (loop->scalars || is_due (loop, number));
  if (!lm_runner_read (&r->loss, 1, error)
      || !lm_runner_read (r->metrics, 2 * step->n_metrics, error)
      || !lm_runner_read (r->watches, step->n_watches, error)
      || (summaries && !lm_runner_read (r->summaries, 2 * step->n_summaries, error)))
    return false;
  report_metrics (loop, r);
  report_scalars (loop, r);
  report_prints (loop, r);
  if (loop->events != NULL && is_due (loop, number) && !write_events (loop, r, number, error))
    return false;
  if (loop->events != NULL && number % (uint64_t)loop->config.norm_interval_steps == 0
      && !lm_summaries_write_norms (loop->events, loop->state, number, error))
    return false;
  return lm_runner_check (r, error);
}

static const LmTrainReport *
make_step (LmTrainLoop *loop, GError **error)
{
  LmState *state = loop->state;
  bool end = false;
  if (!lm_state_check (state, error) || !lm_input_next (loop->input, &end, error)
      || !lm_replica_agree (&loop->replica, &end, error) || end)
    return NULL;
  for (guint i = 0; i < loop->n_batch; i++)
    if (!lm_buffer_write (loop->in[loop->n_state + 1 + i], lm_input_arrays (loop->input)[i], error))
      return NULL;
  memcpy (loop->in, state->buffers, loop->n_state * sizeof *loop->in);
  bool full = loop->plain == NULL || is_due (loop, state->step);
  LmRunner *r = full ? loop->full : loop->plain;
  if (!lm_runner_run (r, loop->in, error))
    return NULL;
  loop->report.step = state->step++;
  return report (loop, r, error) ? &loop->report : NULL;
}

const LmTrainReport *
lm_train_loop_step (LmTrainLoop *loop, GError **error)
{
  uint64_t number = loop->state->step;
  const LmTrainReport *made = make_step (loop, error);
  if (made == NULL)
    g_prefix_error (error, "step %" G_GUINT64_FORMAT ": ", number);
  return made;
}
