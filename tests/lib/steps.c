/* SPDX-License-Identifier: Apache-2.0 */
/* Golden training cases run through core/model and core/step. */
#include "tests/lib/steps.h"

#include <math.h>
#include <string.h>

/* --- configs: our types are the golden ones with "lamina." before; a few keys differ ------------------ */

static void copy_value (JsonObject *out, const char *key, JsonNode *value);

static JsonObject *
copy_layer (JsonObject *layer)
{
  JsonObject *out = json_object_new ();
  g_autoptr (GList) keys = json_object_get_members (layer);
  for (GList *k = keys; k != NULL; k = k->next)
    copy_value (out, k->data, json_object_get_member (layer, k->data));
  return out;
}

static void
copy_list (JsonObject *out, const char *key, JsonArray *list)
{
  JsonArray *copy = json_array_new ();
  for (guint i = 0; i < json_array_get_length (list); i++) {
    JsonNode *node = json_array_get_element (list, i);
    if (JSON_NODE_HOLDS_OBJECT (node))
      json_array_add_object_element (copy, copy_layer (json_node_get_object (node)));
    else
      json_array_add_element (copy, json_node_copy (node));
  }
  json_object_set_array_member (out, key, copy);
}

static void
copy_value (JsonObject *out, const char *key, JsonNode *value)
{
  if (strcmp (key, "maps") == 0 || strcmp (key, "name") == 0)
    return;
  if (strcmp (key, "type") == 0) {
    const char *type = json_node_get_string (value);
    g_autofree char *ours =
        g_strdup_printf ("lamina.%s", strcmp (type, "softmax") == 0 ? "full_softmax" : type);
    json_object_set_string_member (out, key, ours);
  } else if (JSON_NODE_HOLDS_OBJECT (value)) {
    json_object_set_object_member (out, key, copy_layer (json_node_get_object (value)));
  } else if (JSON_NODE_HOLDS_ARRAY (value)) {
    copy_list (out, key, json_node_get_array (value));
  } else {
    json_object_set_member (out, key, json_node_copy (value));
  }
}

/* The flat golden learner becomes a learner with an optimizer with a schedule. */
static JsonObject *
copy_learner (JsonObject *golden)
{
  static const char *const of_optimizer[] = {"momentum", "nesterov", "learning_rate",
                                             "l2_regularizer_weight", NULL};
  JsonObject *learner = json_object_new (), *optimizer = json_object_new ();
  g_autoptr (GList) keys = json_object_get_members (golden);
  json_object_set_string_member (learner, "type", "lamina.learner");
  json_object_set_string_member (learner, "loss_name", "loss");
  for (GList *k = keys; k != NULL; k = k->next) {
    JsonNode *value = json_object_get_member (golden, k->data);
    if (strcmp (k->data, "schedule") == 0)
      json_object_set_object_member (optimizer, "lr_schedule",
                                     copy_layer (json_node_get_object (value)));
    else if (strcmp (k->data, "type") == 0 || g_strv_contains (of_optimizer, k->data))
      copy_value (optimizer, k->data, value);
    else
      json_object_set_member (learner, k->data, json_node_copy (value));
  }
  json_object_set_object_member (learner, "optimizer", optimizer);
  return learner;
}

JsonObject *
lm_test_step_config (JsonObject *attrs)
{
  JsonObject *config = json_object_new ();
  JsonArray *learners = json_array_new ();
  g_autoptr (JsonObject) plain =
      lm_test_json ("{\"type\": \"sgd\", \"learning_rate\": 0.1}"); /* eval cases name none */
  JsonObject *learner = json_object_has_member (attrs, "learner")
                            ? json_object_get_object_member (attrs, "learner")
                            : plain;
  json_object_set_string_member (
      config, "dtype", json_object_get_string_member_with_default (attrs, "dtype", "f64"));
  json_object_set_object_member (config, "model",
                                 copy_layer (json_object_get_object_member (attrs, "model")));
  json_array_add_object_element (learners, copy_learner (learner));
  json_object_set_array_member (config, "learners", learners);
  return config;
}

/* --- running -------------------------------------------------------------------------------------------- */

static LmStep *
new_step (LmModel *model, const LmBatchSpec *batch, LmStepKind kind, const LmStepOptions *given)
{
  g_autoptr (GError) error = NULL;
  const LmStepOptions usual = {.with_summaries = true}, *options = given != NULL ? given : &usual;
  LmStep *step = kind == LM_STEP_TRAIN    ? lm_step_new_train (model, batch, options, &error)
                 : kind == LM_STEP_EVAL   ? lm_step_new_eval (model, batch, options, &error)
                 : kind == LM_STEP_DECODE ? lm_step_new_decode (model, batch, options, &error)
                                          : lm_step_new_predict (model, batch, &error);
  g_assert_no_error (error);
  return step;
}

static void
init_state (LmTestRun *run, GHashTable *weights)
{
  g_autoptr (GError) error = NULL;
  guint n_vars = run->step->n_vars;
  run->n_state = n_vars + run->step->n_states + 1;
  run->state = g_new0 (LmArray *, run->n_state + 1);
  lm_model_take_weights (run->model, weights, "golden", run->state, &error);
  g_assert_no_error (error);
  if (run->step->n_states > 0) {
    g_autoptr (LmStateInit) init = lm_state_init_new (run->model, &error);
    g_assert_no_error (error);
    lm_test_run (run->backend, init->function, run->state, run->state + n_vars);
  }
  lam_type scalar = lm_scalar_type (LAM_U32);
  run->state[run->n_state - 1] = lm_test_array (&scalar, (double[]) {0});
}

void
lm_test_run_retrace (LmTestRun *run, const LmTestRunArgs *args)
{
  g_autoptr (GError) error = NULL;
  g_clear_pointer (&run->executable, lm_executable_free);
  g_clear_pointer (&run->step, lm_step_free);
  run->step = new_step (run->model, args->batch, args->kind, args->options);
  run->executable = lm_compile (run->backend, run->step->function, NULL, &error);
  g_assert_no_error (error);
}

LmTestRun *
lm_test_run_new_of (const LmTestRunArgs *args)
{
  g_autoptr (GError) error = NULL;
  LmTestRun *run = g_new0 (LmTestRun, 1);
  const LmHostTables *tables = args->tables != NULL ? args->tables : lm_host_tables ();
  run->registry = lm_test_registry ();
  run->backend = lm_test_backend (run->registry, args->backend);
  run->model = lm_model_new (run->registry, tables, args->config, &error);
  g_assert_no_error (error);
  json_object_unref (args->config);
  lm_test_run_retrace (run, args);
  init_state (run, args->weights);
  run->out = g_new0 (LmArray *, run->step->function->ir.n_results + 1);
  return run;
}

LmTestRun *
lm_test_run_new (JsonObject *config, GHashTable *weights, const LmBatchSpec *batch, LmStepKind kind,
                 const char *backend)
{
  return lm_test_run_new_with (config, weights, batch, kind, backend, NULL);
}

LmTestRun *
lm_test_run_new_with (JsonObject *config, GHashTable *weights, const LmBatchSpec *batch,
                      LmStepKind kind, const char *backend, const LmStepOptions *options)
{
  const LmTestRunArgs args = {.config = config,
                              .weights = weights,
                              .batch = batch,
                              .kind = kind,
                              .backend = backend,
                              .options = options};
  return lm_test_run_new_of (&args);
}

static void
clear (LmArray **arrays, guint n)
{
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&arrays[i], lm_array_unref);
}

void
lm_test_run_free (LmTestRun *run)
{
  clear (run->state, run->n_state);
  clear (run->out, run->step->function->ir.n_results);
  g_free (run->state);
  g_free (run->out);
  lm_executable_free (run->executable);
  lm_step_free (run->step);
  lm_model_free (run->model);
  lm_backend_unref (run->backend);
  lm_registry_free (run->registry);
  g_free (run);
}

void
lm_test_run_step (LmTestRun *run, LmArray *key, LmArray *const *batch)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) in = g_ptr_array_new ();
  for (guint i = 0; i < run->n_state; i++)
    g_ptr_array_add (in, run->state[i]);
  g_ptr_array_add (in, key);
  for (guint i = 0; i < run->step->n_batch; i++)
    g_ptr_array_add (in, batch[i]);
  clear (run->out, run->step->function->ir.n_results);
  lm_execute_arrays (run->executable, (LmArray *const *)in->pdata, run->out, &error);
  g_assert_no_error (error);
  for (guint i = 0; run->step->kind == LM_STEP_TRAIN && i < run->n_state; i++) {
    lm_array_unref (run->state[i]);
    run->state[i] = lm_array_ref (run->out[i]);
  }
}

/* --- reading --------------------------------------------------------------------------------------------- */

double
lm_test_run_loss (const LmTestRun *run)
{
  return lm_array_get_double (run->out[lm_step_loss_index (run->step)], 0);
}

double
lm_test_run_metric (const LmTestRun *run, const char *name, bool weight)
{
  for (guint i = 0; i < run->step->n_metrics; i++)
    if (strcmp (run->step->metrics[i].name, name) == 0)
      return lm_array_get_double (run->out[lm_step_metric_index (run->step, i) + (weight ? 1 : 0)],
                                  0);
  g_error ("no metric %s", name);
}

double
lm_test_run_summary (const LmTestRun *run, const char *suffix)
{
  for (guint i = 0; i < run->step->n_summaries; i++)
    if (g_str_has_suffix (run->step->summaries[i].name, suffix))
      return lm_array_get_double (run->out[lm_step_summary_index (run->step, i)], 0);
  g_error ("no summary ...%s", suffix);
}

const LmArray *
lm_test_run_var (const LmTestRun *run, const char *path)
{
  for (guint i = 0; i < run->step->n_vars; i++)
    if (strcmp (lm_model_var_infos (run->model)[i]->path, path) == 0)
      return run->state[i];
  g_error ("no variable %s", path);
}

const LmArray *
lm_test_run_state (const LmTestRun *run, const char *suffix)
{
  g_autoptr (LmStateInit) init = lm_state_init_new (run->model, NULL);
  for (guint i = 0; init != NULL && init->paths[i] != NULL; i++)
    if (g_str_has_suffix (init->paths[i], suffix))
      return run->state[run->step->n_vars + i];
  return NULL;
}

/* --- against golden runs ------------------------------------------------------------------------------ */

void
lm_test_check_step (const char *what, gint64 i, double got, double wanted,
                    const LmGoldenTolerance *t)
{
  if (!(fabs (got - wanted) <= t->atol + t->rtol * fabs (wanted)))
    g_test_fail_printf ("%s, step %" G_GINT64_FORMAT ": got %.17g, wanted %.17g", what, i, got,
                        wanted);
}

double
lm_test_golden_out (const LmGolden *g, const LmGoldenCase *c, const char *name, gint64 i)
{
  LmGoldenTensor x;
  g_assert_true (lm_golden_tensor (g, c, "out", name, &x));
  return lm_golden_value (x.type.dtype, x.data, i);
}

void
lm_test_check_final (const LmGolden *g, const LmGoldenCase *c, const LmTestRun *run)
{
  JsonArray *names = lm_golden_names (c, "final");
  for (guint k = 0; k < json_array_get_length (names); k++) {
    const char *name = json_array_get_string_element (names, k);
    LmGoldenTensor want;
    g_assert_true (lm_golden_tensor (g, c, "final", name, &want));
    const LmArray *got = lm_test_run_var (run, name);
    g_assert_true (lm_type_equal (&got->type, &want.type));
    for (int64_t i = 0; i < want.elements; i++)
      lm_test_check_step (name, i, lm_array_get_double (got, i),
                          lm_golden_value (want.type.dtype, want.data, i), &c->tolerance);
  }
}
