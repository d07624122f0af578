/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/unary.c: elementwise ops of one operand. */
#include "core/ir/rules.h"
#include "tests/lib/fixture.h"
#include "tests/lib/opcheck.h"

static char *
call_of (const char *op, const char *type)
{
  return g_strconcat ("func @f(%0: ", type, ") -> (", type, ") {\n  %1 = ", op, "(%0) : ", type,
                      "\n  return %1\n}\n", NULL);
}

static void
test_types (void)
{
  static const char *const floats[] = {"floor",
                                       "ceil",
                                       "round_nearest_even",
                                       "exponential",
                                       "exponential_minus_one",
                                       "log",
                                       "log_plus_one",
                                       "sqrt",
                                       "rsqrt",
                                       "cbrt",
                                       "sine",
                                       "cosine",
                                       "tan",
                                       "tanh",
                                       "logistic",
                                       "erf",
                                       "erf_inv"};
  for (guint i = 0; i < G_N_ELEMENTS (floats); i++) {
    g_autofree char *good = call_of (floats[i], "bf16[2]");
    g_autofree char *bad = call_of (floats[i], "i32[2]");
    const LmTypeCase cases[] = {{good, NULL}, {bad, "operand 0 is i32[2], wanted floats"}};
    lm_check_types (cases, 2);
  }
  const LmTypeCase cases[] = {
      {LM_F1 ("u8[2]", "negate(%0)", "u8[2]"), NULL},
      {LM_F1 ("bool[2]", "negate(%0)", "bool[2]"), "wanted numbers"},
      {LM_F1 ("i8[2]", "abs(%0)", "i8[2]"), NULL},
      {LM_F1 ("u8[2]", "abs(%0)", "u8[2]"), "wanted floats or signed integers"},
      {LM_F1 ("u8[2]", "sign(%0)", "u8[2]"), NULL},
      {LM_F1 ("bool[2]", "sign(%0)", "bool[2]"), "wanted numbers"},
      {LM_F1 ("f16[2]", "is_finite(%0)", "bool[2]"), NULL},
      {LM_F1 ("i32[2]", "is_finite(%0)", "bool[2]"), "wanted floats"},
      {LM_F1 ("f16[2]", "is_finite(%0)", "f16[2]"), "bool[2]"},
      {LM_F1 ("bool[2]", "not(%0)", "bool[2]"), NULL},
      {LM_F1 ("f32[2]", "not(%0)", "f32[2]"), "wanted integers or bool"},
      {LM_F1 ("u64[2]", "population_count(%0)", "u64[2]"), NULL},
      {LM_F1 ("bool[2]", "population_count(%0)", "bool[2]"), "wanted integers"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

#define TWICE(op, t)                                                                               \
  "func @f(%0: " t ") -> (" t ") {\n %1 = " op "(%0) : " t "\n %2 = " op "(%1) : " t               \
  "\n return %2\n}"
#define OF(op, v, t)                                                                               \
  "func @f() -> (" t ") {\n %0 = constant() {value = [" v "]} : " t "\n %1 = " op "(%0) : " t      \
  "\n return %1\n}"
#define IS(v, t) LM_F0 ("constant() {value = [" v "]}", t)

static void
test_folds (void)
{
  const LmFoldCase cases[] = {
      {TWICE ("negate", "f32[2]"), "func @f(%0: f32[2]) -> (f32[2]) {\n return %0\n}"},
      {TWICE ("not", "bool[2]"), "func @f(%0: bool[2]) -> (bool[2]) {\n return %0\n}"},
      {TWICE ("abs", "f32[2]"), LM_F1 ("f32[2]", "abs(%0)", "f32[2]")},
      {TWICE ("floor", "f32[2]"), LM_F1 ("f32[2]", "floor(%0)", "f32[2]")},
      {TWICE ("sine", "f32[2]"), NULL},
      {OF ("negate", "-128, 5", "i8[2]"), IS ("-128, -5", "i8[2]")},
      {OF ("abs", "-128, -5", "i8[2]"), IS ("-128, 5", "i8[2]")},
      {OF ("sign", "-7, 0, 3", "i32[3]"), IS ("-1, 0, 1", "i32[3]")},
      {OF ("not", "0", "u8[2]"), IS ("255", "u8[2]")},
      {OF ("not", "true, false", "bool[2]"), IS ("false, true", "bool[2]")},
      {OF ("population_count", "-1, 6", "i16[2]"), IS ("16, 2", "i16[2]")},
  };
  lm_check_folds (cases, G_N_ELEMENTS (cases));
}

#define ONE(op) LM_F1 ("f64[7]", op "(%0)", "f64[7]")

static void
test_grads (void)
{
  const LmGradCase cases[] = {
      {ONE ("negate"), 0, 0, true},
      {ONE ("abs"), -2, -0.1, true},
      {ONE ("abs"), 0.1, 2, true},
      {ONE ("sign"), 0.1, 2, false},
      {ONE ("floor"), 0.1, 0.9, false},
      {ONE ("ceil"), 1.1, 1.9, false},
      {ONE ("round_nearest_even"), 0.6, 1.4, false},
      {ONE ("exponential"), 0, 0, true},
      {ONE ("exponential_minus_one"), 0, 0, true},
      {ONE ("log"), 0.5, 3, true},
      {ONE ("log_plus_one"), -0.5, 2, true},
      {ONE ("sqrt"), 0.5, 3, true},
      {ONE ("rsqrt"), 0.5, 3, true},
      {ONE ("cbrt"), 0.5, 3, true},
      {ONE ("cbrt"), -3, -0.5, true},
      {ONE ("sine"), 0, 0, true},
      {ONE ("cosine"), 0, 0, true},
      {ONE ("tan"), -1, 1, true},
      {ONE ("tanh"), 0, 0, true},
      {ONE ("logistic"), -4, 4, true},
      {ONE ("erf"), 0, 0, true},
      {ONE ("erf_inv"), -0.8, 0.8, true},
      {LM_F1 ("f64[]", "tanh(%0)", "f64[]"), 0, 0, true},
      {LM_F1 ("f64[0,2]", "tanh(%0)", "f64[0,2]"), 0, 0, false},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

static bool
claims_nothing (void *ctx, const lam_function *f, const lam_equation *e)
{
  return false;
}

/* 1 / (1 + e^-x) in IR, with the same value to rounding. */
static void
test_decomposition (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f = lm_test_parse (LM_F1 ("f64[3]", "logistic(%0)", "f64[3]"));
  LmClaims claims = {.ir_minor = 1, .claims = claims_nothing};
  g_autoptr (LmFunction) g = lm_legalize (f, &claims, NULL, &error);
  g_assert_no_error (error);
  for (uint32_t i = 0; i < g->ir.n_equations; i++)
    g_assert_true (lm_op_has_flag (lm_op_info (lam_equation_at (&g->ir, i)->op), 'M'));
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_check_backend (registry);
  g_autoptr (LmArray) x = lm_test_array (lm_param_type (f, 0), (double[]) {-800, 0, 2});
  LmArray *y = NULL;
  lm_test_run (backend, g, &x, &y);
  g_assert_cmpfloat (((double *)y->data)[0], ==, 0);
  g_assert_cmpfloat (((double *)y->data)[1], ==, 0.5);
  g_assert_cmpfloat_with_epsilon (((double *)y->data)[2], 0.88079707797788243, 1e-15);
  lm_array_unref (y);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/unary/types", test_types);
  g_test_add_func ("/op/unary/folds", test_folds);
  g_test_add_func ("/op/unary/grads", test_grads);
  g_test_add_func ("/op/unary/decomposition", test_decomposition);
  return g_test_run ();
}
