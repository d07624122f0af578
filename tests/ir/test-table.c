/* SPDX-License-Identifier: Apache-2.0 */
/* The op table: look-ups, and the soundness of every row of ops.def. */
#include "core/ir/attr.h"
#include "core/ir/rules.h"

#include <string.h>

static void
test_lookup (void)
{
  const LmOpInfo *add = lm_op_info (LAM_OP_add);

  g_assert_nonnull (add);
  g_assert_cmpstr (add->name, ==, "add");
  g_assert_cmpint (add->number, ==, 40); /* part of the ABI */
  g_assert_true (add == lm_op_info_by_name ("add"));
  g_assert_true (lm_op_has_flag (add, 'C'));
  g_assert_false (lm_op_has_flag (add, 'T'));
  g_assert_cmpint (lm_op_info_by_name ("dot_general")->op_class, ==, LM_CLASS_CONTRACTION);
  g_assert_null (lm_op_info_by_name ("ad"));
  g_assert_null (lm_op_info (0));
  g_assert_null (lm_op_info (-1));
  g_assert_null (lm_op_info (G_MAXINT32));
  g_assert_null (lm_op_info (LAM_OP_infeed)); /* reserved */
}

/* Numbers rise, schemas parse, arities fit, derived rows have a decomposition. */
static void
test_rows (void)
{
  guint n;
  const LmOpInfo *rows = lm_op_table (&n);

  g_assert_cmpuint (n, >, 60);
  for (guint i = 0; i < n; i++) {
    const char *cursor = rows[i].attrs;
    const LmRules *rules = lm_rules (rows[i].number);
    LmSchemaKey key;
    g_assert_true (i == 0 || rows[i - 1].number < rows[i].number);
    g_assert_true (&rows[i] == lm_op_info (rows[i].number));
    g_assert_true (rows[i].max_operands < 0 || rows[i].max_operands >= rows[i].min_operands);
    g_assert_true (!lm_op_has_flag (&rows[i], 'C') || rows[i].min_operands == 2);
    g_assert_true (rules != NULL && rules->type != NULL);
    g_assert_true (!lm_op_has_flag (&rows[i], 'M') || rows[i].since == 0);
    if (lm_op_has_flag (&rows[i], 'D') && rows[i].op_class != LM_CLASS_CONTROL)
      g_assert_true (rules->decompose != NULL);
    while (lm_schema_next (&cursor, &key)) {
      g_assert_cmpint (key.kind, !=, 0);
      g_assert_cmpuint (key.key_len, >, 0);
    }
    g_assert_cmpstr (cursor, ==, "");
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ir/table/lookup", test_lookup);
  g_test_add_func ("/ir/table/rows", test_rows);
  return g_test_run ();
}
