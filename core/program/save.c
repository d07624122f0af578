/* SPDX-License-Identifier: Apache-2.0 */
/* Saving a run, and reading back what was saved. */
#include "core/program/save.h"

#include "core/program/code.h"
#include <string.h>

/* --- manifest ------------------------------------------------------------------------------------ */

static JsonNode *
object_node (JsonObject *object)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  json_node_take_object (node, object);
  return node;
}

static JsonNode *
describe_model (const LmState *state)
{
  JsonObject *object = json_object_new ();
  int64_t numbers = 0;
  for (guint i = 0; i < state->n_vars; i++)
    numbers += lam_type_elements (&lm_model_var (state->model, i)->type);
  json_object_set_string_member (object, "name", lm_model_name (state->model));
  json_object_set_int_member (object, "step", (gint64)state->step);
  json_object_set_int_member (object, "variables", state->n_vars);
  json_object_set_int_member (object, "numbers", numbers);
  return object_node (object);
}

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (a, b);
}

/* Notes one thing used: plugin id -> set of "kind:id@revision". */
static void
note_used (GHashTable *plugins, const LmProvided *p)
{
  GHashTable *things = g_hash_table_lookup (plugins, p->plugin_id);
  if (things == NULL) {
    things = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    g_hash_table_insert (plugins, (gpointer)p->plugin_id, things);
  }
  g_hash_table_add (things, g_strdup_printf ("%s:%s@%u", p->kind, p->id, p->revision));
}

/* [{id, provides: ["kind:id@revision"]}] sorted. */
static JsonNode *
describe_requires (const LmSave *save)
{
  const LmModel *model = save->state->model;
  g_autoptr (GHashTable) plugins =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_hash_table_unref);
  for (guint i = 0; i < lm_model_n_layers (model); i++)
    note_used (plugins, lm_model_layer (model, i)->provided);
  if (save->input != NULL)
    note_used (plugins, lm_input_provided (save->input));
  JsonArray *list = json_array_new ();
  g_autoptr (GList) ids = g_list_sort (g_hash_table_get_keys (plugins), by_text);
  for (GList *id = ids; id != NULL; id = id->next) {
    GHashTable *things = g_hash_table_lookup (plugins, id->data);
    g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (things), by_text);
    JsonArray *provides = json_array_new ();
    for (GList *name = names; name != NULL; name = name->next)
      json_array_add_string_element (provides, name->data);
    JsonObject *plugin = json_object_new ();
    json_object_set_string_member (plugin, "id", id->data);
    json_object_set_array_member (plugin, "provides", provides);
    json_array_add_object_element (list, plugin);
  }
  JsonObject *requires = json_object_new ();
  json_object_set_array_member (requires, "plugins", list);
  return object_node (requires);
}

/* --- members ------------------------------------------------------------------------------------- */

static bool
add_loop_state (const LmSave *save, LmArchiveWriter *writer, GError **error)
{
  g_autoptr (GHashTable) table = lm_arrays_new ();
  lam_type type = lm_scalar_type (LAM_U32);
  uint32_t word = (uint32_t)save->state->step;
  LmArray *step = lm_array_new_copy (&type, &word, error);
  if (step == NULL)
    return false;
  g_hash_table_insert (table, g_strdup ("step"), step);
  if (save->input != NULL) {
    LmArray *position = lm_input_save (save->input, error);
    if (position == NULL)
      return false;
    g_hash_table_insert (table, g_strdup ("input"), position);
  }
  lm_archive_writer_add_tensors (writer, "state/loop.safetensors", table);
  return true;
}

static bool
add_state (const LmSave *save, LmArchiveWriter *writer, GError **error)
{
  g_autoptr (GHashTable) vars = lm_state_read_vars (save->state, error);
  if (vars == NULL)
    return false;
  lm_archive_writer_add_tensors (writer, "weights/model.safetensors", vars);
  if (save->state->init != NULL) {
    g_autoptr (GHashTable) learners = lm_state_read_learners (save->state, error);
    if (learners == NULL)
      return false;
    lm_archive_writer_add_tensors (writer, "state/learners.safetensors", learners);
  }
  return add_loop_state (save, writer, error);
}

static void
add_config (const LmSave *save, LmArchiveWriter *writer)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  json_node_set_object (node, lm_model_config (save->state->model));
  char *text = lm_json_print (node);
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, strlen (text));
  lm_archive_writer_add (writer, "config/model.json", bytes);
}

static void
add_assets (const LmSave *save, LmArchiveWriter *writer)
{
  if (save->assets == NULL)
    return;
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (save->assets), by_text);
  for (GList *l = names; l != NULL; l = l->next)
    lm_archive_writer_add (writer, l->data, g_hash_table_lookup (save->assets, l->data));
}

bool
lm_save_archive (const LmSave *save, const char *path, GError **error)
{
  g_autoptr (LmArchiveWriter) writer = lm_archive_writer_new ();
  if (!lm_state_check (save->state, error) || !add_state (save, writer, error))
    return false;
  add_config (save, writer);
  add_assets (save, writer);
  if (save->source != NULL && !lm_carry_members (save->source, save->assets, writer, error))
    return false;
  g_autoptr (JsonNode) model = describe_model (save->state);
  g_autoptr (JsonNode) requires = describe_requires (save);
  lm_archive_writer_set (writer, "model", model);
  lm_archive_writer_set (writer, "requires", requires);
  return lm_archive_writer_finish (writer, path, false, error);
}

/* --- reading ------------------------------------------------------------------------------------- */

void
lm_saved_clear (LmSaved *saved)
{
  g_clear_pointer (&saved->learners, g_hash_table_unref);
  g_clear_pointer (&saved->input, lm_array_unref);
  saved->step = 0;
}

bool
lm_saved_read (LmArchive *archive, LmSaved *out, GError **error)
{
  GError *why = NULL;
  *out = (LmSaved) {0};
  g_autoptr (GHashTable) loop = lm_archive_state (archive, "loop", &why);
  if (loop != NULL) {
    LmArray *step = g_hash_table_lookup (loop, "step"),
            *input = g_hash_table_lookup (loop, "input");
    if (step == NULL || step->type.dtype != LAM_U32 || step->type.rank != 0) {
      g_set_error (error, LM_ERROR, LM_ERROR_CORRUPT,
                   "%s: state/loop.safetensors wants \"step\" as u32[]", lm_archive_path (archive));
      return false;
    }
    out->step = (uint64_t)lm_array_get_int (step, 0);
    out->input = input != NULL ? lm_array_ref (input) : NULL;
    out->learners = lm_archive_state (archive, "learners", &why);
  }
  if (why == NULL)
    return true;
  g_propagate_error (error, why);
  lm_saved_clear (out);
  return false;
}
