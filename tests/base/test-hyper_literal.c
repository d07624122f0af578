/* SPDX-License-Identifier: Apache-2.0 */
/* Python literals: what is read comes out again by repr; what is wrong is said. */
#include "core/base/hyper_text.h"

#include <string.h>

static void
test_read (void)
{
  static const char *const texts[][2] = {
      {" 1 ", "1"},
      {"-7", "-7"},
      {"+2.5", "2.5"},
      {".5", "0.5"},
      {"1e3", "1000.0"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"[-inf, nan, inf]", "[-inf, nan, inf]"},
      {"\"a'b\"", "\"a'b\""},
      {"'\\x41\\u00e9\\n\\q\\''", "\"Aé\\n\\\\q'\""},
      {"[1, [2, (3,)], ]", "[1, [2, (3,)]]"},
      {"(1)", "1"},
      {"( )", "()"},
      {"{'a' : [True, False, None], \"b\":{}}", "{'a': [True, False, None], 'b': {}}"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LmHyperValue) value = lm_hyper_parse (texts[i][0], "test", &error);
    g_assert_no_error (error);
    g_autofree char *text = lm_hyper_repr (value);
    g_assert_cmpstr (text, ==, texts[i][1]);
  }
}

static void
test_refused (void)
{
  static const char *const texts[][2] = {
      {"", "is wanted"},
      {"abc", "is wanted"},
      {"Nonesuch", "is wanted"},
      {"1 2", "something follows"},
      {"[1 2]", "a comma"},
      {"[1, 2", "is wanted"},
      {"[,]", "is wanted"},
      {"'abc", "does not end"},
      {"'\\x4'", "escape"},
      {"'\\x00'", "escape"},
      {"'\\ud800'", "escape"},
      {"'\\", "escape"},
      {"{1: 2}", "string keys"},
      {"{'a' 2}", "colon"},
      {"{'a': 2 'b': 3}", "a comma"},
      {"9223372036854775808", "64 bits"},
      {"__import__('os')", "is wanted"},
      {"1 + 1", "something follows"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (lm_hyper_parse (texts[i][0], "p", &error));
    g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
    g_assert_true (g_str_has_prefix (error->message, "p: cannot read "));
    g_assert_nonnull (strstr (error->message, texts[i][1]));
  }
}

static void
test_depth (void)
{
  g_autofree char *open = g_strnfill (33, '['), *close = g_strnfill (33, ']');
  g_autofree char *deep = g_strconcat (open, close, NULL);
  g_autofree char *fits = g_strconcat (open + 1, close + 1, NULL);
  g_autoptr (LmHyperValue) value = lm_hyper_parse (fits, "p", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (value);
  g_assert_null (lm_hyper_parse (deep, "p", &error));
  g_assert_nonnull (strstr (error->message, "deeper than 32"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/hyper_literal/read", test_read);
  g_test_add_func ("/base/hyper_literal/refused", test_refused);
  g_test_add_func ("/base/hyper_literal/depth", test_depth);
  return g_test_run ();
}
