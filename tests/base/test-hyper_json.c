/* SPDX-License-Identifier: Apache-2.0 */
/* Params at run time as JSON configs, both ways. */
#include "core/base/hyper_text.h"

#include <string.h>

static LmHyper *
from (const char *text, GError **error)
{
  g_autoptr (JsonNode) node = lm_json_parse (text, strlen (text), LM_JSON_STRICT, "test", NULL);

  g_assert_nonnull (node);
  return lm_hyper_from_json (json_node_get_object (node), error);
}

static void
check_print (const LmHyper *params, const char *wanted)
{
  g_autoptr (JsonNode) node = lm_hyper_to_json (params);
  g_autofree char *text = lm_json_print (node);

  g_assert_cmpstr (text, ==, wanted);
}

static void
test_to (void)
{
  g_autoptr (LmHyper) params = lm_hyper_new ("a.type");
  LmHyper *sub = lm_hyper_new (NULL);

  lm_hyper_define (sub, "on", lm_hyper_bool (true), "", NULL);
  lm_hyper_define (params, "sub", lm_hyper_of (sub), "", NULL);
  lm_hyper_define (params, "left_out", lm_hyper_none (), "", NULL);
  lm_hyper_define (params, "list", lm_hyper_parse ("(1, None, 2.0, {'K': 'v'}, [])", "t", NULL), "",
                   NULL);
  check_print (params, "{\n  \"list\": [\n    1,\n    null,\n    2.0,\n    {\n      \"K\": \"v\"\n"
                       "    },\n    []\n  ],\n  \"sub\": {\n    \"on\": true\n  },\n"
                       "  \"type\": \"a.type\"\n}\n");
}

static void
test_from (void)
{
  static const char text[] = "{\n  \"layers\": [\n    {\n      \"dim\": 3,\n"
                             "      \"type\": \"b\"\n    }\n  ],\n  \"rate\": 0.5,\n"
                             "  \"rules\": {\n    \".*/w\": [1, 2]\n  },\n  \"type\": \"a\"\n}\n";
  g_autoptr (LmHyper) params = from (text, NULL);

  g_assert_cmpstr (lm_hyper_cls (params), ==, "a");
  g_assert_cmpint (lm_hyper_get (params, "layers[0].dim", NULL)->i, ==, 3);
  g_assert_cmpstr (lm_hyper_cls (lm_hyper_get_params (params, "layers[0]", NULL)), ==, "b");
  g_assert_cmpint (lm_hyper_get (params, "rules['.*/w'][1]", NULL)->i, ==, 2);
  check_print (params, text);
}

static void
test_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmHyper) odd = from ("{\"type\": 3}", NULL);

  g_assert_null (from ("{\"a\": {\"cls\": \"x\"}}", &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_null (lm_hyper_cls (odd)); /* for whoever reads the config to refuse */
  check_print (odd, "{\n  \"type\": 3\n}\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/hyper_json/to", test_to);
  g_test_add_func ("/base/hyper_json/from", test_from);
  g_test_add_func ("/base/hyper_json/refused", test_refused);
  return g_test_run ();
}
