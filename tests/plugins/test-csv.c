/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.csv: RFC 4180, columns to tensors, numbers by dtype, and files that are refused. */
#include "tests/lib/inputs.h"

#include <locale.h>
#include <math.h>

#define CSV(more) "{'type': 'lamina.csv', 'file': 'x.csv'" more "}"

/* The file, then one batch of n rows through CSV (more). */
static LmInput *
batch_of (LmTestInputs *t, const char *file, const char *config)
{
  lm_test_inputs_write (t, "x.csv", file, -1);
  LmInput *input = lm_test_inputs_good (t, config);
  lm_test_inputs_next (input);
  return input;
}

static void
test_columns (void)
{
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  const char *file = "a,labels,b\n1,7,2.5\n-3,8,+4e-1\n";
  g_autoptr (LmInput) all = batch_of (t, file, CSV (", 'batch_size': 2"));
  lm_test_inputs_expect (all, "inputs", "f32[2,2]", (double[]) {1, 2.5, -3, 0.4f});
  lm_test_inputs_expect (all, "labels", "i32[2]", (double[]) {7, 8});
  lm_test_inputs_expect (all, "weights", "f32[2]", (double[]) {1, 1});
  /* in another order, to named tensors with dtypes; a column that is not named may hold anything */
  t->dtype = "f64";
  g_autoptr (LmInput) named = batch_of (
      t, "a,b,c,d,why\n1,2,3,1,x\n4,5,6,0,\"y, \"\"z\"\"\"\n",
      CSV (", 'batch_size': 2, 'columns': ['c', 'a', 'b', 'd'], "
           "'fields': ['v', 'v', 'one', 'mask[]'], 'dtypes': ['real', 'real', 'i16', 'bool']"));
  lm_test_inputs_expect (named, "v", "f64[2,2]", (double[]) {3, 1, 6, 4});
  lm_test_inputs_expect (named, "one", "i16[2]", (double[]) {2, 5});
  lm_test_inputs_expect (named, "mask", "bool[2,1]", (double[]) {1, 0});
  g_assert_cmpuint (lm_input_spec (named)->n, ==, 4); /* and weights */
}

/* A column "weights" takes the place of the ones; copies that fill a batch still count 0. */
static void
test_weights (void)
{
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  g_autoptr (LmInput) x = batch_of (t, "x,weights\n5,0.5\n6,2\n", CSV (", 'batch_size': 3"));
  lm_test_inputs_expect (x, "inputs", "f32[3,1]", (double[]) {5, 6, 5});
  lm_test_inputs_expect (x, "weights", "f32[3]", (double[]) {0.5, 2, 0});
}

/* RFC 4180: quotes, doubled quotes, line ends inside of quotes, CR LF, no line end at the end of the
 * file; a byte order mark; another delimiter; no header. */
static void
test_rfc4180 (void)
{
  static const struct {
    const char *file, *config;
  } rows[] = {
      {"a,b\r\n1,2\r\n3,4\r\n", CSV (", 'batch_size': 2")},
      {"a,b\n1,2\n3,4", CSV (", 'batch_size': 2")},
      {"\"a\",\"b\"\n\"1\",2\n3,\"4\"", CSV (", 'batch_size': 2")},
      {"\"a,\r\n\"\"q\"\"\",b\n1,2\n3,4\n",
       CSV (", 'batch_size': 2, 'columns': ['a,\\r\\n\\\"q\\\"', 'b']")},
      {"\xef\xbb\xbf"
       "a,b\n1,2\n3,4\n",
       CSV (", 'batch_size': 2, 'columns': ['a', 'b']")},
      {"a;b\n1;2\n3;4\n", CSV (", 'batch_size': 2, 'delimiter': ';'")},
      {"1\t2\n3\t4\n", CSV (", 'batch_size': 2, 'delimiter': '\\t', 'header': false")},
      {"9,1,2\n9,3,4\n", CSV (", 'batch_size': 2, 'columns': ['1', '2'], 'header': false")},
      {"a,b\n 1 ,\t2\n3,4 \n", CSV (", 'batch_size': 2")},
  };
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (LmInput) x = batch_of (t, rows[i].file, rows[i].config);
    lm_test_inputs_expect (x, "inputs", "f32[2,2]", (double[]) {1, 2, 3, 4});
  }
}

/* The ends of each dtype, and one past them. */
static const struct {
  const char *dtype, *text;
  double value; /* NAN: refused */
} numbers[] = {
    {"i8", "-128", -128},
    {"i8", "127", 127},
    {"i8", "128", NAN},
    {"i8", "-129", NAN},
    {"u8", "255", 255},
    {"u8", "256", NAN},
    {"u8", "-1", NAN},
    {"u8", "-0", 0},
    {"i16", "-32768", -32768},
    {"u16", "65536", NAN},
    {"i32", "-2147483648", -2147483648.0},
    {"i32", "2147483648", NAN},
    {"u32", "4294967295", 4294967295.0},
    {"u32", "4294967296", NAN},
    {"i64", "-9223372036854775808", -9223372036854775808.0},
    {"i64", "9223372036854775808", NAN},
    {"u64", "18446744073709551615", 18446744073709551615.0},
    {"u64", "18446744073709551616", NAN},
    {"i32", "1.0", NAN},
    {"i32", "", NAN},
    {"i32", "+5", 5},
    {"i32", "1 2", NAN},
    {"bool", "TRUE", 1},
    {"bool", "0", 0},
    {"bool", "2", NAN},
    {"f64", "0.1", 0.1},
    {"f32", "0.1", 0.1f},
    {"f64", ".5", 0.5},
    {"f64", "5.", 5},
    {"f64", "1e400", INFINITY},
    {"f64", "-inf", -INFINITY},
    {"f64", "4.9e-324", 4.9e-324},
    {"f64", "0x10", NAN},
    {"f64", "1e", NAN},
    {"f64", ".", NAN},
    {"f64", "1,5", NAN},
    {"f64", "", NAN},
    {"f64", "nine", NAN},
};

static void
test_numbers (void)
{
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    g_autofree char *file = g_strdup_printf ("v;w\n%s;1\n", numbers[i].text);
    g_autofree char *config = g_strdup_printf (
        CSV (", 'batch_size': 1, 'delimiter': ';', 'columns': ['v'], 'fields': ['v'], "
             "'dtypes': ['%s']"),
        numbers[i].dtype);
    g_autofree char *type = g_strdup_printf ("%s[1]", numbers[i].dtype);
    if (isnan (numbers[i].value)) {
      lm_test_inputs_write (t, "x.csv", file, -1);
      lm_test_inputs_refused (t, config, LM_ERROR_CORRUPT, "line 2, column \"v\": wanted ");
      continue;
    }
    g_autoptr (LmInput) x = batch_of (t, file, config);
    lm_test_inputs_expect (x, "v", type, &numbers[i].value);
  }
}

/* A decimal comma of the user's locale changes nothing. */
static void
test_locale (void)
{
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8",
                                       "ru_RU.UTF-8", "de_DE",       "fr_FR"};
  g_autofree char *keep = g_strdup (setlocale (LC_NUMERIC, NULL));
  guint i = 0;
  while (i < G_N_ELEMENTS (commas) && setlocale (LC_NUMERIC, commas[i]) == NULL)
    i++;
  if (i == G_N_ELEMENTS (commas)) {
    g_test_skip ("no locale with a decimal comma is installed");
    return;
  }
  g_autoptr (LmInput) x = batch_of (t, "v\n1.5\n", CSV (", 'batch_size': 1"));
  setlocale (LC_NUMERIC, keep);
  lm_test_inputs_expect (x, "inputs", "f32[1,1]", (double[]) {1.5});
}

static void
test_missing (void)
{
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  const char *file = "a,labels\n1,2\n,3\n4, \n5,6\n";
  lm_test_inputs_write (t, "x.csv", file, -1);
  lm_test_inputs_refused (t, CSV (""), LM_ERROR_CORRUPT,
                          "x.csv: line 3, column \"a\": wanted a number (f32), got \"\"");
  lm_test_inputs_refused (t, CSV (", 'missing': 'nan'"), LM_ERROR_CORRUPT,
                          "line 4, column \"labels\": wanted an integer (i32), got \" \"");
  g_autoptr (LmInput) skip = batch_of (t, file, CSV (", 'batch_size': 2, 'missing': 'skip'"));
  lm_test_inputs_expect (skip, "inputs", "f32[2,1]", (double[]) {1, 5});
  lm_test_inputs_expect (skip, "labels", "i32[2]", (double[]) {2, 6});
  g_assert_cmpint (lm_input_batches (skip), ==, 1);
  g_autoptr (LmInput) nan = batch_of (
      t, file, CSV (", 'batch_size': 4, 'missing': 'nan', 'columns': ['a'], 'fields': ['v']"));
  lm_test_inputs_expect (nan, "v", "f32[4]", (double[]) {1, NAN, 4, 5});
}

static void
test_refused (void)
{
  static const struct {
    const char *file, *config, *says;
    LmErrorCode code;
  } rows[] = {
      {"", CSV (""), "the file is empty", LM_ERROR_CORRUPT},
      {"a,b\n", CSV (""), "no row is left of 0", LM_ERROR_INVALID},
      {"a,b\n1\n", CSV (""), "line 2: wanted 2 cells, got 1", LM_ERROR_CORRUPT},
      {"a,b\n1,2,3\n", CSV (""), "line 2: wanted 2 cells, got 3", LM_ERROR_CORRUPT},
      {"a,b\n1,2\n\n3,4\n", CSV (""), "line 3", LM_ERROR_CORRUPT},
      {"a,b\n1,\"2\n\n", CSV (""), "line 2: a quote is not closed", LM_ERROR_CORRUPT},
      {"a,b\n1,\"2\"3\n", CSV (""), "line 2: there is text after the closing", LM_ERROR_CORRUPT},
      {"a,b\n1,2\"3\"\n", CSV (""), "line 2: a quote stands inside a cell", LM_ERROR_CORRUPT},
      {"a,b\r1,2\r", CSV (""), "line 1: a carriage return is not followed", LM_ERROR_CORRUPT},
      {"a,a\n1,2\n", CSV (", 'columns': ['a']"), "2 columns have the name \"a\"", LM_ERROR_INVALID},
      {"a,b\n1,2\n", CSV (", 'columns': ['c']"), "no column \"c\"; it has: \"a\" \"b\"",
       LM_ERROR_NOT_FOUND},
      {"a,b\n1,2\n", CSV (", 'columns': ['a', 'a']"), "\"a\" is listed twice", LM_ERROR_INVALID},
      {"a,b\n1,2\n", CSV (", 'fields': ['v']"),
       "2 columns want as many fields and dtypes (or none), got 1 and 0", LM_ERROR_INVALID},
      {"a,b\n1,2\n", CSV (", 'fields': ['v', 'v'], 'dtypes': ['f32', 'i32']"),
       "the columns of v want one dtype, got f32 and i32", LM_ERROR_INVALID},
      {"a,b\n1,2\n", CSV (", 'dtypes': ['f31', 'i32']"), "one of: real, f64", LM_ERROR_INVALID},
      {"a,b\n1,2\n", CSV (", 'delimiter': ', '"), "delimiter wants one character",
       LM_ERROR_INVALID},
      {"a,b\n1,2\n", CSV (", 'delimiter': '5'"), "part of a number, got \"5\"", LM_ERROR_INVALID},
      {"a,b\n1,2\n", "{'type': 'lamina.csv', 'file': 'y.csv'}", "y.csv", LM_ERROR_NOT_FOUND},
  };
  g_autoptr (LmTestInputs) t = lm_test_inputs_new ();
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    lm_test_inputs_write (t, "x.csv", rows[i].file, -1);
    lm_test_inputs_refused (t, rows[i].config, rows[i].code, rows[i].says);
  }
  lm_test_inputs_write (t, "x.csv", "a\n1\0\n", 5);
  lm_test_inputs_refused (t, CSV (""), LM_ERROR_CORRUPT, "line 2: there is a zero byte");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugins/csv/columns", test_columns);
  g_test_add_func ("/plugins/csv/weights", test_weights);
  g_test_add_func ("/plugins/csv/rfc4180", test_rfc4180);
  g_test_add_func ("/plugins/csv/numbers", test_numbers);
  g_test_add_func ("/plugins/csv/locale", test_locale);
  g_test_add_func ("/plugins/csv/missing", test_missing);
  g_test_add_func ("/plugins/csv/refused", test_refused);
  return g_test_run ();
}
