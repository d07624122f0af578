/* SPDX-License-Identifier: Apache-2.0 */
/* Listings of plugins, backends and types, for people and as JSON. */
#include "core/api/private.h"

#include <lamina/backend.h>
#include <lamina/collective.h>
#include <lamina/input.h>
#include <lamina/layer.h>
#include <lamina/learner.h>
#include <lamina/metric.h>
#include <lamina/optimizer.h>
#include <lamina/schedule.h>
#include <string.h>

/* --- plugins -------------------------------------------------------------------------------------- */

static JsonObject *
plugin_object (const LmPluginInfo *info)
{
  JsonObject *object = json_object_new ();
  JsonArray *provides = json_array_new ();
  for (guint i = 0; info->provides != NULL && i < info->provides->len; i++) {
    const LmPluginProvides *p = info->provides->pdata[i];
    JsonObject *thing = json_object_new ();
    json_object_set_string_member (thing, "kind", p->kind);
    json_object_set_string_member (thing, "id", p->id);
    json_object_set_int_member (thing, "revision", p->revision);
    json_object_set_string_member (thing, "summary", p->summary);
    json_array_add_object_element (provides, thing);
  }
  json_object_set_string_member (object, "path", info->path);
  json_object_set_string_member (object, "id", info->id);
  json_object_set_string_member (object, "version", info->version);
  json_object_set_string_member (object, "license", info->license);
  json_object_set_string_member (object, "refused", info->refused);
  json_object_set_boolean_member (object, "shadowed", info->shadowed);
  json_object_set_array_member (object, "provides", provides);
  return object;
}

static void
plugin_text (const LmPluginInfo *info, GString *out)
{
  g_string_append_printf (out, "%s %s  %s\n", info->id != NULL ? info->id : "(unknown)",
                          info->version != NULL ? info->version : "", info->path);
  if (info->refused != NULL)
    g_string_append_printf (out, "  refused: %s\n", info->refused);
  if (info->shadowed)
    g_string_append (out, "  not used: an earlier file provides the same plugin\n");
  for (guint i = 0; info->provides != NULL && i < info->provides->len; i++) {
    const LmPluginProvides *p = info->provides->pdata[i];
    g_autofree char *kind =
        g_strdup (strchr (p->kind, '.') != NULL ? strchr (p->kind, '.') + 1 : p->kind);
    g_string_append (out, "  ");
    lm_append_column (out, strtok (kind, "/"), 9);
    lm_append_column (out, p->id, 34);
    g_string_append_printf (out, "%s\n", p->summary);
  }
}

char *
lamina_context_list_plugins (LaminaContext *context, gboolean all, gboolean json)
{
  const GPtrArray *plugins = lm_registry_plugins (lm_context_registry (context));
  g_autoptr (GString) out = g_string_new (NULL);
  JsonArray *list = json_array_new ();
  for (guint i = 0; i < plugins->len; i++) {
    const LmPluginInfo *info = plugins->pdata[i];
    if (!all && (info->refused != NULL || info->shadowed))
      continue;
    json_array_add_object_element (list, plugin_object (info));
    plugin_text (info, out);
  }
  g_autoptr (JsonNode) node = lm_json_take_array (list);
  return json ? lm_json_print (node) : g_strdup (out->str);
}

/* --- backends ------------------------------------------------------------------------------------- */

static JsonObject *
backend_object (LmRegistry *registry, const char *id)
{
  JsonObject *object = json_object_new ();
  g_autoptr (GError) error = NULL;
  json_object_set_string_member (object, "id", id);
  const LmProvided *p = lm_registry_find (registry, LAM_KIND_BACKEND, id, &error);
  if (p != NULL) {
    const lam_backend_vt *vt = p->vtable;
    json_object_set_int_member (object, "score", vt->probe (lm_host_tables ()->host));
    json_object_set_string_member (object, "plugin", p->plugin_id);
    json_object_set_string_member (object, "version", p->plugin_version);
    json_object_set_string_member (object, "path", p->plugin_path);
  }
  g_autoptr (LmBackend) backend = p != NULL ? lm_backend_open (registry, id, NULL, &error) : NULL;
  if (backend != NULL)
    json_object_set_string_member (object, "device", lm_backend_device_name (backend));
  else
    json_object_set_string_member (object, "error", error->message);
  return object;
}

char *
lamina_context_list_backends (LaminaContext *context, gboolean json)
{
  LmRegistry *registry = lm_context_registry (context);
  g_auto (GStrv) ids = lm_registry_ids (registry, LAM_KIND_BACKEND);
  g_autoptr (GString) out = g_string_new (NULL);
  JsonArray *list = json_array_new ();
  for (guint i = 0; ids[i] != NULL; i++) {
    JsonObject *object = backend_object (registry, ids[i]);
    const char *wrong = json_object_get_string_member_with_default (object, "error", NULL);
    lm_append_column (out, ids[i], 20);
    g_string_append_printf (
        out, "score %-5" G_GINT64_FORMAT " %s%s\n",
        json_object_get_int_member_with_default (object, "score", 0),
        wrong != NULL ? "does not open: " : "",
        wrong != NULL ? wrong : json_object_get_string_member_with_default (object, "device", ""));
    json_array_add_object_element (list, object);
  }
  g_autoptr (JsonNode) node = lm_json_take_array (list);
  return json ? lm_json_print (node) : g_strdup (out->str);
}

/* --- types ---------------------------------------------------------------------------------------- */

/* Field table and instance size by kind. */
static LmFieldTable *
table_of (const LmProvided *p, GError **error)
{
  const void *vt = p->vtable;
  if (strcmp (p->kind, LAM_KIND_LAYER) == 0)
    return lm_field_table_new (p->id, ((const lam_layer_vt *)vt)->fields,
                               ((const lam_layer_vt *)vt)->instance_size, error);
  if (strcmp (p->kind, LAM_KIND_OPTIMIZER) == 0)
    return lm_field_table_new (p->id, ((const lam_optimizer_vt *)vt)->fields,
                               ((const lam_optimizer_vt *)vt)->instance_size, error);
  if (strcmp (p->kind, LAM_KIND_LEARNER) == 0)
    return lm_field_table_new (p->id, ((const lam_learner_vt *)vt)->fields,
                               ((const lam_learner_vt *)vt)->instance_size, error);
  if (strcmp (p->kind, LAM_KIND_SCHEDULE) == 0)
    return lm_field_table_new (p->id, ((const lam_schedule_vt *)vt)->fields,
                               ((const lam_schedule_vt *)vt)->instance_size, error);
  if (strcmp (p->kind, LAM_KIND_INPUT) == 0)
    return lm_field_table_new (p->id, ((const lam_input_vt *)vt)->fields,
                               ((const lam_input_vt *)vt)->instance_size, error);
  if (strcmp (p->kind, LAM_KIND_METRIC) == 0)
    return lm_field_table_new (p->id, ((const lam_metric_vt *)vt)->fields,
                               ((const lam_metric_vt *)vt)->instance_size, error);
  if (strcmp (p->kind, LAM_KIND_COLLECTIVE) == 0)
    return lm_field_table_new (p->id, ((const lam_collective_vt *)vt)->fields,
                               ((const lam_collective_vt *)vt)->options_size, error);
  return lm_field_table_new (p->id, ((const lam_backend_vt *)vt)->fields,
                             ((const lam_backend_vt *)vt)->options_size, error);
}

static const char *const kinds[] = {LAM_KIND_LAYER,    LAM_KIND_OPTIMIZER, LAM_KIND_LEARNER,
                                    LAM_KIND_SCHEDULE, LAM_KIND_METRIC,    LAM_KIND_INPUT,
                                    LAM_KIND_BACKEND,  LAM_KIND_COLLECTIVE};

static GError *
no_such_type (const char *type, GPtrArray *known)
{
  g_autoptr (GString) message = g_string_new (NULL);
  g_ptr_array_add (known, NULL);
  g_string_printf (message, "no plugin provides \"%s\"", type);
  lm_append_did_you_mean (message, type, (const char *const *)known->pdata);
  g_string_append (message, "; lamina plugin list shows all types");
  return g_error_new_literal (LM_ERROR, LM_ERROR_NOT_FOUND, message->str);
}

/* All that have this id, loaded: it may name a layer and a schedule. NULL and the error if none has. */
static GPtrArray *
find_types (LmRegistry *registry, const char *type, GError **error)
{
  g_autoptr (GPtrArray) known = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
    g_auto (GStrv) ids = lm_registry_ids (registry, kinds[k]);
    for (guint i = 0; ids[i] != NULL; i++)
      g_ptr_array_add (known, g_strdup (ids[i]));
    if (!g_strv_contains ((const char *const *)ids, type))
      continue;
    const LmProvided *p = lm_registry_find (registry, kinds[k], type, error);
    if (p == NULL)
      return NULL;
    g_ptr_array_add (found, (gpointer)(uintptr_t)p);
  }
  if (found->len > 0)
    return g_steal_pointer (&found);
  g_propagate_error (error, no_such_type (type, known));
  return NULL;
}

/* The keys that the host reads of every optimizer. */
static LmFieldTable *
chain_table (const LmProvided *p)
{
  bool optimizer = strcmp (p->kind, LAM_KIND_OPTIMIZER) == 0;
  return optimizer ? lm_field_table_new ("every optimizer", lm_chain_declare,
                                         sizeof (LmOptimizerChain), NULL)
                   : NULL;
}

static JsonObject *
describe_json (const LmProvided *p, const LmFieldTable *own, const LmFieldTable *chain)
{
  JsonObject *object = json_object_new ();
  json_object_set_string_member (object, "id", p->id);
  json_object_set_string_member (object, "kind", p->kind);
  json_object_set_int_member (object, "revision", p->revision);
  json_object_set_string_member (object, "summary", p->summary);
  json_object_set_string_member (object, "plugin", p->plugin_id);
  json_object_set_member (object, "fields", lm_field_table_to_json (own));
  if (chain != NULL)
    json_object_set_member (object, "host_fields", lm_field_table_to_json (chain));
  return object;
}

static char *
describe_text (const LmProvided *p, const LmFieldTable *own, const LmFieldTable *chain)
{
  g_autofree char *text = lm_field_table_to_text (own, p->summary);
  g_autofree char *more =
      chain != NULL ? lm_field_table_to_text (chain, "Keys of every optimizer.") : NULL;
  return g_strconcat (text, more != NULL ? "\n" : "", more, NULL);
}

/* One of the types with an id: as JSON, and appended to text. */
static JsonObject *
describe_one (const LmProvided *p, GString *text, GError **error)
{
  LmFieldTable *own = table_of (p, error);
  if (own == NULL)
    return NULL;
  LmFieldTable *chain = chain_table (p);
  g_autofree char *more = describe_text (p, own, chain);
  if (text->len > 0)
    g_string_append_printf (text, "\nThe same id in another place, %s:\n\n", p->kind);
  g_string_append (text, more);
  JsonObject *object = describe_json (p, own, chain);
  lm_field_table_free (own);
  g_clear_pointer (&chain, lm_field_table_free);
  return object;
}

/* What the library itself reads of a config, under the names that its errors use. */
typedef struct CoreType {
  const char *id, *summary;
  LmFieldTable *(*table) (GError **error);
} CoreType;

static LmFieldTable *
train_table (GError **error)
{
  return lm_field_table_new ("train", lm_train_config_declare, sizeof (LmTrainConfig), error);
}

static LmFieldTable *
optimizer_table (GError **error)
{
  return lm_field_table_new ("optimizer", lm_chain_declare, sizeof (LmOptimizerChain), error);
}

static const CoreType core_types[] = {
    {"config",
     "The top level of a model's config, beside its sections model, learners, metrics, inputs and "
     "train.",
     lm_model_config_table},
    {"train", "The section \"train\" of a model's config.", train_table},
    {"layer", "Keys that every layer understands beside its own.", lm_layer_config_table},
    {"optimizer", "Keys that every optimizer understands beside its own.", optimizer_table},
};

static const CoreType *
find_core (const char *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (core_types); i++)
    if (g_strcmp0 (core_types[i].id, type) == 0)
      return &core_types[i];
  return NULL;
}

static char *
describe_core (const CoreType *type, gboolean json, GError **error)
{
  LmFieldTable *table = type->table (error);
  if (table == NULL)
    return NULL;
  const LmProvided p = {.id = type->id,
                        .kind = "config",
                        .revision = 1,
                        .summary = type->summary,
                        .plugin_id = "lamina"};
  g_autoptr (JsonNode) node = json ? lm_json_take_object (describe_json (&p, table, NULL)) : NULL;
  char *out = json ? lm_json_print (node) : describe_text (&p, table, NULL);
  lm_field_table_free (table);
  return out;
}

char *
lamina_context_describe_type (LaminaContext *context, const char *type, gboolean json,
                              GError **error)
{
  if (find_core (type) != NULL)
    return describe_core (find_core (type), json, error);
  g_autoptr (GPtrArray) found = find_types (lm_context_registry (context), type, error);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (JsonNode) node = NULL;
  JsonArray *also = json_array_new ();
  bool good = found != NULL;
  for (guint i = 0; good && i < found->len; i++) {
    JsonObject *object = describe_one (found->pdata[i], text, error);
    good = object != NULL;
    if (good && i == 0)
      node = lm_json_take_object (object);
    else if (good)
      json_array_add_object_element (also, object);
  }
  if (good && json_array_get_length (also) > 0)
    json_object_set_array_member (json_node_get_object (node), "also", json_array_ref (also));
  json_array_unref (also);
  return !good ? NULL : json ? lm_json_print (node) : g_strdup (text->str);
}

/* --- field tables --------------------------------------------------------------------------------- */

static void
table_free (gpointer table)
{
  lm_field_table_free (table);
}

/* "optimizer" and "lamina.optimizer/1" name one kind. */
static bool
is_kind (const LmProvided *p, const char *kind)
{
  g_autofree char *whole = g_strdup_printf ("lamina.%s/1", kind);
  return strcmp (p->kind, kind) == 0 || strcmp (p->kind, whole) == 0;
}

/* The one of `found` that has the kind; the only one when kind is NULL. */
static const LmProvided *
choose_kind (const GPtrArray *found, const char *kind, const char *type, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);
  const LmProvided *chosen = NULL;
  guint n = 0;
  for (guint i = 0; i < found->len; i++) {
    const LmProvided *p = found->pdata[i];
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", p->kind);
    if (kind == NULL || is_kind (p, kind)) {
      chosen = p;
      n++;
    }
  }
  if (n == 1)
    return chosen;
  g_set_error (error, LM_ERROR, n > 1 ? LM_ERROR_INVALID : LM_ERROR_NOT_FOUND,
               n > 1 ? "\"%s\" names types of several kinds; choose one of: %s"
                     : "no such kind of \"%s\"; there is: %s",
               type, list->str);
  return NULL;
}

GPtrArray *
lm_context_tables (LaminaContext *context, const char *kind, const char *type,
                   const char **out_kind, GError **error)
{
  g_autoptr (GPtrArray) tables = g_ptr_array_new_with_free_func (table_free);
  const CoreType *core = kind == NULL ? find_core (type) : NULL;
  *out_kind = NULL;
  if (core != NULL) {
    g_ptr_array_add (tables, core->table (error));
    return tables->pdata[0] != NULL ? g_steal_pointer (&tables) : NULL;
  }
  g_autoptr (GPtrArray) found = find_types (lm_context_registry (context), type, error);
  const LmProvided *p = found != NULL ? choose_kind (found, kind, type, error) : NULL;
  LmFieldTable *own = p != NULL ? table_of (p, error) : NULL;
  if (own == NULL)
    return NULL;
  g_ptr_array_add (tables, own);
  *out_kind = g_intern_string (p->kind);
  LmFieldTable *host =
      strcmp (p->kind, LAM_KIND_LAYER) == 0 ? lm_layer_config_table (NULL) : chain_table (p);
  if (host != NULL)
    g_ptr_array_add (tables, host);
  return g_steal_pointer (&tables);
}
