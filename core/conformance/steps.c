/* SPDX-License-Identifier: Apache-2.0 */
/* Whole training steps of two small models made of built-in layers: everything that a step needs at
 * once, with its state donated. */
#include "core/conformance/cases.h"

#include "core/program/state.h"
#include <string.h>

const char *const lm_step_checks[] = {"steps_mlp", "steps_conv", NULL};

#define STEPS   3
#define BATCH   16
#define CLASSES 5

typedef struct Config {
  const char *model, *learner;
  int32_t rank;
  int64_t dims[LAM_MAX_RANK]; /* of the inputs, (B, ...) */
} Config;

/* Optimizers divide by gradients' sizes or not, clip or not; the seed is the config's, so that no
 * activation happens to stand on a kink. */
static const Config configs[] = {
    {"{\"type\": \"lamina.classification\", \"network\": {\"type\": \"lamina.sequential\", "
     "\"layers\": ["
     "{\"type\": \"lamina.feed_forward\", \"input_dims\": 13, \"output_dims\": 32, "
     "\"activation\": \"gelu\"}, "
     "{\"type\": \"lamina.dropout\", \"keep_prob\": 0.75}, "
     "{\"type\": \"lamina.feed_forward\", \"input_dims\": 32, \"output_dims\": 17, "
     "\"activation\": \"tanh\"}]}, "
     "\"softmax\": {\"type\": \"lamina.full_softmax\", \"input_dims\": 17, \"num_classes\": 5}}",
     "{\"type\": \"lamina.learner\", \"optimizer\": {\"type\": \"lamina.adamw\", "
     "\"learning_rate\": 0.01, \"epsilon\": 0.001, \"decoupled_weight_decay\": 0.01}}",
     2,
     {BATCH, 13}},
    {"{\"type\": \"lamina.classification\", \"network\": {\"type\": \"lamina.sequential\", "
     "\"layers\": ["
     "{\"type\": \"lamina.conv2d\", \"filter_shape\": [3, 3, 3, 8]}, "
     "{\"type\": \"lamina.batch_norm\", \"dim\": 8}, "
     "{\"type\": \"lamina.activation\", \"function\": \"silu\"}, "
     "{\"type\": \"lamina.max_pool\", \"window_shape\": [3, 2], \"window_stride\": [2, 2]}, "
     "{\"type\": \"lamina.conv2d\", \"filter_shape\": [3, 2, 8, 6], \"filter_stride\": [2, 1], "
     "\"bias\": true}, "
     "{\"type\": \"lamina.activation\", \"function\": \"relu\"}, "
     "{\"type\": \"lamina.flatten\"}]}, "
     "\"softmax\": {\"type\": \"lamina.full_softmax\", \"input_dims\": 48, \"num_classes\": 5}}",
     "{\"type\": \"lamina.learner\", \"clip_gradient_norm_to_value\": 1.0, \"optimizer\": "
     "{\"type\": \"lamina.sgd\", \"momentum\": 0.9, \"nesterov\": true, \"learning_rate\": 0.1, "
     "\"l2_regularizer_weight\": 0.001}}",
     4,
     {BATCH, 8, 8, 3}},
};

static char *
config_text (const Config *config, const char *dtype)
{
  return g_strdup_printf ("{\"name\": \"conformance\", \"dtype\": \"%s\", \"seed\": 20261201, "
                          "\"model\": %s, \"learners\": [%s]}",
                          dtype, config->model, config->learner);
}

/* --- the step and its inputs -------------------------------------------------------------------------------- */

typedef struct Training {
  const LmConformance *c;
  LmModel *model;
  LmStep *step;
  GPtrArray *in; /* LmArray*: vars, states, step, key, batch */
  guint n_state;
} Training;

static void
training_clear (Training *t)
{
  g_clear_pointer (&t->in, g_ptr_array_unref);
  g_clear_pointer (&t->step, lm_step_free);
  g_clear_pointer (&t->model, lm_model_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Training, training_clear)

static bool
build (Training *t, const Config *config, const char *text, LmBatchField *fields, GError **error)
{
  g_autoptr (JsonNode) node =
      lm_json_parse (text, strlen (text), LM_JSON_STRICT, "conformance", error);
  if (node == NULL)
    return false;
  t->model = lm_model_new (t->c->registry, t->c->tables, json_node_get_object (node), error);
  if (t->model == NULL)
    return false;
  lam_dtype real = lm_model_real_dtype (t->model);
  fields[0] = (LmBatchField) {(char *)"inputs", lm_type (real, config->rank, config->dims)};
  fields[1] = (LmBatchField) {(char *)"labels", lm_type (LAM_I32, 1, config->dims)};
  fields[2] = (LmBatchField) {(char *)"weights", lm_type (real, 1, config->dims)};
  LmBatchSpec batch = {3, fields};
  const LmStepOptions options = {.with_summaries = true};
  t->step = lm_step_new_train (t->model, &batch, &options, error);
  return t->step != NULL;
}

/* Runs a function on reference and appends its results. */
static bool
append_results (Training *t, const LmFunction *f, LmArray *const *in, GError **error)
{
  g_autofree LmArray **out = g_new0 (LmArray *, f->ir.n_results + 1);
  if (!lm_run_function (t->c->reference, f, in, out, error))
    return false;
  for (guint i = 0; i < f->ir.n_results; i++)
    g_ptr_array_add (t->in, out[i]);
  return true;
}

static bool
start_state (Training *t, GError **error)
{
  uint64_t seed = lm_model_seed (t->model);
  lam_type word = lm_scalar_type (LAM_U32);
  g_autoptr (LmFunction) vars = lm_model_init_function (t->model, error);
  g_autoptr (LmStateInit) states = vars != NULL ? lm_state_init_new (t->model, error) : NULL;
  g_autoptr (LmArray) key = states != NULL ? lm_program_key_array (seed, LM_KEY_INIT, error) : NULL;
  if (key == NULL || !append_results (t, vars, (LmArray *const[]) {key}, error)
      || !append_results (t, states->function, (LmArray *const *)t->in->pdata, error))
    return false;
  LmArray *step = lm_array_new (&word, error);
  if (step == NULL)
    return false;
  g_ptr_array_add (t->in, step);
  t->n_state = t->in->len;
  LmArray *train = lm_program_key_array (seed, LM_KEY_TRAIN, error);
  if (train != NULL)
    g_ptr_array_add (t->in, train);
  return train != NULL;
}

static bool
draw_batch (Training *t, const LmBatchField *fields, GError **error)
{
  const guint32 seed[] = {(guint32)t->c->seed, (guint32)(t->c->seed >> 32),
                          g_str_hash (t->c->check)};
  GRand *rand = g_rand_new_with_seed_array (seed, G_N_ELEMENTS (seed));
  bool ok = true;
  for (guint i = 0; i < 3 && ok; i++) {
    const LmDrawing d = {rand, i == 2 ? LM_DRAW_POSITIVE : LM_DRAW_PLAIN, 0, i};
    LmArray *array = lm_case_draw (&d, &fields[i].type, error);
    ok = array != NULL;
    for (int64_t k = 0; ok && i == 1 && k < BATCH; k++)
      ((int32_t *)array->data)[k] = g_rand_int_range (rand, 0, CLASSES);
    if (ok)
      g_ptr_array_add (t->in, array);
  }
  g_rand_free (rand);
  return ok;
}

/* --- comparison ----------------------------------------------------------------------------------------------- */

static char *
name_of (const Training *t, guint i)
{
  const LmStep *s = t->step;
  if (i < s->n_vars)
    return g_strdup_printf ("variable %s", lm_model_var_infos (t->model)[i]->path);
  if (i < s->n_vars + s->n_states)
    return g_strdup_printf ("learner state %u", i - s->n_vars);
  if (i == lm_step_loss_index (s))
    return g_strdup ("loss");
  if (s->n_summaries > 0 && i >= lm_step_summary_index (s, 0))
    return g_strdup_printf ("summary %s", s->summaries[i - lm_step_summary_index (s, 0)].name);
  return g_strdup_printf ("result %u", i);
}

/* What is wrong after so many steps; NULL: nothing. */
static char *
compare_after (Training *t, guint steps, LmConformanceResult *r, GError **error)
{
  const LmFunction *f = t->step->function;
  guint n = f->ir.n_results;
  g_autofree LmArray **want = g_new0 (LmArray *, n + 1), **got = g_new0 (LmArray *, n + 1);
  LmArray *const *in = (LmArray *const *)t->in->pdata;
  g_autoptr (GError) theirs = NULL;
  g_autofree char *what = NULL;
  if (!lm_case_run_steps (t->c->reference, f, t->n_state, steps, in, want, error))
    return NULL;
  if (!lm_case_run_steps (t->c->backend, f, t->n_state, steps, in, got, &theirs))
    what = g_strdup (theirs->message);
  LmComparison c = {.rule = lm_rule_of (t->c->check), .allow = LM_ALLOW_STEP};
  for (guint i = 0; i < n && what == NULL; i++) {
    g_autofree char *message = NULL, *name = name_of (t, i);
    if (!lm_case_compare (&c, got[i], want[i], &message))
      what = g_strdup_printf ("%s, %s", name, message);
  }
  r->worst_part = MAX (r->worst_part, c.worst_part);
  lm_case_free_arrays (want, n);
  lm_case_free_arrays (got, n);
  return what != NULL ? g_strdup_printf ("after step %u: %s", steps, what) : NULL;
}

static void
begin (Training *t, LmConformanceResult *r, guint number)
{
  LmConformanceCase info = {.check = r->check, .dtype = r->dtype, .number = number};
  r->cases++;
  if (t->c->begin != NULL)
    t->c->begin (&info, t->c->user);
}

/* One step and all of them: what is wrong in the first is easier to find. */
static bool
run_dtype (const LmConformance *c, const Config *config, const char *dtype, guint number,
           GError **error)
{
  static const guint steps[] = {1, STEPS};
  g_auto (Training)
      t = {.c = c, .in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref)};
  g_autofree char *text = config_text (config, dtype);
  LmConformanceResult r = {.check = c->check, .dtype = dtype};
  LmBatchField fields[3];
  GError *own = NULL;
  if (!build (&t, config, text, fields, error) || !start_state (&t, error)
      || !draw_batch (&t, fields, error))
    return false;
  for (guint i = 0; i < G_N_ELEMENTS (steps) && own == NULL; i++) {
    if (c->only >= 0 && c->only != (gint64)(number + i))
      continue;
    begin (&t, &r, number + i);
    char *what = compare_after (&t, steps[i], &r, &own);
    if (what != NULL && r.failed++ == 0) {
      r.first_failed = number + i;
      r.message = what;
      r.first_function = text;
    } else {
      g_free (what);
    }
  }
  if (own == NULL && r.cases > 0 && c->result != NULL)
    c->result (&r, c->user);
  g_free (r.message);
  if (own != NULL)
    g_propagate_error (error, own);
  return own == NULL;
}

bool
lm_step_check_run (const LmConformance *c, GError **error)
{
  static const char *const dtypes[] = {"f64", "f32"};
  const Config *config = &configs[strcmp (c->check, "steps_mlp") == 0 ? 0 : 1];
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if ((c->dtype == NULL || strcmp (c->dtype, dtypes[i]) == 0)
        && !run_dtype (c, config, dtypes[i], 2 * i, error)) {
      g_prefix_error (error, "%s: ", c->check);
      return false;
    }
  return true;
}
