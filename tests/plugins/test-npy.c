/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of plugins/inputs/npy.h: headers as numpy.lib.format writes them, and broken ones. */
#include <glib.h>
#include <lamina/ir.h>

#include "plugins/inputs/npy.h"

/* A file of the given version with this header text and `data` zero bytes after it. */
static GByteArray *
file (guint8 version, const char *header, guint data)
{
  GByteArray *out = g_byte_array_new ();
  gsize n = strlen (header);
  guint8 zeros[64] = {0}, lengths[4] = {(guint8)n, (guint8)(n >> 8), 0, 0};
  g_byte_array_append (out, (const guint8 *)"\x93NUMPY", 6);
  g_byte_array_append (out, &version, 1);
  g_byte_array_append (out, zeros, 1);
  g_byte_array_append (out, lengths, version == 1 ? 2 : 4);
  g_byte_array_append (out, (const guint8 *)header, (guint)n);
  g_assert_cmpuint (data, <=, sizeof zeros);
  g_byte_array_append (out, zeros, data);
  return out;
}

static void
test_read (void)
{
  static const struct {
    guint8 version;
    const char *header;
    guint data;
    lam_type type;
  } rows[] = {
      {1,
       "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  \n",
       24,
       {LAM_F32, 2, {2, 3}}},
      {2, "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }\n", 4, {LAM_U8, 1, {4}}},
      {3, "{'shape': (), 'fortran_order': False, 'descr': \"<f8\"}", 8, {LAM_F64, 0, {0}}},
      {1, "{'descr': '<i8', 'fortran_order': False, 'shape': (0, 5)}", 0, {LAM_I64, 2, {0, 5}}},
      {1, "{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", 1, {LAM_PRED, 1, {1}}},
      {1, "{'descr': '<i1', 'fortran_order': False, 'shape': (1,)}", 1, {LAM_I8, 1, {1}}},
      {1, "{'descr': '<f2', 'fortran_order': False, 'shape': (3,)}", 6, {LAM_F16, 1, {3}}},
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GByteArray) bytes = file (rows[i].version, rows[i].header, rows[i].data);
    npy_array array;
    g_assert_cmpstr (npy_read (bytes->data, bytes->len, &array), ==, NULL);
    g_assert_cmpint (array.type.dtype, ==, rows[i].type.dtype);
    g_assert_cmpint (array.type.rank, ==, rows[i].type.rank);
    for (int32_t k = 0; k < array.type.rank; k++)
      g_assert_cmpint (array.type.dims[k], ==, rows[i].type.dims[k]);
    g_assert_cmpint (array.elements, ==, lam_type_elements (&array.type));
    g_assert_true (array.data + rows[i].data == bytes->data + bytes->len);
  }
}

static void
test_refuse (void)
{
#define HEAD(descr, order, shape)                                                                  \
  "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape "}"
  static const struct {
    guint8 version;
    const char *header;
    guint data;
    const char *error;
  } rows[] = {
      {1, HEAD ("'>f4'", "False", "(1,)"), 4, "big-endian"},
      {1, HEAD ("'<f4'", "True", "(1,)"), 4, "Fortran order"},
      {1, HEAD ("'<f4'", "Maybe", "(1,)"), 4, "neither True nor False"},
      {1, HEAD ("'<c8'", "False", "(1,)"), 8, "dtype is not one of"},
      {1, HEAD ("'|f4'", "False", "(1,)"), 4, "dtype is not one of"},
      {1, HEAD ("''", "False", "(1,)"), 4, "dtype is not one of"},
      {1, HEAD ("[('a', '<f4')]", "False", "(1,)"), 4, "structured"},
      {1, HEAD ("'<f4'", "False", "(2,)"), 4, "before its last element"},
      {1, HEAD ("'<f4'", "False", "(4294967296, 4294967296, 4294967296)"), 4, "before its last"},
      {1, HEAD ("'<f4'", "False", "(99999999999999999999,)"), 4, "too large"},
      {1, HEAD ("'<f4'", "False", "(-1,)"), 4, "number >= 0"},
      {1, HEAD ("'<f4'", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), 4, "more than 8 axes"},
      {1, HEAD ("'<f4'", "False", "(1 1)"), 4, "tuple of numbers"},
      {1, HEAD ("'<f4'", "False", "1"), 4, "not a tuple"},
      {1, "{'descr': '<f4', 'fortran_order': False}", 4, "lacks"},
      {1, "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}", 4, "twice"},
      {1, "{'descr': '<f4', 'colour': 3}", 4, "another key"},
      {1, "{'descr' '<f4'}", 4, "without a value"},
      {1, "{'descr': '<f4", 4, "inside a text"},
      {1, "{'descr': '<f4' 'shape': ()}", 4, "does not end"},
      {1, "[1, 2]", 4, "not a dictionary"},
      {1, HEAD ("'<f4'", "False", "()") "}", 4, "after the header"},
      {4, HEAD ("'<f4'", "False", "()"), 4, "format version"},
  };
#undef HEAD
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GByteArray) bytes = file (rows[i].version, rows[i].header, rows[i].data);
    npy_array array;
    const char *error = npy_read (bytes->data, bytes->len, &array);
    if (error == NULL || strstr (error, rows[i].error) == NULL)
      g_test_fail_printf ("%s: got \"%s\", wanted \"%s\"", rows[i].header, error, rows[i].error);
  }
}

/* Every proper prefix of a file is refused; memory past it would trip the sanitizer. */
static void
test_truncated (void)
{
  g_autoptr (GByteArray) bytes =
      file (1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24);
  for (guint n = 0; n < bytes->len; n++) {
    g_autofree guint8 *part = g_memdup2 (bytes->data, n);
    npy_array array;
    g_assert_nonnull (npy_read (part, n, &array));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugins/npy/read", test_read);
  g_test_add_func ("/plugins/npy/refuse", test_refuse);
  g_test_add_func ("/plugins/npy/truncated", test_truncated);
  return g_test_run ();
}
