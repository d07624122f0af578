/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors, and tables of them in files. */
#include "core/api/lamina.h"

#include "tests/lib/project.h"

static LaminaTensor *
make (const char *dtype, gint64 n, const void *data)
{
  g_autoptr (GError) error = NULL;
  LaminaTensor *t = lamina_tensor_new (dtype, 1, &n, data, &error);
  g_assert_no_error (error);
  return t;
}

static void
test_tensor (void)
{
  const float values[] = {1, 2, 3, 4, 5, 6};
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaTensor) t = lamina_tensor_new ("f32", 2, (gint64[]) {2, 3}, values, &error);
  g_autofree char *type = lamina_tensor_type (t);
  gsize n;
  g_assert_cmpstr (type, ==, "f32[2,3]");
  g_assert_cmpstr (lamina_tensor_dtype (t), ==, "f32");
  g_assert_cmpint (lamina_tensor_rank (t), ==, 2);
  g_assert_cmpint (lamina_tensor_dim (t, 1), ==, 3);
  g_assert_cmpint (lamina_tensor_elements (t), ==, 6);
  const void *data = lamina_tensor_data (t, &n);
  g_assert_cmpmem (data, n, values, sizeof values);
  g_assert_cmpfloat (lamina_tensor_get (t, 4), ==, 5);
  g_autoptr (LaminaTensor) zeros = make ("i64", 3, NULL);
  g_assert_cmpfloat (lamina_tensor_get (zeros, 2), ==, 0);
}

static void
test_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (lamina_tensor_new ("float", 0, NULL, NULL, &error));
  g_assert_error (error, LAMINA_ERROR, LAMINA_ERROR_INVALID);
  lm_test_assert_error (&error, LM_ERROR_INVALID, "float", "f32", NULL);
  g_assert_null (lamina_tensor_new ("f32", 9, (gint64[9]) {0}, NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "rank 9", NULL);
  g_assert_null (lamina_tensor_new ("f32", 1, (gint64[]) {-1}, NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, NULL);
  g_assert_null (lamina_tensor_new ("f64", 2, (gint64[]) {G_MAXINT64, 4}, NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, NULL);
}

/* Codes and their numbers are the core's: they are exit statuses and stored in scripts. */
static void
test_codes (void)
{
  static const int pairs[][2] = {{LAMINA_ERROR_INVALID, LM_ERROR_INVALID},
                                 {LAMINA_ERROR_NOT_FOUND, LM_ERROR_NOT_FOUND},
                                 {LAMINA_ERROR_CORRUPT, LM_ERROR_CORRUPT},
                                 {LAMINA_ERROR_IO, LM_ERROR_IO},
                                 {LAMINA_ERROR_UNSUPPORTED, LM_ERROR_UNSUPPORTED},
                                 {LAMINA_ERROR_DENIED, LM_ERROR_DENIED},
                                 {LAMINA_ERROR_PLUGIN, LM_ERROR_PLUGIN},
                                 {LAMINA_ERROR_NO_MEMORY, LM_ERROR_NO_MEMORY},
                                 {LAMINA_ERROR_CANCELLED, LM_ERROR_CANCELLED},
                                 {LAMINA_ERROR_INTERNAL, LM_ERROR_INTERNAL}};
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    g_assert_cmpint (pairs[i][0], ==, pairs[i][1]);
    g_assert_cmpint (pairs[i][0], ==, (int)i + 1);
  }
  g_assert_cmpuint (lamina_error_quark (), ==, lm_error_quark ());
}

static void
test_files (gconstpointer suffix)
{
  const gint16 values[] = {-1, 0, 32767};
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lamina-tensors-XXXXXX", NULL);
  g_autofree char *name = g_strconcat ("x", suffix, NULL);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GHashTable) table = lamina_tensors_new ();
  g_hash_table_insert (table, g_strdup ("a.b"), make ("i16", 3, values));
  g_hash_table_insert (table, g_strdup ("zero"), make ("bool", 1, NULL));
  g_assert_true (lamina_tensors_save (table, path, &error));
  g_autoptr (GHashTable) back = lamina_tensors_load (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_hash_table_size (back), ==, 2);
  const LaminaTensor *t = g_hash_table_lookup (back, "a.b");
  g_autofree char *type = lamina_tensor_type (t);
  g_assert_cmpstr (type, ==, "i16[3]");
  g_assert_cmpfloat (lamina_tensor_get (t, 2), ==, 32767);
  lm_test_remove_tree (folder);
}

static void
test_file_kinds (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) table = lamina_tensors_new ();
  g_assert_null (lamina_tensors_load ("x.csv", &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "x.csv", ".npz", NULL);
  g_assert_false (lamina_tensors_save (table, "x.npy", &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "x.npy", ".safetensors", NULL);
  g_assert_null (lamina_tensors_load ("none.npz", &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "none.npz", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/api/tensors/tensor", test_tensor);
  g_test_add_func ("/api/tensors/refused", test_refused);
  g_test_add_func ("/api/tensors/codes", test_codes);
  g_test_add_data_func ("/api/tensors/npz", ".npz", test_files);
  g_test_add_data_func ("/api/tensors/safetensors", ".safetensors", test_files);
  g_test_add_func ("/api/tensors/file_kinds", test_file_kinds);
  return g_test_run ();
}
