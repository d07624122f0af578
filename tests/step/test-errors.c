/* SPDX-License-Identifier: Apache-2.0 */
/* core/step: every assertion of semantics 1.5 and 1.6, broken once (tests/strangers/tasks.c), and the
 * parts of 1.5 that need a formula only: aux losses, the merge of updated variables. */
#include "tests/lib/steps.h"

#include <string.h>

static LmRegistry *
registry_new (void)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (g_getenv ("LAMINA_STRANGER_DIR"), "tasks.so", NULL);
  lm_registry_add_file (registry, path, NULL, &error);
  g_assert_no_error (error);
  return registry;
}

static char *
config_text (const char *task_fault, const char *learner_fault, const char *loss_name, double aux)
{
  return g_strdup_printf (
      "{\"model\": {\"type\": \"test.task\", \"fault\": \"%s\", \"aux\": %g}, "
      "\"learners\": [{\"type\": \"test.learner\", \"fault\": \"%s\", \"loss_name\": "
      "\"%s\"}]}",
      task_fault, aux, learner_fault, loss_name);
}

static LmModel *
model_new (LmRegistry *registry, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonObject) config = lm_test_json (text);
  LmModel *model = lm_model_new (registry, lm_host_tables (), config, &error);
  g_assert_no_error (error);
  return model;
}

/* One fault and what the error says. */
typedef struct Fault {
  const char *name, *task, *learner, *loss_name;
  LmStepKind kind;
  LmErrorCode code;
  const char *pieces[3];
} Fault;

static const Fault faults[] = {
    {"1.5/3d-missing-loss-name",
     "none",
     "none",
     "los",
     LM_STEP_TRAIN,
     LM_ERROR_INVALID,
     {"loss_name \"los\"", "it has: loss", "did you mean \"loss\""}},
    {"1.5/3d-loss-rank",
     "rank",
     "none",
     "loss",
     LM_STEP_TRAIN,
     LM_ERROR_INVALID,
     {"metric loss", "value wants a float scalar", "got f32[1]"}},
    {"1.5/3d-weight-rank",
     "weight_rank",
     "none",
     "loss",
     LM_STEP_TRAIN,
     LM_ERROR_INVALID,
     {"metric loss", "weight wants a float scalar", "got f32[1]"}},
    {"1.5/3d-integer-loss",
     "integer_loss",
     "none",
     "loss",
     LM_STEP_TRAIN,
     LM_ERROR_INVALID,
     {"metric loss", "got i32[]", ""}},
    {"1.5/3c-no-metrics",
     "no_metrics",
     "none",
     "loss",
     LM_STEP_TRAIN,
     LM_ERROR_INVALID,
     {"\"metrics\"", "fprop must return", ""}},
    {"1.5/3c-metric-without-weight",
     "no_weight",
     "none",
     "loss",
     LM_STEP_TRAIN,
     LM_ERROR_INVALID,
     {"metric loss", "{value, weight}", ""}},
    {"1.5/3f-update-of-a-trainable",
     "update_trainable",
     "none",
     "loss",
     LM_STEP_TRAIN,
     LM_ERROR_INVALID,
     {"model", "w is trainable", ""}},
    {"1.5/3f-update-of-another-dtype",
     "update_dtype",
     "none",
     "loss",
     LM_STEP_TRAIN,
     LM_ERROR_INVALID,
     {"variable n", "wanted f32[]", "got i32[]"}},
    {"1.5/6-structure-of-updates",
     "none",
     "structure",
     "loss",
     LM_STEP_TRAIN,
     LM_ERROR_PLUGIN,
     {"learner", "updates", ""}},
    {"1.5/6-dtype-of-updates",
     "none",
     "dtype",
     "loss",
     LM_STEP_TRAIN,
     LM_ERROR_PLUGIN,
     {"updates", "wanted f32[]", "got f16[]"}},
    {"1.5/6-structure-of-states",
     "none",
     "state_structure",
     "loss",
     LM_STEP_TRAIN,
     LM_ERROR_PLUGIN,
     {"learner", "new states", ""}},
    {"1.5/6-no-updates",
     "none",
     "nothing",
     "loss",
     LM_STEP_TRAIN,
     LM_ERROR_PLUGIN,
     {"updates", "returned nothing", ""}},
    {"1.6/update-in-eval",
     "update_in_eval",
     "none",
     "loss",
     LM_STEP_EVAL,
     LM_ERROR_INVALID,
     {"model", "not writable", "lam_do_eval"}},
    {"1.6/missing-loss-name",
     "none",
     "none",
     "x",
     LM_STEP_EVAL,
     LM_ERROR_INVALID,
     {"loss_name \"x\"", "", ""}},
    {"1.6/loss-rank",
     "rank",
     "none",
     "loss",
     LM_STEP_EVAL,
     LM_ERROR_INVALID,
     {"got f32[1]", "", ""}},
};

static LmStep *
step_new (LmModel *model, LmStepKind kind, GError **error)
{
  LmBatchSpec none = {0, NULL};
  return kind == LM_STEP_TRAIN ? lm_step_new_train (model, &none, NULL, error)
                               : lm_step_new_eval (model, &none, NULL, error);
}

static void
test_fault (gconstpointer data)
{
  const Fault *f = data;
  GError *error = NULL;
  LmRegistry *registry = registry_new ();
  g_autofree char *text = config_text (f->task, f->learner, f->loss_name, 0);
  LmModel *model = model_new (registry, text);
  g_assert_null (step_new (model, f->kind, &error));
  lm_test_assert_error (&error, f->code, f->pieces[0], f->pieces[1], f->pieces[2], NULL);
  lm_model_free (model);
  lm_registry_free (registry);
}

/* 1.5 point 1, and 1.6: a step wants a learner. */
static void
test_no_learner (gconstpointer data)
{
  GError *error = NULL;
  LmRegistry *registry = registry_new ();
  LmModel *model = model_new (registry, "{\"model\": {\"type\": \"test.task\"}}");
  g_assert_null (step_new (model, GPOINTER_TO_INT (data), &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "wants a learner", "got none", NULL);
  lm_model_free (model);
  lm_registry_free (registry);
}

/* w = 3, loss w * w / 1 + aux * w; u = -(2 w + aux); n counts; step counts. Values are exact in f32. */
static void
test_formula (void)
{
  g_autoptr (GError) error = NULL;
  LmRegistry *registry = registry_new ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  g_autofree char *text = config_text ("none", "none", "loss", 0.5);
  LmModel *model = model_new (registry, text);
  g_autoptr (LmStep) step = step_new (model, LM_STEP_TRAIN, &error);
  g_assert_no_error (error);
  lam_type f32 = lm_scalar_type (LAM_F32), u32 = lm_scalar_type (LAM_U32);
  LmArray *in[] = {lm_test_array (&f32, (double[]) {7}), lm_test_array (&f32, (double[]) {3}),
                   lm_test_array (&f32, (double[]) {0}), lm_test_array (&u32, (double[]) {41}),
                   lm_test_key (0, 1)};
  g_autoptr (GPtrArray) out = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_ptr_array_set_size (out, (gint)step->function->ir.n_results);
  lm_test_run (backend, step->function, in, (LmArray **)out->pdata);
  g_assert_cmpfloat (lm_array_get_double (out->pdata[0], 0), ==, 8);       /* n: 7 + 1 */
  g_assert_cmpfloat (lm_array_get_double (out->pdata[1], 0), ==, 3 - 6.5); /* w - (2 w + 0.5) */
  g_assert_cmpint (lm_array_get_int (out->pdata[3], 0), ==, 42);
  g_assert_cmpfloat (lm_array_get_double (out->pdata[lm_step_loss_index (step)], 0), ==, 10.5);
  for (guint i = 0; i < G_N_ELEMENTS (in); i++)
    lm_array_unref (in[i]);
  lm_model_free (model);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++) {
    g_autofree char *path = g_strdup_printf ("/step/errors/%s", faults[i].name);
    g_test_add_data_func (path, &faults[i], test_fault);
  }
  g_test_add_data_func ("/step/errors/1.5/1-no-learner", GINT_TO_POINTER (LM_STEP_TRAIN),
                        test_no_learner);
  g_test_add_data_func ("/step/errors/1.6/no-learner", GINT_TO_POINTER (LM_STEP_EVAL),
                        test_no_learner);
  g_test_add_func ("/step/errors/1.5/aux-loss-and-merge", test_formula);
  return g_test_run ();
}
