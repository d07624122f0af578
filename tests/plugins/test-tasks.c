/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.regression and lamina.multilabel trained by gradient descent, against the same descent by hand. */
#include "tests/lib/steps.h"

#include <math.h>
#include <string.h>

#define B 6 /* examples */
#define D 3 /* depth */
#define V 2 /* labels */

/* A model of one linear map without bias, its data, and the weights that plain descent has. */
typedef struct Descent {
  double x[B * D], y[B * V], weights[B]; /* (B, D), (B, V) or (B), (B) */
  double w[D * V];                       /* (D, n) */
  guint n;                               /* columns: 1 for regression */
  bool yes_no;                           /* multilabel, else regression */
} Descent;

static Descent *
new_descent (bool yes_no)
{
  Descent *d = g_new0 (Descent, 1);
  GRand *rand = g_rand_new_with_seed (yes_no ? 3 : 4);
  d->yes_no = yes_no;
  d->n = yes_no ? V : 1;
  for (guint i = 0; i < B * D; i++)
    d->x[i] = g_rand_double_range (rand, -1, 1);
  for (guint i = 0; i < B * d->n; i++)
    d->y[i] = yes_no ? g_rand_int_range (rand, 0, 2) : g_rand_double_range (rand, -1, 1);
  for (guint i = 0; i < B; i++)
    d->weights[i] = i == 0 ? 0 : g_rand_double_range (rand, 0.5, 2);
  for (guint i = 0; i < D * d->n; i++)
    d->w[i] = g_rand_double_range (rand, -1, 1);
  g_rand_free (rand);
  return d;
}

/* What the model says of example b and column v. */
static double
predict (const Descent *d, guint b, guint v)
{
  double sum = 0;
  for (guint k = 0; k < D; k++)
    sum += d->x[b * D + k] * d->w[k * d->n + v];
  return sum;
}

/* The loss of all examples; w moves by -rate times its gradient. */
static double
descend (Descent *d, double rate)
{
  double loss = 0, weight = 0, slope[D * V] = {0};
  for (guint b = 0; b < B; b++) {
    weight += d->weights[b];
    for (guint v = 0; v < d->n; v++) {
      double z = predict (d, b, v), y = d->y[b * d->n + v];
      double one = d->yes_no ? log1p (exp (-fabs (z))) + fmax (z, 0) - z * y : (z - y) * (z - y);
      double by_z = d->yes_no ? 1 / (1 + exp (-z)) - y : 2 * (z - y);
      loss += one * d->weights[b];
      for (guint k = 0; k < D; k++)
        slope[k * d->n + v] += by_z * d->x[b * D + k] * d->weights[b];
    }
  }
  for (guint i = 0; i < D * d->n; i++)
    d->w[i] -= rate * slope[i] / weight;
  return loss / weight;
}

/* --- the same model as a config ------------------------------------------------------------------------- */

#define LEARNER                                                                                    \
  "\"learners\": [{\"type\": \"lamina.learner\", \"loss_name\": \"loss\", \"optimizer\": "         \
  "{\"type\": \"lamina.sgd\", \"learning_rate\": 0.5}}]"
#define REGRESSION                                                                                 \
  "\"model\": {\"type\": \"lamina.regression\", \"network\": {\"type\": \"lamina.linear\", "       \
  "\"input_dims\": 3, \"output_dims\": 1}}"
#define MULTILABEL                                                                                 \
  "\"model\": {\"type\": \"lamina.multilabel\", \"network\": {\"type\": \"lamina.identity\"}, "    \
  "\"head\": {\"type\": \"lamina.sigmoid_cross_entropy\", \"input_dims\": 3, "                     \
  "\"num_classes\": 2, \"has_bias\": false}}"

static JsonObject *
config_of (const Descent *d, const char *dtypes)
{
  g_autofree char *text =
      g_strdup_printf ("{%s, %s, %s}", dtypes, d->yes_no ? MULTILABEL : REGRESSION, LEARNER);
  return lm_test_json (text);
}

static const char *
var_of (const Descent *d)
{
  return d->yes_no ? "head.logits_ffn.linear.w" : "network.w";
}

static lam_type
type_of (lam_dtype dtype, int64_t rows, int64_t columns)
{
  lam_type type = {.dtype = dtype, .rank = columns > 0 ? 2 : 1, .dims = {rows, columns}};
  return type;
}

static LmTestRun *
start (const Descent *d, const char *dtypes, lam_dtype dtype, LmStepKind kind)
{
  lam_type w = type_of (dtype, D, d->n);
  LmBatchField fields[3] = {
      {(char *)"inputs", type_of (dtype, B, D)},
      {(char *)(d->yes_no ? "labels" : "targets"), type_of (dtype, B, d->yes_no ? V : 0)},
      {(char *)"weights", type_of (dtype, B, 0)}};
  LmBatchSpec batch = {kind == LM_STEP_PREDICT ? 1 : 3, fields};
  g_autoptr (GHashTable) weights =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)lm_array_unref);
  g_hash_table_insert (weights, g_strdup (var_of (d)), lm_test_array (&w, d->w));
  return lm_test_run_new (config_of (d, dtypes), weights, &batch, kind, "reference");
}

static void
step (LmTestRun *run, const Descent *d, lam_dtype dtype)
{
  lam_type types[3] = {type_of (dtype, B, D), type_of (dtype, B, d->yes_no ? V : 0),
                       type_of (dtype, B, 0)};
  const double *values[3] = {d->x, d->y, d->weights};
  LmArray *batch[3], *key = lm_test_key (0, 7);
  for (guint i = 0; i < 3; i++)
    batch[i] = lm_test_array (&types[i], values[i]);
  lm_test_run_step (run, key, batch);
  for (guint i = 0; i < 3; i++)
    lm_array_unref (batch[i]);
  lm_array_unref (key);
}

/* Loss and weights after each step, in f64. */
static void
check_descent (bool yes_no)
{
  g_autofree Descent *d = new_descent (yes_no);
  LmTestRun *run = start (d, "\"dtype\": \"f64\"", LAM_F64, LM_STEP_TRAIN);
  double first = 0, last = 0;
  for (guint i = 0; i < 40; i++) {
    step (run, d, LAM_F64);
    last = descend (d, 0.5);
    first = i == 0 ? last : first;
    g_assert_cmpfloat_with_epsilon (lm_test_run_loss (run), last, 1e-12);
    const LmArray *w = lm_test_run_var (run, var_of (d));
    for (guint k = 0; k < D * d->n; k++)
      g_assert_cmpfloat_with_epsilon (lm_array_get_double (w, k), d->w[k], 1e-12);
  }
  g_assert_cmpfloat (last, <, 0.9 * first);
  lm_test_run_free (run);
}

/* The same with fprop_dtype bfloat16: f32 variables, a loss in f32 near the exact one. */
static void
check_bf16 (bool yes_no)
{
  g_autofree Descent *d = new_descent (yes_no);
  LmTestRun *run =
      start (d, "\"dtype\": \"f32\", \"fprop_dtype\": \"bfloat16\"", LAM_F32, LM_STEP_TRAIN);
  for (guint i = 0; i < 10; i++) {
    step (run, d, LAM_F32);
    double loss = descend (d, 0.5), got = lm_test_run_loss (run);
    g_assert_cmpfloat (fabs (got - loss), <=, 0.03 * loss);
    g_assert_cmpint (lm_test_run_var (run, var_of (d))->type.dtype, ==, LAM_F32);
  }
  lm_test_run_free (run);
}

static void
test_regression (void)
{
  check_descent (false);
}

static void
test_multilabel (void)
{
  check_descent (true);
}

static void
test_bf16 (void)
{
  check_bf16 (false);
  check_bf16 (true);
}

/* predict: of one tensor for each name. */
static void
test_predict (void)
{
  for (guint yes_no = 0; yes_no < 2; yes_no++) {
    g_autofree Descent *d = new_descent (yes_no);
    LmTestRun *run = start (d, "\"dtype\": \"f64\"", LAM_F64, LM_STEP_PREDICT);
    step (run, d, LAM_F64);
    guint seen = 0;
    for (guint i = 0; i < run->step->n_per_example; i++) {
      const char *name = run->step->per_example[i].name;
      const LmArray *got = run->out[i];
      g_assert_cmpint (got->type.rank, ==, yes_no ? 2 : 1);
      for (guint b = 0; b < B; b++)
        for (guint v = 0; v < d->n; v++) {
          double z = predict (d, b, v), wanted = z;
          if (yes_no && strcmp (name, "predictions") == 0)
            wanted = z > 0;
          else if (strcmp (name, "probabilities") == 0)
            wanted = 1 / (1 + exp (-z));
          g_assert_cmpfloat_with_epsilon (lm_array_get_double (got, b * d->n + v), wanted, 1e-12);
        }
      seen++;
    }
    g_assert_cmpuint (seen, ==, yes_no ? 3 : 1);
    lm_test_run_free (run);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugins/tasks/regression", test_regression);
  g_test_add_func ("/plugins/tasks/multilabel", test_multilabel);
  g_test_add_func ("/plugins/tasks/bf16", test_bf16);
  g_test_add_func ("/plugins/tasks/predict", test_predict);
  return g_test_run ();
}
