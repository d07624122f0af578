/* SPDX-License-Identifier: Apache-2.0 */
/* Opening models, looking into them, evaluating and predicting. */
#include "core/api/lamina.h"

#include "tests/lib/project.h"
#include <string.h>

typedef struct Fixture {
  char *folder;
  LaminaContext *context;
} Fixture;

static void
set_up (Fixture *f, gconstpointer top)
{
  f->folder = lm_test_project_folder (top);
  f->context = lamina_context_new ();
  g_assert_true (lamina_context_add_plugin_dir (f->context, g_getenv ("LAMINA_PLUGIN_DIR"), NULL));
}

static void
tear_down (Fixture *f, gconstpointer top)
{
  lamina_context_free (f->context);
  lm_test_remove_tree (f->folder);
  g_free (f->folder);
}

static LaminaModel *
open_model (const Fixture *f, const LaminaModelOptions *options)
{
  g_autoptr (GError) error = NULL;
  LaminaModel *model = lamina_model_open (f->context, f->folder, options, &error);
  g_assert_no_error (error);
  return model;
}

/* The config's backend is the default, an option overrides it. */
static void
test_backend (Fixture *f, gconstpointer unused)
{
  LaminaModelOptions options = LAMINA_MODEL_OPTIONS_INIT;
  g_autoptr (LaminaModel) a = open_model (f, NULL);
  g_assert_cmpstr (lamina_model_backend (a), ==, "lamina.reference");
  g_assert_cmpstr (lamina_model_name (a), ==, "small");
  g_assert_cmpuint (lamina_model_step (a), ==, 0);
  options.backend = "lamina.cpu";
  options.backend_options = "{\"threads\": 1}";
  g_autoptr (LaminaModel) b = open_model (f, &options);
  g_assert_cmpstr (lamina_model_backend (b), ==, "lamina.cpu");
  g_assert_nonnull (strstr (lamina_model_device (b), "1 thread"));
}

static void
test_options_refused (Fixture *f, gconstpointer unused)
{
  static const struct {
    const char *backend, *backend_options, *dtype, *weights, *says;
    LmErrorCode code;
  } cases[] = {
      {"cup", NULL, NULL, NULL, "lamina.cpu", LM_ERROR_NOT_FOUND},
      {"cpu", "{\"thread\": 1}", NULL, NULL, "did you mean \"threads\"", LM_ERROR_INVALID},
      {"cpu", "[1]", NULL, NULL, "JSON object", LM_ERROR_INVALID},
      {NULL, NULL, "bf16", NULL, "f32 or f64", LM_ERROR_INVALID},
      {NULL, NULL, "f33", NULL, "dtype", LM_ERROR_INVALID},
      {NULL, NULL, NULL, "none.safetensors", "none.safetensors", LM_ERROR_NOT_FOUND},
      {NULL, NULL, NULL, "weights.bin", ".safetensors", LM_ERROR_INVALID},
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    LaminaModelOptions options = LAMINA_MODEL_OPTIONS_INIT;
    options.backend = cases[i].backend;
    options.backend_options = cases[i].backend_options;
    options.dtype = cases[i].dtype;
    options.weights = cases[i].weights;
    g_assert_null (lamina_model_open (f->context, f->folder, &options, &error));
    lm_test_assert_error (&error, cases[i].code, cases[i].says, NULL);
  }
}

/* An application built against an older header has a shorter struct. */
static void
test_short_options (Fixture *f, gconstpointer unused)
{
  LaminaModelOptions options = LAMINA_MODEL_OPTIONS_INIT;
  options.struct_size = offsetof (LaminaModelOptions, dtype);
  options.dtype = "not read";
  options.seed = 12345;
  g_autoptr (LaminaModel) model = open_model (f, &options);
  g_autoptr (GHashTable) vars = lamina_model_variables (model, NULL);
  g_assert_cmpstr (lamina_tensor_dtype (g_hash_table_lookup (vars, "softmax.logits_ffn.bias.b")),
                   ==, "f32");
}

/* Variables written to a file and given back are the same; f64 takes them widened. */
static void
test_weights (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  LaminaModelOptions options = LAMINA_MODEL_OPTIONS_INIT;
  g_autofree char *path = g_build_filename (f->folder, "w.safetensors", NULL);
  g_autoptr (LaminaModel) a = open_model (f, &options);
  g_autoptr (GHashTable) x = lamina_model_variables (a, &error);
  g_assert_true (lamina_tensors_save (x, path, &error));
  options.weights = path;
  options.seed = 99;
  options.dtype = "f64";
  g_autoptr (LaminaModel) b = open_model (f, &options);
  g_autoptr (GHashTable) y = lamina_model_variables (b, &error);
  const LaminaTensor *p = g_hash_table_lookup (x, "softmax.logits_ffn.linear.w");
  const LaminaTensor *q = g_hash_table_lookup (y, "softmax.logits_ffn.linear.w");
  g_assert_cmpstr (lamina_tensor_dtype (q), ==, "f64");
  for (gint64 i = 0; i < lamina_tensor_elements (p); i++)
    g_assert_cmpfloat (lamina_tensor_get (p, i), ==, lamina_tensor_get (q, i));
}

/* Everything that does not fit comes in one error. */
static void
test_weights_misfit (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  LaminaModelOptions options = LAMINA_MODEL_OPTIONS_INIT;
  g_autofree char *path = g_build_filename (f->folder, "w.safetensors", NULL);
  g_autoptr (LaminaModel) a = open_model (f, NULL);
  g_autoptr (GHashTable) x = lamina_model_variables (a, &error);
  g_hash_table_remove (x, "softmax.logits_ffn.linear.w");
  g_hash_table_replace (x, g_strdup ("softmax.logits_ffn.bias.b"),
                        lamina_tensor_new ("f32", 1, (gint64[]) {3}, NULL, &error));
  g_hash_table_replace (x, g_strdup ("softmax.logits_ffn.bias.c"),
                        lamina_tensor_new ("f32", 0, NULL, NULL, &error));
  g_assert_true (lamina_tensors_save (x, path, &error));
  options.weights = path;
  g_assert_null (lamina_model_open (f->context, f->folder, &options, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, path, "missing softmax.logits_ffn.linear.w",
                        "wanted f32[10], got f32[3]", "unexpected softmax.logits_ffn.bias.c", NULL);
}

static void
test_evaluate (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaModel) model = open_model (f, NULL);
  g_autoptr (LaminaMetrics) m = lamina_model_evaluate (model, "eval", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (m->n, ==, 3);
  g_assert_cmpstr (m->names[0], ==, "loss");
  g_assert_cmpstr (m->names[1], ==, "accuracy");
  g_assert_cmpfloat (m->weights[0], ==, 360);
  g_assert_cmpint (m->batches, ==, 4);
  g_assert_true (lamina_model_has_input (model, "train"));
  g_assert_false (lamina_model_has_input (model, "test"));
  g_assert_null (lamina_model_evaluate (model, "evil", &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "did you mean \"eval\"", NULL);
}

/* The batch of an input goes straight into predict; labels are not needed and do no harm. */
static void
test_predict (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaModel) model = open_model (f, NULL);
  g_autoptr (GHashTable) batch = lamina_model_batch (model, "eval", 1, &error);
  g_autoptr (GHashTable) a = lamina_model_predict (model, batch, &error);
  g_assert_no_error (error);
  g_hash_table_remove (batch, "labels");
  g_hash_table_remove (batch, "weights");
  g_autoptr (GHashTable) b = lamina_model_predict (model, batch, &error);
  g_assert_no_error (error);
  const LaminaTensor *x = g_hash_table_lookup (a, "logits"), *y = g_hash_table_lookup (b, "logits");
  g_autofree char *type = lamina_tensor_type (x);
  g_assert_cmpstr (type, ==, "f32[100,10]");
  for (gint64 i = 0; i < 1000; i++)
    g_assert_cmpfloat (lamina_tensor_get (x, i), ==, lamina_tensor_get (y, i));
  g_assert_null (lamina_model_batch (model, "eval", 4, &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "batch 4", NULL);
}

/* Every function at every stage is text that parses, and the plan names buffers. */
static void
test_ir (Fixture *f, gconstpointer unused)
{
  static const char *const functions[] = {"init", "train", "eval", "predict"};
  static const char *const stages[] = {"trace", "simplify", "cse", "dce", "legalize", "final"};
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaModel) model = open_model (f, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    for (guint k = 0; k < G_N_ELEMENTS (stages); k++) {
      g_autofree char *text = lamina_model_ir (model, functions[i], stages[k], &error);
      g_assert_no_error (error);
      g_autoptr (LmFunction) parsed = lm_text_parse (text, strlen (text), "ir", &error);
      g_assert_no_error (error);
    }
  g_autofree char *plan = lamina_model_ir (model, "train", "plan", &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (plan, "peak"));
  g_assert_null (lamina_model_ir (model, "trian", "final", &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "did you mean \"train\"", NULL);
  g_assert_null (lamina_model_ir (model, "train", "last", &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "stage", "legalize", NULL);
}

/* What was decided: softmax is a composite that the reference backend takes apart. */
static void
test_explain (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaModel) model = open_model (f, NULL);
  g_autofree char *before = lamina_model_explain (model);
  g_assert_cmpstr (before, ==, "");
  g_autoptr (LaminaMetrics) m = lamina_model_evaluate (model, "eval", &error);
  g_autofree char *after = lamina_model_explain (model);
  g_assert_nonnull (strstr (after, "composite"));
}

int
main (int argc, char **argv)
{
  static const char top[] = "\"backend\": \"reference\",";
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add ("/api/model/" #name, Fixture, top, set_up, test_##name, tear_down)
  ADD (backend);
  ADD (options_refused);
  ADD (short_options);
  ADD (weights);
  ADD (weights_misfit);
  ADD (evaluate);
  ADD (predict);
  ADD (ir);
  ADD (explain);
#undef ADD
  return g_test_run ();
}
