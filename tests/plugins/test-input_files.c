/* SPDX-License-Identifier: Apache-2.0 */
/* The files of lamina.idx, lamina.safetensors and lamina.text: every dtype, windows, and files that are
 * refused. */
#include "tests/lib/inputs.h"

#include <math.h>
#include <string.h>

/* --- IDX ------------------------------------------------------------------------------------------ */

static void
write_hex (LmTestInputs *t, const char *name, const char *hex)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  for (; *hex != '\0'; hex++) {
    if (*hex == ' ')
      continue;
    guint8 byte = (guint8)(g_ascii_xdigit_value (hex[0]) << 4 | g_ascii_xdigit_value (hex[1]));
    g_byte_array_append (out, &byte, 1);
    hex++;
  }
  lm_test_inputs_write (t, name, out->data, out->len);
}

#define IDX(more) "{'type': 'lamina.idx', 'file': 'x', 'batch_size': 2" more "}"

static void
test_idx (void)
{
  static const struct {
    const char *hex, *keep;
    double want[2];
  } rows[] = {
      {"00000801 00000002 05ff", "u8[2]", {5, 255}},
      {"00000901 00000002 05ff", "i8[2]", {5, -1}},
      {"00000b01 00000002 0102 8000", "i16[2]", {258, -32768}},
      {"00000c01 00000002 01020304 fffffffe", "i32[2]", {16909060, -2}},
      {"00000d01 00000002 3fc00000 ff800000", "f32[2]", {1.5, -INFINITY}},
      {"00000e01 00000002 3ff8000000000000 bfb999999999999a", "f64[2]", {1.5, -0.1}},
  };
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  t->dtype = "f64";
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    write_hex (t, "x", rows[i].hex);
    g_autoptr (LmInput) real = lm_test_inputs_good (t, IDX (""));
    g_autoptr (LmInput) keep = lm_test_inputs_good (t, IDX (", 'dtype': 'keep'"));
    g_autoptr (LmInput) scaled = lm_test_inputs_good (t, IDX (", 'scale': 0.5, 'offset': 1"));
    lm_test_inputs_next (real);
    lm_test_inputs_next (keep);
    lm_test_inputs_next (scaled);
    lm_test_inputs_expect (real, "inputs", "f64[2]", rows[i].want);
    lm_test_inputs_expect (keep, "inputs", rows[i].keep, rows[i].want);
    lm_test_inputs_expect (scaled, "inputs", "f64[2]",
                           (double[]) {rows[i].want[0] / 2 + 1, rows[i].want[1] / 2 + 1});
  }
}

static void
test_idx_refused (void)
{
  static const struct {
    const char *hex, *config, *says;
    LmErrorCode code;
  } rows[] = {
      {"", IDX (""), "x: it does not start as an IDX file", LM_ERROR_CORRUPT},
      {"00010801 00000002 05ff", IDX (""), "two zero bytes", LM_ERROR_CORRUPT},
      {"1f8b0801", IDX (""), "compressed by gzip; unpack it", LM_ERROR_CORRUPT},
      {"00000a01 00000002 05ff", IDX (""), "type is not one of 0x08", LM_ERROR_CORRUPT},
      {"00000800", IDX (""), "1 to 8 axes", LM_ERROR_CORRUPT},
      {"00000809", IDX (""), "1 to 8 axes", LM_ERROR_CORRUPT},
      {"00000802 00000002", IDX (""), "ends inside its header", LM_ERROR_CORRUPT},
      {"00000801 00000003 05ff", IDX (""), "before its last element", LM_ERROR_CORRUPT},
      {"00000801 00000001 05ff", IDX (""), "bytes after its last element", LM_ERROR_CORRUPT},
      {"00000803 ffffffff ffffffff ffffffff 05", IDX (""), "before its last", LM_ERROR_CORRUPT},
      {"00000802 ffffffff 00000000", IDX (", 'shuffle': true"), "the inputs have no elements",
       LM_ERROR_INVALID},
      {"00000801 00000000", IDX (""), "no row is left of 0", LM_ERROR_INVALID},
      {"00000801 00000002 05ff", IDX (", 'labels': 'y'"), "2 inputs but 3 labels",
       LM_ERROR_INVALID},
      {"00000801 00000002 05ff", IDX (", 'labels': 'z'"),
       "labels want integers of shape (N), got f32 of rank 1", LM_ERROR_INVALID},
      {"00000801 00000002 05ff", IDX (", 'labels': 'w'"), "x: labels w: it does not start",
       LM_ERROR_CORRUPT},
      {"00000801 00000002 05ff", IDX (", 'labels': 'none'"), "none", LM_ERROR_NOT_FOUND},
      {"00000801 00000002 05ff", IDX (", 'dtype': 'keep', 'scale': 2"),
       "dtype keep excludes scale and offset", LM_ERROR_INVALID},
  };
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  write_hex (t, "y", "00000801 00000003 010203");
  write_hex (t, "z", "00000d01 00000002 3fc00000 3fc00000");
  write_hex (t, "w", "ff");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    write_hex (t, "x", rows[i].hex);
    lm_test_inputs_refused (t, rows[i].config, rows[i].code, rows[i].says);
  }
}

/* --- safetensors ------------------------------------------------------------------------------------- */

#define TENSORS(more) "{'type': 'lamina.safetensors', 'file': 'x', 'batch_size': 2" more "}"

/* Header with ' for ", then the data. */
static void
write_tensors (LmTestInputs *t, const char *header, const void *data, gsize size)
{
  g_autofree char *text = g_strdelimit (g_strdup (header), "'", '"');
  guint64 n = GUINT64_TO_LE (strlen (text));
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_byte_array_append (out, (const guint8 *)&n, 8);
  g_byte_array_append (out, (const guint8 *)text, (guint)strlen (text));
  g_byte_array_append (out, data, (guint)size);
  lm_test_inputs_write (t, "x", out->data, out->len);
}

static void
test_tensors (void)
{
  static const struct {
    const char *dtype, *keep;
    guint width;
    guint8 data[16];
    double want[2];
  } rows[] = {
      {"F64",
       "f64[2]",
       8,
       {0, 0, 0, 0, 0, 0, 0xf8, 0xbf, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f},
       {-1.5, INFINITY}},
      {"F32", "f32[2]", 4, {0, 0, 0xc0, 0x3f, 1, 0, 0, 0}, {1.5, 0x1p-149}},
      {"F16", "f16[2]", 2, {0, 0x3e, 1, 0x80}, {1.5, -0x1p-24}},
      {"BF16", "bf16[2]", 2, {0xc0, 0x3f, 0x80, 0xff}, {1.5, -INFINITY}},
      {"I64", "i64[2]", 8, {0xfe, 255, 255, 255, 255, 255, 255, 255, 7}, {-2, 7}},
      {"I32", "i32[2]", 4, {0xfe, 255, 255, 255, 7}, {-2, 7}},
      {"I16", "i16[2]", 2, {0xfe, 255, 7, 1}, {-2, 263}},
      {"I8", "i8[2]", 1, {0xfe, 7}, {-2, 7}},
      {"U64", "u64[2]", 8, {0, 0, 0, 0, 0, 0, 0, 0x80, 7}, {0x1p63, 7}},
      {"U32", "u32[2]", 4, {0xfe, 255, 255, 255, 7}, {4294967294.0, 7}},
      {"U16", "u16[2]", 2, {0xfe, 255, 7}, {65534, 7}},
      {"U8", "u8[2]", 1, {0xfe, 7}, {254, 7}},
      {"BOOL", "bool[2]", 1, {1, 0}, {1, 0}},
  };
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  t->dtype = "f64";
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *header =
        g_strdup_printf ("{'inputs': {'dtype': '%s', 'shape': [2], 'data_offsets': [0, %u]}}",
                         rows[i].dtype, 2 * rows[i].width);
    write_tensors (t, header, rows[i].data, 2 * rows[i].width);
    g_autoptr (LmInput) real = lm_test_inputs_good (t, TENSORS (", 'labels': ''"));
    g_autoptr (LmInput) keep = lm_test_inputs_good (t, TENSORS (", 'labels': '', 'dtype': 'keep'"));
    lm_test_inputs_next (real);
    lm_test_inputs_next (keep);
    lm_test_inputs_expect (real, "inputs", "f64[2]", rows[i].want);
    lm_test_inputs_expect (keep, "inputs", rows[i].keep, rows[i].want);
  }
}

/* Names with escapes, keys in any order, blanks. */
static void
test_tensors_names (void)
{
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  write_tensors (t,
                 "{ '__metadata__': {}, 'a/\\u00e9\\n\\\\' : {'data_offsets': [2, 4],\n 'shape': "
                 "[2, 1], 'dtype': 'U8'} , 'odd': {'dtype': 'F8_E4M3', 'shape': [], "
                 "'data_offsets': [0, 1]}, 'y': {'dtype': 'U8', 'shape': [2], 'data_offsets': [0, "
                 "2]}}   ",
                 "\1\2\3\4", 4);
  g_autoptr (LmInput) x =
      lm_test_inputs_good (t, TENSORS (", 'inputs': 'a/\xc3\xa9\\n\\\\', 'labels': 'y'"));
  lm_test_inputs_next (x);
  lm_test_inputs_expect (x, "inputs", "f32[2,1]", (double[]) {3, 4});
  lm_test_inputs_expect (x, "labels", "i32[2]", (double[]) {1, 2});
}

#define ONE(name, dtype, shape, offsets)                                                           \
  "'" name "': {'dtype': '" dtype "', 'shape': " shape ", 'data_offsets': " offsets "}"
#define GOOD ONE ("labels", "U8", "[2]", "[0, 2]")

static void
test_tensors_refused (void)
{
  static const struct {
    const char *header, *says;
    LmErrorCode code;
  } rows[] = {
      {"{" GOOD "}", "no tensor \"inputs\"; it has: labels", LM_ERROR_NOT_FOUND},
      {"{" ONE ("inputs", "U8", "[2]", "[0, 5]") "}", "data lie outside", LM_ERROR_CORRUPT},
      {"{" ONE ("inputs", "U8", "[2]", "[2, 0]") "}", "data lie outside", LM_ERROR_CORRUPT},
      {"{" ONE ("inputs", "U8", "[2]", "[0, 3]") "}", "say different sizes", LM_ERROR_CORRUPT},
      {"{" ONE ("inputs", "U8", "[4611686018427387904, 4]", "[0, 4]") "}", "say different sizes",
       LM_ERROR_CORRUPT},
      {"{" ONE ("inputs", "U8", "[99999999999999999999]", "[0, 4]") "}", "too large",
       LM_ERROR_CORRUPT},
      {"{" ONE ("inputs", "U8", "[-1]", "[0, 4]") "}", "integer >= 0", LM_ERROR_CORRUPT},
      {"{" ONE ("inputs", "U8", "[1, 1, 1, 1, 1, 1, 1, 1, 1]", "[0, 1]") "}", "more than 8 axes",
       LM_ERROR_CORRUPT},
      {"{" ONE ("inputs", "F8_E5M2", "[2]", "[0, 2]") "}", "dtype is not one of", LM_ERROR_CORRUPT},
      {"{" GOOD ", " ONE ("inputs", "U8", "[]", "[0, 1]") "}", "first axis of examples",
       LM_ERROR_INVALID},
      {"{" ONE ("inputs", "U8", "[2]", "[0]") "}", "not two numbers", LM_ERROR_CORRUPT},
      {"{" ONE ("inputs", "U8", "[2]", "[0, 2]") ", " ONE ("inputs", "U8", "[2]", "[0, 2]") "}",
       "\"inputs\" is there twice", LM_ERROR_CORRUPT},
      {"{'inputs': {'dtype': 'U8', 'shape': [2]}}", "without dtype, shape", LM_ERROR_CORRUPT},
      {"{'inputs': {'dtype': 'U8', 'dtype': 'U8'}}", "unknown key or a key twice",
       LM_ERROR_CORRUPT},
      {"{'inputs': 3}", "not the JSON of tensors", LM_ERROR_CORRUPT},
      {"[]", "not the JSON of tensors", LM_ERROR_CORRUPT},
      {"{" GOOD "} x", "text after", LM_ERROR_CORRUPT},
      {"{" GOOD, "not the JSON", LM_ERROR_CORRUPT},
      {"{'a", "ends inside a name", LM_ERROR_CORRUPT},
      {"{'a\\q'", "broken escape", LM_ERROR_CORRUPT},
      {"{'a\\u12x'", "broken escape", LM_ERROR_CORRUPT},
      {"{'__metadata__': {'a': 3}}", "not the JSON", LM_ERROR_CORRUPT},
  };
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    write_tensors (t, rows[i].header, "\1\2\3\4", 4);
    lm_test_inputs_refused (t, TENSORS (""), rows[i].code, rows[i].says);
  }
  lm_test_inputs_write (t, "x", "short", -1);
  lm_test_inputs_refused (t, TENSORS (""), LM_ERROR_CORRUPT, "x: it is too short");
  lm_test_inputs_write (t, "x", "\377\377\377\377\377\377\377\377{}", 10);
  lm_test_inputs_refused (t, TENSORS (""), LM_ERROR_CORRUPT, "ends inside its header");
}

/* --- text --------------------------------------------------------------------------------------------- */

#define TEXT(more) "{'type': 'lamina.text', 'file': 'x'" more "}"

static void
test_text (void)
{
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  lm_test_inputs_write (t, "x", "abcdefg\377", 8);
  g_autoptr (LmInput) x = lm_test_inputs_good (t, TEXT (", 'length': 3, 'batch_size': 2"));
  g_assert_cmpint (lm_input_batches (x), ==, 1); /* abc -> bcd, def -> efg */
  lm_test_inputs_next (x);
  lm_test_inputs_expect (x, "inputs", "i32[2,3]", (double[]) {97, 98, 99, 100, 101, 102});
  lm_test_inputs_expect (x, "labels", "i32[2,3]", (double[]) {98, 99, 100, 101, 102, 103});
  lm_test_inputs_expect (x, "weights", "f32[2,3]", (double[]) {1, 1, 1, 1, 1, 1});
  g_autoptr (LmInput) y =
      lm_test_inputs_good (t, TEXT (", 'length': 3, 'stride': 2, 'batch_size': 4, 'dtype': 'u8'"));
  lm_test_inputs_next (y); /* abcd, cdef, efg\377, and a copy of the first */
  lm_test_inputs_expect (y, "labels", "u8[4,3]",
                         (double[]) {98, 99, 100, 100, 101, 102, 102, 103, 255, 98, 99, 100});
  lm_test_inputs_expect (y, "weights", "f32[4,3]", (double[]) {1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0});
}

/* With shift, an epoch's windows lie `stride` apart from a start that differs between epochs; over many
 * epochs every offset is seen, and none leaves the file. */
static void
test_text_shift (void)
{
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  guint8 bytes[50];
  guint seen = 0;
  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8)i;
  lm_test_inputs_write (t, "x", bytes, sizeof bytes);
  g_autoptr (LmInput) x = lm_test_inputs_good (
      t,
      TEXT (
          ", 'length': 8, 'batch_size': 4, 'repeat': true, 'shift': true, 'drop_remainder': true"));
  g_assert_cmpint (lm_input_batches (x), ==, 1); /* (50 - 9 - 7) / 8 + 1 = 5 windows */
  for (guint epoch = 0; epoch < 100; epoch++) {
    lm_test_inputs_next (x);
    const LmArray *in = lm_test_inputs_array (x, "inputs");
    const LmArray *labels = lm_test_inputs_array (x, "labels");
    guint start = (guint)lm_array_get_double (in, 0);
    g_assert_cmpuint (start, <, 8);
    seen |= 1u << start;
    for (guint i = 0; i < 32; i++) {
      g_assert_cmpfloat (lm_array_get_double (in, i), ==, start + i);
      g_assert_cmpfloat (lm_array_get_double (labels, i), ==, start + i + 1);
    }
  }
  g_assert_cmpuint (seen, ==, 255);
}

static void
test_text_refused (void)
{
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  lm_test_inputs_write (t, "x", "abcd", 4);
  lm_test_inputs_refused (t, TEXT (", 'length': 4"), LM_ERROR_INVALID,
                          "a window of length 4 wants 5 bytes, the file has 4");
  lm_test_inputs_refused (t, TEXT (", 'length': 3, 'shift': true"), LM_ERROR_INVALID,
                          "a window of length 3 wants 6 bytes, the file has 4");
  lm_test_inputs_refused (t, TEXT (""), LM_ERROR_INVALID, "length: missing");
  lm_test_inputs_refused (t, TEXT (", 'length': 3, 'stride': -1"), LM_ERROR_INVALID, "stride");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugins/idx/dtypes", test_idx);
  g_test_add_func ("/plugins/idx/refused", test_idx_refused);
  g_test_add_func ("/plugins/safetensors/dtypes", test_tensors);
  g_test_add_func ("/plugins/safetensors/names", test_tensors_names);
  g_test_add_func ("/plugins/safetensors/refused", test_tensors_refused);
  g_test_add_func ("/plugins/text/windows", test_text);
  g_test_add_func ("/plugins/text/shift", test_text_shift);
  g_test_add_func ("/plugins/text/refused", test_text_refused);
  return g_test_run ();
}
