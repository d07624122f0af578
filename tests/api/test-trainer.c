/* SPDX-License-Identifier: Apache-2.0 */
/* Training through the application API. The curve of digits-mlp is that of a plain JAX program with the
 * same keys (tests/golden/digits_mlp.py), seed 1234. */
#include "core/api/lamina.h"

#include "tests/lib/golden.h"
#include "tests/lib/project.h"
#include <math.h>
#include <string.h>

static LaminaContext *
context_new (void)
{
  LaminaContext *context = lamina_context_new ();
  g_assert_true (lamina_context_add_plugin_dir (context, g_getenv ("LAMINA_PLUGIN_DIR"), NULL));
  return context;
}

static LaminaModel *
open_model (LaminaContext *context, const char *path, const char *backend)
{
  g_autoptr (GError) error = NULL;
  LaminaModelOptions options = LAMINA_MODEL_OPTIONS_INIT;
  options.backend = backend;
  LaminaModel *model = lamina_model_open (context, path, &options, &error);
  g_assert_no_error (error);
  return model;
}

/* --- the golden curve ----------------------------------------------------------------------------- */

/* The template digits-mlp as the golden case has it: no shuffling, 200 steps, its schedule. */
static char *
golden_project (void)
{
  static const char *const changes[][2] = {{"\"shuffle\": true", "\"shuffle\": false"},
                                           {"\"warmup_steps\": 50", "\"warmup_steps\": 20"},
                                           {"\"decay_start\": 50", "\"decay_start\": 20"},
                                           {"\"decay_end\": 1000", "\"decay_end\": 200"},
                                           {"\"steps\": 1000", "\"steps\": 200"}};
  const char *srcdir = g_getenv ("LAMINA_SRCDIR");
  char *folder = lm_test_project_folder ("");
  g_autofree char *from = g_build_filename (srcdir, "tools/templates/digits-mlp/model.json", NULL);
  g_autofree char *to = g_build_filename (folder, "model.json", NULL), *text = NULL;
  g_assert_true (g_file_get_contents (from, &text, NULL, NULL));
  g_autoptr (GString) config = g_string_new (text);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    g_assert_cmpuint (g_string_replace (config, changes[i][0], changes[i][1], 0), ==, 1);
  g_string_replace (config, "data/digits.npz", "tests/data/digits.npz", 0);
  g_assert_true (g_file_set_contents (to, config->str, -1, NULL));
  return folder;
}

typedef struct Curve {
  double loss[200], accuracy[200], grad_norm[200], rate[200];
  guint n;
} Curve;

static gboolean
note_step (const LaminaStepInfo *info, gpointer user)
{
  Curve *c = user;
  guint i = c->n++;
  g_assert_cmpuint (info->step, ==, i);
  g_assert_cmpuint (info->total, ==, 200);
  c->loss[i] = info->loss;
  for (guint k = 0; k < info->n_metrics; k++)
    if (strcmp (info->metric_names[k], "accuracy") == 0)
      c->accuracy[i] = info->metric_values[k];
  for (guint k = 0; k < info->n_scalars; k++) {
    if (g_str_has_suffix (info->scalar_names[k], "/grad_norm_scalar"))
      c->grad_norm[i] = info->scalar_values[k];
    if (g_str_has_suffix (info->scalar_names[k], "/learning_rate_scalar"))
      c->rate[i] = info->scalar_values[k];
  }
  return TRUE;
}

/* The numbers in the dtype that the golden file has. */
static void
compare (LmGolden *g, const LmGoldenCase *c, const char *name, const double *got, gsize n)
{
  g_autoptr (GString) why = g_string_new (NULL);
  LmGoldenTensor wanted;
  g_assert_true (lm_golden_tensor (g, c, "out", name, &wanted));
  g_autofree float *narrow = g_new (float, n);
  for (gsize i = 0; i < n; i++)
    narrow[i] = (float)got[i];
  bool wide = wanted.type.dtype == LAM_F64;
  if (!lm_golden_compare (g, c, "out", name, wide ? (const void *)got : narrow,
                          n * (wide ? sizeof *got : sizeof *narrow), why))
    g_test_fail_printf ("%s", why->str);
}

typedef struct GoldenRun {
  const char *id, *backend;
} GoldenRun;

static void
test_golden (gconstpointer data)
{
  const GoldenRun *run = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) golden = lm_golden_open ("digits_mlp", &error);
  g_assert_no_error (error);
  const LmGoldenCase *c = lm_golden_lookup (golden, run->id);
  g_autofree char *folder = golden_project ();
  g_autofree char *start = g_strdup_printf ("%s/tests/golden/digits_mlp_init_%s.safetensors",
                                            g_getenv ("LAMINA_SRCDIR"), run->id);
  g_autoptr (LaminaContext) context = context_new ();
  LaminaModelOptions options = LAMINA_MODEL_OPTIONS_INIT;
  options.backend = run->backend;
  options.dtype = run->id;
  options.weights = start;
  g_autoptr (LaminaModel) model = lamina_model_open (context, folder, &options, &error);
  g_assert_no_error (error);
  g_autoptr (LaminaTrainer) trainer = lamina_trainer_new (model, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lamina_trainer_total (trainer), ==, 200);
  g_autofree Curve *curve = g_new0 (Curve, 1);
  g_assert_true (lamina_trainer_run (trainer, 0, note_step, curve, &error));
  g_assert_cmpuint (curve->n, ==, 200);
  compare (golden, c, "loss", curve->loss, 200);
  compare (golden, c, "accuracy", curve->accuracy, 200);
  compare (golden, c, "grad_norm", curve->grad_norm, 200);
  compare (golden, c, "learning_rate", curve->rate, 200);
  g_autoptr (LaminaMetrics) metrics = lamina_model_evaluate (model, "eval", &error);
  g_assert_no_error (error);
  compare (golden, c, "eval_loss", &metrics->values[0], 1);
  compare (golden, c, "eval_accuracy", &metrics->values[1], 1);
  g_assert_cmpfloat (metrics->weights[0], ==, 360);
  lm_test_remove_tree (folder);
}

/* --- behaviour ------------------------------------------------------------------------------------ */

static gboolean
stop_at_3 (const LaminaStepInfo *info, gpointer user)
{
  return info->step < 3;
}

/* A callback ends a run; the archive goes on from there as if nothing had been. */
static void
test_stop_and_resume (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = lm_test_project_folder ("");
  g_autofree char *a = g_build_filename (folder, "a.lam", NULL);
  g_autofree char *b = g_build_filename (folder, "b.lam", NULL), *x = NULL, *y = NULL;
  gsize n, m;
  g_autoptr (LaminaContext) context = context_new ();
  {
    g_autoptr (LaminaModel) model = open_model (context, folder, "reference");
    g_autoptr (LaminaTrainer) trainer = lamina_trainer_new (model, &error);
    g_assert_true (lamina_trainer_run (trainer, 0, NULL, NULL, &error));
    g_assert_cmpuint (lamina_trainer_step (trainer), ==, 12);
    g_assert_true (lamina_trainer_save (trainer, a, &error));
  }
  {
    g_autoptr (LaminaModel) model = open_model (context, folder, "reference");
    g_autoptr (LaminaTrainer) trainer = lamina_trainer_new (model, &error);
    g_assert_true (lamina_trainer_run (trainer, 0, stop_at_3, NULL, &error));
    g_assert_cmpuint (lamina_trainer_step (trainer), ==, 4);
    g_assert_cmpuint (lamina_model_step (model), ==, 4);
    g_assert_true (lamina_trainer_save (trainer, b, &error));
  }
  {
    g_autoptr (LaminaModel) model = open_model (context, b, "reference");
    g_autoptr (LaminaTrainer) trainer = lamina_trainer_new (model, &error);
    g_assert_cmpuint (lamina_trainer_step (trainer), ==, 4);
    g_assert_true (lamina_trainer_run (trainer, 7, NULL, NULL, &error));
    g_assert_true (lamina_trainer_run (trainer, 0, NULL, NULL, &error));
    g_assert_true (lamina_trainer_save (trainer, b, &error)); /* over the archive it came from */
  }
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (a, &x, &n, NULL) && g_file_get_contents (b, &y, &m, NULL));
  g_assert_cmpmem (x, n, y, m);
  lm_test_remove_tree (folder);
}

/* A run over 12 steps is a function of its seed. */
static void
test_seed (void)
{
  double losses[3];
  for (int i = 0; i < 3; i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *folder = lm_test_project_folder ("");
    g_autoptr (LaminaContext) context = context_new ();
    LaminaModelOptions options = LAMINA_MODEL_OPTIONS_INIT;
    options.backend = "reference";
    options.seed = i == 1 ? 8 : 7;
    g_autoptr (LaminaModel) model = lamina_model_open (context, folder, &options, &error);
    g_autoptr (LaminaTrainer) trainer = lamina_trainer_new (model, &error);
    g_assert_true (lamina_trainer_run (trainer, 3, NULL, NULL, &error));
    g_autoptr (LaminaMetrics) metrics = lamina_model_evaluate (model, "eval", &error);
    g_assert_no_error (error);
    losses[i] = metrics->values[0];
    lm_test_remove_tree (folder);
  }
  g_assert_cmpfloat (losses[0], !=, losses[1]);
  g_assert_cmpfloat (losses[0], ==, losses[2]);
}

static void
test_no_learners (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = lm_test_project_folder ("");
  g_autofree char *path = g_build_filename (folder, "model.json", NULL), *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_autoptr (JsonObject) config = lm_test_json (text);
  json_object_remove_member (config, "learners");
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  json_node_set_object (node, config);
  g_autofree char *changed = json_to_string (node, FALSE);
  g_assert_true (g_file_set_contents (path, changed, -1, NULL));
  g_autoptr (LaminaContext) context = context_new ();
  g_autoptr (LaminaModel) model = open_model (context, folder, "reference");
  g_assert_null (lamina_trainer_new (model, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "learners", "lamina.learner", NULL);
  lm_test_remove_tree (folder);
}

/* --- replicas ------------------------------------------------------------------------------------- */

static gboolean
stop_at_four (const LaminaStepInfo *info, gpointer user)
{
  (*(guint *)user)++;
  return info->step < 4;
}

/* Opened, trained, stopped, gone on with, evaluated: as without, but for rounding (no dropout). */
static void
test_replicas (void)
{
  g_autofree char *folder = lm_test_project_folder ("\"dtype\": \"f64\",");
  g_autofree char *path = g_build_filename (folder, "model.json", NULL), *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_autoptr (GString) config = g_string_new (text);
  g_string_replace (config, "\"keep_prob\": 0.8", "\"keep_prob\": 1.0", 1);
  g_assert_true (g_file_set_contents (path, config->str, -1, NULL));
  g_autoptr (LaminaContext) context = context_new ();
  double losses[2], first[2];
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;
    LaminaModelOptions options = LAMINA_MODEL_OPTIONS_INIT;
    options.backend = "cpu";
    options.replicas = 4 * i;
    g_autoptr (LaminaModel) model = lamina_model_open (context, folder, &options, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (lamina_model_replicas (model), ==, 4 * i);
    g_assert_cmpuint (lamina_model_rank (model), ==, 0);
    g_autoptr (LaminaMetrics) before = lamina_model_evaluate (model, "eval", &error);
    g_assert_null (lamina_model_evaluate (model, "nothing", &error)); /* and all goes on */
    g_clear_error (&error);
    g_autoptr (LaminaTrainer) trainer = lamina_trainer_new (model, &error);
    g_assert_no_error (error);
    guint steps = 0;
    g_assert_true (lamina_trainer_run (trainer, 0, stop_at_four, &steps, &error));
    g_assert_cmpuint (steps, ==, 5);
    g_assert_true (lamina_trainer_stopped (trainer));
    g_assert_true (lamina_trainer_run (trainer, 0, NULL, NULL, &error));
    g_assert_false (lamina_trainer_stopped (trainer));
    g_autoptr (LaminaMetrics) after = lamina_model_evaluate (model, "eval", &error);
    g_assert_no_error (error);
    first[i] = before->values[0];
    losses[i] = after->values[0];
  }
  g_assert_cmpfloat_with_epsilon (first[0], first[1], 1e-8);
  g_assert_cmpfloat_with_epsilon (losses[0], losses[1], 1e-8);
  g_assert_cmpfloat (losses[0], <, first[0]);
  lm_test_remove_tree (folder);
}

/* No process goes on before the archive is there: one that then failed would end the one that writes. */
static void
test_mpi_save (void)
{
  if (g_getenv ("OMPI_COMM_WORLD_SIZE") == NULL) {
    g_test_skip ("not started by mpirun; tests/e2e/mpi.sh does that");
    return;
  }
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = lm_test_project_folder ("");
  LaminaModelOptions options = LAMINA_MODEL_OPTIONS_INIT;
  options.backend = "cpu";
  options.replicas = LAMINA_REPLICAS_CONFIG;
  options.collective = "mpi";
  g_autoptr (LaminaContext) context = context_new ();
  g_autoptr (LaminaModel) model = lamina_model_open (context, folder, &options, &error);
  g_assert_no_error (error);
  g_autoptr (LaminaTrainer) trainer = lamina_trainer_new (model, &error);
  g_assert_true (lamina_trainer_lock (trainer, "saved-by-one.lam", &error));
  g_assert_true (lamina_trainer_run (trainer, 2, NULL, NULL, &error));
  g_assert_true (lamina_trainer_save (trainer, "saved-by-one.lam", &error));
  g_assert_true (g_file_test ("saved-by-one.lam", G_FILE_TEST_EXISTS));
  g_assert_no_error (error);
  lm_test_remove_tree (folder);
}

/* One trainer at a time writes a file. */
static void
test_lock (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = lm_test_project_folder ("");
  g_autofree char *path = g_build_filename (folder, "out.lam", NULL);
  g_autofree char *other = g_build_filename (folder, "other.lam", NULL);
  g_autoptr (LaminaContext) context = context_new ();
  g_autoptr (LaminaModel) a = open_model (context, folder, "reference");
  g_autoptr (LaminaModel) b = open_model (context, folder, "reference");
  LaminaTrainer *first = lamina_trainer_new (a, &error);
  g_autoptr (LaminaTrainer) second = lamina_trainer_new (b, &error);
  g_assert_true (lamina_trainer_lock (first, path, &error));
  g_assert_false (lamina_trainer_lock (second, path, &error));
  lm_test_assert_error (&error, LM_ERROR_IO, "out.lam is being written by another training", NULL);
  g_assert_true (lamina_trainer_lock (second, other, &error));
  g_assert_no_error (error);
  lamina_trainer_free (first);
  g_assert_true (lamina_trainer_lock (second, path, &error)); /* and gives the other back */
  g_assert_no_error (error);
  g_clear_pointer (&second, lamina_trainer_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    g_assert_false (g_str_has_suffix (name, ".lock"));
  lm_test_remove_tree (folder);
}

int
main (int argc, char **argv)
{
  static const GoldenRun f64 = {"f64", "reference"}, f32 = {"f32", "cpu"}, wide = {"f64", "cpu"};
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/api/trainer/golden_f64_reference", &f64, test_golden);
  g_test_add_data_func ("/api/trainer/golden_f64_cpu", &wide, test_golden);
  g_test_add_data_func ("/api/trainer/golden_f32_cpu", &f32, test_golden);
  g_test_add_func ("/api/trainer/stop_and_resume", test_stop_and_resume);
  g_test_add_func ("/api/trainer/seed", test_seed);
  g_test_add_func ("/api/trainer/no_learners", test_no_learners);
  g_test_add_func ("/api/trainer/replicas", test_replicas);
  g_test_add_func ("/api/trainer/lock", test_lock);
  g_test_add_func ("/api/trainer/mpi/save", test_mpi_save);
  return g_test_run ();
}
