/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/replica.c: all_reduce all_gather axis_index. Values on several replicas are those of
 * tests/backends/test-collective.c. */
#include "core/transform/transform.h"
#include "tests/lib/batchcheck.h"
#include "tests/lib/fixture.h"
#include "tests/lib/opcheck.h"

#define SUM(x)       "all_reduce(" x ") {computation = \"add\"}"
#define GATHER(d, n) "all_gather(%0) {all_gather_dimension = " d ", replica_count = " n "}"

static void
test_types (void)
{
  const LmTypeCase cases[] = {
      {LM_F1 ("f32[5,3]", SUM ("%0"), "f32[5,3]"), NULL},
      {LM_F1 ("i8[]", "all_reduce(%0) {computation = \"minimum\"}", "i8[]"), NULL},
      {"func @f(%0: f32[2], %1: bf16[0,3]) -> (f32[2], bf16[0,3]) {\n"
       " %2, %3 = all_reduce(%0, %1) {computation = \"maximum\"}\n return %2, %3\n}\n",
       NULL},
      {LM_F1 ("bool[2]", SUM ("%0"), "bool[2]"), "operand 0 is bool[2], wanted numbers"},
      {LM_F1 ("f32[2]", "all_reduce(%0) {computation = \"multiply\"}", "f32[2]"), "\"multiply\""},
      {LM_F1 ("f32[2]", "all_reduce(%0)", "f32[2]"), "\"computation\""},
      {LM_F0 ("all_reduce() {computation = \"add\"}", "f32[]"), "operand"},
      {LM_F1 ("f32[5,3]", GATHER ("1", "4"), "f32[5,12]"), NULL},
      {LM_F1 ("bool[5]", GATHER ("0", "1"), "bool[5]"), NULL},
      {LM_F1 ("f32[5,3]", GATHER ("2", "4"), "f32[5,3]"),
       "all_gather_dimension is 2, wanted 0 to 1"},
      {LM_F1 ("f32[5,3]", GATHER ("-1", "4"), "f32[5,3]"), "all_gather_dimension is -1"},
      {LM_F1 ("f32[]", GATHER ("0", "4"), "f32[4]"), "operand 0 is f32[], wanted an axis"},
      {LM_F1 ("f32[5]", GATHER ("0", "0"), "f32[0]"), "replica_count is 0, wanted 1 or more"},
      {LM_F1 ("f32[5]", GATHER ("0", "4611686018427387904"), "f32[0]"), "too many elements"},
      {LM_F0 ("axis_index()", "u32[]"), NULL},
      {LM_F1 ("u32[]", "axis_index(%0)", "u32[]"), "axis_index"},
  };
  lm_check_types (cases, G_N_ELEMENTS (cases));
}

/* The gradient with respect to all parameters prints as wanted. */
static void
check_vjp (const char *text, guint n_params, guint n_results, const char *wanted)
{
  static const bool yes[4] = {true, true, true, true};
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f = lm_test_parse (text);
  g_assert_cmpuint (f->ir.n_params, ==, n_params);
  g_assert_cmpuint (f->ir.n_results, ==, n_results);
  g_autoptr (LmFunction) raw = lm_vjp (f, yes, yes, &error);
  g_assert_no_error (error);
  g_autoptr (LmFunction) folded = lm_simplify (raw, &error);
  g_autoptr (LmFunction) vjp = lm_dce (folded, &error);
  g_assert_no_error (error);
  g_autoptr (LmFunction) expected = lm_test_parse (wanted);
  g_autofree char *a = lm_text_print (vjp), *b = lm_text_print (expected);
  g_assert_cmpstr (strchr (a, '('), ==, strchr (b, '('));
}

/* A sum's cotangents are summed, all in one message. */
static void
test_sum_vjp (void)
{
  check_vjp (
      "func @f(%0: f32[2], %1: f64[3]) -> (f32[2], f64[3]) {\n"
      " %2, %3 = " SUM ("%0, %1") "\n return %2, %3\n}\n",
      2, 2,
      "func @f(%0: f32[2], %1: f64[3], %2: f32[2], %3: f64[3]) -> "
      "(f32[2], f64[3], f32[2], f64[3]) {\n"
      " %4, %5 = " SUM ("%0, %1") "\n %6, %7 = " SUM ("%2, %3") "\n"
                                                                " return %4, %5, %6, %7\n}\n");
}

/* Those that win share: on this replica the sum of all cotangents over the number of winners. */
static void
test_maximum_vjp (void)
{
  check_vjp (LM_F1 ("f64[2]", "all_reduce(%0) {computation = \"maximum\"}", "f64[2]"), 1, 1,
             "func @f(%0: f64[2], %1: f64[2]) -> (f64[2], f64[2]) {\n"
             " %2 = all_reduce(%0) {computation = \"maximum\"}\n"
             " %3 = compare(%0, %2) {comparison_direction = \"EQ\"}\n"
             " %4 = convert(%3) : f64[2]\n"
             " %5, %6 = " SUM ("%1, %4") "\n"
                                         " %7 = multiply(%5, %4)\n %8 = divide(%7, %6)\n"
                                         " return %2, %8\n}\n");
}

/* Of the summed cotangent, this replica's part. */
static void
test_gather_vjp (void)
{
  check_vjp (LM_F1 ("f32[5,3]", GATHER ("1", "4"), "f32[5,12]"), 1, 1,
             "func @f(%0: f32[5,3], %1: f32[5,12]) -> (f32[5,12], f32[5,3]) {\n"
             " %2 = " GATHER ("1", "4") "\n %3 = " SUM (
                 "%1") "\n"
                       " %4 = constant() {value = [0]} : u32[]\n"
                       " %5 = constant() {value = [3]} : u32[]\n %6 = axis_index()\n"
                       " %7 = multiply(%5, %6)\n"
                       " %8 = dynamic_slice(%3, %4, %7) {slice_sizes = [5, 3]}\n"
                       " return %2, %8\n}\n");
}

/* Integers have no gradient. */
static void
test_no_gradient (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f = lm_test_parse (LM_F1 ("i32[2]", SUM ("%0"), "i32[2]"));
  g_assert_null (lm_vjp (f, (bool[]) {true}, (bool[]) {true}, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "i32[2]", NULL);
}

static const char *const rows[] = {
    LM_F1 ("f64[3]", SUM ("%0"), "f64[3]"),
    LM_F1 ("f64[2,3]", "all_reduce(%0) {computation = \"minimum\"}", "f64[2,3]"),
    "func @f(%0: f64[2], %1: f64[]) -> (f64[2], f64[]) {\n %2, %3 = " SUM (
        "%0, %1") "\n return %2, %3\n}\n",
    LM_F1 ("f64[2,3]", GATHER ("1", "1"), "f64[2,3]"),
    "func @f(%0: f64[3]) -> (f64[3]) {\n %1 = axis_index()\n %2 = convert(%1) : f64[]\n"
    " %3 = broadcast_in_dim(%2) {broadcast_dimensions = []} : f64[3]\n %4 = add(%0, %3)\n"
    " return %4\n}\n",
};

static void
test_batch (void)
{
  static const double values[] = {0.5, -1.25, 2, 3.5, -0.75, 1.125};
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_check_backend (registry);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (LmFunction) f = lm_test_parse (rows[i]);
    LmArray *in[2];
    for (uint32_t k = 0; k < f->ir.n_params; k++)
      in[k] = lm_test_array (lm_param_type (f, k), values);
    LmBatchCheck check = {rows[i], backend, f, in, 0};
    lm_check_batch (&check);
    lm_check_batch_grad (&check);
    for (uint32_t k = 0; k < f->ir.n_params; k++)
      lm_array_unref (in[k]);
  }
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* With more replicas than there are here only the text can be looked at: the axis moves on. */
static void
test_batch_text (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f = lm_test_parse (LM_F1 ("f32[5,3]", GATHER ("0", "4"), "f32[20,3]"));
  g_autoptr (LmFunction) all = lm_vmap (f, (int32_t[]) {0}, (int32_t[]) {0}, 7, &error);
  g_assert_no_error (error);
  g_autoptr (LmFunction) expected = lm_test_parse (LM_F1 (
      "f32[7,5,3]", "all_gather(%0) {all_gather_dimension = 1, replica_count = 4}", "f32[7,20,3]"));
  g_autofree char *a = lm_text_print (all), *b = lm_text_print (expected);
  g_assert_cmpstr (strchr (a, '('), ==, strchr (b, '('));
}

static bool
claim_nothing (void *ctx, const lam_function *f, const lam_equation *e)
{
  return false;
}

static bool
claim_everything (void *ctx, const lam_function *f, const lam_equation *e)
{
  return true;
}

/* There is nothing to make them from: a backend claims them, or cannot run a function with them. */
static void
test_no_decomposition (void)
{
  static const char *const ops[] = {LM_F1 ("f32[2]", SUM ("%0"), "f32[2]"),
                                    LM_F1 ("f32[2]", GATHER ("0", "2"), "f32[4]"),
                                    LM_F0 ("axis_index()", "u32[]")};
  static const char *const names[] = {"all_reduce", "all_gather", "axis_index"};
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++) {
    LmClaims claims = {.ir_minor = 2, .claims = claim_everything};
    g_autoptr (GError) error = NULL;
    g_autoptr (LmFunction) f = lm_test_parse (ops[i]);
    g_assert_false (lm_op_has_flag (lm_op_info_by_name (names[i]), 'M'));
    g_autoptr (LmFunction) same = lm_legalize (f, &claims, NULL, &error);
    g_assert_no_error (error);
    g_autofree char *a = lm_text_print (f), *b = lm_text_print (same);
    g_assert_cmpstr (a, ==, b);
    claims.ir_minor = 1; /* older than the row */
    g_assert_null (lm_legalize (f, &claims, NULL, &error));
    lm_test_assert_error (&error, LM_ERROR_UNSUPPORTED, names[i], NULL);
    claims = (LmClaims) {.ir_minor = 2, .claims = claim_nothing};
    g_assert_null (lm_legalize (f, &claims, NULL, &error));
    lm_test_assert_error (&error, LM_ERROR_UNSUPPORTED, names[i], NULL);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/replica/types", test_types);
  g_test_add_func ("/op/replica/sum_vjp", test_sum_vjp);
  g_test_add_func ("/op/replica/maximum_vjp", test_maximum_vjp);
  g_test_add_func ("/op/replica/gather_vjp", test_gather_vjp);
  g_test_add_func ("/op/replica/no_gradient", test_no_gradient);
  g_test_add_func ("/op/replica/batch", test_batch);
  g_test_add_func ("/op/replica/batch_text", test_batch_text);
  g_test_add_func ("/op/replica/no_decomposition", test_no_decomposition);
  return g_test_run ();
}
