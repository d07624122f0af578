/* SPDX-License-Identifier: Apache-2.0 */
/* Functions in text form through the API. */
#include "core/api/lamina.h"

#include "tests/lib/project.h"
#include <string.h>

/* (a, b) -> (a - b, a * 3): the order of the inputs shows. */
static const char text[] = "func @f(%0: f32[2], %1: f32[2]) -> (f32[2], f32[2]) {\n"
                           "  %2 = subtract(%0, %1) : f32[2]\n"
                           "  %3 = constant() {value = [3.0, 3.0]} : f32[2]\n"
                           "  %4 = multiply(%0, %3) : f32[2]\n"
                           "  return %2, %4\n"
                           "}\n";

typedef struct Fixture {
  char *folder, *path;
  LaminaContext *context;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  f->folder = g_dir_make_tmp ("lamina-function-XXXXXX", NULL);
  f->path = g_build_filename (f->folder, "f.lir", NULL);
  g_assert_true (g_file_set_contents (f->path, text, -1, NULL));
  f->context = lamina_context_new ();
  g_assert_true (lamina_context_add_plugin_dir (f->context, g_getenv ("LAMINA_PLUGIN_DIR"), NULL));
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  lamina_context_free (f->context);
  lm_test_remove_tree (f->folder);
  g_free (f->folder);
  g_free (f->path);
}

static GHashTable *
inputs_of (const char *first, const char *second)
{
  const float a[] = {5, 7}, b[] = {1, 2};
  GHashTable *inputs = lamina_tensors_new ();
  g_hash_table_insert (inputs, g_strdup (first),
                       lamina_tensor_new ("f32", 1, (gint64[]) {2}, a, NULL));
  g_hash_table_insert (inputs, g_strdup (second),
                       lamina_tensor_new ("f32", 1, (gint64[]) {2}, b, NULL));
  return inputs;
}

static void
test_call (Fixture *f, gconstpointer unused)
{
  static const char *const names[][2] = {{"0", "1"}, {"9", "10"}, {"a", "b"}};
  static const char *const backends[] = {"reference", "cpu"};
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    for (guint k = 0; k < G_N_ELEMENTS (backends); k++) {
      g_autoptr (GError) error = NULL;
      g_autofree char *explain = NULL;
      g_autoptr (GHashTable) in = inputs_of (names[i][0], names[i][1]);
      g_autoptr (GHashTable) out =
          lamina_call_file (f->context, f->path, backends[k], in, &explain, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (g_hash_table_size (out), ==, 2);
      g_assert_cmpfloat (lamina_tensor_get (g_hash_table_lookup (out, "0"), 1), ==, 5);
      g_assert_cmpfloat (lamina_tensor_get (g_hash_table_lookup (out, "1"), 0), ==, 15);
      g_assert_nonnull (explain);
    }
}

static void
test_misfit (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) in = inputs_of ("0", "1");
  g_hash_table_replace (in, g_strdup ("1"),
                        lamina_tensor_new ("f64", 1, (gint64[]) {2}, NULL, NULL));
  g_assert_null (lamina_call_file (f->context, f->path, "reference", in, NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "parameter 1", "f32[2]", "f64[2]", NULL);
  g_hash_table_remove (in, "1");
  g_assert_null (lamina_call_file (f->context, f->path, "reference", in, NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "2 parameters", "1 tensors", NULL);
}

static void
test_stages (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *trace = lamina_ir_file (f->context, f->path, NULL, "trace", &error);
  g_assert_cmpstr (trace, ==, text);
  g_autofree char *final = lamina_ir_file (f->context, f->path, "reference", "final", &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (final, "multiply"));
  g_autofree char *plan = lamina_ir_file (f->context, f->path, "reference", "plan", &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (plan, "f32[2]"));
  g_assert_null (lamina_ir_file (f->context, f->path, "reference", "finale", &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "did you mean \"final\"", NULL);
}

static void
test_damaged (Fixture *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) in = inputs_of ("0", "1");
  g_assert_true (g_file_set_contents (f->path, "func @f(", -1, NULL));
  g_assert_null (lamina_call_file (f->context, f->path, "reference", in, NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "f.lir", NULL);
  g_assert_null (lamina_ir_file (f->context, "none.lir", NULL, "trace", &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "none.lir", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/api/function/call", Fixture, NULL, set_up, test_call, tear_down);
  g_test_add ("/api/function/misfit", Fixture, NULL, set_up, test_misfit, tear_down);
  g_test_add ("/api/function/stages", Fixture, NULL, set_up, test_stages, tear_down);
  g_test_add ("/api/function/damaged", Fixture, NULL, set_up, test_damaged, tear_down);
  return g_test_run ();
}
