/* SPDX-License-Identifier: Apache-2.0 */
/* The registry: search order, shadowing, what is listed, and the error for an unknown id. */
#include "core/plugin/registry.h"

#include "tests/plugin/fixture.h"

static const lam_host host = {.struct_size = sizeof (lam_host)};

static const LmPluginInfo *
info (const LmRegistry *registry, guint i)
{
  g_assert_cmpuint (i, <, lm_registry_plugins (registry)->len);
  return lm_registry_plugins (registry)->pdata[i];
}

static void
test_scan (void)
{
  g_autofree char *dir = make_folder (), *bundle = g_build_filename (dir, "b.lamplugin", NULL);
  g_autofree char *text = g_build_filename (dir, "lamina-zz.so", NULL);
  g_autofree char *a = NULL, *b = NULL, *c = NULL, *d = NULL;
  LmRegistry *registry = lm_registry_new (&host);

  g_assert_cmpint (g_mkdir (bundle, 0700), ==, 0);
  g_assert_true (g_file_set_contents (text, "hello", -1, NULL));
  a = build_fixture (dir, "lamina-a.so", "'-DPLUGIN_ID=\"t.a\"' '-DLAYER_ID=\"t.one\"'");
  b = build_fixture (bundle, "plugin.so", "'-DPLUGIN_ID=\"t.b\"' '-DLAYER_ID=\"t.two\"'");
  c = build_fixture (dir, "other.so", "'-DPLUGIN_ID=\"t.c\"'"); /* not named lamina-*.so */
  d = build_fixture (dir, "lamina-not.so", "-DNO_NOTE -DNO_ENTRY");
  if (a != NULL && b != NULL && c != NULL && d != NULL) {
    lm_registry_add_dir (registry, dir);
    lm_registry_add_dir (registry, dir);               /* again: nothing new */
    lm_registry_add_dir (registry, "/no/such/folder"); /* not an error */
    g_auto (GStrv) ids = lm_registry_ids (registry, LAM_KIND_LAYER);
    g_autofree char *list = g_strjoinv (" ", ids);
    g_assert_cmpstr (list, ==, "t.one t.two");
    g_assert_cmpuint (lm_registry_plugins (registry)->len, ==, 3);
    g_assert_cmpstr (info (registry, 0)->id, ==, "t.b"); /* by path: b.lamplugin, lamina-a.so */
    g_assert_cmpstr (info (registry, 1)->path, ==, a);
    g_assert_nonnull (strstr (info (registry, 2)->refused, "not an ELF file"));
  }
  lm_registry_free (registry);
  remove_folder (dir);
}

static void
test_order (void)
{
  g_autofree char *first = make_folder (), *second = make_folder ();
  g_autofree char *a = NULL, *b = NULL, *c = NULL;
  LmRegistry *registry = lm_registry_new (&host);

  a = build_fixture (first, "lamina-a.so", "'-DVERSION=\"2.0.0\"' -DREVISION=9");
  b = build_fixture (second, "lamina-a.so", "");                      /* the same plugin id */
  c = build_fixture (second, "lamina-c.so", "'-DPLUGIN_ID=\"t.c\"'"); /* the same layer id */
  if (a != NULL && b != NULL && c != NULL) {
    lm_registry_add_dir (registry, first);
    lm_registry_add_dir (registry, second);
    g_assert_false (info (registry, 0)->shadowed);
    g_assert_true (info (registry, 1)->shadowed);
    g_assert_false (info (registry, 2)->shadowed);
    g_assert_cmpuint (lm_registry_find (registry, LAM_KIND_LAYER, "t.dense", NULL)->revision, ==,
                      9);
  }
  lm_registry_free (registry);
  remove_folder (first);
  remove_folder (second);
}

static void
test_unknown (void)
{
  g_autofree char *dir = make_folder (), *text = g_build_filename (dir, "lamina-t.so", NULL);
  g_autofree char *a = build_fixture (dir, "lamina-a.so", "");
  LmRegistry *registry = lm_registry_new (&host);
  g_autoptr (GError) error = NULL, other = NULL;

  if (a != NULL) {
    g_assert_true (g_file_set_contents (text, "hello", -1, NULL));
    lm_registry_add_dir (registry, dir);
    g_assert_null (lm_registry_find (registry, LAM_KIND_LAYER, "t.dens", &error));
    g_assert_error (error, LM_ERROR, LM_ERROR_NOT_FOUND);
    g_assert_nonnull (
        strstr (error->message, "no layer \"t.dens\" is known; did you mean \"t.dense\"?"));
    g_assert_nonnull (strstr (error->message, dir));
    g_assert_nonnull (strstr (error->message, "lamina-t.so: not an ELF file"));
    /* A layer is not an optimizer. */
    g_assert_null (lm_registry_find (registry, LAM_KIND_OPTIMIZER, "t.dense", &other));
    g_assert_error (other, LM_ERROR, LM_ERROR_NOT_FOUND);
  }
  lm_registry_free (registry);
  remove_folder (dir);
}

static void
test_add_file (void)
{
  g_autofree char *dir = make_folder (), *none = g_build_filename (dir, "none.so", NULL);
  g_autofree char *a = build_fixture (dir, "plain.so", "-DNO_NOTE -DNO_ENTRY");
  LmRegistry *registry = lm_registry_new (&host);
  g_autoptr (GError) error = NULL, missing = NULL;

  if (a != NULL) {
    g_assert_false (lm_registry_add_file (registry, a, NULL, &error));
    g_assert_error (error, LM_ERROR, LM_ERROR_PLUGIN);
    g_assert_nonnull (strstr (error->message, "not a Lamina plugin"));
    g_assert_false (lm_registry_add_file (registry, none, NULL, &missing));
    g_assert_error (missing, LM_ERROR, LM_ERROR_NOT_FOUND);
  }
  lm_registry_free (registry);
  remove_folder (dir);
}

/* $LAM_PLUGIN_PATH comes first; a relative element is never searched. */
static void
test_standard_dirs (void)
{
  g_autofree char *dir = make_folder (), *data = make_folder ();
  g_autofree char *home = g_build_filename (data, "lamina", "plugins", NULL);
  g_autofree char *path = g_strconcat (".:", dir, NULL);
  g_autofree char *a = NULL, *b = NULL;
  LmRegistry *registry = lm_registry_new (&host);

  g_assert_cmpint (g_mkdir_with_parents (home, 0700), ==, 0);
  a = build_fixture (dir, "lamina-a.so", "'-DVERSION=\"1.0.0\"'");
  b = build_fixture (home, "lamina-b.so", "'-DPLUGIN_ID=\"t.home\"'");
  if (a != NULL && b != NULL) {
    g_setenv ("LAM_PLUGIN_PATH", path, TRUE);
    g_setenv ("XDG_DATA_HOME", data, TRUE);
    lm_registry_add_standard_dirs (registry);
    g_assert_cmpstr (info (registry, 0)->path, ==, a);
    g_assert_cmpstr (info (registry, 1)->path, ==, b);
    g_unsetenv ("LAM_PLUGIN_PATH");
    g_unsetenv ("XDG_DATA_HOME");
  }
  lm_registry_free (registry);
  remove_folder (dir);
  remove_folder (data);
}

static void
test_ignored_dirs (void)
{
  g_setenv ("LAM_PLUGIN_PATH", "build:/opt/a::./b", TRUE);
  g_auto (GStrv) some = lm_registry_ignored_dirs ();
  g_autofree char *list = g_strjoinv (" ", some);
  g_assert_cmpstr (list, ==, "build ./b");
  g_unsetenv ("LAM_PLUGIN_PATH");
  g_auto (GStrv) none = lm_registry_ignored_dirs ();
  g_assert_cmpuint (g_strv_length (none), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plugin/registry/scan", test_scan);
  g_test_add_func ("/plugin/registry/order", test_order);
  g_test_add_func ("/plugin/registry/unknown", test_unknown);
  g_test_add_func ("/plugin/registry/add_file", test_add_file);
  g_test_add_func ("/plugin/registry/standard_dirs", test_standard_dirs);
  g_test_add_func ("/plugin/registry/ignored_dirs", test_ignored_dirs);
  return g_test_run ();
}
