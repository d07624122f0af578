/* SPDX-License-Identifier: Apache-2.0 */
/* The backend cpu against reference: every elementwise op, conversion, reduction, window, contraction,
 * convolution and index op over shapes and dtypes, with inputs from a seeded generator; on one thread and
 * on three, which must give equal bits. */
#include "tests/lib/fixture.h"
#include "tests/lib/golden.h"

#include <math.h>
#include <string.h>

typedef struct Fixture {
  LmRegistry *registry;
  LmBackend *reference, *one, *three; /* cpu with that many threads */
  GRand *rand;
  guint ran;
} Fixture;

/* How far a result may be from reference's. Sums differ by the order of rounding: they are measured
 * against the largest element of the result, and the difference grows like a random walk with the
 * number of terms. */
typedef struct Tolerance {
  double ulps; /* of the element */
  double sum;  /* of the largest element, in units of its dtype's epsilon, for a short sum */
} Tolerance;

static const Tolerance exact = {0, 0};
static const Tolerance sums = {1, 64};

/* How the two backends of cpu under test are opened. */
typedef struct Options {
  const char *one, *three;
} Options;

static const Options best = {"{\"threads\": 1}", "{\"threads\": 3}"};
static const Options own = {"{\"threads\": 1, \"openblas\": false}",
                            "{\"threads\": 3, \"openblas\": false}"};
static const Options baseline = {"{\"threads\": 1, \"isa\": \"baseline\"}",
                                 "{\"threads\": 3, \"isa\": \"baseline\"}"};
static const Options avx2 = {"{\"threads\": 1, \"isa\": \"avx2\"}",
                             "{\"threads\": 3, \"isa\": \"avx2\"}"};

/* NULL: this processor lacks the instruction set. */
static LmBackend *
open_cpu (LmRegistry *registry, const char *text)
{
  g_autoptr (JsonObject) options = lm_test_json (text);
  g_autoptr (GError) error = NULL;
  LmBackend *backend = lm_backend_open (registry, "cpu", options, &error);
  if (backend == NULL)
    g_assert_nonnull (strstr (error->message, "option isa"));
  return backend;
}

static void
setup (Fixture *x, gconstpointer data)
{
  const Options *options = data;
  x->registry = lm_test_registry ();
  x->reference = lm_test_backend (x->registry, "reference");
  x->one = open_cpu (x->registry, options->one);
  x->three = open_cpu (x->registry, options->three);
  x->rand = g_rand_new_with_seed (20261201);
}

static void
teardown (Fixture *x, gconstpointer data)
{
  lm_backend_unref (x->reference);
  g_clear_pointer (&x->one, lm_backend_unref);
  g_clear_pointer (&x->three, lm_backend_unref);
  lm_registry_free (x->registry);
  g_rand_free (x->rand);
}

/* --- inputs ---------------------------------------------------------------------------------- */

static double
draw (GRand *rand, lam_dtype dtype, bool special)
{
  static const double specials[] = {0.0,      -0.0, 1.0,       -1.0, 0.5,    -0.5, 1e-30, -1e-41,
                                    INFINITY, NAN,  -INFINITY, 89.0, -104.0, 1e30, 3.0,   2.5};
  if (dtype == LAM_PRED)
    return g_rand_boolean (rand);
  if (lam_dtype_is_unsigned (dtype))
    return g_rand_int_range (rand, 0, 9);
  if (!lam_dtype_is_float (dtype))
    return g_rand_int_range (rand, -6, 7);
  if (special && g_rand_int_range (rand, 0, 4) == 0)
    return specials[g_rand_int_range (rand, 0, G_N_ELEMENTS (specials))];
  return g_rand_double_range (rand, -3, 3);
}

static LmArray *
random_array (Fixture *x, const lam_type *type, bool special)
{
  int64_t n = lam_type_elements (type);
  g_autofree double *values = g_new (double, n + 1);
  for (int64_t i = 0; i < n; i++)
    values[i] = draw (x->rand, type->dtype, special);
  return lm_test_array (type, values);
}

/* --- comparison ------------------------------------------------------------------------------ */

static double
epsilon (lam_dtype dtype)
{
  return dtype == LAM_F64   ? 0x1p-52
         : dtype == LAM_F32 ? 0x1p-23
         : dtype == LAM_F16 ? 0x1p-10
                            : 0x1p-7;
}

static double
largest (const LmArray *a)
{
  double most = 0;
  for (int64_t i = 0; i < lam_type_elements (&a->type); i++) {
    double v = fabs (lm_golden_value (a->type.dtype, a->data, i));
    most = isfinite (v) && v > most ? v : most;
  }
  return most;
}

static void
compare (const char *text, const LmArray *got, const LmArray *want, const Tolerance *tolerance,
         int64_t terms)
{
  lam_dtype dtype = want->type.dtype;
  g_assert_cmpint (got->bytes, ==, want->bytes);
  if (!lam_dtype_is_float (dtype)) {
    if (memcmp (got->data, want->data, (size_t)want->bytes) != 0)
      g_test_fail_printf ("integers differ from reference:\n%s", text);
    return;
  }
  double walk = tolerance->sum > 0 ? tolerance->sum + 2 * sqrt ((double)terms) : 0;
  double allowed = walk * epsilon (dtype) * largest (want);
  for (int64_t i = 0; i < lam_type_elements (&want->type); i++) {
    double a = lm_golden_value (dtype, got->data, i), b = lm_golden_value (dtype, want->data, i);
    if (lm_golden_ulps (dtype, got->data, want->data, i) <= tolerance->ulps
        || fabs (a - b) <= allowed)
      continue;
    g_test_fail_printf ("element %" G_GINT64_FORMAT " is %.17g, reference has %.17g:\n%s", i, a, b,
                        text);
    return;
  }
}

/* Runs on all three; false when the text is not a function (a dtype that the op does not take). */
static bool
run_text (Fixture *x, const char *text, bool special, const Tolerance *tolerance)
{
  g_autoptr (LmFunction) f = lm_text_parse (text, strlen (text), "case", NULL);
  if (f == NULL)
    return false;
  LmArray *in[8], *want[4], *one[4], *three[4];
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    in[i] = random_array (x, lm_param_type (f, i), special);
  lm_test_run (x->reference, f, in, want);
  lm_test_run (x->one, f, in, one);
  lm_test_run (x->three, f, in, three);
  for (uint32_t i = 0; i < f->ir.n_results; i++) {
    int64_t terms = lam_type_elements (lm_param_type (f, 0));
    compare (text, one[i], want[i], tolerance, terms / (lam_type_elements (&want[i]->type) + 1));
    if (memcmp (one[i]->data, three[i]->data, (size_t)one[i]->bytes) != 0)
      g_test_fail_printf ("bits depend on the number of threads:\n%s", text);
    lm_array_unref (want[i]);
    lm_array_unref (one[i]);
    lm_array_unref (three[i]);
  }
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    lm_array_unref (in[i]);
  x->ran++;
  return true;
}

static const char *const dtypes[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "i16",
                                     "i8",  "u64", "u32", "u16",  "u8",  "bool"};

/* Replaces every "$" of a template by a dtype. */
static bool
run_template (Fixture *x, const char *template, const char *dtype, bool special,
              const Tolerance *tolerance)
{
  g_auto (GStrv) pieces = g_strsplit (template, "$", -1);
  g_autofree char *text = g_strjoinv (dtype, pieces);
  return run_text (x, text, special, tolerance);
}

/* --- elementwise ----------------------------------------------------------------------------- */

/* f32: own polynomials (see vecmath.h) against libm; f16, bf16: rounded once by both. */
static Tolerance
elementwise_tolerance (const char *dtype)
{
  return (Tolerance) {strcmp (dtype, "f32") == 0 ? 3 : strcmp (dtype, "f64") == 0 ? 4 : 1, 0};
}

static void
run_elementwise (Fixture *x, const LmOpInfo *info, const char *dtype, const char *dims)
{
  static const char *const directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  bool compares = info->number == LAM_OP_compare, selects = info->number == LAM_OP_select;
  bool bools = compares || info->number == LAM_OP_is_finite;
  Tolerance tolerance = elementwise_tolerance (dtype);
  for (guint d = 0; d < (compares ? G_N_ELEMENTS (directions) : 1); d++) {
    g_autoptr (GString) text = g_string_new ("func @f(");
    for (int32_t k = 0; k < info->min_operands; k++)
      g_string_append_printf (text, "%s%%%d: %s%s", k > 0 ? ", " : "", k,
                              selects && k == 0 ? "bool" : dtype, dims);
    g_string_append_printf (text, ") -> (%s%s) {\n  %%9 = %s(%%0", bools ? "bool" : dtype, dims,
                            info->name);
    for (int32_t k = 1; k < info->min_operands; k++)
      g_string_append_printf (text, ", %%%d", k);
    g_string_append_c (text, ')');
    if (compares)
      g_string_append_printf (text, " {comparison_direction = \"%s\"}", directions[d]);
    g_string_append (text, "\n  return %9\n}\n");
    run_text (x, text->str, true, &tolerance);
  }
}

static void
test_elementwise (Fixture *x, gconstpointer data)
{
  static const char *const dims[] = {"[]", "[0]", "[1]", "[7]", "[1031]", "[3,70001]"};
  guint n;
  const LmOpInfo *table = lm_op_table (&n);
  for (guint i = 0; i < n; i++)
    for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
      for (guint s = 0; s < G_N_ELEMENTS (dims); s++)
        if (table[i].op_class == LM_CLASS_ELEMENTWISE && (s < 5 || t == 1))
          run_elementwise (x, &table[i], dtypes[t], dims[s]);
  g_assert_cmpuint (x->ran, >, 1200);
}

static void
test_convert (Fixture *x, gconstpointer data)
{
  for (guint a = 0; a < G_N_ELEMENTS (dtypes); a++)
    for (guint b = 0; b < G_N_ELEMENTS (dtypes); b++) {
      g_autofree char *text =
          g_strdup_printf ("func @f(%%0: %s[5,211]) -> (%s[5,211]) {\n"
                           "  %%1 = convert(%%0) : %s[5,211]\n  return %%1\n}\n",
                           dtypes[a], dtypes[b], dtypes[b]);
      run_text (x, text, true, &exact);
    }
  g_assert_cmpuint (x->ran, ==, 169);
}

/* --- tables of functions --------------------------------------------------------------------- */

#include "tests/backends/cases.h"
#include "tests/backends/cases_contract.h"

static void
test_views (Fixture *x, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (view_cases); i++)
    for (guint t = 0; t < G_N_ELEMENTS (dtypes) - 1; t++)
      g_assert_true (run_template (x, view_cases[i], dtypes[t], true, &exact));
}

static void
test_reduce (Fixture *x, gconstpointer data)
{
  static const char *const computations[] = {"add", "multiply", "maximum", "minimum", "and", "or"};
  for (guint i = 0; i < G_N_ELEMENTS (reduce_cases); i++)
    for (guint c = 0; c < G_N_ELEMENTS (computations); c++)
      for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++) {
        bool many = strstr (reduce_cases[i], "500]") != NULL || strstr (reduce_cases[i], "150000");
        if (c == 1 && many) /* overflows on the way or not, by the order of the factors */
          continue;
        g_auto (GStrv) pieces = g_strsplit (reduce_cases[i], "@op", -1);
        g_autofree char *text = g_strjoinv (computations[c], pieces);
        run_template (x, text, dtypes[t], c >= 2, c >= 2 ? &exact : &sums);
      }
  g_assert_cmpuint (x->ran, >, 500);
}

static void
test_window (Fixture *x, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (window_cases); i++)
    for (guint t = 0; t < G_N_ELEMENTS (dtypes) - 1; t++)
      g_assert_true (run_template (x, window_cases[i], dtypes[t], false, &sums));
}

static void
test_contract (Fixture *x, gconstpointer data)
{
  static const char *const numbers[] = {"f64", "f32", "f16", "bf16", "i32", "u8"};
  for (guint i = 0; i < G_N_ELEMENTS (contract_cases); i++)
    for (guint t = 0; t < G_N_ELEMENTS (numbers); t++)
      g_assert_true (run_template (x, contract_cases[i], numbers[t], false, &sums));
}

static void
test_index (Fixture *x, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (index_cases); i++)
    for (guint t = 0; t < G_N_ELEMENTS (dtypes) - 1; t++)
      g_assert_true (run_template (x, index_cases[i], dtypes[t], false, &sums));
}

/* --- donation -------------------------------------------------------------------------------- */

static void
check_step (LmBackend *backend, const LmFunction *f, const lam_alias *aliases, uint32_t n)
{
  LmCompileArgs args = {.aliases = aliases, .n_aliases = n};
  g_autoptr (GError) error = NULL;
  g_autoptr (LmExecutable) exe = lm_compile (backend, f, &args, &error);
  g_assert_no_error (error);
  LmBuffer *in[3], *out[3];
  for (uint32_t i = 0; i < 3; i++) {
    g_autoptr (LmArray) array =
        lm_test_array (lm_param_type (f, i), (double[]) {i + 1.0, 10.0 * i, -2.0, 0.5 * i});
    in[i] = lm_buffer_new_from_array (backend, array, &error);
  }
  for (uint32_t o = 0; o < 3; o++)
    out[o] = in[aliases[o].input];
  for (int step = 0; step < 3; step++)
    g_assert_true (lm_execute (exe, in, out, &error));
  /* the same by hand, three times */
  double v[3][4] = {{1, 0, -2, 0}, {2, 10, -2, 0.5}, {3, 20, -2, 1}};
  for (int step = 0; step < 3; step++)
    for (int k = 0; k < 4; k++) {
      double a = v[0][k], b = v[1][k], c = v[2][k], s = a + b;
      v[0][k] = s * c;
      v[1][k] = c;
      v[2][k] = s - v[2][k];
    }
  for (int i = 0; i < 3; i++) {
    g_autoptr (LmArray) got = lm_buffer_read (in[i], &error);
    for (int k = 0; k < 4; k++)
      g_assert_cmpfloat (lm_array_get_double (got, k), ==, v[i][k]);
    lm_buffer_free (in[i]);
  }
}

/* Every result overwrites an input that other equations still read: sums, a swap, the same again. */
static void
test_donation (Fixture *x, gconstpointer data)
{
  g_autoptr (LmFunction) f =
      lm_test_parse ("func @f(%0: f64[4], %1: f64[4], %2: f64[4]) -> (f64[4], f64[4], f64[4]) {\n"
                     "  %3 = add(%0, %1) : f64[4]\n"
                     "  %4 = multiply(%3, %2) : f64[4]\n"
                     "  %5 = subtract(%3, %2) : f64[4]\n"
                     "  return %4, %2, %5\n}\n");
  static const lam_alias straight[] = {{0, 0}, {1, 1}, {2, 2}};
  check_step (x->reference, f, straight, 3);
  check_step (x->one, f, straight, 3);
  check_step (x->three, f, straight, 3);
}

/* A parameter and a constant as results, and one value given out twice. */
static void
test_outputs (Fixture *x, gconstpointer data)
{
  g_assert_true (run_text (x,
                           "func @f(%0: f32[3,5]) -> (f32[3,5], f32[5,3], f32[2,3], f32[5,3]) {\n"
                           "  %1 = transpose(%0) {permutation = [1, 0]} : f32[5,3]\n"
                           "  %2 = constant() {value = [1.5]} : f32[2,3]\n"
                           "  return %0, %1, %2, %1\n}\n",
                           true, &exact));
}

/* A build of the loops and kernels other than the best. */
static void
test_build (Fixture *x, gconstpointer data)
{
  if (x->one == NULL) {
    g_test_skip ("not on this processor");
    return;
  }
  test_elementwise (x, data);
  test_contract (x, data);
  x->ran = 0;
  test_reduce (x, data);
}

#define ADD(name, options, fn)                                                                     \
  g_test_add ("/backends/cpu/" name, Fixture, options, setup, fn, teardown)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("elementwise", &best, test_elementwise);
  ADD ("convert", &best, test_convert);
  ADD ("views", &best, test_views);
  ADD ("reduce", &best, test_reduce);
  ADD ("window", &best, test_window);
  ADD ("contract", &best, test_contract);
  ADD ("contract/own", &own, test_contract);
  ADD ("index", &best, test_index);
  ADD ("donation", &best, test_donation);
  ADD ("outputs", &best, test_outputs);
  ADD ("baseline", &baseline, test_build);
  ADD ("avx2", &avx2, test_build);
  return g_test_run ();
}
