/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/random.c: threefry2x32 (its bits are tested in test-golden_ops.c). */
#include "tests/lib/opcheck.h"

#define FOUR(a, b, r)                                                                              \
  "func @f(%0: " a ", %1: " a ", %2: " b ", %3: " b ") -> (" r ", " r ") {\n"                      \
  " %4, %5 = threefry2x32(%0, %1, %2, %3) : " r ", " r "\n return %4, %5\n}"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {FOUR ("u32[3]", "u32[3]", "u32[3]"), NULL},
      {FOUR ("u32[]", "u32[]", "u32[]"), NULL},
      {FOUR ("u32[]", "u32[3]", "u32[3]"),
       "operand 2 is u32[3], wanted u32[] (the type of operand 0)"},
      {FOUR ("i32[3]", "i32[3]", "i32[3]"), "operand 0 is i32[3], wanted dtype u32"},
      {FOUR ("u32[3]", "u64[3]", "u32[3]"), "operand 2 is u64[3]"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/random/types", test_types);
  return g_test_run ();
}
