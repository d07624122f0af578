/* SPDX-License-Identifier: Apache-2.0 */
/* core/step beyond one learner in float32: several learners, bfloat16, decode, metrics of the config,
 * watches, summaries on demand. The task is tests/strangers/pair.c; expected values are formulas over
 * x = 1 2 3 4, a = 3, b = 5, k = 1: y = a x, loss = mean (y)^2 = 56.25, other = b^2 k = 25. */
#include "tests/lib/steps.h"

#include <string.h>

#define B 4

typedef struct Pair {
  LmRegistry *registry;
  LmBackend *backend;
  LmModel *model;
  LmStep *step;
  GPtrArray *out;
} Pair;

static LmModel *
model_new (LmRegistry *registry, const char *text, GError **error)
{
  g_autoptr (JsonObject) config = lm_test_json (text);
  return lm_model_new (registry, lm_host_tables (), config, error);
}

static LmRegistry *
registry_new (void)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (g_getenv ("LAMINA_STRANGER_DIR"), "pair.so", NULL);
  lm_registry_add_file (registry, path, NULL, &error);
  g_assert_no_error (error);
  return registry;
}

static LmStep *
step_new (LmModel *model, LmStepKind kind, const LmStepOptions *options, GError **error)
{
  LmBatchField x = {(char *)"x", lm_type (LAM_F32, 1, (int64_t[]) {B})};
  LmBatchSpec batch = {1, &x};
  return kind == LM_STEP_TRAIN  ? lm_step_new_train (model, &batch, options, error)
         : kind == LM_STEP_EVAL ? lm_step_new_eval (model, &batch, options, error)
                                : lm_step_new_decode (model, &batch, options, error);
}

/* Start values: those of the task, in flatten order a b k n. */
static void
add_state (Pair *p, GPtrArray *in)
{
  static const double start[] = {3, 5, 1, 7};
  g_autoptr (GError) error = NULL;
  lam_type scalar = lm_scalar_type (LAM_F32), u32 = lm_scalar_type (LAM_U32);
  for (guint i = 0; i < 4; i++)
    g_ptr_array_add (in, lm_test_array (&scalar, &start[i]));
  if (p->step->kind == LM_STEP_TRAIN) {
    g_autoptr (LmStateInit) init = lm_state_init_new (p->model, &error);
    g_assert_no_error (error);
    g_autofree LmArray **states = g_new0 (LmArray *, p->step->n_states + 1);
    lm_test_run (p->backend, init->function, (LmArray **)in->pdata, states);
    for (guint i = 0; i < p->step->n_states; i++)
      g_ptr_array_add (in, states[i]);
  }
  g_ptr_array_add (in, lm_test_array (&u32, (double[]) {0}));
}

/* Traces and runs one step. */
static Pair *
pair_run (const char *text, LmStepKind kind, const LmStepOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  Pair *p = g_new0 (Pair, 1);
  p->registry = registry_new ();
  p->backend = lm_test_backend (p->registry, "reference");
  p->model = model_new (p->registry, text, &error);
  g_assert_no_error (error);
  p->step = step_new (p->model, kind, options, &error);
  g_assert_no_error (error);
  lam_type rows = lm_type (LAM_F32, 1, (int64_t[]) {B});
  add_state (p, in);
  g_ptr_array_add (in, lm_test_key (0, 1));
  g_ptr_array_add (in, lm_test_array (&rows, (double[]) {1, 2, 3, 4}));
  p->out = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_ptr_array_set_size (p->out, (gint)p->step->function->ir.n_results);
  lm_test_run (p->backend, p->step->function, (LmArray **)in->pdata, (LmArray **)p->out->pdata);
  return p;
}

static void
pair_free (Pair *p)
{
  g_ptr_array_unref (p->out);
  lm_step_free (p->step);
  lm_model_free (p->model);
  lm_backend_unref (p->backend);
  lm_registry_free (p->registry);
  g_free (p);
}

static double
number (const Pair *p, guint i)
{
  return lm_array_get_double (p->out->pdata[i], 0);
}

static lam_dtype
dtype (const Pair *p, guint i)
{
  return ((const LmArray *)p->out->pdata[i])->type.dtype;
}

#define SGD "\"optimizer\": {\"type\": \"lamina.sgd\", \"learning_rate\": 0.5}"
#define ONE "\"learners\": [{\"type\": \"lamina.learner\", " SGD "}]"

static const char plain[] = "{\"model\": {\"type\": \"test.pair\"}, " ONE "}";

/* --- learners --------------------------------------------------------------------------------------- */

/* Two learners: a by loss (d = 2 * 7.5 * 2.5), b by other (d = 2 b); k by none of them. */
static void
test_two_learners (void)
{
  const LmStepOptions options = {.with_summaries = true};
  Pair *p = pair_run (
      "{\"model\": {\"type\": \"test.pair\", \"aux\": 1}, \"learners\": ["
      "{\"type\": \"lamina.learner\", \"bprop_variable_inclusion\": [\"a\"], " SGD "},"
      "{\"type\": \"lamina.learner\", \"loss_name\": \"other\", \"bprop_variable_inclusion\": "
      "[\"b\"], " SGD "}]}",
      LM_STEP_TRAIN, &options);
  g_assert_cmpfloat (number (p, 0), ==, 3 - 0.5 * (37.5 + 1)); /* and the aux loss, once */
  g_assert_cmpfloat (number (p, 1), ==, 5 - 0.5 * 10);
  g_assert_cmpfloat (number (p, 2), ==, 1);
  g_assert_cmpfloat (number (p, 3), ==, 7 + 10);
  g_assert_cmpfloat (number (p, lm_step_loss_index (p->step)), ==, 56.25 + 3);
  guint rates = 0;
  for (guint i = 0; i < p->step->n_summaries; i++)
    rates += strstr (p->step->summaries[i].name, "learning_rate") != NULL;
  g_assert_cmpuint (rates, ==, 2);
  pair_free (p);
}

static void
test_overlap (void)
{
  GError *error = NULL;
  LmRegistry *registry = registry_new ();
  LmModel *model = model_new (registry,
                              "{\"model\": {\"type\": \"test.pair\"}, \"learners\": ["
                              "{\"type\": \"lamina.learner\", " SGD "},"
                              "{\"type\": \"lamina.learner\", \"bprop_variable_inclusion\": "
                              "[\"b\"], " SGD "}]}",
                              &error);
  g_assert_no_error (error);
  g_assert_null (step_new (model, LM_STEP_TRAIN, NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID,
                        "variable b is learned by both learner and learner_1",
                        "bprop_variable_inclusion", NULL);
  lm_model_free (model);
  lm_registry_free (registry);
}

/* --- bfloat16: 1.4 ------------------------------------------------------------------------------------ */

#define HALF "{\"fprop_dtype\": \"bfloat16\", \"model\": {\"type\": \"test.pair\"}, " ONE "}"

/* Train: variables and the loss in float32, metrics and per example in bfloat16. All values here are
 * exact in bfloat16. k is kept out of it, so other is b^2 with k cast by the task itself. */
static void
test_bfloat16_train (void)
{
  const LmStepOptions options = {.with_summaries = true};
  Pair *p = pair_run (HALF, LM_STEP_TRAIN, &options);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (dtype (p, i), ==, LAM_F32);
  g_assert_cmpfloat (number (p, 0), ==, 3 - 0.5 * 37.5);
  g_assert_cmpfloat (number (p, 3), ==, 17);
  guint loss = lm_step_loss_index (p->step);
  g_assert_cmpint (dtype (p, loss), ==, LAM_F32);
  g_assert_cmpfloat (number (p, loss), ==, 56.25);
  g_assert_cmpint (dtype (p, lm_step_metric_index (p->step, 0)), ==, LAM_BF16);
  g_assert_cmpint (dtype (p, lm_step_per_example_index (p->step, 0)), ==, LAM_BF16);
  g_assert_cmpint (dtype (p, lm_step_summary_index (p->step, 0)), ==, LAM_BF16);
  pair_free (p);
}

/* Eval: loss, metrics, per example and summaries in float32. */
static void
test_bfloat16_eval (void)
{
  const LmStepOptions options = {.with_summaries = true};
  Pair *p = pair_run (HALF, LM_STEP_EVAL, &options);
  for (guint i = 0; i < p->out->len; i++)
    if (i < lm_step_watch_index (p->step, 0))
      g_assert_cmpint (dtype (p, i), ==, LAM_F32);
  g_assert_cmpfloat (number (p, 0), ==, 56.25);
  pair_free (p);
}

/* Decode: nothing is cast back. */
static void
test_bfloat16_decode (void)
{
  Pair *p = pair_run (HALF, LM_STEP_DECODE, NULL);
  g_assert_cmpint (dtype (p, lm_step_metric_index (p->step, 0)), ==, LAM_BF16);
  g_assert_cmpint (dtype (p, lm_step_per_example_index (p->step, 0)), ==, LAM_BF16);
  pair_free (p);
}

static void
test_fprop_dtype_errors (void)
{
  static const struct {
    const char *text, *said;
  } cases[] = {{"{\"fprop_dtype\": \"float16\", \"model\": {\"type\": \"test.pair\"}}",
                "wanted float32 or bfloat16, got \"float16\""},
               {"{\"fprop_dtype\": \"bfloat16\", \"dtype\": \"f64\", \"model\": {\"type\": "
                "\"test.pair\"}}",
                "those of this model are f64"}};
  LmRegistry *registry = registry_new ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = NULL;
    g_assert_null (model_new (registry, cases[i].text, &error));
    lm_test_assert_error (&error, LM_ERROR_INVALID, "fprop_dtype", cases[i].said, NULL);
  }
  lm_registry_free (registry);
}

/* --- decode, metrics ------------------------------------------------------------------------------------ */

static void
test_decode (void)
{
  Pair *p = pair_run (plain, LM_STEP_DECODE, NULL);
  g_assert_cmpuint (p->step->n_metrics, ==, 1);
  g_assert_cmpstr (p->step->metrics[0].name, ==, "rows");
  g_assert_cmpfloat (number (p, lm_step_metric_index (p->step, 0)), ==, B);
  g_assert_cmpstr (p->step->per_example[0].name, ==, "y");
  g_assert_cmpfloat (lm_array_get_double (p->out->pdata[lm_step_per_example_index (p->step, 0)], 3),
                     ==, 12);
  pair_free (p);
}

/* Metrics of the config follow the model's, in train and in eval. */
static void
test_config_metrics (gconstpointer data)
{
  Pair *p = pair_run (
      "{\"model\": {\"type\": \"test.pair\"}, \"metrics\": {\"mean\": {\"type\": "
      "\"test.power_mean\"}, \"square\": {\"type\": \"test.power_mean\", \"power\": 2}}, " ONE "}",
      GPOINTER_TO_INT (data), NULL);
  g_assert_cmpuint (p->step->n_metrics, ==, 4);
  g_assert_cmpstr (p->step->metrics[2].name, ==, "mean");
  g_assert_cmpfloat (number (p, lm_step_metric_index (p->step, 2)), ==, 7.5);
  g_assert_cmpfloat (number (p, lm_step_metric_index (p->step, 2) + 1), ==, B);
  g_assert_cmpfloat (number (p, lm_step_metric_index (p->step, 3)), ==, 9 * 30 / 4.0);
  pair_free (p);
}

static void
test_metric_errors (void)
{
  static const struct {
    const char *metrics, *said;
  } cases[] = {{"\"loss\": {\"type\": \"test.power_mean\"}", "the model has one of that name"},
               {"\"x\": {\"type\": \"test.power_mean\", \"result\": \"nothing\"}",
                "wanted a map of two tensors {value, weight}"}};
  LmRegistry *registry = registry_new ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = NULL;
    g_autofree char *text = g_strdup_printf (
        "{\"model\": {\"type\": \"test.pair\"}, \"metrics\": {%s}, " ONE "}", cases[i].metrics);
    LmModel *model = model_new (registry, text, &error);
    g_assert_no_error (error);
    g_assert_null (step_new (model, LM_STEP_EVAL, NULL, &error));
    lm_test_assert_error (&error, LM_ERROR_INVALID, "metric ", cases[i].said, NULL);
    lm_model_free (model);
  }
  lm_registry_free (registry);
}

/* --- what a step reports ---------------------------------------------------------------------------------- */

static const LmStepOutput *
find_watch (const Pair *p, const char *name, double *value)
{
  for (guint i = 0; i < p->step->n_watches; i++)
    if (strcmp (p->step->watches[i].name, name) == 0) {
      *value = number (p, lm_step_watch_index (p->step, i));
      return &p->step->watches[i];
    }
  return NULL;
}

/* debug_print is always a result; checks are when the step asks for them. */
static void
test_watches (void)
{
  double value;
  const char poison[] = "{\"model\": {\"type\": \"test.pair\", \"poison\": true}, " ONE "}";
  const LmStepOptions checks = {.check_numerics = true, .enable_asserts = true};
  Pair *p = pair_run (poison, LM_STEP_TRAIN, NULL);
  g_assert_cmpuint (p->step->n_watches, ==, 1);
  g_assert_cmpint (find_watch (p, "model: y", &value)->type, ==, LM_WATCH_PRINT);
  g_assert_cmpfloat (value, ==, 3);
  pair_free (p);

  p = pair_run (poison, LM_STEP_TRAIN, &checks);
  g_assert_cmpstr (p->step->watches[0].name, ==, "model: y"); /* in the order of recording */
  g_assert_cmpint (p->step->watches[0].type, ==, LM_WATCH_NUMERICS);
  g_assert_cmpfloat (number (p, lm_step_watch_index (p->step, 0)), ==, 1);
  g_assert_cmpint (find_watch (p, "model: log", &value)->type, ==, LM_WATCH_NUMERICS);
  g_assert_cmpfloat (value, ==, 0);
  g_assert_cmpint (find_watch (p, "model: y is positive", &value)->type, ==, LM_WATCH_ASSERT);
  g_assert_cmpfloat (value, ==, 1);
  g_assert_nonnull (find_watch (p, "gradient of a", &value));
  g_assert_cmpfloat (value, ==, 1);
  pair_free (p);
}

static void
assert_equal_bits (const LmArray *a, const LmArray *b)
{
  g_assert_cmpmem (a->data, (gsize)a->bytes, b->data, (gsize)b->bytes);
}

/* With and without summaries the new state is the same, bit for bit; verbosity chooses. */
static void
test_summaries_on_demand (void)
{
  const LmStepOptions with = {.with_summaries = true, .verbosity = 4};
  Pair *a = pair_run (plain, LM_STEP_TRAIN, NULL), *b = pair_run (plain, LM_STEP_TRAIN, &with);
  g_assert_cmpuint (a->step->n_summaries, ==, 0);
  g_assert_cmpuint (b->step->n_summaries, >, 4);
  bool quiet = false;
  for (guint i = 0; i < b->step->n_summaries; i++)
    quiet = quiet || strstr (b->step->summaries[i].name, "quiet") != NULL;
  g_assert_true (quiet);
  for (guint i = 0; i < a->step->n_vars + a->step->n_states + 1; i++)
    assert_equal_bits (a->out->pdata[i], b->out->pdata[i]);
  pair_free (a);
  pair_free (b);
}

/* 1.5, 3e: a weight of 0 is 0 / 0, and the step is skipped, but counters go on. */
static void
test_zero_weight (void)
{
  Pair *p = pair_run ("{\"model\": {\"type\": \"test.pair\", \"weight\": 0}, " ONE "}",
                      LM_STEP_TRAIN, NULL);
  g_assert_true (number (p, lm_step_loss_index (p->step))
                 != number (p, lm_step_loss_index (p->step)));
  g_assert_cmpfloat (number (p, 0), ==, 3);
  g_assert_cmpfloat (number (p, 3), ==, 17);
  g_assert_cmpfloat (number (p, p->step->n_vars + p->step->n_states), ==, 1);
  pair_free (p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step/options/learners/two", test_two_learners);
  g_test_add_func ("/step/options/learners/overlap", test_overlap);
  g_test_add_func ("/step/options/1.4/bfloat16-train", test_bfloat16_train);
  g_test_add_func ("/step/options/1.4/bfloat16-eval", test_bfloat16_eval);
  g_test_add_func ("/step/options/1.4/bfloat16-decode", test_bfloat16_decode);
  g_test_add_func ("/step/options/1.4/other-dtypes", test_fprop_dtype_errors);
  g_test_add_func ("/step/options/1.6/decode", test_decode);
  g_test_add_data_func ("/step/options/metrics/train", GINT_TO_POINTER (LM_STEP_TRAIN),
                        test_config_metrics);
  g_test_add_data_func ("/step/options/metrics/eval", GINT_TO_POINTER (LM_STEP_EVAL),
                        test_config_metrics);
  g_test_add_func ("/step/options/metrics/errors", test_metric_errors);
  g_test_add_func ("/step/options/watches", test_watches);
  g_test_add_func ("/step/options/1.2/summaries-on-demand", test_summaries_on_demand);
  g_test_add_func ("/step/options/1.5/zero-weight", test_zero_weight);
  return g_test_run ();
}
