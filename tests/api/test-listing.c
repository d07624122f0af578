/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts and their listings: plugins, backends, types. */
#include "core/api/lamina.h"

#include "tests/lib/project.h"
#include <string.h>

static LaminaContext *
context_new (void)
{
  LaminaContext *context = lamina_context_new ();
  g_assert_true (lamina_context_add_plugin_dir (context, g_getenv ("LAMINA_PLUGIN_DIR"), NULL));
  return context;
}

/* The element of a JSON list whose member `key` is `value`. */
static JsonObject *
find (JsonNode *list, const char *key, const char *value)
{
  JsonArray *array = json_node_get_array (list);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    JsonObject *object = json_array_get_object_element (array, i);
    if (g_strcmp0 (json_object_get_string_member_with_default (object, key, NULL), value) == 0)
      return object;
  }
  return NULL;
}

static void
test_plugins (void)
{
  g_autoptr (LaminaContext) context = context_new ();
  g_autofree char *json = lamina_context_list_plugins (context, FALSE, TRUE);
  g_autofree char *text = lamina_context_list_plugins (context, FALSE, FALSE);
  g_autoptr (JsonNode) list = json_from_string (json, NULL);
  JsonObject *basic = find (list, "id", "lamina.layers.basic");
  g_assert_nonnull (basic);
  g_autoptr (JsonNode) provides = json_node_copy (json_object_get_member (basic, "provides"));
  JsonObject *linear = find (provides, "id", "lamina.linear");
  g_assert_cmpstr (json_object_get_string_member (linear, "kind"), ==, LAM_KIND_LAYER);
  g_assert_nonnull (strstr (text, "lamina.linear"));
  g_assert_nonnull (strstr (text, "optimizer  lamina.sgd"));
}

/* A broken candidate in a folder is shown with its reason when all are asked for. */
static void
test_refused (void)
{
  g_autofree char *folder = g_dir_make_tmp ("lamina-listing-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "lamina-broken.so", NULL);
  g_assert_true (g_file_set_contents (path, "\177ELF and nothing else", -1, NULL));
  g_autoptr (LaminaContext) context = context_new ();
  g_assert_true (lamina_context_add_plugin_dir (context, folder, NULL));
  g_autofree char *usable = lamina_context_list_plugins (context, FALSE, FALSE);
  g_autofree char *all = lamina_context_list_plugins (context, TRUE, FALSE);
  g_assert_null (strstr (usable, "lamina-broken.so"));
  g_assert_nonnull (strstr (all, "lamina-broken.so"));
  g_assert_nonnull (strstr (all, "refused: "));
  lm_test_remove_tree (folder);
}

/* A file asked for by name is refused at once. */
static void
test_add_plugin (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaContext) context = context_new ();
  g_assert_false (lamina_context_add_plugin (context, "none.so", &error));
  g_assert_nonnull (strstr (error->message, "none.so"));
  g_autofree char *text = lamina_context_list_plugins (context, TRUE, FALSE);
  g_assert_null (strstr (text, "none.so"));
}

static void
test_add_plugin_dir (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaContext) context = context_new ();
  g_assert_false (lamina_context_add_plugin_dir (context, "no/such/folder", &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "cannot search no/such/folder", NULL);
  g_assert_false (lamina_context_add_plugin_dir (context, "/dev/null", &error));
  lm_test_assert_error (&error, LM_ERROR_IO, "cannot search /dev/null", NULL);
}

static void
test_backends (void)
{
  g_autoptr (LaminaContext) context = context_new ();
  g_autofree char *json = lamina_context_list_backends (context, TRUE);
  g_autofree char *text = lamina_context_list_backends (context, FALSE);
  g_autoptr (JsonNode) list = json_from_string (json, NULL);
  JsonObject *cpu = find (list, "id", "lamina.cpu");
  JsonObject *reference = find (list, "id", "lamina.reference");
  g_assert_cmpint (json_object_get_int_member (cpu, "score"), >,
                   json_object_get_int_member (reference, "score"));
  g_assert_nonnull (json_object_get_string_member (cpu, "device"));
  g_assert_nonnull (strstr (text, "lamina.reference"));
}

static void
test_describe (void)
{
  static const struct {
    const char *type, *says;
  } cases[] = {{"lamina.linear", "input_dims"}, {"lamina.sgd", "learning_rate"},
               {"lamina.learner", "loss_name"}, {"lamina.linear_rampup_cosine_decay", "decay_end"},
               {"lamina.npz", "batch_size"},    {"lamina.cpu", "threads"}};
  g_autoptr (LaminaContext) context = context_new ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text = lamina_context_describe_type (context, cases[i].type, FALSE, &error);
    g_assert_no_error (error);
    g_assert_nonnull (strstr (text, cases[i].says));
    g_autofree char *json = lamina_context_describe_type (context, cases[i].type, TRUE, &error);
    g_autoptr (JsonNode) node = json_from_string (json, NULL);
    JsonObject *object = json_node_get_object (node);
    g_assert_cmpstr (json_object_get_string_member (object, "id"), ==, cases[i].type);
  }
}

/* One id may name types of several kinds: all are shown, the layer first. */
static void
test_describe_twice (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaContext) context = context_new ();
  g_autofree char *text = lamina_context_describe_type (context, "lamina.linear", FALSE, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "input_dims"));
  g_assert_nonnull (strstr (text, "lamina.schedule/1"));
  g_assert_nonnull (strstr (text, "limit"));
  g_autofree char *json = lamina_context_describe_type (context, "lamina.linear", TRUE, &error);
  g_autoptr (JsonNode) node = json_from_string (json, NULL);
  JsonObject *object = json_node_get_object (node);
  JsonArray *also = json_object_get_array_member (object, "also");
  g_assert_cmpstr (json_object_get_string_member (object, "kind"), ==, "lamina.layer/1");
  g_assert_cmpuint (json_array_get_length (also), ==, 1);
  object = json_array_get_object_element (also, 0);
  g_assert_cmpstr (json_object_get_string_member (object, "kind"), ==, "lamina.schedule/1");
}

static void
test_describe_unknown (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LaminaContext) context = context_new ();
  g_assert_null (lamina_context_describe_type (context, "lamina.sdg", FALSE, &error));
  lm_test_assert_error (&error, LM_ERROR_NOT_FOUND, "did you mean \"lamina.sgd\"", "plugin list",
                        NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/api/listing/plugins", test_plugins);
  g_test_add_func ("/api/listing/refused", test_refused);
  g_test_add_func ("/api/listing/add_plugin", test_add_plugin);
  g_test_add_func ("/api/listing/add_plugin_dir", test_add_plugin_dir);
  g_test_add_func ("/api/listing/backends", test_backends);
  g_test_add_func ("/api/listing/describe", test_describe);
  g_test_add_func ("/api/listing/describe_twice", test_describe_twice);
  g_test_add_func ("/api/listing/describe_unknown", test_describe_unknown);
  return g_test_run ();
}
