/* SPDX-License-Identifier: Apache-2.0 */
/* Where values live: constants, aliases, results written in place, and what is set aside for donation. */
#include "tests/lib/fixture.h"

#include <kit/plan.h>
#include <string.h>

static void
plan_text (kit_plan *plan, const char *text, const lam_alias *aliases, uint32_t n, uint32_t flags)
{
  g_autoptr (LmFunction) f = lm_test_parse (text);
  lam_compile_options options = {sizeof options, n, aliases};
  g_assert_cmpint (kit_plan_init (plan, &f->ir, &options, flags, NULL), ==, LAM_OK);
}

static void
test_constants (void)
{
  kit_plan plan;
  plan_text (&plan,
             "func @f() -> (f32[3], i8[2]) {\n"
             "  %0 = constant() {value = [1.5]} : f32[3]\n"
             "  %1 = constant() {value = [7, -7]} : i8[2]\n  return %0, %1\n}\n",
             NULL, 0, 0);
  float x[3];
  int8_t y[2];
  void *out[] = {x, y};
  kit_plan_finish (&plan, NULL, NULL, out);
  for (int i = 0; i < 3; i++)
    g_assert_cmpfloat (x[i], ==, 1.5);
  g_assert_cmpint (y[0], ==, 7);
  g_assert_cmpint (y[1], ==, -7);
  g_assert_cmpuint (plan.slab_bytes, ==, 0);
  kit_plan_clear (&plan);
}

/* The update of a variable, read for the last time by the equation that makes the new one. */
#define UPDATE                                                                                     \
  "func @f(%0: f32[4], %1: f32[4]) -> (f32[4]) {\n"                                                \
  "  %2 = subtract(%0, %1) : f32[4]\n  return %2\n}\n"
#define UPDATE_READ_LATER                                                                          \
  "func @f(%0: f32[4], %1: f32[4]) -> (f32[4], f32[4]) {\n"                                        \
  "  %2 = subtract(%0, %1) : f32[4]\n  %3 = sine(%0) : f32[4]\n  return %2, %3\n}\n"
#define UPDATE_REVERSED                                                                            \
  "func @f(%0: f32[4]) -> (f32[4]) {\n"                                                            \
  "  %1 = reverse(%0) {dimensions = [0]} : f32[4]\n  return %1\n}\n"
#define UPDATE_THROUGH_ALIAS                                                                       \
  "func @f(%0: f32[4]) -> (f32[4], f32[2,2]) {\n  %1 = reshape(%0) : f32[2,2]\n"                   \
  "  %2 = negate(%0) : f32[4]\n  %3 = sine(%1) : f32[2,2]\n  return %2, %3\n}\n"

static void
test_direct (void)
{
  static const struct {
    const char *text;
    uint32_t value;
    bool donated;
    int32_t where; /* with donation of input 0 to output 0 if donated */
  } cases[] = {
      {UPDATE, 2, false, KIT_IN_OUTPUT},
      {UPDATE, 2, true, KIT_IN_OUTPUT},
      {UPDATE_READ_LATER, 2, false, KIT_IN_OUTPUT},
      {UPDATE_READ_LATER, 2, true, KIT_IN_SLAB},
      {UPDATE_READ_LATER, 3, true, KIT_IN_OUTPUT},
      {UPDATE_REVERSED, 1, true, KIT_IN_SLAB},
      {UPDATE_THROUGH_ALIAS, 2, true, KIT_IN_SLAB},
  };
  static const lam_alias donation = {0, 0};
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    kit_plan plan;
    plan_text (&plan, cases[i].text, &donation, cases[i].donated ? 1 : 0, KIT_PLAN_DIRECT);
    g_assert_cmpint (plan.places[cases[i].value].where, ==, cases[i].where);
    kit_plan_clear (&plan);
    plan_text (&plan, cases[i].text, &donation, cases[i].donated ? 1 : 0, 0);
    g_assert_cmpint (plan.places[cases[i].value].where, ==, KIT_IN_SLAB);
    kit_plan_clear (&plan);
  }
}

/* Two inputs trade places: both are set aside before either is overwritten. */
static void
test_swap (void)
{
  kit_plan plan;
  static const lam_alias both[] = {{0, 0}, {1, 1}};
  plan_text (&plan, "func @f(%0: f32[2], %1: f32[2]) -> (f32[2], f32[2]) {\n  return %1, %0\n}\n",
             both, 2, 0);
  g_assert_cmpuint (plan.n_copies, ==, 2);
  float a[] = {1, 2}, b[] = {3, 4};
  void *bindings[] = {a, b};
  g_autofree char *slab = g_malloc (plan.slab_bytes);
  kit_plan_finish (&plan, slab, bindings, bindings);
  g_assert_cmpfloat (a[0], ==, 3);
  g_assert_cmpfloat (a[1], ==, 4);
  g_assert_cmpfloat (b[0], ==, 1);
  g_assert_cmpfloat (b[1], ==, 2);
  kit_plan_clear (&plan);
}

/* A reshape stands in its operand's memory, and keeps it from being taken over. */
static void
test_aliases (void)
{
  kit_plan plan;
  plan_text (&plan,
             "func @f(%0: f32[4]) -> (f32[4], f32[2,2]) {\n"
             "  %1 = sine(%0) : f32[4]\n"
             "  %2 = reshape(%1) : f32[2,2]\n"
             "  %3 = negate(%1) : f32[4]\n"
             "  %4 = cosine(%2) : f32[2,2]\n"
             "  return %3, %4\n}\n",
             NULL, 0, 0);
  g_assert_cmpuint (plan.places[2].offset, ==, plan.places[1].offset);
  g_assert_cmpuint (plan.places[3].offset, !=, plan.places[1].offset);
  g_assert_cmpint (plan.places[4].shares, ==, 2);
  kit_plan_clear (&plan);
}

static void
test_elided (void)
{
  kit_plan plan;
  g_autoptr (LmFunction) f = lm_test_parse (UPDATE_READ_LATER);
  const bool elided[] = {false, false, false, true};
  lam_compile_options none = {sizeof none, 0, NULL};
  g_assert_cmpint (kit_plan_init (&plan, &f->ir, &none, 0, elided), ==, LAM_OK);
  g_assert_cmpint (plan.places[3].where, ==, KIT_IN_NOTHING);
  g_assert_null (kit_plan_address (&plan, 3, NULL, NULL, NULL));
  kit_plan_clear (&plan);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kit/plan/constants", test_constants);
  g_test_add_func ("/kit/plan/direct", test_direct);
  g_test_add_func ("/kit/plan/swap", test_swap);
  g_test_add_func ("/kit/plan/aliases", test_aliases);
  g_test_add_func ("/kit/plan/elided", test_elided);
  return g_test_run ();
}
