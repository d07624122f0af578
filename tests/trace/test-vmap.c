/* SPDX-License-Identifier: Apache-2.0 */
/* core/trace/vmap.c: lam_vmap over nests, captures, nesting, and the effects it refuses. */
#include "tests/lib/fixture.h"
#include <lamina/layer.h>

#include <string.h>

/* Two variables of layer 1: w trainable, m not. */
static const lam_var_info info_w = {sizeof info_w, 0, "w", {LAM_F32, 1, {2}}, 1, 0};
static const lam_var_info info_m = {sizeof info_m, LAM_NON_TRAINABLE, "m", {LAM_F32, 1, {2}}, 0, 0};
static const lam_var_info *const infos[] = {&info_w, &info_m};
static const uint32_t owners[] = {1, 1};
static const lam_var var_w = {1, 7}, var_m = {2, 7};

/* A bound context with a key, inside layer 1. */
typedef struct Fixture {
  LmNest *tree;
  LmTraceVars vars;
  LmTrace *trace;
  lam_trace *t;
  lam_tensor x; /* f32[3,2] */
} Fixture;

static lam_tensor
param (Fixture *f, lam_dtype dtype, int32_t rank, int64_t d0, int64_t d1)
{
  lam_type type = lm_type (dtype, rank, (int64_t[]) {d0, d1});
  return lm_trace_param (f->trace, &type);
}

static void
set_up (Fixture *f, gconstpointer unused)
{
  LmTraceLayer layer = {1, "model.layer", "layer.fprop"};
  lam_context_args args = lam_context_args_make ();
  f->tree = lm_nest_new_map ();
  lm_nest_set (f->tree, "w", lm_nest_new_leaf (1), NULL);
  lm_nest_set (f->tree, "m", lm_nest_new_leaf (2), NULL);
  f->vars = (LmTraceVars) {7, 2, infos, owners, f->tree, NULL};
  f->trace = lm_trace_new ("test", lm_host_tables ()->trace, &f->vars, LAM_F32);
  f->t = lm_trace_pub (f->trace);
  lam_tensor w = lm_trace_param (f->trace, &info_w.type);
  lam_tensor m = lm_trace_param (f->trace, &info_m.type);
  args.key.bits = param (f, LAM_U32, 1, 2, 0);
  args.global_step = param (f, LAM_U32, 0, 0, 0);
  lam_context_push (f->t, &args);
  lm_trace_bind_all (f->trace, (lam_tensor[]) {w, m}, LAM_MUTABLE_VARS | LAM_MUTABLE_AUX_LOSS);
  lm_trace_enter (f->trace, &layer);
  f->x = param (f, LAM_F32, 2, 3, 2);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  lm_trace_free (f->trace);
  lm_nest_free (f->tree);
}

static void
assert_failed (Fixture *f, const char *piece, const char *more)
{
  g_assert_nonnull (lm_trace_error (f->trace));
  GError *error = g_error_copy (lm_trace_error (f->trace));
  lm_test_assert_error (&error, LM_ERROR_INVALID, piece, more, NULL);
}

static void
assert_type (Fixture *f, lam_tensor x, const char *wanted)
{
  lam_type type = lam_type_of (f->t, x);
  g_autofree char *text = lm_type_to_string (&type);
  if (lm_trace_error (f->trace) != NULL)
    g_error ("%s", lm_trace_error (f->trace)->message);
  g_assert_cmpstr (text, ==, wanted);
}

/* Runs the trace with results on reference, every input counting up from 0, and compares. */
static void
assert_values (Fixture *f, lam_tensor result, const double *wanted)
{
  g_autoptr (GError) error = NULL;
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  LmArray *in[8], *out;
  lm_trace_leave (f->trace);
  g_autoptr (LmFunction) all = lm_trace_finish (f->trace, &result, 1, &error);
  g_assert_no_error (error);
  for (uint32_t i = 0; i < all->ir.n_params; i++) {
    double count[64];
    for (int k = 0; k < 64; k++)
      count[k] = k;
    in[i] = lm_test_array (lm_param_type (all, i), count);
  }
  lm_test_run (backend, all, in, &out);
  for (int64_t k = 0; k < lam_type_elements (&out->type); k++)
    g_assert_cmpfloat (lm_array_get_double (out, k), ==, wanted[k]);
  for (uint32_t i = 0; i < all->ir.n_params; i++)
    lm_array_unref (in[i]);
  lm_array_unref (out);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* --- values ----------------------------------------------------------------------------------- */

typedef struct User {
  lam_tensor outer;
  int calls;
} User;

/* row: (2) -> sum (row * outer) + w[1] */
static lam_nest
weighted (void *user, lam_trace *t, lam_nest in)
{
  User *u = user;
  lam_tensor row = lam_nest_tensor (t, in);
  lam_tensor y = lam_mul (t, row, u->outer);
  y = lam_add (t, y, lam_theta (t, var_w));
  u->calls++;
  return lam_nest_of (t, lam_sum (t, y, LAM_AXES (0), false));
}

static void
test_captures (Fixture *f, gconstpointer unused)
{
  User u = {param (f, LAM_F32, 1, 2, 0), 0};
  lam_nest y = lam_vmap (f->t, weighted, &u, lam_nest_of (f->t, f->x), 0, 0);
  lam_tensor result = lam_nest_tensor (f->t, y);
  g_assert_cmpint (u.calls, ==, 1);
  assert_type (f, result, "f32[3]");
  /* rows (0, 1), (2, 3), (4, 5) times (0, 1), plus w = (0, 1) */
  assert_values (f, result, (double[]) {2, 4, 6});
}

/* Rows along the last axis, results beside them. */
static void
test_negative_axes (Fixture *f, gconstpointer unused)
{
  lam_tensor wide = param (f, LAM_F32, 2, 2, 3);
  User u = {param (f, LAM_F32, 1, 2, 0), 0};
  lam_nest y = lam_vmap (f->t, weighted, &u, lam_nest_of (f->t, wide), -1, -1);
  lam_tensor result = lam_nest_tensor (f->t, y);
  assert_type (f, result, "f32[3]");
  /* columns (0, 3), (1, 4), (2, 5) */
  assert_values (f, result, (double[]) {4, 5, 6});
}

/* {a, b: [c, nil]} -> {sum: a + c, nothing: nil, same: outer} */
static lam_nest
over_nest (void *user, lam_trace *t, lam_nest in)
{
  User *u = user;
  lam_nest out = lam_nest_map (t);
  g_assert_false (lam_nest_has (t, in, "b[1]"));
  lam_nest_set_tensor (
      t, out, "sum",
      lam_add (t, lam_nest_get_tensor (t, in, "a"), lam_nest_get_tensor (t, in, "b[0]")));
  lam_nest_set_tensor (t, out, "nothing", lam_nil ());
  lam_nest_set_tensor (t, out, "same", u->outer);
  return out;
}

static void
test_nests (Fixture *f, gconstpointer unused)
{
  User u = {param (f, LAM_I32, 1, 5, 0), 0};
  lam_nest in = lam_nest_map (f->t), list = lam_nest_list (f->t);
  f->t->api->nest_append (f->t, list, lam_nest_of (f->t, f->x));
  f->t->api->nest_append (f->t, list, lam_nest_of (f->t, lam_nil ()));
  lam_nest_set_tensor (f->t, in, "a", f->x);
  lam_nest_set (f->t, in, "b", list);
  lam_nest out = lam_vmap (f->t, over_nest, &u, in, 1, 1);
  assert_type (f, lam_nest_get_tensor (f->t, out, "sum"), "f32[3,2]");
  assert_type (f, lam_nest_get_tensor (f->t, out, "same"), "i32[5,2]"); /* repeated */
  g_assert_false (lam_nest_has (f->t, out, "nothing"));
  assert_values (f, lam_nest_get_tensor (f->t, out, "sum"), (double[]) {0, 2, 4, 6, 8, 10});
}

/* y -> x + y for one x, so that the outer product of sums needs two. */
static lam_nest
add_outer (void *user, lam_trace *t, lam_nest in)
{
  User *u = user;
  return lam_nest_of (t, lam_add (t, u->outer, lam_nest_tensor (t, in)));
}

static lam_nest
each_with_all (void *user, lam_trace *t, lam_nest in)
{
  User *u = user, inner = {lam_nest_tensor (t, in), 0};
  return lam_vmap (t, add_outer, &inner, lam_nest_of (t, u->outer), 0, 0);
}

/* The inner map captures a row of the outer one. */
static void
test_vmap_of_vmap (Fixture *f, gconstpointer unused)
{
  lam_tensor a = param (f, LAM_F32, 1, 3, 0);
  User u = {param (f, LAM_F32, 1, 2, 0), 0};
  lam_nest y = lam_vmap (f->t, each_with_all, &u, lam_nest_of (f->t, a), 0, 0);
  assert_type (f, lam_nest_tensor (f->t, y), "f32[3,2]");
  assert_values (f, lam_nest_tensor (f->t, y), (double[]) {0, 1, 1, 2, 2, 3});
}

/* A composite and a context of its own, with a key for each row. */
static lam_nest
own_context (void *user, lam_trace *t, lam_nest in)
{
  lam_context_args args = lam_context_args_make ();
  lam_tensor out, bits, twice;
  (void)user;
  args.key.bits = lam_nest_tensor (t, in);
  args.global_step = lam_global_step (t);
  lam_context_push (t, &args);
  bits = lam_next_key (t).bits;
  lam_add_summary_scalar (t, "inside", lam_real (t, 1));
  lam_context_pop (t);
  t->api->composite_begin (t, "test.double", 1, NULL);
  twice = lam_add (t, bits, bits);
  t->api->composite_end (t, &twice, 1, &out);
  return lam_nest_of (t, out);
}

static void
test_own_context (Fixture *f, gconstpointer unused)
{
  lam_tensor keys = param (f, LAM_U32, 2, 3, 2);
  lam_nest y = lam_vmap (f->t, own_context, NULL, lam_nest_of (f->t, keys), 0, 0);
  const LmSummary *all;
  assert_type (f, lam_nest_tensor (f->t, y), "u32[3,2]");
  g_assert_cmpuint (lm_trace_summaries (f->trace, &all), ==, 0);
}

/* --- refused ----------------------------------------------------------------------------------- */

static lam_nest
effect (void *user, lam_trace *t, lam_nest in)
{
  lam_tensor x = lam_nest_tensor (t, in);
  lam_key key = {lam_nil ()};
  switch (GPOINTER_TO_INT (user)) {
  case 0:
    lam_add_summary_scalar (t, "s", x);
    break;
  case 1:
    lam_update_var (t, var_m, x);
    break;
  case 2:
    lam_add_aux_loss (t, "a", lam_real (t, 1), lam_real (t, 1));
    break;
  case 3:
    lam_next_key (t);
    break;
  case 4:
    lam_reset_key (t, key, lam_nil ());
    break;
  default:
    lam_context_pop (t);
  }
  return in;
}

static void
test_effects (Fixture *f, gconstpointer unused)
{
  static const char *const names[] = {
      "add_summary inside lam_vmap", "update_var inside lam_vmap", "add_aux_loss inside lam_vmap",
      "next_key inside lam_vmap",    "reset_key inside lam_vmap",  "context_pop inside lam_vmap"};
  static const char *const ways[] = {"return it as a result", "update outside",
                                     "add it outside",        "one for each row as an input",
                                     "a context of its own",  "pushed outside"};
  for (int i = 0; i < (int)G_N_ELEMENTS (names); i++) {
    lam_vmap (f->t, effect, GINT_TO_POINTER (i), lam_nest_of (f->t, f->x), 0, 0);
    assert_failed (f, names[i], ways[i]);
    tear_down (f, NULL);
    set_up (f, NULL);
  }
}

static lam_nest
unbalanced (void *user, lam_trace *t, lam_nest in)
{
  lam_context_args args = lam_context_args_make ();
  lam_tensor x = lam_nest_tensor (t, in), out;
  switch (GPOINTER_TO_INT (user)) {
  case 0:
    t->api->composite_begin (t, "left", 1, NULL);
    break;
  case 1:
    lam_context_push (t, &args);
    break;
  case 2:
    t->api->composite_end (t, &x, 1, &out);
    break;
  default:
    lam_namespace_push (t, "left");
  }
  return in;
}

/* The trace stays sound for what comes after: leaving the layer works. */
static void
test_unbalanced (Fixture *f, gconstpointer unused)
{
  static const char *const pieces[] = {"inside composite left", "with a context still pushed",
                                       "composite_end without", "another namespace"};
  for (int i = 0; i < (int)G_N_ELEMENTS (pieces); i++) {
    lam_vmap (f->t, unbalanced, GINT_TO_POINTER (i), lam_nest_of (f->t, f->x), 0, 0);
    assert_failed (f, pieces[i], "model.layer");
    lm_trace_leave (f->trace);
    g_assert_cmpuint (lm_trace_depth (f->trace), ==, 0);
    tear_down (f, NULL);
    set_up (f, NULL);
  }
}

static lam_nest
keep (void *user, lam_trace *t, lam_nest in)
{
  *(lam_tensor *)user = lam_nest_tensor (t, in);
  return in;
}

static void
test_dead_row (Fixture *f, gconstpointer unused)
{
  lam_tensor row = lam_nil ();
  lam_vmap (f->t, keep, &row, lam_nest_of (f->t, f->x), 0, 0);
  lam_neg (f->t, row);
  assert_failed (f, "after the region ended", "model.layer");
}

static void
test_bad_inputs (Fixture *f, gconstpointer unused)
{
  lam_tensor row;
  lam_nest in = lam_nest_map (f->t);
  lam_nest_set_tensor (f->t, in, "fits", f->x);
  lam_nest_set_tensor (f->t, in, "short", param (f, LAM_F32, 1, 2, 0));
  lam_nest_set_tensor (f->t, in, "scalar", param (f, LAM_F32, 0, 0, 0));
  lam_vmap (f->t, keep, &row, in, 0, 0);
  assert_failed (f, "\"scalar\" is f32[], \"short\" is f32[2]", "as many in each");
  tear_down (f, NULL);
  set_up (f, NULL);
  lam_vmap (f->t, keep, &row, lam_nest_map (f->t), 0, 0);
  assert_failed (f, "no tensor", "number of rows");
  tear_down (f, NULL);
  set_up (f, NULL);
  lam_vmap (f->t, keep, &row, lam_nest_of (f->t, f->x), 0, 2);
  assert_failed (f, "result 0 is f32[2] in one row", "axis 2");
  tear_down (f, NULL);
  set_up (f, NULL);
  lam_vmap (f->t, keep, &row, (lam_nest) {0, 0}, 0, 0);
  assert_failed (f, "the input is nil", "lam_vmap");
}

/* A fault inside is reported once, as itself. */
static lam_nest
faulty (void *user, lam_trace *t, lam_nest in)
{
  (void)user;
  lam_fail (t, "the callback's own");
  return in;
}

static void
test_fault_inside (Fixture *f, gconstpointer unused)
{
  lam_nest y = lam_vmap (f->t, faulty, NULL, lam_nest_of (f->t, f->x), 0, 0);
  g_assert_cmpuint (y.id, ==, 0);
  assert_failed (f, "the callback's own", "model.layer");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, fn) g_test_add ("/trace/vmap/" name, Fixture, NULL, set_up, fn, tear_down)
  ADD ("captures", test_captures);
  ADD ("negative-axes", test_negative_axes);
  ADD ("nests", test_nests);
  ADD ("vmap-of-vmap", test_vmap_of_vmap);
  ADD ("own-context", test_own_context);
  ADD ("effects", test_effects);
  ADD ("unbalanced", test_unbalanced);
  ADD ("dead-row", test_dead_row);
  ADD ("bad-inputs", test_bad_inputs);
  ADD ("fault-inside", test_fault_inside);
#undef ADD
  return g_test_run ();
}
