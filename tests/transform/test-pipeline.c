/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline: its stages in order, values unchanged to the bit on random functions, and its time
 * on 100,000 equations. */
#include "core/op/emit.h"
#include "core/transform/transform.h"
#include "lir.h"

static void
note (const char *stage, const LmFunction *f, gpointer user)
{
  g_string_append_printf (user, "%s %u\n", stage, f->ir.n_equations);
}

static void
test_stages (void)
{
  g_autoptr (LmFunction) f = lir_parse (
      "func @f(%0: i32[2]) -> (i32[2]) {\n"
      "  %1 = constant() {value = [0]} : i32[2]\n"
      "  %2 = add(%0, %1)\n" /* simplify: %0 */
      "  %3 = negate(%2)\n"
      "  %4 = negate(%0)\n" /* cse: %3 */
      "  %5 = composite(%3, %4) {name = \"t.f\"} (func @g(%0: i32[2], %1: i32[2]) -> (i32[2]) {\n"
      "    %2 = abs(%0)\n"
      "    %3 = abs(%1)\n" /* equal once inlined */
      "    %4 = subtract(%2, %3)\n"
      "    %5 = multiply(%4, %0)\n"
      "    return %5\n"
      "  })\n"
      "  return %5\n"
      "}");
  g_autoptr (GString) stages = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  LmClaims none = {0};
  g_autoptr (LmFunction) g = lir_sound (lm_pipeline (f, &none, note, stages, &error), &error);

  g_assert_cmpstr (stages->str, ==, "trace 5\nsimplify 4\ncse 3\ndce 2\nlegalize 5\nfinal 4\n");
  g_assert_cmpuint (lir_count (g, LAM_OP_abs), ==, 1);
}

/* --- random functions ----------------------------------------------------------------------------- */

static LmValue
random_value (const GArray *values)
{
  return g_array_index (values, LmValue, g_test_rand_int_range (0, (gint32)values->len));
}

/* One random equation over scalars. */
static LmValue
random_op (LmBuilder *b, const GArray *values, const LmFunction *region)
{
  static const int32_t ops[] = {
      LAM_OP_add,  LAM_OP_subtract, LAM_OP_multiply, LAM_OP_tanh,          LAM_OP_negate,
      LAM_OP_sine, LAM_OP_cosine,   LAM_OP_logistic, LAM_OP_stop_gradient, LAM_OP_composite};
  int32_t op = ops[g_test_rand_int_range (0, region != NULL ? 10 : 9)];
  LmValue operands[] = {random_value (values), random_value (values)};
  lam_attr name = lm_attr_str ("name", "t.random");
  lam_type scalar = lm_scalar_type (LAM_F64);

  if (g_test_rand_int_range (0, 8) == 0)
    return lm_splat (b, &scalar, g_test_rand_int_range (-2, 3) / 2.0);
  if (op == LAM_OP_composite)
    return lm_builder_op (b, &(LmOp) {.op = op,
                                      .operands = operands,
                                      .n_operands = 2,
                                      .attrs = &name,
                                      .n_attrs = 1,
                                      .regions = &region,
                                      .n_regions = 1});
  return lm_builder_op (b, &(LmOp) {.op = op,
                                    .operands = operands,
                                    .n_operands = (uint32_t)lm_op_info (op)->max_operands});
}

/* (f64[], f64[]) -> f64[] of n equations. */
static LmFunction *
random_function (guint n, const LmFunction *region)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (LmValue));
  lam_type scalar = lm_scalar_type (LAM_F64);
  LmBuilder *b = lm_builder_new (region != NULL ? "f" : "region");
  g_autoptr (GError) error = NULL;
  LmFunction *f;
  LmValue v;

  for (int i = 0; i < 2; i++) {
    v = lm_builder_param (b, &scalar);
    g_array_append_val (values, v);
  }
  for (guint i = 0; i < n; i++) {
    v = random_op (b, values, region);
    g_array_append_val (values, v);
  }
  v = lm_emit_unary (b, LAM_OP_tanh, v); /* bounded */
  f = lm_builder_finish (b, &v, 1, &error);
  g_assert_no_error (error);
  return f;
}

static bool
claims_all (void *ctx, const lam_function *f, const lam_equation *e)
{
  (void)ctx;
  (void)f;
  (void)e;
  return true;
}

/* The passes change no bit of function and gradient. (Decomposed rows may: claims keep them.) */
static void
test_random (void)
{
  LmClaims keen = {.ir_minor = LAM_IR_MINOR, .claims = claims_all};
  const bool wanted[] = {true, true};
  const double x[] = {0.6, -1.3};

  for (int i = 0; i < 200; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LmFunction) region = random_function (5, NULL);
    g_autoptr (LmFunction) f = random_function (50, region);
    g_autoptr (LmFunction) g = lir_sound (lm_value_and_grad (f, 0, wanted, &error), &error);
    g_autoptr (LmFunction) h = lir_sound (lm_pipeline (g, &keen, NULL, NULL, &error), &error);
    g_autofree char *text = lm_text_print (h);
    g_autoptr (LmFunction) again = lir_parse (text);
    double before[3], after[3], parsed[3];
    lir_eval (g, x, before);
    lir_eval (h, x, after);
    lir_eval (again, x, parsed);
    g_assert_cmpmem (before, sizeof before, after, sizeof after);
    g_assert_cmpmem (before, sizeof before, parsed, sizeof parsed);
  }
}

/* --- scale ------------------------------------------------------------------------------------------ */

/* 100,000 equations in 2,500 layers. */
static LmFunction *
deep_function (void)
{
  lam_type t = lm_type (LAM_F32, 2, (int64_t[]) {32, 64});
  LmBuilder *b = lm_builder_new ("deep");
  g_autoptr (GError) error = NULL;
  LmValue h = lm_builder_param (b, &t), w = lm_builder_param (b, &t); /* (32, 64) */
  LmFunction *f;

  for (int i = 0; i < 25000; i++) {
    g_autofree char *path = g_strdup_printf ("lm.stack.layer_%04d", i / 10);
    lm_builder_set_path (b, path);
    h = lm_add (b, lm_mul (b, h, w), lm_splat (b, &t, i));
    h = lm_emit_unary (b, LAM_OP_tanh, h);
  }
  h = lm_reduce_all (b, h, "add");
  f = lm_builder_finish (b, &h, 1, &error);
  g_assert_no_error (error);
  return f;
}

/* From trace to plan in 2 s (DESIGN section 4); measured 0.5 s here on an idle core. The bound only
 * tells a quadratic pass, which takes minutes, from a loaded machine. */
static void
test_scale (void)
{
  LmClaims none = {0};
  const bool wanted[] = {true, true};
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();
  g_autoptr (LmFunction) f = deep_function ();
  g_autoptr (LmFunction) g = lir_sound (lm_value_and_grad (f, 0, wanted, &error), &error);
  g_autoptr (LmFunction) h = lir_sound (lm_pipeline (g, &none, NULL, NULL, &error), &error);
  double seconds = (double)(g_get_monotonic_time () - start) / 1e6;

  g_assert_cmpuint (f->ir.n_equations, >, 100000);
  g_assert_cmpuint (h->ir.n_equations, >, 100000);
  g_test_message ("%u equations: %.2f s", g->ir.n_equations, seconds);
  g_assert_cmpfloat (seconds, <, 20);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transform/pipeline/stages", test_stages);
  g_test_add_func ("/transform/pipeline/random", test_random);
  g_test_add_func ("/transform/pipeline/scale", test_scale);
  return g_test_run ();
}
