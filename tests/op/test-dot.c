/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/dot.c: dot_general. */
#include "core/transform/transform.h"
#include "tests/lib/fixture.h"
#include "tests/lib/opcheck.h"

#include <string.h>

#define DOT(lb, rb, lc, rc, more)                                                                  \
  "dot_general(%0, %1) {lhs_batching_dimensions = [" lb "], rhs_batching_dimensions = [" rb        \
  "], lhs_contracting_dimensions = [" lc "], rhs_contracting_dimensions = [" rc "]" more "}"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F2 ("f32[2,3]", "f32[3,4]", DOT ("", "", "1", "0", ""), "f32[2,4]"), NULL},
      {LM_F2 ("f32[5,2,3]", "f32[3,5,4]", DOT ("0", "1", "2", "0", ""), "f32[5,2,4]"), NULL},
      {LM_F2 ("f32[2]", "f32[3]", DOT ("", "", "", "", ""), "f32[2,3]"), NULL},
      {LM_F2 ("bf16[2,3]", "bf16[3,4]", DOT ("", "", "1", "0", ", out_dtype = f32"), "f32[2,4]"),
       NULL},
      {LM_F2 ("i8[3]", "i8[3]", DOT ("", "", "0", "0", ", out_dtype = i32"), "i32[]"), NULL},
      {LM_F2 ("f32[2,3]", "f32[4,3]", DOT ("", "", "1", "0", ""), "f32[2,3]"),
       "operand 1 is f32[4,3], wanted size 3 at axis 0 (axis 1 of operand 0)"},
      {LM_F2 ("f32[2,3]", "f64[3,4]", DOT ("", "", "1", "0", ""), "f32[2,4]"), "wanted dtype f32"},
      {LM_F2 ("f32[2,3]", "f32[3,4]", DOT ("", "", "1, 0", "0", ""), "f32[]"), "wanted as many"},
      {LM_F2 ("f32[2,3]", "f32[3,4]", DOT ("", "", "2", "0", ""), "f32[]"),
       "lhs_contracting_dimensions[0] is 2"},
      {LM_F2 ("f32[2,3]", "f32[2,4]", DOT ("0", "0", "0", "0", ""), "f32[]"), "name the same axis"},
      {LM_F2 ("f32[2,3]", "f32[3,4]", DOT ("", "", "1", "0", ", out_dtype = i32"), "i32[2,4]"),
       "out_dtype is i32, wanted a float"},
      {LM_F2 ("bool[3]", "bool[3]", DOT ("", "", "0", "0", ""), "bool[]"), "wanted numbers"},
      {LM_F2 ("f32[1,1,1,1,1]", "f32[1,1,1,1]", DOT ("", "", "", "", ""), "f32[]"), "rank 9"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

static void
test_grads (void)
{
  const LmGradCase cases[] = {
      {LM_F2 ("f64[2,3]", "f64[3,4]", DOT ("", "", "1", "0", ""), "f64[2,4]"), 0, 0, true},
      {LM_F2 ("f64[3]", "f64[3]", DOT ("", "", "0", "0", ""), "f64[]"), 0, 0, true},
      {LM_F2 ("f64[2]", "f64[3]", DOT ("", "", "", "", ""), "f64[2,3]"), 0, 0, true},
      {LM_F2 ("f64[2,2,3]", "f64[3,2,2]", DOT ("0", "1", "2", "0", ""), "f64[2,2,2]"), 0, 0, true},
      {LM_F2 ("f64[2,3,4]", "f64[4,2,3]", DOT ("0", "1", "1, 2", "2, 0", ""), "f64[2]"), 0, 0,
       true},
      {LM_F2 ("f64[3,2,2]", "f64[2,3,2]", DOT ("1, 2", "0, 2", "0", "1", ""), "f64[2,2]"), 0, 0,
       true},
      {LM_F2 ("f64[2,0]", "f64[0,3]", DOT ("", "", "1", "0", ""), "f64[2,3]"), 0, 0, false},
  };
  lm_check_grads (cases, G_N_ELEMENTS (cases));
}

/* bf16 operands, f32 result: the cotangent keeps its f32 until the one rounding. 257 is no bf16. */
static void
test_wide_cotangent (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f = lm_test_parse (
      LM_F2 ("bf16[1]", "bf16[1]", DOT ("", "", "0", "0", ", out_dtype = f32"), "f32[]"));
  bool both[] = {true, true};
  g_autoptr (LmFunction) vjp = lm_vjp (f, both, both, &error);
  g_assert_no_error (error);
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_check_backend (registry);
  g_autoptr (LmArray) x = lm_test_array (lm_param_type (f, 0), (double[]) {1});
  g_autoptr (LmArray) y = lm_test_array (lm_param_type (f, 1), (double[]) {2});
  g_autoptr (LmArray) ct = lm_test_array (lm_result_type (f, 0), (double[]) {257});
  LmArray *in[] = {x, y, ct}, *out[3];
  lm_test_run (backend, vjp, in, out);
  g_assert_cmpfloat (lm_array_get_double (out[1], 0), ==, 512); /* 514 rounded to bf16: even */
  g_assert_cmpfloat (lm_array_get_double (out[2], 0), ==, 256); /* 257 rounded once */
  for (int i = 0; i < 3; i++)
    lm_array_unref (out[i]);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* The gradient of a weight, and of what it multiplies, comes in its own layout. */
static void
test_no_transpose (void)
{
  static const char *const products[] = {
      LM_F2 ("f64[2,3]", "f64[3,4]", DOT ("", "", "1", "0", ""), "f64[2,4]"),
      LM_F2 ("f64[5,2,3]", "f64[3,4]", DOT ("", "", "2", "0", ""), "f64[5,2,4]"),
      LM_F2 ("f64[5,2,3]", "f64[5,3,4]", DOT ("0", "0", "2", "1", ""), "f64[5,2,4]"),
      LM_F2 ("f64[2,3]", "f64[4,3]", DOT ("", "", "1", "1", ""), "f64[2,4]"),
      LM_F2 ("f64[3,2]", "f64[3,4]", DOT ("", "", "0", "0", ""), "f64[2,4]"),
  };
  for (guint i = 0; i < G_N_ELEMENTS (products); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LmFunction) f = lm_test_parse (products[i]);
    bool both[] = {true, true};
    g_autoptr (LmFunction) vjp = lm_vjp (f, both, both, &error);
    g_assert_no_error (error);
    g_autofree char *text = lm_text_print (vjp);
    g_assert_null (strstr (text, "transpose"));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/dot/types", test_types);
  g_test_add_func ("/op/dot/grads", test_grads);
  g_test_add_func ("/op/dot/wide-cotangent", test_wide_cotangent);
  g_test_add_func ("/op/dot/no-transpose", test_no_transpose);
  return g_test_run ();
}
