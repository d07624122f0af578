/* SPDX-License-Identifier: Apache-2.0 */
/* Loading: entries and tables that lie, one fault each (plugin-abi 2.4, 2.13 rows 19, 21-31, 53). */
#include "core/plugin/error.h"
#include "core/plugin/registry.h"
#include "tests/plugin/fixture.h"

#include <lamina/layer.h>

static lam_status
set_error (lam_error *error, lam_status status, const char *message)
{
  return lm_plugin_error_set (error, status, message);
}

static const lam_host host = {.struct_size = sizeof (lam_host), .error_set = set_error};

static void
test_good (void)
{
  g_autofree char *dir = make_folder ();
  g_autofree char *path = build_fixture (dir, "a.so", "");
  LmRegistry *registry = lm_registry_new (&host);
  g_autoptr (GError) error = NULL;
  const LmProvided *p;

  if (path != NULL) {
    g_assert_true (lm_registry_add_file (registry, path, "m.lam", &error));
    p = lm_registry_find (registry, LAM_KIND_LAYER, "t.dense", &error);
    g_assert_no_error (error);
    g_assert_cmpuint (p->revision, ==, 3);
    g_assert_cmpstr (p->plugin_id, ==, "t.plugin");
    g_assert_cmpstr (p->plugin_path, ==, path);
    g_assert_cmpuint (((const lam_layer_vt *)p->vtable)->instance_size, ==, 8);
    g_assert_true (lm_registry_find (registry, LAM_KIND_LAYER, "t.dense", NULL) == p);
    g_assert_cmpstr (((LmPluginInfo *)lm_registry_plugins (registry)->pdata[0])->origin, ==,
                     "m.lam");
  }
  lm_registry_free (registry);
  remove_folder (dir);
}

/* Compiled with flags, the layer is refused at load with one error that says why, and again. */
static void
check_refused (const char *flags, const char *why)
{
  g_autofree char *dir = make_folder ();
  g_autofree char *path = build_fixture (dir, "a.so", flags);
  LmRegistry *registry = lm_registry_new (&host);

  if (path != NULL) {
    g_autoptr (GError) error = NULL, again = NULL;
    g_assert_true (lm_registry_add_file (registry, path, NULL, &error));
    g_assert_no_error (error);
    g_assert_null (lm_registry_find (registry, LAM_KIND_LAYER, "t.dense", &error));
    g_assert_true (error->domain == LM_ERROR);
    if (strstr (error->message, why) == NULL || !g_str_has_prefix (error->message, path))
      g_error ("%s: \"%s\" is not in: %s", flags, why, error->message);
    g_assert_null (lm_registry_find (registry, LAM_KIND_LAYER, "t.dense", &again));
    g_assert_cmpstr (error->message, ==, again->message);
  }
  lm_registry_free (registry);
  remove_folder (dir);
}

static void
test_entry (void)
{
  check_refused ("-DMAGIC=0x12345678", "begins with 0x12345678, wanted 0x314d414c");
  check_refused ("-DENTRY_SIZE=0", "its entry claims 0 bytes");
  check_refused ("-DENTRY_SIZE=48", "its entry claims 48 bytes");
  check_refused ("-DENTRY_SIZE=68", "its entry claims 68 bytes");
  check_refused ("-DENTRY_SIZE=0x7fffffff", "its entry claims");
  check_refused ("-DMAJOR=2", "built for plugin ABI 2");
  check_refused ("-DNEED=7", "needs plugin ABI 1.7");
  check_refused ("-DN_PROVIDES=1000000", "lists 1000000 provided things");
  check_refused ("-DN_PROVIDES=2", "provides lamina.layer/1 \"t.dense\" twice");
  check_refused ("'-DINIT=(void*)&some_data'", "init function is not code");
}

static void
test_lies (void)
{
  check_refused ("'-DPLUGIN_ID=\"t.other\"' '-DNOTE_ID=\"t.plugin\"'",
                 "disagree: the id is \"t.plugin\" in the note and \"t.other\" in the entry");
  check_refused ("'-DLAYER_ID=\"t.secret\"' '-DNOTE_LAYER=\"t.dense\"'",
                 "disagree: the list of provided things");
  check_refused ("-DN_PROVIDES=0", "disagree: the number of provided things is \"1\"");
  check_refused ("-DFLAGS=2", "flags 0x2 that this version does not understand");
}

static void
test_table (void)
{
  check_refused ("-DTABLE_SIZE=24", "layer t.dense: its table has 24 bytes, 40 are required");
  check_refused ("-DTABLE_SIZE=0", "its table has 0 bytes");
  check_refused ("-DTABLE_SIZE=41", "a multiple of 8");
  check_refused ("-DTABLE_SIZE=0xfffffff8", "at most 65536");
  check_refused ("-DSETUP=NULL", "its function setup is NULL");
  check_refused ("'-DSETUP=(setup_fn)0x1234'", "setup points to 0x1234, which is not code");
  check_refused ("'-DSETUP=(setup_fn)(void*)&some_data'", "which is not code of the plugin");
  check_refused ("'-DSETUP=(setup_fn)abort'", "which is not code of the plugin");
  check_refused ("-DINSTANCE=0xffffffffffff", "an instance of 281474976710655 bytes");
  check_refused ("-DN_METHODS=0", "its 0 methods");
  check_refused ("-DN_METHODS=2000", "its 2000 methods");
  check_refused ("-DN_METHODS=2", "its method fprop is there twice");
}

/* A table of a later version: what lies beyond our size is not looked at. */
static void
test_longer_table (void)
{
  g_autofree char *dir = make_folder ();
  g_autofree char *path = build_fixture (dir, "a.so", "'-DTABLE_SIZE=sizeof (lam_layer_vt) + 32'");
  LmRegistry *registry = lm_registry_new (&host);

  if (path != NULL) {
    g_assert_true (lm_registry_add_file (registry, path, NULL, NULL));
    g_assert_nonnull (lm_registry_find (registry, LAM_KIND_LAYER, "t.dense", NULL));
  }
  lm_registry_free (registry);
  remove_folder (dir);
}

static void
test_init (void)
{
  check_refused ("-DINIT=failing_init", "init: no licence for this machine");
}

static void
test_undefined (void)
{
  check_refused ("-DUNDEFINED -DSETUP=nowhere_defined", "nowhere_defined");
}

static void
test_float_state (void)
{
#ifdef __x86_64__
  volatile double tiny = 0x1p-1074;

  check_refused ("-DFLUSH_TO_ZERO", "changed the floating point state");
  g_assert_true (tiny * 1.0 > 0); /* restored: denormals count */
#else
  g_test_skip ("x86-64 only");
#endif
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugin/load/good", test_good);
  g_test_add_func ("/plugin/load/entry", test_entry);
  g_test_add_func ("/plugin/load/lies", test_lies);
  g_test_add_func ("/plugin/load/table", test_table);
  g_test_add_func ("/plugin/load/longer_table", test_longer_table);
  g_test_add_func ("/plugin/load/init", test_init);
  g_test_add_func ("/plugin/load/undefined", test_undefined);
  g_test_add_func ("/plugin/load/float_state", test_float_state);
  return g_test_run ();
}
