/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of core/op/table.c: every row has its rules, reserved numbers have none. */
#include "core/ir/rules.h"

static void
test_rows (void)
{
  guint n;
  const LmOpInfo *rows = lm_op_table (&n);
  g_assert_cmpuint (n, >, 60);
  for (guint i = 0; i < n; i++) {
    const LmRules *rules = lm_rules (rows[i].number);
    g_assert_nonnull (rules);
    g_assert_nonnull (rules->type);
    if (lm_op_has_flag (&rows[i], 'D') != (rules->decompose != NULL))
      g_error ("%s: flag D and a decomposition belong together", rows[i].name);
    if (rules->batch == NULL && rows[i].max_operands != 0) /* else nothing is batched */
      g_error ("%s has no batching rule", rows[i].name);
  }
}

static void
test_unknown (void)
{
  g_assert_null (lm_rules (LAM_OP_NONE));
  g_assert_null (lm_rules (LAM_OP_scan));
  g_assert_null (lm_rules (-1));
  g_assert_null (lm_rules (100000));
}

/* Ops that no gradient passes, and no others: the list of ops.def's texts. */
static void
test_without_gradient (void)
{
  static const int32_t none[] = {LAM_OP_constant,
                                 LAM_OP_iota,
                                 LAM_OP_bitcast_convert,
                                 LAM_OP_and,
                                 LAM_OP_or,
                                 LAM_OP_xor,
                                 LAM_OP_shift_left,
                                 LAM_OP_shift_right_logical,
                                 LAM_OP_shift_right_arithmetic,
                                 LAM_OP_compare,
                                 LAM_OP_sign,
                                 LAM_OP_floor,
                                 LAM_OP_ceil,
                                 LAM_OP_round_nearest_even,
                                 LAM_OP_is_finite,
                                 LAM_OP_not,
                                 LAM_OP_population_count,
                                 LAM_OP_reduce_window_arg,
                                 LAM_OP_argmax,
                                 LAM_OP_argmin,
                                 LAM_OP_threefry2x32,
                                 LAM_OP_stop_gradient,
                                 LAM_OP_axis_index,
                                 LAM_OP_composite /* core/transform differentiates its region */};
  guint n, without = 0;
  const LmOpInfo *rows = lm_op_table (&n);
  for (guint i = 0; i < n; i++)
    without += lm_rules (rows[i].number)->vjp == NULL;
  for (guint i = 0; i < G_N_ELEMENTS (none); i++)
    g_assert_null (lm_rules (none[i])->vjp);
  g_assert_cmpuint (without, ==, G_N_ELEMENTS (none));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/table/rows", test_rows);
  g_test_add_func ("/op/table/unknown", test_unknown);
  g_test_add_func ("/op/table/without-gradient", test_without_gradient);
  return g_test_run ();
}
