/* SPDX-License-Identifier: Apache-2.0 */
/* The backend cpu against reference for the ops that slice at run time, add up along an axis, sort and
 * choose: equal bits, whatever the number of threads. "$" in a text stands for a dtype. */
#include "tests/lib/fixture.h"
#include "tests/lib/golden.h"

#include <math.h>
#include <string.h>

typedef struct Fixture {
  LmRegistry *registry;
  LmBackend *backend[3]; /* reference; cpu on one thread and on three */
  GRand *rand;
} Fixture;

static void
setup (Fixture *x, gconstpointer data)
{
  static const char *const options[] = {"{\"threads\": 1}", "{\"threads\": 3}"};
  x->registry = lm_test_registry ();
  x->backend[0] = lm_test_backend (x->registry, "reference");
  for (int i = 0; i < 2; i++) {
    g_autoptr (JsonObject) json = lm_test_json (options[i]);
    g_autoptr (GError) error = NULL;
    x->backend[1 + i] = lm_backend_open (x->registry, "cpu", json, &error);
    g_assert_no_error (error);
  }
  x->rand = g_rand_new_with_seed (20261201);
}

static void
teardown (Fixture *x, gconstpointer data)
{
  for (int i = 0; i < 3; i++)
    lm_backend_unref (x->backend[i]);
  lm_registry_free (x->registry);
  g_rand_free (x->rand);
}

/* Few different values, so that ties are many; now and then a special one. */
static double
draw (GRand *rand, lam_dtype dtype)
{
  static const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN, 1e-40, -6e-8, 0.1};
  if (dtype == LAM_PRED)
    return g_rand_boolean (rand);
  if (!lam_dtype_is_float (dtype))
    return g_rand_int_range (rand, lam_dtype_is_unsigned (dtype) ? 0 : -20, 21);
  if (g_rand_int_range (rand, 0, 8) == 0)
    return specials[g_rand_int_range (rand, 0, G_N_ELEMENTS (specials))];
  return g_rand_int_range (rand, -40, 41) * 0.3;
}

static LmArray *
random_array (Fixture *x, const lam_type *type)
{
  int64_t n = lam_type_elements (type);
  g_autofree double *values = g_new (double, (gsize)n + 1);
  for (int64_t i = 0; i < n; i++)
    values[i] = draw (x->rand, type->dtype);
  return lm_test_array (type, values);
}

/* Equal bits; a NaN made by arithmetic may be any NaN. */
static void
compare (const char *text, const LmArray *got, const LmArray *want)
{
  lam_dtype dtype = want->type.dtype;
  gsize width = lam_dtype_bits (dtype) / 8;
  g_assert_cmpint (got->bytes, ==, want->bytes);
  for (int64_t i = 0; i < lam_type_elements (&want->type); i++) {
    double a = lm_golden_value (dtype, got->data, i), b = lm_golden_value (dtype, want->data, i);
    bool nan = isnan (a) && isnan (b);
    if (nan || memcmp ((char *)got->data + i * width, (char *)want->data + i * width, width) == 0)
      continue;
    g_error ("element %" G_GINT64_FORMAT " is %.17g, reference has %.17g:\n%s", i, a, b, text);
  }
}

static void
run_text (Fixture *x, const char *text)
{
  g_autoptr (LmFunction) f = lm_test_parse (text);
  LmArray *in[8], *out[3][4];
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    in[i] = random_array (x, lm_param_type (f, i));
  for (int b = 0; b < 3; b++)
    lm_test_run (x->backend[b], f, in, out[b]);
  for (uint32_t r = 0; r < f->ir.n_results; r++) {
    compare (text, out[1][r], out[0][r]);
    g_assert_cmpmem (out[1][r]->data, out[1][r]->bytes, out[2][r]->data, out[2][r]->bytes);
    for (int b = 0; b < 3; b++)
      lm_array_unref (out[b][r]);
  }
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    lm_array_unref (in[i]);
}

/* Every text with every dtype, several draws each. */
static void
run_all (Fixture *x, const char *const *texts, guint n, const char *const *dtypes)
{
  for (guint i = 0; i < n; i++)
    for (guint t = 0; dtypes[t] != NULL; t++) {
      g_auto (GStrv) pieces = g_strsplit (texts[i], "$", -1);
      g_autofree char *text = g_strjoinv (dtypes[t], pieces);
      for (int draws = 0; draws < 5; draws++)
        run_text (x, text);
    }
}

static const char *const every[] = {"f64", "f32", "f16", "bf16", "i64", "i32",  "i16",
                                    "i8",  "u64", "u32", "u16",  "u8",  "bool", NULL};

static const char *const numbers[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "i16",
                                      "i8",  "u64", "u32", "u16",  "u8",  NULL};

/* --- dynamic slices ---------------------------------------------------------------------------- */

static void
test_dynamic (Fixture *x, gconstpointer data)
{
  static const char *const texts[] = {
      "func @f(%0: $[7,9], %1: i32[], %2: i32[]) -> ($[3,4]) {\n"
      "  %3 = dynamic_slice(%0, %1, %2) {slice_sizes = [3, 4]}\n  return %3\n}\n",
      "func @f(%0: $[9,7], %1: i8[], %2: i8[]) -> ($[7,2]) {\n"
      "  %3 = transpose(%0) {permutation = [1, 0]}\n"
      "  %4 = dynamic_slice(%3, %1, %2) {slice_sizes = [7, 2]}\n  return %4\n}\n",
      "func @f(%0: $[300,700], %1: u64[], %2: u64[]) -> ($[299,690]) {\n"
      "  %3 = dynamic_slice(%0, %1, %2) {slice_sizes = [299, 690]}\n  return %3\n}\n",
      "func @f(%0: $[5], %1: i32[]) -> ($[0]) {\n"
      "  %2 = dynamic_slice(%0, %1) {slice_sizes = [0]}\n  return %2\n}\n",
      /* the operand is a parameter, a dying temporary, read again later, a view, a splat */
      "func @f(%0: $[7,9], %1: $[2,9], %2: i32[], %3: i32[]) -> ($[7,9]) {\n"
      "  %4 = dynamic_update_slice(%0, %1, %2, %3)\n  return %4\n}\n",
      "func @f(%0: $[7,9], %1: $[2,8], %2: i32[], %3: i32[]) -> ($[7,9]) {\n"
      "  %4 = maximum(%0, %0)\n  %5 = dynamic_update_slice(%4, %1, %2, %3)\n"
      "  %6 = dynamic_update_slice(%5, %1, %3, %2)\n  return %6\n}\n",
      "func @f(%0: $[7,9], %1: $[2,8], %2: i16[], %3: i16[]) -> ($[7,9], $[7,9]) {\n"
      "  %4 = maximum(%0, %0)\n  %5 = dynamic_update_slice(%4, %1, %2, %3)\n"
      "  %6 = minimum(%4, %5)\n  return %5, %6\n}\n",
      "func @f(%0: $[7,7], %1: i32[], %2: i32[]) -> ($[7,7]) {\n"
      "  %3 = maximum(%0, %0)\n  %4 = transpose(%3) {permutation = [1, 0]}\n"
      "  %5 = slice(%3) {start_indices = [1, 1], limit_indices = [5, 4]}\n"
      "  %6 = dynamic_update_slice(%4, %5, %1, %2)\n  return %6\n}\n",
      "func @f(%0: $[], %1: $[3], %2: i32[]) -> ($[11]) {\n"
      "  %3 = broadcast_in_dim(%0) {broadcast_dimensions = []} : $[11]\n"
      "  %4 = dynamic_update_slice(%3, %1, %2)\n  return %4\n}\n",
      "func @f(%0: $[11], %1: $[11], %2: i32[]) -> ($[11]) {\n"
      "  %3 = dynamic_update_slice(%0, %1, %2)\n  return %3\n}\n",
  };
  run_all (x, texts, G_N_ELEMENTS (texts), every);
}

/* A donated cache is updated where it stands, three times. */
static void
test_cache (Fixture *x, gconstpointer data)
{
  static const lam_alias in_place[] = {{0, 0}};
  g_autoptr (LmFunction) f =
      lm_test_parse ("func @f(%0: f32[6,2], %1: f32[1,2], %2: i32[], %3: i32[]) -> (f32[6,2]) {\n"
                     "  %4 = dynamic_update_slice(%0, %1, %2, %3)\n  return %4\n}\n");
  LmCompileArgs args = {.aliases = in_place, .n_aliases = 1};
  for (int b = 0; b < 3; b++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LmExecutable) exe = lm_compile (x->backend[b], f, &args, &error);
    g_assert_no_error (error);
    g_autoptr (LmArray) cache = lm_test_array (lm_param_type (f, 0), (double[12]) {0});
    LmBuffer *in[4] = {lm_buffer_new_from_array (x->backend[b], cache, &error)};
    for (int step = 0; step < 3; step++) {
      double row[] = {step + 1, 10 * step}, at[] = {2 * step}, zero[] = {0};
      const double *values[] = {NULL, row, at, zero};
      for (int i = 1; i < 4; i++) {
        g_autoptr (LmArray) a = lm_test_array (lm_param_type (f, (uint32_t)i), values[i]);
        in[i] = lm_buffer_new_from_array (x->backend[b], a, &error);
      }
      g_assert_true (lm_execute (exe, in, (LmBuffer *[]) {in[0]}, &error));
      for (int i = 1; i < 4; i++)
        lm_buffer_free (in[i]);
    }
    g_autoptr (LmArray) got = lm_buffer_read (in[0], &error);
    const double wanted[] = {1, 0, 0, 0, 2, 10, 0, 0, 3, 20, 0, 0};
    for (int i = 0; i < 12; i++)
      g_assert_cmpfloat (lm_array_get_double (got, i), ==, wanted[i]);
    lm_buffer_free (in[0]);
  }
}

/* --- sort, top_k ------------------------------------------------------------------------------- */

static void
test_sort (Fixture *x, gconstpointer data)
{
  static const char *const shapes[][3] = {
      {"1", "0", "1"},    {"0", "0", "1"},      {"0,3", "0", "1"},  {"3,0", "0", "2"},
      {"39", "0", "1"},   {"41", "0", "1"},     {"41", "0", "2"},   {"3000", "0", "1"},
      {"3000", "0", "2"}, {"9,70,5", "1", "2"}, {"70,9", "0", "1"}, {"700,30", "1", "2"}};
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    const char *dims = shapes[i][0];
    g_autofree char *text = g_strdup_printf (
        "func @f(%%0: $[%s], %%1: i8[%s], %%2: $[%s]) -> ($[%s], i8[%s], $[%s], $[%s]) {\n"
        "  %%3 = reverse(%%2) {dimensions = [0]}\n"
        "  %%4, %%5, %%6 = sort(%%0, %%1, %%3) {dimension = %s, num_keys = %s, is_stable = 1}\n"
        "  %%7 = sort(%%3) {dimension = %s}\n"
        "  return %%4, %%5, %%6, %%7\n}\n",
        dims, dims, dims, dims, dims, dims, dims, shapes[i][1], shapes[i][2], shapes[i][1]);
    run_all (x, (const char *const[]) {text}, 1, every);
  }
}

static void
test_top_k (Fixture *x, gconstpointer data)
{
  static const struct {
    const char *outer, *comma, *last;
    int k;
  } cases[] = {{"", "", "1", 1},      {"", "", "5", 0},      {"0", ",", "5", 2},
               {"", "", "900", 1},    {"", "", "900", 64},   {"", "", "900", 65},
               {"", "", "900", 900},  {"5,3", ",", "30", 7}, {"300", ",", "50", 3},
               {"7", ",", "300", 200}};
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *outer = cases[i].outer, *comma = cases[i].comma;
    int k = cases[i].k;
    g_autofree char *text =
        g_strdup_printf ("func @f(%%0: $[%s%s%s]) -> ($[%s%s%d], i32[%s%s%d]) {\n"
                         "  %%2, %%3 = top_k(%%0) {k = %d}\n  return %%2, %%3\n}\n",
                         outer, comma, cases[i].last, outer, comma, k, outer, comma, k, k);
    run_all (x, (const char *const[]) {text}, 1, numbers);
  }
}

/* --- cumsum, reduce_precision ------------------------------------------------------------------- */

static void
test_cumsum (Fixture *x, gconstpointer data)
{
  static const char *const shapes[][3] = {
      {"1", "0", "0"},        {"0", "0", "0"},       {"0,3", "0", "0"},     {"3,0", "0", "0"},
      {"1000", "0", "0"},     {"7,5", "0", "1"},     {"7,5", "1", "0"},     {"3,1,300", "1", "2"},
      {"2,90,300", "1", "1"}, {"70,3,50", "0", "2"}, {"40,2,600", "2", "0"}};
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (int flags = 0; flags < 4; flags++) {
      g_autofree char *text = g_strdup_printf (
          "func @f(%%0: $[%s]) -> ($[%s], $[%s]) {\n  %%1 = maximum(%%0, %%0)\n"
          "  %%2 = cumsum(%%1) {dimension = %s, reverse = %d, exclusive = %d}\n"
          "  %%3 = reverse(%%0) {dimensions = [%s]}\n  %%4 = cumsum(%%3) {dimension = %s}\n"
          "  return %%2, %%4\n}\n",
          shapes[i][0], shapes[i][0], shapes[i][0], shapes[i][1], flags & 1, flags >> 1,
          shapes[i][2], shapes[i][1]);
      run_all (x, (const char *const[]) {text}, 1, numbers);
    }
}

static void
test_precision (Fixture *x, gconstpointer data)
{
  static const char *const floats[] = {"f64", "f32", "f16", "bf16", NULL};
  static const int formats[][2] = {{5, 10}, {8, 7}, {4, 3}, {5, 2},  {8, 23}, {11, 52}, {1, 0},
                                   {8, 0},  {2, 5}, {5, 0}, {3, 60}, {70, 1}, {11, 3},  {5, 23}};
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autofree char *text = g_strdup_printf (
        "func @f(%%0: $[5000]) -> ($[5000]) {\n"
        "  %%1 = reduce_precision(%%0) {exponent_bits = %d, mantissa_bits = %d}\n  return %%1\n}\n",
        formats[i][0], formats[i][1]);
    run_all (x, (const char *const[]) {text}, 1, floats);
  }
}

#define ADD(name, fn) g_test_add ("/backends/cpu/order/" name, Fixture, NULL, setup, fn, teardown)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("dynamic", test_dynamic);
  ADD ("cache", test_cache);
  ADD ("sort", test_sort);
  ADD ("top_k", test_top_k);
  ADD ("cumsum", test_cumsum);
  ADD ("precision", test_precision);
  return g_test_run ();
}
