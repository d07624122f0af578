/* SPDX-License-Identifier: Apache-2.0 */
/* The learner with the optimizers of plugins/, 20 steps each, against praxis and optax (golden groups
 * optimizers_praxis, optimizers_optax); f32 on the reference backend. */
#include "core/model/model.h"
#include "tests/lib/fixture.h"
#include "tests/lib/golden.h"

#include <lamina/layer.h>
#include <lamina/learner.h>
#include <math.h>
#include <string.h>

#define VARS 3

/* A case, and the learner that upstream's configuration is. slack: factor on the case's tolerance: praxis
 * and optax compute 1 - beta^n in f32 from beta rounded to f32, which is off by 1.3e-5 at first; the same
 * 20 steps in f64 are up to 3 tolerances away from their numbers. */
typedef struct Row {
  const char *group, *id, *learner, *optimizer;
  double slack;
} Row;

#define PRAXIS "optimizers_praxis"
#define OPTAX  "optimizers_optax"
#define SGD    "'type': 'lamina.sgd', 'learning_rate': 0.1"
/* praxis' Adam: epsilon 1e-6, optax': 1e-8, which is ours */
#define ADAM  "'type': 'lamina.adamw', 'learning_rate': 0.1, 'epsilon': 1e-6"
#define ADAMW "'type': 'lamina.adamw', 'learning_rate': 0.1"
#define RAMPUP                                                                                     \
  ", 'lr_schedule': {'type': 'lamina.linear_rampup_cosine_decay', 'warmup_steps': 4, "             \
  "'decay_start': 6, 'decay_end': 16, 'min_ratio': 0.1, 'max': 1.0}"

static const Row rows[] = {
    {PRAXIS, "sgd", "", SGD, 1},
    {PRAXIS, "sgd.momentum", "", SGD ", 'momentum': 0.9", 1},
    {PRAXIS, "sgd.nesterov", "", SGD ", 'momentum': 0.9, 'nesterov': true", 1},
    {PRAXIS, "sgd.l2_skip1d", "", SGD ", 'l2_regularizer_weight': 0.3, 'skip_lp_1d_vectors': true",
     1},
    {PRAXIS, "sgd.l1", "", SGD ", 'l1_regularizer_weight': 0.2", 1},
    {PRAXIS, "adam", "", ADAM, 4},
    {PRAXIS, "adam.noclip", "", ADAM, 4},
    {PRAXIS, "adam.optax", "", ADAM, 4},
    {PRAXIS, "adam.decoupled", "", ADAM ", 'decoupled_weight_decay': 0.1", 4},
    {PRAXIS, "adam.l2", "", ADAM ", 'l2_regularizer_weight': 0.05", 4},
    {PRAXIS, "adam.l1", "", ADAM ", 'l1_regularizer_weight': 0.05", 4},
    {PRAXIS, "adam.hparamsb", "", ADAMW ", 'beta2': 0.98, 'epsilon': 1e-9", 4},
    {PRAXIS, "adam.schedule", "", ADAM RAMPUP ", 'decoupled_weight_decay': 0.1", 4},
    {PRAXIS, "clip_global", ", 'clip_gradient_norm_to_value': 1.0", ADAM, 4},
    {PRAXIS, "clip_global.sgd", ", 'clip_gradient_norm_to_value': 0.5", SGD, 1},
    {PRAXIS, "clip_single", ", 'clip_gradient_single_norm_to_value': 0.4", SGD, 1},
    {PRAXIS, "clip_single.adam", ", 'clip_gradient_single_norm_to_value': 1.5", ADAM, 4},
    {PRAXIS, "nonfinite_skip", "", ADAM, 4},
    {PRAXIS, "nonfinite_skip.schedule", "", SGD ", 'momentum': 0.9" RAMPUP, 1},
    {PRAXIS, "nonfinite_noskip.sgd", ", 'enable_skip_step_on_gradient_anomalies': false", SGD, 1},
    {PRAXIS, "skip_threshold", ", 'skip_step_gradient_norm_value': 5.0", SGD ", 'momentum': 0.9",
     1},
    {OPTAX, "sgd", "", SGD, 1},
    {OPTAX, "sgd.momentum", "", SGD ", 'momentum': 0.9", 1},
    {OPTAX, "sgd.nesterov", "", SGD ", 'momentum': 0.9, 'nesterov': true", 1},
    {OPTAX, "adam", "", ADAMW, 4},
    {OPTAX, "adam.eps_root", "", ADAMW ", 'epsilon': 1e-5, 'epsilon_root': 0.001", 4},
    {OPTAX, "adam.ranges", "", ADAMW, 4},
    {OPTAX, "adamw", "", ADAMW ", 'decoupled_weight_decay': 0.01", 4},
    {OPTAX, "adamw.ranges", "", ADAMW ", 'decoupled_weight_decay': 0.05", 4},
    {OPTAX, "chain.clip_global.adam", ", 'clip_gradient_norm_to_value': 1.0", ADAMW, 4},
    {OPTAX, "chain.clip_global.sgd", ", 'clip_gradient_norm_to_value': 0.5", SGD, 1},
    {OPTAX, "chain.l2.sgd", "", SGD ", 'momentum': 0.9, 'l2_regularizer_weight': 0.1", 1},
    {OPTAX, "chain.decoupled.sgd", "", SGD ", 'momentum': 0.9, 'decoupled_weight_decay': 0.1", 1},
    {OPTAX, "chain.apply_if_finite", "", ADAMW, 4},
};

/* --- model -------------------------------------------------------------------------------------------- */

static LmModel *
model_of (LmRegistry *registry, const char *learner, const char *optimizer)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text =
      g_strdup_printf ("{'model': {'type': 'lamina.bias', 'dims': 1}, 'learners': [{'type': "
                       "'lamina.learner', 'optimizer': {%s}%s}]}",
                       optimizer, learner);
  g_autoptr (JsonObject) config = lm_test_json (g_strdelimit (text, "'", '"'));
  LmModel *model = lm_model_new (registry, lm_host_tables (), config, &error);
  g_assert_no_error (error);
  return model;
}

/* --- one function: learner state and step from gradients ------------------------------------------------ */

typedef struct Run {
  const LmGolden *g;
  const LmGoldenCase *inputs;
  LmModel *model;
  const char *names[VARS]; /* in flatten order */
  lam_type types[VARS];
  const lam_var_info *infos[VARS];
  lam_var_info storage[VARS];
} Run;

static lam_nest
params_nest (const Run *r, LmTrace *t)
{
  lam_nest map = lam_nest_map (lm_trace_pub (t));
  for (guint i = 0; i < VARS; i++)
    lam_nest_set_tensor (lm_trace_pub (t), map, r->names[i], lm_trace_param (t, &r->types[i]));
  return map;
}

static void
enter (LmTrace *t, const LmLayer *learner)
{
  LmTraceLayer entered = {learner->id, learner->path, "learner.test"};
  lam_context_args args = lam_context_args_make ();
  lm_trace_context_push (lm_trace_pub (t), &args);
  lm_trace_enter (t, &entered);
}

/* The state's tree and its leaves; init runs the function (vars) -> states. */
static LmFunction *
trace_init (const Run *r, LmNest **structure)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTrace) t = lm_model_trace (r->model, "init");
  lam_trace *pub = lm_trace_pub (t);
  const LmLayer *learner = lm_model_learner (r->model, 0);
  const lam_learner_vt *vt = learner->provided->vtable;
  lam_learn learn = {.struct_size = sizeof learn, .n_vars = VARS, .infos = r->infos};
  learn.vars = params_nest (r, t);
  enter (t, learner);
  lam_nest states = vt->init_states (learner->instance, pub, &learn);
  lam_tensor leaves[64];
  uint32_t n = lam_nest_flatten (pub, states, leaves, 64);
  g_assert_cmpuint (n, <=, 64);
  g_assert_true (lam_is_ok (pub));
  *structure = lm_nest_copy (lm_trace_nest_peek (t, states));
  LmFunction *f = lm_trace_finish (t, leaves, n, &error);
  g_assert_no_error (error);
  return f;
}

/* (vars, states, grads) -> (new vars, new states) */
static LmFunction *
trace_step (const Run *r, const LmFunction *init, const LmNest *structure)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTrace) t = lm_model_trace (r->model, "step");
  lam_trace *pub = lm_trace_pub (t);
  const LmLayer *learner = lm_model_learner (r->model, 0);
  const lam_learner_vt *vt = learner->provided->vtable;
  lam_learn learn = {.struct_size = sizeof learn, .n_vars = VARS, .infos = r->infos};
  uint64_t leaves[64] = {0};
  lam_tensor results[VARS + 64];
  guint n = init->ir.n_results;
  lam_nest new_states = {0, 0};
  learn.vars = params_nest (r, t);
  for (guint i = 0; i < n; i++)
    leaves[i] = lm_trace_param (t, lm_result_type (init, i)).id;
  learn.states = lm_trace_nest (t, lm_nest_pack (structure, leaves, n, NULL));
  learn.grads = params_nest (r, t);
  learn.step = lam_full_bits (pub, LAM_U32, LAM_SCALAR, 0);
  enter (t, learner);
  learn.updates = vt->update_states (learner->instance, pub, &learn, &new_states);
  lam_nest vars = vt->apply_gradient (learner->instance, pub, &learn);
  g_assert_cmpuint (lam_nest_flatten (pub, vars, results, VARS), ==, VARS);
  g_assert_cmpuint (lam_nest_flatten (pub, new_states, results + VARS, 64), ==, n);
  LmFunction *f = lm_trace_finish (t, results, VARS + n, &error);
  g_assert_no_error (error);
  return f;
}

static Run
prepare (const LmGolden *g, const LmGoldenCase *c, LmModel *model)
{
  Run r = {.g = g, .model = model};
  r.inputs = lm_golden_lookup (g, json_object_get_string_member (c->attrs, "inputs"));
  JsonArray *names = lm_golden_names (r.inputs, "params");
  g_assert_cmpuint (json_array_get_length (names), ==, VARS);
  for (guint i = 0; i < VARS; i++) {
    LmGoldenTensor x;
    r.names[i] = json_array_get_string_element (names, i); /* sorted */
    g_assert_true (lm_golden_tensor (g, r.inputs, "params", r.names[i], &x));
    r.types[i] = x.type;
    r.storage[i] = (lam_var_info) {sizeof (lam_var_info), 0, r.names[i], x.type, 1, 0};
  }
  return r;
}

static LmArray *
step_row (const LmGolden *g, const LmGoldenCase *c, const char *section, const char *name,
          const lam_type *type, guint i)
{
  LmGoldenTensor x;
  g_assert_true (lm_golden_tensor (g, c, section, name, &x));
  return lm_array_new_copy (type, (const char *)x.data + (gsize)i * (gsize)lam_type_bytes (type),
                            NULL);
}

/* Compares the variables after step i by the case's tolerance. */
static bool
compare (const Run *r, const LmGoldenCase *c, LmArray *const *vars, guint i, double slack)
{
  bool good = true;
  for (guint k = 0; k < VARS; k++) {
    g_autoptr (LmArray) want = step_row (r->g, c, "out", r->names[k], &r->types[k], i);
    for (int64_t e = 0; e < lam_type_elements (&r->types[k]); e++) {
      double a = lm_array_get_double (vars[k], e), b = lm_array_get_double (want, e);
      double limit = slack * (c->tolerance.atol + c->tolerance.rtol * fabs (b));
      bool same = (isnan (a) && isnan (b)) || a == b || fabs (a - b) <= limit;
      if (!same && good)
        g_test_fail_printf ("%s: step %u: %s[%d]: got %.9g, wanted %.9g", c->id, i, r->names[k],
                            (int)e, a, b);
      good = good && same;
    }
  }
  return good;
}

static void
free_arrays (LmArray **arrays, guint n)
{
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&arrays[i], lm_array_unref);
}

static void
run (Run *r, const LmGoldenCase *c, LmBackend *backend, double slack)
{
  g_autoptr (GError) error = NULL;
  LmNest *structure = NULL;
  for (guint i = 0; i < VARS; i++)
    r->infos[i] = &r->storage[i];
  g_autoptr (LmFunction) init = trace_init (r, &structure);
  g_autoptr (LmFunction) step = trace_step (r, init, structure);
  lm_nest_free (structure);
  g_autoptr (LmExecutable) exe = lm_compile (backend, step, NULL, &error);
  g_assert_no_error (error);
  guint n = VARS + init->ir.n_results;
  g_autofree LmArray **in = g_new0 (LmArray *, n + VARS + 1), **out = g_new0 (LmArray *, n + 1);
  for (guint k = 0; k < VARS; k++)
    in[k] = step_row (r->g, r->inputs, "params", r->names[k], &r->types[k], 0);
  lm_test_run (backend, init, in, in + VARS);
  bool good = true;
  for (guint i = 0; i < 20 && good; i++) {
    for (guint k = 0; k < VARS; k++)
      in[n + k] = step_row (r->g, r->inputs, "grads", r->names[k], &r->types[k], i);
    lm_execute_arrays (exe, in, out, &error);
    g_assert_no_error (error);
    free_arrays (in, n + VARS);
    memcpy (in, out, n * sizeof *in);
    memset (out, 0, n * sizeof *out);
    good = compare (r, c, in, i, slack);
  }
  free_arrays (in, n);
}

static void
test_golden (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open (row->group, &error);
  g_assert_no_error (error);
  const LmGoldenCase *c = lm_golden_lookup (g, row->id);
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  LmModel *model = model_of (registry, row->learner, row->optimizer);
  g_assert_nonnull (c);
  Run r = prepare (g, c, model);
  run (&r, c, backend, row->slack);
  lm_model_free (model);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* Both kinds of clipping at once are refused, and so is an impossible rate of decay. */
static void
test_refuse (void)
{
  static const struct {
    const char *learner, *optimizer, *error;
  } bad[] = {{", 'clip_gradient_norm_to_value': 1.0, 'clip_gradient_single_norm_to_value': 1.0",
              SGD, "exclude each other"},
             {"", ADAMW ", 'beta1': 1.0", "beta1 and beta2"},
             {"", SGD ", 'momentun': 0.9", "momentum"},
             {"", SGD ", 'momentum': -1", "momentum"}};
  LmRegistry *registry = lm_test_registry ();
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text =
        g_strdup_printf ("{'model': {'type': 'lamina.bias', 'dims': 1}, 'learners': [{'type': "
                         "'lamina.learner', 'optimizer': {%s}%s}]}",
                         bad[i].optimizer, bad[i].learner);
    g_autoptr (JsonObject) config = lm_test_json (g_strdelimit (text, "'", '"'));
    g_assert_null (lm_model_new (registry, lm_host_tables (), config, &error));
    lm_test_assert_error (&error, LM_ERROR_INVALID, bad[i].error, NULL);
  }
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *path = g_strdup_printf ("/plugins/learners/%s/%s", rows[i].group, rows[i].id);
    g_test_add_data_func (path, &rows[i], test_golden);
  }
  g_test_add_func ("/plugins/learners/refuse", test_refuse);
  return g_test_run ();
}
