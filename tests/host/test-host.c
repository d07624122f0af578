/* SPDX-License-Identifier: Apache-2.0 */
/* The host table: memory, extensions, errors; and the table of the trace. */
#include "tests/lib/fixture.h"

#include "core/plugin/error.h"
#include <lamina/ext/files.h>
#include <lamina/ext/zip.h>

static const lam_host *
host (void)
{
  return lm_host_tables ()->host;
}

static void
test_alloc (void)
{
  static const uint64_t aligns[] = {1, 2, 64, 4096, 1 << 20};
  for (guint i = 0; i < G_N_ELEMENTS (aligns); i++) {
    unsigned char *p = host ()->alloc (host (), 100, aligns[i]);
    g_assert_nonnull (p);
    g_assert_cmpuint ((uintptr_t)p % aligns[i], ==, 0);
    for (int k = 0; k < 100; k++)
      g_assert_cmpint (p[k], ==, 0);
    host ()->free (host (), p);
  }
  void *empty = host ()->alloc (host (), 0, 64);
  g_assert_nonnull (empty);
  host ()->free (host (), empty);
  host ()->free (host (), NULL);
}

/* An odd alignment or a size beyond the address space is NULL, never a crash. */
static void
test_alloc_refused (void)
{
  g_assert_null (host ()->alloc (host (), 8, 0));
  g_assert_null (host ()->alloc (host (), 8, 24));
  g_assert_null (host ()->alloc (host (), UINT64_MAX, 64));
  g_assert_null (host ()->alloc (host (), (uint64_t)INT64_MAX - 1, 64));
}

static void
test_extensions (void)
{
  const lam_ext_files *files = host ()->get_extension (host (), LAM_EXT_FILES);
  const lam_ext_zip *zip = host ()->get_extension (host (), LAM_EXT_ZIP);
  g_assert_cmpuint (files->struct_size, ==, sizeof *files);
  g_assert_cmpuint (zip->struct_size, ==, sizeof *zip);
  g_assert_null (host ()->get_extension (host (), "lamina.host.zip/2"));
  g_assert_null (host ()->get_extension (host (), NULL));
}

static void
test_error (void)
{
  g_autoptr (GError) error = NULL;
  lam_error slot;
  lm_plugin_error_init (&slot);
  lam_status status = host ()->error_set (&slot, LAM_E_CORRUPT, "first");
  g_assert_cmpint (status, ==, LAM_E_CORRUPT);
  host ()->error_set (&slot, LAM_E_IO, "second");
  g_assert_false (lm_plugin_error_take (&slot, status, "there", &error));
  lm_test_assert_error (&error, LM_ERROR_CORRUPT, "there", "first", NULL);
}

/* Messages of plugins reach GLib's log with their level, and bytes that are no text do no harm. */
static void
test_log (void)
{
  g_test_expect_message ("lamina-plugin", G_LOG_LEVEL_WARNING, "careful \xef\xbf\xbd");
  host ()->log (host (), 2, "careful \xff");
  g_test_expect_message ("lamina-plugin", G_LOG_LEVEL_CRITICAL, "above all levels");
  host ()->log (host (), 99, "above all levels");
  g_test_assert_expected_messages ();
}

/* Every member of the trace's table is filled. */
static void
test_trace_table (void)
{
  const lam_trace_api *api = lm_host_tables ()->trace;
  g_assert_cmpuint (api->struct_size, ==, sizeof *api);
  const void *const *members =
      (const void *const *)(const void *)((const char *)api + offsetof (lam_trace_api, op));
  for (gsize i = 0; i < (sizeof *api - offsetof (lam_trace_api, op)) / sizeof (void *); i++)
    g_assert_nonnull (members[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/host/host/alloc", test_alloc);
  g_test_add_func ("/host/host/alloc_refused", test_alloc_refused);
  g_test_add_func ("/host/host/extensions", test_extensions);
  g_test_add_func ("/host/host/error", test_error);
  g_test_add_func ("/host/host/log", test_log);
  g_test_add_func ("/host/trace_api/filled", test_trace_table);
  return g_test_run ();
}
