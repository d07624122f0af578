/* SPDX-License-Identifier: Apache-2.0 */
/* Lifetimes and operands that die. */
#include "tests/lib/fixture.h"

#include <kit/liveness.h>

static void
check_life (const kit_life *life, uint32_t first, uint32_t last, uint32_t uses)
{
  g_assert_cmpuint (life->first, ==, first);
  g_assert_cmpuint (life->last, ==, last);
  g_assert_cmpuint (life->uses, ==, uses);
}

static void
test_lives (void)
{
  g_autoptr (LmFunction) f =
      lm_test_parse ("func @f(%0: f32[2], %1: f32[2]) -> (f32[2], f32[2]) {\n"
                     "  %2 = add(%0, %0) : f32[2]\n"
                     "  %3 = negate(%2) : f32[2]\n"
                     "  %4 = multiply(%2, %3) : f32[2]\n"
                     "  %5 = sine(%4) : f32[2]\n"
                     "  return %4, %4\n}\n");
  kit_life lives[6];
  kit_liveness (&f->ir, lives);
  check_life (&lives[0], 0, 0, 2);
  check_life (&lives[1], 0, 0, 0);
  check_life (&lives[2], 0, 2, 2);
  check_life (&lives[3], 1, 2, 1);
  check_life (&lives[4], 2, 4, 3);
  check_life (&lives[5], 3, 3, 0);
  g_assert_cmpint (kit_dying_operand (&f->ir, lives, 1), ==, -1); /* %2 lives on */
  g_assert_cmpint (kit_dying_operand (&f->ir, lives, 2), ==, 0);
  g_assert_cmpint (kit_dying_operand (&f->ir, lives, 3), ==, -1);
}

static void
test_in_place (void)
{
  g_autoptr (LmFunction) f =
      lm_test_parse ("func @f(%0: bool[], %1: f32[2], %2: f32[2]) -> (f32[2]) {\n"
                     "  %3 = select(%0, %1, %2) : f32[2]\n"
                     "  %4 = compare(%3, %1) {comparison_direction = \"LT\"} : bool[2]\n"
                     "  %5 = convert(%4) : f32[2]\n"
                     "  %6 = convert(%5) : i32[2]\n"
                     "  %7 = convert(%6) : f32[2]\n"
                     "  %8 = reverse(%7) {dimensions = [0]} : f32[2]\n"
                     "  return %8\n}\n");
  const lam_function *ir = &f->ir;
  g_assert_false (kit_in_place (ir, lam_equation_at (ir, 0), 0)); /* one element for two */
  g_assert_true (kit_in_place (ir, lam_equation_at (ir, 0), 1));
  g_assert_false (kit_in_place (ir, lam_equation_at (ir, 1), 0)); /* narrower */
  g_assert_false (kit_in_place (ir, lam_equation_at (ir, 2), 0)); /* wider */
  g_assert_true (kit_in_place (ir, lam_equation_at (ir, 3), 0));
  g_assert_false (kit_in_place (ir, lam_equation_at (ir, 5), 0)); /* reads other elements */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kit/liveness/lives", test_lives);
  g_test_add_func ("/kit/liveness/in_place", test_in_place);
  return g_test_run ();
}
