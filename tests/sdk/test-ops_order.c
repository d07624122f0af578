/* SPDX-License-Identifier: Apache-2.0 */
/* sdk/lamina/ops_order.h: each function recorded and run on both backends; expected values by hand. */
#include "tests/lib/fixture.h"
#include "core/trace/trace.h"
#include <lamina/layer.h>

#include <math.h>

typedef struct Fixture {
  LmTrace *trace;
  lam_trace *t;
  lam_tensor x, i; /* f32[2,4]; i32[], which holds 1 */
} Fixture;

static const double x_values[] = {3, 1, NAN, 1, -2, 8, 0.3, 7};

static void
set_up (Fixture *f, gconstpointer unused)
{
  lam_type type = lm_type (LAM_F32, 2, (int64_t[]) {2, 4}), scalar = lm_scalar_type (LAM_I32);
  f->trace = lm_trace_new ("test", lm_host_tables ()->trace, NULL, LAM_F32);
  f->t = lm_trace_pub (f->trace);
  f->x = lm_trace_param (f->trace, &type);
  f->i = lm_trace_param (f->trace, &scalar);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  lm_trace_free (f->trace);
}

/* n results in a row, their elements one after the other; ends the trace. */
static void
assert_values (Fixture *f, const lam_tensor *results, uint32_t n, const double *wanted)
{
  static const char *const names[] = {"reference", "cpu"};
  g_autoptr (GError) error = NULL;
  LmRegistry *registry = lm_test_registry ();
  if (lm_trace_error (f->trace) != NULL)
    g_error ("%s", lm_trace_error (f->trace)->message);
  g_autoptr (LmFunction) all = lm_trace_finish (f->trace, results, n, &error);
  g_assert_no_error (error);
  for (int b = 0; b < 2; b++) {
    g_autoptr (LmBackend) backend = lm_test_backend (registry, names[b]);
    g_autoptr (LmArray) x = lm_test_array (lm_param_type (all, 0), x_values);
    g_autoptr (LmArray) i = lm_test_array (lm_param_type (all, 1), (double[]) {1});
    LmArray *in[] = {x, i}, *out[3];
    lm_test_run (backend, all, in, out);
    for (uint32_t r = 0, at = 0; r < n; r++) {
      for (int64_t k = 0; k < lam_type_elements (&out[r]->type); k++, at++) {
        double got = lm_array_get_double (out[r], k);
        g_assert_true (got == wanted[at] || (isnan (got) && isnan (wanted[at])));
      }
      lm_array_unref (out[r]);
    }
  }
  lm_registry_free (registry);
}

static void
test_slices (Fixture *f, gconstpointer unused)
{
  lam_tensor starts[] = {lam_scalar (f->t, LAM_I32, 9), f->i};
  lam_tensor part = lam_dynamic_slice (f->t, f->x, starts, LAM_AXES (1, 2));
  lam_tensor both[] = {part, lam_dynamic_update_slice (f->t, f->x, lam_neg (f->t, part), starts)};
  assert_values (f, both, 2, (double[]) {8, (double)0.3f, 3, 1, NAN, 1, -2, -8, -(double)0.3f, 7});
}

static void
test_sums (Fixture *f, gconstpointer unused)
{
  lam_tensor row = lam_slice_axis (f->t, lam_round (f->t, f->x), 0, 1, 2);
  lam_tensor both[] = {lam_cumsum (f->t, row, -1, false, false),
                       lam_cumsum (f->t, row, 1, true, true)};
  assert_values (f, both, 2, (double[]) {-2, 6, 6, 13, 15, 7, 7, 0});
}

static void
test_sort (Fixture *f, gconstpointer unused)
{
  lam_tensor both[] = {lam_sort (f->t, f->x, -1), lam_argsort (f->t, f->x, 1)};
  assert_values (f, both, 2,
                 (double[]) {1, 1, 3, NAN, -2, (double)0.3f, 7, 8, /**/
                             1, 3, 0, 2, 0, 2, 3, 1});
}

/* Two keys: the first ties in every column, the second decides. */
static void
test_sort_with (Fixture *f, gconstpointer unused)
{
  lam_tensor in[] = {lam_full (f->t, LAM_I8, LAM_SHAPE (2, 4), 5), f->x,
                     lam_iota (f->t, LAM_I32, LAM_SHAPE (2, 4), 0)};
  lam_tensor out[3];
  lam_sort_with (f->t, in, 3, 0, 2, out);
  assert_values (f, out, 3, (double[]) {5,   5, 5,
                                        5,   5, 5,
                                        5,   5, /**/
                                        -2,  1, (double)0.3f,
                                        1,   3, 8,
                                        NAN, 7, /**/
                                        1,   0, 1,
                                        0,   0, 1,
                                        0,   1});
}

static void
test_top_k (Fixture *f, gconstpointer unused)
{
  lam_tensor both[2];
  lam_top_k (f->t, f->x, 3, &both[0], &both[1]);
  assert_values (f, both, 2, (double[]) {NAN, 3, 1, 8, 7, (double)0.3f, 2, 0, 1, 1, 3, 2});
}

/* 0.3 in bf16 is 0.30078125. */
static void
test_precision (Fixture *f, gconstpointer unused)
{
  lam_tensor y = lam_reduce_precision (f->t, f->x, 8, 7);
  assert_values (f, &y, 1, (double[]) {3, 1, NAN, 1, -2, 8, 0.30078125, 7});
}

/* A wrong axis and a nil operand are errors of the trace; what follows gives nil. */
static void
test_errors (Fixture *f, gconstpointer unused)
{
  lam_tensor values, indices, y = lam_sort (f->t, f->x, 2);
  GError *error = g_error_copy (lm_trace_error (f->trace));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "outside the rank", NULL);
  lam_top_k (f->t, y, 2, &values, &indices);
  g_assert_true (lam_is_nil (y) && lam_is_nil (values) && lam_is_nil (indices));
  g_assert_true (lam_is_nil (lam_cumsum (f->t, f->x, 0, false, false)));
}

#define ADD(name, fn) g_test_add ("/sdk/ops_order/" name, Fixture, NULL, set_up, fn, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("slices", test_slices);
  ADD ("sums", test_sums);
  ADD ("sort", test_sort);
  ADD ("sort_with", test_sort_with);
  ADD ("top_k", test_top_k);
  ADD ("precision", test_precision);
  ADD ("errors", test_errors);
  return g_test_run ();
}
