/* SPDX-License-Identifier: Apache-2.0 */
/* Opening backends by name, by score, with options. */
#include "tests/lib/fixture.h"

static void
test_names (void)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (LmBackend) full = lm_test_backend (registry, "lamina.reference");
  g_autoptr (LmBackend) last = lm_test_backend (registry, "reference");
  g_assert_cmpstr (lm_backend_id (full), ==, "lamina.reference");
  g_assert_cmpstr (lm_backend_id (last), ==, "lamina.reference");
  g_assert_cmpuint (strlen (lm_backend_device_name (last)), >, 0);
  lm_registry_free (registry);
}

/* reference scores 10, the least: any other backend comes before it. */
static void
test_best (void)
{
  LmRegistry *registry = lm_test_registry ();
  g_autoptr (LmBackend) best = lm_test_backend (registry, NULL);
  g_assert_cmpstr (lm_backend_id (best), ==, "lamina.cpu");
  lm_registry_free (registry);
}

static void
test_unknown (void)
{
  LmRegistry *registry = lm_test_registry ();
  GError *error = NULL;
  g_assert_null (lm_backend_open (registry, "lamina.referense", NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "lamina.referense", "lamina.cpu",
                        "did you mean", "lamina.reference", NULL);
  lm_registry_free (registry);
}

static void
test_none (void)
{
  LmRegistry *registry = lm_registry_new (lm_host_tables ()->host);
  GError *error = NULL;
  g_assert_null (lm_backend_open (registry, NULL, NULL, &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "none", "--plugin-dir", NULL);
  lm_registry_free (registry);
}

static void
test_options (void)
{
  LmRegistry *registry = lm_test_registry ();
  GError *error = NULL;
  g_autoptr (JsonObject) wrong = lm_test_json ("{\"thread\": 1}");
  g_autoptr (JsonObject) below = lm_test_json ("{\"threads\": -1}");
  g_autoptr (JsonObject) one = lm_test_json ("{\"threads\": 1}");
  g_assert_null (lm_backend_open (registry, "cpu", wrong, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "lamina.cpu", "thread", "threads", NULL);
  g_assert_null (lm_backend_open (registry, "cpu", below, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "threads", "-1", NULL);
  g_autoptr (LmBackend) cpu = lm_backend_open (registry, "cpu", one, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (lm_backend_device_name (cpu), "1 thread"));
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/backend/names", test_names);
  g_test_add_func ("/run/backend/best", test_best);
  g_test_add_func ("/run/backend/unknown", test_unknown);
  g_test_add_func ("/run/backend/none", test_none);
  g_test_add_func ("/run/backend/options", test_options);
  return g_test_run ();
}
