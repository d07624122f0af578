/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.batch_norm with the moments of all replicas: n replicas of the local collective, each with its part of
 * a batch, against one call with the whole batch. f64. */
#include "core/run/group.h"
#include "core/transform/transform.h"
#include "tests/lib/layer_check.h"

#include <math.h>
#include <string.h>

#define B   4
#define T   3
#define DIM 2

/* A batch: its paddings (NULL: none) and how far results may be from one call's. */
typedef struct Batch {
  const char *name;
  double paddings[B * T];
  bool padded;
} Batch;

static const Batch batches[] = {
    {"even", {0}, false},
    {"padded", {0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1}, true},
    /* One position in all: each replica's own count, made at least 1, would give 2. */
    {"one position", {1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1}, true},
    {"nothing", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, true}};

/* One replica: rows first to first + rows - 1 of the batch. Results: y, moving_mean, moving_variance, the
 * gradients of gamma and of the input. */
typedef struct Replica {
  LmLayerFn *fn;
  LmFunction *vjp;
  LmExecutable *exe;
  GPtrArray *args;
  LmArray *out[16];
  int y, mean, variance, d_gamma, d_x; /* places in out */
} Replica;

/* A deterministic number for place i of stream k. */
static double
number (int k, int i)
{
  return sin (1.7 * i + 0.9 * k) * (1 + 0.3 * (i % 5));
}

static LmArray *
part (int k, int first, int rows, int width)
{
  lam_type type = lm_type (LAM_F64, 3, (int64_t[]) {rows, T, width});
  g_autofree double *values = g_new (double, (gsize)(rows * T * width));
  for (int i = 0; i < rows * T * width; i++)
    values[i] = number (k, first * T * width + i);
  return lm_test_array (&type, values);
}

static LmArray *
paddings_part (const Batch *batch, int first, int rows)
{
  lam_type type = lm_type (LAM_F64, 2, (int64_t[]) {rows, T});
  return lm_test_array (&type, batch->paddings + first * T);
}

/* beta, gamma, moving_mean, moving_variance: any numbers, the variance positive. */
static void
set_variables (LmLayerFn *fn)
{
  lam_type type = lm_type (LAM_F64, 1, (int64_t[]) {DIM});
  lm_layer_fn_set (fn, "var:beta", lm_test_array (&type, (double[]) {0.3, -0.2}));
  lm_layer_fn_set (fn, "var:gamma", lm_test_array (&type, (double[]) {0.5, -0.25}));
  lm_layer_fn_set (fn, "var:moving_mean", lm_test_array (&type, (double[]) {0.1, -0.4}));
  lm_layer_fn_set (fn, "var:moving_variance", lm_test_array (&type, (double[]) {0.7, 1.2}));
}

/* The call of a part with its gradients along fixed cotangents of y. */
static void
prepare (Replica *r, LmRegistry *registry, LmBackend *backend, const char *config,
         const Batch *batch, int first, int rows, uint32_t replicas)
{
  g_autoptr (GError) error = NULL;
  bool wanted[8] = {false}, given[8] = {false};
  LmLayerFn *fn = lm_layer_fn_new (registry, lm_layer_check_config (config), "f64", NULL);
  r->fn = fn;
  fn->replicas = replicas;
  lm_layer_fn_init (fn, backend);
  set_variables (fn);
  lm_layer_fn_add (fn, "in:inputs", part (1, first, rows, DIM));
  if (batch->padded)
    lm_layer_fn_add (fn, "in:paddings", paddings_part (batch, first, rows));
  lm_layer_fn_trace (fn, false, &error);
  g_assert_no_error (error);
  r->y = lm_layer_fn_find (fn->out_names, "y");
  r->mean = lm_layer_fn_find (fn->out_names, "updated:moving_mean");
  r->variance = lm_layer_fn_find (fn->out_names, "updated:moving_variance");
  int gamma = lm_layer_fn_find (fn->names, "var:gamma"),
      x = lm_layer_fn_find (fn->names, "in:inputs");
  wanted[gamma] = wanted[x] = given[r->y] = true;
  r->d_gamma = (int)fn->f->ir.n_results + (gamma > x);
  r->d_x = (int)fn->f->ir.n_results + (x > gamma);
  r->vjp = lm_vjp (fn->f, wanted, given, &error);
  g_assert_no_error (error);
  r->args = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  for (guint i = 0; i < fn->arrays->len; i++)
    g_ptr_array_add (r->args, lm_array_ref (fn->arrays->pdata[i]));
  g_ptr_array_add (r->args, part (2, first, rows, DIM));
  r->exe = lm_compile (backend, r->vjp, NULL, &error);
  g_assert_no_error (error);
}

static gpointer
execute (gpointer data)
{
  Replica *r = data;
  g_autoptr (GError) error = NULL;
  lm_execute_arrays (r->exe, (LmArray *const *)r->args->pdata, r->out, &error);
  g_assert_no_error (error);
  return NULL;
}

static void
finish (Replica *r)
{
  for (gsize i = 0; i < G_N_ELEMENTS (r->out); i++)
    g_clear_pointer (&r->out[i], lm_array_unref);
  lm_executable_free (r->exe);
  lm_function_unref (r->vjp);
  g_ptr_array_unref (r->args);
  lm_layer_fn_free (r->fn);
}

/* The batch in n parts, all at once. */
static void
run_parts (Replica *parts, uint32_t n, LmRegistry *registry, LmBackend *backend, const char *config,
           const Batch *batch)
{
  g_autoptr (GError) error = NULL;
  GThread *threads[B];
  LmGroup *group = lm_group_open (registry, "local", NULL, n, &error);
  g_assert_no_error (error);
  for (uint32_t i = 0; i < n; i++) {
    prepare (&parts[i], registry, backend, config, batch, (int)(i * B / n), (int)(B / n), n);
    lm_executable_set_collective (parts[i].exe, lm_group_member (group, i));
  }
  for (uint32_t i = 0; i < n; i++)
    threads[i] = g_thread_new ("replica", execute, &parts[i]);
  for (uint32_t i = 0; i < n; i++)
    g_thread_join (threads[i]);
  for (uint32_t i = 0; i < n; i++)
    lm_executable_set_collective (parts[i].exe, NULL);
  lm_group_free (group);
}

/* Largest distance of the parts' results from those of the whole: y and the input's gradient one part after
 * the other, the gradient of gamma in sum, the statistics each. */
static double
distance (const Replica *whole, const Replica *parts, uint32_t n)
{
  double far = 0, d_gamma[DIM] = {0};
  int64_t elements = B / n * T * DIM;
  for (uint32_t i = 0; i < n; i++) {
    const Replica *r = &parts[i];
    for (int64_t k = 0; k < elements; k++) {
      int64_t at = i * elements + k;
      far = fmax (far, fabs (lm_array_get_double (r->out[r->y], k)
                             - lm_array_get_double (whole->out[whole->y], at)));
      far = fmax (far, fabs (lm_array_get_double (r->out[r->d_x], k)
                             - lm_array_get_double (whole->out[whole->d_x], at)));
    }
    for (int d = 0; d < DIM; d++) {
      far = fmax (far, fabs (lm_array_get_double (r->out[r->mean], d)
                             - lm_array_get_double (whole->out[whole->mean], d)));
      far = fmax (far, fabs (lm_array_get_double (r->out[r->variance], d)
                             - lm_array_get_double (whole->out[whole->variance], d)));
      d_gamma[d] += lm_array_get_double (r->out[r->d_gamma], d);
    }
  }
  for (int d = 0; d < DIM; d++)
    far = fmax (far, fabs (d_gamma[d] - lm_array_get_double (whole->out[whole->d_gamma], d)));
  return far;
}

/* Distance of n replicas from one call without an axis. */
static double
compare (const Batch *batch, uint32_t n, bool together)
{
  g_autofree char *config = g_strdup_printf ("{'type': 'lamina.batch_norm', 'dim': %d, 'decay': "
                                             "0.5, 'enable_cross_replica_sum_on_tpu': %s}",
                                             DIM, together ? "true" : "false");
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  Replica whole = {0}, parts[B] = {{0}};
  prepare (&whole, registry, backend, config, batch, 0, B, 0);
  execute (&whole);
  run_parts (parts, n, registry, backend, config, batch);
  double far = distance (&whole, parts, n);
  for (uint32_t i = 0; i < n; i++)
    finish (&parts[i]);
  finish (&whole);
  lm_backend_unref (backend);
  lm_registry_free (registry);
  return far;
}

static void
test_cross_replica (void)
{
  for (gsize k = 0; k < G_N_ELEMENTS (batches); k++)
    for (uint32_t n = 1; n <= B; n *= 2) {
      double far = compare (&batches[k], n, true);
      g_test_message ("%s, %u replicas: %g", batches[k].name, n, far);
      g_assert_cmpfloat (far, <, 1e-12);
    }
}

/* Without the option each replica has its own moments. */
static void
test_alone (void)
{
  g_assert_cmpfloat (compare (&batches[0], 1, false), <, 1e-12);
  g_assert_cmpfloat (compare (&batches[0], 2, false), >, 1e-3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugins/layers/batch_norm/cross_replica", test_cross_replica);
  g_test_add_func ("/plugins/layers/batch_norm/replicas_alone", test_alone);
  return g_test_run ();
}
