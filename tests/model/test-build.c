/* SPDX-License-Identifier: Apache-2.0 */
/* core/model: configs that are wrong, the variable tree, weights that do not fit. */
#include "core/model/model.h"
#include "tests/lib/fixture.h"

#include <string.h>

typedef struct Fixture {
  LmRegistry *registry;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  f->registry = lm_test_registry ();
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  lm_registry_free (f->registry);
}

static LmModel *
build (Fixture *f, const char *text, GError **error)
{
  g_autoptr (JsonObject) config = lm_test_json (text);
  return lm_model_new (f->registry, lm_host_tables (), config, error);
}

#define LINEAR "{\"type\": \"lamina.linear\", \"input_dims\": 3, \"output_dims\": 2}"
#define STACK  "{\"model\": {\"type\": \"lamina.sequential\", \"layers\": [" LINEAR ", " LINEAR "]}}"

/* One bad config, the pieces that its message must hold. */
typedef struct Bad {
  const char *name, *config;
  LmErrorCode code;
  const char *pieces[5];
} Bad;

static const Bad bad[] = {
    {"no-model", "{}", LM_ERROR_INVALID, {"\"model\" is missing"}},
    {"top-level-typo", "{\"modle\": {}}", LM_ERROR_INVALID, {"modle", "did you mean \"model\""}},
    {"no-type", "{\"model\": {\"input_dims\": 3}}", LM_ERROR_INVALID, {"model", "no \"type\""}},
    {"unknown-type",
     "{\"model\": {\"type\": \"lamina.linaer\"}}",
     LM_ERROR_NOT_FOUND,
     {"model", "lamina.linaer", "did you mean \"lamina.linear\""}},
    {"unknown-type-deep",
     "{\"model\": {\"type\": \"lamina.sequential\", \"layers\": [" LINEAR
     ", {\"type\": \"x.y\"}]}}",
     LM_ERROR_NOT_FOUND,
     {"model.layers_1", "x.y"}},
    {"all-problems-of-a-layer-at-once",
     "{\"model\": {\"type\": \"lamina.linear\", \"input_dims\": -3, \"ouput_dims\": 2}}",
     LM_ERROR_INVALID,
     {"input_dims", "-3", "ouput_dims", "did you mean \"output_dims\""}},
    {"wrong-kind",
     "{\"model\": {\"type\": \"lamina.linear\", \"input_dims\": \"3\", \"output_dims\": 2}}",
     LM_ERROR_INVALID,
     {"model", "input_dims"}},
    {"layer-of-another-kind",
     "{\"model\": {\"type\": \"lamina.sgd\"}}",
     LM_ERROR_NOT_FOUND,
     {"lamina.sgd"}},
    {"bad-dtype",
     "{\"dtype\": \"i32\", \"model\": " LINEAR "}",
     LM_ERROR_INVALID,
     {"f32 or f64", "i32"}},
    {"newer-revision",
     "{\"model\": {\"type\": \"lamina.linear\", \"revision\": 99, \"input_dims\": 3, "
     "\"output_dims\": 2}}",
     LM_ERROR_PLUGIN,
     {"needs lamina.linear revision 99", "install a newer"}},
    {"two-regularisers",
     "{\"model\": " LINEAR
     ", \"learners\": [{\"type\": \"lamina.learner\", \"loss_name\": \"loss\", "
     "\"optimizer\": {\"type\": \"lamina.sgd\", \"learning_rate\": 1, \"l1_regularizer_weight\": "
     "1, "
     "\"l2_regularizer_weight\": 1}}]}",
     LM_ERROR_INVALID,
     {"learner.optimizer", "exclude"}},
};

static void
test_bad (Fixture *f, gconstpointer data)
{
  const Bad *b = data;
  GError *error = NULL;
  g_assert_null (build (f, b->config, &error));
  lm_test_assert_error (&error, b->code, b->pieces[0], b->pieces[1], b->pieces[2], b->pieces[3],
                        NULL);
}

/* What is wrong anywhere in a config comes in one error: keys of the top, layers side by side and below
 * each other, learners, metrics. */
static void
test_all_at_once (Fixture *f, gconstpointer unused)
{
  static const char config[] =
      "{\"colour\": 1, \"fprop_dtype\": \"f16\", \"model\": {\"type\": \"lamina.sequential\", "
      "\"layers\": [{\"type\": \"lamina.linaer\"}, {\"type\": \"lamina.linear\", \"input_dims\": "
      "-1}, {\"type\": \"lamina.sequential\", \"layers\": [{\"type\": \"lamina.dropout\", "
      "\"keep_prob\": 7}]}]}, \"learners\": [{\"type\": \"lamina.learner\", \"optimizer\": "
      "{\"type\": "
      "\"lamina.sdg\", \"learning_rate\": 1}}, 5], \"metrics\": {\"top\": {\"type\": "
      "\"lamina.top_k\"}}}";
  static const char *const pieces[] = {
      "config.colour",
      "model.layers_0",
      "did you mean \"lamina.linear\"",
      "model.layers_1",
      "input_dims",
      "output_dims",
      "model.layers_2.layers_0",
      "keep_prob",
      "learner.optimizer",
      "did you mean \"lamina.sgd\"",
      "learners[1]",
      "metrics.top",
  };
  g_autoptr (GError) error = NULL;
  g_assert_null (build (f, config, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
    if (strstr (error->message, pieces[i]) == NULL)
      g_error ("no \"%s\" in:\n%s", pieces[i], error->message);
  /* A problem of the top is told with its brothers, a missing model with the rest. */
  g_clear_error (&error);
  g_assert_null (build (f, "{\"dtype\": \"i32\", \"fprop_dtype\": \"f16\"}", &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "wanted float32 or bfloat16, got \"f16\"",
                        "f32 or f64, got i32", "\"model\" is missing", NULL);
}

/* Two hundred problems are not told one by one. */
static void
test_too_many (Fixture *f, gconstpointer unused)
{
  g_autoptr (GString) config =
      g_string_new ("{\"model\": {\"type\": \"lamina.sequential\", \"layers\": [");
  for (guint i = 0; i < 200; i++)
    g_string_append (config, i > 0 ? ", {\"type\": \"no.such\"}" : "{\"type\": \"no.such\"}");
  g_string_append (config, "]}}");
  GError *error = NULL;
  g_assert_null (build (f, config->str, &error));
  g_assert_cmpuint (strlen (error->message), <, 5000);
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "model.layers_0", "model.layers_9",
                        "(there are more problems)", NULL);
}

static void
test_tree (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmModel) model = build (f, STACK, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lm_model_n_vars (model), ==, 2);
  g_assert_cmpstr (lm_model_var_infos (model)[0]->path, ==, "layers_0.w");
  g_assert_cmpstr (lm_model_var_infos (model)[1]->path, ==, "layers_1.w");
  g_assert_cmpstr (lm_model_root (model)->path, ==, "model");
}

static GHashTable *
table (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)lm_array_unref);
}

static LmArray *
zeros (int64_t rows, int64_t columns)
{
  lam_type type = lm_type (LAM_F32, 2, (int64_t[]) {rows, columns});
  return lm_array_new (&type, NULL);
}

/* Missing, unexpected and mismatched tensors come in one report. */
static void
test_weights (Fixture *f, gconstpointer unused)
{
  GError *error = NULL;
  g_autoptr (LmModel) model = build (f, STACK, &error);
  g_autoptr (GHashTable) weights = table ();
  LmArray *out[2] = {NULL, NULL};
  g_hash_table_insert (weights, "layers_0.w", zeros (2, 3));
  g_hash_table_insert (weights, "layers_1.v", zeros (3, 2));
  g_assert_false (lm_model_take_weights (model, weights, "m.safetensors", out, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "m.safetensors",
                        "layers_0.w: wanted f32[3,2], got f32[2,3]", "missing layers_1.w",
                        "unexpected layers_1.v", "did you mean \"layers_1.w\"", NULL);
  g_assert_null (out[0]);
}

/* The same key gives the same variables; another path gives others. */
static void
test_init (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmModel) model = build (f, STACK, &error);
  g_autoptr (LmFunction) init = lm_model_init_function (model, &error);
  g_assert_no_error (error);
  LmBackend *backend = lm_test_backend (f->registry, "reference");
  g_autoptr (LmArray) key = lm_test_key (0, 5);
  LmArray *a[2], *b[2];
  lm_test_run (backend, init, &key, a);
  lm_test_run (backend, init, &key, b);
  g_assert_cmpmem (a[0]->data, a[0]->bytes, b[0]->data, b[0]->bytes);
  g_assert_cmpint (memcmp (a[0]->data, a[1]->data, (size_t)a[0]->bytes), !=, 0);
  for (int i = 0; i < 2; i++) {
    /* xavier: |w| < sqrt (6 / (3 + 2)) */
    for (int64_t k = 0; k < 6; k++)
      g_assert_cmpfloat (lm_array_get_double (a[i], k) * lm_array_get_double (a[i], k), <, 6.0 / 5);
    lm_array_unref (a[i]);
    lm_array_unref (b[i]);
  }
  lm_backend_unref (backend);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *path = g_strdup_printf ("/model/build/bad/%s", bad[i].name);
    g_test_add (path, Fixture, &bad[i], set_up, test_bad, tear_down);
  }
  g_test_add ("/model/build/all-at-once", Fixture, NULL, set_up, test_all_at_once, tear_down);
  g_test_add ("/model/build/too-many", Fixture, NULL, set_up, test_too_many, tear_down);
  g_test_add ("/model/build/tree", Fixture, NULL, set_up, test_tree, tear_down);
  g_test_add ("/model/build/weights", Fixture, NULL, set_up, test_weights, tear_down);
  g_test_add ("/model/build/init", Fixture, NULL, set_up, test_init, tear_down);
  return g_test_run ();
}
