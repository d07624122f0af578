/* SPDX-License-Identifier: Apache-2.0 */
/* What all inputs of rows share: one order whatever the format, batches split over replicas, seeds,
 * positions. The same 37 examples in five formats. */
#include "tests/lib/inputs.h"

#include <lamina/prng.h>
#include <string.h>

#define ROWS 37

static void
put_be32 (GByteArray *out, guint32 v)
{
  guint32 be = GUINT32_TO_BE (v);
  g_byte_array_append (out, (const guint8 *)&be, 4);
}

/* Row i: inputs (2) = {i, 100 + i}, label i; as u8 and i32. */
static void
write_idx (LmTestInputs *t)
{
  g_autoptr (GByteArray) x = g_byte_array_new (), y = g_byte_array_new ();
  put_be32 (x, 0x00000802);
  put_be32 (x, ROWS);
  put_be32 (x, 2);
  put_be32 (y, 0x00000c01);
  put_be32 (y, ROWS);
  for (guint i = 0; i < ROWS; i++) {
    g_byte_array_append (x, (const guint8[]) {(guint8)i, (guint8)(100 + i)}, 2);
    put_be32 (y, i);
  }
  lm_test_inputs_write (t, "x.idx", x->data, x->len);
  lm_test_inputs_write (t, "y.idx", y->data, y->len);
}

static void
write_csv (LmTestInputs *t)
{
  g_autoptr (GString) text = g_string_new ("a,b,labels\n");
  for (guint i = 0; i < ROWS; i++)
    g_string_append_printf (text, "%u,%u,%u\n", i, 100 + i, i);
  lm_test_inputs_write (t, "x.csv", text->str, -1);
}

static void
write_safetensors (LmTestInputs *t)
{
  g_autofree char *header = g_strdup_printf (
      "{\"__metadata__\":{\"a\":\"b\"},\"labels\":{\"dtype\":\"U8\",\"shape\":[%d],"
      "\"data_offsets\":[0,%d]},\"inputs\":{\"dtype\":\"U8\",\"shape\":[%d,2],\"data_offsets\":[%d,"
      "%d]}}",
      ROWS, ROWS, ROWS, ROWS, 3 * ROWS);
  guint64 n = GUINT64_TO_LE (strlen (header));
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_byte_array_append (out, (const guint8 *)&n, 8);
  g_byte_array_append (out, (const guint8 *)header, (guint)strlen (header));
  for (guint i = 0; i < ROWS; i++)
    g_byte_array_append (out, (const guint8[]) {(guint8)i}, 1);
  for (guint i = 0; i < ROWS; i++)
    g_byte_array_append (out, (const guint8[]) {(guint8)i, (guint8)(100 + i)}, 2);
  lm_test_inputs_write (t, "x.safetensors", out->data, out->len);
}

/* An .npy of inputs; it has no labels. */
static void
write_npy (LmTestInputs *t)
{
  g_autofree char *header =
      g_strdup_printf ("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 2), }", ROWS);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_byte_array_append (out, (const guint8 *)"\x93NUMPY\x01\x00", 8);
  g_byte_array_append (out, (const guint8[]) {(guint8)strlen (header), 0}, 2);
  g_byte_array_append (out, (const guint8 *)header, (guint)strlen (header));
  for (guint i = 0; i < ROWS; i++)
    g_byte_array_append (out, (const guint8[]) {(guint8)i, (guint8)(100 + i)}, 2);
  lm_test_inputs_write (t, "x.npy", out->data, out->len);
}

/* Windows of one byte: window i holds byte i, and byte i + 1 as its label. */
static void
write_text (LmTestInputs *t)
{
  guint8 bytes[ROWS + 1];
  for (guint i = 0; i <= ROWS; i++)
    bytes[i] = (guint8)i;
  lm_test_inputs_write (t, "x.txt", bytes, sizeof bytes);
}

static LmTestInputs *
five_formats (void)
{
  LmTestInputs *t = lm_test_inputs_new ();
  write_idx (t);
  write_csv (t);
  write_safetensors (t);
  write_npy (t);
  write_text (t);
  return t;
}

static const char *const formats[] = {
    "'type': 'lamina.csv', 'file': 'x.csv'",
    "'type': 'lamina.idx', 'file': 'x.idx', 'labels': 'y.idx'",
    "'type': 'lamina.safetensors', 'file': 'x.safetensors'",
    "'type': 'lamina.npz', 'file': 'x.npy'",
    "'type': 'lamina.text', 'file': 'x.txt', 'length': 1",
};

static LmInput *
open_format (LmTestInputs *t, guint format, const char *more, uint32_t index, uint32_t count)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *config = g_strdup_printf ("{%s%s}", formats[format], more);
  LmInput *input = lm_test_inputs_open (t, config, index, count, &error);
  g_assert_no_error (error);
  return input;
}

/* First number of each row of the batch, and its weight's sign: row, or -1 - row at weight 0. */
static void
rows_of (const LmInput *input, int *out)
{
  const LmArray *x = lm_test_inputs_array (input, "inputs");
  const LmArray *w = lm_test_inputs_array (input, "weights");
  int64_t n = x->type.dims[0], size = lam_type_elements (&x->type) / n;
  for (int64_t i = 0; i < n; i++) {
    int row = (int)lm_array_get_double (x, i * size);
    out[i] = lm_array_get_double (w, i) == 0 ? -1 - row : row;
  }
}

/* The order of epoch e, by its rule. */
static void
order_of (lam_prng_key key, guint epoch, uint32_t *order)
{
  uint64_t scratch[2 * ROWS];
  lam_prng_permutation (lam_prng_fold_in (key, epoch), ROWS, order, scratch);
}

static void
test_types (void)
{
  static const char *const wanted[][3] = {{"f32[4,2]", "i32[4]", "f32[4]"},
                                          {"f32[4,2]", "i32[4]", "f32[4]"},
                                          {"f32[4,2]", "i32[4]", "f32[4]"},
                                          {"f32[4,2]", NULL, "f32[4]"},
                                          {"i32[4,1]", "i32[4,1]", "f32[4,1]"}};
  static const char *const names[] = {"inputs", "labels", "weights"};
  g_autoptr (LmTestInputs) t = five_formats ();
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autoptr (LmInput) input = open_format (t, f, ", 'batch_size': 4", 0, 1);
    lm_test_inputs_next (input);
    for (guint k = 0; k < 3; k++) {
      if (wanted[f][k] == NULL)
        continue;
      g_autofree char *type = lm_type_to_string (&lm_test_inputs_array (input, names[k])->type);
      g_assert_cmpstr (type, ==, wanted[f][k]);
    }
    if (f < 3) {
      lm_test_inputs_expect (input, "inputs", "f32[4,2]",
                             (double[]) {0, 100, 1, 101, 2, 102, 3, 103});
      lm_test_inputs_expect (input, "labels", "i32[4]", (double[]) {0, 1, 2, 3});
    }
  }
}

/* Three epochs of one seed: the permutations of the rule, in all formats. */
static void
test_shuffle (void)
{
  g_autoptr (LmTestInputs) t = five_formats ();
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autoptr (LmInput) input =
        open_format (t, f, ", 'batch_size': 37, 'shuffle': true, 'seed': 5, 'repeat': true", 0, 1);
    for (guint epoch = 0; epoch < 3; epoch++) {
      int rows[ROWS];
      uint32_t order[ROWS];
      order_of (lam_prng_seed (5), epoch, order);
      lm_test_inputs_next (input);
      rows_of (input, rows);
      for (guint i = 0; i < ROWS; i++)
        g_assert_cmpint (rows[i], ==, (int)order[i]);
    }
  }
}

/* 1, 2, 4, 8 replicas together get the batches that one gets: over the end of epochs, and with a last
 * batch that is filled. */
static void
test_replicas (void)
{
  static const char *const options[] = {
      ", 'batch_size': 16, 'shuffle': true, 'repeat': true",
      ", 'batch_size': 16, 'shuffle': true, 'repeat': true, 'drop_remainder': true",
      ", 'batch_size': 16, 'repeat': true, 'modulus': 3, 'exclude_remainder': true"};
  g_autoptr (LmTestInputs) t = five_formats ();
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (guint k = 0; k < G_N_ELEMENTS (options) * 3; k++) {
      uint32_t count = 2u << k % 3, part = 16 / count;
      g_autoptr (LmInput) one = open_format (t, f, options[k / 3], 0, 1);
      g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_input_free);
      for (uint32_t r = 0; r < count; r++)
        g_ptr_array_add (all, open_format (t, f, options[k / 3], r, count));
      for (guint step = 0; step < 7; step++) {
        int whole[16], own[16];
        lm_test_inputs_next (one);
        rows_of (one, whole);
        for (uint32_t r = 0; r < count; r++) {
          lm_test_inputs_next (all->pdata[r]);
          g_assert_cmpint (lm_test_inputs_array (all->pdata[r], "inputs")->type.dims[0], ==, part);
          rows_of (all->pdata[r], own);
          g_assert_cmpmem (own, part * sizeof *own, whole + r * part, part * sizeof *own);
        }
      }
      g_assert_cmpint (lm_input_batches (one), ==, lm_input_batches (all->pdata[0]));
    }
}

/* Without sharing, replica r has the order of its own key and goes through all rows. */
static void
test_own_streams (void)
{
  g_autoptr (LmTestInputs) t = five_formats ();
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (uint32_t r = 0; r < 2; r++) {
      g_autoptr (LmInput) input = open_format (
          t, f, ", 'batch_size': 74, 'shuffle': true, 'seed': 5, 'repeat': true, 'shard': false", r,
          2);
      for (guint epoch = 0; epoch < 2; epoch++) {
        int rows[ROWS];
        uint32_t order[ROWS];
        order_of (lam_prng_fold_in (lam_prng_seed (5), r), epoch, order);
        lm_test_inputs_next (input);
        rows_of (input, rows);
        for (guint i = 0; i < ROWS; i++)
          g_assert_cmpint (rows[i], ==, (int)order[i]);
      }
    }
}

static void
test_replicas_refused (void)
{
  static const struct {
    const char *more, *says;
  } rows[] = {{", 'batch_size': 10", "batch_size 10 cannot be split among 4 replicas"},
              {", 'batch_size': 8, 'shard': false", "shard false wants shuffle true"}};
  g_autoptr (LmTestInputs) t = five_formats ();
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
      GError *error = NULL;
      g_autofree char *config = g_strdup_printf ("{%s%s}", formats[f], rows[i].more);
      g_assert_null (lm_test_inputs_open (t, config, 0, 4, &error));
      lm_test_assert_error (&error, LM_ERROR_INVALID, "inputs.x", rows[i].says, NULL);
      g_autoptr (LmInput) alone = lm_test_inputs_good (t, config);
    }
}

/* A position saved alone goes on in two replicas, and back. */
static void
test_position (void)
{
  const char *options = ", 'batch_size': 8, 'shuffle': true, 'repeat': true";
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestInputs) t = five_formats ();
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autoptr (LmInput) one = open_format (t, f, options, 0, 1);
    g_autoptr (LmInput) half = open_format (t, f, options, 1, 2);
    g_autoptr (LmInput) again = open_format (t, f, options, 0, 1);
    int whole[8], back[8], own[4];
    for (guint i = 0; i < 7; i++) /* into the second epoch */
      lm_test_inputs_next (one);
    g_autoptr (LmArray) saved = lm_input_save (one, &error);
    g_assert_true (lm_input_restore (half, saved, &error));
    g_autoptr (LmArray) same = lm_input_save (half, &error);
    g_assert_cmpmem (saved->data, saved->bytes, same->data, same->bytes);
    g_assert_true (lm_input_restore (again, same, &error));
    for (guint i = 0; i < 6; i++) {
      lm_test_inputs_next (one);
      lm_test_inputs_next (half);
      lm_test_inputs_next (again);
      rows_of (one, whole);
      rows_of (half, own);
      rows_of (again, back);
      g_assert_cmpmem (own, sizeof own, whole + 4, sizeof own);
      g_assert_cmpmem (back, sizeof back, whole, sizeof whole);
    }
    g_autoptr (LmInput) other = open_format (t, f, ", 'batch_size': 8, 'modulus': 2", 0, 1);
    g_assert_false (lm_input_restore (other, saved, &error));
    lm_test_assert_error (&error, LM_ERROR_INVALID, "inputs.x", "other data", NULL);
  }
}

/* A host that knows of no replicas gives shorter arguments. */
static void
test_old_host (void)
{
  lam_input_args args = {.struct_size = offsetof (lam_input_args, num_infeed_hosts),
                         .num_infeed_hosts = 7,
                         .infeed_host_index = 3};
  uint32_t index = 9, count = 9;
  lam_input_replica (&args, &index, &count);
  g_assert_cmpuint (index, ==, 0);
  g_assert_cmpuint (count, ==, 1);
  args.struct_size = sizeof args;
  lam_input_replica (&args, &index, &count);
  g_assert_cmpuint (index, ==, 3);
  g_assert_cmpuint (count, ==, 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugins/inputs/types", test_types);
  g_test_add_func ("/plugins/inputs/shuffle", test_shuffle);
  g_test_add_func ("/plugins/inputs/replicas", test_replicas);
  g_test_add_func ("/plugins/inputs/own_streams", test_own_streams);
  g_test_add_func ("/plugins/inputs/replicas_refused", test_replicas_refused);
  g_test_add_func ("/plugins/inputs/position", test_position);
  g_test_add_func ("/plugins/inputs/old_host", test_old_host);
  return g_test_run ();
}
