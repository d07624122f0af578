/* SPDX-License-Identifier: Apache-2.0 */
/* Hyper-parameters through the application API: built in code, read as text, made into models. */
#include "core/api/lamina.h"

#include "tests/lib/project.h"
#include <string.h>

static LaminaContext *
context_new (void)
{
  LaminaContext *context = lamina_context_new ();
  g_assert_true (lamina_context_add_plugin_dir (context, g_getenv ("LAMINA_PLUGIN_DIR"), NULL));
  return context;
}

static LaminaParams *
for_type (LaminaContext *context, const char *type)
{
  g_autoptr (GError) error = NULL;
  LaminaParams *params = lamina_params_new_for_type (context, NULL, type, &error);
  g_assert_no_error (error);
  return params;
}

static void
set (LaminaParams *params, const char *path, LaminaValue *value)
{
  g_autoptr (GError) error = NULL;
  lamina_params_set (params, path, value, &error);
  g_assert_no_error (error);
}

static void
set_params (LaminaParams *params, const char *path, LaminaParams *inner)
{
  set (params, path, lamina_value_params (inner));
}

static void
define (LaminaParams *params, const char *name, LaminaValue *value)
{
  g_autoptr (GError) error = NULL;
  lamina_params_define (params, name, value, "", &error);
  g_assert_no_error (error);
}

/* --- the small classifier of tests/lib/project.c, in code ------------------------------------------ */

static LaminaParams *
make_model (LaminaContext *context)
{
  LaminaParams *model = for_type (context, "lamina.classification");
  LaminaParams *network = for_type (context, "lamina.sequential");
  LaminaParams *dense = for_type (context, "lamina.feed_forward");
  LaminaParams *dropout = for_type (context, "lamina.dropout");
  LaminaParams *softmax = for_type (context, "lamina.full_softmax");
  LaminaValue *layers = lamina_value_list ();
  set (dense, "input_dims", lamina_value_int (64));
  set (dense, "output_dims", lamina_value_int (16));
  set (dropout, "keep_prob", lamina_value_float (0.8));
  set (softmax, "input_dims", lamina_value_int (16));
  set (softmax, "num_classes", lamina_value_int (10));
  lamina_value_append (layers, lamina_value_params (for_type (context, "lamina.flatten")));
  lamina_value_append (layers, lamina_value_params (dense));
  lamina_value_append (layers, lamina_value_params (dropout));
  set (network, "layers", layers);
  set_params (model, "network", network);
  set_params (model, "softmax", softmax);
  return model;
}

static LaminaParams *
make_input (LaminaContext *context, gint64 batch_size, gboolean train)
{
  LaminaParams *input = for_type (context, "lamina.npz");
  set (input, "file", lamina_value_string ("tests/data/digits.npz"));
  set (input, "batch_size", lamina_value_int (batch_size));
  set (input, "scale", lamina_value_float (0.0625));
  set (input, "modulus", lamina_value_int (5));
  set (input, "exclude_remainder", lamina_value_bool (train));
  set (input, "shuffle", lamina_value_bool (train));
  set (input, "repeat", lamina_value_bool (train));
  set (input, "drop_remainder", lamina_value_bool (train));
  return input;
}

static LaminaParams *
make_config (LaminaContext *context)
{
  LaminaParams *config = for_type (context, "config"), *inputs = lamina_params_new (NULL);
  LaminaParams *learner = for_type (context, "lamina.learner");
  LaminaParams *sgd = for_type (context, "lamina.sgd"), *train = for_type (context, "train");
  LaminaValue *learners = lamina_value_list ();
  set (config, "name", lamina_value_string ("small"));
  set (config, "seed", lamina_value_int (7));
  set_params (config, "model", make_model (context));
  set (sgd, "learning_rate", lamina_value_float (0.1));
  set (sgd, "momentum", lamina_value_float (0.9));
  set_params (learner, "optimizer", sgd);
  lamina_value_append (learners, lamina_value_params (learner));
  set (config, "learners", learners);
  define (inputs, "train", lamina_value_params (make_input (context, 32, TRUE)));
  define (inputs, "eval", lamina_value_params (make_input (context, 100, FALSE)));
  set_params (config, "inputs", inputs);
  set (train, "steps", lamina_value_int (12));
  set_params (config, "train", train);
  return config;
}

static LaminaModel *
instantiate (LaminaContext *context, const LaminaParams *params)
{
  g_autoptr (GError) error = NULL;
  LaminaModelOptions options = LAMINA_MODEL_OPTIONS_INIT;
  options.backend = "reference";
  LaminaModel *model =
      lamina_params_instantiate (params, context, g_getenv ("LAMINA_SRCDIR"), &options, &error);
  g_assert_no_error (error);
  return model;
}

static GHashTable *
variables_after (LaminaModel *model, guint64 steps)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaTrainer) trainer = lamina_trainer_new (model, &error);
  g_assert_no_error (error);
  lamina_trainer_run (trainer, steps, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lamina_trainer_step (trainer), ==, steps);
  return lamina_model_variables (model, &error);
}

static void
assert_same_tensors (GHashTable *a, GHashTable *b)
{
  GHashTableIter iter;
  gpointer name, value;
  g_assert_cmpuint (g_hash_table_size (a), ==, g_hash_table_size (b));
  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &name, &value)) {
    gsize n, m;
    const LaminaTensor *other = g_hash_table_lookup (b, name);
    g_assert_nonnull (other);
    const void *x = lamina_tensor_data (value, &n), *y = lamina_tensor_data (other, &m);
    g_assert_cmpmem (x, n, y, m);
  }
}

/* No JSON file, and after one step the bits of the model that has one: the steps themselves are
 * tested against JAX elsewhere. */
static void
test_instantiate (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaContext) context = context_new ();
  g_autoptr (LaminaParams) config = make_config (context);
  g_autoptr (LaminaModel) model = instantiate (context, config), other = NULL;
  g_autofree char *folder = lm_test_project_folder ("");
  LaminaModelOptions options = LAMINA_MODEL_OPTIONS_INIT;
  options.backend = "reference";
  other = lamina_model_open (context, folder, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (lamina_model_name (model), ==, "small");
  g_autoptr (GHashTable) start = lamina_model_variables (model, NULL);
  g_autoptr (GHashTable) a = variables_after (model, 1), b = variables_after (other, 1);
  assert_same_tensors (a, b);
  const LaminaTensor *before = g_hash_table_lookup (start, "softmax.logits_ffn.linear.w");
  const LaminaTensor *after = g_hash_table_lookup (a, "softmax.logits_ffn.linear.w");
  g_assert_nonnull (before);
  g_assert_true (memcmp (lamina_tensor_data (before, NULL), lamina_tensor_data (after, NULL), 640)
                 != 0); /* it learned */
  lm_test_remove_tree (folder);
}

/* What was trained is an archive like any other. */
static void
test_save (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaContext) context = context_new ();
  g_autoptr (LaminaParams) config = make_config (context);
  g_autofree char *folder = lm_test_project_folder ("");
  g_autofree char *path = g_build_filename (folder, "made.lam", NULL);
  {
    g_autoptr (LaminaModel) model = instantiate (context, config);
    g_autoptr (LaminaTrainer) trainer = lamina_trainer_new (model, &error);
    g_assert_true (lamina_trainer_run (trainer, 2, NULL, NULL, &error));
    g_assert_true (lamina_trainer_save (trainer, path, &error));
  }
  g_autoptr (LaminaModel) again = lamina_model_open (context, path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lamina_model_step (again), ==, 2);
  g_autoptr (LaminaMetrics) metrics = lamina_model_evaluate (again, "eval", &error);
  g_assert_no_error (error);
  g_assert_cmpint (metrics->batches, >, 0);
  lm_test_remove_tree (folder);
}

/* A layer alone is the root of a config of defaults. */
static void
test_instantiate_layer (void)
{
  g_autoptr (LaminaContext) context = context_new ();
  g_autoptr (LaminaParams) layer = make_model (context), copy = lamina_params_copy (layer);
  g_autoptr (LaminaModel) model = instantiate (context, copy);
  g_autoptr (GHashTable) variables = lamina_model_variables (model, NULL);
  g_assert_cmpstr (lamina_model_name (model), ==, "model");
  g_assert_cmpuint (g_hash_table_size (variables), ==, 4);
  g_assert_true (lamina_params_equal (layer, copy)); /* not changed by building */
}

static void
check_not_built (LaminaContext *context, const LaminaParams *params, LaminaError code,
                 const char *piece)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (lamina_params_instantiate (params, context, NULL, NULL, &error));
  g_assert_error (error, LAMINA_ERROR, (int)code);
  g_assert_nonnull (strstr (error->message, piece));
}

static void
test_instantiate_refused (void)
{
  g_autoptr (LaminaContext) context = context_new ();
  g_autoptr (LaminaParams) bare = lamina_params_new (NULL), layer = make_model (context),
                           unknown = lamina_params_new ("lamina.classificaton");
  check_not_built (context, bare, LAMINA_ERROR_INVALID, "\"cls\"");
  check_not_built (context, unknown, LAMINA_ERROR_NOT_FOUND, "lamina.classification");
  set (layer, "network.layers[1].output_dims", lamina_value_string ("many"));
  check_not_built (context, layer, LAMINA_ERROR_INVALID, "output_dims: wanted an integer");
  set (layer, "network.layers[1].output_dims", lamina_value_none ());
  check_not_built (context, layer, LAMINA_ERROR_INVALID, "output_dims: missing");
}

/* --- the rest ------------------------------------------------------------------------------------- */

static void
test_for_type (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaContext) context = context_new ();
  g_autoptr (LaminaParams)
      dense = for_type (context, "lamina.feed_forward"),
      sgd = lamina_params_new_for_type (context, "optimizer", "lamina.sgd", NULL),
      config = for_type (context, "config");
  g_assert_cmpstr (lamina_params_name (dense, 0), ==, "cls");
  g_assert_false (lamina_params_is_set (dense, "input_dims", &error)); /* has to be given */
  g_assert_no_error (error);
  g_assert_true (lamina_params_has (dense, "params_init")); /* of every layer */
  g_assert_true (lamina_params_has (sgd, "momentum"));
  g_assert_true (lamina_params_has (sgd, "l2_regularizer_weight")); /* of every optimizer */
  g_assert_cmpuint (strlen (lamina_params_description (dense, 2)), >, 0);
  g_assert_null (lamina_params_description (dense, 1000));
  g_assert_false (lamina_params_has (config, "cls"));
  g_assert_true (lamina_params_has (config, "learners"));
  g_assert_false (lamina_params_set (dense, "input_dim", lamina_value_int (3), &error));
  g_assert_error (error, LAMINA_ERROR, LAMINA_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "did you mean \"input_dims\"?"));
  g_clear_error (&error);
  g_assert_null (lamina_params_new_for_type (context, NULL, "lamina.sdg", &error));
  g_assert_error (error, LAMINA_ERROR, LAMINA_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_null (lamina_params_new_for_type (context, "layer", "lamina.sgd", &error));
  g_assert_error (error, LAMINA_ERROR, LAMINA_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "optimizer"));
}

/* A config as text, edited, and back: what goes out equals what came in but for the edit. */
static void
test_json (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = lm_test_project_config ("");
  g_autoptr (LaminaParams) config = lamina_params_new_from_json (text, &error), again = NULL;
  g_assert_no_error (error);
  set (config, "model.network.layers[2].keep_prob", lamina_value_float (1.0));
  g_autofree char *out = lamina_params_to_json (config);
  again = lamina_params_new_from_json (out, &error);
  g_assert_true (lamina_params_equal (config, again));
  set (again, "model.network.layers[2].keep_prob", lamina_value_float (0.8));
  g_autoptr (LaminaParams) plain = lamina_params_new_from_json (text, NULL);
  g_autofree char *diff = lamina_params_diff (plain, again),
                  *what = lamina_params_diff (plain, config);
  g_assert_cmpstr (diff, ==, "");
  g_assert_cmpstr (what, ==,
                   "? model:\n?   network:\n?     layers[2]:\n>       keep_prob: 0.8\n"
                   "<       keep_prob: 1.0\n");
  g_assert_null (lamina_params_new_from_json ("[]", &error));
  g_assert_error (error, LAMINA_ERROR, LAMINA_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_null (lamina_params_new_from_json ("{", &error));
  g_assert_error (error, LAMINA_ERROR, LAMINA_ERROR_CORRUPT);
}

static void
test_text (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaParams) params = lamina_params_new ("x"), other = NULL;
  define (params, "rate", lamina_value_float (0.5));
  other = lamina_params_copy (params);
  g_autofree char *text = lamina_params_to_text (params, FALSE);
  g_autofree char *string = lamina_params_to_string (params);
  g_assert_cmpstr (text, ==, "cls : 'x'\nrate : 0.5\n");
  g_assert_cmpstr (string, ==, "{\n  cls: \"x\"\n  rate: 0.5\n}");
  g_assert_true (lamina_params_from_text (params, "rate : 1", FALSE, &error));
  g_assert_cmpfloat (lamina_value_get_float (lamina_params_get (params, "rate", NULL)), ==, 1);
  g_autofree char *typed = lamina_params_to_text (other, TRUE);
  g_assert_true (lamina_params_from_text (params, typed, TRUE, &error));
  g_assert_true (lamina_params_equal (params, other));
  g_assert_false (lamina_params_from_text (params, "rate : fast", FALSE, &error));
  g_assert_error (error, LAMINA_ERROR, LAMINA_ERROR_INVALID);
}

static void
test_write (void)
{
  static const char *const skip[] = {"b", NULL};
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaParams) params = lamina_params_new ("x"), to = lamina_params_new ("y");
  define (params, "a", lamina_value_int (1));
  define (params, "b", lamina_value_int (2));
  define (params, "in", lamina_value_params (lamina_params_new (NULL)));
  define (lamina_params_get_params (params, "in", NULL), "c", lamina_value_int (3));
  define (to, "a", lamina_value_none ());
  g_assert_true (lamina_params_merge_common (to, params, NULL));
  g_assert_cmpint (lamina_value_get_int (lamina_params_get (to, "a", NULL)), ==, 1);
  g_assert_false (lamina_params_copy_fields (params, to, skip, &error)); /* no "in" */
  g_assert_error (error, LAMINA_ERROR, LAMINA_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_true (lamina_params_delete (params, "in.c", NULL));
  g_assert_cmpuint (lamina_params_size (params), ==, 4);
  lamina_params_freeze (params);
  g_assert_true (lamina_params_is_frozen (params));
  g_assert_false (lamina_params_set (params, "a", lamina_value_int (9), &error));
  g_assert_error (error, LAMINA_ERROR, LAMINA_ERROR_DENIED);
}

static void
note (const char *path, const LaminaValue *value, gpointer user)
{
  g_string_append_printf (user, "%s ", path);
}

static gboolean
enter_params (const char *path, const LaminaValue *value, gpointer user)
{
  return lamina_value_kind (value) == LAMINA_VALUE_PARAMS;
}

static void
test_visit (void)
{
  g_autofree char *text = lm_test_project_config ("");
  g_autoptr (LaminaParams) config = lamina_params_new_from_json (text, NULL);
  g_autoptr (GString) paths = g_string_new (NULL);
  lamina_params_visit (lamina_params_get_params (config, "model", NULL), enter_params, note, paths);
  g_assert_cmpstr (paths->str, ==,
                   "cls network.cls network.layers softmax.cls softmax.input_dims "
                   "softmax.num_classes ");
  g_string_truncate (paths, 0);
  lamina_params_visit (lamina_params_get_params (config, "learners[0]", NULL), NULL, note, paths);
  g_assert_cmpstr (paths->str, ==, "cls optimizer.cls optimizer.learning_rate optimizer.momentum ");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/api/params/instantiate", test_instantiate);
  g_test_add_func ("/api/params/save", test_save);
  g_test_add_func ("/api/params/instantiate_layer", test_instantiate_layer);
  g_test_add_func ("/api/params/instantiate_refused", test_instantiate_refused);
  g_test_add_func ("/api/params/for_type", test_for_type);
  g_test_add_func ("/api/params/json", test_json);
  g_test_add_func ("/api/params/text", test_text);
  g_test_add_func ("/api/params/write", test_write);
  g_test_add_func ("/api/params/visit", test_visit);
  return g_test_run ();
}
