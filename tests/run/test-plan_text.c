/* SPDX-License-Identifier: Apache-2.0 */
/* The memory plan as text. */
#include "tests/lib/fixture.h"

#include <string.h>

/* One line for each buffer, then the totals. On reference: the exponential needs 4096 bytes, the sine takes
 * them over, the transpose needs as much again while the sine is read: 8192 in all. */
static void
test_reference (void)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (GError) error = NULL;
  g_autoptr (LmBackend) backend = lm_test_backend (registry, "reference");
  g_autoptr (LmFunction) f =
      lm_test_parse ("func @f(%0: f32[32,32]) -> (f32[32,32]) {\n"
                     "  %1 = exponential(%0) : f32[32,32]\n"
                     "  %2 = sine(%1) : f32[32,32]\n"
                     "  %3 = transpose(%2) {permutation = [1, 0]} : f32[32,32]\n"
                     "  return %3\n}\n");
  g_autoptr (LmExecutable) exe = lm_compile (backend, f, NULL, &error);
  g_assert_no_error (error);
  g_autofree char *text = lm_executable_plan_text (exe);
  g_test_message ("%s", text);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + 4 + 1 + 1);
  g_assert_nonnull (strstr (lines[1], "%0"));
  g_assert_nonnull (strstr (lines[1], "input"));
  g_assert_nonnull (strstr (lines[2], "4096"));
  g_assert_nonnull (strstr (lines[2], "0..1"));
  g_assert_nonnull (strstr (lines[3], "shares %1"));
  g_assert_nonnull (strstr (lines[4], "2..3"));
  g_assert_nonnull (strstr (lines[5], "slab 8192 bytes"));
  g_assert_nonnull (strstr (lines[5], "peak of live bytes 8192"));
  g_assert_cmpuint (lm_executable_slab_bytes (exe), ==, 8192);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/plan_text/reference", test_reference);
  return g_test_run ();
}
