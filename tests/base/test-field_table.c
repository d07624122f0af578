/* SPDX-License-Identifier: Apache-2.0 */
/* Field tables declared with the SDK's own macros, and faulty ones declared by hand. */
#include "core/base/params.h"

#include <math.h>
#include <string.h>

typedef struct {
  int64_t input_dims;
  double scale;
  bool has_bias;
  const char *padding;
  lam_ints window;
} pool;

LAM_FIELDS (pool, LAM_INT (input_dims, 0, "Depth of the input."), LAM_MIN (1),
            LAM_FLOAT (scale, 0.5, "Factor."), LAM_BOOL (has_bias, true, "Whether."),
            LAM_STRING (padding, "same", "How edges count."), LAM_CHOICES ("same valid"),
            LAM_INTS (window, "[2, 2]", "Extent."), LAM_MIN (1), LAM_MAX (9))

static void
test_declared (void)
{
  g_autoptr (GError) error = NULL;
  LmFieldTable *table = lm_field_table_new ("t.pool", pool_lam_fields, sizeof (pool), &error);
  const LmField *field;

  g_assert_no_error (error);
  g_assert_cmpuint (lm_field_table_size (table), ==, 5);
  field = lm_field_table_get (table, 0);
  g_assert_cmpstr (field->name, ==, "input_dims");
  g_assert_true (field->has_min && !field->has_max && field->min == 1);
  g_assert_cmpuint (field->size, ==, 8);
  field = lm_field_table_find (table, "padding");
  g_assert_cmpuint (field->offset, ==, offsetof (pool, padding));
  g_assert_cmpstr (field->choices[1], ==, "valid");
  g_assert_true (lm_field_table_find (table, "has_bias")->default_int == 1);
  g_assert_cmpstr (lm_field_table_find (table, "window")->default_text, ==, "[2, 2]");
  g_assert_null (lm_field_table_find (table, "none"));
  lm_field_table_free (table);
}

static void
declare_faulty (lam_fields *f)
{
  f->add (f, LAM_FIELD_INT, "x", 0, 8, 0, NULL, NULL);
  f->add (f, LAM_FIELD_INT, "x", 8, 8, 0, NULL, NULL);
  f->add (f, LAM_FIELD_INT, "Big", 8, 8, 0, NULL, NULL);
  f->add (f, LAM_FIELD_INT, "beyond", 12, 8, 0, NULL, NULL);
  f->add (f, LAM_FIELD_INT, "wraps", UINT64_MAX - 3, 8, 0, NULL, NULL);
  f->add (f, LAM_FIELD_INT, "narrow", 0, 4, 0, NULL, NULL);
  f->add (f, 77, "future", 0, 8, 0, NULL, NULL);
  f->add (f, LAM_FIELD_INT, NULL, 0, 8, NAN, NULL, NULL);
  f->refine (f, 99, 0, NULL);
  f->add (f, LAM_FIELD_INTS, "list", 0, 16, 0, "[1, \"x\"]", NULL);
  f->add (f, LAM_FIELD_INTS, "text", 0, 16, 0, "[1", NULL);
}

static void
test_faulty (void)
{
  static const char *const wanted[] = {
      "of t.faulty is faulty",
      "x: declared twice",
      "Big: a field name is",
      "beyond: a member of kind int",
      "wraps: a member",
      "narrow: a member of kind int has 8 bytes",
      "future: unknown kind 77",
      "(no name): a field name is",
      "(no name): the default is",
      "unknown refinement 99",
      "default of list: wanted a list of integers, got [",
      "default of text:1:3:",
  };
  g_autoptr (GError) error = NULL;

  g_assert_null (lm_field_table_new ("t.faulty", declare_faulty, 16, &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_PLUGIN);
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    if (strstr (error->message, wanted[i]) == NULL)
      g_error ("\"%s\" is not in: %s", wanted[i], error->message);
}

static void
declare_endless (lam_fields *f)
{
  for (int i = 0; i < 100000; i++)
    f->add (f, LAM_FIELD_INT, "x", 0, 8, 0, NULL, NULL);
}

static void
declare_early (lam_fields *f)
{
  f->refine (f, LAM_REFINE_MIN, 0, NULL);
}

static void
test_hostile (void)
{
  g_autoptr (GError) a = NULL, b = NULL;
  LmFieldTable *none = lm_field_table_new ("t.none", NULL, 0, NULL);

  g_assert_null (lm_field_table_new ("t.endless", declare_endless, 8, &a));
  g_assert_nonnull (strstr (a->message, "1000 fields or more"));
  g_assert_null (lm_field_table_new ("t.early", declare_early, 8, &b));
  g_assert_nonnull (strstr (b->message, "before the first field"));
  g_assert_cmpuint (lm_field_table_size (none), ==, 0);
  lm_field_table_free (none);
}

static void
test_shown (void)
{
  LmFieldTable *table = lm_field_table_new ("t.pool", pool_lam_fields, sizeof (pool), NULL);
  g_autofree char *text = lm_field_table_to_text (table, "Pools.");
  g_autoptr (JsonNode) node = lm_field_table_to_json (table);
  JsonArray *array = json_node_get_array (node);
  JsonObject *first = json_array_get_object_element (array, 0);

  g_assert_true (g_str_has_prefix (text, "t.pool: Pools.\n"));
  g_assert_nonnull (strstr (text, "an integer >= 1; required\n"));
  g_assert_nonnull (strstr (text, "one of: same, valid; default \"same\"\n"));
  g_assert_nonnull (strstr (text, "a list of integers >= 1 and <= 9; default [2, 2]\n"));
  g_assert_cmpuint (json_array_get_length (array), ==, 5);
  g_assert_cmpstr (json_object_get_string_member (first, "kind"), ==, "int");
  g_assert_true (json_object_get_boolean_member (first, "required"));
  lm_field_table_free (table);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/field_table/declared", test_declared);
  g_test_add_func ("/base/field_table/faulty", test_faulty);
  g_test_add_func ("/base/field_table/hostile", test_hostile);
  g_test_add_func ("/base/field_table/shown", test_shown);
  return g_test_run ();
}
