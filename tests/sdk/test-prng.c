/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of sdk/lamina/prng.h against jax.random (golden group key_cases, partitionable layout). */
#include <glib.h>
#include <lamina/prng.h>
#include <string.h>

#include "tests/lib/golden.h"

static LmGolden *
open_cases (void)
{
  g_autoptr (GError) error = NULL;
  LmGolden *golden = lm_golden_open ("key_cases", &error);
  g_assert_no_error (error);
  return golden;
}

static bool
is_case (const LmGoldenCase *c, const char *kind)
{
  return strcmp (c->kind, kind) == 0
         && strcmp (json_object_get_string_member (c->attrs, "layout"), "partitionable") == 0;
}

static lam_prng_key
key_of (const LmGolden *golden, const LmGoldenCase *c)
{
  LmGoldenTensor tensor;
  lam_prng_key key;
  g_assert_true (lm_golden_tensor (golden, c, "in", "key", &tensor));
  g_assert_cmpuint (tensor.nbytes, ==, sizeof key);
  memcpy (&key, tensor.data, sizeof key);
  return key;
}

static void
test_permutation (void)
{
  g_autoptr (LmGolden) golden = open_cases ();
  guint seen = 0;
  for (guint i = 0; i < lm_golden_n_cases (golden); i++) {
    const LmGoldenCase *c = lm_golden_case (golden, i);
    if (!is_case (c, "permutation"))
      continue;
    uint32_t n = (uint32_t)json_object_get_int_member (c->attrs, "n");
    lam_prng_key key = lam_prng_seed ((uint64_t)json_object_get_int_member (c->attrs, "seed"));
    g_autofree uint32_t *order = g_new (uint32_t, n);
    g_autofree uint64_t *scratch = g_new (uint64_t, 2 * (gsize)n);
    g_autoptr (GString) why = g_string_new (NULL);
    key = lam_prng_fold_in (key, (uint32_t)json_object_get_int_member (c->attrs, "epoch"));
    lam_prng_key want = key_of (golden, c);
    g_assert_cmpmem (&key, sizeof key, &want, sizeof want);
    lam_prng_permutation (key, n, order, scratch);
    if (!lm_golden_compare (golden, c, "out", "y", order, n * sizeof order[0], why))
      g_test_fail_printf ("%s: %s", c->id, why->str);
    seen++;
  }
  g_assert_cmpuint (seen, >=, 20);
}

static void
test_bits (void)
{
  g_autoptr (LmGolden) golden = open_cases ();
  guint seen = 0;
  for (guint i = 0; i < lm_golden_n_cases (golden); i++) {
    const LmGoldenCase *c = lm_golden_case (golden, i);
    LmGoldenTensor want;
    if (!is_case (c, "bits") || json_object_get_int_member (c->attrs, "width") != 32)
      continue;
    g_assert_true (lm_golden_tensor (golden, c, "out", "y", &want));
    lam_prng_key key = key_of (golden, c);
    for (int64_t k = 0; k < want.elements; k++)
      g_assert_cmpuint (lam_prng_bits (key, (uint64_t)k), ==, ((const uint32_t *)want.data)[k]);
    seen++;
  }
  g_assert_cmpuint (seen, >=, 8);
}

/* K0 = fold_in (key, step); K1, Kf = split (K0): the keys of a step. */
static void
test_split_fold_in (void)
{
  g_autoptr (LmGolden) golden = open_cases ();
  guint seen = 0;
  for (guint i = 0; i < lm_golden_n_cases (golden); i++) {
    const LmGoldenCase *c = lm_golden_case (golden, i);
    LmGoldenTensor want;
    if (!is_case (c, "step_keys"))
      continue;
    lam_prng_key key = key_of (golden, c), k0;
    k0 = lam_prng_fold_in (key, (uint32_t)json_object_get_int_member (c->attrs, "step"));
    g_assert_true (lm_golden_tensor (golden, c, "out", "K0", &want));
    g_assert_cmpmem (&k0, sizeof k0, want.data, want.nbytes);
    for (uint32_t k = 0; k < 2; k++) {
      lam_prng_key part = lam_prng_split (k0, k);
      g_assert_true (lm_golden_tensor (golden, c, "out", k == 0 ? "K1" : "Kf", &want));
      g_assert_cmpmem (&part, sizeof part, want.data, want.nbytes);
    }
    seen++;
  }
  g_assert_cmpuint (seen, >=, 15);
}

/* The number of rounds against its formula, at the sizes where it changes. */
static void
test_rounds (void)
{
  static const struct {
    uint32_t n;
    int rounds;
  } rows[] = {{0, 0},    {1, 0},       {2, 1},       {1625, 1},
              {1626, 2}, {2642245, 2}, {2642246, 3}, {UINT32_MAX, 3}};
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpint (lam_prng_shuffle_rounds_ (rows[i].n), ==, rows[i].rounds);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sdk/prng/permutation", test_permutation);
  g_test_add_func ("/sdk/prng/bits", test_bits);
  g_test_add_func ("/sdk/prng/split_fold_in", test_split_fold_in);
  g_test_add_func ("/sdk/prng/rounds", test_rounds);
  return g_test_run ();
}
