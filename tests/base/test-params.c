/* SPDX-License-Identifier: Apache-2.0 */
/* Configs against a field table of every kind: values, defaults, one report for all problems. */
#include "core/base/params.h"

#include <math.h>
#include <string.h>

typedef struct {
  int64_t dims;
  double rate;
  bool bias;
  const char *mode;
  lam_ints window;
  lam_dtype dtype;
  lam_init init;
  lam_child_config body, blocks;
  int64_t derived; /* not in the table */
} thing;

LAM_FIELDS (thing, LAM_INT (dims, 0, "Depth."), LAM_MIN (1), LAM_FLOAT (rate, 0.25, "Rate."),
            LAM_MIN (0), LAM_MAX (1), LAM_BOOL (bias, true, "Bias."),
            LAM_STRING (mode, "same", "Mode."), LAM_CHOICES ("same valid"),
            LAM_INTS (window, "[2, 2]", "Window."), LAM_MIN (1),
            LAM_DTYPE (dtype, LAM_DTYPE_NONE, "Type."), LAM_INIT (init, NULL, "Start."),
            LAM_LAYER_CONFIG (body, "{\"type\": \"a.b\"}", "Body."),
            LAM_LAYERS (blocks, NULL, "Blocks."))

static const char *const extra[] = {"type", "name", NULL};

typedef struct {
  LmFieldTable *table;
  JsonNode *config;
  LmParams *params;
  GError *error;
  thing x;
} Case;

static void
open_case (Case *c, const char *json)
{
  memset (c, 0, sizeof *c);
  c->table = lm_field_table_new ("t.thing", thing_lam_fields, sizeof (thing), NULL);
  c->config = lm_json_parse (json, strlen (json), LM_JSON_STRICT, "t", NULL);
  g_assert_nonnull (c->config);
  c->params =
      lm_params_new (c->table, json_node_get_object (c->config), extra, "model.x", &c->error);
  if (c->params != NULL)
    lm_params_fill (c->params, &c->x);
}

static void
close_case (Case *c)
{
  lm_params_free (c->params);
  lm_field_table_free (c->table);
  json_node_unref (c->config);
  g_clear_error (&c->error);
}

static void
test_defaults (void)
{
  Case c;

  open_case (&c, "{\"type\": \"t.thing\", \"name\": \"x\", \"dims\": 3, \"mode\": null}");
  g_assert_no_error (c.error);
  g_assert_true (c.x.dims == 3 && c.x.rate == 0.25 && c.x.bias);
  g_assert_cmpstr (c.x.mode, ==, "same");
  g_assert_cmpuint (c.x.window.n, ==, 2);
  g_assert_cmpint (c.x.window.p[1], ==, 2);
  g_assert_cmpint (c.x.dtype, ==, LAM_DTYPE_NONE);
  g_assert_cmpint (c.x.init.method, ==, LAM_INIT_DEFAULT);
  g_assert_cmpuint (c.x.body.id, ==, 1 + 7);
  g_assert_cmpuint (c.x.blocks.id, ==, 0);
  g_assert_cmpstr (json_object_get_string_member (lm_params_child (c.params, 7, -1), "type"), ==,
                   "a.b");
  g_assert_null (lm_params_child (c.params, 8, 0));
  close_case (&c);
}

static void
test_given (void)
{
  Case c;

  open_case (&c, "{\"dims\": 5, \"rate\": 1, \"bias\": false, \"mode\": \"valid\", \"window\": [],"
                 "\"dtype\": \"bf16\", \"init\": {\"method\": \"gaussian_sqrt_fanin\", "
                 "\"scale\": 2}, \"body\": {\"type\": \"c.d\"}, \"blocks\": [{}, {\"k\": 1}]}");
  g_assert_no_error (c.error);
  g_assert_true (c.x.rate == 1 && !c.x.bias);
  g_assert_cmpstr (c.x.mode, ==, "valid");
  g_assert_cmpuint (c.x.window.n, ==, 0);
  g_assert_cmpint (c.x.dtype, ==, LAM_BF16);
  g_assert_cmpint (c.x.init.method, ==, LAM_INIT_GAUSSIAN_SQRT_FANIN);
  g_assert_true (c.x.init.scale == 2);
  g_assert_cmpuint (c.x.blocks.id, ==, 1 + 8);
  g_assert_cmpuint (c.x.blocks.count, ==, 2);
  g_assert_cmpuint (lm_params_children (c.params, 8), ==, 2);
  g_assert_cmpint (json_object_get_int_member (lm_params_child (c.params, 8, 1), "k"), ==, 1);
  g_assert_null (lm_params_child (c.params, 8, 2));
  g_assert_null (lm_params_child (c.params, 7, 0));
  g_assert_null (lm_params_child (c.params, 99, -1));
  g_assert_cmpint (c.x.derived, ==, 0);
  close_case (&c);
}

static void
test_one_problem (void)
{
  Case c;

  open_case (&c, "{\"dims\": 0}");
  g_assert_error (c.error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_cmpstr (c.error->message, ==,
                   "model.x.dims: wanted an integer >= 1, got 0; see: lamina params t.thing");
  close_case (&c);
  open_case (&c, "{}");
  g_assert_cmpstr (c.error->message, ==,
                   "model.x.dims: missing; wanted an integer >= 1 (Depth.); see: lamina params "
                   "t.thing");
  close_case (&c);
}

static void
test_all_problems (void)
{
  static const char *const wanted[] = {
      "model.x: 9 problems in the config of t.thing",
      "model.x.dimz: t.thing has no such key; did you mean \"dims\"?",
      "model.x.dims: missing",
      "model.x.rate: wanted a number >= 0 and <= 1, got 1.5",
      "model.x.bias: wanted true or false, got 1",
      "model.x.mode: wanted one of: same, valid, got \"valit\"; did you mean \"valid\"?",
      "model.x.window: wanted a list of integers >= 1, got [2, 0]",
      "got \"fp32\"; did you mean \"f32\"?",
      "model.x.body: wanted a layer config",
      "model.x.blocks: wanted a list of layer configs, got [1]",
  };
  Case c;

  open_case (&c,
             "{\"dimz\": 3, \"rate\": 1.5, \"bias\": 1, \"mode\": \"valit\", \"window\": [2, 0],"
             "\"dtype\": \"fp32\", \"body\": [], \"blocks\": [1]}");
  g_assert_error (c.error, LM_ERROR, LM_ERROR_INVALID);
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    if (strstr (c.error->message, wanted[i]) == NULL)
      g_error ("\"%s\" is not in: %s", wanted[i], c.error->message);
  close_case (&c);
}

static void
test_init_problems (void)
{
  Case c;

  open_case (&c, "{\"dims\": 1, \"init\": {\"method\": \"xaver\", \"sclae\": 1, \"scale\": []}}");
  g_assert_nonnull (strstr (c.error->message,
                            "model.x.init.method: wanted the name of an "
                            "initialiser, got \"xaver\"; did you mean \"xavier\"?"));
  g_assert_nonnull (strstr (c.error->message, "model.x.init.sclae: unknown key; did you mean "
                                              "\"scale\"?"));
  g_assert_nonnull (strstr (c.error->message, "model.x.init.scale: wanted a number, got []"));
  close_case (&c);
  open_case (&c, "{\"dims\": 1, \"init\": {\"method\": \"default\"}}");
  g_assert_error (c.error, LM_ERROR, LM_ERROR_INVALID);
  close_case (&c);
  open_case (&c, "{\"dims\": 1.0}"); /* a float is not an integer */
  g_assert_error (c.error, LM_ERROR, LM_ERROR_INVALID);
  close_case (&c);
}

static void
declare_free_float (lam_fields *f)
{
  f->add (f, LAM_FIELD_FLOAT, "x", 0, 8, 0, NULL, "Any.");
}

static void
test_infinite (void)
{
  LmFieldTable *table = lm_field_table_new ("t.f", declare_free_float, 8, NULL);
  g_autoptr (JsonObject) config = json_object_new ();
  double x = 0;

  json_object_set_string_member (config, "x", "-inf");
  LmParams *params = lm_params_new (table, config, NULL, "m", NULL);
  lm_params_fill (params, &x);
  g_assert_true (isinf (x) && x < 0);
  lm_params_free (params);
  json_object_set_string_member (config, "x", "nan");
  params = lm_params_new (table, config, NULL, "m", NULL);
  lm_params_fill (params, &x);
  g_assert_true (isnan (x));
  lm_params_free (params);
  json_object_set_string_member (config, "x", "infinity");
  g_assert_null (lm_params_new (table, config, NULL, "m", NULL));
  lm_field_table_free (table);
}

/* Effective values are a config of the same meaning. */
static void
test_to_json (void)
{
  Case c, again;

  open_case (&c, "{\"dims\": 5, \"rate\": 0.1, \"init\": {\"method\": \"xavier\"}}");
  g_autoptr (JsonNode) node = lm_params_to_json (c.params);
  g_autofree char *text = lm_json_print (node);
  open_case (&again, text);
  g_assert_no_error (again.error);
  g_autoptr (JsonNode) node_again = lm_params_to_json (again.params);
  g_autofree char *text_again = lm_json_print (node_again);
  g_assert_cmpstr (text, ==, text_again);
  g_assert_true (again.x.dims == 5 && again.x.rate == 0.1 && again.x.init.scale == 1.0);
  close_case (&c);
  close_case (&again);
}

typedef struct {
  lam_floats rates;
  lam_strings names, modes;
} lists;

LAM_FIELDS (lists, LAM_FLOATS (rates, "[0.5, 2]", "Rates."), LAM_MIN (0),
            LAM_STRINGS (names, NULL, "Names."), LAM_STRINGS (modes, "[\"same\"]", "Modes."),
            LAM_CHOICES ("same valid"))

static LmParams *
read_lists (LmFieldTable *table, const char *json, lists *x, GError **error)
{
  g_autoptr (JsonNode) node = lm_json_parse (json, strlen (json), LM_JSON_STRICT, "t", NULL);
  LmParams *params = lm_params_new (table, json_node_get_object (node), NULL, "m", error);
  if (params != NULL)
    lm_params_fill (params, x);
  return params;
}

/* Lists of numbers and of strings: defaults, values, each element checked, and back to JSON. */
static void
test_lists (void)
{
  static const char *const bad[][2] = {
      {"{\"rates\": [1, -1]}", "wanted a list of numbers >= 0, got [1, -1]"},
      {"{\"rates\": [\"x\"]}", "wanted a list of numbers"},
      {"{\"names\": \"a\"}", "wanted a list of strings, got \"a\""},
      {"{\"names\": [\"a\", 1]}", "wanted a list of strings"},
      {"{\"modes\": [\"valit\"]}", "wanted a list, each one of: same, valid"}};
  LmFieldTable *table = lm_field_table_new ("t.lists", lists_lam_fields, sizeof (lists), NULL);
  lists x = {0};
  LmParams *params = read_lists (table, "{}", &x, NULL);
  g_assert_true (x.rates.n == 2 && x.rates.p[0] == 0.5 && x.rates.p[1] == 2);
  g_assert_true (x.names.n == 0 && x.modes.n == 1);
  g_assert_cmpstr (x.modes.p[0], ==, "same");
  lm_params_free (params);
  params = read_lists (table, "{\"rates\": [\"inf\"], \"names\": [\"a.*\", \"\"]}", &x, NULL);
  g_assert_true (x.rates.n == 1 && isinf (x.rates.p[0]) && x.names.n == 2);
  g_assert_cmpstr (x.names.p[0], ==, "a.*");
  g_autoptr (JsonNode) node = lm_params_to_json (params);
  JsonArray *names = json_object_get_array_member (json_node_get_object (node), "names");
  g_assert_cmpstr (json_array_get_string_element (names, 0), ==, "a.*");
  lm_params_free (params);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (read_lists (table, bad[i][0], &x, &error));
    if (strstr (error->message, bad[i][1]) == NULL)
      g_error ("\"%s\" is not in: %s", bad[i][1], error->message);
  }
  lm_field_table_free (table);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/params/defaults", test_defaults);
  g_test_add_func ("/base/params/given", test_given);
  g_test_add_func ("/base/params/one_problem", test_one_problem);
  g_test_add_func ("/base/params/all_problems", test_all_problems);
  g_test_add_func ("/base/params/init_problems", test_init_problems);
  g_test_add_func ("/base/params/infinite", test_infinite);
  g_test_add_func ("/base/params/to_json", test_to_json);
  g_test_add_func ("/base/params/lists", test_lists);
  return g_test_run ();
}
