/* SPDX-License-Identifier: Apache-2.0 */
/* Layers against finite differences, bf16 calls, refusals. */
#include "tests/lib/layer_check.h"
#include "core/transform/transform.h"

#include <math.h>
#include <string.h>

JsonObject *
lm_layer_check_config (const char *text)
{
  g_autofree char *json = g_strdelimit (g_strdup (text), "'", '"');
  return lm_test_json (json);
}

/* --- values --------------------------------------------------------------------------------------------- */

/* Random numbers from low to high in an array of the type. */
static LmArray *
uniform (GRand *rand, const lam_type *type, double low, double high)
{
  int64_t n = lam_type_elements (type);
  g_autofree double *values = g_new0 (double, (gsize)n + 1);
  for (int64_t i = 0; i < n; i++)
    values[i] = g_rand_double_range (rand, low, high);
  return lm_test_array (type, values);
}

/* 0 or 1, or ids below a limit. */
static LmArray *
integers (GRand *rand, const lam_type *type, int32_t limit)
{
  int64_t n = lam_type_elements (type);
  g_autofree double *values = g_new0 (double, (gsize)n + 1);
  for (int64_t i = 0; i < n; i++)
    values[i] = g_rand_int_range (rand, 0, limit);
  return lm_test_array (type, values);
}

/* "name dims [mask | id N]" */
static void
add_input (LmLayerFn *fn, GRand *rand, const char *text, lam_dtype real)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  g_auto (GStrv) dims = g_strsplit (words[1], ",", -1);
  g_autofree char *name = g_strconcat ("in:", words[0], NULL);
  lam_type type = {.dtype = real};
  for (; dims[type.rank] != NULL; type.rank++)
    type.dims[type.rank] = g_ascii_strtoll (dims[type.rank], NULL, 10);
  if (words[2] == NULL) {
    lm_layer_fn_add (fn, name, uniform (rand, &type, -2, 2));
  } else if (strcmp (words[2], "mask") == 0) {
    lm_layer_fn_add (fn, name, integers (rand, &type, 2));
  } else {
    g_assert_cmpstr (words[2], ==, "id");
    type.dtype = LAM_I32;
    lm_layer_fn_add (fn, name,
                     integers (rand, &type, (int32_t)g_ascii_strtoll (words[3], NULL, 10)));
  }
}

static void
add_inputs (LmLayerFn *fn, GRand *rand, const char *text, lam_dtype real)
{
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    add_input (fn, rand, g_strstrip (parts[i]), real);
}

/* True if input `name` of the text is a real tensor. */
static bool
is_real_input (const char *text, const char *name)
{
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);
  for (guint i = 0; parts[i] != NULL; i++) {
    g_auto (GStrv) words = g_strsplit (g_strstrip (parts[i]), " ", -1);
    if (strcmp (words[0], name) == 0)
      return words[2] == NULL;
  }
  return false;
}

static uint32_t
collections_of (const LmLayerFn *fn, const char *path)
{
  for (guint i = 0; i < lm_model_n_vars (fn->model); i++)
    if (strcmp (lm_model_var (fn->model, i)->path, path) == 0)
      return lm_model_var (fn->model, i)->collections;
  g_assert_not_reached ();
}

/* Variables away from where they start: zeros hide faults. */
static void
shake (LmLayerFn *fn, GRand *rand)
{
  for (guint i = 0; i < fn->names->len; i++) {
    LmArray *a = fn->arrays->pdata[i];
    if (!g_str_has_prefix (fn->names->pdata[i], "var:"))
      continue;
    const char *path = (const char *)fn->names->pdata[i] + 4;
    bool learns = !(collections_of (fn, path) & LAM_NON_TRAINABLE);
    int64_t n = lam_type_elements (&a->type);
    g_autofree double *values = g_new0 (double, (gsize)n + 1);
    for (int64_t k = 0; k < n; k++)
      values[k] = lm_array_get_double (a, k) + g_rand_double_range (rand, learns ? -0.5 : 0, 0.5);
    fn->arrays->pdata[i] = lm_test_array (&a->type, values);
    lm_array_unref (a);
  }
}

LmLayerFn *
lm_layer_check_fn (LmRegistry *registry, LmBackend *backend, const LmLayerCheck *check,
                   const char *dtype)
{
  g_autoptr (GError) error = NULL;
  GRand *rand = g_rand_new_with_seed (20261201);
  LmLayerFn *fn = lm_layer_fn_new (registry, lm_layer_check_config (check->config), dtype, NULL);
  lm_layer_fn_init (fn, backend);
  shake (fn, rand);
  add_inputs (fn, rand, check->inputs, strcmp (dtype, "f64") == 0 ? LAM_F64 : LAM_F32);
  g_rand_free (rand);
  if (!lm_layer_fn_trace (fn, check->do_eval, &error))
    g_error ("%s: %s", check->config, error->message);
  return fn;
}

/* --- gradients ------------------------------------------------------------------------------------------ */

/* A check with what its gradient needs: all arrays are f64 or integers. */
typedef struct Grad {
  const LmLayerCheck *check;
  LmLayerFn *fn;
  LmExecutable *forward;
  bool *wanted;          /* by parameter */
  bool *given;           /* by result */
  GPtrArray *cotangents; /* by result, NULL where not given */
} Grad;

static bool
is_wanted (const Grad *g, guint i)
{
  const char *name = g->fn->names->pdata[i];
  const LmArray *a = g->fn->arrays->pdata[i];
  if (a->type.dtype != LAM_F64)
    return false;
  if (g_str_has_prefix (name, "var:"))
    return !(collections_of (g->fn, name + 4) & LAM_NON_TRAINABLE);
  return g_str_has_prefix (name, "in:") && is_real_input (g->check->inputs, name + 3);
}

/* sum (result * cotangent) over the real outputs "y...". */
static double
value_of (const Grad *g)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) out = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  double sum = 0;
  g_ptr_array_set_size (out, (gint)g->fn->f->ir.n_results);
  lm_execute_arrays (g->forward, (LmArray *const *)g->fn->arrays->pdata, (LmArray **)out->pdata,
                     &error);
  g_assert_no_error (error);
  for (guint j = 0; j < out->len; j++) {
    const LmArray *y = out->pdata[j];
    for (int64_t k = 0; g->given[j] && k < lam_type_elements (&y->type); k++)
      sum += lm_array_get_double (y, k) * lm_array_get_double (g->cotangents->pdata[j], k);
  }
  return sum;
}

/* Gradients of the wanted parameters, in their order. */
static GPtrArray *
gradients (const Grad *g, LmBackend *backend)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) args = g_ptr_array_new ();
  GPtrArray *out = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_autoptr (LmFunction) vjp = lm_vjp (g->fn->f, g->wanted, g->given, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < g->fn->arrays->len; i++)
    g_ptr_array_add (args, g->fn->arrays->pdata[i]);
  for (guint j = 0; j < g->fn->f->ir.n_results; j++)
    if (g->given[j])
      g_ptr_array_add (args, g->cotangents->pdata[j]);
  g_ptr_array_set_size (out, (gint)vjp->ir.n_results);
  lm_test_run (backend, vjp, (LmArray *const *)args->pdata, (LmArray **)out->pdata);
  g_ptr_array_remove_range (out, 0, g->fn->f->ir.n_results);
  return out;
}

/* Every element of parameter i against central differences. */
static void
compare_differences (const Grad *g, guint i, const LmArray *gradient)
{
  double *x = ((LmArray *)g->fn->arrays->pdata[i])->data;
  const double h = 1e-5; /* error of h^2 and of 1e-16 / h */
  for (int64_t k = 0; k < lam_type_elements (&gradient->type); k++) {
    double at = x[k], high, low, want, got = lm_array_get_double (gradient, k);
    x[k] = at + h;
    high = value_of (g);
    x[k] = at - h;
    low = value_of (g);
    x[k] = at;
    want = (high - low) / (2 * h);
    if (!(fabs (got - want) <= 1e-6 + 1e-6 * fabs (want)))
      g_test_fail_printf ("%s (%s): %s[%" G_GINT64_FORMAT "]: gradient %.9g, difference %.9g",
                          g->check->config, g->check->inputs, (const char *)g->fn->names->pdata[i],
                          k, got, want);
  }
}

static void
check_gradients (LmRegistry *registry, LmBackend *backend, const LmLayerCheck *check)
{
  g_autoptr (GError) error = NULL;
  Grad g = {.check = check, .fn = lm_layer_check_fn (registry, backend, check, "f64")};
  guint n_params = g.fn->f->ir.n_params, n_results = g.fn->f->ir.n_results, n = 0;
  GRand *rand = g_rand_new_with_seed (7);
  g.wanted = g_new0 (bool, n_params + 1);
  g.given = g_new0 (bool, n_results + 1);
  g.cotangents = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  for (guint i = 0; i < n_params; i++)
    n += g.wanted[i] = is_wanted (&g, i);
  for (guint j = 0; j < n_results; j++) {
    const lam_type *type = lm_result_type (g.fn->f, j);
    g.given[j] = type->dtype == LAM_F64 && g_str_has_prefix (g.fn->out_names->pdata[j], "y");
    g_ptr_array_add (g.cotangents, g.given[j] ? uniform (rand, type, -1, 1) : NULL);
  }
  g_rand_free (rand);
  g_assert_cmpuint (n, >, 0);
  g.forward = lm_compile (backend, g.fn->f, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) out = gradients (&g, backend);
  for (guint i = 0, at = 0; i < n_params; i++)
    if (g.wanted[i])
      compare_differences (&g, i, out->pdata[at++]);
  lm_executable_free (g.forward);
  g_ptr_array_unref (g.cotangents);
  g_free (g.wanted);
  g_free (g.given);
  lm_layer_fn_free (g.fn);
}

/* --- bf16 ----------------------------------------------------------------------------------------------- */

/* The same call with variables and inputs cast: results of bf16, near those of f32. */
static void
check_bf16 (LmRegistry *registry, LmBackend *backend, const LmLayerCheck *check)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmLayerFn) fn = lm_layer_check_fn (registry, backend, check, "f32");
  g_autoptr (GPtrArray) wide = lm_layer_fn_run (fn, backend);
  fn->cast_bf16 = true;
  if (!lm_layer_fn_trace (fn, check->do_eval, &error))
    g_error ("%s in bf16: %s", check->config, error->message);
  g_autoptr (GPtrArray) narrow = lm_layer_fn_run (fn, backend);
  g_assert_cmpuint (wide->len, ==, narrow->len);
  for (guint j = 0; j < wide->len; j++) {
    const LmArray *a = wide->pdata[j], *b = narrow->pdata[j];
    double top = 1;
    if (a->type.dtype != LAM_F32)
      continue;
    if (!check->wide)
      g_assert_cmpstr (lam_dtype_name (b->type.dtype), ==, "bf16");
    if (check->random)
      continue;
    for (int64_t k = 0; k < lam_type_elements (&a->type); k++)
      top = fmax (top, fabs (lm_array_get_double (a, k)));
    for (int64_t k = 0; k < lam_type_elements (&a->type); k++)
      if (!(fabs (lm_array_get_double (a, k) - lm_array_get_double (b, k)) <= 0.04 * top))
        g_test_fail_printf ("%s: %s[%" G_GINT64_FORMAT "]: %g in bf16, %g in f32", check->config,
                            (const char *)fn->out_names->pdata[j], k, lm_array_get_double (b, k),
                            lm_array_get_double (a, k));
  }
}

/* --- tests ---------------------------------------------------------------------------------------------- */

typedef struct Job {
  const LmLayerCheck *checks;
  guint n;
  char *type; /* "lamina.linear" */
  void (*run) (LmRegistry *registry, LmBackend *backend, const LmLayerCheck *check);
} Job;

static char *
type_of (const LmLayerCheck *check)
{
  g_autoptr (JsonObject) config = lm_layer_check_config (check->config);
  return g_strdup (json_object_get_string_member (config, "type"));
}

static void
test_job (gconstpointer data)
{
  const Job *job = data;
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  guint n = 0;
  for (guint i = 0; i < job->n; i++) {
    const LmLayerCheck *check = &job->checks[i];
    g_autofree char *type = type_of (check);
    if (strcmp (type, job->type) != 0)
      continue;
    job->run (registry, backend, check);
    n++;
  }
  g_assert_cmpuint (n, >, 0);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

static void
job_free (gpointer data)
{
  Job *job = data;
  g_free (job->type);
  g_free (job);
}

static void
add_job (const LmLayerCheck *checks, guint n, const char *type, bool bf16)
{
  Job *job = g_new (Job, 1);
  g_autofree char *path = g_strdup_printf ("/plugins/layers/%s/%s", strchr (type, '.') + 1,
                                           bf16 ? "bf16" : "gradients");
  *job = (Job) {checks, n, g_strdup (type), bf16 ? check_bf16 : check_gradients};
  g_test_add_data_func_full (path, job, test_job, job_free);
}

void
lm_layer_check_add (const LmLayerCheck *checks, guint n)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < n; i++) {
    char *type = type_of (&checks[i]);
    if (g_hash_table_contains (seen, type)) {
      g_free (type);
      continue;
    }
    add_job (checks, n, type, false);
    add_job (checks, n, type, true);
    g_hash_table_add (seen, type);
  }
}

void
lm_layer_check_refusals (const LmLayerRefusal *refusals, guint n)
{
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  for (guint i = 0; i < n; i++) {
    const LmLayerRefusal *r = &refusals[i];
    g_autoptr (GError) error = NULL;
    g_autoptr (LmLayerFn) fn =
        lm_layer_fn_new (registry, lm_layer_check_config (r->config), "f32", &error);
    g_assert_true ((fn == NULL) == (r->inputs == NULL));
    if (r->inputs != NULL) {
      GRand *rand = g_rand_new_with_seed (1);
      lm_layer_fn_init (fn, backend);
      add_inputs (fn, rand, r->inputs, LAM_F32);
      g_rand_free (rand);
      g_assert_false (lm_layer_fn_trace (fn, false, &error));
    }
    lm_test_assert_error (&error, LM_ERROR_INVALID, r->pieces[0], r->pieces[1], r->pieces[2],
                          r->pieces[3], NULL);
  }
  lm_backend_unref (backend);
  lm_registry_free (registry);
}
