/* SPDX-License-Identifier: Apache-2.0 */
/* The short text of cases. */
#include "core/conformance/cases.h"
#include "tests/lib/fixture.h"

#include <string.h>

static void
test_one (void)
{
  LmParsedCase c;
  g_assert_true (lm_case_parse ("gather", "$[5,3] ?[7]@5",
                                "%2 = gather(%0, %1) {offset_dims = [1], collapsed_slice_dims = "
                                "[0], start_index_map = [0], index_vector_dim = 1, slice_sizes = "
                                "[1, 3]}\n",
                                "bf16", "u8", &c, NULL));
  g_autofree char *text = lm_text_print (c.f);
  g_assert_nonnull (strstr (text, "func @gather(%0: bf16[5,3], %1: u8[7]) -> (bf16[7,3])"));
  g_assert_cmpint (c.bounds[0], ==, 0);
  g_assert_cmpint (c.bounds[1], ==, 5);
  lm_parsed_case_clear (&c);
}

/* What no equation uses is a result, also the second of an equation. */
static void
test_results (void)
{
  LmParsedCase c;
  g_assert_true (lm_case_parse ("f", "$[4] $[4]",
                                "%2 = maximum(%0, %1)\n%3, %4 = top_k(%2) {k = 2}\n"
                                "%5 = reverse(%2) {dimensions = [0]}\n",
                                "i16", NULL, &c, NULL));
  g_autofree char *text = lm_text_print (c.f);
  g_assert_nonnull (strstr (text, "-> (i16[2], i32[2], i16[4])"));
  lm_parsed_case_clear (&c);
}

static void
test_whole (void)
{
  LmParsedCase c;
  g_assert_true (lm_case_parse ("f", NULL, "func @g(%0: $[2]) -> ($[2]) {\nreturn %0\n}\n", "f64",
                                NULL, &c, NULL));
  g_assert_cmpstr (c.f->ir.name, ==, "g");
  lm_parsed_case_clear (&c);
}

static void
test_refused (void)
{
  LmParsedCase c;
  g_autoptr (GError) error = NULL;
  g_assert_false (lm_case_parse ("f", "$[4]", "%1 = exponential(%0)\n", "i32", NULL, &c, &error));
  g_assert_null (c.f);
  lm_test_assert_error (&error, LM_ERROR_INVALID, "exponential", "i32[4]", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conformance/parse/one", test_one);
  g_test_add_func ("/conformance/parse/results", test_results);
  g_test_add_func ("/conformance/parse/whole", test_whole);
  g_test_add_func ("/conformance/parse/refused", test_refused);
  return g_test_run ();
}
