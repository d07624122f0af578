/* SPDX-License-Identifier: Apache-2.0 */
/* Denormals are kept, on every backend, by every thread: elementwise ops against long double formulas, sums
 * and products against integer arithmetic times the least denormal. */
#include "core/conformance/cases.h"
#include "tests/lib/fixture.h"

#include <math.h>
#include <string.h>

static const struct {
  const char *name;
  lam_dtype dtype;
  double least;
} dtypes[] = {{"f64", LAM_F64, 0x1p-1074},
              {"f32", LAM_F32, 0x1p-149},
              {"f16", LAM_F16, 0x1p-24},
              {"bf16", LAM_BF16, 0x1p-133}};

/* Enough for every thread to have a part. */
#define MANY 40000

static const struct {
  const char *name;
  int threads;
} backends[] = {{"reference", 0}, {"cpu", 1}, {"cpu", 4}};

static LmBackend *
open_backend (LmRegistry *registry, guint i)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonObject) options = json_object_new ();
  if (backends[i].threads > 0)
    json_object_set_int_member (options, "threads", backends[i].threads);
  LmBackend *backend = lm_backend_open (registry, backends[i].name, options, &error);
  g_assert_no_error (error);
  return backend;
}

typedef struct Case {
  const char *op, *params, *equations;
  guint backend, dtype;
} Case;

/* Runs on x and on what else there is; the one result. */
static LmArray *
run (LmBackend *backend, const Case *c, LmArray *const *in)
{
  g_autoptr (GError) error = NULL;
  LmParsedCase parsed;
  LmArray *out = NULL;
  lm_case_parse (c->op, c->params, c->equations, dtypes[c->dtype].name, "f64", &parsed, &error);
  g_assert_no_error (error);
  lm_test_run (backend, parsed.f, in, &out);
  lm_parsed_case_clear (&parsed);
  return out;
}

/* --- elementwise ------------------------------------------------------------------------------------ */

typedef long double real;

static real
same (real x)
{
  return x;
}

static real
opposite (real x)
{
  return -x;
}

static real
from_zero (real x) /* 0 - 0 is 0, not -0 */
{
  return 0 - x;
}

static real
twice (real x)
{
  return 2 * x;
}

static real
half (real x)
{
  return x / 2;
}

static real
sign (real x)
{
  return x > 0 ? 1 : x < 0 ? -1 : x;
}

static real
erf_of (real x) /* the next term is below x^3 */
{
  return x * 2 / sqrtl (3.14159265358979323846264338327950288L);
}

static real
erf_inv_of (real x)
{
  return x / 2 * sqrtl (3.14159265358979323846264338327950288L);
}

static real
rsqrt_of (real x)
{
  return 1 / sqrtl (x);
}

static real
least_above (real x) /* maximum with 0 */
{
  return x > 0 ? x : 0;
}

/* x are denormals, of both signs if `negative`; what = the op over %0, or over it and a constant. */
static const struct {
  const char *op, *arguments, *constant;
  real (*formula) (real x);
  bool negative;
} rows[] = {
    {"negate", "%0", NULL, opposite, true},
    {"abs", "%0", NULL, fabsl, true},
    {"sign", "%0", NULL, sign, true},
    {"floor", "%0", NULL, floorl, true},
    {"ceil", "%0", NULL, ceill, true},
    {"round_nearest_even", "%0", NULL, rintl, true},
    {"sqrt", "%0", NULL, sqrtl, false},
    {"rsqrt", "%0", NULL, rsqrt_of, false},
    {"cbrt", "%0", NULL, cbrtl, true},
    {"log", "%0", NULL, logl, false},
    {"log_plus_one", "%0", NULL, same, true},
    {"exponential", "%0", NULL, expl, true},
    {"exponential_minus_one", "%0", NULL, same, true},
    {"sine", "%0", NULL, same, true},
    {"cosine", "%0", NULL, cosl, true},
    {"tan", "%0", NULL, same, true},
    {"tanh", "%0", NULL, same, true},
    {"erf", "%0", NULL, erf_of, true},
    {"erf_inv", "%0", NULL, erf_inv_of, true},
    {"add", "%0, %0", NULL, twice, true},
    {"subtract", "%c, %0", "0.0", from_zero, true},
    {"multiply", "%0, %c", "2.0", twice, true},
    {"multiply", "%0, %c", "0.5", half, true},
    {"divide", "%0, %c", "0.5", twice, true},
    {"divide", "%0, %c", "2.0", half, true},
    {"remainder", "%0, %c", "1.0", same, true},
    {"power", "%0, %c", "1.0", same, false},
    {"atan2", "%0, %c", "1.0", same, true},
    {"maximum", "%0, %c", "0.0", least_above, true},
    {"minimum", "%0, %c", "1.0", same, true},
    {"clamp", "%n, %0, %c", "1.0", same, true},
};

static LmArray *
new_array (const lam_type *type)
{
  g_autoptr (GError) error = NULL;
  LmArray *a = lm_array_new (type, &error);
  g_assert_no_error (error);
  return a;
}

/* %c and %n (its negation) are constants. */
static char *
equation (guint row)
{
  g_autofree char *type = g_strdup_printf ("$[%d]", MANY);
  const char *value = rows[row].constant != NULL ? rows[row].constant : "0.0";
  return g_strdup_printf ("%%c = constant() {value = [%s]} : %s\n"
                          "%%n = constant() {value = [-%s]} : %s\n%%y = %s(%s)\n",
                          value, type, value, type, rows[row].op, rows[row].arguments);
}

static void
check_row (LmBackend *backend, guint which, guint row, guint d)
{
  lam_type type = lm_type (dtypes[d].dtype, 1, (int64_t[]) {MANY});
  LmArray *x = new_array (&type), *want = new_array (&type);
  g_autofree char *text = equation (row), *message = NULL;
  g_autofree char *whole =
      g_strdup_printf ("func @f(%%0: %s[%d]) -> (%s[%d]) {\n%s\nreturn %%y\n}\n", dtypes[d].name,
                       MANY, dtypes[d].name, MANY, text);
  const Case c = {rows[row].op, NULL, whole, which, d};
  for (int64_t i = 0; i < MANY; i++) {
    real units = (real)(rows[row].negative ? i % 251 - 125 : i % 125 + 1);
    lm_array_set_double (x, i, (double)(units * (real)dtypes[d].least));
    lm_array_set_double (want, i, (double)rows[row].formula (units * (real)dtypes[d].least));
  }
  LmArray *got = run (backend, &c, &x);
  LmComparison compare = {.rule = lm_rule_of (rows[row].op), .accumulator = LAM_F32};
  compare.allow = lm_rule_allow (compare.rule, NULL);
  if (!lm_case_compare (&compare, got, want, &message))
    g_test_fail_printf ("%s, %d threads, %s in %s: %s", backends[which].name,
                        backends[which].threads, rows[row].op, dtypes[d].name, message);
  lm_array_unref (x);
  lm_array_unref (got);
  lm_array_unref (want);
}

static void
test_elementwise (void)
{
  LmRegistry *registry = lm_test_registry ();
  for (guint b = 0; b < G_N_ELEMENTS (backends); b++) {
    g_autoptr (LmBackend) backend = open_backend (registry, b);
    for (guint row = 0; row < G_N_ELEMENTS (rows); row++)
      for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
        check_row (backend, b, row, d);
  }
  lm_registry_free (registry);
}

/* --- results that are denormal, of operands that are not --------------------------------------------- */

/* e^-t in the middle of each dtype's denormals. */
static void
test_exponential (void)
{
  static const double at[] = {-740, -100, -14, -90};
  LmRegistry *registry = lm_test_registry ();
  for (guint b = 0; b < G_N_ELEMENTS (backends); b++) {
    g_autoptr (LmBackend) backend = open_backend (registry, b);
    for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++) {
      lam_type type = lm_type (dtypes[d].dtype, 1, (int64_t[]) {1});
      const Case c = {"exponential", "$[1]", "%1 = exponential(%0)\n", b, d};
      g_autoptr (LmArray) x = lm_test_array (&type, &at[d]);
      g_autoptr (LmArray) y = run (backend, &c, &x);
      double units = lm_array_get_double (y, 0) / dtypes[d].least;
      double want = (double)(expl ((real)at[d]) / (real)dtypes[d].least);
      g_assert_cmpfloat (want, >, 1);
      g_assert_cmpfloat (fabs (units - want), <=, 1);
    }
  }
  lm_registry_free (registry);
}

/* --- sums and moves ------------------------------------------------------------------------------------- */

/* Parameter 0 holds -1, 0 and 1 times the least denormal, the others -1, 0 and 1: every order of a sum is
 * exact, so that the result is that of the integers times the least denormal. */
static const struct {
  const char *op, *params, *equations;
} sums[] = {
    {"dot_general", "$[7,100] $[100,5]",
     "%2 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
     "[0]}\n"},
    {"dot_general", "$[100] $[100]",
     "%2 = dot_general(%0, %1) {lhs_contracting_dimensions = [0], rhs_contracting_dimensions = "
     "[0]}\n"},
    {"dot_general", "$[1,90] $[90,200]",
     "%2 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
     "[0]}\n"},
    {"dot_general", "$[200,120] $[160,120]", /* to a BLAS where there is one */
     "%2 = dot_general(%0, %1) {lhs_contracting_dimensions = [1], rhs_contracting_dimensions = "
     "[1]}\n"},
    {"dot_general", "$[3,40,50] $[3,50,40]",
     "%2 = dot_general(%0, %1) {lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
     "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]}\n"},
    {"convolution", "$[2,9,9,3] $[3,3,3,5]",
     "%2 = convolution(%0, %1) {lhs_spec = [0, 3, 1, 2], rhs_spec = [3, 2, 0, 1], "
     "out_spec = [0, 3, 1, 2], padding = [1, 1, 1, 1]}\n"},
    {"convolution", "$[8,20,20,8] $[3,3,8,16]",
     "%2 = convolution(%0, %1) {lhs_spec = [0, 3, 1, 2], rhs_spec = [3, 2, 0, 1], "
     "out_spec = [0, 3, 1, 2]}\n"},
    {"convolution", "$[2,9,4] $[3,1,8]",
     "%2 = convolution(%0, %1) {lhs_spec = [0, 2, 1], rhs_spec = [2, 1, 0], out_spec = [0, 2, 1], "
     "feature_group_count = 4, rhs_dilation = [2], lhs_dilation = [2]}\n"},
    {"reduce", "$[100]", "%1 = reduce(%0) {computation = \"add\", dimensions = [0]}\n"},
    {"reduce", "$[500,100]", "%1 = reduce(%0) {computation = \"add\", dimensions = [1]}\n"},
    {"reduce", "$[100,500]", "%1 = reduce(%0) {computation = \"add\", dimensions = [0]}\n"},
    {"reduce", "$[500,100]", "%1 = reduce(%0) {computation = \"maximum\", dimensions = [1]}\n"},
    {"reduce", "$[100,500]", "%1 = reduce(%0) {computation = \"minimum\", dimensions = [0]}\n"},
    {"reduce_window", "$[60,60]",
     "%1 = reduce_window(%0) {computation = \"add\", window_dimensions = [3, 5], padding = [1, 1, "
     "2, "
     "2]}\n"},
    {"reduce_window", "$[60,60]",
     "%1 = reduce_window(%0) {computation = \"maximum\", window_dimensions = [3, 5]}\n"},
    {"cumsum", "$[300,60]", "%1 = cumsum(%0) {dimension = 1}\n"},
    {"scatter", "$[60]", /* all updates meet in element 7 */
     "%i = constant() {value = [7]} : i32[60]\n%1 = reverse(%0) {dimensions = [0]}\n"
     "%2 = scatter(%1, %i, %0) {inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
     "index_vector_dim = 1, computation = \"add\"}\n"},
    {"sort", "$[40,30]", "%1 = sort(%0) {dimension = 1}\n"},
    {"select", "$[1000]",
     "%1 = reverse(%0) {dimensions = [0]}\n%2 = compare(%0, %1) {comparison_direction = \"GT\"}\n"
     "%3 = select(%2, %0, %1)\n"},
};

static int64_t
number (guint param, int64_t i)
{
  return (i * 7 + i / 5 + (int64_t)param * 3) % 3 - 1;
}

/* Parameter k of f: whole numbers, in parameter 0 times a unit. */
static LmArray *
numbers (const LmFunction *f, uint32_t k, double unit)
{
  const lam_type *type = lm_param_type (f, k);
  int64_t n = lam_type_elements (type);
  g_autofree double *values = g_new (double, (gsize)n + 1);
  for (int64_t i = 0; i < n; i++)
    values[i] = (double)number (k, i) * (k == 0 ? unit : 1);
  return lm_test_array (type, values);
}

static LmArray *
run_sum (LmBackend *backend, guint row, const char *dtype, double unit)
{
  g_autoptr (GError) error = NULL;
  LmParsedCase c;
  LmArray *in[2] = {NULL}, *out = NULL;
  lm_case_parse (sums[row].op, sums[row].params, sums[row].equations, dtype, dtype, &c, &error);
  g_assert_no_error (error);
  for (uint32_t k = 0; k < c.f->ir.n_params; k++)
    in[k] = numbers (c.f, k, unit);
  lm_test_run (backend, c.f, in, &out);
  for (uint32_t k = 0; k < c.f->ir.n_params; k++)
    lm_array_unref (in[k]);
  lm_parsed_case_clear (&c);
  return out;
}

static void
check_sum (LmBackend *backend, guint which, guint row, const LmArray *whole)
{
  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++) {
    g_autoptr (LmArray) got = run_sum (backend, row, dtypes[d].name, dtypes[d].least);
    g_assert_cmpint (got->type.dtype, ==, dtypes[d].dtype);
    for (int64_t i = 0; i < lam_type_elements (&got->type); i++) {
      double want = (double)lm_array_get_int (whole, i) * dtypes[d].least;
      if (lm_array_get_double (got, i) == want)
        continue;
      g_test_fail_printf ("%s, %d threads, case %u of %s in %s: element %d is %g, wanted %g",
                          backends[which].name, backends[which].threads, row, sums[row].op,
                          dtypes[d].name, (int)i, lm_array_get_double (got, i), want);
      break;
    }
  }
}

static void
test_sums (void)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (LmBackend) reference = lm_test_backend (registry, "reference");
  for (guint b = 0; b < G_N_ELEMENTS (backends); b++) {
    g_autoptr (LmBackend) backend = open_backend (registry, b);
    for (guint row = 0; row < G_N_ELEMENTS (sums); row++) {
      g_autoptr (LmArray) whole = run_sum (reference, row, "i64", 1);
      check_sum (backend, b, row, whole);
    }
  }
  g_clear_pointer (&reference, lm_backend_unref); /* before the registry */
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/backends/denormals/elementwise", test_elementwise);
  g_test_add_func ("/backends/denormals/exponential", test_exponential);
  g_test_add_func ("/backends/denormals/sums", test_sums);
  return g_test_run ();
}
