/* SPDX-License-Identifier: Apache-2.0 */
/* Values of hyper-parameters: Python's ==, dicts, copies. */
#include "core/base/hyper_text.h"

#include <string.h>

/* Pairs of literals and what Python 3.11 says of a == b. */
static void
test_equal (void)
{
  static const struct {
    const char *a, *b;
    bool equal;
  } pairs[] = {
      {"1", "1.0", true},
      {"True", "1", true},
      {"0", "False", true},
      {"0.5", "True", false},
      {"9007199254740993", "9007199254740992.0", false},
      {"9007199254740992", "9007199254740992.0", true},
      {"9223372036854775807", "9223372036854775808.0", false},
      {"nan", "nan", false},
      {"inf", "inf", true},
      {"None", "0", false},
      {"None", "None", true},
      {"'a'", "'a'", true},
      {"'1'", "1", false},
      {"[1, 2]", "[1, 2.0]", true},
      {"[1, 2]", "(1, 2)", false},
      {"[1]", "[1, 1]", false},
      {"{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", true},
      {"{'a': 1}", "{'b': 1}", false},
      {"[]", "{}", false},
  };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    g_autoptr (LmHyperValue) a = lm_hyper_parse (pairs[i].a, "a", NULL);
    g_autoptr (LmHyperValue) b = lm_hyper_parse (pairs[i].b, "b", NULL);
    g_assert_nonnull (a);
    g_assert_nonnull (b);
    g_assert_cmpint (lm_hyper_value_equal (a, b), ==, pairs[i].equal);
    g_assert_cmpint (lm_hyper_value_equal (b, a), ==, pairs[i].equal);
  }
}

static void
test_dict (void)
{
  g_autoptr (LmHyperValue) dict = lm_hyper_dict ();

  lm_hyper_put (dict, "b", lm_hyper_int (1));
  lm_hyper_put (dict, "a", lm_hyper_int (2));
  lm_hyper_put (dict, "b", lm_hyper_int (3)); /* replaces */
  g_assert_cmpuint (dict->items->len, ==, 2);
  g_assert_cmpint (lm_hyper_dict_find (dict, "a"), ==, 1); /* order of making */
  g_assert_cmpint (((LmHyperValue *)dict->items->pdata[0])->i, ==, 3);
  g_assert_cmpint (lm_hyper_dict_find (dict, "c"), ==, -1);
}

static void
test_copy (void)
{
  g_autoptr (LmHyperValue) list = lm_hyper_sequence (LM_HYPER_LIST), copy = NULL;
  LmHyper *params = lm_hyper_new ("x");

  lm_hyper_append (list, lm_hyper_of (params));
  lm_hyper_append (list, lm_hyper_parse ("{'k': (1, 'text', None, True, 0.5)}", "test", NULL));
  copy = lm_hyper_value_copy (list);
  g_assert_true (lm_hyper_value_equal (list, copy));
  g_assert_true (((LmHyperValue *)copy->items->pdata[0])->params != params);
  lm_hyper_define (params, "y", lm_hyper_int (1), "", NULL);
  g_assert_false (lm_hyper_value_equal (list, copy));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/hyper_value/equal", test_equal);
  g_test_add_func ("/base/hyper_value/dict", test_dict);
  g_test_add_func ("/base/hyper_value/copy", test_copy);
  return g_test_run ();
}
