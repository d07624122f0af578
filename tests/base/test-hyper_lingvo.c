/* SPDX-License-Identifier: Apache-2.0 */
/* Params at run time against lingvo's (golden group lingvo), case by case. Where our rule differs on
 * purpose, the reason stands at the place. Errors are compared by class: AttributeError of a name that
 * is not there is NOT_FOUND, TypeError of a frozen object DENIED, everything else INVALID. */
#include "core/base/hyper_text.h"
#include "tests/lib/golden.h"

#include <string.h>

static void
define (LmHyper *params, const char *name, LmHyperValue *value)
{
  g_autoptr (GError) error = NULL;
  lm_hyper_define (params, name, value, "", &error);
  g_assert_no_error (error);
}

static LmHyperValue *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  LmHyperValue *value = lm_hyper_parse (text, "test", &error);
  g_assert_no_error (error);
  return value;
}

/* What the generator of the cases calls mkparams (): see expect_str of params.to_text. */
static LmHyper *
make_params (void)
{
  LmHyper *params = lm_hyper_new (NULL), *sub = lm_hyper_new (NULL);
  define (sub, "lr", lm_hyper_float (0.001));
  define (sub, "text", lm_hyper_string ("it's \"q\"\nline"));
  define (params, "alpha", lm_hyper_float (0.5));
  define (params, "name", lm_hyper_string ("net"));
  define (params, "count", lm_hyper_int (3));
  define (params, "on", lm_hyper_bool (true));
  define (params, "none", lm_hyper_none ());
  define (params, "dims", parse ("[1, 2, 3]"));
  define (params, "tup", parse ("(4, 5)"));
  define (params, "table", parse ("{'k': 1, 'a': 2.5}"));
  define (params, "sub", lm_hyper_of (sub));
  return params;
}

static JsonObject *
result_of (const LmGoldenCase *c)
{
  return json_object_get_object_member (c->attrs, "expect");
}

/* The class and what the message must name: the first word of lingvo's. */
static void
check_error (JsonObject *result, const GError *error, const char *name)
{
  const char *class = json_object_get_string_member (result, "error");
  const char *message = json_object_get_string_member (result, "message");
  int code = strcmp (class, "TypeError") == 0 ? LM_ERROR_DENIED : LM_ERROR_INVALID;
  if (strcmp (class, "AttributeError") == 0 && strstr (message, "already defined") == NULL)
    code = LM_ERROR_NOT_FOUND;
  g_assert_error (error, LM_ERROR, code);
  g_assert_nonnull (strstr (error->message, name));
}

/* --- lingvo.Params, each case a few calls --------------------------------------------------------- */

typedef bool (*Action) (LmHyper *params, GError **error);

static bool
define_twice (LmHyper *params, GError **error)
{
  return lm_hyper_define (params, "alpha", lm_hyper_int (1), "", error);
}

static bool
bad_name (LmHyper *params, GError **error)
{
  return lm_hyper_define (params, "Bad", lm_hyper_int (1), "", error);
}

static bool
bad_name2 (LmHyper *params, GError **error)
{
  return lm_hyper_define (params, "1x", lm_hyper_int (1), "", error);
}

static bool
unknown_get (LmHyper *params, GError **error)
{
  return lm_hyper_get (params, "alhpa", error) != NULL;
}

static bool
unknown_set (LmHyper *params, GError **error)
{
  return lm_hyper_set (params, "alhpa", lm_hyper_int (1), error);
}

static bool
nested_unknown_set (LmHyper *params, GError **error)
{
  return lm_hyper_set (params, "sub.nope", lm_hyper_int (1), error);
}

static bool
nested_unknown_get (LmHyper *params, GError **error)
{
  return lm_hyper_get (params, "sub.lrr", error) != NULL;
}

static bool
frozen_set (LmHyper *params, GError **error)
{
  lm_hyper_freeze (params);
  return lm_hyper_set (params, "alpha", lm_hyper_int (1), error);
}

static bool
frozen_define (LmHyper *params, GError **error)
{
  lm_hyper_freeze (params);
  return lm_hyper_define (params, "more", lm_hyper_int (1), "", error);
}

static bool
delete_unknown (LmHyper *params, GError **error)
{
  return lm_hyper_delete (params, "nope", error);
}

/* lingvo lists the keys of the outer object also where an inner one lacks the name; here they are those
 * of the object that was looked in. */
static const struct {
  const char *id, *name, *list;
  Action action;
} refusals[] = {
    {"params.define_twice", "alpha", NULL, define_twice},
    {"params.bad_name", "\"Bad\"", NULL, bad_name},
    {"params.bad_name2", "\"1x\"", NULL, bad_name2},
    {"params.unknown_attr_get", "alhpa", "alpha, count, dims, name, none, on, sub, table, tup",
     unknown_get},
    {"params.unknown_attr_set", "alhpa", "alpha, count, dims, name, none, on, sub, table, tup",
     unknown_set},
    {"params.set_unknown", "sub.nope", "\"sub\" has: lr, text", nested_unknown_set},
    {"params.get_unknown", "sub.lrr", "lr, text; did you mean \"lr\"?", nested_unknown_get},
    {"params.freeze_set", "alpha", "frozen", frozen_set},
    {"params.freeze_define", "more", "frozen", frozen_define},
    {"params.delete_unknown", "nope", "alpha, count, dims", delete_unknown},
};

static void
test_refusals (LmGolden *golden)
{
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++) {
    const LmGoldenCase *c = lm_golden_lookup (golden, refusals[i].id);
    g_autoptr (LmHyper) params = make_params (), before = lm_hyper_copy (params);
    g_autoptr (GError) error = NULL;
    g_assert_nonnull (c);
    g_assert_false (refusals[i].action (params, &error));
    check_error (result_of (c), error, refusals[i].name);
    if (refusals[i].list != NULL)
      g_assert_nonnull (strstr (error->message, refusals[i].list));
    g_assert_true (lm_hyper_equal (params, before));
  }
}

static bool
get_bool (LmGolden *golden, const char *id)
{
  return json_object_get_boolean_member (result_of (lm_golden_lookup (golden, id)), "ok");
}

static double
get_number (LmGolden *golden, const char *id)
{
  return json_object_get_double_member (result_of (lm_golden_lookup (golden, id)), "ok");
}

static double
float_at (const LmHyper *params, const char *path)
{
  const LmHyperValue *value = lm_hyper_get (params, path, NULL);
  g_assert_nonnull (value);
  return value->kind == LM_HYPER_INT ? (double)value->i : value->d;
}

static void
test_get_set (LmGolden *golden)
{
  g_autoptr (LmHyper) params = make_params ();
  JsonArray *pairs = json_object_get_array_member (
      json_object_get_object_member (result_of (lm_golden_lookup (golden, "params.set_many")),
                                     "ok"),
      "dict");
  g_assert_cmpfloat (float_at (params, "sub.lr"), ==, get_number (golden, "params.get_nested"));
  g_assert_true (lm_hyper_set (params, "alpha", lm_hyper_int (2), NULL));
  g_assert_true (lm_hyper_set (params, "sub.lr", lm_hyper_int (4), NULL));
  g_assert_cmpfloat (float_at (params, "alpha"), ==,
                     json_array_get_double_element (json_array_get_array_element (pairs, 0), 1));
  g_assert_cmpfloat (float_at (params, "sub.lr"), ==,
                     json_array_get_double_element (json_array_get_array_element (pairs, 1), 1));
}

/* Freeze does not reach nested objects: they are changed through themselves. A copy is frozen too. */
static void
test_freeze (LmGolden *golden)
{
  g_autoptr (LmHyper) params = make_params (), copy = NULL;
  LmHyper *sub = lm_hyper_get_params (params, "sub", NULL);
  lm_hyper_freeze (params);
  g_assert_true (lm_hyper_set (sub, "lr", lm_hyper_float (5.0), NULL));
  g_assert_cmpfloat (float_at (params, "sub.lr"), ==, get_number (golden, "params.freeze_sub"));
  copy = lm_hyper_copy (params);
  g_assert_cmpint (lm_hyper_is_frozen (copy), ==, get_bool (golden, "params.freeze_copy"));
}

static void
test_delete (LmGolden *golden)
{
  g_autoptr (LmHyper) params = make_params ();
  g_assert_true (lm_hyper_delete (params, "alpha", NULL));
  g_assert_cmpint (lm_hyper_has (params, "alpha"), ==, get_bool (golden, "params.delete"));
}

/* "Set" means not None, whether or not it is the default. */
static void
test_is_set (LmGolden *golden)
{
  g_autoptr (LmHyper) params = make_params ();
  g_assert_cmpint (lm_hyper_is_set (params, "alpha", NULL), ==,
                   get_bool (golden, "params.is_set_default"));
  lm_hyper_set (params, "alpha", lm_hyper_int (1), NULL);
  g_assert_cmpint (lm_hyper_is_set (params, "alpha", NULL), ==,
                   get_bool (golden, "params.is_set_changed"));
  g_assert_false (lm_hyper_is_set (params, "none", NULL));
}

static void
test_keys (LmGolden *golden)
{
  g_autoptr (LmHyper) params = make_params ();
  JsonArray *keys = json_object_get_array_member (
      json_object_get_object_member (result_of (lm_golden_lookup (golden, "params.keys")), "ok"),
      "list");
  g_assert_cmpfloat (lm_hyper_size (params), ==, get_number (golden, "params.len"));
  for (guint i = 0; i < json_array_get_length (keys); i++)
    g_assert_cmpstr (lm_hyper_name (params, i), ==, json_array_get_string_element (keys, i));
}

static void
test_copy_equal (LmGolden *golden)
{
  g_autoptr (LmHyper) params = make_params (), copy = lm_hyper_copy (params);
  g_assert_cmpint (lm_hyper_equal (params, copy), ==, get_bool (golden, "params.eq_copy"));
  lm_hyper_set (copy, "sub.lr", lm_hyper_float (9.0), NULL);
  g_assert_cmpint (lm_hyper_equal (params, copy), ==, get_bool (golden, "params.eq_changed"));
  g_assert_cmpfloat (float_at (params, "sub.lr"), ==, get_number (golden, "params.copy_is_deep"));
}

/* --- text ----------------------------------------------------------------------------------------- */

static void
test_to_text (LmGolden *golden)
{
  JsonObject *attrs = lm_golden_lookup (golden, "params.to_text")->attrs;
  g_autoptr (LmHyper) params = make_params (), back = make_params ();
  g_autofree char *text = lm_hyper_to_text (params, false),
                  *typed = lm_hyper_to_text (params, true), *str = lm_hyper_to_string (params);
  g_autoptr (GError) error = NULL;
  g_assert_cmpstr (text, ==, json_object_get_string_member (attrs, "expect"));
  g_assert_cmpstr (str, ==, json_object_get_string_member (attrs, "expect_str"));
  g_assert_cmpstr (
      typed, ==,
      json_object_get_string_member (json_object_get_object_member (attrs, "with_types"), "ok"));
  lm_hyper_set (back, "sub.text", lm_hyper_string ("?"), NULL);
  lm_hyper_set (back, "dims", lm_hyper_none (), NULL);
  lm_hyper_from_text (back, typed, true, &error); /* ToTextWithTypes reads back by itself */
  g_assert_no_error (error);
  g_assert_true (lm_hyper_equal (params, back));
}

static void
test_from_text (LmGolden *golden)
{
  guint n = 0;
  for (guint i = 0; i < lm_golden_n_cases (golden); i++) {
    const LmGoldenCase *c = lm_golden_case (golden, i);
    if (strcmp (c->kind, "lingvo.Params.FromText") != 0)
      continue;
    g_autoptr (LmHyper) params = make_params (), plain = make_params ();
    g_autoptr (GError) error = NULL;
    const char *text = json_object_get_string_member (c->attrs, "text");
    bool ok = lm_hyper_from_text (params, text, false, &error);
    g_autofree char *changed = lm_hyper_diff (plain, params);
    g_test_message ("%s", c->id);
    n++;
    if (json_object_has_member (result_of (c), "error")) {
      g_autofree char *key = g_strndup (text, strcspn (text, " :="));
      g_assert_false (ok);
      check_error (result_of (c), error, key);
      g_assert_cmpstr (changed, ==, "");
      continue;
    }
    JsonArray *dict =
        json_object_get_array_member (json_object_get_object_member (result_of (c), "ok"), "dict");
    g_assert_no_error (error);
    g_assert_cmpstr (changed, ==,
                     json_array_get_string_element (json_array_get_array_element (dict, 0), 1));
  }
  g_assert_cmpuint (n, ==, 20);
}

static void
test_text_diff (LmGolden *golden)
{
  JsonObject *attrs = lm_golden_lookup (golden, "params.text_diff")->attrs;
  g_autoptr (LmHyper) a = make_params (), b = make_params ();
  g_autofree char *same = lm_hyper_diff (a, b), *there = NULL, *back = NULL;
  lm_hyper_set (b, "alpha", lm_hyper_float (9.0), NULL);
  lm_hyper_set (b, "dims", parse ("[1, 5]"), NULL);
  lm_hyper_set (b, "sub.lr", lm_hyper_float (0.5), NULL);
  there = lm_hyper_diff (a, b);
  back = lm_hyper_diff (b, a);
  g_assert_cmpstr (same, ==, json_object_get_string_member (attrs, "same"));
  g_assert_cmpstr (there, ==, json_object_get_string_member (attrs, "expect"));
  g_assert_cmpstr (back, ==, json_object_get_string_member (attrs, "reverse"));
}

static void
test_merge_common (LmGolden *golden)
{
  g_autoptr (LmHyper) params = make_params (), plain = make_params (), other = lm_hyper_new (NULL);
  define (other, "alpha", lm_hyper_float (7.0));
  define (other, "other", lm_hyper_int (1));
  g_assert_true (lm_hyper_merge_common (params, other, NULL));
  g_autofree char *changed = lm_hyper_diff (plain, params);
  g_assert_cmpstr (changed, ==,
                   json_object_get_string_member (
                       lm_golden_lookup (golden, "params.merge_common")->attrs, "expect"));
}

/* What builds is the config: {"type": cls, ...}. (/api/params/instantiate builds models of it.) */
static void
test_instantiable (LmGolden *golden)
{
  JsonObject *attrs = lm_golden_lookup (golden, "params.instantiable")->attrs;
  g_autoptr (LmHyper) params = lm_hyper_new ("my.class"), copy = NULL, bare = lm_hyper_new (NULL);
  define (params, "a", lm_hyper_int (5));
  copy = lm_hyper_copy (params);
  g_autoptr (JsonNode) node = lm_hyper_to_json (copy);
  JsonObject *config = json_node_get_object (node);
  g_assert_cmpint (
      json_object_get_int_member (config, "a"), ==,
      json_object_get_int_member (json_object_get_object_member (attrs, "instantiate_a"), "ok"));
  g_assert_cmpstr (json_object_get_string_member (config, "type"), ==, "my.class");
  g_assert_true (json_object_get_boolean_member (
      json_object_get_object_member (attrs, "copy_keeps_cls"), "ok"));
  g_assert_cmpstr (lm_hyper_cls (copy), ==, "my.class");
  g_assert_null (lm_hyper_cls (bare));
  lm_hyper_set (copy, "cls", lm_hyper_none (), NULL);
  g_assert_null (lm_hyper_cls (copy));
}

typedef void (*Test) (LmGolden *golden);

static const struct {
  const char *name;
  Test test;
} tests[] = {
    {"/base/hyper_lingvo/refusals", test_refusals},
    {"/base/hyper_lingvo/get_set", test_get_set},
    {"/base/hyper_lingvo/freeze", test_freeze},
    {"/base/hyper_lingvo/delete", test_delete},
    {"/base/hyper_lingvo/is_set", test_is_set},
    {"/base/hyper_lingvo/keys", test_keys},
    {"/base/hyper_lingvo/copy_equal", test_copy_equal},
    {"/base/hyper_lingvo/to_text", test_to_text},
    {"/base/hyper_lingvo/from_text", test_from_text},
    {"/base/hyper_lingvo/text_diff", test_text_diff},
    {"/base/hyper_lingvo/merge_common", test_merge_common},
    {"/base/hyper_lingvo/instantiable", test_instantiable},
};

static void
run (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmGolden) golden = lm_golden_open ("lingvo", &error);
  g_assert_no_error (error);
  tests[GPOINTER_TO_UINT (data)].test (golden);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add_data_func (tests[i].name, GUINT_TO_POINTER (i), run);
  return g_test_run ();
}
