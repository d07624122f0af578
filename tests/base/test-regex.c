/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns: how they match, what is refused, and that a hostile one gives up soon. */
#include "core/base/regex.h"

#include <string.h>

static LmRegexResult
match (const char *pattern, LmRegexMode mode, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmRegex) regex = lm_regex_new (pattern, mode, &error);
  g_assert_no_error (error);
  return lm_regex_match (regex, text);
}

/* Python's re.match, re.search and `in`. */
static void
test_modes (void)
{
  g_assert_cmpint (match ("b", LM_REGEX_START, "b.w"), ==, LM_REGEX_YES);
  g_assert_cmpint (match ("b", LM_REGEX_START, "a.b"), ==, LM_REGEX_NO);
  g_assert_cmpint (match ("b|w", LM_REGEX_START, "a.b"), ==, LM_REGEX_NO);
  g_assert_cmpint (match (".*\\.w$", LM_REGEX_START, "a.b.w"), ==, LM_REGEX_YES);
  g_assert_cmpint (match (".*\\.w$", LM_REGEX_START, "a.b.w2"), ==, LM_REGEX_NO);
  g_assert_cmpint (match ("layers_[0-3]\\.", LM_REGEX_SEARCH, "net.layers_2.w"), ==, LM_REGEX_YES);
  g_assert_cmpint (match ("layers_[0-3]\\.", LM_REGEX_SEARCH, "net.layers_4.w"), ==, LM_REGEX_NO);
  g_assert_cmpint (match ("s_[0-3]", LM_REGEX_SUBSTRING, "net.layers_2.w"), ==, LM_REGEX_NO);
  g_assert_cmpint (match ("layers_2", LM_REGEX_SUBSTRING, "net.layers_2.w"), ==, LM_REGEX_YES);
  g_assert_cmpint (match ("", LM_REGEX_START, ""), ==, LM_REGEX_YES);
}

static void
test_faults (void)
{
  static const struct {
    const char *pattern, *error;
  } bad[] = {
      {"net.(layers", "the pattern \"net.(layers\" is no regular expression: at character 11: "},
      {"*a", "at character 0: "},
      {"a[b", "at character 3: "},
      {"( at char 9: x", "at character 14: "},
      {"((a{1000}){1000}){1000}", "is no regular expression"}};
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (lm_regex_new (bad[i].pattern, LM_REGEX_START, &error));
    g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
    if (strstr (error->message, bad[i].error) == NULL)
      g_error ("\"%s\" is not in: %s", bad[i].error, error->message);
  }
  g_autofree char *longest = g_strnfill (1001, 'a');
  g_autoptr (GError) error = NULL;
  g_assert_null (lm_regex_new (longest, LM_REGEX_SUBSTRING, &error));
  g_assert_nonnull (strstr (error->message, "1000 bytes, got 1001"));
}

/* Exponential backtracking, also where the pattern asks for more steps or for the JIT. */
static void
test_hostile (void)
{
  static const char *const patterns[] = {"(a+)+$", "(*LIMIT_MATCH=4000000000)(a+)+$", "(a|aa)+$",
                                         "((a*)*)*b", "(?:(?R)?a)+$"};
  g_autofree char *as = g_strnfill (40, 'a');
  g_autofree char *text = g_strconcat (as, "!", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++) {
    gint64 start = g_get_monotonic_time ();
    g_assert_cmpint (match (patterns[i], LM_REGEX_START, text), !=, LM_REGEX_YES);
    g_assert_cmpint (g_get_monotonic_time () - start, <, 5 * G_USEC_PER_SEC);
  }
  g_assert_cmpint (match (patterns[0], LM_REGEX_START, text), ==, LM_REGEX_GAVE_UP);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/regex/modes", test_modes);
  g_test_add_func ("/base/regex/faults", test_faults);
  g_test_add_func ("/base/regex/hostile", test_hostile);
  return g_test_run ();
}
