/* SPDX-License-Identifier: Apache-2.0 */
/* Params at run time as text. What repr gives is Python 3.11's. */
#include "core/base/hyper_text.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static void
check_repr (LmHyperValue *value, const char *wanted)
{
  g_autofree char *text = lm_hyper_repr (value);

  g_assert_cmpstr (text, ==, wanted);
  lm_hyper_value_free (value);
}

static void
test_floats (void)
{
  static const struct {
    double value;
    const char *text;
  } floats[] = {
      {0.5, "0.5"},
      {1, "1.0"},
      {1e-4, "0.0001"},
      {1.234e-05, "1.234e-05"},
      {1e15, "1000000000000000.0"},
      {1e16, "1e+16"},
      {123456789012345680.0, "1.2345678901234568e+17"},
      {0.1 + 0.2, "0.30000000000000004"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {-0.0, "-0.0"},
      {100, "100.0"},
      {9007199254740992.0, "9007199254740992.0"},
      {INFINITY, "inf"},
      {-INFINITY, "-inf"},
      {NAN, "nan"},
      {2.5e-10, "2.5e-10"},
      {1.0 / 3, "0.3333333333333333"},
      {123456.789, "123456.789"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (floats); i++)
    check_repr (lm_hyper_float (floats[i].value), floats[i].text);
}

static void
test_strings (void)
{
  static const char *const strings[][2] = {{"a", "'a'"},
                                           {"it's", "\"it's\""},
                                           {"say \"x\"", "'say \"x\"'"},
                                           {"it's \"q\"", "'it\\'s \"q\"'"},
                                           {"a\nb\t\\\r", "'a\\nb\\t\\\\\\r'"},
                                           {"\x01\x7f", "'\\x01\\x7f'"},
                                           {"é", "'é'"},
                                           {"", "''"}};

  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    check_repr (lm_hyper_string (strings[i][0]), strings[i][1]);
}

static void
test_nested (void)
{
  LmHyper *params = lm_hyper_new (NULL);

  check_repr (lm_hyper_sequence (LM_HYPER_TUPLE), "()");
  check_repr (lm_hyper_parse ("(1,)", "t", NULL), "(1,)");
  check_repr (lm_hyper_parse ("{'b': [None, True], 'a': (1, 'x')}", "t", NULL),
              "{'a': (1, 'x'), 'b': [None, True]}"); /* sorted */
  lm_hyper_define (params, "z", lm_hyper_int (-3), "", NULL);
  lm_hyper_define (params, "a", lm_hyper_dict (), "", NULL);
  check_repr (lm_hyper_of (params), "{'a': {}, 'z': -3}");
}

/* What is a list of Params has lines of its own; an empty list is one line (lingvo loses it), and so is
 * None in a list (lingvo writes the string 'NoneType'). */
static void
test_to_text (void)
{
  g_autoptr (LmHyper) params = lm_hyper_new ("t"), back = NULL;
  LmHyperValue *layers = lm_hyper_sequence (LM_HYPER_LIST);
  LmHyper *layer = lm_hyper_new ("u");

  lm_hyper_define (layer, "dim", lm_hyper_int (3), "", NULL);
  lm_hyper_append (layers, lm_hyper_of (layer));
  lm_hyper_define (params, "layers", layers, "", NULL);
  lm_hyper_define (params, "empty", lm_hyper_sequence (LM_HYPER_LIST), "", NULL);
  lm_hyper_define (params, "maybe", lm_hyper_parse ("[None, 'a\\nb']", "t", NULL), "", NULL);
  lm_hyper_define (params, "two_quotes", lm_hyper_string ("''\"\\"), "", NULL);
  g_autofree char *text = lm_hyper_to_text (params, true);
  g_assert_cmpstr (text, ==,
                   "cls : 't'\nempty : []\nlayers[0].cls : 'u'\nlayers[0].dim : 3\n"
                   "maybe : [None, 'a\\nb']\ntwo_quotes : \"''\\\"\\\\\"\n\n\n"
                   "cls : str\nempty : list\nlayers[0].cls : str\nlayers[0].dim : int\n"
                   "maybe : list\ntwo_quotes : str\n");
  back = lm_hyper_copy (params);
  lm_hyper_set (back, "empty", lm_hyper_none (), NULL);
  lm_hyper_set (back, "maybe", lm_hyper_none (), NULL);
  lm_hyper_set (back, "layers[0].dim", lm_hyper_none (), NULL);
  lm_hyper_set (back, "two_quotes", lm_hyper_none (), NULL);
  g_assert_true (lm_hyper_from_text (back, text, true, NULL));
  g_assert_true (lm_hyper_equal (params, back));
}

static void
test_to_string (void)
{
  g_autoptr (LmHyper) params = lm_hyper_new ("t"), none = lm_hyper_new (NULL);
  g_autofree char *text = NULL, *empty = lm_hyper_to_string (none);

  lm_hyper_define (params, "a", lm_hyper_of (lm_hyper_new ("u")), "", NULL);
  text = lm_hyper_to_string (params);
  g_assert_cmpstr (text, ==, "{\n  a: {\n    cls: \"u\"\n  }\n  cls: \"t\"\n}");
  g_assert_cmpstr (empty, ==, "{\n}");
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, ""); /* numbers do not follow it */
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/hyper_print/floats", test_floats);
  g_test_add_func ("/base/hyper_print/strings", test_strings);
  g_test_add_func ("/base/hyper_print/nested", test_nested);
  g_test_add_func ("/base/hyper_print/to_text", test_to_text);
  g_test_add_func ("/base/hyper_print/to_string", test_to_string);
  return g_test_run ();
}
