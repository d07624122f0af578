/* SPDX-License-Identifier: Apache-2.0 */
/* A learner alone: see learn.h. */
#include "tests/lib/learn.h"

#include <lamina/layer.h>
#include <string.h>

/* --- model ------------------------------------------------------------------------------------ */

static JsonObject *
config_of (const LmLearnSpec *spec)
{
  GString *names = g_string_new (NULL), *dtypes = g_string_new (NULL), *ranks = g_string_new (NULL);
  GString *dims = g_string_new (NULL), *collections = g_string_new (NULL);
  bool f64 = false;
  for (guint i = 0; i < spec->n; i++) {
    const lam_type *type = &spec->types[i];
    const char *comma = i > 0 ? ", " : "";
    char kind = type->dtype == LAM_I32    ? 'i'
                : type->dtype == LAM_PRED ? 'b'
                : type->dtype == LAM_BF16 ? 'h'
                                          : 'f';
    f64 = f64 || type->dtype == LAM_F64;
    g_string_append_printf (names, "%s'%s'", comma, spec->names[i]);
    g_string_append_printf (dtypes, "%s'%c'", comma, kind);
    g_string_append_printf (ranks, "%s%d", comma, type->rank);
    g_string_append_printf (collections, "%s%u", comma, spec->collections[i]);
    for (int32_t k = 0; k < type->rank; k++)
      g_string_append_printf (dims, "%s%d", dims->len > 0 ? ", " : "", (int)type->dims[k]);
  }
  g_autofree char *text = g_strdup_printf (
      "{'dtype': '%s', 'model': {'type': 'stranger.variables', 'names': [%s], 'dtypes': [%s], "
      "'ranks': [%s], 'dims': [%s], 'collections': [%s]}, 'learners': [{%s}]}",
      f64 ? "f64" : "f32", names->str, dtypes->str, ranks->str, dims->str, collections->str,
      spec->learner);
  g_string_free (names, TRUE);
  g_string_free (dtypes, TRUE);
  g_string_free (ranks, TRUE);
  g_string_free (dims, TRUE);
  g_string_free (collections, TRUE);
  return lm_test_json (g_strdelimit (text, "'", '"'));
}

LmLearn *
lm_learn_try (const LmLearnSpec *spec, GError **error)
{
  LmLearn *l = g_new0 (LmLearn, 1);
  g_autoptr (JsonObject) config = config_of (spec);
  g_autofree char *plugin =
      g_build_filename (g_getenv ("LAMINA_STRANGER_DIR"), "variables.so", NULL);
  l->spec = *spec;
  l->spec.learner = NULL;
  l->registry = lm_test_registry ();
  g_assert_true (lm_registry_add_file (l->registry, plugin, NULL, NULL));
  l->model = lm_model_new (l->registry, lm_host_tables (), config, error);
  for (guint i = 0; l->model != NULL && i < spec->n; i++) {
    /* The model's own info is told the prefix as well: the optimizer chain reads it there. */
    lam_var_info *info = (lam_var_info *)(uintptr_t)lm_model_var_infos (l->model)[i];
    g_assert_cmpstr (info->path, ==, spec->names[i]);
    info->n_prefix = spec->n_prefix[i];
    l->storage[i] = *info;
    l->infos[i] = &l->storage[i];
  }
  if (l->model != NULL)
    return l;
  lm_learn_free (l);
  return NULL;
}

/* --- traces ----------------------------------------------------------------------------------- */

static LmTrace *
begin (const LmLearn *l, const char *name, lam_learn *learn)
{
  const LmLayer *learner = lm_model_learner (l->model, 0);
  LmTrace *t = lm_model_trace (l->model, name);
  LmTraceLayer entered = {learner->id, learner->path, "learner.test"};
  lam_context_args args = lam_context_args_make ();
  lm_trace_context_push (lm_trace_pub (t), &args);
  lm_trace_enter (t, &entered);
  *learn = (lam_learn) {.struct_size = sizeof *learn, .n_vars = l->spec.n, .infos = l->infos};
  return t;
}

/* Parameters of the variables' types as a tree. */
static lam_nest
params (const LmLearn *l, LmTrace *t)
{
  lam_nest map = lam_nest_map (lm_trace_pub (t));
  for (guint i = 0; i < l->spec.n; i++)
    lam_nest_set_tensor (lm_trace_pub (t), map, l->spec.names[i],
                         lm_trace_param (t, &l->spec.types[i]));
  return map;
}

static uint64_t
number_leaf (uint64_t leaf, const char *path, gpointer user)
{
  uint64_t *next = user;
  return leaf != 0 ? (*next)++ : 0;
}

/* The paths of leaves that are not nil, parallel to them. */
static void
note_states (LmLearn *l, const LmNest *tree)
{
  g_autoptr (GArray) leaves = lm_nest_flatten (tree);
  g_auto (GStrv) paths = lm_nest_paths (tree);
  uint64_t next = 1;
  l->state_paths = g_new0 (char *, leaves->len + 1);
  for (guint i = 0; i < leaves->len; i++)
    if (g_array_index (leaves, uint64_t, i) != 0)
      l->state_paths[l->n_states++] = g_strdup (paths[i]);
  l->structure = lm_nest_map (tree, number_leaf, &next);
  g_assert_cmpuint (l->n_states, <=, LM_LEARN_STATES);
}

/* Leaves that are not nil. */
static guint
collect (LmTrace *t, lam_nest nest, lam_tensor *out)
{
  lam_tensor all[LM_LEARN_STATES];
  guint n = lam_nest_flatten (lm_trace_pub (t), nest, all, LM_LEARN_STATES), kept = 0;
  for (guint i = 0; i < n; i++)
    if (!lam_is_nil (all[i]))
      out[kept++] = all[i];
  return kept;
}

static bool
trace_init (LmLearn *l, GError **error)
{
  const LmLayer *learner = lm_model_learner (l->model, 0);
  const lam_learner_vt *vt = learner->provided->vtable;
  bool chosen[LM_LEARN_VARS];
  lam_tensor leaves[LM_LEARN_STATES];
  lam_learn learn;
  g_autoptr (LmTrace) t = begin (l, "init", &learn);
  for (guint i = 0; i < l->spec.n; i++)
    chosen[i] = l->storage[i].learnable != 0;
  if (LAM_HAS (vt, lam_learner_vt, select))
    vt->select (learner->instance, lm_trace_pub (t), l->infos, l->spec.n, chosen);
  for (guint i = 0; i < l->spec.n; i++)
    l->storage[i].learnable = chosen[i];
  learn.vars = params (l, t);
  lam_nest states = vt->init_states (learner->instance, lm_trace_pub (t), &learn);
  if (lm_trace_error (t) == NULL)
    note_states (l, lm_trace_nest_peek (t, states));
  guint n = collect (t, states, leaves);
  l->init = lm_trace_finish (t, leaves, n, error);
  return l->init != NULL;
}

static guint
note_summaries (LmLearn *l, LmTrace *t, lam_tensor *out)
{
  const LmSummary *summaries;
  guint n = lm_trace_summaries (t, &summaries);
  l->summary_keys = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n; i++) {
    g_ptr_array_add (l->summary_keys, g_strdup (summaries[i].key));
    out[i] = summaries[i].value;
  }
  return n;
}

/* (vars, states, grads, step) -> (new vars, new states, summaries) */
static bool
trace_step (LmLearn *l, GError **error)
{
  const LmLayer *learner = lm_model_learner (l->model, 0);
  const lam_learner_vt *vt = learner->provided->vtable;
  lam_type step = lm_scalar_type (LAM_U32);
  lam_tensor results[LM_LEARN_VARS + 2 * LM_LEARN_STATES];
  lam_nest new_states = {0, 0};
  lam_learn learn;
  g_autoptr (LmTrace) t = begin (l, "step", &learn);
  g_autoptr (GArray) leaves = lm_nest_flatten (l->structure);
  learn.vars = params (l, t);
  for (guint i = 0; i < leaves->len; i++) {
    uint64_t *leaf = &g_array_index (leaves, uint64_t, i);
    if (*leaf != 0)
      *leaf = lm_trace_param (t, lm_result_type (l->init, (guint)*leaf - 1)).id;
  }
  learn.states = lm_trace_nest (
      t, lm_nest_pack (l->structure, (const uint64_t *)(void *)leaves->data, leaves->len, NULL));
  learn.grads = params (l, t);
  learn.step = lm_trace_param (t, &step);
  learn.updates = vt->update_states (learner->instance, lm_trace_pub (t), &learn, &new_states);
  lam_nest vars = vt->apply_gradient (learner->instance, lm_trace_pub (t), &learn);
  guint n = collect (t, vars, results);
  n += collect (t, new_states, results + n);
  if (lm_trace_error (t) == NULL)
    g_assert_cmpuint (n, ==, l->spec.n + l->n_states);
  n += note_summaries (l, t, results + n);
  l->step = lm_trace_finish (t, results, n, error);
  return l->step != NULL;
}

bool
lm_learn_start (LmLearn *l, LmArray *const *vars, GError **error)
{
  if (!trace_init (l, error) || !trace_step (l, error))
    return false;
  l->backend = lm_test_backend (l->registry, "reference");
  l->executable = lm_compile (l->backend, l->step, NULL, error);
  if (l->executable == NULL)
    return false;
  for (guint i = 0; i < l->spec.n; i++)
    l->vars[i] = lm_array_ref (vars[i]);
  lm_test_run (l->backend, l->init, l->vars, l->states);
  l->summaries = g_new0 (LmArray *, l->summary_keys->len + 1);
  return true;
}

LmLearn *
lm_learn_new (const LmLearnSpec *spec, LmArray *const *vars)
{
  g_autoptr (GError) error = NULL;
  LmLearn *l = lm_learn_try (spec, &error);
  g_assert_no_error (error);
  lm_learn_start (l, vars, &error);
  g_assert_no_error (error);
  return l;
}

static void
free_arrays (LmArray **arrays, guint n)
{
  for (guint i = 0; arrays != NULL && i < n; i++)
    g_clear_pointer (&arrays[i], lm_array_unref);
}

void
lm_learn_free (LmLearn *l)
{
  free_arrays (l->vars, LM_LEARN_VARS);
  free_arrays (l->states, LM_LEARN_STATES);
  free_arrays (l->summaries, l->summary_keys != NULL ? l->summary_keys->len : 0);
  g_free (l->summaries);
  g_clear_pointer (&l->summary_keys, g_ptr_array_unref);
  g_clear_pointer (&l->executable, lm_executable_free);
  g_clear_pointer (&l->init, lm_function_unref);
  g_clear_pointer (&l->step, lm_function_unref);
  lm_nest_free (l->structure);
  g_strfreev (l->state_paths);
  lm_model_free (l->model);
  g_clear_pointer (&l->backend, lm_backend_unref);
  lm_registry_free (l->registry);
  g_free (l);
}

/* --- running ---------------------------------------------------------------------------------- */

void
lm_learn_step (LmLearn *l, LmArray **grads)
{
  g_autoptr (GError) error = NULL;
  guint n = l->spec.n, n_out = l->step->ir.n_results;
  lam_type type = lm_scalar_type (LAM_U32);
  g_autofree LmArray **in = g_new0 (LmArray *, 2 * n + l->n_states + 2);
  g_autofree LmArray **out = g_new0 (LmArray *, n_out + 1);
  memcpy (in, l->vars, n * sizeof *in);
  memcpy (in + n, l->states, l->n_states * sizeof *in);
  memcpy (in + n + l->n_states, grads, n * sizeof *in);
  in[2 * n + l->n_states] = lm_array_new_copy (&type, &l->count, NULL);
  lm_execute_arrays (l->executable, in, out, &error);
  g_assert_no_error (error);
  free_arrays (in, 2 * n + l->n_states + 1);
  free_arrays (l->summaries, l->summary_keys->len);
  memcpy (l->vars, out, n * sizeof *out);
  memcpy (l->states, out + n, l->n_states * sizeof *out);
  memcpy (l->summaries, out + n + l->n_states, l->summary_keys->len * sizeof *out);
  memset (grads, 0, n * sizeof *grads);
  l->count++;
}

const LmArray *
lm_learn_state (const LmLearn *l, const char *suffix)
{
  for (guint i = 0; i < l->n_states; i++)
    if (g_str_has_suffix (l->state_paths[i], suffix))
      return l->states[i];
  return NULL;
}

bool
lm_learn_has_summary (const LmLearn *l, const char *suffix)
{
  for (guint i = 0; i < l->summary_keys->len; i++)
    if (g_str_has_suffix (l->summary_keys->pdata[i], suffix))
      return true;
  return false;
}

double
lm_learn_summary (const LmLearn *l, const char *suffix)
{
  for (guint i = 0; i < l->summary_keys->len; i++)
    if (g_str_has_suffix (l->summary_keys->pdata[i], suffix))
      return lm_array_get_double (l->summaries[i], 0);
  g_error ("there is no summary %s", suffix);
}

/* --- the usual pair --------------------------------------------------------------------------- */

static const double start_a[] = {1, -2, 3, 0.5}, start_b[] = {0.5, -1, 2};

LmLearnSpec
lm_learn_pair_spec (const char *learner)
{
  LmLearnSpec spec = {.n = 2, .names = {"a", "b"}};
  spec.types[0] = lm_type (LAM_F64, 2, (int64_t[]) {2, 2});
  spec.types[1] = lm_type (LAM_F64, 1, (int64_t[]) {3});
  spec.learner = g_str_has_prefix (learner, "'type'")
                     ? g_strdup (learner)
                     : g_strconcat ("'type': 'lamina.learner', ", learner, NULL);
  return spec;
}

static bool
start_pair (LmLearn *l, GError **error)
{
  g_autoptr (LmArray) a = lm_test_array (&l->spec.types[0], start_a);
  g_autoptr (LmArray) b = lm_test_array (&l->spec.types[1], start_b);
  return lm_learn_start (l, (LmArray *[]) {a, b}, error);
}

LmLearn *
lm_learn_pair_of (const LmLearnSpec *spec)
{
  g_autoptr (GError) error = NULL;
  LmLearn *l = lm_learn_try (spec, &error);
  g_assert_no_error (error);
  start_pair (l, &error);
  g_assert_no_error (error);
  return l;
}

LmLearn *
lm_learn_pair (const char *learner)
{
  LmLearnSpec spec = lm_learn_pair_spec (learner);
  LmLearn *l = lm_learn_pair_of (&spec);
  g_free (spec.learner);
  return l;
}

GError *
lm_learn_pair_error (const char *learner)
{
  GError *error = NULL;
  LmLearnSpec spec = lm_learn_pair_spec (learner);
  LmLearn *l = lm_learn_try (&spec, &error);
  if (l != NULL) {
    start_pair (l, &error);
    lm_learn_free (l);
  }
  g_free (spec.learner);
  g_assert_nonnull (error);
  return error;
}

void
lm_learn_pair_step (LmLearn *l, const double *a, const double *b)
{
  LmArray *grads[] = {lm_test_array (&l->spec.types[0], a), lm_test_array (&l->spec.types[1], b)};
  lm_learn_step (l, grads);
}

double
lm_learn_value (const LmLearn *l, const char *name, guint i)
{
  for (guint k = 0; k < l->spec.n; k++)
    if (strcmp (l->spec.names[k], name) == 0)
      return lm_array_get_double (l->vars[k], i);
  g_error ("there is no variable %s", name);
}

double
lm_learn_state_value (const LmLearn *l, const char *suffix, guint i)
{
  const LmArray *x = lm_learn_state (l, suffix);
  if (x == NULL)
    g_error ("there is no state %s", suffix);
  return lm_array_get_double (x, i);
}
