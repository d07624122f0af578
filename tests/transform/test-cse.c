/* SPDX-License-Identifier: Apache-2.0 */
/* Common subexpressions: what is one, and what must not be. */
#include "core/transform/transform.h"
#include "lir.h"

static LmFunction *
cse (const char *text)
{
  g_autoptr (LmFunction) f = lir_parse (text);
  g_autoptr (GError) error = NULL;

  return lir_sound (lm_cse (f, &error), &error);
}

static void
test_equal (void)
{
  g_autoptr (LmFunction) f = cse ("func @f(%0: f32[2], %1: f32[2]) -> (f32[2], f32[2], f32[2]) {\n"
                                  "  %2 = add(%0, %1)  # lm.a\n"
                                  "  %3 = add(%1, %0)  # lm.b\n" /* commutes */
                                  "  %4 = reverse(%2) {dimensions = [0]}\n"
                                  "  %5 = reverse(%3) {dimensions = [0]}\n" /* equal by now */
                                  "  %6 = subtract(%4, %5)\n"
                                  "  return %6, %4, %5\n"
                                  "}");

  lir_assert (f, "func @f(%0: f32[2], %1: f32[2]) -> (f32[2], f32[2], f32[2]) {\n"
                 "  %2 = add(%0, %1)  # lm.a\n"
                 "  %3 = reverse(%2) {dimensions = [0]}\n"
                 "  %4 = subtract(%3, %3)\n"
                 "  return %4, %3, %3\n"
                 "}");
}

/* Operand order, attributes, types and bits make a difference. */
static void
test_different (void)
{
  static const char text[] =
      "func @f(%0: f32[2,2], %1: f32[2,2]) -> (f32[2,2], f32[2,2], f32[2,2], f32[2,2], f32[4], "
      "f32[4,1], f32[], f32[], f32[]) {\n"
      "  %2 = subtract(%0, %1)\n"
      "  %3 = subtract(%1, %0)\n"
      "  %4 = reverse(%0) {dimensions = [0]}\n"
      "  %5 = reverse(%0) {dimensions = [1]}\n"
      "  %6 = reshape(%0) : f32[4]\n"
      "  %7 = reshape(%0) : f32[4,1]\n"
      "  %8 = constant() {value = [0.0]} : f32[]\n"
      "  %9 = constant() {value = [-0.0]} : f32[]\n"
      "  %10 = constant() {value = [nan]} : f32[]\n"
      "  return %2, %3, %4, %5, %6, %7, %8, %9, %10\n"
      "}";
  g_autoptr (LmFunction) f = cse (text);

  lir_assert (f, text);
}

static void
test_constants (void)
{
  g_autoptr (LmFunction) f =
      cse ("func @f() -> (f32[], f32[], i32[]) {\n"
           "  %0 = constant() {value = [nan]} : f32[]\n"
           "  %1 = constant() {value = [nan]} : f32[]\n"
           "  %2 = constant() {value = [2143289344]} : i32[]\n" /* same bytes */
           "  return %0, %1, %2\n"
           "}");

  lir_assert (f, "func @f() -> (f32[], f32[], i32[]) {\n"
                 "  %0 = constant() {value = [nan]} : f32[]\n"
                 "  %1 = constant() {value = [2143289344]} : i32[]\n"
                 "  return %0, %0, %1\n"
                 "}");
}

/* What is recomputed behind a barrier stays recomputed. */
static void
test_barrier (void)
{
  static const char text[] = "func @f(%0: f32[2]) -> (f32[2]) {\n"
                             "  %1 = tanh(%0)\n"
                             "  %2 = optimization_barrier(%0)\n"
                             "  %3 = tanh(%2)\n"
                             "  %4 = optimization_barrier(%0)\n"
                             "  %5 = tanh(%4)\n"
                             "  %6 = add(%1, %3)\n"
                             "  %7 = add(%6, %5)\n"
                             "  return %7\n"
                             "}";
  g_autoptr (LmFunction) f = cse (text);

  lir_assert (f, text);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transform/cse/equal", test_equal);
  g_test_add_func ("/transform/cse/different", test_different);
  g_test_add_func ("/transform/cse/constants", test_constants);
  g_test_add_func ("/transform/cse/barrier", test_barrier);
  return g_test_run ();
}
