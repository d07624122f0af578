/* SPDX-License-Identifier: Apache-2.0 */
/* The arena: alignment, zeroes, large pieces, interned strings. */
#include "core/base/arena.h"

#include <string.h>

static void
test_pieces (void)
{
  g_autoptr (LmArena) arena = lm_arena_new ();
  char *pieces[1000];
  size_t total = 0;

  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++) {
    size_t bytes = 1 + i * 37 % 500;
    pieces[i] = lm_arena_alloc (arena, bytes);
    g_assert_cmpuint ((uintptr_t)pieces[i] % 16, ==, 0);
    for (size_t k = 0; k < bytes; k++)
      g_assert_cmpint (pieces[i][k], ==, 0);
    memset (pieces[i], (int)(i % 251), bytes);
    total += bytes;
  }
  /* Pieces do not overlap: each still holds its own byte. */
  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
    for (size_t k = 0; k < 1 + i * 37 % 500; k++)
      g_assert_cmpint ((guchar)pieces[i][k], ==, i % 251);
  g_assert_cmpuint (lm_arena_bytes (arena), ==, total);
}

static void
test_align (void)
{
  g_autoptr (LmArena) arena = lm_arena_new ();

  for (size_t align = 1; align <= 4096; align *= 2) {
    lm_arena_alloc_aligned (arena, 1, 1);
    g_assert_cmpuint ((uintptr_t)lm_arena_alloc_aligned (arena, 24, align) % align, ==, 0);
    /* A piece larger than a block. */
    memset (lm_arena_alloc_aligned (arena, 100000, align), 1, 100000);
  }
  g_assert_nonnull (lm_arena_alloc (arena, 0));
}

static void
test_copies (void)
{
  g_autoptr (LmArena) arena = lm_arena_new ();
  const double numbers[] = {1, 2, 3};
  double *copy = lm_arena_memdup (arena, numbers, sizeof numbers, 32);
  int *zeros = lm_arena_new0 (arena, int, 4);

  g_assert_cmpmem (copy, sizeof numbers, numbers, sizeof numbers);
  g_assert_cmpint (zeros[3], ==, 0);
  g_assert_cmpstr (lm_arena_strdup (arena, "ffn"), ==, "ffn");
  g_assert_cmpstr (lm_arena_strndup (arena, "layer_03", 5), ==, "layer");
  g_assert_cmpstr (lm_arena_strndup (arena, "ab", 5), ==, "ab");
}

static void
test_intern (void)
{
  g_autoptr (LmArena) arena = lm_arena_new ();
  char text[] = "lm.stack.layer_03";
  const char *a = lm_arena_intern (arena, text);

  g_assert_true (a != text);
  g_assert_true (lm_arena_intern (arena, "lm.stack.layer_03") == a);
  g_assert_true (lm_arena_intern (arena, "lm.stack.layer_04") != a);
  text[0] = 'x';
  g_assert_cmpstr (a, ==, "lm.stack.layer_03");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/arena/pieces", test_pieces);
  g_test_add_func ("/base/arena/align", test_align);
  g_test_add_func ("/base/arena/copies", test_copies);
  g_test_add_func ("/base/arena/intern", test_intern);
  return g_test_run ();
}
