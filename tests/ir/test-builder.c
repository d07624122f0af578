/* SPDX-License-Identifier: Apache-2.0 */
/* Building functions: numbering, paths, errors that stick, copies, shared constants. */
#include "core/op/emit.h"

#include <string.h>

static lam_type
vec (int64_t n)
{
  return lm_type (LAM_F32, 1, (int64_t[]) {n});
}

static LmFunction *
finish (LmBuilder *b, LmValue result)
{
  g_autoptr (GError) error = NULL;
  LmFunction *f = lm_builder_finish (b, &result, 1, &error);

  g_assert_no_error (error);
  return f;
}

/* Fails to finish, with every piece in the message. */
static void
assert_fails (LmBuilder *b, const char *const *pieces)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (lm_builder_finish (b, NULL, 0, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  for (; *pieces != NULL; pieces++)
    if (strstr (error->message, *pieces) == NULL)
      g_error ("no \"%s\" in \"%s\"", *pieces, error->message);
}

#define ASSERT_FAILS(b, ...) assert_fails (b, (const char *const[]) {__VA_ARGS__, NULL})

/* A parameter added late still comes first. */
static void
test_renumber (void)
{
  LmBuilder *b = lm_builder_new ("f");
  lam_type t = vec (3), u = lm_type (LAM_F32, 1, (int64_t[]) {3});
  LmValue x = lm_builder_param (b, &t);
  LmValue y = lm_neg (b, x);
  LmValue late = lm_builder_param (b, &u);
  LmValue z = lm_sub (b, y, late);
  g_autoptr (LmFunction) f = finish (b, z);

  g_assert_cmpuint (f->ir.n_params, ==, 2);
  g_assert_cmpuint (f->ir.n_values, ==, 4);
  g_assert_cmpuint (lam_equation_at (&f->ir, 0)->first_result, ==, 2);
  g_assert_cmpuint (lam_operand (&f->ir, lam_equation_at (&f->ir, 0), 0), ==, 0);
  g_assert_cmpuint (lam_operand (&f->ir, lam_equation_at (&f->ir, 1), 0), ==, 2);
  g_assert_cmpuint (lam_operand (&f->ir, lam_equation_at (&f->ir, 1), 1), ==, 1);
  g_assert_cmpuint (f->ir.results[0], ==, 3);
  g_assert_cmpuint (f->ir.ir_minor, ==, 0);
}

static void
test_ir_minor (void)
{
  LmBuilder *b = lm_builder_new ("f");
  lam_type t = vec (3);
  LmValue x = lm_builder_param (b, &t);
  g_autoptr (LmFunction) inner = finish (b, lm_emit_unary (b, LAM_OP_logistic, x));
  lam_attr name = lm_attr_str ("name", "t.f");
  const LmFunction *region = inner;
  LmValue y;

  b = lm_builder_new ("g");
  x = lm_builder_param (b, &t);
  y = lm_builder_op (b, &(LmOp) {.op = LAM_OP_composite,
                                 .operands = &x,
                                 .n_operands = 1,
                                 .attrs = &name,
                                 .n_attrs = 1,
                                 .regions = &region,
                                 .n_regions = 1});
  g_autoptr (LmFunction) outer = finish (b, y);

  g_assert_cmpuint (inner->ir.ir_minor, ==, 1); /* logistic's since */
  g_assert_cmpuint (outer->ir.ir_minor, ==, 1); /* through the region */
  g_assert_true (lm_function_region (outer, lam_equation_at (&outer->ir, 0), 0) == inner);
}

static void
test_paths (void)
{
  LmBuilder *b = lm_builder_new ("f");
  lam_type t = vec (3);
  LmValue x = lm_builder_param (b, &t);

  x = lm_neg (b, x);
  lm_builder_set_path (b, "lm.a");
  x = lm_neg (b, x);
  lm_builder_set_path (b, "lm.b");
  x = lm_neg (b, x);
  lm_builder_set_path (b, "lm.a");
  g_assert_cmpstr (lm_builder_path (b), ==, "lm.a");
  x = lm_neg (b, x);
  g_autoptr (LmFunction) f = finish (b, x);

  g_assert_cmpuint (f->ir.n_paths, ==, 3);
  g_assert_cmpstr (f->ir.paths[0], ==, "");
  g_assert_cmpuint (lam_equation_at (&f->ir, 0)->path, ==, 0);
  g_assert_cmpuint (lam_equation_at (&f->ir, 1)->path, ==, lam_equation_at (&f->ir, 3)->path);
  g_assert_cmpstr (f->ir.paths[lam_equation_at (&f->ir, 2)->path], ==, "lm.b");

  /* An inlined equation keeps its own path, one without takes the current one. */
  b = lm_builder_new ("g");
  x = lm_builder_param (b, &t);
  lm_builder_set_path (b, "outer");
  lm_builder_inline (b, f, &x, &x);
  g_autoptr (LmFunction) g = finish (b, x);
  g_assert_cmpstr (g->ir.paths[lam_equation_at (&g->ir, 0)->path], ==, "outer");
  g_assert_cmpstr (g->ir.paths[lam_equation_at (&g->ir, 1)->path], ==, "lm.a");
}

static void
test_sticky_error (void)
{
  LmBuilder *b = lm_builder_new ("loss");
  lam_type t = vec (3), u = vec (4);
  LmValue x = lm_builder_param (b, &t), y = lm_builder_param (b, &u);

  lm_builder_set_path (b, "lm.ffn");
  g_assert_cmpuint (lm_add (b, x, y), ==, LM_NIL);
  g_assert_nonnull (lm_builder_error (b));
  g_assert_cmpuint (lm_neg (b, x), ==, LM_NIL); /* inert */
  g_assert_cmpuint (lm_builder_param (b, &t), ==, LM_NIL);
  lm_builder_failf (b, "a later one");
  ASSERT_FAILS (b, "add", "f32[3]", "f32[4]", "@loss", "lm.ffn");
}

static void
test_faults (void)
{
  lam_type t = vec (3), huge = lm_type (LAM_F64, 2, (int64_t[]) {INT64_MAX / 4, 2});
  lam_attr attrs[2] = {lm_attr_int ("Bad", 1), lm_attr_int ("ok", 1)};
  LmBuilder *b = lm_builder_new ("f");
  LmValue x = lm_builder_param (b, &t);

  lm_neg (b, LM_NIL);
  ASSERT_FAILS (b, "negate", "operand 0", "nil");
  b = lm_builder_new ("f");
  lm_neg (b, 5);
  ASSERT_FAILS (b, "negate", "operand 0");
  b = lm_builder_new ("f");
  lm_builder_param (b, &huge);
  ASSERT_FAILS (b, "bytes");
  b = lm_builder_new ("not a name");
  ASSERT_FAILS (b, "not a name");
  b = lm_builder_new ("f");
  lm_builder_op (b, &(LmOp) {.op = 9999});
  ASSERT_FAILS (b, "9999");
  b = lm_builder_new ("f");
  x = lm_builder_param (b, &t);
  lm_builder_op (
      b,
      &(LmOp) {.op = LAM_OP_negate, .operands = &x, .n_operands = 1, .attrs = attrs, .n_attrs = 2});
  ASSERT_FAILS (b, "negate", "key");
  b = lm_builder_new ("f");
  x = lm_builder_param (b, &t);
  attrs[0] = lm_attr_str ("text", "\xff");
  lm_builder_op (
      b,
      &(LmOp) {.op = LAM_OP_negate, .operands = &x, .n_operands = 1, .attrs = attrs, .n_attrs = 2});
  ASSERT_FAILS (b, "text", "UTF-8");
}

static void
test_nil_result (void)
{
  g_autoptr (GError) error = NULL;
  LmValue nil = LM_NIL;

  g_assert_null (lm_builder_finish (lm_builder_new ("f"), &nil, 1, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "result 0 is nil"));
}

/* A region inside a region ... 16 levels are the most. */
static void
test_nesting (void)
{
  LmBuilder *b = lm_builder_new ("f0");
  lam_type t = vec (1);
  lam_attr name = lm_attr_str ("name", "t.f");
  LmValue x = lm_builder_param (b, &t), y;
  LmFunction *f = finish (b, x);

  for (int depth = 2; depth <= 17; depth++) {
    const LmFunction *region = f;
    LmFunction *next;
    b = lm_builder_new ("f");
    x = lm_builder_param (b, &t);
    y = lm_builder_op (b, &(LmOp) {.op = LAM_OP_composite,
                                   .operands = &x,
                                   .n_operands = 1,
                                   .attrs = &name,
                                   .n_attrs = 1,
                                   .regions = &region,
                                   .n_regions = 1});
    if (depth == 17) {
      g_assert_cmpuint (y, ==, LM_NIL);
      ASSERT_FAILS (b, "deeper than 16");
      break;
    }
    next = finish (b, y);
    lm_function_unref (f);
    f = next;
  }
  lm_function_unref (f);
}

static void
test_constant (void)
{
  const float values[] = {1, 2, 3};
  lam_type t = vec (3);
  LmBuilder *b = lm_builder_new ("f");
  LmValue c = lm_constant (b, &t, values, sizeof values), n = lm_neg (b, c);
  LmOp def;

  g_assert_cmpmem (lm_builder_constant (b, c)->data, 12, values, 12);
  g_assert_null (lm_builder_constant (b, n));
  g_assert_null (lm_builder_constant (b, LM_NIL));
  g_assert_true (lm_builder_def (b, n, &def));
  g_assert_cmpint (def.op, ==, LAM_OP_negate);
  g_assert_cmpuint (def.operands[0], ==, c);
  g_assert_false (lm_builder_def (b, LM_NIL, &def));
  g_assert_cmpuint (lm_builder_n_results (b, n), ==, 1);
  g_assert_cmpint (lm_builder_type (b, LM_NIL)->dtype, ==, LAM_DTYPE_NONE);
  g_autoptr (LmFunction) f = finish (b, n);
  g_assert_cmpuint ((uintptr_t)f->ir.attrs[0].data % 64, ==, 0);
}

/* Constants from 4096 bytes on are shared between functions, and outlive the first. */
static void
test_blob (void)
{
  lam_type t = vec (2048);
  g_autofree float *values = g_new (float, 2048);
  LmBuilder *b = lm_builder_new ("f");
  LmFunction *f;
  LmValue c;

  for (int i = 0; i < 2048; i++)
    values[i] = (float)i;
  c = lm_constant (b, &t, values, 8192);
  f = finish (b, c);
  b = lm_builder_new ("g");
  lm_builder_inline (b, f, NULL, &c);
  g_autoptr (LmFunction) g = finish (b, c);
  g_assert_true (f->ir.attrs[0].data == g->ir.attrs[0].data);
  g_assert_cmpuint ((uintptr_t)g->ir.attrs[0].data % 64, ==, 0);
  lm_function_unref (f);
  g_assert_cmpmem (g->ir.attrs[0].data, g->ir.attrs[0].n, values, 8192);
}

/* A copy with other operand types infers anew. */
static void
test_copy_retyped (void)
{
  LmBuilder *b = lm_builder_new ("f");
  lam_type t = vec (3), u = vec (7);
  LmValue x = lm_builder_param (b, &t);
  g_autoptr (LmFunction) f = finish (b, lm_neg (b, x));

  b = lm_builder_new ("g");
  x = lm_builder_param (b, &u);
  lm_builder_inline (b, f, &x, &x);
  g_autoptr (LmFunction) g = finish (b, x);
  g_assert_true (lm_type_equal (lm_result_type (g, 0), &u));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ir/builder/renumber", test_renumber);
  g_test_add_func ("/ir/builder/ir_minor", test_ir_minor);
  g_test_add_func ("/ir/builder/paths", test_paths);
  g_test_add_func ("/ir/builder/sticky_error", test_sticky_error);
  g_test_add_func ("/ir/builder/faults", test_faults);
  g_test_add_func ("/ir/builder/nil_result", test_nil_result);
  g_test_add_func ("/ir/builder/nesting", test_nesting);
  g_test_add_func ("/ir/builder/constant", test_constant);
  g_test_add_func ("/ir/builder/blob", test_blob);
  g_test_add_func ("/ir/builder/copy_retyped", test_copy_retyped);
  return g_test_run ();
}
