/* SPDX-License-Identifier: Apache-2.0 */
/* Params at run time: names, frozen objects, copies, fields from one to another, walks. */
#include "core/base/hyper_text.h"

#include <string.h>

static LmHyper *
make (void)
{
  LmHyper *params = lm_hyper_new ("a.type"), *sub = lm_hyper_new (NULL);

  lm_hyper_define (sub, "lr", lm_hyper_float (0.5), "Rate.", NULL);
  lm_hyper_define (params, "b", lm_hyper_int (1), "Count.", NULL);
  lm_hyper_define (params, "sub", lm_hyper_of (sub), "Inner.", NULL);
  lm_hyper_define (params, "a", lm_hyper_parse ("[1, (2,), {'k': 3}]", "test", NULL), "List.",
                   NULL);
  return params;
}

static void
test_define (void)
{
  static const char *const bad[] = {"", "A", "1a", "a-b", "a.b", "a b", "é", "aB", "a\n"};
  static const char *const good[] = {"_", "a", "a1", "_1", "snake_case"};
  g_autoptr (LmHyper) params = make ();

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_false (lm_hyper_define (params, bad[i], lm_hyper_none (), "", &error));
    g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  }
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    g_assert_cmpint (lm_hyper_define (params, good[i], lm_hyper_none (), "", NULL), ==,
                     strcmp (good[i], "a") != 0); /* defined already */
  g_assert_cmpstr (lm_hyper_name (params, 0), ==, "cls");
  g_assert_cmpstr (lm_hyper_name (params, 1), ==, "b");
  g_assert_cmpstr (lm_hyper_description (params, 1), ==, "Count.");
  g_autofree const char **names = lm_hyper_sorted_names (params);
  g_autofree char *list = g_strjoinv (" ", (char **)names);
  g_assert_cmpstr (list, ==, "_ _1 a a1 b cls snake_case sub");
}

static void
check_denied (bool ok, GError **error)
{
  g_assert_false (ok);
  g_assert_error (*error, LM_ERROR, LM_ERROR_DENIED);
  g_clear_error (error);
}

/* Every way to write, through any object on the way that is frozen. */
static void
test_freeze (void)
{
  g_autoptr (LmHyper) params = make (), other = make (), before = NULL;
  LmHyper *sub = lm_hyper_get_params (params, "sub", NULL);
  GError *error = NULL;

  /* Fixed: in lingvo a set through an outer object gets around an inner one's frozen flag. */
  lm_hyper_freeze (sub);
  check_denied (lm_hyper_set (params, "sub.lr", lm_hyper_int (1), &error), &error);
  check_denied (lm_hyper_delete (params, "sub.lr", &error), &error);
  g_assert_true (lm_hyper_set (params, "b", lm_hyper_int (1), NULL));
  before = lm_hyper_copy (params);
  lm_hyper_freeze (params);
  check_denied (lm_hyper_set (params, "b", lm_hyper_int (2), &error), &error);
  check_denied (lm_hyper_set (params, "a[0]", lm_hyper_int (2), &error), &error);
  check_denied (lm_hyper_define (params, "c", lm_hyper_int (2), "", &error), &error);
  check_denied (lm_hyper_delete (params, "b", &error), &error);
  check_denied (lm_hyper_from_text (params, "b : 2", false, &error), &error);
  check_denied (lm_hyper_copy_fields (other, params, NULL, &error), &error);
  check_denied (lm_hyper_merge_common (params, other, &error), &error);
  g_assert_true (lm_hyper_equal (params, before));
}

static void
test_copy (void)
{
  g_autoptr (LmHyper) params = make (), copy = NULL;

  lm_hyper_freeze (lm_hyper_get_params (params, "sub", NULL));
  copy = lm_hyper_copy (params);
  g_assert_false (lm_hyper_is_frozen (copy));
  g_assert_true (lm_hyper_is_frozen (lm_hyper_get_params (copy, "sub", NULL)));
  g_assert_cmpstr (lm_hyper_description (copy, 3), ==, "List.");
  g_assert_true (lm_hyper_set (copy, "a[2]['k']", lm_hyper_int (9), NULL));
  g_assert_cmpint (lm_hyper_get (params, "a[2]['k']", NULL)->i, ==, 3);
}

/* Names and values only. */
static void
test_equal (void)
{
  g_autoptr (LmHyper) a = lm_hyper_new (NULL), b = lm_hyper_new (NULL);

  lm_hyper_define (a, "x", lm_hyper_int (1), "one", NULL);
  lm_hyper_define (a, "y", lm_hyper_int (2), "", NULL);
  lm_hyper_define (b, "y", lm_hyper_int (2), "two", NULL);
  g_assert_false (lm_hyper_equal (a, b));
  lm_hyper_define (b, "x", lm_hyper_float (1.0), "", NULL); /* 1 == 1.0 */
  lm_hyper_freeze (b);
  g_assert_true (lm_hyper_equal (a, b));
}

static void
test_copy_fields (void)
{
  static const char *const skip[] = {"sub", NULL};
  g_autoptr (LmHyper) from = make (), to = lm_hyper_new ("other.type");
  g_autoptr (GError) error = NULL;

  lm_hyper_define (to, "b", lm_hyper_none (), "", NULL);
  g_assert_false (lm_hyper_copy_fields (from, to, skip, &error)); /* "a" is not there */
  g_assert_error (error, LM_ERROR, LM_ERROR_NOT_FOUND);
  g_assert_false (lm_hyper_is_set (to, "b", NULL)); /* nothing was written */
  lm_hyper_define (to, "a", lm_hyper_none (), "", NULL);
  g_assert_true (lm_hyper_copy_fields (from, to, skip, NULL));
  g_assert_cmpstr (lm_hyper_cls (to), ==, "other.type"); /* never copied */
  g_assert_cmpint (lm_hyper_get (to, "b", NULL)->i, ==, 1);
  g_assert_true (lm_hyper_get (to, "a", NULL) != lm_hyper_get (from, "a", NULL));
  g_assert_false (lm_hyper_has (to, "sub"));
  /* From a part of itself. */
  lm_hyper_define (to, "part", lm_hyper_of (lm_hyper_new (NULL)), "", NULL);
  LmHyper *part = lm_hyper_get_params (to, "part", NULL);
  lm_hyper_define (part, "part", lm_hyper_int (7), "", NULL);
  g_assert_true (lm_hyper_merge_common (to, part, NULL));
  g_assert_cmpint (lm_hyper_get (to, "part", NULL)->i, ==, 7);
}

static bool
enter (const char *key, const LmHyperValue *value, gpointer user)
{
  g_string_append_printf (user, "(%s ", key);
  return value->kind != LM_HYPER_TUPLE;
}

static void
visit (const char *key, const LmHyperValue *value, gpointer user)
{
  g_string_append_printf (user, "%s:%s ", key, lm_hyper_type_name (value->kind));
}

static void
leave (const char *key, const LmHyperValue *value, gpointer user)
{
  g_string_append_printf (user, "%s) ", key);
}

static void
test_visit (void)
{
  g_autoptr (LmHyper) params = make ();
  g_autoptr (GString) text = g_string_new (NULL);
  LmHyperVisitor visitor = {enter, visit, leave, text};

  lm_hyper_visit (params, &visitor); /* the tuple is declined */
  g_assert_cmpstr (text->str, ==,
                   "( cls:str b:int (sub sub.lr:float sub) (a a[0]:int (a[1] a[1]:tuple (a[2] "
                   "a[2]['k']:int a[2]) a) ) ");
  visitor = (LmHyperVisitor) {NULL, visit, NULL, text};
  g_string_truncate (text, 0);
  lm_hyper_visit (params, &visitor);
  g_assert_cmpstr (text->str, ==, "cls:str b:int sub.lr:float a[0]:int a[1][0]:int a[2]['k']:int ");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/hyper/define", test_define);
  g_test_add_func ("/base/hyper/freeze", test_freeze);
  g_test_add_func ("/base/hyper/copy", test_copy);
  g_test_add_func ("/base/hyper/equal", test_equal);
  g_test_add_func ("/base/hyper/copy_fields", test_copy_fields);
  g_test_add_func ("/base/hyper/visit", test_visit);
  return g_test_run ();
}
