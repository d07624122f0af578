/* SPDX-License-Identifier: Apache-2.0 */
/* Values of hyper-parameters through the application API. */
#include "core/api/lamina.h"

#include <string.h>

static void
test_kinds (void)
{
  g_autoptr (LaminaValue) none = lamina_value_none (), b = lamina_value_bool (TRUE),
                          i = lamina_value_int (-3), d = lamina_value_float (0.25),
                          s = lamina_value_string ("é"),
                          p = lamina_value_params (lamina_params_new ("x"));
  g_assert_cmpint (lamina_value_kind (none), ==, LAMINA_VALUE_NONE);
  g_assert_cmpint (lamina_value_kind (b), ==, LAMINA_VALUE_BOOL);
  g_assert_true (lamina_value_get_bool (b));
  g_assert_cmpint (lamina_value_get_int (i), ==, -3);
  g_assert_cmpfloat (lamina_value_get_float (i), ==, -3);
  g_assert_cmpfloat (lamina_value_get_float (d), ==, 0.25);
  g_assert_cmpint (lamina_value_get_int (d), ==, 0); /* another kind */
  g_assert_cmpstr (lamina_value_get_string (s), ==, "é");
  g_assert_null (lamina_value_get_string (d));
  g_assert_null (lamina_value_get_params (s));
  g_assert_true (lamina_params_has (lamina_value_get_params (p), "cls"));
  g_assert_cmpint (lamina_value_kind (p), ==, LAMINA_VALUE_PARAMS);
}

static void
test_containers (void)
{
  g_autoptr (LaminaValue) dict = lamina_value_dict (), copy = NULL;
  LaminaValue *list = lamina_value_list (), *tuple = lamina_value_tuple ();
  lamina_value_append (list, lamina_value_int (1));
  lamina_value_append (tuple, lamina_value_string ("t"));
  lamina_value_append (list, tuple);
  lamina_value_put (dict, "list", list);
  lamina_value_put (dict, "a", lamina_value_none ());
  g_assert_cmpuint (lamina_value_size (dict), ==, 2);
  g_assert_cmpstr (lamina_value_key (dict, 0), ==, "list");
  g_assert_null (lamina_value_key (dict, 2));
  g_assert_null (lamina_value_key (list, 0));
  g_assert_true (lamina_value_item (dict, 0) == list);
  g_assert_null (lamina_value_item (list, 2));
  g_autofree char *text = lamina_value_to_text (dict);
  g_assert_cmpstr (text, ==, "{'a': None, 'list': [1, ('t',)]}");
  copy = lamina_value_copy (dict);
  g_assert_true (lamina_value_equal (copy, dict));
  lamina_value_append (list, lamina_value_int (2));
  g_assert_false (lamina_value_equal (copy, dict));
}

static void
test_parse (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaValue) value = lamina_value_parse ("[1, {'k': (0.5,)}]", &error);
  g_assert_no_error (error);
  const LaminaValue *inner = lamina_value_item (lamina_value_item (value, 1), 0);
  g_assert_cmpint (lamina_value_kind (inner), ==, LAMINA_VALUE_TUPLE);
  g_assert_cmpfloat (lamina_value_get_float (lamina_value_item (inner, 0)), ==, 0.5);
  g_assert_null (lamina_value_parse ("[1", &error));
  g_assert_error (error, LAMINA_ERROR, LAMINA_ERROR_INVALID);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/api/value/kinds", test_kinds);
  g_test_add_func ("/api/value/containers", test_containers);
  g_test_add_func ("/api/value/parse", test_parse);
  return g_test_run ();
}
