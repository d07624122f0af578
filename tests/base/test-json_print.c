/* SPDX-License-Identifier: Apache-2.0 */
/* Printed JSON: numbers read back exactly in any locale, text is escaped, keys are sorted. */
#include "core/base/json.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static void
check_double (double value)
{
  g_autoptr (JsonNode) node = json_node_init_double (json_node_alloc (), value);
  g_autofree char *text = lm_json_print (node);
  g_autoptr (JsonNode) back = lm_json_parse (text, strlen (text), LM_JSON_STRICT, "t", NULL);

  g_assert_nonnull (back);
  g_assert_cmpint (json_node_get_value_type (back), ==, G_TYPE_DOUBLE);
  g_assert_true (json_node_get_double (back) == value);
  g_assert_null (strchr (text, ','));
}

static void
test_doubles (void)
{
  GRand *rand = g_rand_new_with_seed (1);

  setlocale (LC_ALL, "de_DE.UTF-8"); /* a comma as decimal point, where installed */
  check_double (0.1);
  check_double (1.0 / 3);
  check_double (-0.0);
  check_double (5e-324);
  check_double (1.7976931348623157e308);
  for (int i = 0; i < 2000; i++)
    check_double (ldexp (g_rand_double (rand) - 0.5, g_rand_int_range (rand, -1000, 1000)));
  g_rand_free (rand);
  setlocale (LC_ALL, "C");
}

static void
test_not_numbers (void)
{
  g_autoptr (JsonNode) nan = json_node_init_double (json_node_alloc (), NAN);
  g_autoptr (JsonNode) inf = json_node_init_double (json_node_alloc (), -INFINITY);
  g_autofree char *a = lm_json_print (nan), *b = lm_json_print (inf);

  g_assert_cmpstr (a, ==, "\"nan\"\n");
  g_assert_cmpstr (b, ==, "\"-inf\"\n");
}

static void
test_text (void)
{
  g_autoptr (JsonNode) node = json_node_init_string (json_node_alloc (), "a\"\\\n\t\x01é");
  g_autofree char *text = lm_json_print (node);

  g_assert_cmpstr (text, ==, "\"a\\\"\\\\\\n\\t\\u0001é\"\n");
}

static void
test_sorted (void)
{
  const char *a = "{\"b\": [{}], \"a\": \"x\", \"B\": 1}", *b = "{\"B\":1,\"a\":\"x\",\"b\":[{}]}";
  g_autoptr (JsonNode) x = lm_json_parse (a, strlen (a), 0, "t", NULL);
  g_autoptr (JsonNode) y = lm_json_parse (b, strlen (b), 0, "t", NULL);
  g_autofree char *s = lm_json_print (x), *t = lm_json_print (y);

  g_assert_cmpstr (s, ==, t);
  g_assert_cmpstr (s, ==, "{\n  \"B\": 1,\n  \"a\": \"x\",\n  \"b\": [\n    {}\n  ]\n}\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/json_print/doubles", test_doubles);
  g_test_add_func ("/base/json_print/not_numbers", test_not_numbers);
  g_test_add_func ("/base/json_print/text", test_text);
  g_test_add_func ("/base/json_print/sorted", test_sorted);
  return g_test_run ();
}
