/* SPDX-License-Identifier: Apache-2.0 */
/* Params at run time by path: get, set, delete, what is set, and what their errors name. */
#include "core/base/hyper_text.h"

#include <string.h>

/* {layers: [Params {dim: 4}, Params {dim: 8}], dims: [1, 2], pair: (1, 2), table: {'a.b': 5}, x: 0.5,
 * none: None} */
static LmHyper *
make (void)
{
  static const char *const texts[][2] = {{"dims", "[1, 2]"},
                                         {"pair", "(1, 2)"},
                                         {"table", "{'a.b': 5}"},
                                         {"x", "0.5"},
                                         {"none", "None"}};
  LmHyper *params = lm_hyper_new (NULL);
  LmHyperValue *layers = lm_hyper_sequence (LM_HYPER_LIST);

  for (int i = 0; i < 2; i++) {
    LmHyper *layer = lm_hyper_new ("a.layer");
    lm_hyper_define (layer, "dim", lm_hyper_int (4 * i + 4), "", NULL);
    lm_hyper_append (layers, lm_hyper_of (layer));
  }
  lm_hyper_define (params, "layers", layers, "", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    lm_hyper_define (params, texts[i][0], lm_hyper_parse (texts[i][1], "test", NULL), "", NULL);
  return params;
}

static void
test_get (void)
{
  g_autoptr (LmHyper) params = make ();

  g_assert_cmpint (lm_hyper_get (params, "layers[1].dim", NULL)->i, ==, 8);
  g_assert_cmpint (lm_hyper_get (params, "dims[1]", NULL)->i, ==, 2);
  g_assert_cmpint (lm_hyper_get (params, "pair[0]", NULL)->i, ==, 1);
  g_assert_cmpint (lm_hyper_get (params, "table['a.b']", NULL)->i, ==, 5);
  g_assert_cmpint (lm_hyper_get (params, "table[\"a.b\"]", NULL)->i, ==, 5);
  g_assert_cmpstr (lm_hyper_cls (lm_hyper_get_params (params, "layers[0]", NULL)), ==, "a.layer");
}

static void
check_refused (const char *path, LmErrorCode code, const char *wanted)
{
  g_autoptr (LmHyper) params = make (), before = make ();
  g_autoptr (GError) error = NULL;

  g_assert_null (lm_hyper_get (params, path, &error));
  g_assert_error (error, LM_ERROR, (int)code);
  g_assert_cmpstr (error->message, ==, wanted);
  g_assert_false (lm_hyper_set (params, path, lm_hyper_none (), NULL));
  g_assert_false (lm_hyper_delete (params, path, NULL));
  g_assert_true (lm_hyper_equal (params, before));
}

static void
test_refused (void)
{
  check_refused ("y", LM_ERROR_NOT_FOUND,
                 "no parameter \"y\"; there is: dims, layers, none, pair, table, x; did you mean "
                 "\"x\"?");
  check_refused ("layers[0].dmi", LM_ERROR_NOT_FOUND,
                 "no parameter \"layers[0].dmi\"; \"layers[0]\" has: cls, dim; did you mean "
                 "\"dim\"?");
  check_refused ("layers[2].dim", LM_ERROR_NOT_FOUND,
                 "no parameter \"layers[2].dim\": layers has 2 elements and no [2]");
  check_refused ("dims[-1]", LM_ERROR_NOT_FOUND,
                 "no parameter \"dims[-1]\": dims has 2 elements and no [-1]");
  check_refused ("table['b']", LM_ERROR_NOT_FOUND,
                 "no parameter \"table['b']\": table has 1 elements and no [b]");
  check_refused ("x.y", LM_ERROR_INVALID,
                 "no parameter \"x.y\": x is a float, which has no parameters");
  check_refused ("x[0]", LM_ERROR_INVALID,
                 "no parameter \"x[0]\": x is a float, which has no such index");
  check_refused ("dims['k']", LM_ERROR_INVALID,
                 "no parameter \"dims['k']\": dims is a list, which has no such index");
  check_refused ("dims[0", LM_ERROR_INVALID,
                 "no parameter \"dims[0\": an index reads [3] or ['key']");
  check_refused ("dims[0]x", LM_ERROR_INVALID,
                 "no parameter \"dims[0]x\": dims[0] is a int, which has no parameters");
  check_refused ("", LM_ERROR_NOT_FOUND,
                 "no parameter \"\"; there is: dims, layers, none, pair, table, x; did you mean "
                 "\"x\"?");
}

static void
test_set (void)
{
  g_autoptr (LmHyper) params = make ();
  g_autoptr (GError) error = NULL;

  g_assert_true (lm_hyper_set (params, "layers[1].dim", lm_hyper_int (16), NULL));
  g_assert_true (lm_hyper_set (params, "dims[0]", lm_hyper_string ("any type"), NULL));
  g_assert_true (lm_hyper_set (params, "table['a.b']", lm_hyper_int (6), NULL));
  g_assert_cmpint (lm_hyper_get (params, "layers[1].dim", NULL)->i, ==, 16);
  g_assert_cmpstr (lm_hyper_get (params, "dims[0]", NULL)->text, ==, "any type");
  g_assert_cmpint (lm_hyper_get (params, "table['a.b']", NULL)->i, ==, 6);
  g_assert_false (lm_hyper_set (params, "pair[0]", lm_hyper_int (6), &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_true (lm_hyper_set (params, "layers[0]", lm_hyper_of (lm_hyper_new ("b")), NULL));
  g_assert_cmpstr (lm_hyper_get (params, "layers[0].cls", NULL)->text, ==, "b");
}

static void
test_delete (void)
{
  g_autoptr (LmHyper) params = make ();
  g_autoptr (GError) error = NULL;

  g_assert_true (lm_hyper_delete (params, "layers[1].dim", NULL));
  g_assert_null (lm_hyper_get (params, "layers[1].dim", NULL));
  g_assert_nonnull (lm_hyper_get (params, "layers[0].dim", NULL));
  g_assert_false (lm_hyper_delete (params, "dims[0]", &error)); /* lingvo has no such path */
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_true (lm_hyper_delete (params, "dims", NULL));
  g_assert_cmpuint (lm_hyper_size (params), ==, 5);
}

static void
test_is_set (void)
{
  g_autoptr (LmHyper) params = make ();
  g_autoptr (GError) error = NULL;

  g_assert_true (lm_hyper_is_set (params, "layers[0].dim", NULL));
  g_assert_false (lm_hyper_is_set (params, "none", &error));
  g_assert_no_error (error);
  g_assert_false (lm_hyper_is_set (params, "nothing", &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_NOT_FOUND);
}

static void
test_get_params (void)
{
  g_autoptr (LmHyper) params = make ();
  g_autoptr (GError) error = NULL;

  g_assert_null (lm_hyper_get_params (params, "x", &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_cmpstr (error->message, ==, "x: wanted nested parameters, got a float");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/hyper_path/get", test_get);
  g_test_add_func ("/base/hyper_path/refused", test_refused);
  g_test_add_func ("/base/hyper_path/set", test_set);
  g_test_add_func ("/base/hyper_path/delete", test_delete);
  g_test_add_func ("/base/hyper_path/is_set", test_is_set);
  g_test_add_func ("/base/hyper_path/get_params", test_get_params);
  return g_test_run ();
}
