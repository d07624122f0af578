/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive holds. Code that is not trusted stays untouched: then the layer tree is left out and
 * all else is read from manifest, config and tensor files. */
#include "core/api/private.h"

#include "core/archive/trust.h"
#include <string.h>

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (a, b);
}

/* --- parts ---------------------------------------------------------------------------------------- */

static JsonArray *
list_tensors (GHashTable *arrays, int64_t *out_numbers)
{
  JsonArray *list = json_array_new ();
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (arrays), by_text);
  *out_numbers = 0;
  for (GList *l = names; l != NULL; l = l->next) {
    const LmArray *array = g_hash_table_lookup (arrays, l->data);
    g_autofree char *type = lm_type_to_string (&array->type);
    JsonObject *object = json_object_new ();
    json_object_set_string_member (object, "path", l->data);
    json_object_set_string_member (object, "type", type);
    json_array_add_object_element (list, object);
    *out_numbers += lam_type_elements (&array->type);
  }
  return list;
}

static JsonArray *
list_code (const GPtrArray *code)
{
  JsonArray *list = json_array_new ();
  for (guint i = 0; i < code->len; i++) {
    const LmArchivePlugin *p = code->pdata[i];
    JsonObject *object = json_object_new ();
    json_object_set_string_member (object, "id", p->id);
    json_object_set_string_member (object, "version", p->version);
    json_object_set_string_member (object, "platform", p->platform);
    json_object_set_string_member (object, "file", p->file);
    json_object_set_string_member (object, "sha256", p->sha256);
    json_object_set_boolean_member (object, "here", p->here);
    json_object_set_boolean_member (object, "trusted", lm_trust_has (p->sha256));
    json_object_set_array_member (object, "provides",
                                  lm_json_strings ((const char *const *)p->provides));
    json_array_add_object_element (list, object);
  }
  return list;
}

/* Copies a member of the config when it is there. */
static void
copy_member (JsonObject *to, JsonObject *config, const char *key)
{
  if (json_object_has_member (config, key))
    json_object_set_member (to, key, json_node_copy (json_object_get_member (config, key)));
}

/* The layer tree, when everything it needs is installed and trusted. */
static char *
layer_text (LaminaContext *context, LmArchive *archive, JsonObject *config, GError **error)
{
  LmRegistry *registry = lm_context_new_registry (context, archive, error);
  g_autoptr (LmModel) model =
      registry != NULL ? lm_model_new (registry, lm_host_tables (), config, error) : NULL;
  char *text = model != NULL ? lm_model_to_text (model) : NULL;
  lm_model_free (g_steal_pointer (&model));
  g_clear_pointer (&registry, lm_registry_free);
  return text;
}

static bool
fill_state (JsonObject *object, LmArchive *archive, GError **error)
{
  g_auto (LmSaved) saved = {0};
  GError *why = NULL;
  g_autoptr (GHashTable) weights = lm_archive_weights (archive, &why);
  if (why != NULL) {
    g_propagate_error (error, why);
    return false;
  }
  if (weights != NULL) {
    int64_t numbers;
    json_object_set_array_member (object, "variables", list_tensors (weights, &numbers));
    json_object_set_int_member (object, "numbers", numbers);
  }
  if (!lm_saved_read (archive, &saved, error))
    return false;
  json_object_set_int_member (object, "step", (gint64)saved.step);
  json_object_set_boolean_member (object, "resumes", saved.learners != NULL);
  return true;
}

static JsonObject *
describe (LaminaContext *context, LmArchive *archive, GError **error)
{
  static const char *const keys[] = {"name",   "dtype",    "fprop_dtype", "seed",
                                     "inputs", "learners", "metrics",     "train"};
  g_autoptr (JsonObject) object = json_object_new ();
  g_autoptr (JsonObject) config = lm_config_open (archive, error);
  g_autoptr (GPtrArray) code = config != NULL ? lm_code_list (archive, error) : NULL;
  g_autoptr (GError) why = NULL;
  if (code == NULL)
    return NULL;
  json_object_set_string_member (object, "path", lm_archive_path (archive));
  json_object_set_string_member (object, "format",
                                 lm_archive_manifest (archive) == NULL ? "project"
                                 : lm_archive_is_directory (archive)   ? "lam/1 directory"
                                                                       : "lam/1");
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    copy_member (object, config, keys[i]);
  json_object_set_string_member (object, "backend", lm_archive_backend (archive));
  json_object_set_array_member (object, "plugins", list_code (code));
  if (!fill_state (object, archive, error))
    return NULL;
  g_autofree char *layers = layer_text (context, archive, config, &why);
  json_object_set_string_member (object, layers != NULL ? "layers" : "layers_unknown",
                                 layers != NULL ? layers : why->message);
  json_object_set_array_member (object, "members", lm_json_strings (lm_archive_members (archive)));
  return g_steal_pointer (&object);
}

/* --- as text -------------------------------------------------------------------------------------- */

static void
text_plugins (JsonArray *list, GString *out)
{
  for (guint i = 0; i < json_array_get_length (list); i++) {
    JsonObject *p = json_array_get_object_element (list, i);
    g_string_append_printf (
        out, "plugin   %s %s  %s  (%s)\n", json_object_get_string_member (p, "id"),
        json_object_get_string_member (p, "version"), json_object_get_string_member (p, "file"),
        !json_object_get_boolean_member (p, "here")     ? "for another platform"
        : json_object_get_boolean_member (p, "trusted") ? "trusted"
                                                        : "not trusted");
    JsonArray *provides = json_object_get_array_member (p, "provides");
    for (guint k = 0; k < json_array_get_length (provides); k++)
      g_string_append_printf (out, "           %s\n", json_array_get_string_element (provides, k));
  }
}

/* One line for each named thing of a section: "input    train: lamina.npz  digits.npz". */
static void
text_section (JsonObject *object, const char *section, const char *label, GString *out)
{
  JsonNode *node = json_object_get_member (object, section);
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return;
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;
  json_object_iter_init (&iter, json_node_get_object (node));
  while (json_object_iter_next (&iter, &name, &value)) {
    JsonObject *one = JSON_NODE_HOLDS_OBJECT (value) ? json_node_get_object (value) : NULL;
    const char *type =
        one != NULL ? json_object_get_string_member_with_default (one, "type", "?") : "?";
    const char *file =
        one != NULL ? json_object_get_string_member_with_default (one, "file", "") : "";
    g_string_append_printf (out, "%-9s%s: %s%s%s\n", label, name, type, *file ? "  " : "", file);
  }
}

static void
text_variables (JsonObject *object, GString *out)
{
  JsonArray *list = json_object_get_array_member (object, "variables");
  for (guint i = 0; i < json_array_get_length (list); i++) {
    JsonObject *v = json_array_get_object_element (list, i);
    lm_append_column (out, json_object_get_string_member (v, "path"), 40);
    g_string_append_printf (out, "%s\n", json_object_get_string_member (v, "type"));
  }
}

static char *
to_text (JsonObject *object)
{
  GString *out = g_string_new (NULL);
  const char *backend = json_object_get_string_member_with_default (object, "backend", NULL);
  g_string_append_printf (
      out, "model    %s  (%s, step %" G_GINT64_FORMAT "%s)\n",
      json_object_get_string_member_with_default (object, "name", "model"),
      json_object_get_string_member (object, "format"), json_object_get_int_member (object, "step"),
      json_object_get_boolean_member (object, "resumes") ? ", goes on from there" : "");
  g_string_append_printf (out, "dtype    %s\nbackend  %s\n",
                          json_object_get_string_member_with_default (object, "dtype", "f32"),
                          backend != NULL && *backend != '\0' ? backend : "the best one here");
  text_section (object, "inputs", "input", out);
  text_section (object, "metrics", "metric", out);
  text_plugins (json_object_get_array_member (object, "plugins"), out);
  g_string_append_c (out, '\n');
  if (json_object_has_member (object, "layers"))
    g_string_append (out, json_object_get_string_member (object, "layers"));
  else
    g_string_append_printf (out, "layers unknown: %s\n",
                            json_object_get_string_member (object, "layers_unknown"));
  if (json_object_has_member (object, "variables") && !json_object_has_member (object, "layers"))
    text_variables (object, out);
  return g_string_free (out, FALSE);
}

char *
lamina_archive_inspect (LaminaContext *context, const char *path, gboolean json, GError **error)
{
  g_autoptr (LmArchive) archive = lm_archive_open (path, error);
  g_autoptr (JsonObject) object = archive != NULL ? describe (context, archive, error) : NULL;
  if (object == NULL)
    return NULL;
  if (!json)
    return to_text (object);
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  json_node_set_object (node, object);
  return lm_json_print (node);
}
