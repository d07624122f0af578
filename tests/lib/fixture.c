/* SPDX-License-Identifier: Apache-2.0 */
/* Shared starting points of tests. */
#include "tests/lib/fixture.h"

#include <string.h>

LmRegistry *
lm_test_registry (void)
{
  const char *dir = g_getenv ("LAMINA_PLUGIN_DIR");
  LmRegistry *registry = lm_registry_new (lm_host_tables ()->host);
  g_assert_nonnull (dir);
  lm_registry_add_dir (registry, dir);
  const char *stranger = g_getenv ("LAMINA_TEST_STRANGER");
  if (stranger != NULL) {
    g_autoptr (GError) error = NULL;
    g_autofree char *name = g_strconcat (stranger, ".so", NULL);
    g_autofree char *path = g_build_filename (g_getenv ("LAMINA_STRANGER_DIR"), name, NULL);
    lm_registry_add_file (registry, path, NULL, &error);
    g_assert_no_error (error);
  }
  return registry;
}

LmBackend *
lm_test_backend (LmRegistry *registry, const char *name)
{
  g_autoptr (GError) error = NULL;
  LmBackend *backend = lm_backend_open (registry, name, NULL, &error);
  g_assert_no_error (error);
  return backend;
}

void
lm_test_set_up (LmTestFixture *f, gconstpointer unused)
{
  (void)unused;
  f->registry = lm_test_registry ();
  f->backend = lm_test_backend (f->registry, "reference");
}

void
lm_test_tear_down (LmTestFixture *f, gconstpointer unused)
{
  (void)unused;
  lm_backend_unref (f->backend);
  lm_registry_free (f->registry);
}

LmFunction *
lm_test_parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  LmFunction *f = lm_text_parse (text, strlen (text), "test", &error);
  g_assert_no_error (error);
  return f;
}

JsonObject *
lm_test_json (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = lm_json_parse (text, strlen (text), LM_JSON_COMMENTS, "test", &error);
  g_assert_no_error (error);
  return json_node_dup_object (node);
}

LmArray *
lm_test_array (const lam_type *type, const double *values)
{
  g_autoptr (GError) error = NULL;
  lam_type wide = *type;
  wide.dtype = LAM_F64;
  g_autoptr (LmArray) doubles = lm_array_new_copy (&wide, values, &error);
  g_assert_no_error (error);
  LmArray *array = lm_array_convert (doubles, type->dtype, &error);
  g_assert_no_error (error);
  return array;
}

LmArray *
lm_test_key (uint32_t high, uint32_t low)
{
  lam_type type = lm_type (LAM_U32, 1, (int64_t[]) {2});
  return lm_test_array (&type, (double[]) {high, low});
}

void
lm_test_run (LmBackend *backend, const LmFunction *f, LmArray *const *in, LmArray **out)
{
  g_autoptr (GError) error = NULL;
  lm_run_function (backend, f, in, out, &error);
  g_assert_no_error (error);
}

void
lm_test_assert_error (GError **error, LmErrorCode code, ...)
{
  va_list pieces;
  g_assert_nonnull (*error);
  g_test_message ("%s", (*error)->message);
  va_start (pieces, code);
  for (const char *piece = va_arg (pieces, const char *); piece != NULL;
       piece = va_arg (pieces, const char *))
    if (strstr ((*error)->message, piece) == NULL)
      g_error ("the message lacks \"%s\": %s", piece, (*error)->message);
  va_end (pieces);
  g_assert_error (*error, LM_ERROR, (gint)code);
  g_clear_error (error);
}
