/* SPDX-License-Identifier: Apache-2.0 */
/* tests/strangers/composite.c, a layer of other plugins' layers with everything else that a layer may do:
 * its values by their definition, and the gradients of whole train steps against finite differences. */
#include "tests/lib/layer_check.h"
#include "tests/lib/steps.h"

#include <math.h>
#include <string.h>

#define B 5 /* examples */
#define D 3 /* depth of the input */
#define F 4 /* depth of the layer */

/* Numbers of no special kind, the same in every run. */
static LmArray *
numbers (GRand *rand, int32_t rank, const int64_t *dims, double least)
{
  lam_type type = lm_type (LAM_F64, rank, dims);
  int64_t n = lam_type_elements (&type);
  g_autofree double *values = g_new0 (double, (gsize)n + 1);
  for (int64_t i = 0; i < n; i++)
    values[i] = g_rand_double_range (rand, least, 1);
  return lm_test_array (&type, values);
}

/* --- values ----------------------------------------------------------------------------------------------- */

static LmLayerFn *
layer_new (LmRegistry *registry, LmBackend *backend, double keep_prob)
{
  GRand *rand = g_rand_new_with_seed (5);
  g_autofree char *text =
      g_strdup_printf ("{\"type\": \"acme.composite\", \"input_dims\": %d, \"output_dims\": %d, "
                       "\"keep_prob\": %s}",
                       D, F, keep_prob == 1 ? "1" : "0.5");
  LmLayerFn *fn = lm_layer_fn_new (registry, lm_test_json (text), "f64", NULL);
  lm_layer_fn_init (fn, backend);
  lm_layer_fn_add (fn, "in:x", numbers (rand, 2, (int64_t[]) {B, D}, -1));
  g_rand_free (rand);
  fn->summaries = true;
  return fn;
}

static GPtrArray *
layer_run (LmLayerFn *fn, LmBackend *backend, bool do_eval)
{
  g_autoptr (GError) error = NULL;
  lm_layer_fn_trace (fn, do_eval, &error);
  g_assert_no_error (error);
  return lm_layer_fn_run (fn, backend);
}

static const LmArray *
value_of (const LmLayerFn *fn, const char *name)
{
  int i = lm_layer_fn_find (fn->names, name);
  g_assert_cmpint (i, >=, 0);
  return fn->arrays->pdata[i];
}

static double
at (const LmArray *a, guint i)
{
  return lm_array_get_double (a, i);
}

/* tanh ((x w + b - mean) / sqrt (variance + 0.001)) at the start: gain 1, gamma 0, beta 0 */
static void
expect (const LmLayerFn *fn, double y[B * F])
{
  const LmArray *x = value_of (fn, "in:x"), *w = value_of (fn, "var:linear.w");
  for (guint f = 0; f < F; f++) {
    double mean = 0, variance = 0;
    for (guint b = 0; b < B; b++) {
      y[b * F + f] = 0;
      for (guint d = 0; d < D; d++)
        y[b * F + f] += at (x, b * D + d) * at (w, d * F + f);
      mean += y[b * F + f] / B;
    }
    for (guint b = 0; b < B; b++)
      variance += (y[b * F + f] - mean) * (y[b * F + f] - mean) / B;
    for (guint b = 0; b < B; b++)
      y[b * F + f] = tanh ((y[b * F + f] - mean) / sqrt (variance + 0.001));
  }
}

static void
test_values (void)
{
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  g_autoptr (LmLayerFn) fn = layer_new (registry, backend, 1);
  g_autoptr (GPtrArray) out = layer_run (fn, backend, false);
  double y[B * F], energy = 0;
  expect (fn, y);
  for (guint i = 0; i < B * F; i++) {
    g_assert_cmpfloat_with_epsilon (at (lm_layer_fn_result (fn, out, "y"), i), y[i], 1e-12);
    energy += y[i] * y[i] / (B * F);
  }
  g_assert_cmpfloat_with_epsilon (at (lm_layer_fn_result (fn, out, "updated:energy"), 0),
                                  0.1 * energy, 1e-12);
  g_assert_cmpfloat_with_epsilon (at (lm_layer_fn_result (fn, out, "aux_loss"), 0), 0.01 * energy,
                                  1e-12);
  g_assert_cmpint (lm_layer_fn_find (fn->out_names, "updated:norm.moving_mean"), >=, 0);
  g_assert_cmpfloat_with_epsilon (
      at (lm_layer_fn_result (fn, out, "summary:model.fprop/energy_scalar"), 0), energy, 1e-12);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* Training drops about half and doubles the rest; the same key drops the same; evaluation drops nothing,
 * moves no state and adds no loss. */
static void
test_dropout (void)
{
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  g_autoptr (LmLayerFn) fn = layer_new (registry, backend, 0.5);
  g_autoptr (GPtrArray) a = layer_run (fn, backend, false);
  g_autoptr (GPtrArray) b = lm_layer_fn_run (fn, backend);
  const LmArray *ya = lm_layer_fn_result (fn, a, "y"), *yb = lm_layer_fn_result (fn, b, "y");
  double whole[B * F];
  guint dropped = 0;
  expect (fn, whole);
  g_assert_cmpmem (ya->data, (gsize)ya->bytes, yb->data, (gsize)yb->bytes);
  for (guint i = 0; i < B * F; i++) {
    dropped += at (ya, i) == 0;
    if (at (ya, i) != 0)
      g_assert_cmpfloat_with_epsilon (at (ya, i), 2 * whole[i], 1e-12);
  }
  g_assert_cmpuint (dropped, >, 2);
  g_assert_cmpuint (dropped, <, B * F - 2);
  g_autoptr (GPtrArray) c = layer_run (fn, backend, true);
  g_assert_cmpfloat (at (lm_layer_fn_result (fn, c, "updated:energy"), 0), ==, 0);
  g_assert_cmpint (lm_layer_fn_find (fn->out_names, "aux_loss"), ==, -1);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* --- gradients of a whole step ---------------------------------------------------------------------------- */

/* Two composites in a task; descent by 1, so a step takes the gradient off each variable. */
static const char task[] =
    "{\"dtype\": \"f64\", \"model\": {\"type\": \"lamina.classification\", \"network\": {\"type\": "
    "\"lamina.sequential\", \"layers\": [{\"type\": \"acme.composite\", \"input_dims\": 3, "
    "\"output_dims\": 4, \"keep_prob\": 0.7, \"energy_weight\": 0.3}, {\"type\": "
    "\"acme.composite\", \"input_dims\": 4, \"output_dims\": 4, \"keep_prob\": 0.6, "
    "\"energy_weight\": 0.2}]}, \"softmax\": {\"type\": \"lamina.full_softmax\", \"input_dims\": "
    "4, \"num_classes\": 3}}, \"learners\": [{\"type\": \"lamina.learner\", \"optimizer\": "
    "{\"type\": \"lamina.sgd\", \"learning_rate\": 1}}]}";

typedef struct Grad {
  LmTestRun *run;
  LmArray *key, *batch[2];
} Grad;

static Grad
grad_new (GHashTable *weights)
{
  Grad g;
  GRand *rand = g_rand_new_with_seed (9);
  lam_type rows = lm_type (LAM_I32, 1, (int64_t[]) {B});
  LmBatchField fields[2] = {{(char *)"inputs", lm_type (LAM_F64, 2, (int64_t[]) {B, D})},
                            {(char *)"labels", rows}};
  LmBatchSpec spec = {2, fields};
  g.run = lm_test_run_new (lm_test_json (task), weights, &spec, LM_STEP_TRAIN, "reference");
  g.key = lm_test_key (0, 77);
  g.batch[0] = numbers (rand, 2, (int64_t[]) {B, D}, -1);
  g.batch[1] = lm_test_array (&rows, (double[]) {0, 2, 1, 1, 0});
  g_rand_free (rand);
  return g;
}

static void
grad_clear (Grad *g)
{
  lm_test_run_free (g->run);
  lm_array_unref (g->key);
  lm_array_unref (g->batch[0]);
  lm_array_unref (g->batch[1]);
}

/* Variables by path, away from where they start. */
static GHashTable *
weights_new (void)
{
  g_autoptr (GError) error = NULL;
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (JsonObject) config = lm_test_json (task);
  g_autoptr (LmModel) model = lm_model_new (registry, lm_host_tables (), config, &error);
  g_assert_no_error (error);
  GHashTable *weights =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)lm_array_unref);
  GRand *rand = g_rand_new_with_seed (3);
  for (guint i = 0; i < lm_model_n_vars (model); i++) {
    const lam_var_info *info = lm_model_var_infos (model)[i];
    bool state = info->collections & LAM_NON_TRAINABLE;
    g_hash_table_insert (weights, g_strdup (info->path),
                         numbers (rand, info->type.rank, info->type.dims, state ? 0.5 : -1));
  }
  g_rand_free (rand);
  lm_model_free (g_steal_pointer (&model));
  lm_registry_free (registry);
  return weights;
}

/* The loss of one step from the weights; the run is at its start again afterwards. */
static double
loss_of (Grad *g, LmArray *const *start)
{
  lm_test_run_step (g->run, g->key, g->batch);
  for (guint i = 0; i < g->run->n_state; i++) {
    lm_array_unref (g->run->state[i]);
    g->run->state[i] = lm_array_ref (start[i]);
  }
  return lm_test_run_loss (g->run);
}

/* Every element of variable i: what the step took off it against (loss (+h) - loss (-h)) / 2h. */
static void
compare (Grad *g, guint i, LmArray *const *start, const LmArray *after)
{
  const lam_var_info *info = lm_model_var_infos (g->run->model)[i];
  double *x = start[i]->data;
  const double h = 1e-5;
  for (int64_t k = 0; k < lam_type_elements (&info->type); k++) {
    double old = x[k], got = old - lm_array_get_double (after, k), high, low, want;
    x[k] = old + h;
    high = loss_of (g, start);
    x[k] = old - h;
    low = loss_of (g, start);
    x[k] = old;
    want = (high - low) / (2 * h);
    if (!(fabs (got - want) <= 1e-8 + 1e-6 * fabs (want)))
      g_test_fail_printf ("%s[%" G_GINT64_FORMAT "]: gradient %.9g, difference %.9g", info->path, k,
                          got, want);
  }
}

static void
test_gradients (void)
{
  g_autoptr (GHashTable) weights = weights_new ();
  Grad g = grad_new (weights);
  guint n = g.run->n_state, n_vars = g.run->step->n_vars, learned = 0;
  LmArray **start = g_new0 (LmArray *, n + 1), **after = g_new0 (LmArray *, n + 1);
  for (guint i = 0; i < n; i++)
    start[i] = lm_array_ref (g.run->state[i]);
  lm_test_run_step (g.run, g.key, g.batch);
  for (guint i = 0; i < n; i++) {
    after[i] = g.run->state[i];
    g.run->state[i] = lm_array_ref (start[i]);
  }
  for (guint i = 0; i < n_vars; i++)
    if (!(lm_model_var_infos (g.run->model)[i]->collections & LAM_NON_TRAINABLE)) {
      compare (&g, i, start, after[i]);
      learned++;
    }
  g_assert_cmpuint (learned, ==, 2 * 4 + 2); /* linear w, norm beta gamma, gain; the head's w b */
  for (guint i = 0; i < n; i++) {
    lm_array_unref (start[i]);
    lm_array_unref (after[i]);
  }
  g_free (start);
  g_free (after);
  grad_clear (&g);
}

/* The layer alone: its inputs too, and in bfloat16. */
static const LmLayerCheck checks[] = {
    LM_CHECK_TRAIN ("{'type': 'acme.composite', 'input_dims': 3, 'output_dims': 4, 'keep_prob': 1}",
                    "inputs 5,3"),
    LM_CHECK_EVAL ("{'type': 'acme.composite', 'input_dims': 3, 'output_dims': 4}", "inputs 5,3"),
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("LAMINA_TEST_STRANGER", "composite", TRUE);
  g_test_add_func ("/step/composite/values", test_values);
  g_test_add_func ("/step/composite/dropout", test_dropout);
  g_test_add_func ("/step/composite/gradients", test_gradients);
  lm_layer_check_add (checks, G_N_ELEMENTS (checks));
  return g_test_run ();
}
