/* SPDX-License-Identifier: Apache-2.0 */
/* The text form: what is printed, what is read, and where an error is said to be. */
#include "core/ir/text.h"
#include "core/op/emit.h"

#include <string.h>

static LmFunction *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  LmFunction *f = lm_text_parse (text, strlen (text), "test", &error);

  g_assert_no_error (error);
  return f;
}

/* text is in printed form already. */
static void
assert_identity (const char *text)
{
  g_autoptr (LmFunction) f = parse (text);
  g_autofree char *again = lm_text_print (f);

  g_assert_cmpstr (again, ==, text);
}

static void
assert_reads_as (const char *text, const char *wanted)
{
  g_autoptr (LmFunction) f = parse (text);
  g_autofree char *again = lm_text_print (f);

  g_assert_cmpstr (again, ==, wanted);
}

/* where: "line:column"; piece: of the message. */
static void
assert_error (const char *text, gssize n, const char *where, const char *piece)
{
  g_autofree char *prefix = g_strdup_printf ("f.lir:%s: ", where);
  g_autoptr (GError) error = NULL;

  g_assert_null (lm_text_parse (text, n < 0 ? strlen (text) : (gsize)n, "f.lir", &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  if (!g_str_has_prefix (error->message, prefix) || strstr (error->message, piece) == NULL)
    g_error ("wanted \"%s\" and \"%s\" in \"%s\"", prefix, piece, error->message);
}

static void
test_identity (void)
{
  assert_identity ("func @e() -> () {\n  return\n}\n");
  assert_identity ("func @a.b-c_1(%0: f32[], %1: bool[0,3]) -> (bool[0,3], f32[], f32[]) {\n"
                   "  return %1, %0, %0\n"
                   "}\n");
  assert_identity (
      "func @main(%0: f32[2,3]) -> (f32[2,3], f32[2,3]) {\n"
      "  %1 = constant() {value = [1.0, -0.0, 0x7fc00001, inf, -inf, nan]} : f32[2,3]  # lm.a\n"
      "  %2, %3 = optimization_barrier(%0, %1) : f32[2,3], f32[2,3]\n"
      "  %4 = composite(%2) {name = \"t.sq\", version = 2} (func @sq(%0: f32[2,3]) -> (f32[2,3]) "
      "{\n"
      "    %1 = multiply(%0, %0) : f32[2,3]  # inner\n"
      "    return %1\n"
      "  }) : f32[2,3]  # lm.b\n"
      "  return %4, %3\n"
      "}\n");
}

/* Every kind of attribute under keys that no schema knows; strings of any UTF-8. */
static void
test_attrs (void)
{
  assert_identity ("func @f(%0: f32[]) -> (f32[]) {\n"
                   "  %1 = negate(%0) {i = -9223372036854775808, f = 1.5, g = nan, h = -inf, "
                   "k = 0xfff8000000000001, l = [], m = [1, -2], s = \"\", "
                   "t = \"q\\\"\\\\\\n\\t\\r\\x01\\x7f \xc3\xa9\xe2\x82\xac\", b = 0x\"\", "
                   "c = 0x\"00ff\", d = bf16, e = 1e+20} : f32[]\n"
                   "  return %1\n"
                   "}\n");
}

static void
test_constants (void)
{
  assert_identity ("func @f() -> (bool[3], i8[1], f16[2], f64[0], u64[]) {\n"
                   "  %0 = constant() {value = [true, false, true]} : bool[3]\n"
                   "  %1 = constant() {value = [-128]} : i8[1]\n"
                   "  %2 = constant() {value = [0.1, 65504.0]} : f16[2]\n"
                   "  %3 = constant() {value = []} : f64[0]\n"
                   "  %4 = constant() {value = [18446744073709551615]} : u64[]\n"
                   "  return %0, %1, %2, %3, %4\n"
                   "}\n");
  /* Hex and loose spelling are read too. */
  assert_reads_as (
      "func @f() -> (f32[2]) { %c = constant() { value=0x\"0000803F00000040\" } :f32 [ 2 ]"
      "return %c }",
      "func @f() -> (f32[2]) {\n"
      "  %0 = constant() {value = [1.0, 2.0]} : f32[2]\n"
      "  return %0\n"
      "}\n");
}

/* Over 64 elements in hex, bit for bit. */
static void
test_long_constant (void)
{
  int32_t values[65];
  lam_type t = lm_type (LAM_I32, 1, (int64_t[]) {65});
  LmBuilder *b = lm_builder_new ("f");
  LmValue c;

  for (int i = 0; i < 65; i++)
    values[i] = i * -65537;
  c = lm_constant (b, &t, values, sizeof values);
  g_autoptr (LmFunction) f = lm_builder_finish (b, &c, 1, NULL);
  g_autofree char *text = lm_text_print (f);
  g_autoptr (LmFunction) again = parse (text);
  g_assert_nonnull (strstr (text, "{value = 0x\"00000000ffff"));
  g_assert_cmpmem (again->ir.attrs[0].data, again->ir.attrs[0].n, values, sizeof values);
}

/* Names, order of numbers, comments, types left out. */
static void
test_loose (void)
{
  assert_reads_as ("# what it is\n"
                   "func @f(%x: f32[3], # not a path\n"
                   "        %9: f32[3]) -> (f32[3]) {\n"
                   "  # neither\n"
                   "  %a_b.c = add(%x,\n"
                   "               %9) # lm.sum \r\n"
                   "  %0 = negate(%a_b.c) : f32[3] #\n"
                   "  # nor this\n"
                   "  return %0 # the end\n"
                   "}\n"
                   "# behind it\n",
                   "func @f(%0: f32[3], %1: f32[3]) -> (f32[3]) {\n"
                   "  %2 = add(%0, %1) : f32[3]  # lm.sum\n"
                   "  %3 = negate(%2) : f32[3]\n"
                   "  return %3\n"
                   "}\n");
}

/* Any path that a builder takes comes back. */
static void
test_path (void)
{
  static const char *const paths[] = {"lm.a", "  two blanks  ", "a\nb",  "#", "\\x",
                                      "\"",   "\xc3\xa9",       "tab\t", " ", "cr\r"};

  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++) {
    LmBuilder *b = lm_builder_new ("f");
    lam_type t = lm_scalar_type (LAM_F32);
    LmValue x = lm_builder_param (b, &t);
    lm_builder_set_path (b, paths[i]);
    x = lm_neg (b, x);
    g_autoptr (LmFunction) f = lm_builder_finish (b, &x, 1, NULL);
    g_autofree char *text = lm_text_print (f);
    g_autoptr (LmFunction) again = parse (text);
    g_assert_cmpstr (again->ir.paths[lam_equation_at (&again->ir, 0)->path], ==, paths[i]);
  }
}

static void
test_range (void)
{
  g_autoptr (LmFunction) f = parse ("func @f(%0: f32[]) -> (f32[]) { %1 = negate(%0) %2 = abs(%1) "
                                    "%3 = abs(%2) return %3 }");
  g_autofree char *text = lm_text_print_range (f, 1, 2);
  g_autofree char *beyond = lm_text_print_range (f, 3, 9);

  g_assert_cmpstr (text, ==, "  %2 = abs(%1) : f32[]\n");
  g_assert_cmpstr (beyond, ==, "");
}

#define HEAD "func @f(%0: f32[2]) -> (f32[2]) {\n"

static void
test_errors (void)
{
  assert_error ("", -1, "1:1", "func");
  assert_error ("func f", -1, "1:6", "'@'");
  assert_error ("func @f(%0: f33[2])", -1, "1:13", "f33");
  assert_error ("func @f(%0: f32[-2])", -1, "1:13", "negative");
  assert_error ("func @f(%0: f32[2,2,2,2,2,2,2,2,2])", -1, "1:33", "8 dimensions");
  assert_error ("func @f(%0: f32[99999999999999999999])", -1, "1:17", "64 bits");
  assert_error ("func @f(%0: f64[4294967296,4294967296])", -1, "1:13", "bytes");
  assert_error (HEAD "  %1 = negte(%0)\n", -1, "2:8", "did you mean \"negate\"?");
  assert_error (HEAD "  %1 = add(%0, %7)\n", -1, "2:17", "%7 is not defined");
  assert_error (HEAD "  %0 = negate(%0)\n return %0 }", -1, "2:4", "defined twice");
  assert_error (HEAD "  %1 = add(%0)\n return %1 }", -1, "2:8", "got 1 operands, wanted 2");
  assert_error (HEAD "  %1 = negate(%0) : f32[3]\n return %1 }", -1, "2:8", "stated as f32[3]");
  assert_error (HEAD "  %1, %2 = negate(%0)\n return %1 }", -1, "2:12", "2 names for 1");
  assert_error (HEAD "  %1 = constant() {value = [1.0]}\n return %1 }", -1, "2:8", "stated");
  assert_error (HEAD "  %1 = constant() {value = [1.0, q]} : f32[2]\n return %1 }", -1, "2:34",
                "q");
  assert_error (HEAD "  %1 = constant() {value = [1.0] : f32[2]\n return %1 }", -1, "2:34", "'}'");
  assert_error (HEAD "  %1 = constant() {value = 0x\"0g\"} : f32[2]\n", -1, "2:32", "hex");
  assert_error (HEAD "  %1 = constant() {value = 0x\"0\"} : f32[2]\n", -1, "2:31", "odd");
  assert_error (HEAD "  %1 = negate(%0) {s = \"open}\n\"", -1, "2:24", "does not end");
  assert_error (HEAD "  %1 = negate(%0) {s = \"\\q\"}\n", -1, "2:25", "escape");
  assert_error (HEAD "  %1 = negate(%0) # \\xff\n return %1 }", -1, "2:25", "UTF-8");
  assert_error (HEAD "  return %0, %0\n}", -1, "2:3", "2 results");
  assert_error (HEAD "  return %0\n} func", -1, "3:3", "behind");
  assert_error ("func @f(%0: f32[2]) -> (f32[3]) {\n  return %0\n}", -1, "2:3", "stated as f32[3]");
  assert_error ("func @f() -> () { return }\0", 27, "1:27", "behind");
}

/* The parser stops at 16 levels: no stack is lost to hostile text. */
static void
test_nesting (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 100000; i++)
    g_string_append (text, "func @f(%x: f32[]) -> (f32[]) { %y = composite(%x) {name = \"n\"} (");
  g_assert_null (lm_text_parse (text->str, text->len, "f.lir", &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "deeper than 16"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ir/text/identity", test_identity);
  g_test_add_func ("/ir/text/attrs", test_attrs);
  g_test_add_func ("/ir/text/constants", test_constants);
  g_test_add_func ("/ir/text/long_constant", test_long_constant);
  g_test_add_func ("/ir/text/loose", test_loose);
  g_test_add_func ("/ir/text/path", test_path);
  g_test_add_func ("/ir/text/range", test_range);
  g_test_add_func ("/ir/text/errors", test_errors);
  g_test_add_func ("/ir/text/nesting", test_nesting);
  return g_test_run ();
}
