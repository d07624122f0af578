/* SPDX-License-Identifier: Apache-2.0 */
/* What inference checks for every op, before and after its own rule. */
#include "core/ir/rules.h"

#include <string.h>

/* The inference of one op over operands of f32[2,3] fails with `piece` in its message. */
static void
assert_refused (LmTypeCtx c, const char *op, const char *piece)
{
  g_autoptr (GError) error = NULL;
  lam_type t = lm_type (LAM_F32, 2, (int64_t[]) {2, 3}), results[8] = {0};
  const lam_type *operands[] = {&t, &t, &t, &t};

  c.info = lm_op_info_by_name (op);
  c.operands = operands;
  c.results = results;
  c.max_results = 8;
  c.error = &error;
  g_assert_false (lm_infer_types (&c));
  g_assert_error (error, LM_ERROR, LM_ERROR_INVALID);
  g_assert_true (g_str_has_prefix (error->message, op));
  if (strstr (error->message, piece) == NULL)
    g_error ("no \"%s\" in \"%s\"", piece, error->message);
}

static void
test_arity (void)
{
  assert_refused ((LmTypeCtx) {.n_operands = 1}, "add", "got 1 operands, wanted 2");
  assert_refused ((LmTypeCtx) {.n_operands = 3}, "negate", "got 3 operands, wanted 1");
  assert_refused ((LmTypeCtx) {.n_operands = 0}, "concatenate", "wanted at least 1");
  assert_refused ((LmTypeCtx) {.n_operands = 1, .n_regions = 1}, "negate", "regions");
}

static void
test_attrs (void)
{
  int64_t dims[] = {0};
  lam_attr twice[] = {lm_attr_ints ("dimensions", dims, 1), lm_attr_ints ("dimensions", dims, 1)};
  lam_attr kind = lm_attr_int ("dimensions", 0);
  lam_attr must = lm_attr_int ("dimension", 0);
  lam_attr dtype = lm_attr_dtype ("later", 77);

  must.flags = LAM_ATTR_MUST_UNDERSTAND;
  assert_refused ((LmTypeCtx) {.n_operands = 1, .attrs = twice, .n_attrs = 2}, "reverse",
                  "\"dimensions\" is given twice");
  assert_refused ((LmTypeCtx) {.n_operands = 1, .attrs = &kind, .n_attrs = 1}, "reverse",
                  "\"dimensions\" is of kind int, wanted ints");
  assert_refused ((LmTypeCtx) {.n_operands = 1, .attrs = &must, .n_attrs = 1}, "reverse",
                  "did you mean \"dimensions\"?");
  assert_refused ((LmTypeCtx) {.n_operands = 1, .attrs = &dtype, .n_attrs = 1}, "negate", "77");
  /* All missing ones in one report. */
  assert_refused ((LmTypeCtx) {.n_operands = 1}, "reduce",
                  "\"computation\" (str), \"dimensions\" (ints)");
}

static void
test_stated (void)
{
  lam_type bad = lm_type (LAM_F32, 2, (int64_t[]) {INT64_MAX, 3});

  assert_refused ((LmTypeCtx) {.n_operands = 1}, "reshape", "must be stated");
  assert_refused ((LmTypeCtx) {.n_operands = 1, .wanted = &bad}, "reshape", "stated");
}

/* Unknown keys without the flag mean nothing. */
static void
test_unknown_key (void)
{
  g_autoptr (GError) error = NULL;
  lam_type t = lm_scalar_type (LAM_F32), result[2];
  const lam_type *operand = &t;
  lam_attr later = lm_attr_int ("later", 3);
  LmTypeCtx c = {.info = lm_op_info (LAM_OP_negate),
                 .n_operands = 1,
                 .operands = &operand,
                 .attrs = &later,
                 .n_attrs = 1,
                 .results = result,
                 .max_results = 2,
                 .error = &error};

  g_assert_true (lm_infer_types (&c));
  g_assert_no_error (error);
  g_assert_cmpuint (c.n_results, ==, 1);
  g_assert_true (lm_type_equal (&result[0], &t));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ir/infer/arity", test_arity);
  g_test_add_func ("/ir/infer/attrs", test_attrs);
  g_test_add_func ("/ir/infer/stated", test_stated);
  g_test_add_func ("/ir/infer/unknown_key", test_unknown_key);
  return g_test_run ();
}
