/* SPDX-License-Identifier: Apache-2.0 */
/* core/trace/record.c: handles, regions, sticky errors. */
#include "tests/lib/fixture.h"
#include <lamina/layer.h>

#include <string.h>

static LmTrace *
trace_new (void)
{
  return lm_trace_new ("test", lm_host_tables ()->trace, NULL, LAM_F32);
}

static lam_tensor
param (LmTrace *t, int64_t n)
{
  lam_type type = lm_type (LAM_F32, 1, &n);
  return lm_trace_param (t, &type);
}

static void
assert_trace_error (LmTrace *t, LmErrorCode code, const char *piece, const char *more)
{
  g_assert_nonnull (lm_trace_error (t));
  GError *error = g_error_copy (lm_trace_error (t));
  lm_test_assert_error (&error, code, piece, more, NULL);
}

static void
test_plain (void)
{
  g_autoptr (LmTrace) t = trace_new ();
  g_autoptr (GError) error = NULL;
  lam_tensor x = param (t, 3), y = param (t, 3);
  lam_tensor z = lam_mul (lm_trace_pub (t), lam_add (lm_trace_pub (t), x, y), y);
  g_autoptr (LmFunction) f = lm_trace_finish (t, &z, 1, &error);
  g_assert_no_error (error);
  g_autofree char *text = lm_text_print (f);
  g_assert_cmpstr (text, ==,
                   "func @test(%0: f32[3], %1: f32[3]) -> (f32[3]) {\n"
                   "  %2 = add(%0, %1) : f32[3]\n"
                   "  %3 = multiply(%2, %1) : f32[3]\n"
                   "  return %3\n"
                   "}\n");
}

/* A composite captures outer tensors as operands, in the order of their first use, each once. */
static void
test_composite (void)
{
  g_autoptr (LmTrace) trace = trace_new ();
  g_autoptr (GError) error = NULL;
  lam_trace *t = lm_trace_pub (trace);
  lam_tensor x = param (trace, 3), y = param (trace, 3), out;
  t->api->composite_begin (t, "test.f", 2, NULL);
  lam_tensor z = lam_add (t, lam_mul (t, y, x), y);
  t->api->composite_end (t, &z, 1, &out);
  g_autoptr (LmFunction) f = lm_trace_finish (trace, &out, 1, &error);
  g_assert_no_error (error);
  const lam_equation *e = lam_equation_at (&f->ir, 0);
  g_assert_cmpint (e->op, ==, LAM_OP_composite);
  g_assert_cmpstr (lam_attr_str (&f->ir, e, "name", ""), ==, "test.f");
  g_assert_cmpint (lam_attr_int (&f->ir, e, "version", 0), ==, 2);
  g_assert_cmpuint (e->n_operands, ==, 2);
  g_assert_cmpuint (lam_operand (&f->ir, e, 0), ==, 1);
  g_assert_cmpuint (lam_operand (&f->ir, e, 1), ==, 0);
  g_assert_cmpuint (lm_function_region (f, e, 0)->ir.n_equations, ==, 2);
}

/* An inner composite's capture of an outermost tensor goes through both regions. */
static void
test_nested_capture (void)
{
  g_autoptr (LmTrace) trace = trace_new ();
  g_autoptr (GError) error = NULL;
  lam_trace *t = lm_trace_pub (trace);
  lam_tensor x = param (trace, 3), inner, outer;
  t->api->composite_begin (t, "outer", 1, NULL);
  t->api->composite_begin (t, "inner", 1, NULL);
  lam_tensor z = lam_neg (t, x);
  t->api->composite_end (t, &z, 1, &inner);
  t->api->composite_end (t, &inner, 1, &outer);
  g_autoptr (LmFunction) f = lm_trace_finish (trace, &outer, 1, &error);
  g_assert_no_error (error);
  const LmFunction *region = lm_function_region (f, lam_equation_at (&f->ir, 0), 0);
  g_assert_cmpuint (region->ir.n_params, ==, 1);
  g_assert_cmpint (lam_equation_at (&region->ir, 0)->op, ==, LAM_OP_composite);
}

static void
test_dead_handle (void)
{
  g_autoptr (LmTrace) trace = trace_new ();
  lam_trace *t = lm_trace_pub (trace);
  lam_tensor x = param (trace, 3), out;
  t->api->composite_begin (t, "c", 1, NULL);
  lam_tensor inside = lam_neg (t, x);
  t->api->composite_end (t, &inside, 1, &out);
  lam_neg (t, inside);
  assert_trace_error (trace, LM_ERROR_INVALID, "after the region ended", "result");
}

static void
test_foreign_handle (void)
{
  g_autoptr (LmTrace) a = trace_new (), b = trace_new ();
  lam_tensor x = param (a, 3);
  param (b, 3);
  lam_neg (lm_trace_pub (b), x);
  assert_trace_error (b, LM_ERROR_INVALID, "another trace", "tensor");
}

static void
test_nil_operand (void)
{
  g_autoptr (LmTrace) trace = trace_new ();
  lam_trace *t = lm_trace_pub (trace);
  lam_tensor operands[2] = {param (trace, 3), lam_nil ()}, result;
  lam_op_call call = {.struct_size = sizeof call,
                      .op = LAM_OP_add,
                      .n_operands = 2,
                      .n_results = 1,
                      .operands = operands,
                      .results = &result};
  t->api->op (t, &call);
  assert_trace_error (trace, LM_ERROR_INVALID, "add", "operand 1 is nil");
}

/* The first error stays; later calls are inert. */
static void
test_sticky (void)
{
  g_autoptr (LmTrace) trace = trace_new ();
  lam_trace *t = lm_trace_pub (trace);
  lam_fail (t, "the first");
  lam_fail (t, "the second");
  g_assert_true (lam_is_nil (lam_neg (t, param (trace, 3))));
  g_assert_false (lam_is_ok (t));
  assert_trace_error (trace, LM_ERROR_INVALID, "the first", "first");
}

static void
test_unknown_op (void)
{
  g_autoptr (LmTrace) trace = trace_new ();
  lam_tensor result;
  lam_op_call call = {.struct_size = sizeof call, .op = 9999, .n_results = 1, .results = &result};
  lm_trace_pub (trace)->api->op (lm_trace_pub (trace), &call);
  assert_trace_error (trace, LM_ERROR_UNSUPPORTED, "9999", "update Lamina");
}

static void
test_missing_operands (void)
{
  g_autoptr (LmTrace) trace = trace_new ();
  lam_tensor result;
  lam_op_call call = {.struct_size = sizeof call,
                      .op = LAM_OP_add,
                      .n_operands = 2,
                      .n_results = 1,
                      .results = &result};
  lm_trace_pub (trace)->api->op (lm_trace_pub (trace), &call);
  assert_trace_error (trace, LM_ERROR_INVALID, "add", "not given");
}

static void
test_open_composite (void)
{
  g_autoptr (LmTrace) trace = trace_new ();
  g_autoptr (GError) error = NULL;
  lam_trace *t = lm_trace_pub (trace);
  lam_tensor x = param (trace, 3);
  t->api->composite_begin (t, "open", 1, NULL);
  g_assert_null (lm_trace_finish (trace, &x, 1, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "open", "not ended", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/record/plain", test_plain);
  g_test_add_func ("/trace/record/composite", test_composite);
  g_test_add_func ("/trace/record/nested-capture", test_nested_capture);
  g_test_add_func ("/trace/record/dead-handle", test_dead_handle);
  g_test_add_func ("/trace/record/foreign-handle", test_foreign_handle);
  g_test_add_func ("/trace/record/nil-operand", test_nil_operand);
  g_test_add_func ("/trace/record/sticky", test_sticky);
  g_test_add_func ("/trace/record/unknown-op", test_unknown_op);
  g_test_add_func ("/trace/record/missing-operands", test_missing_operands);
  g_test_add_func ("/trace/record/open-composite", test_open_composite);
  return g_test_run ();
}
