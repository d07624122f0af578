/* SPDX-License-Identifier: Apache-2.0 */
/* Differentiation: structure by text, values against central differences on scalar functions, of
 * first and second order. */
#include "core/transform/transform.h"
#include "lir.h"

static LmFunction *
grad (const LmFunction *f, uint32_t loss, const bool *wanted)
{
  g_autoptr (GError) error = NULL;

  return lir_sound (lm_value_and_grad (f, loss, wanted, &error), &error);
}

/* --- structure ---------------------------------------------------------------------------------- */

/* Cotangents are parameters in order of the results that have one; results pass through; the
 * gradient carries the paths of the forward; two uses add up. */
static void
test_vjp (void)
{
  g_autoptr (LmFunction) f =
      lir_parse ("func @f(%0: f32[2], %1: i32[2]) -> (f32[2], i32[2], f32[2]) {\n"
                 "  %2 = negate(%0)  # lm.a\n"
                 "  %3 = negate(%2)  # lm.b\n"
                 "  return %3, %1, %2\n"
                 "}");
  const bool wanted[] = {true, false}, given[] = {true, false, true};
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) g = lir_sound (lm_vjp (f, wanted, given, &error), &error);

  lir_assert (g,
              "func @f.vjp(%0: f32[2], %1: i32[2], %c0: f32[2], %c2: f32[2]) -> (f32[2], i32[2], "
              "f32[2], f32[2]) {\n"
              "  %2 = negate(%0)  # lm.a\n"
              "  %3 = negate(%2)  # lm.b\n"
              "  %4 = negate(%c0)  # lm.b\n"
              "  %5 = add(%c2, %4)  # lm.b\n"
              "  %6 = negate(%5)  # lm.a\n"
              "  return %3, %1, %2, %6\n"
              "}");
}

/* Only what lies between a wanted parameter and the loss is differentiated. */
static void
test_activity (void)
{
  g_autoptr (LmFunction) f = lir_parse ("func @f(%0: f32[], %1: f32[]) -> (f32[], f32[]) {\n"
                                        "  %2 = tanh(%1)\n" /* nothing wanted behind it */
                                        "  %3 = multiply(%0, %2)\n"
                                        "  %4 = exponential(%0)\n" /* no cotangent reaches it */
                                        "  return %3, %4\n"
                                        "}");
  const bool wanted[] = {true, false};
  g_autoptr (LmFunction) g = grad (f, 0, wanted);

  lir_assert (g, "func @f.grad(%0: f32[], %1: f32[]) -> (f32[], f32[], f32[]) {\n"
                 "  %2 = tanh(%1)\n"
                 "  %3 = multiply(%0, %2)\n"
                 "  %4 = exponential(%0)\n"
                 "  %5 = constant() {value = [1.0]} : f32[]\n"
                 "  %6 = multiply(%5, %2)\n"
                 "  return %3, %4, %6\n"
                 "}");
}

/* No path to the loss: zeros, made at the very end. */
static void
test_zero (void)
{
  g_autoptr (LmFunction) f = lir_parse ("func @f(%0: f32[2], %1: f32[]) -> (f32[]) {\n"
                                        "  %2 = stop_gradient(%1)\n"
                                        "  %3 = add(%2, %2)\n"
                                        "  return %3\n"
                                        "}");
  const bool wanted[] = {true, true};
  g_autoptr (LmFunction) g = grad (f, 0, wanted);

  lir_assert (g, "func @f.grad(%0: f32[2], %1: f32[]) -> (f32[], f32[2], f32[]) {\n"
                 "  %2 = stop_gradient(%1)\n"
                 "  %3 = add(%2, %2)\n"
                 "  %c = constant() {value = [1.0]} : f32[]\n"
                 "  %4 = constant() {value = [0.0]} : f32[2]\n"
                 "  %5 = constant() {value = [0.0]} : f32[]\n"
                 "  return %3, %4, %5\n"
                 "}");
}

/* The loss is a parameter; a result twice gets both cotangents. */
static void
test_results (void)
{
  g_autoptr (LmFunction) f = lir_parse ("func @f(%0: f32[]) -> (f32[], f32[]) { return %0, %0 }");
  const bool wanted[] = {true}, given[] = {true, true};
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) g = grad (f, 1, wanted);
  g_autoptr (LmFunction) h = lir_sound (lm_vjp (f, wanted, given, &error), &error);

  lir_assert (g, "func @f.grad(%0: f32[]) -> (f32[], f32[], f32[]) {\n"
                 "  %1 = constant() {value = [1.0]} : f32[]\n"
                 "  return %0, %0, %1\n"
                 "}");
  lir_assert (h, "func @f.vjp(%0: f32[], %1: f32[], %2: f32[]) -> (f32[], f32[], f32[]) {\n"
                 "  %3 = add(%1, %2)\n"
                 "  return %0, %0, %3\n"
                 "}");
}

/* --- composites ----------------------------------------------------------------------------------- */

#define SQUARE "(func @sq(%a: f64[], %b: f64[]) -> (f64[]) { %c = multiply(%a, %b) return %c })"

static void
test_composite (void)
{
  g_autoptr (LmFunction) f = lir_parse (
      "func @f(%0: f64[], %1: f64[]) -> (f64[]) {\n"
      "  %2 = composite(%0, %1) {name = \"t.mul\", version = 3, attributes = \"x\"} " SQUARE
      "  # lm.a\n"
      "  return %2\n"
      "}");
  const bool both[] = {true, true}, second[] = {false, true};
  g_autoptr (LmFunction) g = grad (f, 0, both), h = grad (f, 0, second);

  lir_assert (g,
              "func @f.grad(%0: f64[], %1: f64[]) -> (f64[], f64[], f64[]) {\n"
              "  %2 = composite(%0, %1) {name = \"t.mul\", version = 3, attributes = \"x\"} " SQUARE
              "  # lm.a\n"
              "  %3 = constant() {value = [1.0]} : f64[]\n"
              "  %4, %5 = composite(%0, %1, %3) {name = \"t.mul.vjp\", version = 3, "
              "attributes = \"x\"}"
              "   (func @sq.vjp(%a: f64[], %b: f64[], %ct: f64[]) -> (f64[], f64[]) {\n"
              "     %da = multiply(%ct, %b)\n"
              "     %db = multiply(%ct, %a)\n"
              "     return %da, %db\n"
              "   })  # lm.a\n"
              "  return %2, %4, %5\n"
              "}");
  /* Where only some operands take part, the signature is written down. */
  lir_assert (h,
              "func @f.grad(%0: f64[], %1: f64[]) -> (f64[], f64[]) {\n"
              "  %2 = composite(%0, %1) {name = \"t.mul\", version = 3, attributes = \"x\"} " SQUARE
              "  # lm.a\n"
              "  %3 = constant() {value = [1.0]} : f64[]\n"
              "  %4 = composite(%0, %1, %3) {name = \"t.mul.vjp\", version = 3, "
              "attributes = \"x\", !wanted = [1], !cotangents = [0]}"
              "   (func @sq.vjp(%a: f64[], %b: f64[], %ct: f64[]) -> (f64[]) {\n"
              "     %db = multiply(%ct, %a)\n"
              "     return %db\n"
              "   })  # lm.a\n"
              "  return %2, %4\n"
              "}");
}

/* The second derivative of a composite: .vjp.vjp, or in place where a list cannot say it. */
static void
test_composite_twice (void)
{
  g_autoptr (LmFunction) f = lir_parse ("func @f(%0: f64[], %1: f64[]) -> (f64[]) {\n"
                                        "  %2 = composite(%0, %1) {name = \"t.mul\"} " SQUARE "\n"
                                        "  %3 = multiply(%2, %2)\n"
                                        "  return %3\n"
                                        "}");
  const bool both[] = {true, true}, second[] = {false, true};
  g_autoptr (LmFunction) g = grad (f, 0, both), gg = grad (g, 1, both);
  g_autoptr (LmFunction) h = grad (f, 0, second), hh = grad (h, 1, second);
  g_autofree char *text = lm_text_print (gg);
  double x[] = {1.5, -0.75}, out[5];

  g_assert_nonnull (strstr (text, "\"t.mul.vjp.vjp\""));
  /* f = x^2 y^2: d/dx = 2 x y^2; d2/dx2 = 2 y^2; d2/dxdy = 4 x y. */
  lir_eval (gg, x, out);
  g_assert_cmpfloat_with_epsilon (out[1], 2 * x[0] * x[1] * x[1], 1e-14);
  g_assert_cmpfloat_with_epsilon (out[3], 2 * x[1] * x[1], 1e-14);
  g_assert_cmpfloat_with_epsilon (out[4], 4 * x[0] * x[1], 1e-14);
  lir_eval (hh, x, out); /* (f, d/dy, d2/dy2) */
  g_assert_cmpfloat_with_epsilon (out[1], 2 * x[0] * x[0] * x[1], 1e-14);
  g_assert_cmpfloat_with_epsilon (out[2], 2 * x[0] * x[0], 1e-14);
}

/* --- values ----------------------------------------------------------------------------------------- */

static double
loss_at (const LmFunction *f, uint32_t result, const double *x)
{
  double out[8];

  lir_eval (f, x, out);
  return out[result];
}

/* d f[result] / d x[i] by central differences: error about 1e-10 for values of order 1. */
static double
difference (const LmFunction *f, uint32_t result, const double *x, uint32_t n, uint32_t i)
{
  double at[8], h = 1e-5, high;

  memcpy (at, x, n * sizeof *x);
  at[i] = x[i] + h;
  high = loss_at (f, result, at);
  at[i] = x[i] - h;
  return (high - loss_at (f, result, at)) / (2 * h);
}

/* Gradient, and gradient of each component of the gradient, of a function of n <= 3 scalars. */
static void
check_orders (const char *text, const double *x)
{
  const bool wanted[] = {true, true, true};
  g_autoptr (LmFunction) f = lir_parse (text);
  g_autoptr (LmFunction) g = grad (f, 0, wanted);
  uint32_t n = f->ir.n_params;
  double d[8], dd[8];

  lir_eval (g, x, d);
  for (uint32_t i = 0; i < n; i++) {
    g_autoptr (LmFunction) gg = grad (g, 1 + i, wanted);
    g_assert_cmpfloat_with_epsilon (d[1 + i], difference (f, 0, x, n, i), 1e-8);
    lir_eval (gg, x, dd);
    for (uint32_t k = 0; k < n; k++)
      g_assert_cmpfloat_with_epsilon (dd[1 + n + k], difference (g, 1 + i, x, n, k), 1e-8);
  }
}

static void
test_orders (void)
{
  check_orders ("func @f(%x: f64[], %y: f64[]) -> (f64[]) {\n"
                "  %1 = tanh(%x)\n"
                "  %2 = multiply(%1, %x)\n" /* tanh (x) x + ... */
                "  %3 = logistic(%y)\n"
                "  %4 = multiply(%2, %3)\n"
                "  %5 = sine(%4)\n"
                "  %6 = divide(%5, %3)\n"
                "  return %6\n"
                "}",
                (double[]) {0.3, -0.8});
  check_orders (
      "func @f(%x: f64[], %y: f64[], %z: f64[]) -> (f64[]) {\n"
      "  %1, %2 = composite(%x, %y) {name = \"t.two\"}\n"
      "    (func @two(%a: f64[], %b: f64[]) -> (f64[], f64[]) {\n"
      "      %c = composite(%a) {name = \"t.inner\"} (func @inner(%a: f64[]) -> (f64[]) {\n"
      "        %b = exponential(%a)\n"
      "        return %b\n"
      "      })\n"
      "      %d = multiply(%c, %b)\n"
      "      return %d, %c\n"
      "    })\n"
      "  %3, %4 = optimization_barrier(%1, %2)\n"
      "  %5 = name(%3) {name = \"kept\"}\n"
      "  %6 = subtract(%5, %z)\n"
      "  %7 = cosine(%6)\n"
      "  %8 = multiply(%7, %4)\n"
      "  return %8\n"
      "}",
      (double[]) {0.4, 1.1, -0.2});
}

/* --- errors ----------------------------------------------------------------------------------------- */

static void
test_errors (void)
{
  g_autoptr (LmFunction) f =
      lir_parse ("func @f(%0: i32[2], %1: f32[2], %2: u8[]) -> (f32[2], u8[]) {\n"
                 "  return %1, %2\n"
                 "}");
  const bool wanted[] = {true, true, true}, given[] = {true, true};
  GError *error = NULL;

  g_assert_null (lm_vjp (f, wanted, given, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_nonnull (
      strstr (error->message, "parameter 0 is i32[2], parameter 2 is u8[], result 1 is u8[]"));
  g_clear_error (&error);
  g_assert_null (lm_value_and_grad (f, 0, wanted, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "the loss, is f32[2], wanted a float of rank 0"));
  g_clear_error (&error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transform/grad/vjp", test_vjp);
  g_test_add_func ("/transform/grad/activity", test_activity);
  g_test_add_func ("/transform/grad/zero", test_zero);
  g_test_add_func ("/transform/grad/results", test_results);
  g_test_add_func ("/transform/grad/composite", test_composite);
  g_test_add_func ("/transform/grad/composite_twice", test_composite_twice);
  g_test_add_func ("/transform/grad/orders", test_orders);
  g_test_add_func ("/transform/grad/errors", test_errors);
  return g_test_run ();
}
