/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over replicas in buckets: what travels together, where, and what must not. */
#include "core/transform/transform.h"
#include "lir.h"

static void
check (const char *text, uint64_t bytes, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f = lir_parse (text);
  g_autoptr (LmFunction) got = lir_sound (lm_bucket (f, bytes, &error), &error);
  lir_assert (got, wanted);
}

#define SUM " {computation = \"add\"}\n"

/* One variadic sum behind all the work comes apart: in the order in which gradients come to be. */
static void
test_early (void)
{
  check ("func @f(%0: f32[4]) -> (f32[4], f32[4], f32[4]) {\n"
         " %1 = sine(%0)\n %2 = cosine(%1)\n %3 = tanh(%2)\n"
         " %4, %5, %6 = all_reduce(%3, %1, %2)" SUM " return %4, %5, %6\n}",
         32,
         "func @f(%0: f32[4]) -> (f32[4], f32[4], f32[4]) {\n"
         " %1 = sine(%0)\n %2 = cosine(%1)\n %3, %4 = all_reduce(%1, %2)" SUM
         " %5 = tanh(%2)\n %6 = all_reduce(%5)" SUM " return %6, %3, %4\n}");
}

/* Single sums come together; the last one of all goes at once, however small the bucket. */
static void
test_together (void)
{
  check ("func @f(%0: f32[4], %1: bf16[2]) -> (f32[4], bf16[2], f32[4]) {\n"
         " %2 = all_reduce(%0)" SUM " %3 = sine(%0)\n %4 = all_reduce(%1)" SUM
         " %5 = all_reduce(%3)" SUM " %6 = cosine(%5)\n return %2, %4, %6\n}",
         1000,
         "func @f(%0: f32[4], %1: bf16[2]) -> (f32[4], bf16[2], f32[4]) {\n"
         " %2 = sine(%0)\n %3, %4, %5 = all_reduce(%0, %1, %2)" SUM
         " %6 = cosine(%5)\n return %3, %4, %6\n}");
}

/* What is used before more operands are there is sent before. */
static void
test_used (void)
{
  check ("func @f(%0: f32[4]) -> (f32[4], f32[4]) {\n"
         " %1 = all_reduce(%0)" SUM " %2 = sine(%1)\n %3 = cosine(%0)\n"
         " %4 = all_reduce(%3)" SUM " return %2, %4\n}",
         1000,
         "func @f(%0: f32[4]) -> (f32[4], f32[4]) {\n"
         " %1 = all_reduce(%0)" SUM " %2 = sine(%1)\n %3 = cosine(%0)\n"
         " %4 = all_reduce(%3)" SUM " return %2, %4\n}");
}

/* The sum of something made from a sum is a later message; also of the sum itself. */
static void
test_levels (void)
{
  check ("func @f(%0: f32[4]) -> (f32[4], f32[4], f32[4]) {\n"
         " %1 = all_reduce(%0)" SUM " %2 = sine(%1)\n %3 = all_reduce(%2)" SUM
         " %4 = all_reduce(%1)" SUM " %5 = all_reduce(%4)" SUM " return %3, %4, %5\n}",
         1000,
         "func @f(%0: f32[4]) -> (f32[4], f32[4], f32[4]) {\n"
         " %1 = all_reduce(%0)" SUM " %2 = sine(%1)\n %3, %4 = all_reduce(%1, %2)" SUM
         " %5 = all_reduce(%3)" SUM " return %4, %3, %5\n}");
}

/* A tensor larger than a bucket goes alone; unused sums go; other computations stay where they are. */
static void
test_rest (void)
{
  check ("func @f(%0: f32[4], %1: f32[1]) -> (f32[4], f32[1], f32[1]) {\n"
         " %2, %3 = all_reduce(%1, %1)" SUM
         " %4 = all_reduce(%1) {computation = \"maximum\"}\n %5 = all_reduce(%0)" SUM
         " return %5, %2, %4\n}",
         8,
         "func @f(%0: f32[4], %1: f32[1]) -> (f32[4], f32[1], f32[1]) {\n"
         " %2 = all_reduce(%0)" SUM " %3 = all_reduce(%1)" SUM
         " %4 = all_reduce(%1) {computation = \"maximum\"}\n return %2, %3, %4\n}");
}

static void
test_none (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) f =
      lir_parse ("func @f(%0: f32[4]) -> (f32[4]) {\n"
                 " %1 = all_reduce(%0) {computation = \"maximum\"}\n return %1\n}");
  g_autoptr (LmFunction) same = lm_bucket (f, 8, &error);
  g_assert_true (same == f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transform/bucket/early", test_early);
  g_test_add_func ("/transform/bucket/together", test_together);
  g_test_add_func ("/transform/bucket/used", test_used);
  g_test_add_func ("/transform/bucket/levels", test_levels);
  g_test_add_func ("/transform/bucket/rest", test_rest);
  g_test_add_func ("/transform/bucket/none", test_none);
  return g_test_run ();
}
