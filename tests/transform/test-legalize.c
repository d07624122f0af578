/* SPDX-License-Identifier: Apache-2.0 */
/* Legalisation against backends of different abilities. */
#include "core/transform/transform.h"
#include "lir.h"

/* Claims composites of one name; ctx: the name. */
static bool
claims_name (void *ctx, const lam_function *f, const lam_equation *e)
{
  return e->op == LAM_OP_composite && strcmp (lam_attr_str (f, e, "name", ""), ctx) == 0;
}

static bool
claims_all (void *ctx, const lam_function *f, const lam_equation *e)
{
  (void)ctx;
  (void)f;
  (void)e;
  return true;
}

static LmFunction *
legalize (const char *text, const LmClaims *claims, GString *explain)
{
  g_autoptr (LmFunction) f = lir_parse (text);
  g_autoptr (GError) error = NULL;

  return lir_sound (lm_legalize (f, claims, explain, &error), &error);
}

static const char nested[] =
    "func @f(%0: f64[]) -> (f64[]) {\n"
    "  %1 = composite(%0) {name = \"t.outer\"} (func @outer(%0: f64[]) -> (f64[]) {\n"
    "    %1 = composite(%0) {name = \"t.inner\", version = 2} (func @inner(%0: f64[]) -> (f64[]) "
    "{\n"
    "      %1 = tanh(%0)\n"
    "      return %1\n"
    "    })  # lm.own\n"
    "    %2 = negate(%1)\n"
    "    return %2\n"
    "  })  # lm.ffn\n"
    "  return %1\n"
    "}";

/* Whole composites, one inside another, or none; each equation keeps a layer path. */
static void
test_composites (void)
{
  g_autoptr (GString) explain = g_string_new (NULL);
  LmClaims none = {0};
  LmClaims inner = {.ctx = (void *)"t.inner", .claims = claims_name};
  LmClaims outer = {.ctx = (void *)"t.outer", .claims = claims_name};
  g_autoptr (LmFunction) a = legalize (nested, &none, explain), b = legalize (nested, &inner, NULL);
  g_autoptr (LmFunction) c = legalize (nested, &outer, NULL);

  lir_assert (a, "func @f(%0: f64[]) -> (f64[]) {\n"
                 "  %1 = tanh(%0)  # lm.own\n"
                 "  %2 = negate(%1)  # lm.ffn\n"
                 "  return %2\n"
                 "}");
  g_assert_cmpstr (
      explain->str, ==,
      "composite t.outer version 1 in layer lm.ffn: inlined, the backend does not claim it\n"
      "composite t.inner version 2 in layer lm.own: inlined, the backend does not claim it\n");
  lir_assert (b,
              "func @f(%0: f64[]) -> (f64[]) {\n"
              "  %1 = composite(%0) {name = \"t.inner\", version = 2} (func @inner(%0: f64[]) -> "
              "(f64[]) { %1 = tanh(%0) return %1 })  # lm.own\n"
              "  %2 = negate(%1)  # lm.ffn\n"
              "  return %2\n"
              "}");
  lir_assert (c, nested);
}

/* A row newer than the backend reaches it as its decomposition, even if it would claim it. */
static void
test_newer_row (void)
{
  static const char text[] = "func @f(%0: f64[]) -> (f64[]) {\n"
                             "  %1 = logistic(%0)  # lm.gate\n"
                             "  return %1\n"
                             "}";
  LmClaims old = {.ir_minor = 0, .claims = claims_all};
  LmClaims shy = {.ir_minor = 1}, keen = {.ir_minor = 1, .claims = claims_all};
  g_autoptr (LmFunction) a = legalize (text, &old, NULL), b = legalize (text, &shy, NULL);
  g_autoptr (LmFunction) c = legalize (text, &keen, NULL);
  const LmFunction *decomposed[] = {a, b};

  lir_assert (c, text);
  for (int i = 0; i < 2; i++) {
    const double x = 0.7;
    double y;
    g_assert_cmpuint (decomposed[i]->ir.ir_minor, ==, 0);
    g_assert_cmpuint (lir_count (decomposed[i], LAM_OP_logistic), ==, 0);
    for (uint32_t k = 0; k < decomposed[i]->ir.n_equations; k++)
      g_assert_cmpstr (decomposed[i]->ir.paths[lam_equation_at (&decomposed[i]->ir, k)->path], ==,
                       "lm.gate");
    lir_eval (decomposed[i], &x, &y);
    g_assert_cmpfloat_with_epsilon (y, 1 / (1 + exp (-x)), 1e-15);
  }
}

/* Names and stopped gradients mean nothing to a backend; barriers do. */
static void
test_names (void)
{
  LmClaims keen = {.ir_minor = 1, .claims = claims_all};
  g_autoptr (LmFunction) f = legalize ("func @f(%0: f32[2]) -> (f32[2]) {\n"
                                       "  %1 = name(%0) {name = \"x\"}\n"
                                       "  %2 = stop_gradient(%1)\n"
                                       "  %3 = optimization_barrier(%2)\n"
                                       "  return %3\n"
                                       "}",
                                       &keen, NULL);

  lir_assert (f, "func @f(%0: f32[2]) -> (f32[2]) { %1 = optimization_barrier(%0) return %1 }");
}

static void
test_nothing (void)
{
  LmClaims none = {0};
  g_autoptr (LmFunction) f =
      lir_parse ("func @f(%0: f32[2]) -> (f32[2]) { %1 = negate(%0) return %1 }");
  g_autoptr (LmFunction) g = lm_legalize (f, &none, NULL, NULL);

  g_assert_true (f == g);
}

/* top_k is newer than a backend of minor 0, which gets the sort that every backend runs. */
static void
test_newer_inside (void)
{
  LmClaims old = {.ir_minor = 0};
  const char *text = "func @f(%0: f32[4]) -> (f32[2]) {\n  %1, %2 = top_k(%0) {k = 2}\n"
                     "  return %1\n}";
  g_autoptr (LmFunction) sorted = legalize (text, &old, NULL);
  bool found = false;
  for (uint32_t i = 0; i < sorted->ir.n_equations; i++)
    found = found || lam_equation_at (&sorted->ir, i)->op == LAM_OP_sort;
  g_assert_true (found);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transform/legalize/composites", test_composites);
  g_test_add_func ("/transform/legalize/newer_row", test_newer_row);
  g_test_add_func ("/transform/legalize/names", test_names);
  g_test_add_func ("/transform/legalize/nothing", test_nothing);
  g_test_add_func ("/transform/legalize/newer_inside", test_newer_inside);
  return g_test_run ();
}
