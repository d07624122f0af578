/* SPDX-License-Identifier: Apache-2.0 */
/* core/step: what optimizers, schedules, learners and metrics of others do wrong (tests/strangers/hostile.c)
 * ends in one error that names them, never in a crash. */
#include "tests/lib/steps.h"

static LmRegistry *
registry_new (void)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (GError) error = NULL;
  static const char *const files[] = {"tasks.so", "hostile.so"};
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (g_getenv ("LAMINA_STRANGER_DIR"), files[i], NULL);
    lm_registry_add_file (registry, path, NULL, &error);
    g_assert_no_error (error);
  }
  return registry;
}

/* A deed of one of the four; FINE: it does no harm. */
typedef struct Deed {
  const char *kind, *name;
  LmErrorCode code;
  const char *pieces[2];
} Deed;

#define FINE ((LmErrorCode)-1)

static const Deed deeds[] = {
    {"optimizer", "none", FINE, {NULL}},
    {"optimizer", "variable", LM_ERROR_INVALID, {"learner.optimizer", "only layers of the model"}},
    {"optimizer", "no_spec", LM_ERROR_INVALID, {"variable w", "lam_var_spec_make"}},
    {"optimizer", "slot_twice", LM_ERROR_PLUGIN, {"slot \"a\" of n", "no other slot has"}},
    {"optimizer", "slot_name", LM_ERROR_PLUGIN, {"slot \"../x\" of n", "wanted a key"}},
    {"optimizer", "slot_dtype", LM_ERROR_PLUGIN, {"slot \"b\" of n", "a known dtype"}},
    {"optimizer", "slot_shape", LM_ERROR_PLUGIN, {"slot \"b\" of n", "a shape"}},
    {"optimizer", "slots", LM_ERROR_PLUGIN, {"slot \"n8\" of n", "at most 8 slots"}},
    {"optimizer", "slot_local", FINE, {NULL}},
    {"optimizer", "slot_left", LM_ERROR_PLUGIN, {"slots.a.n", "wanted f32[], got nothing"}},
    {"optimizer", "nothing", LM_ERROR_PLUGIN, {"learner.optimizer", "wanted f32[], got nothing"}},
    {"optimizer", "push_null", LM_ERROR_INVALID, {"learner.optimizer", "still pushed"}},
    {"optimizer", "pack_null", LM_ERROR_INVALID, {"nest_pack", "NULL"}},
    {"optimizer", "path_null", LM_ERROR_INVALID, {"cannot set \"\"", "a path is keys"}},
    {"schedule", "nothing", LM_ERROR_PLUGIN, {"lr_schedule", "wanted f32[], got nothing"}},
    {"schedule", "count", LM_ERROR_PLUGIN, {"lr_schedule", "wanted f32[], got u32[]"}},
    {"learner", "none", FINE, {NULL}},
    {"learner", "bools", FINE, {NULL}},
    {"learner", "no_loss_name", LM_ERROR_INVALID, {"loss_name \"\"", "it has: loss"}},
    {"learner", "no_rate", LM_ERROR_PLUGIN, {"learning_rate", "wanted f32[], got nothing"}},
    {"learner", "rate_dtype", LM_ERROR_PLUGIN, {"learning_rate", "wanted f32[], got u32[]"}},
    {"learner", "no_states", LM_ERROR_PLUGIN, {"init_states", "returned nothing"}},
    {"learner", "deep", LM_ERROR_INVALID, {"learner", "deeper than 256 levels"}},
    {"learner", "more_vars", LM_ERROR_PLUGIN, {"updates", "structures differ"}},
    {"learner", "more_states", LM_ERROR_PLUGIN, {"new states", "structures differ"}},
    {"metric", "none", FINE, {NULL}},
    {"metric", "variable", LM_ERROR_INVALID, {"bad", "only layers of the model"}},
    {"metric", "integer", LM_ERROR_PLUGIN, {"metric bad (test.bad_metric)", "value wants a float"}},
    {"metric", "shape", LM_ERROR_PLUGIN, {"its weight wants a float scalar", "got f32[2]"}},
    {"metric", "empty_tree", FINE, {NULL}}, /* the next metric has its own */
};

static char *
config_text (const Deed *d)
{
  bool optimizer = d->kind[0] == 'o', schedule = d->kind[0] == 's', learner = d->kind[0] == 'l';
  return g_strdup_printf (
      "{\"model\": {\"type\": \"test.task\"}, \"learners\": [{\"type\": \"test.bad_learner\", "
      "\"deed\": \"%s\", \"optimizer\": {\"type\": \"test.bad_optimizer\", \"deed\": \"%s\", "
      "\"learning_rate\": 1, \"lr_schedule\": {\"type\": \"test.bad_schedule\", \"deed\": "
      "\"%s\"}}}], \"metrics\": {\"bad\": {\"type\": \"test.bad_metric\", \"deed\": \"%s\"}, "
      "\"next\": {\"type\": \"test.bad_metric\", \"deed\": \"want_tree\"}}}",
      learner ? d->name : "none", optimizer ? d->name : "none", schedule ? d->name : "none",
      d->kind[0] == 'm' ? d->name : "none");
}

static void
test_deed (gconstpointer data)
{
  const Deed *d = data;
  GError *error = NULL;
  LmBatchSpec none = {0, NULL};
  LmRegistry *registry = registry_new ();
  g_autofree char *text = config_text (d);
  g_autoptr (JsonObject) config = lm_test_json (text);
  LmModel *model = lm_model_new (registry, lm_host_tables (), config, &error);
  g_autoptr (LmStep) step = model != NULL ? lm_step_new_train (model, &none, NULL, &error) : NULL;
  if (d->code == FINE) {
    g_assert_no_error (error);
    g_assert_nonnull (step);
  } else {
    g_assert_null (step);
    lm_test_assert_error (&error, d->code, d->pieces[0], d->pieces[1], NULL);
  }
  lm_model_free (model);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (deeds); i++) {
    g_autofree char *path = g_strdup_printf ("/step/hostile/%s/%s", deeds[i].kind, deeds[i].name);
    g_test_add_data_func (path, &deeds[i], test_deed);
  }
  return g_test_run ();
}
