/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of cases: the same for the same seed, with everything in them that backends get wrong. */
#include "core/conformance/cases.h"
#include "tests/lib/fixture.h"

#include <math.h>
#include <string.h>

static LmArray *
draw (lam_dtype dtype, LmDraw how, int64_t n, int64_t bound, guint param)
{
  lam_type type = lm_type (dtype, 1, (int64_t[]) {n});
  LmDrawing d = {g_rand_new_with_seed (5), how, bound, param};
  LmArray *a = lm_case_draw (&d, &type, NULL);
  g_rand_free (d.rand);
  return a;
}

static void
test_same (void)
{
  for (int how = LM_DRAW_SPECIAL; how <= LM_DRAW_EVERY; how++) {
    g_autoptr (LmArray) a = draw (LAM_F32, (LmDraw)how, 999, 0, 0);
    g_autoptr (LmArray) b = draw (LAM_F32, (LmDraw)how, 999, 0, 0);
    g_assert_cmpmem (a->data, a->bytes, b->data, b->bytes);
  }
}

/* Counts of kinds of floats. */
typedef struct Kinds {
  guint nan, inf, zero, minus_zero, denormal, half, equal;
} Kinds;

static Kinds
count (const LmArray *a, double smallest_normal)
{
  Kinds k = {0};
  for (int64_t i = 0; i < lam_type_elements (&a->type); i++) {
    double x = lm_array_get_double (a, i);
    k.nan += isnan (x);
    k.inf += isinf (x) != 0;
    k.zero += x == 0 && !signbit (x);
    k.minus_zero += x == 0 && signbit (x);
    k.denormal += x != 0 && fabs (x) < smallest_normal;
    k.half += fabs (x - trunc (x)) == 0.5;
    k.equal += i > 0 && x == lm_array_get_double (a, i - 1);
  }
  return k;
}

static void
test_special (void)
{
  static const struct {
    lam_dtype dtype;
    double normal;
  } rows[] = {{LAM_F64, 0x1p-1022}, {LAM_F32, 0x1p-126}, {LAM_F16, 0x1p-14}, {LAM_BF16, 0x1p-126}};
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (LmArray) a = draw (rows[i].dtype, LM_DRAW_SPECIAL, 4000, 0, 0);
    Kinds k = count (a, rows[i].normal);
    g_assert_cmpuint (k.nan, >, 20);
    g_assert_cmpuint (k.inf, >, 20);
    g_assert_cmpuint (k.zero, >, 10);
    g_assert_cmpuint (k.minus_zero, >, 2);
    g_assert_cmpuint (k.denormal, >, 20);
    g_assert_cmpuint (k.half, >, 100);
    g_assert_cmpuint (k.nan + k.inf, <, 1000); /* most results must say something */
  }
}

static void
test_ties (void)
{
  g_autoptr (LmArray) a = draw (LAM_F32, LM_DRAW_TIES, 1000, 0, 0);
  Kinds k = count (a, 0x1p-126);
  g_assert_cmpuint (k.equal, >, 100);
  g_assert_cmpuint (k.nan, >, 5);
  g_assert_cmpuint (k.minus_zero, >, 50);
  g_autoptr (LmArray) b = draw (LAM_F32, LM_DRAW_DISTINCT, 1000, 0, 0);
  k = count (b, 0x1p-126);
  g_assert_cmpuint (k.equal, >, 50);
  g_assert_cmpuint (k.nan + k.minus_zero, ==, 0);
}

static void
test_ranges (void)
{
  g_autoptr (LmArray) positive = draw (LAM_F16, LM_DRAW_POSITIVE, 1000, 0, 0);
  g_autoptr (LmArray) factors = draw (LAM_F64, LM_DRAW_FACTORS, 1000, 0, 0);
  g_autoptr (LmArray) sparse = draw (LAM_F64, LM_DRAW_SPARSE, 1000, 0, 0);
  for (int64_t i = 0; i < 1000; i++) {
    g_assert_cmpfloat (lm_array_get_double (positive, i), >=, 0.25);
    g_assert_cmpfloat (lm_array_get_double (positive, i), <=, 1);
    g_assert_cmpfloat (fabs (lm_array_get_double (factors, i)), >=, 0.9);
    g_assert_cmpfloat (fabs (lm_array_get_double (factors, i)), <=, 1.1);
  }
  Kinds k = count (sparse, 0x1p-1022);
  g_assert_cmpuint (k.nan + k.inf, >, 5);
  g_assert_cmpuint (k.nan + k.inf, <, 100);
}

/* Shift amounts about the width, both ends, small numbers. */
static void
test_integers (void)
{
  g_autoptr (LmArray) a = draw (LAM_I32, LM_DRAW_SPECIAL, 4000, 0, 0);
  guint width = 0, least = 0, most = 0, minus_one = 0;
  for (int64_t i = 0; i < 4000; i++) {
    int64_t x = lm_array_get_int (a, i);
    width += x >= 32 && x <= 34;
    least += x == INT32_MIN;
    most += x == INT32_MAX;
    minus_one += x == -1;
  }
  g_assert_cmpuint (width, >, 20);
  g_assert_cmpuint (least, >, 100);
  g_assert_cmpuint (most, >, 100);
  g_assert_cmpuint (minus_one, >, 20);
}

static void
test_indices (void)
{
  g_autoptr (LmArray) a = draw (LAM_I64, LM_DRAW_SPECIAL, 1000, 7, 0);
  guint inside = 0, below = 0, just_above = 0, far = 0;
  for (int64_t i = 0; i < 1000; i++) {
    int64_t x = lm_array_get_int (a, i);
    inside += x >= 0 && x < 7;
    below += x < 0 && x >= -4;
    just_above += x >= 7 && x <= 11;
    far += x > 1000000;
  }
  g_assert_cmpuint (inside, >, 600);
  g_assert_cmpuint (below, >, 20);
  g_assert_cmpuint (just_above, >, 20);
  g_assert_cmpuint (far, >, 50);
}

/* Every f16 once; every pair of bytes once; no signalling NaN. */
static void
test_every (void)
{
  g_autoptr (LmArray) a = draw (LAM_F16, LM_DRAW_EVERY, 65536, 0, 0);
  g_autoptr (LmArray) low = draw (LAM_U8, LM_DRAW_EVERY, 65536, 0, 0);
  g_autoptr (LmArray) high = draw (LAM_U8, LM_DRAW_EVERY, 65536, 0, 1);
  for (guint i = 0; i < 65536; i++) {
    uint16_t bits = ((uint16_t *)a->data)[i];
    bool nan = (i & 0x7c00) == 0x7c00 && (i & 0x3ff) != 0;
    g_assert_cmpuint (bits, ==, nan ? (i | 0x200) : i);
    g_assert_cmpuint (((uint8_t *)low->data)[i] | ((uint8_t *)high->data)[i] << 8, ==, i);
  }
  g_autoptr (LmArray) b = draw (LAM_PRED, LM_DRAW_SPECIAL, 1000, 0, 0);
  for (guint i = 0; i < 1000; i++)
    g_assert_cmpuint (((uint8_t *)b->data)[i], <=, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conformance/draw/same", test_same);
  g_test_add_func ("/conformance/draw/special", test_special);
  g_test_add_func ("/conformance/draw/ties", test_ties);
  g_test_add_func ("/conformance/draw/ranges", test_ranges);
  g_test_add_func ("/conformance/draw/integers", test_integers);
  g_test_add_func ("/conformance/draw/indices", test_indices);
  g_test_add_func ("/conformance/draw/every", test_every);
  return g_test_run ();
}
