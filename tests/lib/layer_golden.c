/* SPDX-License-Identifier: Apache-2.0 */
/* Layers against golden cases: the config and arrays of a case, its function with gradients, the
 * comparison. */
#include "tests/lib/layer_golden.h"
#include "core/transform/transform.h"

#include <math.h>
#include <string.h>

/* --- configs ------------------------------------------------------------------------------------------ */

static const LmLayerRow *
row_of_case (const LmGoldenCase *c)
{
  for (const LmLayerRow *r = lm_layer_rows; r->family != NULL; r++)
    if (g_str_has_prefix (c->kind, "praxis.") && strcmp (r->praxis, c->kind + 7) == 0)
      return r;
  return NULL;
}

/* Upstream's dtype names. */
static void
copy_member (JsonObject *ours, const char *key, JsonNode *value)
{
  if (g_str_has_suffix (key, "_dtype"))
    json_object_set_string_member (
        ours, key, strcmp (json_node_get_string (value), "bfloat16") == 0 ? "bf16" : "f32");
  else
    json_object_set_member (ours, key, json_node_copy (value));
}

JsonObject *
lm_layer_golden_config (const LmLayerSuite *suite, const LmGoldenCase *c)
{
  static const char *const ignored[] = {"type", "do_eval", "fprop_dtype", "method", NULL};
  const LmLayerRow *r = row_of_case (c);
  g_autofree char *text =
      g_strdup_printf ("{\"type\": \"%s\"%s%s}", r->ours, r->member != NULL ? ", " : "",
                       r->member != NULL ? r->member : "");
  JsonObject *config = lm_test_json (text);
  g_autoptr (GList) keys = json_object_get_members (c->attrs);
  for (GList *k = keys; k != NULL; k = k->next) {
    JsonNode *value = json_object_get_member (c->attrs, k->data);
    if (g_strv_contains (ignored, k->data)
        || (suite->field != NULL && suite->field (config, k->data, value)))
      continue;
    copy_member (config, k->data, value);
  }
  return config;
}

/* --- one case --------------------------------------------------------------------------------------------- */

typedef struct Case {
  const LmGolden *g;
  const LmGoldenCase *c;
  LmLayerFn *fn;
  LmBackend *backend;
  bool nan_grads;
} Case;

static LmArray *
golden_array (const Case *k, const char *section, const char *name)
{
  g_autoptr (GError) error = NULL;
  LmGoldenTensor x;
  if (!lm_golden_tensor (k->g, k->c, section, name, &x))
    return NULL;
  LmArray *a = lm_array_new_copy (&x.type, x.data, &error);
  g_assert_no_error (error);
  return a;
}

static bool
has (const Case *k, const char *section, const char *name)
{
  g_autoptr (LmArray) a =
      lm_golden_names (k->c, section) != NULL ? golden_array (k, section, name) : NULL;
  return a != NULL;
}

/* Every tensor of a section as "<prefix>:<name>"; the argument x is our "inputs". */
static void
add_section (const Case *k, const char *section, const char *prefix)
{
  JsonArray *names = lm_golden_names (k->c, section);
  guint n = names != NULL ? json_array_get_length (names) : 0;
  for (guint i = 0; i < n; i++) {
    const char *name = json_array_get_string_element (names, i);
    const char *ours = strcmp (section, "in") == 0 && strcmp (name, "x") == 0 ? "inputs" : name;
    g_autofree char *full = g_strdup_printf ("%s:%s", prefix, ours);
    lm_layer_fn_add (k->fn, full, golden_array (k, section, name));
  }
}

/* Our name of a golden result "out/y...": the same, or what stands for the first or second of a tuple. */
static int
result_of (const Case *k, const char *name)
{
  static const char *const tuple[2][3] = {{"y", "y.inputs", NULL}, {"y.paddings", NULL, NULL}};
  int found = lm_layer_fn_find (k->fn->out_names, name);
  int i = strcmp (name, "y[0]") == 0 ? 0 : strcmp (name, "y[1]") == 0 ? 1 : -1;
  for (guint j = 0; i >= 0 && found < 0 && tuple[i][j] != NULL; j++)
    found = lm_layer_fn_find (k->fn->out_names, tuple[i][j]);
  return found;
}

/* Where want is NaN, got must be finite; elsewhere as the case's tolerance says. */
static void
compare_finite (const Case *k, const char *name, LmGoldenTensor *want, const LmArray *got)
{
  g_autoptr (GString) why = g_string_new (NULL);
  g_autofree float *filled = g_memdup2 (want->data, want->nbytes);
  const float *ours = got->data;
  g_assert_cmpint (want->type.dtype, ==, LAM_F32);
  for (int64_t i = 0; i < want->elements; i++)
    if (isnan (filled[i]) && isfinite (ours[i]))
      filled[i] = ours[i];
  want->data = filled;
  if (!lm_golden_compare_arrays (name, want, NULL, ours, &k->c->tolerance, why))
    g_test_fail_printf ("%s: %s", k->c->id, why->str);
}

/* got may be narrower than upstream's result (bf16 where praxis promotes to f32). */
static void
compare (const Case *k, const char *section, const char *name, const LmArray *got)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) why = g_string_new (NULL);
  LmGoldenTensor want;
  g_assert_true (lm_golden_tensor (k->g, k->c, section, name, &want));
  g_autoptr (LmArray) same = lm_array_convert (got, want.type.dtype, &error);
  g_assert_no_error (error);
  bool shape =
      same->type.rank == want.type.rank
      && memcmp (same->type.dims, want.type.dims, (gsize)want.type.rank * sizeof want.type.dims[0])
             == 0;
  if (!shape)
    g_test_fail_printf ("%s %s/%s: another shape", k->c->id, section, name);
  else if (k->nan_grads && strcmp (section, "grad") == 0)
    compare_finite (k, name, &want, same);
  else if (!lm_golden_compare (k->g, k->c, section, name, same->data, (gsize)same->bytes, why))
    g_test_fail_printf ("%s: %s", k->c->id, why->str);
}

/* "grad/<var:w or in:x>" of our parameter name. */
static char *
grad_name (const char *param)
{
  return strcmp (param, "in:inputs") == 0 ? g_strdup ("in:x") : g_strdup (param);
}

static void
compare_values (const Case *k, const GPtrArray *out)
{
  JsonArray *names = lm_golden_names (k->c, "out");
  for (guint i = 0; i < json_array_get_length (names); i++) {
    const char *name = json_array_get_string_element (names, i);
    int j = result_of (k, name);
    if (j < 0)
      g_error ("%s: the layer has no result %s", k->c->id, name);
    compare (k, "out", name, out->pdata[j]);
  }
  names = lm_golden_names (k->c, "updated");
  for (guint i = 0; names != NULL && i < json_array_get_length (names); i++) {
    const char *name = json_array_get_string_element (names, i);
    g_autofree char *full = g_strconcat ("updated:", name, NULL);
    compare (k, "updated", name, lm_layer_fn_result (k->fn, out, full));
  }
}

/* The sum of the values of upstream's aux losses times their weights. */
static void
compare_aux_loss (const Case *k, const GPtrArray *out)
{
  JsonArray *names = lm_golden_names (k->c, "aux_loss");
  double sum = 0, got;
  guint n = names != NULL ? json_array_get_length (names) : 0;
  for (guint i = 0; i < n; i++) {
    const char *name = json_array_get_string_element (names, i);
    g_autofree char *weight_name = NULL;
    LmGoldenTensor value, weight;
    if (!g_str_has_suffix (name, ".value"))
      continue;
    weight_name = g_strdup_printf ("%.*s.weight", (int)strlen (name) - 6, name);
    g_assert_true (lm_golden_tensor (k->g, k->c, "aux_loss", name, &value));
    g_assert_true (lm_golden_tensor (k->g, k->c, "aux_loss", weight_name, &weight));
    sum += lm_golden_value (value.type.dtype, value.data, 0)
           * lm_golden_value (weight.type.dtype, weight.data, 0);
  }
  g_assert_cmpint (n > 0, ==, lm_layer_fn_find (k->fn->out_names, "aux_loss") >= 0);
  if (n == 0)
    return;
  const LmArray *a = lm_layer_fn_result (k->fn, out, "aux_loss");
  got = lm_golden_value (a->type.dtype, a->data, 0);
  g_assert_cmpfloat_with_epsilon (got, sum,
                                  k->c->tolerance.atol + k->c->tolerance.rtol * fabs (sum));
}

/* Cotangent of each result that has one, as more arguments after the parameters. */
static void
cotangents (const Case *k, bool *given, GPtrArray *args)
{
  JsonArray *names = lm_golden_names (k->c, "cotangent");
  guint n = k->fn->f->ir.n_results;
  g_autofree LmArray **by_result = g_new0 (LmArray *, n + 1);
  for (guint i = 0; names != NULL && i < json_array_get_length (names); i++) {
    const char *name = json_array_get_string_element (names, i);
    int j = result_of (k, name);
    g_assert_cmpint (j, >=, 0);
    g_autoptr (LmArray) wide = golden_array (k, "cotangent", name);
    const lam_type *type = lm_result_type (k->fn->f, (uint32_t)j);
    by_result[j] = lm_array_convert (wide, type->dtype, NULL);
    given[j] = true;
  }
  for (guint j = 0; j < n; j++)
    if (given[j])
      g_ptr_array_add (args, by_result[j]);
}

static void
check (const Case *k, LmBackend *backend)
{
  g_autoptr (GError) error = NULL;
  LmFunction *f = k->fn->f;
  guint n_params = f->ir.n_params, n_results = f->ir.n_results, at = n_results;
  g_autofree bool *wanted = g_new0 (bool, n_params + 1), *given = g_new0 (bool, n_results + 1);
  g_autoptr (GPtrArray) args = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  for (guint i = 0; i < n_params; i++) {
    g_autofree char *name = grad_name (k->fn->names->pdata[i]);
    wanted[i] = has (k, "grad", name);
    g_ptr_array_add (args, lm_array_ref (k->fn->arrays->pdata[i]));
  }
  cotangents (k, given, args);
  g_autoptr (LmFunction) vjp = lm_vjp (f, wanted, given, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) out = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_ptr_array_set_size (out, (gint)vjp->ir.n_results);
  lm_test_run (backend, vjp, (LmArray *const *)args->pdata, (LmArray **)out->pdata);
  compare_values (k, out);
  compare_aux_loss (k, out);
  for (guint i = 0; i < n_params; i++) {
    g_autofree char *name = grad_name (k->fn->names->pdata[i]);
    if (wanted[i])
      compare (k, "grad", name, out->pdata[at++]);
  }
}

/* Another method than fprop; the case has no values of variables that it does not use. */
static void
set_method (const Case *k, const char *method)
{
  k->fn->method = method;
  for (guint i = 0; i < lm_model_n_vars (k->fn->model); i++) {
    const lam_var_info *var = lm_model_var (k->fn->model, i);
    g_autofree char *name = g_strconcat ("var:", var->path, NULL);
    if (lm_layer_fn_find (k->fn->names, name) < 0)
      lm_layer_fn_add (k->fn, name, lm_array_new (&var->type, NULL));
  }
}

/* Adds the case's values, traces and compares. */
static void
run (Case *k)
{
  g_autoptr (GError) error = NULL;
  JsonArray *keys = lm_golden_names (k->c, "key");
  k->fn->exact_keys = true;
  add_section (k, "var", "var");
  if (json_object_has_member (k->c->attrs, "method"))
    set_method (k, json_object_get_string_member (k->c->attrs, "method"));
  add_section (k, "in", "in");
  add_section (k, "key", "key");
  if (!lm_layer_fn_trace (k->fn, json_object_get_boolean_member (k->c->attrs, "do_eval"), &error))
    g_error ("%s: %s", k->c->id, error->message);
  g_assert_cmpuint (k->fn->draws, ==, keys != NULL ? json_array_get_length (keys) : 0);
  check (k, k->backend);
  lm_layer_fn_free (k->fn);
}

static void
run_case (const LmLayerSuite *suite, LmRegistry *registry, LmBackend *backend, Case k)
{
  k.backend = backend;
  k.fn = lm_layer_fn_new (registry, lm_layer_golden_config (suite, k.c), "f32", NULL);
  k.fn->cast_bf16 = json_object_has_member (k.c->attrs, "fprop_dtype");
  k.fn->keep_inputs = suite->keep_inputs;
  k.nan_grads = suite->nan_grads != NULL && g_strv_contains (suite->nan_grads, k.c->id);
  run (&k);
}

void
lm_layer_golden_run_own (LmRegistry *registry, LmBackend *backend, const LmGolden *g,
                         const LmGoldenCase *c)
{
  Case k = {.g = g, .c = c, .backend = backend};
  JsonObject *config = json_object_get_object_member (c->attrs, "config");
  k.fn = lm_layer_fn_new (registry, json_object_ref (config),
                          json_object_get_string_member (c->attrs, "dtype"), NULL);
  run (&k);
}

/* --- tests ---------------------------------------------------------------------------------------------- */

typedef struct Job {
  const LmLayerSuite *suite;
  const char *ours;
} Job;

static void
test_layer (gconstpointer data)
{
  const Job *job = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) g = lm_golden_open ("layers", &error);
  g_assert_no_error (error);
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  guint seen = 0;
  for (guint i = 0; i < lm_golden_n_cases (g); i++) {
    Case k = {.g = g, .c = lm_golden_case (g, i)};
    const LmLayerRow *r = row_of_case (k.c);
    if (r == NULL || strcmp (r->ours, job->ours) != 0
        || g_strv_contains (job->suite->later, k.c->id))
      continue;
    g_test_message ("%s", k.c->id);
    run_case (job->suite, registry, backend, k);
    seen++;
  }
  g_assert_cmpuint (seen, >, 0);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

static void
test_complete (gconstpointer data)
{
  const LmLayerSuite *suite = data;
  g_autoptr (LmGolden) g = lm_golden_open ("layers", NULL);
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < lm_golden_n_cases (g); i++) {
    const LmGoldenCase *c = lm_golden_case (g, i);
    const LmLayerRow *r = row_of_case (c);
    if (r == NULL)
      g_test_fail_printf ("case %s: no row of tests/lib/layer_rows.c has %s", c->id, c->kind);
    g_hash_table_add (used, (gpointer)r);
  }
  for (const LmLayerRow *r = lm_layer_rows; r->family != NULL; r++)
    if (strcmp (r->family, suite->family) == 0 && !g_hash_table_contains (used, r))
      g_test_fail_printf ("no case of praxis.%s", r->praxis);
  for (guint i = 0; suite->later[i] != NULL; i++)
    if (lm_golden_lookup (g, suite->later[i]) == NULL)
      g_test_fail_printf ("%s is listed as later but there is no such case", suite->later[i]);
}

/* True if a case of the layer is run. */
static bool
has_case (const LmLayerSuite *suite, const LmGolden *g, const char *ours)
{
  for (guint i = 0; i < lm_golden_n_cases (g); i++) {
    const LmGoldenCase *c = lm_golden_case (g, i);
    const LmLayerRow *r = row_of_case (c);
    if (r != NULL && strcmp (r->ours, ours) == 0 && !g_strv_contains (suite->later, c->id))
      return true;
  }
  return false;
}

void
lm_layer_golden_add (const LmLayerSuite *suite)
{
  g_autoptr (LmGolden) g = lm_golden_open ("layers", NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (const LmLayerRow *r = lm_layer_rows; r->family != NULL; r++) {
    g_autofree char *path =
        g_strdup_printf ("/plugins/layers/%s/golden", strchr (r->ours, '.') + 1);
    if (strcmp (r->family, suite->family) != 0 || !has_case (suite, g, r->ours)
        || !g_hash_table_add (seen, (gpointer)r->ours))
      continue;
    Job *job = g_new (Job, 1);
    *job = (Job) {suite, r->ours};
    g_test_add_data_func_full (path, job, test_layer, g_free);
  }
  g_autofree char *path = g_strdup_printf ("/plugins/layers/%s/complete", suite->family);
  g_test_add_data_func (path, suite, test_complete);
}
