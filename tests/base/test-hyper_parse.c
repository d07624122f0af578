/* SPDX-License-Identifier: Apache-2.0 */
/* FromText beyond the golden cases: strings over lines, types from the text, all problems in one. */
#include "core/base/hyper_text.h"

#include <string.h>

static LmHyper *
make (void)
{
  LmHyper *params = lm_hyper_new (NULL);

  lm_hyper_define (params, "text", lm_hyper_string ("t"), "", NULL);
  lm_hyper_define (params, "n", lm_hyper_int (1), "", NULL);
  lm_hyper_define (params, "x", lm_hyper_float (1), "", NULL);
  lm_hyper_define (params, "none", lm_hyper_none (), "", NULL);
  lm_hyper_define (params, "table", lm_hyper_dict (), "", NULL);
  return params;
}

static void
read_text (LmHyper *params, const char *text, bool types)
{
  g_autoptr (GError) error = NULL;

  lm_hyper_from_text (params, text, types, &error);
  g_assert_no_error (error);
}

/* Everything that a string may hold goes out and comes back. lingvo loses quotes at the ends of a
 * string and blanks at the end of its first line; here they stay. */
static void
test_strings (void)
{
  static const char *const strings[] = {
      "",       "'",        "''",         "'a'",   "\"",
      "a'",     "\\",       "a\\'",       "a\nb",  "a  \n  b  ",
      "\n\n",   "a\n\nb\n", "x : 1\n# y", "a'\nb", "it's \"q\"\nline",
      "['a']x", "é"};

  for (guint i = 0; i < G_N_ELEMENTS (strings); i++) {
    g_autoptr (LmHyper) params = make (), back = make ();
    lm_hyper_set (params, "text", lm_hyper_string (strings[i]), NULL);
    for (int types = 0; types < 2; types++) {
      g_autofree char *text = lm_hyper_to_text (params, types);
      read_text (back, text, types);
      g_assert_cmpstr (lm_hyper_get (back, "text", NULL)->text, ==, strings[i]);
    }
  }
}

/* A list in a string becomes a list, as in lingvo; what only looks like one stays. */
static void
test_list_in_string (void)
{
  g_autoptr (LmHyper) params = make ();

  read_text (params, "text : [1, 2]", false);
  g_assert_cmpint (lm_hyper_get (params, "text", NULL)->kind, ==, LM_HYPER_LIST);
  lm_hyper_set (params, "text", lm_hyper_string (""), NULL);
  read_text (params, "text : [one, two]", false);
  g_assert_cmpstr (lm_hyper_get (params, "text", NULL)->text, ==, "[one, two]");
}

static void
test_types (void)
{
  g_autoptr (LmHyper) params = make ();

  read_text (params, "none : true\ntable : {'a': (1,)}", false);
  g_assert_true (lm_hyper_get (params, "none", NULL)->b);
  g_assert_cmpint (lm_hyper_get (params, "table['a'][0]", NULL)->i, ==, 1);
  read_text (params, "table : dict", false);
  g_assert_cmpuint (lm_hyper_get (params, "table", NULL)->items->len, ==, 0);
  read_text (params, "x : NoneType\nnone : 5\nn : 1e3\n\n\nx : NoneType\nnone : int\nn : float\n",
             true);
  g_assert_cmpint (lm_hyper_get (params, "x", NULL)->kind, ==, LM_HYPER_NONE);
  g_assert_cmpint (lm_hyper_get (params, "none", NULL)->i, ==, 5);
  g_assert_cmpfloat (lm_hyper_get (params, "n", NULL)->d, ==, 1000);
}

static void
check_refused (const char *text, bool types, LmErrorCode code, const char *wanted)
{
  g_autoptr (LmHyper) params = make (), before = make ();
  g_autoptr (GError) error = NULL;

  g_assert_false (lm_hyper_from_text (params, text, types, &error));
  g_assert_error (error, LM_ERROR, (int)code);
  g_assert_cmpstr (error->message, ==, wanted);
  g_assert_true (lm_hyper_equal (params, before));
}

static void
test_refused (void)
{
  check_refused ("n : 2\nx : 0x10", false, LM_ERROR_INVALID, "x: cannot read 0x10 as float");
  check_refused ("n : 99999999999999999999", false, LM_ERROR_INVALID,
                 "n: cannot read 99999999999999999999 as int");
  check_refused ("\ntext : 'abc\ndef", false, LM_ERROR_INVALID,
                 "line 2: the string of text does not end");
  check_refused ("table : {'a'}", false, LM_ERROR_INVALID,
                 "table: cannot read {'a'}: a colon is wanted (at character 5)");
  check_refused (
      "n : 1\n\nn : DType\n", true, LM_ERROR_INVALID,
      "n: unknown type \"DType\"; wanted NoneType, bool, int, float, str, list, tuple or "
      "dict");
  check_refused ("n : 1", true, LM_ERROR_INVALID,
                 "there is no blank line, which the types come behind");
  check_refused ("m : 1", false, LM_ERROR_NOT_FOUND,
                 "no parameter \"m\"; there is: n, none, table, text, x; did you mean \"n\"?");
  check_refused ("n : 2\nx : y\nnothing\nn : z", false, LM_ERROR_INVALID,
                 "3 problems in the text of parameters:\n  line 3: wanted <key>:<value>, got: "
                 "nothing\n  x: cannot read y as float\n  n: cannot read z as int");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/hyper_parse/strings", test_strings);
  g_test_add_func ("/base/hyper_parse/list_in_string", test_list_in_string);
  g_test_add_func ("/base/hyper_parse/types", test_types);
  g_test_add_func ("/base/hyper_parse/refused", test_refused);
  return g_test_run ();
}
