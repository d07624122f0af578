/* SPDX-License-Identifier: Apache-2.0 */
/* core/trace/effects.c, histogram.c and watch.c: every kind of summary, its key and value, and what a
 * step watches. Semantics 1.2 and 1.13; expected values are counted by hand. */
#include "tests/lib/fixture.h"
#include <lamina/context.h>
#include <lamina/ops.h>

#include <math.h>
#include <string.h>

typedef struct Fixture {
  LmTrace *trace;
  lam_trace *t;
  lam_tensor x; /* (N) f32 */
} Fixture;

static void
set_up_rows (Fixture *f, int64_t n)
{
  lam_type type = lm_type (LAM_F32, 1, (int64_t[]) {n});
  f->trace = lm_trace_new ("test", lm_host_tables ()->trace, NULL, LAM_F32);
  f->t = lm_trace_pub (f->trace);
  f->x = lm_trace_param (f->trace, &type);
}

static const LmSummary *
summary (Fixture *f, guint i)
{
  const LmSummary *all;
  g_assert_cmpuint (lm_trace_summaries (f->trace, &all), >, i);
  return &all[i];
}

/* Runs the trace, which ends here, on values of x; results as they come. */
static void
run (Fixture *f, const double *x, const lam_tensor *results, guint n, LmArray **out)
{
  g_autoptr (GError) error = NULL;
  lam_type type;
  lm_trace_type_of (f->t, f->x, &type);
  g_autoptr (LmFunction) function = lm_trace_finish (f->trace, results, n, &error);
  g_assert_no_error (error);
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  g_autoptr (LmArray) in = lm_test_array (&type, x);
  lm_test_run (backend, function, &in, out);
  lm_backend_unref (backend);
  lm_registry_free (registry);
  lm_trace_free (f->trace);
}

static void
assert_failed (Fixture *f, const char *piece)
{
  GError *error =
      lm_trace_error (f->trace) != NULL ? g_error_copy (lm_trace_error (f->trace)) : NULL;
  lm_test_assert_error (&error, LM_ERROR_INVALID, piece, NULL);
  lm_trace_free (f->trace);
}

/* --- kinds and keys ----------------------------------------------------------------------------------- */

static void
test_keys (void)
{
  Fixture f;
  set_up_rows (&f, 2);
  lam_tensor weight = lam_scalar (f.t, LAM_F32, 2);
  lam_tensor image = lam_reshape (f.t, f.x, LAM_SHAPE (1, 2, 1));
  lam_namespace_push (f.t, "net.fprop");
  lam_add_summary_scalar (f.t, "s", f.x);
  lam_add_summary (f.t, "i", LAM_SUMMARY_IMAGE, image, 2);
  lam_add_aggregate_scalar (f.t, "a", f.x, weight);
  f.t->api->add_aggregate (f.t, "b", LAM_SUMMARY_AGGREGATE_IMAGE, image, weight, 2);
  lam_add_summary_text (f.t, "t", "hello");
  lam_add_summary_histogram (f.t, "h", f.x);
  lam_add_aggregate_scalar (f.t, "a", f.x, weight);
  static const char *const keys[] = {
      "net.fprop/s_scalar",           "net.fprop/i_image", "net.fprop/a_aggregate_scalar",
      "net.fprop/b_aggregate_image",  "net.fprop/t_text",  "net.fprop/h_histogram",
      "net.fprop/a1_aggregate_scalar"};
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    bool weighs = strstr (keys[i], "aggregate") != NULL;
    g_assert_cmpstr (summary (&f, i)->key, ==, keys[i]);
    g_assert_true (lam_is_nil (summary (&f, i)->weight) == !weighs);
  }
  lm_trace_free (f.trace);
}

/* join ("/", namespaces) + "/" + name + suffix; each context has namespaces of its own, none at first. */
static void
test_namespaces (void)
{
  Fixture f;
  set_up_rows (&f, 1);
  lam_context_args args = lam_context_args_make ();
  lam_add_summary_scalar (f.t, "s", f.x);
  lam_namespace_push (f.t, "a");
  lam_namespace_push (f.t, "b.fprop");
  lam_add_summary_scalar (f.t, "s", f.x);
  lam_namespace_pop (f.t);
  lam_add_summary_scalar (f.t, "s", f.x);
  static const char *const keys[] = {"/s_scalar", "a/b.fprop/s_scalar", "a/s_scalar"};
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_cmpstr (summary (&f, i)->key, ==, keys[i]);
  lam_context_push (f.t, &args);
  lam_add_summary_scalar (f.t, "s", f.x);
  g_assert_cmpstr (summary (&f, 0)->key, ==, "/s_scalar");
  lam_context_pop (f.t);
  const LmSummary *all; /* what the inner context gathered went with it */
  g_assert_cmpuint (lm_trace_summaries (f.trace, &all), ==, 3);
  lm_trace_free (f.trace);
}

/* A number before the suffix, for every kind (semantics 1.22, 1: upstream loses the suffix); kinds do not
 * collide with each other. */
static void
test_collisions (void)
{
  Fixture f;
  set_up_rows (&f, 1);
  lam_tensor image = lam_reshape (f.t, f.x, LAM_SHAPE (1, 1, 1));
  for (guint i = 0; i < 3; i++) {
    lam_add_summary_scalar (f.t, "s", f.x);
    lam_add_summary (f.t, "s", LAM_SUMMARY_IMAGE, image, 2);
    lam_add_summary_histogram (f.t, "s", f.x);
  }
  lam_add_summary_scalar (f.t, "s1", f.x); /* taken by the second of s */
  static const char *const keys[] = {"/s_scalar",     "/s_image",      "/s_histogram", "/s1_scalar",
                                     "/s1_image",     "/s1_histogram", "/s2_scalar",   "/s2_image",
                                     "/s2_histogram", "/s11_scalar"};
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_cmpstr (summary (&f, i)->key, ==, keys[i]);
  lm_trace_free (f.trace);
}

/* Images (H, W, C) become (1, H, W, C), (B, H, W, C) stays; other ranks are refused. Scalars may have any
 * shape. */
static void
test_ranks (void)
{
  for (int32_t rank = 0; rank <= 5; rank++) {
    Fixture f;
    lam_type type;
    int64_t ones[] = {1, 1, 1, 1, 1};
    set_up_rows (&f, 1);
    lam_shape shape = {.rank = rank};
    memcpy (shape.dims, ones, sizeof ones);
    lam_tensor x = lam_reshape (f.t, f.x, shape);
    lam_add_summary_scalar (f.t, "s", x);
    lm_trace_type_of (f.t, summary (&f, 0)->value, &type);
    g_assert_cmpint (type.rank, ==, rank);
    lam_add_summary (f.t, "i", LAM_SUMMARY_IMAGE, x, 2);
    if (rank != 3 && rank != 4) {
      assert_failed (&f, "an image has shape (H, W, C) or (B, H, W, C)");
      continue;
    }
    lm_trace_type_of (f.t, summary (&f, 1)->value, &type);
    g_assert_cmpint (type.rank, ==, 4);
    lm_trace_free (f.trace);
  }
}

/* Upstream asserts that there is a context; here the trace is one, and what it gathers is lost unless a
 * step reads it. Each context has summaries of its own: all_summaries gives those of the innermost. */
static void
test_base_context (void)
{
  Fixture f;
  set_up_rows (&f, 1);
  lam_context_args args = lam_context_args_make ();
  lam_add_summary_scalar (f.t, "outer", f.x);
  g_assert_true (lam_is_ok (f.t));
  lam_context_push (f.t, &args);
  g_assert_cmpuint (f.t->api->nest_size (f.t, lam_all_summaries (f.t)), ==, 0);
  lam_add_summary_scalar (f.t, "inner", f.x);
  lam_nest inner = lam_all_summaries (f.t);
  g_assert_cmpuint (f.t->api->nest_size (f.t, inner), ==, 1);
  g_assert_cmpstr (f.t->api->nest_key (f.t, inner, 0), ==, "/inner_scalar");
  lam_context_pop (f.t);
  lam_nest outer = lam_all_summaries (f.t);
  g_assert_cmpstr (f.t->api->nest_key (f.t, outer, 0), ==, "/outer_scalar");
  lm_trace_free (f.trace);
}

/* Recorded when the context's verbosity is at least the call's: 3 unless a context says another. */
static void
test_verbosity (void)
{
  Fixture f;
  const LmSummary *all;
  set_up_rows (&f, 1);
  lam_context_args args = lam_context_args_make ();
  lam_add_summary (f.t, "three", LAM_SUMMARY_SCALAR, f.x, 3);
  lam_add_summary (f.t, "four", LAM_SUMMARY_SCALAR, f.x, 4);
  f.t->api->add_aggregate (f.t, "five", LAM_SUMMARY_AGGREGATE_SCALAR, f.x, f.x, 5);
  g_assert_cmpuint (lm_trace_summaries (f.trace, &all), ==, 1);
  args.verbosity = 1;
  lam_context_push (f.t, &args);
  lam_add_summary (f.t, "two", LAM_SUMMARY_SCALAR, f.x, 2);
  lam_add_summary (f.t, "one", LAM_SUMMARY_SCALAR, f.x, 1);
  g_assert_cmpuint (lm_trace_summaries (f.trace, &all), ==, 1);
  g_assert_cmpstr (all[0].key, ==, "/one_scalar");
  args.verbosity = -1; /* params are inherited, summaries are not */
  lam_context_push (f.t, &args);
  lam_add_summary (f.t, "two", LAM_SUMMARY_SCALAR, f.x, 2);
  g_assert_cmpuint (lm_trace_summaries (f.trace, &all), ==, 0);
  lm_trace_free (f.trace);
}

static void
test_text (void)
{
  Fixture f;
  g_autoptr (LmArray) out = NULL;
  set_up_rows (&f, 1);
  lam_add_summary_text (f.t, "t", "gr\303\274n");
  lam_tensor value = summary (&f, 0)->value;
  run (&f, (double[]) {0}, &value, 1, &out);
  g_assert_cmpmem (out->data, (gsize)out->bytes, "gr\303\274n", 5);
  set_up_rows (&f, 1);
  lam_add_summary (f.t, "t", LAM_SUMMARY_TEXT, f.x, 2);
  assert_failed (&f, "u8[N]");
}

static void
test_errors (void)
{
  Fixture f;
  set_up_rows (&f, 2);
  lam_add_summary (f.t, "a", LAM_SUMMARY_AGGREGATE_SCALAR, f.x, 2);
  assert_failed (&f, "an aggregate has a weight");
  set_up_rows (&f, 2);
  lam_add_aggregate_scalar (f.t, "a", f.x, f.x); /* the weight is no scalar */
  assert_failed (&f, "a float scalar as its weight");
  set_up_rows (&f, 2);
  lam_add_summary (f.t, "x", 99, f.x, 2);
  assert_failed (&f, "unknown type 99");
  set_up_rows (&f, 2);
  lam_add_summary_histogram (f.t, "h", lam_cast (f.t, f.x, LAM_I32));
  assert_failed (&f, "a histogram has a float dtype, got i32[2]");
}

/* --- histograms ------------------------------------------------------------------------------------------- */

/* 0 to 30 by thirtieths: bucket i is [i, i + 1), the last one closed. */
static void
test_histogram (void)
{
  Fixture f;
  g_autoptr (LmArray) out = NULL;
  set_up_rows (&f, 9);
  lam_add_summary_histogram (f.t, "h", f.x);
  lam_tensor value = summary (&f, 0)->value;
  run (&f, (double[]) {0, 30, 0.5, 7.25, 7.75, 29.5, INFINITY, NAN, -INFINITY}, &value, 1, &out);
  g_assert_cmpint (out->type.rank, ==, 2);
  g_assert_cmpint (out->type.dims[0], ==, 30);
  g_assert_cmpint (out->type.dims[1], ==, 3);
  for (int i = 0; i < 30; i++) {
    int count = i == 0 || i == 7 || i == 29 ? 2 : 0;
    g_assert_cmpfloat_with_epsilon (lm_array_get_double (out, 3 * i), i, 1e-5);
    g_assert_cmpfloat_with_epsilon (lm_array_get_double (out, 3 * i + 1), i + 1, 1e-5);
    g_assert_cmpfloat (lm_array_get_double (out, 3 * i + 2), ==, count);
  }
}

/* One value only: everything in the first bucket, both edges at it. No value: zeros. */
static void
test_histogram_degenerate (void)
{
  Fixture f;
  g_autoptr (LmArray) out = NULL, none = NULL;
  set_up_rows (&f, 3);
  lam_add_summary_histogram (f.t, "h", f.x);
  lam_tensor value = summary (&f, 0)->value;
  run (&f, (double[]) {2, 2, 2}, &value, 1, &out);
  g_assert_cmpfloat (lm_array_get_double (out, 0), ==, 2);
  g_assert_cmpfloat (lm_array_get_double (out, 2), ==, 3);
  g_assert_cmpfloat (lm_array_get_double (out, 5), ==, 0);
  set_up_rows (&f, 0);
  lam_add_summary_histogram (f.t, "h", f.x);
  value = summary (&f, 0)->value;
  run (&f, NULL, &value, 1, &none);
  for (int i = 0; i < 90; i++)
    g_assert_cmpfloat (lm_array_get_double (none, i), ==, 0);
}

/* --- watches ---------------------------------------------------------------------------------------------- */

static void
test_watches (void)
{
  Fixture f;
  const LmWatch *all;
  LmArray *out[3];
  set_up_rows (&f, 2);
  LmTraceLayer layer = {1, "model.net", "net.fprop"};
  lam_context_args args = lam_context_args_make ();
  lam_check_numerics (f.t, "off", f.x);
  lam_check (f.t, "off", lam_full_bits (f.t, LAM_PRED, LAM_SCALAR, 0));
  g_assert_cmpuint (lm_trace_watches (f.trace, &all), ==, 0);
  args.check_numerics = args.enable_asserts = 1;
  lam_context_push (f.t, &args);
  args = lam_context_args_make ();
  lam_context_push (f.t, &args); /* switches are inherited */
  lm_trace_enter (f.trace, &layer);
  lam_check_numerics (f.t, "x", f.x);
  lam_check_numerics (f.t, "integers are finite", lam_cast (f.t, f.x, LAM_I32));
  lam_check (f.t, "x is large",
             lam_all (f.t, lam_gt (f.t, f.x, lam_full_like (f.t, f.x, 9)), LAM_EVERY_AXIS, false));
  lam_debug_print (f.t, "see", f.x);
  g_assert_cmpuint (lm_trace_watches (f.trace, &all), ==, 3);
  g_assert_cmpstr (all[0].name, ==, "model.net: x");
  g_assert_cmpint (all[0].kind, ==, LM_WATCH_NUMERICS);
  g_assert_cmpstr (all[1].name, ==, "model.net: x is large");
  g_assert_cmpint (all[1].kind, ==, LM_WATCH_ASSERT);
  g_assert_cmpint (all[2].kind, ==, LM_WATCH_PRINT);
  lam_tensor values[3] = {all[0].value, all[1].value, all[2].value};
  lm_trace_leave (f.trace);
  run (&f, (double[]) {1, NAN}, values, 3, out);
  g_assert_cmpint (lm_array_get_int (out[0], 0), ==, 0);
  g_assert_cmpint (lm_array_get_int (out[1], 0), ==, 0);
  g_assert_cmpfloat (lm_array_get_double (out[2], 0), ==, 1);
  for (guint i = 0; i < 3; i++)
    lm_array_unref (out[i]);
}

static void
test_watch_errors (void)
{
  Fixture f;
  lam_context_args args = lam_context_args_make ();
  args.enable_asserts = 1;
  set_up_rows (&f, 2);
  lam_context_push (f.t, &args);
  lam_check (f.t, "no scalar", f.x);
  assert_failed (&f, "wanted a bool scalar, got f32[2]");
  set_up_rows (&f, 2);
  lam_debug_print (f.t, "", f.x);
  assert_failed (&f, "no name");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/effects/1.2/namespaces", test_namespaces);
  g_test_add_func ("/trace/effects/1.2/collisions", test_collisions);
  g_test_add_func ("/trace/effects/1.2/ranks", test_ranks);
  g_test_add_func ("/trace/effects/1.2/base-context", test_base_context);
  g_test_add_func ("/trace/effects/1.13/keys", test_keys);
  g_test_add_func ("/trace/effects/1.13/verbosity", test_verbosity);
  g_test_add_func ("/trace/effects/1.13/text", test_text);
  g_test_add_func ("/trace/effects/1.13/errors", test_errors);
  g_test_add_func ("/trace/effects/histogram/buckets", test_histogram);
  g_test_add_func ("/trace/effects/histogram/degenerate", test_histogram_degenerate);
  g_test_add_func ("/trace/effects/watches", test_watches);
  g_test_add_func ("/trace/effects/watch-errors", test_watch_errors);
  return g_test_run ();
}
