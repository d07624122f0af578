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

typedef struct Run {
  const char *group, *backend;
  bool exact;
} Run;

/* The reference adds up in the same order whatever axes are beside the summed ones: equal bits. Others
 * may add up in another order when shapes are: some roundings, which in 16 bits are 2^-8 each. */
static double
tolerance (const Run *run, const LmFunction *f)
{
  for (uint32_t i = 0; i < f->ir.n_values; i++) {
    lam_dtype dtype = lam_value_type (&f->ir, i)->dtype;
    if (!run->exact && (dtype == LAM_F16 || dtype == LAM_BF16))
      return 0x1p-6;
  }
  return run->exact ? 0 : 1e-5;
}

static guint
check_case (const Run *run, LmBackend *backend, const LmGolden *golden, const LmGoldenCase *c)
{
  g_autoptr (GPtrArray) in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  g_autoptr (LmFunction) f = record (golden, c);
  if (f == NULL || f->ir.n_params == 0)
    return 0;
  lm_golden_arrays (golden, c, "in", in);
  for (guint i = 0; i < in->len; i++) /* the largest cases differ from small ones in size only */
    if (((LmArray *)in->pdata[i])->bytes > 65536)
      return 0;
  LmBatchCheck check = {c->id, backend, f, (LmArray *const *)in->pdata, tolerance (run, f)};
  lm_check_batch (&check);
  return 1;
}

static void
test_group (gconstpointer data)
{
  const Run *run = data;
  g_autoptr (GError) error = NULL;
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, run->backend);
  LmGolden *golden = lm_golden_open (run->group, &error);
  guint done = 0;
  g_assert_no_error (error);
  for (guint i = 0; i < lm_golden_n_cases (golden); i++)
    done += check_case (run, backend, golden, lm_golden_case (golden, i));
  g_test_message ("%s: %u of %u cases", run->group, done, lm_golden_n_cases (golden));
  g_assert_cmpuint (done, >, 600);
  lm_golden_free (golden);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  static const Run runs[] = {{"ops", "reference", true},
                             {"ops_more", "reference", true},
                             {"ops", "cpu", false},
                             {"ops_more", "cpu", false}};
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++) {
    g_autofree char *name =
        g_strdup_printf ("/op/batch_golden/%s/%s", runs[i].group, runs[i].backend);
    g_test_add_data_func (name, &runs[i], test_group);
  }
  return g_test_run ();
}
