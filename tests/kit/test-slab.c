/* SPDX-License-Identifier: Apache-2.0 */
/* The slab planner: no two live pieces overlap, sharers stand together, the size is near the bound. */
#include <kit/slab.h>

#include <glib.h>

static bool
together (const kit_piece *pieces, uint32_t a, uint32_t b)
{
  while (pieces[a].shares >= 0)
    a = (uint32_t)pieces[a].shares;
  while (pieces[b].shares >= 0)
    b = (uint32_t)pieces[b].shares;
  return a == b;
}

static void
check_plan (const kit_piece *pieces, uint32_t n, uint64_t slab)
{
  for (uint32_t i = 0; i < n; i++) {
    const kit_piece *p = &pieces[i];
    g_assert_cmpuint (p->offset % KIT_SLAB_ALIGN, ==, 0);
    g_assert_cmpuint (p->offset + p->bytes, <=, slab);
    for (uint32_t j = 0; j < i; j++) {
      const kit_piece *q = &pieces[j];
      bool live = p->first <= q->last && q->first <= p->last;
      bool apart = p->offset + p->bytes <= q->offset || q->offset + q->bytes <= p->offset;
      if (p->bytes == 0 || q->bytes == 0)
        continue;
      if (together (pieces, i, j))
        g_assert_cmpuint (p->offset, ==, q->offset);
      else if (live)
        g_assert_true (apart);
    }
  }
}

static void
test_random (void)
{
  GRand *rand = g_rand_new_with_seed (1);
  for (int round = 0; round < 200; round++) {
    uint32_t n = (uint32_t)g_rand_int_range (rand, 1, 80);
    kit_piece pieces[80];
    uint64_t slab = 0;
    for (uint32_t i = 0; i < n; i++) {
      uint32_t first = (uint32_t)g_rand_int_range (rand, 0, 60);
      uint32_t last = first + (uint32_t)g_rand_int_range (rand, 0, 20);
      uint64_t bytes = (uint64_t)g_rand_int_range (rand, 0, 2000);
      int32_t shares = -1;
      if (i > 0 && g_rand_int_range (rand, 0, 5) == 0)
        shares = g_rand_int_range (rand, 0, (int32_t)i);
      pieces[i] = (kit_piece) {bytes, first, last, shares, 0};
    }
    g_assert_cmpint (kit_slab_plan (pieces, n, &slab), ==, LAM_OK);
    g_assert_cmpuint (slab, >=, kit_slab_peak (pieces, n));
    check_plan (pieces, n, slab);
  }
  g_rand_free (rand);
}

/* A forward pass that keeps one piece a layer, and a backward pass that uses them up: lifetimes nest, so
 * the bound is reached. */
static void
test_nested (void)
{
  kit_piece pieces[64];
  uint64_t slab = 0;
  for (uint32_t i = 0; i < 64; i++)
    pieces[i] = (kit_piece) {64 * (i % 7 + 1), i, 200 - i, -1, 0};
  g_assert_cmpint (kit_slab_plan (pieces, 64, &slab), ==, LAM_OK);
  g_assert_cmpuint (slab, ==, kit_slab_peak (pieces, 64));
}

/* The size of a training step: 10^5 pieces in well under a second, within 15 % of the bound. */
static void
test_large (void)
{
  uint32_t n = 100000;
  g_autofree kit_piece *pieces = g_new (kit_piece, n);
  GRand *rand = g_rand_new_with_seed (2);
  uint64_t slab = 0;
  for (uint32_t i = 0; i < n / 2; i++) {
    uint64_t bytes = 64u << g_rand_int_range (rand, 0, 8);
    bool kept = i % 3 == 0; /* until the backward pass */
    pieces[2 * i] = (kit_piece) {bytes, i, kept ? n - i : i + 2, -1, 0};
    pieces[2 * i + 1] = (kit_piece) {bytes, n - i - 1, n - i + 3, -1, 0};
  }
  gint64 start = g_get_monotonic_time ();
  g_assert_cmpint (kit_slab_plan (pieces, n, &slab), ==, LAM_OK);
  double seconds = (double)(g_get_monotonic_time () - start) / 1e6;
  uint64_t bound = kit_slab_peak (pieces, n);
  g_test_message ("%u pieces in %.3f s, %.4f of the bound", n, seconds,
                  (double)slab / (double)bound);
  g_assert_cmpuint (slab, <=, bound + bound * 15 / 100);
  g_assert_cmpfloat (seconds, <, 5); /* a quadratic planner needs minutes */
  g_rand_free (rand);
}

static void
test_edges (void)
{
  uint64_t slab = 1;
  kit_piece none = {0, 0, 5, -1, 7};
  kit_piece huge[] = {{UINT64_MAX, 0, 1, -1, 0}};
  kit_piece sum[] = {{UINT64_MAX / 2, 0, 1, -1, 0}, {UINT64_MAX / 2 + 1, 0, 1, -1, 0}};
  g_assert_cmpint (kit_slab_plan (NULL, 0, &slab), ==, LAM_OK);
  g_assert_cmpuint (slab, ==, 0);
  g_assert_cmpint (kit_slab_plan (&none, 1, &slab), ==, LAM_OK);
  g_assert_cmpuint (slab, ==, 0);
  g_assert_cmpuint (none.offset, ==, 0);
  g_assert_cmpint (kit_slab_plan (huge, 1, &slab), ==, LAM_E_NO_MEMORY);
  g_assert_cmpint (kit_slab_plan (sum, 2, &slab), ==, LAM_E_NO_MEMORY);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kit/slab/random", test_random);
  g_test_add_func ("/kit/slab/nested", test_nested);
  g_test_add_func ("/kit/slab/large", test_large);
  g_test_add_func ("/kit/slab/edges", test_edges);
  return g_test_run ();
}
