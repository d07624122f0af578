/* SPDX-License-Identifier: Apache-2.0 */
/* The reference page of the ops: every op has an example that the library runs with the result that
 * is written beside it, every attribute and gradient has its line, and the page in the tree is what
 * they give. tests/sdk/ops_rules holds more such files, for what the page says of borders: NaN, zeros,
 * ties, empty axes, out of range. All results follow from the page's words. `test-ops_doc --write FILE` writes the page (make ops-doc). */
#include "tests/lib/fixture.h"
#include "tests/lib/opdoc.h"

#include "core/ir/attr.h"
#include "core/ir/rules.h"

#include <math.h>
#include <string.h>

static LmOpDoc *
read_doc (const LmOpInfo *info)
{
  g_autoptr (GError) error = NULL;
  LmOpDoc *doc = lm_op_doc_read (LM_OP_DOC_FOLDER, info, &error);
  g_assert_no_error (error);
  return doc;
}

/* --- lines ------------------------------------------------------------------------------------ */

static void
check_attrs (const LmOpDoc *doc)
{
  const char *cursor = doc->info->attrs;
  LmSchemaKey key;
  guint n = 0;
  while (lm_schema_next (&cursor, &key)) {
    n++;
    if (lm_op_doc_attr (doc, key.key, key.key_len) == NULL)
      g_test_fail_printf ("sdk/doc/ops/%s.lir: no line \"# attr %.*s: ...\"", doc->info->name,
                          (int)key.key_len, key.key);
  }
  if (n != doc->attrs->len)
    g_test_fail_printf ("sdk/doc/ops/%s.lir: %u attributes have a line, the row has %u",
                        doc->info->name, doc->attrs->len, n);
}

static void
test_lines (void)
{
  guint n;
  const LmOpInfo *rows = lm_op_table (&n);
  for (guint i = 0; i < n; i++) {
    g_autoptr (LmOpDoc) doc = read_doc (&rows[i]);
    bool has_vjp = rows[i].number == LAM_OP_composite || lm_rules (rows[i].number)->vjp != NULL;
    check_attrs (doc);
    if (lm_op_doc_equation (doc) == NULL)
      g_test_fail_printf ("sdk/doc/ops/%s.lir has no equation of %s", rows[i].name, rows[i].name);
    if (doc->gradient == NULL || g_str_has_prefix (doc->gradient, "none") == has_vjp)
      g_test_fail_printf ("sdk/doc/ops/%s.lir: gradient is \"%s\", the op has %s vjp rule",
                          rows[i].name, doc->gradient != NULL ? doc->gradient : "",
                          has_vjp ? "a" : "no");
  }
}

/* --- results ---------------------------------------------------------------------------------- */

/* Seven or eight digits are written of a result that is not exact. */
#define TOLERANCE 2e-7

static bool
close_enough (const LmArray *got, const LmArray *wanted, int64_t i)
{
  double x = lm_array_get_double (got, i), y = lm_array_get_double (wanted, i);
  if (!lam_dtype_is_float (got->type.dtype))
    return lm_array_get_int (got, i) == lm_array_get_int (wanted, i);
  if (isnan (x) || isnan (y) || isinf (y) || y == 0)
    return (isnan (x) && isnan (y)) || (x == y && signbit (x) == signbit (y));
  return fabs (x - y) <= TOLERANCE * fabs (y);
}

static void
check_result (const LmOpDoc *doc, const char *backend, guint r, const LmArray *got)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmArray) wanted =
      lm_op_doc_value (&got->type, g_ptr_array_index (doc->results, r), &error);
  g_assert_no_error (error);
  for (int64_t i = 0; i < lam_type_elements (&got->type); i++)
    if (!close_enough (got, wanted, i))
      g_test_fail_printf ("%s.lir on %s: element %" G_GINT64_FORMAT
                          " of result %u is %.9g, the file says %.9g",
                          doc->info->name, backend, i, r, lm_array_get_double (got, i),
                          lm_array_get_double (wanted, i));
}

static void
run_example (const LmOpDoc *doc, LmBackend *backend)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) in = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_array_unref);
  LmArray *out[8] = {NULL};
  g_assert_cmpuint (doc->values->len, ==, doc->f->ir.n_params);
  g_assert_cmpuint (doc->results->len, ==, doc->f->ir.n_results);
  g_assert_cmpuint (doc->results->len, <=, G_N_ELEMENTS (out));
  for (guint i = 0; i < doc->values->len; i++) {
    const char *elements = strchr (g_ptr_array_index (doc->values, i), '[');
    g_ptr_array_add (in, lm_op_doc_value (lm_param_type (doc->f, i), elements, &error));
    g_assert_no_error (error);
  }
  lm_test_run (backend, doc->f, (LmArray **)in->pdata, out);
  for (guint r = 0; r < doc->results->len; r++) {
    check_result (doc, lm_backend_id (backend), r, out[r]);
    lm_array_unref (out[r]);
  }
}

static void
test_results (gconstpointer backend_name)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (LmBackend) backend = lm_test_backend (registry, backend_name);
  guint n;
  const LmOpInfo *rows = lm_op_table (&n);
  for (guint i = 0; i < n; i++) {
    g_autoptr (LmOpDoc) doc = read_doc (&rows[i]);
    g_test_message ("%s", rows[i].name); /* so that a crash has a name */
    run_example (doc, backend);
  }
  g_clear_pointer (&backend, lm_backend_unref);
  lm_registry_free (registry);
}

static void
test_rules (gconstpointer backend_name)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (LmBackend) backend = lm_test_backend (registry, backend_name);
  guint n, found = 0;
  const LmOpInfo *rows = lm_op_table (&n);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LmOpDoc) doc = lm_op_doc_read ("tests/sdk/ops_rules", &rows[i], &error);
    if (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
      continue; /* most ops have none */
    g_assert_no_error (error);
    g_test_message ("%s", rows[i].name);
    run_example (doc, backend);
    found++;
  }
  g_assert_cmpuint (found, >=, 24);
  g_clear_pointer (&backend, lm_backend_unref);
  lm_registry_free (registry);
}

/* --- the page --------------------------------------------------------------------------------- */

static char *
make_page (GError **error)
{
  LmRegistry *registry = lm_test_registry ();
  LmBackend *reference = lm_test_backend (registry, "reference");
  LmBackend *cpu = lm_test_backend (registry, "cpu");
  LmOpDocBackend backends[] = {{"reference", lm_backend_claims (reference)},
                               {"cpu", lm_backend_claims (cpu)}};
  char *page = lm_op_page (backends, G_N_ELEMENTS (backends), error);
  lm_backend_unref (cpu);
  lm_backend_unref (reference);
  lm_registry_free (registry);
  return page;
}

static void
test_page (void)
{
  g_autoptr (GError) error = NULL;
  const char *tree = g_getenv ("LAMINA_SRCDIR");
  g_autofree char *path =
      g_build_filename (tree != NULL ? tree : ".", "sdk", "doc", "ops.md", NULL);
  g_autofree char *page = make_page (&error), *stored = NULL;
  g_assert_no_error (error);
  g_file_get_contents (path, &stored, NULL, &error);
  g_assert_no_error (error);
  if (strcmp (page, stored) != 0)
    g_test_fail_printf ("sdk/doc/ops.md is not what ops.def and sdk/doc/ops give; "
                        "refresh it with: make ops-doc");
}

static int
write_page (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *page = make_page (&error);
  if (page == NULL || !g_file_set_contents (path, page, -1, &error)) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc == 3 && strcmp (argv[1], "--write") == 0)
    return write_page (argv[2]);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sdk/ops_doc/lines", test_lines);
  g_test_add_data_func ("/sdk/ops_doc/results/reference", "reference", test_results);
  g_test_add_data_func ("/sdk/ops_doc/results/cpu", "cpu", test_results);
  g_test_add_data_func ("/sdk/ops_doc/rules/reference", "reference", test_rules);
  g_test_add_data_func ("/sdk/ops_doc/rules/cpu", "cpu", test_rules);
  g_test_add_func ("/sdk/ops_doc/page", test_page);
  return g_test_run ();
}
