/* SPDX-License-Identifier: Apache-2.0 */
/* Layers against the golden group layer_cases: dtypes, options and layers that praxis' cases do not have. And
 * the list of praxis' cases, tests/golden/layers_status.txt. */
#include "tests/lib/layer_golden.h"

#include <string.h>

static LmGolden *golden;

static void
test_case (gconstpointer data)
{
  const LmGoldenCase *c = data;
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  lm_layer_golden_run_own (registry, backend, golden, c);
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* --- the list of all cases of praxis ---------------------------------------------------------------------- */

static char *
golden_text (const char *file)
{
  g_autoptr (GError) error = NULL;
  const char *top = g_getenv ("LAMINA_SRCDIR");
  g_autofree char *path = g_build_filename (top != NULL ? top : ".", "tests", "golden", file, NULL);
  char *text = NULL;
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

/* case id -> what the list says of it. */
static GHashTable *
read_status (void)
{
  GHashTable *status = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autofree char *text = golden_text ("layers_status.txt");
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    gsize n = strcspn (lines[i], " ");
    if (lines[i][0] == '\0' || lines[i][0] == '#')
      continue;
    if (!g_hash_table_insert (status, g_strndup (lines[i], n),
                              g_strdup (g_strstrip (lines[i] + n))))
      g_test_fail_printf ("%s stands twice in the list", lines[i]);
  }
  return status;
}

/* The test that runs a case: tests/lib/layer_golden names it after our layer. */
static char *
test_of (const LmGoldenCase *c)
{
  for (const LmLayerRow *r = lm_layer_rows; r->family != NULL; r++)
    if (strcmp (r->praxis, c->kind + strlen ("praxis.")) == 0)
      return g_strdup_printf ("/plugins/layers/%s/golden", strchr (r->ours, '.') + 1);
  return g_strdup ("none");
}

static void
check_left_out (GHashTable *status, guint *n)
{
  g_autofree char *text = golden_text ("layers.json");
  g_autoptr (JsonObject) doc = lm_test_json (text);
  JsonArray *left_out = json_object_get_array_member (doc, "left_out");
  *n = json_array_get_length (left_out);
  for (guint i = 0; i < *n; i++) {
    const char *id = json_array_get_string_element (left_out, i);
    const char *says = g_hash_table_lookup (status, id);
    if (says == NULL || !g_str_has_prefix (says, "later: "))
      g_test_fail_printf ("%s: the list says \"%s\", but nothing runs it", id,
                          says != NULL ? says : "nothing");
  }
}

/* Every case is run, waits for a layer, or differs by a decision that its test program states; nothing else
 * is in the list. */
static void
test_status (void)
{
  static const char *const differs[] = {"batch_norm.moving_in_training", NULL};
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) status = read_status ();
  g_autoptr (LmGolden) g = lm_golden_open ("layers", &error);
  guint n;
  g_assert_no_error (error);
  for (guint i = 0; i < lm_golden_n_cases (g); i++) {
    const LmGoldenCase *c = lm_golden_case (g, i);
    const char *says = g_hash_table_lookup (status, c->id);
    g_autofree char *test = test_of (c);
    bool right = g_strv_contains (differs, c->id)
                     ? says != NULL && g_str_has_prefix (says, "differs: ")
                     : g_strcmp0 (says, test) == 0;
    if (!right)
      g_test_fail_printf ("%s: the list says \"%s\", %s runs it", c->id,
                          says != NULL ? says : "nothing", test);
  }
  check_left_out (status, &n);
  g_assert_cmpuint (g_hash_table_size (status), ==, lm_golden_n_cases (g) + n);
  g_assert_cmpuint (g_hash_table_size (status), ==, 202);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_test_init (&argc, &argv, NULL);
  golden = lm_golden_open ("layer_cases", &error);
  g_assert_no_error (error);
  for (guint i = 0; i < lm_golden_n_cases (golden); i++) {
    const LmGoldenCase *c = lm_golden_case (golden, i);
    g_autofree char *path = g_strconcat ("/plugins/layer_cases/", c->id, NULL);
    g_test_add_data_func (path, c, test_case);
  }
  g_test_add_func ("/plugins/layers/status", test_status);
  int status = g_test_run ();
  lm_golden_free (golden);
  return status;
}
