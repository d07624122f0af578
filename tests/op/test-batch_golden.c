/* SPDX-License-Identifier: Apache-2.0 */
/* Batching rules of every op on the shapes, attributes and dtypes of the golden groups: vmap equals
 * the loop. (That the loop is right is test-golden_ops.) */
#include "tests/lib/batchcheck.h"
#include "tests/lib/fixture.h"
#include "tests/lib/golden_op.h"

/* The case as a function, or NULL if it is of no row. */
static LmFunction *
record (const LmGolden *golden, const LmGoldenCase *c)
{
  g_autoptr (GError) error = NULL;
  LmValue in[8], out[8];
  LmBuilder *b = lm_builder_new (c->kind);
  lm_golden_params (b, golden, c, in);
  LmValue first = lm_golden_record (b, golden, c, in);
  guint n = json_array_get_length (lm_golden_names (c, "out"));
  if (first == LM_NIL && lm_builder_error (b) == NULL) {
    lm_builder_free (b);
    return NULL;
  }
  for (guint i = 0; i < n; i++)
    out[i] = first + i;
  LmFunction *f = lm_builder_finish (b, out, n, &error);
  g_assert_no_error (error);
  return f;
}

/* The reference adds up in the same order whatever axes are beside the summed ones: equal bits. */
static guint
check_case (LmBackend *backend, const LmGolden *golden, const LmGoldenCase *c)
{
  g_autoptr (GPtrArray) in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_autoptr (LmFunction) f = record (golden, c);
  if (f == NULL || f->ir.n_params == 0)
    return 0;
  lm_golden_arrays (golden, c, "in", in);
  for (guint i = 0; i < in->len; i++) /* the largest cases differ from small ones in size only */
    if (((LmArray *)in->pdata[i])->bytes > 65536)
      return 0;
  LmBatchCheck check = {c->id, backend, f, (LmArray *const *)in->pdata, 0};
  lm_check_batch (&check);
  return 1;
}

static void
test_group (gconstpointer group)
{
  g_autoptr (GError) error = NULL;
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  LmGolden *golden = lm_golden_open (group, &error);
  guint done = 0;
  g_assert_no_error (error);
  for (guint i = 0; i < lm_golden_n_cases (golden); i++)
    done += check_case (backend, golden, lm_golden_case (golden, i));
  g_test_message ("%s: %u of %u cases", (const char *)group, done, lm_golden_n_cases (golden));
  g_assert_cmpuint (done, >, 600);
  lm_golden_free (golden);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/op/batch_golden/ops", "ops", test_group);
  g_test_add_data_func ("/op/batch_golden/ops_more", "ops_more", test_group);
  return g_test_run ();
}
