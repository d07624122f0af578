/* SPDX-License-Identifier: Apache-2.0 */
/* simplify runs the exact fold rules and nothing else. The rules themselves are tested with their ops. */
#include "core/transform/transform.h"
#include "lir.h"

static LmFunction *
simplify (const char *text)
{
  g_autoptr (LmFunction) f = lir_parse (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) g = lir_sound (lm_simplify (f, &error), &error);

  return lm_dce (g, &error);
}

/* Identities in a row: each sees its operand already simple. */
static void
test_chain (void)
{
  g_autoptr (LmFunction) f = simplify ("func @f(%0: i32[2,3]) -> (i32[2,3]) {\n"
                                       "  %1 = constant() {value = [0]} : i32[2,3]\n"
                                       "  %2 = constant() {value = [1]} : i32[2,3]\n"
                                       "  %3 = add(%0, %1)\n"
                                       "  %4 = multiply(%3, %2)\n"
                                       "  %5 = transpose(%4) {permutation = [0, 1]}\n"
                                       "  %6 = reshape(%5) : i32[2,3]\n"
                                       "  return %6\n"
                                       "}");

  lir_assert (f, "func @f(%0: i32[2,3]) -> (i32[2,3]) { return %0 }");
}

/* x * 0 is not 0 for floats (NaN, infinities, -0), x + 0 is not x (-0). */
static void
test_floats_stay (void)
{
  static const char text[] = "func @f(%0: f32[2]) -> (f32[2], f32[2]) {\n"
                             "  %1 = constant() {value = [0.0]} : f32[2]\n"
                             "  %2 = multiply(%0, %1)\n"
                             "  %3 = add(%0, %1)\n"
                             "  return %2, %3\n"
                             "}";
  g_autoptr (LmFunction) f = simplify (text);

  lir_assert (f, text);
}

static void
test_barrier (void)
{
  static const char text[] = "func @f(%0: i32[2]) -> (i32[2]) {\n"
                             "  %1 = constant() {value = [0]} : i32[2]\n"
                             "  %2 = optimization_barrier(%1)\n"
                             "  %3 = add(%0, %2)\n"
                             "  return %3\n"
                             "}";
  g_autoptr (LmFunction) f = simplify (text);

  lir_assert (f, text);
}

/* What a fold emits carries the layer path of what it replaces. */
static void
test_path (void)
{
  g_autoptr (LmFunction) f = simplify ("func @f() -> (i32[]) {\n"
                                       "  %0 = constant() {value = [2]} : i32[]  # lm.a\n"
                                       "  %1 = constant() {value = [3]} : i32[]\n"
                                       "  %2 = add(%0, %1)  # lm.b\n"
                                       "  return %2\n"
                                       "}");

  lir_assert (f,
              "func @f() -> (i32[]) { %0 = constant() {value = [5]} : i32[] # lm.b\n return %0 }");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transform/simplify/chain", test_chain);
  g_test_add_func ("/transform/simplify/floats_stay", test_floats_stay);
  g_test_add_func ("/transform/simplify/barrier", test_barrier);
  g_test_add_func ("/transform/simplify/path", test_path);
  return g_test_run ();
}
