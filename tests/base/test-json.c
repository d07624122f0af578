/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader: RFC 8259's grammar, our limits, and places in errors. */
#include "core/base/json.h"

#include <string.h>

/* Parses and prints: `wanted` without line breaks and indents. */
static void
check_reads (const char *text, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = lm_json_parse (text, strlen (text), LM_JSON_STRICT, "t", &error);
  g_autofree char *got = NULL;

  g_assert_no_error (error);
  got = lm_json_print (node);
  g_assert_cmpstr (g_strchomp (got), ==, wanted);
}

static void
test_values (void)
{
  check_reads ("0", "0");
  check_reads (" -12 ", "-12");
  check_reads ("9007199254740992", "9007199254740992"); /* 2^53 */
  check_reads ("1.5e3", "1500.0");
  check_reads ("0.1", "0.1");
  check_reads ("1E-7", "1e-07");
  check_reads ("[true,false,null]", "[\n  true,\n  false,\n  null\n]");
  check_reads ("[1, 2]", "[1, 2]");
  check_reads ("{}", "{}");
  check_reads ("[]", "[]");
  check_reads ("\"\\u00e9\\n\\\"\\/\\ud83d\\ude00\"", "\"é\\n\\\"/😀\"");
  check_reads ("{\"b\":1,\"a\":{\"c\":[]}}", "{\n  \"a\": {\n    \"c\": []\n  },\n  \"b\": 1\n}");
}

static void
check_refused (const char *text, LmJsonFlags flags, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (lm_json_parse (text, strlen (text), flags, "m.json", &error));
  g_assert_error (error, LM_ERROR, LM_ERROR_CORRUPT);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_refused (void)
{
  check_refused ("", 0, "m.json:1:1: expected a value, got the end of the text");
  check_refused ("{\"a\": 1,\n \"a\": 2}", 0, "m.json:2:2: the key \"a\" is there twice");
  check_refused ("{\"a\": 1,}", 0, "m.json:1:9: expected a key in quotes or '}', got '}'");
  check_refused ("[1,]", 0, "m.json:1:4: expected a value, got ']'");
  check_refused ("{\"a\" 1}", 0, "m.json:1:6: expected ':' after the key, got '1'");
  check_refused ("[1 2]", 0, "m.json:1:4: expected ',' or ']', got '2'");
  check_refused ("1 1", 0, "m.json:1:3: '1' after the end of the value");
  check_refused ("'a'", 0, "m.json:1:1: expected a value, got '''");
  check_refused ("\"a", 0, "m.json:1:1: the string that starts here does not end");
  check_refused ("\"\t\"", 0, "m.json:1:2: a control character must be escaped in a string");
  check_refused ("\"\\x\"", 0, "m.json:1:3: unknown escape in a string");
  check_refused ("\"\\u0000\"", 0, "m.json:1:4: \\u0000 is not a character that a string may hold");
  check_refused ("\"\\ud800\"", 0, "m.json:1:4: \\ud800 is not a character that a string may hold");
  check_refused ("\"\xff\"", 0, "m.json:1:2: not UTF-8 (byte 0xff)");
}

static void
test_numbers_refused (void)
{
  check_refused ("01", 0, "m.json:1:1: expected a value, got '0'");
  check_refused ("+1", 0, "m.json:1:1: expected a value, got '+'");
  check_refused (".5", 0, "m.json:1:1: expected a value, got '.'");
  check_refused ("1.", 0, "m.json:1:1: expected a value, got '1'");
  check_refused ("NaN", 0, "m.json:1:1: expected a value, got 'N'");
  check_refused ("0x10", 0, "m.json:1:2: 'x' after the end of the value");
  check_refused ("1e999", 0, "m.json:1:1: the number 1e999 is too large");
  check_refused ("9007199254740994", 0,
                 "m.json:1:1: the number 9007199254740994 is an integer beyond 2^53, which not "
                 "every reader keeps");
}

static void
test_depth (void)
{
  g_autofree char *open = g_strnfill (LM_JSON_MAX_DEPTH, '[');
  g_autofree char *close = g_strnfill (LM_JSON_MAX_DEPTH, ']');
  g_autofree char *most = g_strconcat (open, close, NULL), *many = g_strnfill (1000000, '[');
  g_autoptr (JsonNode) node = lm_json_parse (most, strlen (most), 0, "t", NULL);

  g_assert_nonnull (node);
  check_refused (many, 0, "m.json:1:33: nesting is deeper than 32");
}

static void
test_comments (void)
{
  const char *text = "// a model\n{ /* two */ \"a\": 1 } // end";
  g_autoptr (JsonNode) node = lm_json_parse (text, strlen (text), LM_JSON_COMMENTS, "t", NULL);

  g_assert_cmpint (json_object_get_int_member (json_node_get_object (node), "a"), ==, 1);
  check_refused (text, LM_JSON_STRICT, "m.json:1:1: comments are not allowed here");
  check_refused ("1 /* no end", LM_JSON_COMMENTS,
                 "m.json:1:3: the comment that starts here does not end");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/json/values", test_values);
  g_test_add_func ("/base/json/refused", test_refused);
  g_test_add_func ("/base/json/numbers_refused", test_numbers_refused);
  g_test_add_func ("/base/json/depth", test_depth);
  g_test_add_func ("/base/json/comments", test_comments);
  return g_test_run ();
}
