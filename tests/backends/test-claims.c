/* SPDX-License-Identifier: Apache-2.0 */
/* What backends claim: a composite run whole by one and inlined by another, and a row newer than a
 * backend's IR minor, give equal results. */
#include "tests/lib/fixture.h"

#include <math.h>
#include <string.h>

static LmRegistry *
registry_with_strangers (void)
{
  LmRegistry *registry = lm_test_registry ();
  const char *dir = g_getenv ("LAMINA_STRANGER_DIR");
  g_assert_nonnull (dir);
  static const char *const files[] = {"backend_gelu.so", "backend_plain.so"};
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *path = g_build_filename (dir, files[i], NULL);
    lm_registry_add_file (registry, path, NULL, &error);
    g_assert_no_error (error);
  }
  return registry;
}

#define GELU(T)                                                                                    \
  "func @f(%0: " T ") -> (" T ") {\n"                                                              \
  "  %1 = composite(%0) {name = \"test.gelu\", version = 1} (func @gelu(%0: " T ") -> (" T ") {\n" \
  "    %1 = constant() {value = [0.70710678118654752]} : " T "\n"                                  \
  "    %2 = multiply(%0, %1) : " T "\n"                                                            \
  "    %3 = erf(%2) : " T "\n"                                                                     \
  "    %4 = constant() {value = [1.0]} : " T "\n"                                                  \
  "    %5 = add(%3, %4) : " T "\n"                                                                 \
  "    %6 = constant() {value = [0.5]} : " T "\n"                                                  \
  "    %7 = multiply(%0, %6) : " T "\n"                                                            \
  "    %8 = multiply(%7, %5) : " T "\n"                                                            \
  "    return %8\n"                                                                                \
  "  }) : " T "\n"                                                                                 \
  "  return %1\n"                                                                                  \
  "}\n"

/* Runs f over one input; says whether the compiled function still names `word`. */
static LmArray *
run_on (LmRegistry *registry, const char *name, const LmFunction *f, LmArray *x, const char *word,
        bool *out_has)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmBackend) backend = lm_test_backend (registry, name);
  g_autoptr (LmExecutable) exe = lm_compile (backend, f, NULL, &error);
  LmArray *y = NULL;
  g_assert_no_error (error);
  g_autofree char *text = lm_text_print (lm_executable_function (exe));
  *out_has = strstr (text, word) != NULL;
  lm_execute_arrays (exe, &x, &y, &error);
  g_assert_no_error (error);
  return y;
}

/* Both against the formula in double: f64 within rounding of three operations, f32 as well. */
static void
check_gelu (const char *text, lam_dtype dtype, double tolerance)
{
  static const double values[] = {-6, -2.5, -1, -0.125, 0, 0.125, 1, 2.5};
  LmRegistry *registry = registry_with_strangers ();
  g_autoptr (LmFunction) f = lm_test_parse (text);
  lam_type type = lm_type (dtype, 1, (int64_t[]) {8});
  g_autoptr (LmArray) x = lm_test_array (&type, values);
  static const char *const names[] = {"gelu", "plain", "reference"};
  for (guint b = 0; b < G_N_ELEMENTS (names); b++) {
    bool whole;
    g_autoptr (LmArray) y = run_on (registry, names[b], f, x, "composite", &whole);
    g_assert_true (whole == (strcmp (names[b], "gelu") == 0));
    for (int64_t i = 0; i < 8; i++) {
      double v = values[i], wanted = 0.5 * v * (1 + erf (v * M_SQRT1_2));
      g_assert_cmpfloat_with_epsilon (lm_array_get_double (y, i), wanted, tolerance);
    }
  }
  lm_registry_free (registry);
}

static void
test_composite (void)
{
  check_gelu (GELU ("f64[8]"), LAM_F64, 4e-16);
  check_gelu (GELU ("f32[8]"), LAM_F32, 4e-7);
}

/* logistic came with minor 1: a backend of minor 0 gets other rows. */
static void
test_newer_row (void)
{
  static const double values[] = {-700, -30, -1, 0, 0.5, 30, 700};
  LmRegistry *registry = registry_with_strangers ();
  g_autoptr (LmFunction) f = lm_test_parse ("func @f(%0: f64[7]) -> (f64[7]) {\n"
                                            "  %1 = logistic(%0) : f64[7]\n  return %1\n}\n");
  lam_type type = lm_type (LAM_F64, 1, (int64_t[]) {7});
  g_autoptr (LmArray) x = lm_test_array (&type, values);
  bool on_reference, on_plain;
  g_autoptr (LmArray) a = run_on (registry, "reference", f, x, "logistic", &on_reference);
  g_autoptr (LmArray) b = run_on (registry, "plain", f, x, "logistic", &on_plain);
  g_assert_true (on_reference);
  g_assert_false (on_plain);
  for (int64_t i = 0; i < 7; i++) {
    double wanted = 1 / (1 + exp (-values[i]));
    g_assert_cmpfloat_with_epsilon (lm_array_get_double (a, i), wanted, 3e-16);
    g_assert_cmpfloat_with_epsilon (lm_array_get_double (b, i), wanted, 3e-16);
  }
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/backends/claims/composite", test_composite);
  g_test_add_func ("/backends/claims/newer_row", test_newer_row);
  return g_test_run ();
}
