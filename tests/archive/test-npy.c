/* SPDX-License-Identifier: Apache-2.0 */
/* .npy bytes as NumPy 1.26 writes them (numpy.save, given in the comments), and what is no .npy. */
#include "core/archive/npy.h"

#include "tests/lib/fixture.h"
#include <glib/gstdio.h>
#include <string.h>

/* A version 1.0 file: the dict padded to 64 bytes, then data. */
static GBytes *
make (const char *dict, const void *data, gsize n)
{
  GString *out = g_string_new_len ("\x93NUMPY\x01\x00", 8);
  gsize length = strlen (dict) + 1;
  g_string_append_c (out, (char)(length & 255));
  g_string_append_c (out, (char)(length >> 8));
  g_string_append (out, dict);
  g_string_append_c (out, '\n');
  g_string_append_len (out, data, (gssize)n);
  return g_string_free_to_bytes (out);
}

static LmArray *
read_ok (const char *dict, const void *data, gsize n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = make (dict, data, n);
  LmArray *array = lm_npy_read (bytes, "x.npy", &error);
  g_assert_no_error (error);
  return array;
}

/* np.save of np.array ([[1, 2, 3], [4, 5, 6]], 'f4'), C and Fortran order. */
static void
test_order (void)
{
  const float rows[] = {1, 2, 3, 4, 5, 6}, columns[] = {1, 4, 2, 5, 3, 6};
  g_autoptr (LmArray) a =
      read_ok ("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", rows, sizeof rows);
  g_autoptr (LmArray) b = read_ok ("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }",
                                   columns, sizeof columns);
  g_autofree char *type = lm_type_to_string (&b->type);
  g_assert_cmpstr (type, ==, "f32[2,3]");
  g_assert_cmpmem (a->data, sizeof rows, rows, sizeof rows);
  g_assert_cmpmem (b->data, sizeof rows, rows, sizeof rows);
}

static void
test_types (void)
{
  static const struct {
    const char *descr;
    lam_dtype dtype;
  } cases[] = {{"<f8", LAM_F64}, {"<f2", LAM_F16}, {"<i8", LAM_I64}, {"<i4", LAM_I32},
               {"<i2", LAM_I16}, {"|i1", LAM_I8},  {"<u8", LAM_U64}, {"<u4", LAM_U32},
               {"<u2", LAM_U16}, {"|u1", LAM_U8},  {"|b1", LAM_PRED}};
  const guint8 one[8] = {1};
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *dict = g_strdup_printf (
        "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }", cases[i].descr);
    g_autoptr (LmArray) a = read_ok (dict, one, lam_dtype_bits (cases[i].dtype) / 8);
    g_assert_cmpint (a->type.dtype, ==, cases[i].dtype);
    g_assert_cmpint (a->type.rank, ==, 1);
  }
  g_autoptr (LmArray) scalar =
      read_ok ("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", one, 1);
  g_assert_cmpint (scalar->type.rank, ==, 0);
  g_assert_cmpfloat (lm_array_get_double (scalar, 0), ==, 1);
}

/* What is written is read back, and its header is what NumPy writes for the array. */
static void
test_write (void)
{
  g_autoptr (GError) error = NULL;
  lam_type type = lm_type (LAM_I16, 1, (int64_t[]) {3});
  g_autoptr (LmArray) a = lm_test_array (&type, (double[]) {-1, 0, 300});
  g_autoptr (GBytes) bytes = lm_npy_write (a, "a", &error);
  gsize n;
  const char *data = g_bytes_get_data (bytes, &n);
  g_assert_cmpuint (n, ==, 128 + 6);
  g_assert_true (
      strncmp (data + 10, "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }", 57) == 0);
  g_assert_cmpint (data[127], ==, '\n');
  g_autoptr (LmArray) back = lm_npy_read (bytes, "a", &error);
  g_assert_no_error (error);
  g_assert_true (lm_type_equal (&back->type, &type));
  g_assert_cmpmem (back->data, 6, a->data, 6);
}

static void
test_refused (void)
{
  static const struct {
    const char *dict, *says;
    LmErrorCode code;
  } cases[] = {
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "little-endian",
       LM_ERROR_CORRUPT},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "<c8", LM_ERROR_CORRUPT},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "records",
       LM_ERROR_CORRUPT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "f32[2]", LM_ERROR_CORRUPT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 16), }", "header",
       LM_ERROR_CORRUPT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", "too large",
       LM_ERROR_CORRUPT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }", "axes",
       LM_ERROR_CORRUPT},
      {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }", "True nor False",
       LM_ERROR_CORRUPT},
      {"{'descr': '<f4', 'shape': (1,), }", "lacks", LM_ERROR_CORRUPT},
      {"{'descr': '<f4', 'descr': '<f4', 'shape': (1,), }", "descr", LM_ERROR_CORRUPT},
      {"{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }", "0 or 1", LM_ERROR_CORRUPT},
      {"('<f4', False, (1,))", "dict", LM_ERROR_CORRUPT},
  };
  const guint8 data[4] = {1, 2, 3, 4};
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GBytes) bytes = make (cases[i].dict, data, sizeof data);
    g_assert_null (lm_npy_read (bytes, "x.npy", &error));
    lm_test_assert_error (&error, cases[i].code, "x.npy", cases[i].says, NULL);
  }
}

/* Every prefix of a good file is refused. */
static void
test_truncated (void)
{
  const float rows[] = {1, 2};
  g_autoptr (GBytes) whole =
      make ("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", rows, sizeof rows);
  for (gsize n = 0; n < g_bytes_get_size (whole); n++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GBytes) part = g_bytes_new_from_bytes (whole, 0, n);
    g_assert_null (lm_npy_read (part, "x.npy", &error));
    lm_test_assert_error (&error, LM_ERROR_CORRUPT, "x.npy", NULL);
  }
}

static void
test_bf16 (void)
{
  g_autoptr (GError) error = NULL;
  lam_type type = lm_scalar_type (LAM_BF16);
  g_autoptr (LmArray) a = lm_test_array (&type, (double[]) {1});
  g_assert_null (lm_npy_write (a, "weights", &error));
  lm_test_assert_error (&error, LM_ERROR_UNSUPPORTED, "weights", "bf16", "safetensors", NULL);
}

static void
test_npz (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lamina-npz-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "x.npz", NULL);
  g_autoptr (GHashTable) arrays =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)lm_array_unref);
  lam_type type = lm_type (LAM_F64, 1, (int64_t[]) {2});
  g_hash_table_insert (arrays, "a", lm_test_array (&type, (double[]) {1.5, -2}));
  g_hash_table_insert (arrays, "b.c", lm_test_array (&type, (double[]) {3, 4}));
  g_assert_true (lm_npz_write (arrays, path, &error));
  g_autoptr (GHashTable) back = lm_npz_read (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_hash_table_size (back), ==, 2);
  g_assert_cmpfloat (lm_array_get_double (g_hash_table_lookup (back, "b.c"), 1), ==, 4);
  g_remove (path);
  g_remove (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/archive/npy/order", test_order);
  g_test_add_func ("/archive/npy/types", test_types);
  g_test_add_func ("/archive/npy/write", test_write);
  g_test_add_func ("/archive/npy/refused", test_refused);
  g_test_add_func ("/archive/npy/truncated", test_truncated);
  g_test_add_func ("/archive/npy/bf16", test_bf16);
  g_test_add_func ("/archive/npy/npz", test_npz);
  return g_test_run ();
}
