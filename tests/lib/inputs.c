/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs over files of a test. */
#include "tests/lib/inputs.h"

#include "tests/lib/project.h"
#include <math.h>
#include <string.h>

LmTestInputs *
lm_test_inputs_new (void)
{
  LmTestInputs *t = g_new0 (LmTestInputs, 1);
  t->registry = lm_test_registry ();
  t->folder = g_dir_make_tmp ("lamina-inputs-XXXXXX", NULL);
  t->files = lm_files_new (NULL, t->folder);
  t->dtype = "f32";
  t->models = g_ptr_array_new_with_free_func ((GDestroyNotify)lm_model_free);
  return t;
}

void
lm_test_inputs_free (LmTestInputs *t)
{
  g_ptr_array_unref (t->models);
  lm_files_free (t->files);
  lm_registry_free (t->registry);
  lm_test_remove_tree (t->folder);
  g_free (t->folder);
  g_free (t);
}

void
lm_test_inputs_write (LmTestInputs *t, const char *name, const void *data, gssize n)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (t->folder, name, NULL);
  g_file_set_contents (path, data, n, &error);
  g_assert_no_error (error);
}

LmInput *
lm_test_inputs_open (LmTestInputs *t, const char *config, uint32_t index, uint32_t count,
                     GError **error)
{
  g_autofree char *text =
      g_strdup_printf ("{'dtype': '%s', 'seed': 1234, 'model': {'type': 'lamina.bias', 'dims': 1}, "
                       "'inputs': {'x': %s}}",
                       t->dtype, config);
  g_autoptr (JsonObject) json = lm_test_json (g_strdelimit (text, "'", '"'));
  LmModel *model = lm_model_new (t->registry, lm_host_tables (), json, error);
  const LmInputReplica replica = {index, count};
  g_assert_nonnull (model);
  g_ptr_array_add (t->models, model);
  return lm_input_open_replica (model, "x", t->files, &replica, error);
}

LmInput *
lm_test_inputs_good (LmTestInputs *t, const char *config)
{
  g_autoptr (GError) error = NULL;
  LmInput *input = lm_test_inputs_open (t, config, 0, 1, &error);
  g_assert_no_error (error);
  return input;
}

void
lm_test_inputs_refused (LmTestInputs *t, const char *config, LmErrorCode code, const char *says)
{
  GError *error = NULL;
  g_autoptr (LmInput) input = lm_test_inputs_open (t, config, 0, 1, &error);
  if (input != NULL)
    g_error ("%s was opened, wanted: %s", config, says);
  lm_test_assert_error (&error, code, "inputs.x", says, NULL);
}

void
lm_test_inputs_next (LmInput *input)
{
  g_autoptr (GError) error = NULL;
  bool end = true;
  lm_input_next (input, &end, &error);
  g_assert_no_error (error);
  g_assert_false (end);
}

const LmArray *
lm_test_inputs_array (const LmInput *input, const char *name)
{
  const LmBatchSpec *spec = lm_input_spec (input);
  for (guint i = 0; i < spec->n; i++)
    if (strcmp (spec->fields[i].name, name) == 0)
      return lm_input_arrays (input)[i];
  g_error ("no tensor %s", name);
}

void
lm_test_inputs_expect (const LmInput *input, const char *name, const char *type,
                       const double *values)
{
  const LmArray *array = lm_test_inputs_array (input, name);
  g_autofree char *got = lm_type_to_string (&array->type);
  g_assert_cmpstr (got, ==, type);
  for (int64_t i = 0; i < lam_type_elements (&array->type); i++) {
    double v = lm_array_get_double (array, i);
    if (v != values[i] && !(isnan (v) && isnan (values[i])))
      g_error ("%s[%" G_GINT64_FORMAT "]: got %.17g, wanted %.17g", name, i, v, values[i]);
  }
}
