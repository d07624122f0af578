/* SPDX-License-Identifier: Apache-2.0 */
/* TextDiff beyond the golden cases: names on one side only, nested objects, dicts, other types. */
#include "core/base/hyper_text.h"

static LmHyper *
make (const char *x, const char *only)
{
  LmHyper *params = lm_hyper_new (NULL);

  lm_hyper_define (params, "x", lm_hyper_parse (x, "x", NULL), "", NULL);
  lm_hyper_define (params, only, lm_hyper_of (lm_hyper_new ("t")), "", NULL);
  return params;
}

static void
check (const char *x, const char *y, const char *wanted)
{
  g_autoptr (LmHyper) a = make (x, "same"), b = make (y, "same");
  g_autofree char *diff = lm_hyper_diff (a, b);

  g_assert_cmpstr (diff, ==, wanted);
}

static void
test_values (void)
{
  check ("1", "1.0", "");
  check ("1", "'1'", "> x: 1\n< x: 1\n");
  check ("None", "True", "> x: None\n< x: True\n");
  check ("[1, 2]", "'12'", "> x: [1, 2]\n< x: 12\n");
  check ("[1, [2]]", "(1, [3, 4])", "> x[1][0]: 2\n< x[1][0]: 3\n< x[1][1]: 4\n");
  check ("{'a': 1, 'b': 'q'}", "{'c': 2, 'b': 'r'}",
         "? x:\n>   a: 1\n>   b: q\n<   b: r\n<   c: 2\n");
  check ("{'a': {'b': 1}}", "{'a': {'b': 2}}", "? x:\n?   a:\n>     b: 1\n<     b: 2\n");
}

static void
test_one_side (void)
{
  g_autoptr (LmHyper) a = make ("1", "left"), b = make ("1", "right");
  g_autofree char *diff = lm_hyper_diff (a, b);

  g_assert_cmpstr (diff, ==, "> left: {\n  cls: \"t\"\n}\n< right: {\n  cls: \"t\"\n}\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/hyper_diff/values", test_values);
  g_test_add_func ("/base/hyper_diff/one_side", test_one_side);
  return g_test_run ();
}
