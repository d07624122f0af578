/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance through the application API: names, a plugin file as the backend, kept cases that
 * lamina_call_file runs again, errors. */
#include "core/api/lamina.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* What the callbacks saw; kept is that of the last result that has one. */
typedef struct Seen {
  guint begun, cases, failed;
  char *kept, *message;
} Seen;

static void
begin (const char *dtype, guint number, const char *function, gpointer user)
{
  Seen *s = user;
  g_assert_nonnull (strstr (function, dtype));
  g_assert_cmpuint (number, <, 100000);
  s->begun++;
}

static void
result (const LaminaConformanceResult *r, gpointer user)
{
  Seen *s = user;
  s->cases += r->cases;
  s->failed += r->failed;
  g_assert_true ((r->failed > 0) == (r->message != NULL));
  if (r->kept == NULL)
    return;
  g_free (s->kept);
  g_free (s->message);
  s->kept = g_strdup (r->kept);
  s->message = g_strdup (r->message);
}

static LaminaContext *
new_context (void)
{
  LaminaContext *context = lamina_context_new ();
  g_assert_true (lamina_context_add_plugin_dir (context, g_getenv ("LAMINA_PLUGIN_DIR"), NULL));
  return context;
}

static char *
faults (void)
{
  return g_build_filename (g_getenv ("LAMINA_STRANGER_DIR"), "backend_faults.so", NULL);
}

static gboolean
run (LaminaContext *context, const LaminaConformanceOptions *o, Seen *s, GError **error)
{
  const LaminaConformanceWatch watch = {.begin = begin, .result = result, .user = s};
  return lamina_conformance_run (context, o, &watch, NULL, error);
}

static void
test_checks (void)
{
  g_autofree const char **checks = lamina_conformance_checks ();
  guint n = 0;
  for (; checks[n] != NULL; n++) {
    const char *why = NULL;
    g_assert_nonnull (lamina_conformance_allows (checks[n], &why));
    g_assert_nonnull (why);
  }
  g_assert_cmpuint (n, >, 70);
  g_assert_null (lamina_conformance_allows ("nothing", NULL));
}

static void
test_cpu (void)
{
  g_autoptr (LaminaContext) context = new_context ();
  g_autoptr (GError) error = NULL;
  LaminaConformanceOptions o = LAMINA_CONFORMANCE_OPTIONS_INIT;
  Seen s = {0};
  o.backend = "cpu";
  o.check = "select";
  o.dtype = "f16";
  run (context, &o, &s, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (s.cases, >, 5);
  g_assert_cmpuint (s.begun, ==, s.cases);
  g_assert_cmpuint (s.failed, ==, 0);
}

/* The kept case is the one that fails: reference has what the message says was wanted. */
static void
test_kept (void)
{
  g_autoptr (LaminaContext) context = new_context ();
  g_autoptr (GError) error = NULL;
  g_autofree char *file = faults (), *dir = g_dir_make_tmp ("lamina-XXXXXX", NULL);
  LaminaConformanceOptions o = LAMINA_CONFORMANCE_OPTIONS_INIT;
  Seen s = {0};
  o.backend = file;
  o.backend_options = "{\"fault\": \"empty\"}";
  o.check = "reduce";
  o.dtype = "f32";
  o.keep = dir;
  run (context, &o, &s, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (s.failed, >, 0);
  g_assert_nonnull (strstr (s.message, "got 0 (0x00000000)"));
  g_autofree char *inputs = g_strndup (s.kept, strlen (s.kept) - strlen ("lir"));
  g_autofree char *npz = g_strconcat (inputs, "npz", NULL);
  g_autoptr (GHashTable) in = lamina_tensors_load (npz, &error);
  g_assert_no_error (error);
  g_autoptr (GHashTable) out =
      lamina_call_file (context, s.kept, "lamina.reference", in, NULL, &error);
  g_assert_no_error (error);
  const LaminaTensor *y = g_hash_table_lookup (out, "0");
  g_assert_cmpint (lamina_tensor_elements (y), ==, 1);
  g_assert_cmpfloat (lamina_tensor_get (y, 0), ==, 1); /* a product of nothing comes first */
  g_unlink (s.kept);
  g_unlink (npz);
  g_rmdir (dir);
  g_free (s.kept);
  g_free (s.message);
}

static void
expect (const LaminaConformanceOptions *o, int code, const char *text)
{
  g_autoptr (LaminaContext) context = new_context ();
  g_autoptr (GError) error = NULL;
  Seen s = {0};
  g_assert_false (run (context, o, &s, &error));
  g_assert_error (error, LAMINA_ERROR, code);
  g_assert_nonnull (strstr (error->message, text));
}

static void
test_errors (void)
{
  g_autofree char *file = faults ();
  g_autofree char *no_backend =
      g_build_filename (g_getenv ("LAMINA_PLUGIN_DIR"), "lamina-layers-basic.so", NULL);
  LaminaConformanceOptions o = LAMINA_CONFORMANCE_OPTIONS_INIT;
  o.backend = "cpi";
  expect (&o, LAMINA_ERROR_NOT_FOUND, "did you mean \"cpu\"");
  o.check = "ad";
  expect (&o, LAMINA_ERROR_INVALID, "no check \"ad\"");
  o.check = "add";
  o.dtype = "f31";
  expect (&o, LAMINA_ERROR_INVALID, "no dtype \"f31\"");
  o.dtype = NULL;
  o.backend = no_backend;
  expect (&o, LAMINA_ERROR_INVALID, "has 0 backends, wanted one");
  o.backend = file;
  o.backend_options = "{\"fault\": \"many\"}";
  expect (&o, LAMINA_ERROR_INVALID, "many");
  o.backend_options = "[1]";
  expect (&o, LAMINA_ERROR_INVALID, "wanted a JSON object");
  o.backend_options = NULL;
  o.keep = "/nonexistent/folder";
  o.only = 0;
  expect (&o, LAMINA_ERROR_NOT_FOUND, "/nonexistent/folder");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/api/conformance/checks", test_checks);
  g_test_add_func ("/api/conformance/cpu", test_cpu);
  g_test_add_func ("/api/conformance/kept", test_kept);
  g_test_add_func ("/api/conformance/errors", test_errors);
  return g_test_run ();
}
