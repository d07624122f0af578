/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/binary.c: elementwise ops of two operands. */
#include "tests/lib/opcheck.h"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F2 ("f32[2,3]", "f32[2,3]", "add(%0, %1)", "f32[2,3]"), NULL},
      {LM_F2 ("bool[2]", "bool[2]", "add(%0, %1)", "bool[2]"), NULL},
      {LM_F2 ("bool[]", "bool[]", "multiply(%0, %1)", "bool[]"), NULL},
      {LM_F2 ("u8[2]", "u8[2]", "maximum(%0, %1)", "u8[2]"), NULL},
      {LM_F2 ("f32[2,3]", "f32[3]", "add(%0, %1)", "f32[2,3]"),
       "add: operand 1 is f32[3], wanted f32[2,3] (the type of operand 0)"},
      {LM_F2 ("f32[2]", "f64[2]", "multiply(%0, %1)", "f32[2]"), "multiply: operand 1 is f64[2]"},
      {LM_F2 ("bool[2]", "bool[2]", "subtract(%0, %1)", "bool[2]"),
       "subtract: operand 0 is bool[2], wanted numbers (floats or integers); convert it first"},
      {LM_F2 ("bool[2]", "bool[2]", "divide(%0, %1)", "bool[2]"), "wanted numbers"},
      {LM_F2 ("bool[2]", "bool[2]", "remainder(%0, %1)", "bool[2]"), "wanted numbers"},
      {LM_F2 ("i32[2]", "i32[2]", "power(%0, %1)", "i32[2]"),
       "power: operand 0 is i32[2], wanted floats"},
      {LM_F2 ("i32[2]", "i32[2]", "atan2(%0, %1)", "i32[2]"), "wanted floats"},
      {LM_F2 ("f32[2]", "f32[2]", "and(%0, %1)", "f32[2]"), "wanted integers or bool"},
      {LM_F2 ("f32[2]", "f32[2]", "or(%0, %1)", "f32[2]"), "wanted integers or bool"},
      {LM_F2 ("f32[2]", "f32[2]", "xor(%0, %1)", "f32[2]"), "wanted integers or bool"},
      {LM_F2 ("bool[2]", "bool[2]", "shift_left(%0, %1)", "bool[2]"), "wanted integers"},
      {LM_F2 ("f16[2]", "f16[2]", "shift_right_logical(%0, %1)", "f16[2]"), "wanted integers"},
      {LM_F2 ("f16[2]", "f16[2]", "shift_right_arithmetic(%0, %1)", "f16[2]"), "wanted integers"},
      {LM_F1 ("f32[2]", "add(%0)", "f32[2]"), "got 1 operands, wanted 2"},
      {LM_F2 ("f32[2]", "f32[3]", "minimum(%0, %1)", "f32[2]"), "minimum: operand 1 is f32[3]"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

#define BESIDE(op, value, t)                                                                       \
  "func @f(%0: " t ") -> (" t ") {\n %1 = constant() {value = [" value "]} : " t "\n %2 = " op     \
  "(%0, %1) : " t "\n return %2\n}"
#define OF(op, a, b, t)                                                                            \
  "func @f() -> (" t ") {\n %0 = constant() {value = [" a "]} : " t                                \
  "\n %1 = constant() {value = [" b "]} : " t "\n %2 = " op "(%0, %1) : " t "\n return %2\n}"
#define KEPT(t) "func @f(%0: " t ") -> (" t ") {\n return %0\n}"
#define BECOMES(v, t)                                                                              \
  "func @f(%0: " t ") -> (" t ") {\n %1 = constant() {value = [" v "]} : " t "\n return %1\n}"
#define IS(v, t) LM_F0 ("constant() {value = [" v "]}", t)

static void
test_identities (void)
{
  const LmFoldCase cases[] = {
      {BESIDE ("add", "0", "i32[3]"), KEPT ("i32[3]")},
      {BESIDE ("add", "-0.0", "f32[3]"), KEPT ("f32[3]")},
      {BESIDE ("add", "0.0", "f32[3]"), NULL}, /* -0 + 0 is +0 */
      {BESIDE ("subtract", "0.0", "f32[3]"), KEPT ("f32[3]")},
      {BESIDE ("subtract", "-0.0", "f32[3]"), NULL},
      {BESIDE ("multiply", "1.0", "bf16[3]"), KEPT ("bf16[3]")},
      {BESIDE ("multiply", "0.0", "f32[3]"), NULL}, /* inf, NaN, -1 */
      {BESIDE ("multiply", "0", "i32[3]"), BECOMES ("0", "i32[3]")},
      {BESIDE ("divide", "1.0", "f64[3]"), KEPT ("f64[3]")},
      {BESIDE ("divide", "2.0", "f64[3]"), NULL},
      {BESIDE ("and", "0", "u8[3]"), BECOMES ("0", "u8[3]")},
      {BESIDE ("and", "255", "u8[3]"), KEPT ("u8[3]")},
      {BESIDE ("and", "-1", "i64[3]"), KEPT ("i64[3]")},
      {BESIDE ("and", "18446744073709551615", "u64[3]"), KEPT ("u64[3]")},
      {BESIDE ("and", "true", "bool[3]"), KEPT ("bool[3]")},
      {BESIDE ("or", "0", "u8[3]"), KEPT ("u8[3]")},
      {BESIDE ("or", "true", "bool[3]"), BECOMES ("true", "bool[3]")},
      {BESIDE ("xor", "0", "i8[3]"), KEPT ("i8[3]")},
      {BESIDE ("shift_left", "0", "i8[3]"), KEPT ("i8[3]")},
      {LM_F1 ("i32[2]", "subtract(%0, %0)", "i32[2]"),
       "func @f(%0: i32[2]) -> (i32[2]) {\n %1 = constant() {value = [0]} : i32[2]\n return %1\n}"},
      {LM_F1 ("f32[2]", "subtract(%0, %0)", "f32[2]"), NULL}, /* inf - inf */
      {LM_F1 ("f32[2]", "maximum(%0, %0)", "f32[2]"), KEPT ("f32[2]")},
      {LM_F1 ("f32[2]", "minimum(%0, %0)", "f32[2]"), KEPT ("f32[2]")},
      {LM_F1 ("i32[2]", "or(%0, %0)", "i32[2]"), KEPT ("i32[2]")},
  };
  lm_check_folds (cases, G_N_ELEMENTS (cases));
}

static void
test_constants (void)
{
  const LmFoldCase cases[] = {
      {OF ("add", "250, 1", "10, 2", "u8[2]"), IS ("4, 3", "u8[2]")},
      {OF ("add", "true, false", "false, false", "bool[2]"), IS ("true, false", "bool[2]")},
      {OF ("subtract", "1", "2", "u32[2]"), IS ("4294967295", "u32[2]")},
      {OF ("multiply", "-128", "-1", "i8[2]"), IS ("-128", "i8[2]")},
      {OF ("maximum", "-1, 5", "2, 3", "i8[2]"), IS ("2, 5", "i8[2]")},
      {OF ("maximum", "18446744073709551615", "2", "u64[2]"),
       IS ("18446744073709551615", "u64[2]")},
      {OF ("minimum", "-1, 5", "2, 3", "i8[2]"), IS ("-1, 3", "i8[2]")},
      {OF ("and", "12", "10", "i32[]"), IS ("8", "i32[]")},
      {OF ("or", "12", "10", "i32[]"), IS ("14", "i32[]")},
      {OF ("xor", "12", "10", "i32[]"), IS ("6", "i32[]")},
      {OF ("shift_left", "1, 1, 1", "3, 8, -1", "i8[3]"), IS ("8, 0, 0", "i8[3]")},
      {OF ("shift_right_logical", "-128, -128", "3, 8", "i8[2]"), IS ("16, 0", "i8[2]")},
      {OF ("shift_right_arithmetic", "-128, -128, 64", "3, 200, 9", "i16[3]"),
       IS ("-16, -1, 0", "i16[3]")},
      {OF ("shift_right_arithmetic", "128", "9", "u8[1]"), IS ("0", "u8[1]")},
      {OF ("add", "1.0", "2.0", "f32[]"), NULL}, /* floats are the backend's */
      {OF ("divide", "6", "2", "i32[]"), NULL},
  };
  lm_check_folds (cases, G_N_ELEMENTS (cases));
}

#define PAIR(op) LM_F2 ("f64[2,3]", "f64[2,3]", op "(%0, %1)", "f64[2,3]")

static void
test_grads (void)
{
  const LmGradCase cases[] = {
      {PAIR ("add"), 0, 0, true},
      {PAIR ("subtract"), 0, 0, true},
      {PAIR ("multiply"), 0, 0, true},
      {PAIR ("divide"), 0.5, 2, true},
      {PAIR ("divide"), -2, -0.5, true},
      {PAIR ("power"), 0.5, 2, true},
      {PAIR ("maximum"), 0, 0, true},
      {PAIR ("minimum"), 0, 0, true},
      {PAIR ("atan2"), 0.3, 2, true},
      {PAIR ("atan2"), -2, -0.3, true},
      {LM_F2 ("f64[]", "f64[]", "multiply(%0, %1)", "f64[]"), 0, 0, true},
      /* the same value twice: cotangents add up */
      {LM_F1 ("f64[3]", "multiply(%0, %0)", "f64[3]"), 0, 0, true},
      /* quotients 1.x to 3.x, away from whole ones: (a + 4) mod (b / 8 + 1.7) */
      {"func @f(%0: f64[3], %1: f64[3]) -> (f64[3]) {\n"
       " %2 = constant() {value = [5.0]} : f64[3]\n %3 = constant() {value = [0.05]} : f64[3]\n"
       " %4 = constant() {value = [1.43]} : f64[3]\n %5 = multiply(%0, %3) : f64[3]\n"
       " %6 = add(%5, %2) : f64[3]\n %7 = multiply(%1, %3) : f64[3]\n %8 = add(%7, %4) : f64[3]\n"
       " %9 = remainder(%6, %8) : f64[3]\n return %9\n}",
       0, 0, true},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/binary/types", test_types);
  g_test_add_func ("/op/binary/identities", test_identities);
  g_test_add_func ("/op/binary/constants", test_constants);
  g_test_add_func ("/op/binary/grads", test_grads);
  return g_test_run ();
}
