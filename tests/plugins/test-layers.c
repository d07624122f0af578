/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of plugins/layers against praxis (golden group layers): values, gradients along the given
 * cotangents, moving statistics; f32 on the reference backend. */
#include "core/model/model.h"
#include "core/transform/transform.h"
#include "tests/lib/fixture.h"
#include "tests/lib/golden.h"

#include <lamina/layer.h>
#include <string.h>

/* Cases whose layer or option no plugin has yet. And batch_norm.moving_in_training: praxis normalises with
 * the moving statistics after their update, we with the old ones as lingvo-jax does (group step_cases,
 * non_learnable, shows that). */
static const char *const later[] = {"feed_forward.bf16",
                                    "sequential",
                                    "pool.MAX.paddings",
                                    "pool.AVG.SAME",
                                    "pool.AVG.VALID",
                                    "pool.AVG.paddings",
                                    "softmax.smooth",
                                    "softmax.softcap",
                                    "softmax.zloss",
                                    "softmax.smooth_noeval",
                                    "softmax.chunked",
                                    "batch_norm.moving_in_training",
                                    NULL};

/* --- configs ------------------------------------------------------------------------------------------ */

typedef struct Row {
  const char *praxis, *ours;
  const char *function; /* of an activation */
} Row;

static const Row rows[] = {{"Linear", "lamina.linear", NULL},
                           {"Bias", "lamina.bias", NULL},
                           {"FeedForward", "lamina.feed_forward", NULL},
                           {"Dropout", "lamina.dropout", NULL},
                           {"BatchNorm", "lamina.batch_norm", NULL},
                           {"Conv2D", "lamina.conv2d", NULL},
                           {"Pooling", "lamina.max_pool", NULL},
                           {"FullSoftmax", "lamina.full_softmax", NULL},
                           {"ReLU", "lamina.activation", "relu"},
                           {"ReLU6", "lamina.activation", "relu6"},
                           {"SquaredReLU", "lamina.activation", "squared_relu"},
                           {"CubedReLU", "lamina.activation", "cubed_relu"},
                           {"LeakyReLU", "lamina.activation", "leaky_relu"},
                           {"ELU", "lamina.activation", "elu"},
                           {"Sigmoid", "lamina.activation", "sigmoid"},
                           {"Tanh", "lamina.activation", "tanh"},
                           {"GELU", "lamina.activation", "gelu_approximate"},
                           {"SiLU", "lamina.activation", "silu"},
                           {"Swish", "lamina.activation", "swish"},
                           {"Softplus", "lamina.activation", "softplus"},
                           {"Exp", "lamina.activation", "exp"},
                           {"Identity", "lamina.activation", "identity"}};

static const Row *
row_of (const char *praxis)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (strcmp (rows[i].praxis, praxis) == 0)
      return &rows[i];
  g_test_message ("%s", praxis);
  g_assert_not_reached ();
}

/* Upstream's fields have our names but for a few. */
static void
copy_field (JsonObject *out, const char *key, JsonNode *value)
{
  static const char *const ignored[] = {"type", "do_eval", "pooling_type", NULL};
  if (strcmp (key, "activation_tpl") == 0) {
    const char *type = json_object_get_string_member (json_node_get_object (value), "type");
    json_object_set_string_member (out, "activation", row_of (type)->function);
  } else if (strcmp (key, "approximate") == 0) {
    json_object_set_string_member (out, "function",
                                   json_node_get_boolean (value) ? "gelu_approximate" : "gelu");
  } else if (!g_strv_contains (ignored, key)) {
    json_object_set_member (out, key, json_node_copy (value));
  }
}

static JsonObject *
config_of (const LmGoldenCase *c)
{
  const Row *r = row_of (json_object_get_string_member (c->attrs, "type"));
  JsonObject *layer = json_object_new (), *config = json_object_new ();
  g_autoptr (GList) keys = json_object_get_members (c->attrs);
  json_object_set_string_member (layer, "type", r->ours);
  if (r->function != NULL)
    json_object_set_string_member (layer, "function", r->function);
  for (GList *k = keys; k != NULL; k = k->next)
    copy_field (layer, k->data, json_object_get_member (c->attrs, k->data));
  json_object_set_object_member (config, "model", layer);
  return config;
}

/* --- keys: the layer gets the very key that praxis' layer drew ------------------------------------------ */

static lam_key drawn;
static guint draws;

static lam_key
next_key (lam_trace *t)
{
  (void)t;
  draws++;
  return drawn;
}

static const LmHostTables *
tables_with_key (void)
{
  static LmHostTables tables;
  static lam_trace_api trace;
  tables = *lm_host_tables ();
  trace = *tables.trace;
  trace.next_key = next_key;
  tables.trace = &trace;
  return &tables;
}

/* --- one case --------------------------------------------------------------------------------------------- */

typedef struct Run {
  const LmGolden *g;
  const LmGoldenCase *c;
  LmModel *model;
  LmTrace *t;
  GPtrArray *names;  /* "section/name" of each parameter */
  GPtrArray *arrays; /* of LmArray*: its value */
  GArray *params;    /* of lam_tensor */
  GPtrArray *out_names;
} Run;

static lam_tensor
param (Run *r, const char *section, const char *name)
{
  LmGoldenTensor x;
  g_assert_true (lm_golden_tensor (r->g, r->c, section, name, &x));
  lam_tensor p = lm_trace_param (r->t, &x.type);
  g_ptr_array_add (r->names, g_strdup_printf ("%s:%s", section, name));
  g_ptr_array_add (r->arrays, lm_array_new_copy (&x.type, x.data, NULL));
  g_array_append_val (r->params, p);
  return p;
}

static bool
has (const Run *r, const char *section, const char *name)
{
  LmGoldenTensor x;
  return lm_golden_names (r->c, section) != NULL
         && lm_golden_tensor (r->g, r->c, section, name, &x);
}

static void
bind (Run *r)
{
  lam_trace *t = lm_trace_pub (r->t);
  guint n = lm_model_n_vars (r->model);
  g_autofree lam_tensor *by_id = g_new0 (lam_tensor, n + 1);
  lam_type key = lm_type (LAM_U32, 1, (int64_t[]) {2});
  for (guint i = 0; i < n; i++)
    by_id[i] = param (r, "var", lm_model_var (r->model, i)->path);
  if (has (r, "key", "0:/")) {
    drawn.bits = param (r, "key", "0:/");
  } else {
    drawn.bits = lm_trace_param (r->t, &key);
    g_ptr_array_add (r->names, g_strdup ("none"));
    g_ptr_array_add (r->arrays, lm_test_key (0, 0));
    g_array_append_val (r->params, drawn.bits);
  }
  lam_context_args args = lam_context_args_make ();
  args.do_eval = json_object_get_boolean_member (r->c->attrs, "do_eval");
  args.original_keys = 1;
  args.key = drawn;
  args.global_step = lam_full_bits (t, LAM_U32, LAM_SCALAR, 0);
  lm_trace_context_push (t, &args);
  lm_trace_bind_all (r->t, by_id, LAM_MUTABLE_VARS | LAM_MUTABLE_AUX_LOSS);
  draws = 0; /* bind takes one */
}

/* The layer's argument: x alone, or a map with x as "inputs". */
static lam_nest
argument (Run *r)
{
  lam_trace *t = lm_trace_pub (r->t);
  JsonArray *names = lm_golden_names (r->c, "in");
  lam_nest map = lam_nest_map (t);
  if (json_array_get_length (names) == 1)
    return lam_nest_of (t, param (r, "in", "x"));
  for (guint i = 0; i < json_array_get_length (names); i++) {
    const char *name = json_array_get_string_element (names, i);
    lam_nest_set_tensor (t, map, strcmp (name, "x") == 0 ? "inputs" : name, param (r, "in", name));
  }
  return map;
}

/* Golden outputs of a result: "y", "y[0]" (pooling) or "y.<key>". */
static void
outputs (Run *r, lam_nest y, GArray *results)
{
  lam_trace *t = lm_trace_pub (r->t);
  JsonArray *names = lm_golden_names (r->c, "out");
  for (guint i = 0; i < json_array_get_length (names); i++) {
    const char *name = json_array_get_string_element (names, i);
    lam_tensor x = g_str_has_prefix (name, "y.") ? lam_nest_get_tensor (t, y, name + 2)
                                                 : lam_nest_tensor (t, y);
    g_array_append_val (results, x);
    g_ptr_array_add (r->out_names, g_strdup_printf ("out/%s", name));
  }
}

static void
updates (Run *r, GArray *results)
{
  guint n = lm_model_n_vars (r->model);
  g_autofree lam_tensor *values = g_new0 (lam_tensor, n + 1);
  lm_trace_updated (r->t, values);
  for (guint i = 0; i < n; i++) {
    const char *path = lm_model_var (r->model, i)->path;
    if (!has (r, "updated", path))
      continue;
    g_array_append_val (results, values[i]);
    g_ptr_array_add (r->out_names, g_strdup_printf ("updated/%s", path));
  }
}

static LmFunction *
trace (Run *r)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (lam_tensor));
  bind (r);
  lam_nest y = lm_layer_call (r->t, lm_model_root (r->model), "fprop", argument (r));
  outputs (r, y, results);
  updates (r, results);
  g_assert_cmpuint (draws, ==, has (r, "key", "0:/") ? 1 : 0);
  lm_trace_context_pop (lm_trace_pub (r->t));
  LmFunction *f =
      lm_trace_finish (r->t, (const lam_tensor *)(void *)results->data, results->len, &error);
  g_assert_no_error (error);
  return f;
}

static void
compare (const Run *r, const char *full, const LmArray *got)
{
  g_autoptr (GString) why = g_string_new (NULL);
  const char *slash = strchr (full, '/');
  g_autofree char *section = g_strndup (full, (gsize)(slash - full));
  if (lm_golden_compare (r->g, r->c, section, slash + 1, got->data, (gsize)got->bytes, why))
    return;
  g_test_message ("%s", why->str);
  g_test_fail ();
}

/* f with gradients of the parameters that the case lists, and its cotangents as more parameters. */
static void
check (Run *r, LmBackend *backend, LmFunction *f)
{
  g_autoptr (GError) error = NULL;
  guint n_params = f->ir.n_params, n_results = f->ir.n_results;
  g_autofree bool *wanted = g_new0 (bool, n_params + 1), *given = g_new0 (bool, n_results + 1);
  for (guint i = 0; i < n_params; i++)
    wanted[i] = has (r, "grad", r->names->pdata[i]);
  for (guint j = 0; j < n_results; j++) {
    const char *name = strchr (r->out_names->pdata[j], '/') + 1;
    LmGoldenTensor x;
    given[j] = g_str_has_prefix (r->out_names->pdata[j], "out/") && has (r, "cotangent", name);
    if (given[j] && lm_golden_tensor (r->g, r->c, "cotangent", name, &x))
      g_ptr_array_add (r->arrays, lm_array_new_copy (&x.type, x.data, NULL));
  }
  g_autoptr (LmFunction) vjp = lm_vjp (f, wanted, given, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) out = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_ptr_array_set_size (out, (gint)vjp->ir.n_results);
  lm_test_run (backend, vjp, (LmArray *const *)r->arrays->pdata, (LmArray **)out->pdata);
  for (guint j = 0; j < n_results; j++)
    compare (r, r->out_names->pdata[j], out->pdata[j]);
  for (guint i = 0, k = n_results; i < n_params; i++) {
    g_autofree char *full = g_strdup_printf ("grad/%s", (const char *)r->names->pdata[i]);
    if (wanted[i])
      compare (r, full, out->pdata[k++]);
  }
}

static void
run_case (LmRegistry *registry, LmBackend *backend, const LmGolden *g, const LmGoldenCase *c)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonObject) config = config_of (c);
  Run r = {.g = g,
           .c = c,
           .names = g_ptr_array_new_with_free_func (g_free),
           .arrays = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref),
           .params = g_array_new (FALSE, FALSE, sizeof (lam_tensor)),
           .out_names = g_ptr_array_new_with_free_func (g_free)};
  r.model = lm_model_new (registry, tables_with_key (), config, &error);
  g_assert_no_error (error);
  r.t = lm_model_trace (r.model, "fprop");
  g_autoptr (LmFunction) f = trace (&r);
  check (&r, backend, f);
  lm_trace_free (r.t);
  lm_model_free (r.model);
  g_ptr_array_unref (r.names);
  g_ptr_array_unref (r.arrays);
  g_array_unref (r.params);
  g_ptr_array_unref (r.out_names);
}

static void
test_golden (gconstpointer prefix)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("layers", &error);
  g_assert_no_error (error);
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (LmBackend) backend = lm_test_backend (registry, "reference");
  guint seen = 0;
  for (guint i = 0; i < lm_golden_n_cases (g); i++) {
    const LmGoldenCase *c = lm_golden_case (g, i);
    if (!g_str_has_prefix (c->id, prefix) || g_strv_contains (later, c->id))
      continue;
    g_test_message ("%s", c->id);
    run_case (registry, backend, g, c);
    seen++;
  }
  g_assert_cmpuint (seen, >, 0);
  g_clear_pointer (&backend, lm_backend_unref);
  lm_registry_free (registry);
}

/* Every golden case is run or named as later. */
static void
test_complete (void)
{
  static const char *const prefixes[] = {"linear", "bias",    "feed_forward",
                                         "act.",   "dropout", "batch_norm",
                                         "conv2d", "pool",    "softmax"};
  g_autoptr (LmGolden) g = lm_golden_open ("layers", NULL);
  for (guint i = 0; i < lm_golden_n_cases (g); i++) {
    const char *id = lm_golden_case (g, i)->id;
    bool known = g_strv_contains (later, id);
    for (gsize k = 0; k < G_N_ELEMENTS (prefixes); k++)
      known = known || g_str_has_prefix (id, prefixes[k]);
    if (!known)
      g_test_fail_printf ("case %s is neither run nor listed as later", id);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/plugins/layers/linear", "linear", test_golden);
  g_test_add_data_func ("/plugins/layers/bias", "bias", test_golden);
  g_test_add_data_func ("/plugins/layers/feed_forward", "feed_forward", test_golden);
  g_test_add_data_func ("/plugins/layers/activation", "act.", test_golden);
  g_test_add_data_func ("/plugins/layers/dropout", "dropout", test_golden);
  g_test_add_data_func ("/plugins/layers/batch_norm", "batch_norm", test_golden);
  g_test_add_data_func ("/plugins/layers/conv2d", "conv2d", test_golden);
  g_test_add_data_func ("/plugins/layers/max_pool", "pool", test_golden);
  g_test_add_data_func ("/plugins/layers/full_softmax", "softmax", test_golden);
  g_test_add_func ("/plugins/layers/complete", test_complete);
  return g_test_run ();
}
