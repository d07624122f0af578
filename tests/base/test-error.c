/* SPDX-License-Identifier: Apache-2.0 */
/* Error codes, did-you-mean, type texts and checked sizes. */
#include "core/base/error.h"

#include <string.h>

static void
test_status (void)
{
  g_assert_cmpint (lm_error_from_status (LAM_E_INVALID), ==, LM_ERROR_INVALID);
  g_assert_cmpint (lm_error_from_status (LAM_E_ABI), ==, LM_ERROR_PLUGIN);
  g_assert_cmpint (lm_error_from_status (LAM_E_STALE), ==, LM_ERROR_UNSUPPORTED);
  /* An unknown negative status is a generic failure. */
  g_assert_cmpint (lm_error_from_status (-77), ==, LM_ERROR_INTERNAL);
}

/* The first's code, all messages; nothing is added by nothing; the whole stays short. */
static void
test_join (void)
{
  GError *all = NULL;
  lm_error_join (&all, NULL);
  g_assert_null (all);
  lm_error_join (&all, g_error_new_literal (LM_ERROR, LM_ERROR_PLUGIN, "one"));
  lm_error_join (&all, NULL);
  lm_error_join (&all, g_error_new_literal (LM_ERROR, LM_ERROR_INVALID, "two"));
  g_assert_error (all, LM_ERROR, LM_ERROR_PLUGIN);
  g_assert_cmpstr (all->message, ==, "one\ntwo");
  for (guint i = 0; i < 10000; i++)
    lm_error_join (&all, g_error_new_literal (LM_ERROR, LM_ERROR_INVALID, "three"));
  g_assert_cmpuint (strlen (all->message), <, 4200);
  g_assert_true (g_str_has_prefix (all->message, "one\ntwo\nthree\n"));
  g_assert_true (g_str_has_suffix (all->message, "three\n(there are more problems)"));
  g_clear_error (&all);
}

static void
test_did_you_mean (void)
{
  static const char *const keys[] = {"input_dims", "output_dims", "has_bias", NULL};
  static const char *const short_keys[] = {"lr", "wd", NULL};
  g_autoptr (GString) text = g_string_new ("unknown");

  g_assert_cmpstr (lm_did_you_mean ("input_dim", keys), ==, "input_dims");
  g_assert_cmpstr (lm_did_you_mean ("hsa_bias", keys), ==, "has_bias"); /* neighbours swapped */
  g_assert_cmpstr (lm_did_you_mean ("sah_bias", keys), ==, "has_bias"); /* 2 edits of 8 bytes */
  g_assert_null (lm_did_you_mean ("sahbaisx", keys));                   /* 4 of 8 */
  g_assert_null (lm_did_you_mean ("activation", keys));
  g_assert_cmpstr (lm_did_you_mean ("l", short_keys), ==, "lr"); /* 1 is always near */
  g_assert_null (lm_did_you_mean ("xy", short_keys));
  lm_append_did_you_mean (text, "ld", short_keys);
  g_assert_cmpstr (text->str, ==, "unknown; did you mean \"lr\"?");
  lm_append_did_you_mean (text, "momentum", short_keys);
  g_assert_cmpstr (text->str, ==, "unknown; did you mean \"lr\"?");
}

static void
test_long_word (void)
{
  g_autofree char *word = g_strnfill (100000, 'a');
  const char *const keys[] = {"a", word, NULL};

  g_assert_null (lm_did_you_mean (word, keys));
  g_assert_cmpstr (lm_did_you_mean ("a", keys), ==, "a");
}

static void
test_type_text (void)
{
  lam_type type = lm_type (LAM_BF16, 2, (int64_t[]) {2, 30});
  lam_type scalar = lm_scalar_type (LAM_PRED);
  g_autofree char *a = lm_type_to_string (&type), *b = lm_type_to_string (&scalar);

  g_assert_cmpstr (a, ==, "bf16[2,30]");
  g_assert_cmpstr (b, ==, "bool[]");
  g_assert_cmpint (lm_dtype_from_name ("u16"), ==, LAM_U16);
  g_assert_cmpint (lm_dtype_from_name ("bool"), ==, LAM_PRED);
  g_assert_cmpint (lm_dtype_from_name ("?"), ==, LAM_DTYPE_NONE);
  g_assert_cmpint (lm_dtype_from_name ("float"), ==, LAM_DTYPE_NONE);
  g_assert_false (lm_type_equal (&type, &scalar));
  g_assert_true (lm_type_equal (&type, &type));
}

static void
check_bytes (lam_dtype dtype, int32_t rank, const int64_t *dims, int64_t elements, int64_t bytes)
{
  lam_type type = {dtype, rank, {0}};
  int64_t n = -7, size = -7;

  for (int32_t i = 0; i < rank && i < LAM_MAX_RANK; i++)
    type.dims[i] = dims[i];
  g_assert_cmpint (lm_type_checked_bytes (&type, &n, &size), ==, elements >= 0);
  g_assert_cmpint (n, ==, elements >= 0 ? elements : -7);
  g_assert_cmpint (size, ==, elements >= 0 ? bytes : -7);
}

static void
test_checked_bytes (void)
{
  const int64_t big = INT64_C (1) << 40;

  check_bytes (LAM_F32, 2, (int64_t[]) {3, 5}, 15, 60);
  check_bytes (LAM_F64, 0, NULL, 1, 8);
  check_bytes (LAM_F16, 2, (int64_t[]) {0, 5}, 0, 0);
  check_bytes (LAM_F32, 1, (int64_t[]) {-1}, -1, 0);
  check_bytes (LAM_F32, 2, (int64_t[]) {big, big}, -1, 0);
  check_bytes (LAM_F64, 1, (int64_t[]) {INT64_MAX / 4}, -1, 0); /* only the bytes overflow */
  check_bytes (LAM_F32, 3, (int64_t[]) {0, big, big}, -1, 0);
  check_bytes (LAM_F32, 3, (int64_t[]) {big, big, 0}, -1, 0);
  check_bytes (LAM_F32, 9, (int64_t[]) {1, 1, 1, 1, 1, 1, 1, 1, 1}, -1, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/error/status", test_status);
  g_test_add_func ("/base/error/join", test_join);
  g_test_add_func ("/base/error/did_you_mean", test_did_you_mean);
  g_test_add_func ("/base/error/long_word", test_long_word);
  g_test_add_func ("/base/error/type_text", test_type_text);
  g_test_add_func ("/base/error/checked_bytes", test_checked_bytes);
  return g_test_run ();
}
