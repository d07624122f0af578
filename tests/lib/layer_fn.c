/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of layers for tests: binds named arrays, names the results. */
#include "tests/lib/layer_fn.h"

#include <lamina/layer.h>
#include <string.h>

LmLayerFn *
lm_layer_fn_new (LmRegistry *registry, JsonObject *config, const char *dtype, GError **error)
{
  g_autoptr (GError) own = NULL;
  g_autoptr (JsonObject) root = json_object_new ();
  json_object_set_string_member (root, "dtype", dtype);
  json_object_set_object_member (root, "model", config);
  LmModel *model = lm_model_new (registry, lm_host_tables (), root, error != NULL ? error : &own);
  g_assert_no_error (own);
  if (model == NULL)
    return NULL;
  LmLayerFn *fn = g_new0 (LmLayerFn, 1);
  fn->model = model;
  fn->names = g_ptr_array_new_with_free_func (g_free);
  fn->arrays = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  fn->out_names = g_ptr_array_new_with_free_func (g_free);
  return fn;
}

void
lm_layer_fn_free (LmLayerFn *fn)
{
  if (fn == NULL)
    return;
  g_clear_pointer (&fn->f, lm_function_unref);
  lm_model_free (fn->model);
  g_ptr_array_unref (fn->names);
  g_ptr_array_unref (fn->arrays);
  g_ptr_array_unref (fn->out_names);
  g_free (fn);
}

void
lm_layer_fn_add (LmLayerFn *fn, const char *name, LmArray *value)
{
  g_ptr_array_add (fn->names, g_strdup (name));
  g_ptr_array_add (fn->arrays, value);
}

void
lm_layer_fn_init (LmLayerFn *fn, LmBackend *backend)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) init = lm_model_init_function (fn->model, &error);
  g_assert_no_error (error);
  guint n = lm_model_n_vars (fn->model);
  g_autofree LmArray **values = g_new0 (LmArray *, n + 1);
  g_autoptr (LmArray) key = lm_test_key (0, 1234);
  lm_test_run (backend, init, (LmArray *const[]) {key}, values);
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strconcat ("var:", lm_model_var_infos (fn->model)[i]->path, NULL);
    lm_layer_fn_add (fn, name, values[i]);
  }
}

int
lm_layer_fn_find (const GPtrArray *names, const char *name)
{
  for (guint i = 0; i < names->len; i++)
    if (strcmp (names->pdata[i], name) == 0)
      return (int)i;
  return -1;
}

void
lm_layer_fn_set (LmLayerFn *fn, const char *name, LmArray *value)
{
  int i = lm_layer_fn_find (fn->names, name);
  g_assert_cmpint (i, >=, 0);
  lm_array_unref (fn->arrays->pdata[i]);
  fn->arrays->pdata[i] = value;
}

/* --- keys: the layer gets the very keys that were given ------------------------------------------------- */

typedef struct Keys {
  lam_key given[32];
  guint n, drawn;
} Keys;

static Keys keys; /* of the call being traced */

static lam_key
next_key (lam_trace *t)
{
  lam_key none = {{0, 0}};
  guint i = keys.drawn++;
  if (i < keys.n)
    return keys.given[i];
  t->api->fail (t, LAM_E_INVALID, "the layer draws more keys than the test has");
  return none;
}

/* The host's tables with next_key above. */
static const lam_trace_api *
api_with_keys (void)
{
  static lam_trace_api api;
  api = *lm_host_tables ()->trace;
  api.next_key = next_key;
  return &api;
}

/* --- the call ------------------------------------------------------------------------------------------- */

/* Everything that a trace needs besides fn. */
typedef struct Call {
  LmLayerFn *fn;
  lam_trace *t;
  lam_tensor *params; /* one a parameter, cast if that is asked for */
  GArray *results;    /* of lam_tensor */
} Call;

static void
parameters (Call *c, LmTrace *t)
{
  for (guint i = 0; i < c->fn->names->len; i++) {
    const LmArray *a = c->fn->arrays->pdata[i];
    c->params[i] = lm_trace_param (t, &a->type);
    bool keep = c->fn->keep_inputs && g_str_has_prefix (c->fn->names->pdata[i], "in:");
    if (c->fn->cast_bf16 && !keep && a->type.dtype == LAM_F32)
      c->params[i] = lam_cast (c->t, c->params[i], LAM_BF16);
  }
}

static lam_nest
argument (const Call *c)
{
  lam_nest map = lam_nest_map (c->t), one = map;
  guint n = 0;
  for (guint i = 0; i < c->fn->names->len; i++) {
    const char *name = c->fn->names->pdata[i];
    if (!g_str_has_prefix (name, "in:"))
      continue;
    n++;
    one = lam_nest_of (c->t, c->params[i]);
    lam_nest_set_tensor (c->t, map, name + 3, c->params[i]);
  }
  return n == 1 ? one : map;
}

static void
bind (const Call *c, LmTrace *t, bool do_eval)
{
  guint n = lm_model_n_vars (c->fn->model);
  g_autofree lam_tensor *by_id = g_new0 (lam_tensor, n + 1);
  lam_context_args args = lam_context_args_make ();
  keys.n = keys.drawn = 0;
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strconcat ("var:", lm_model_var (c->fn->model, i)->path, NULL);
    int k = lm_layer_fn_find (c->fn->names, name);
    if (k < 0)
      g_error ("no value for %s", name);
    by_id[i] = c->params[k];
  }
  for (guint i = 0; i < c->fn->names->len; i++)
    if (g_str_has_prefix (c->fn->names->pdata[i], "key:") && keys.n < G_N_ELEMENTS (keys.given))
      keys.given[keys.n++].bits = c->params[i];
  args.do_eval = do_eval;
  args.original_keys = 1;
  args.key =
      keys.n > 0
          ? keys.given[0]
          : (lam_key) {lam_constant (c->t, LAM_U32, LAM_SHAPE (2), (const uint32_t[]) {0, 42})};
  args.global_step = lam_full_bits (c->t, LAM_U32, LAM_SCALAR, 0);
  lm_trace_context_push (c->t, &args);
  lm_trace_bind_all (t, by_id, LAM_MUTABLE_VARS | LAM_MUTABLE_AUX_LOSS);
  keys.drawn = 0; /* bind took one */
}

static void
add_result (Call *c, char *name, lam_tensor x)
{
  g_ptr_array_add (c->fn->out_names, name);
  g_array_append_val (c->results, x);
}

/* Leaves of a result, named by their path; nil ones are left out. */
static void
outputs (Call *c, const char *path, lam_nest y)
{
  int32_t kind = c->t->api->nest_kind (c->t, y);
  uint32_t n = kind == LAM_NEST_LEAF ? 0 : c->t->api->nest_size (c->t, y);
  if (kind == LAM_NEST_LEAF && !lam_is_nil (lam_nest_tensor (c->t, y)))
    add_result (c, g_strdup (path), lam_nest_tensor (c->t, y));
  for (uint32_t i = 0; i < n; i++) {
    g_autofree char *below = kind == LAM_NEST_MAP
                                 ? g_strdup_printf ("%s.%s", path, c->t->api->nest_key (c->t, y, i))
                                 : g_strdup_printf ("%s[%u]", path, i);
    outputs (c, below, c->t->api->nest_child (c->t, y, i));
  }
}

static void
updates (Call *c, LmTrace *t)
{
  guint n = lm_model_n_vars (c->fn->model);
  g_autofree lam_tensor *values = g_new0 (lam_tensor, n + 1);
  lm_trace_updated (t, values);
  for (guint i = 0; i < n; i++)
    if (!lam_is_nil (values[i]))
      add_result (c, g_strconcat ("updated:", lm_model_var (c->fn->model, i)->path, NULL),
                  values[i]);
}

static void
summaries (Call *c)
{
  lam_nest all = lam_all_summaries (c->t);
  uint32_t n = c->t->api->nest_size (c->t, all);
  for (uint32_t i = 0; i < n; i++) {
    lam_nest one = c->t->api->nest_child (c->t, all, i);
    if (c->t->api->nest_kind (c->t, one) == LAM_NEST_LEAF)
      add_result (c, g_strconcat ("summary:", c->t->api->nest_key (c->t, all, i), NULL),
                  lam_nest_tensor (c->t, one));
  }
}

bool
lm_layer_fn_trace (LmLayerFn *fn, bool do_eval, GError **error)
{
  LmTrace *t = lm_model_trace (fn->model, "fprop");
  lam_trace *pub = lm_trace_pub (t);
  g_autofree lam_tensor *params = g_new0 (lam_tensor, fn->names->len + 1);
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (lam_tensor));
  Call c = {fn, pub, params, results};
  g_ptr_array_set_size (fn->out_names, 0);
  g_clear_pointer (&fn->f, lm_function_unref);
  lm_trace_set_axis_size (t, fn->replicas);
  parameters (&c, t);
  bind (&c, t, do_eval);
  const lam_trace_api *usual = pub->api;
  if (fn->exact_keys || keys.n > 0)
    pub->api = api_with_keys ();
  lam_nest y = lm_layer_call (t, lm_model_root (fn->model),
                              fn->method != NULL ? fn->method : "fprop", argument (&c));
  pub->api = usual;
  fn->draws = keys.drawn;
  outputs (&c, "y", y);
  updates (&c, t);
  if (fn->summaries)
    summaries (&c);
  if (!lam_is_nil (lm_trace_aux_loss (t)))
    add_result (&c, g_strdup ("aux_loss"), lm_trace_aux_loss (t));
  lm_trace_context_pop (pub);
  fn->f = lm_trace_finish (t, (const lam_tensor *)(void *)results->data, results->len, error);
  lm_trace_free (t);
  return fn->f != NULL;
}

GPtrArray *
lm_layer_fn_run (const LmLayerFn *fn, LmBackend *backend)
{
  GPtrArray *out = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_ptr_array_set_size (out, (gint)fn->f->ir.n_results);
  lm_test_run (backend, fn->f, (LmArray *const *)fn->arrays->pdata, (LmArray **)out->pdata);
  return out;
}

const LmArray *
lm_layer_fn_result (const LmLayerFn *fn, const GPtrArray *results, const char *name)
{
  int i = lm_layer_fn_find (fn->out_names, name);
  if (i < 0)
    g_error ("the layer has no result %s", name);
  return results->pdata[i];
}
