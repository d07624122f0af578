/* SPDX-License-Identifier: Apache-2.0 */
/* verify: a sound function passes; each way of breaking one is found, with its surroundings. */
#include "core/ir/text.h"
#include "core/ir/verify.h"

#include <string.h>

static LmFunction *
example (void)
{
  static const char text[] = "func @f(%0: f32[2], %1: f32[2]) -> (f32[2]) {\n"
                             "  %2 = add(%0, %1)  # lm.a\n"
                             "  %3 = negate(%2)  # lm.b\n"
                             "  %4 = reverse(%3) {dimensions = [0]}  # lm.c\n"
                             "  %5 = abs(%4)\n"
                             "  return %5\n"
                             "}\n";
  g_autoptr (GError) error = NULL;
  LmFunction *f = lm_text_parse (text, strlen (text), "test", &error);

  g_assert_no_error (error);
  return f;
}

/* Tests break a function in place, which nobody else may do. */
static lam_equation *
equation (LmFunction *f, uint32_t i)
{
  return (lam_equation *)(uintptr_t)lam_equation_at (&f->ir, i);
}

/* Takes f. */
static void
assert_found (LmFunction *f, const char *const *pieces)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (lm_verify (f, "a pass", &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INTERNAL);
  for (; *pieces != NULL; pieces++)
    if (strstr (error->message, *pieces) == NULL)
      g_error ("no \"%s\" in \"%s\"", *pieces, error->message);
  lm_function_unref (f);
}

#define ASSERT_FOUND(f, ...)                                                                       \
  assert_found (f, (const char *const[]) {"@f after a pass: ", __VA_ARGS__, NULL})

static void
test_sound (void)
{
  g_autoptr (LmFunction) f = example ();
  g_autoptr (GError) error = NULL;

  g_assert_true (lm_verify (f, NULL, &error));
  g_assert_no_error (error);
}

static void
test_type (void)
{
  LmFunction *f = example ();
  lam_type *type = (lam_type *)(uintptr_t)lam_value_type (&f->ir, 3);

  type->dims[0] = 5;
  ASSERT_FOUND (f, "negate", "f32[2]", "layer lm.b", "equation 1 of 4",
                "  %2 = add(%0, %1) : f32[2]  # lm.a\n>>  %3 = negate(%2) : f32[5]  # lm.b\n"
                "  %4 = reverse(%3)");
  f = example ();
  type = (lam_type *)(uintptr_t)lam_value_type (&f->ir, 0);
  type->dtype = 99;
  ASSERT_FOUND (f, "value %0 has an unsound type");
  f = example ();
  type = (lam_type *)(uintptr_t)lam_value_type (&f->ir, 1);
  type->dtype = LAM_I32;
  ASSERT_FOUND (f, "add", "i32[2]");
}

static void
test_indices (void)
{
  LmFunction *f = example ();

  ((uint32_t *)(uintptr_t)f->ir.operands)[2] = 4; /* negate's */
  ASSERT_FOUND (f, "operand 0, %4, is not defined before it");
  f = example ();
  equation (f, 2)->first_operand = 1000;
  ASSERT_FOUND (f, "operands lie outside");
  f = example ();
  equation (f, 2)->n_attrs = 1000;
  ASSERT_FOUND (f, "attributes lie outside");
  f = example ();
  equation (f, 2)->n_regions = 1;
  ASSERT_FOUND (f, "regions lie outside");
  f = example ();
  equation (f, 2)->path = 77;
  ASSERT_FOUND (f, "layer path 77");
  f = example ();
  equation (f, 1)->first_result = 2;
  ASSERT_FOUND (f, "first result is %2, wanted %3");
  f = example ();
  equation (f, 3)->n_results = 0;
  ASSERT_FOUND (f, "no result");
  f = example ();
  ((uint32_t *)(uintptr_t)f->ir.results)[0] = 6;
  ASSERT_FOUND (f, "result 0 is %6, there are 6 values");
  f = example ();
  f->ir.n_equations = 3;

  ASSERT_FOUND (f, "define 5 values of 6");
}

static void
test_op (void)
{
  LmFunction *f = example ();

  equation (f, 1)->op = 9999;
  ASSERT_FOUND (f, "op number 9999", "op_9999(");
  f = example ();
  equation (f, 1)->op = LAM_OP_logistic;
  ASSERT_FOUND (f, "logistic came with IR minor 1, the function states 0");
  f = example ();
  equation (f, 1)->op = LAM_OP_add;
  ASSERT_FOUND (f, "got 1 operands, wanted 2");
}

static void
test_attr (void)
{
  LmFunction *f = example ();
  lam_attr *a = (lam_attr *)(uintptr_t)lam_attr_at (&f->ir, 0);

  a->kind = LAM_ATTR_INT;
  ASSERT_FOUND (f, "\"dimensions\" is of kind int, wanted ints");
  f = example ();
  a = (lam_attr *)(uintptr_t)lam_attr_at (&f->ir, 0);
  a->key = "later";
  a->flags = LAM_ATTR_MUST_UNDERSTAND;
  ASSERT_FOUND (f, "\"later\" is unknown here and must be understood");
  f = example ();
  a = (lam_attr *)(uintptr_t)lam_attr_at (&f->ir, 0);
  a->data = NULL;
  ASSERT_FOUND (f, "\"dimensions\" has no data");
}

/* A fault inside a region says which one. */
static void
test_region (void)
{
  static const char text[] =
      "func @g(%0: f32[2]) -> (f32[2]) {\n"
      "  %1 = composite(%0) {name = \"t.f\"} (func @f(%0: f32[2]) -> (f32[2]) {\n"
      "    %1 = negate(%0)\n"
      "    return %1\n"
      "  })\n"
      "  return %1\n"
      "}\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) g = lm_text_parse (text, strlen (text), "test", &error);

  g_assert_no_error (error);
  equation ((LmFunction *)(uintptr_t)lm_function_region (g, lam_equation_at (&g->ir, 0), 0), 0)
      ->op = LAM_OP_is_finite;
  g_assert_false (lm_verify (g, NULL, &error));
  g_assert_true (g_str_has_prefix (error->message, "in region 0 of equation 0 of @g: @f: "));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ir/verify/sound", test_sound);
  g_test_add_func ("/ir/verify/type", test_type);
  g_test_add_func ("/ir/verify/indices", test_indices);
  g_test_add_func ("/ir/verify/op", test_op);
  g_test_add_func ("/ir/verify/attr", test_attr);
  g_test_add_func ("/ir/verify/region", test_region);
  return g_test_run ();
}
