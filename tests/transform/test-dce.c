/* SPDX-License-Identifier: Apache-2.0 */
/* Dead code elimination. */
#include "core/transform/transform.h"
#include "lir.h"

static void
test_unused (void)
{
  g_autoptr (LmFunction) f = lir_parse ("func @f(%0: f32[2], %1: f32[2]) -> (f32[2]) {\n"
                                        "  %2 = negate(%1)\n"
                                        "  %3 = add(%0, %2)\n" /* unused, and so is %2 */
                                        "  %4, %5 = optimization_barrier(%0, %0) # lm.a\n"
                                        "  return %5\n"
                                        "}");
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) g = lir_sound (lm_dce (f, &error), &error);

  /* Parameters stay; one used result keeps its equation. */
  lir_assert (g, "func @f(%0: f32[2], %1: f32[2]) -> (f32[2]) {\n"
                 "  %2, %3 = optimization_barrier(%0, %0) # lm.a\n"
                 "  return %3\n"
                 "}");
}

static void
test_nothing (void)
{
  g_autoptr (LmFunction) f =
      lir_parse ("func @f(%0: f32[2]) -> (f32[2]) { %1 = negate(%0) return %1 }");
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) g = lm_dce (f, &error);

  g_assert_true (f == g); /* the same function: nothing was copied */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transform/dce/unused", test_unused);
  g_test_add_func ("/transform/dce/nothing", test_nothing);
  return g_test_run ();
}
