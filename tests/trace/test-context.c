/* SPDX-License-Identifier: Apache-2.0 */
/* core/trace/context.c and effects.c: the rules of contexts, binding, namespaces and summaries. */
#include "tests/lib/fixture.h"
#include <lamina/layer.h>

#include <string.h>

/* Two variables of layer 1: w trainable, m not. */
static const lam_var_info info_w = {sizeof info_w, 0, "w", {LAM_F32, 1, {2}}, 1, 0};
static const lam_var_info info_m = {sizeof info_m, LAM_NON_TRAINABLE, "m", {LAM_F32, 1, {2}}, 0, 0};
static const lam_var_info *const infos[] = {&info_w, &info_m};
static const uint32_t owners[] = {1, 1};
static const lam_var var_w = {1, 7}, var_m = {2, 7};

typedef struct Fixture {
  LmNest *tree;
  LmTraceVars vars;
  LmTrace *trace;
  lam_trace *t;
  lam_tensor w, m, step;
  lam_key key;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  lam_type key = lm_type (LAM_U32, 1, (int64_t[]) {2}), step = lm_scalar_type (LAM_U32);
  f->tree = lm_nest_new_map ();
  lm_nest_set (f->tree, "w", lm_nest_new_leaf (1), NULL);
  lm_nest_set (f->tree, "m", lm_nest_new_leaf (2), NULL);
  f->vars = (LmTraceVars) {7, 2, infos, owners, f->tree, NULL};
  f->trace = lm_trace_new ("test", lm_host_tables ()->trace, &f->vars, LAM_F32);
  f->t = lm_trace_pub (f->trace);
  f->w = lm_trace_param (f->trace, &info_w.type);
  f->m = lm_trace_param (f->trace, &info_m.type);
  f->step = lm_trace_param (f->trace, &step);
  f->key.bits = lm_trace_param (f->trace, &key);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  lm_trace_free (f->trace);
  lm_nest_free (f->tree);
}

static void
push (Fixture *f, bool with_key, int do_eval)
{
  lam_context_args args = {.struct_size = sizeof args, .do_eval = do_eval, .original_keys = -1};
  if (with_key) {
    args.key = f->key;
    args.global_step = f->step;
  }
  f->t->api->context_push (f->t, &args);
}

static void
bind (Fixture *f, uint32_t mutables)
{
  lm_trace_bind_all (f->trace, (lam_tensor[]) {f->w, f->m}, mutables);
}

static void
enter (Fixture *f)
{
  LmTraceLayer layer = {1, "model.layer", "layer.fprop"};
  lm_trace_enter (f->trace, &layer);
}

static void
assert_failed (Fixture *f, const char *piece)
{
  g_assert_nonnull (lm_trace_error (f->trace));
  GError *error = g_error_copy (lm_trace_error (f->trace));
  lm_test_assert_error (&error, LM_ERROR_INVALID, piece, NULL);
}

static void
test_only_params_are_inherited (Fixture *f, gconstpointer unused)
{
  push (f, true, 1);
  lam_add_summary (f->t, "a", LAM_SUMMARY_SCALAR, f->w, 2);
  push (f, false, -1);
  const LmSummary *all;
  g_assert_true (lam_do_eval (f->t));
  g_assert_cmpuint (lm_trace_summaries (f->trace, &all), ==, 0);
  lam_next_key (f->t);
  assert_failed (f, "context has none");
}

static void
test_key_without_step (Fixture *f, gconstpointer unused)
{
  lam_context_args args = {.struct_size = sizeof args, .key = f->key};
  f->t->api->context_push (f->t, &args);
  assert_failed (f, "without a global step");
}

static void
test_step_without_context (Fixture *f, gconstpointer unused)
{
  lam_global_step (f->t);
  assert_failed (f, "global step");
}

/* bind consumes exactly one key: the next one differs from an unbound context's first. */
static void
test_bind_consumes_a_key (Fixture *f, gconstpointer unused)
{
  push (f, true, 0);
  lam_tensor first = lam_next_key (f->t).bits;
  f->t->api->context_pop (f->t);
  push (f, true, 0);
  bind (f, LAM_MUTABLE_VARS);
  lam_tensor second = lam_next_key (f->t).bits;
  lam_tensor results[] = {first, second};
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) made = lm_trace_finish (f->trace, results, 2, &error);
  g_assert_no_error (error);
  g_autoptr (LmFunction) simple = lm_cse (made, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (simple->ir.results[0], !=, simple->ir.results[1]);
}

static void
test_bind_twice (Fixture *f, gconstpointer unused)
{
  push (f, true, 0);
  bind (f, 0);
  bind (f, 0);
  assert_failed (f, "bound already");
}

static void
test_bind_without_key (Fixture *f, gconstpointer unused)
{
  push (f, false, 0);
  bind (f, 0);
  assert_failed (f, "context has none");
}

/* A read after update_var in the same pass sees the new value; the merge keeps old for the rest. */
static void
test_update_and_reread (Fixture *f, gconstpointer unused)
{
  push (f, true, 0);
  bind (f, LAM_MUTABLE_VARS);
  enter (f);
  lam_tensor next = lam_add (f->t, f->t->api->theta (f->t, var_m), f->w);
  f->t->api->update_var (f->t, var_m, next);
  g_assert_cmpuint (f->t->api->theta (f->t, var_m).id, ==, next.id);
  lam_tensor values[2];
  lm_trace_updated (f->trace, values);
  g_assert_true (lam_is_nil (values[0]));
  g_assert_cmpuint (values[1].id, ==, next.id);
  lam_nest tree = lam_updated_vars (f->t);
  g_assert_cmpuint (lam_nest_get_tensor (f->t, tree, "m").id, ==, next.id);
  g_assert_false (lam_nest_has (f->t, tree, "w"));
  g_assert_true (lam_is_ok (f->t));
}

static void
test_update_trainable (Fixture *f, gconstpointer unused)
{
  push (f, true, 0);
  bind (f, LAM_MUTABLE_VARS);
  enter (f);
  f->t->api->update_var (f->t, var_w, f->w);
  assert_failed (f, "is trainable");
}

static void
test_update_where_immutable (Fixture *f, gconstpointer unused)
{
  push (f, true, 1);
  bind (f, LAM_MUTABLE_AUX_LOSS);
  enter (f);
  f->t->api->update_var (f->t, var_m, f->m);
  assert_failed (f, "not writable");
}

static void
test_update_shape (Fixture *f, gconstpointer unused)
{
  push (f, true, 0);
  bind (f, LAM_MUTABLE_VARS);
  enter (f);
  f->t->api->update_var (f->t, var_m, f->step);
  assert_failed (f, "wanted f32[2], got u32[]");
}

static void
test_other_layers_variable (Fixture *f, gconstpointer unused)
{
  push (f, true, 0);
  bind (f, 0);
  LmTraceLayer other = {2, "model.other", "other.fprop"};
  lm_trace_enter (f->trace, &other);
  f->t->api->theta (f->t, var_w);
  assert_failed (f, "another layer");
}

static void
test_unbound_variable (Fixture *f, gconstpointer unused)
{
  push (f, true, 0);
  enter (f);
  f->t->api->theta (f->t, var_w);
  assert_failed (f, "not bound");
}

static void
test_pop_across_layers (Fixture *f, gconstpointer unused)
{
  push (f, true, 0);
  enter (f);
  f->t->api->context_pop (f->t);
  assert_failed (f, "contexts must nest");
}

static void
test_context_left_open (Fixture *f, gconstpointer unused)
{
  enter (f);
  push (f, true, 0);
  lm_trace_leave (f->trace);
  assert_failed (f, "still pushed");
}

/* Quirk 1 of the list: the number goes before the suffix. */
static void
test_summary_collision (Fixture *f, gconstpointer unused)
{
  const LmSummary *all;
  enter (f);
  for (int i = 0; i < 3; i++)
    lam_add_summary (f->t, "mean", LAM_SUMMARY_SCALAR, f->w, 2);
  lam_add_summary (f->t, "detail", LAM_SUMMARY_SCALAR, f->w, 4);
  g_assert_cmpuint (lm_trace_summaries (f->trace, &all), ==, 3);
  g_assert_cmpstr (all[0].key, ==, "layer.fprop/mean_scalar");
  g_assert_cmpstr (all[1].key, ==, "layer.fprop/mean1_scalar");
  g_assert_cmpstr (all[2].key, ==, "layer.fprop/mean2_scalar");
}

static void
test_summary_without_namespace (Fixture *f, gconstpointer unused)
{
  const LmSummary *all;
  lam_add_summary (f->t, "lr", LAM_SUMMARY_SCALAR, f->w, 2);
  g_assert_cmpuint (lm_trace_summaries (f->trace, &all), ==, 1);
  g_assert_cmpstr (all[0].key, ==, "/lr_scalar");
}

static void
test_image_summary (Fixture *f, gconstpointer unused)
{
  const LmSummary *all;
  lam_tensor image = lam_full (f->t, LAM_F32, LAM_SHAPE (4, 5, 3), 0);
  lam_add_summary (f->t, "x", LAM_SUMMARY_IMAGE, image, 2);
  g_assert_cmpuint (lm_trace_summaries (f->trace, &all), ==, 1);
  lam_type type;
  g_assert_true (f->t->api->type_of (f->t, all[0].value, &type));
  g_assert_cmpint (type.rank, ==, 4);
  g_assert_cmpint (type.dims[0], ==, 1);
  lam_add_summary (f->t, "y", LAM_SUMMARY_IMAGE, f->w, 2);
  assert_failed (f, "got rank 1");
}

static void
test_bad_namespace (Fixture *f, gconstpointer unused)
{
  f->t->api->namespace_push (f->t, "a b");
  assert_failed (f, "\"a b\" is not a key");
}

static void
test_aux_loss_not_writable (Fixture *f, gconstpointer unused)
{
  push (f, true, 0);
  bind (f, LAM_MUTABLE_VARS);
  lam_tensor one = lam_scalar (f->t, LAM_F32, 1);
  lam_add_aux_loss (f->t, "aux", one, one);
  assert_failed (f, "not writable");
}

/* The error names the layer that caused it. */
static void
test_error_names_layer (Fixture *f, gconstpointer unused)
{
  enter (f);
  lam_fail (f->t, "no good");
  assert_failed (f, "in layer model.layer: no good");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define CASE(name, fn) g_test_add ("/trace/context/" name, Fixture, NULL, set_up, fn, tear_down)
  CASE ("only-params-are-inherited", test_only_params_are_inherited);
  CASE ("key-without-step", test_key_without_step);
  CASE ("step-without-context", test_step_without_context);
  CASE ("bind-consumes-a-key", test_bind_consumes_a_key);
  CASE ("bind-twice", test_bind_twice);
  CASE ("bind-without-key", test_bind_without_key);
  CASE ("update-and-reread", test_update_and_reread);
  CASE ("update-trainable", test_update_trainable);
  CASE ("update-where-immutable", test_update_where_immutable);
  CASE ("update-shape", test_update_shape);
  CASE ("other-layers-variable", test_other_layers_variable);
  CASE ("unbound-variable", test_unbound_variable);
  CASE ("pop-across-layers", test_pop_across_layers);
  CASE ("context-left-open", test_context_left_open);
  CASE ("summary-collision", test_summary_collision);
  CASE ("summary-without-namespace", test_summary_without_namespace);
  CASE ("image-summary", test_image_summary);
  CASE ("bad-namespace", test_bad_namespace);
  CASE ("aux-loss-not-writable", test_aux_loss_not_writable);
  CASE ("error-names-layer", test_error_names_layer);
#undef CASE
  return g_test_run ();
}
