/* SPDX-License-Identifier: Apache-2.0 */
/* Builds layers from configs: registry lookup, params, instance, setup, children first come first. */
#include "core/model/private.h"

#include <string.h>

#define MAX_DEPTH 64

/* How a kind's vtable is read: everything that building needs of it. */
typedef struct Kind {
  const char *kind;
  lam_declare_fields_fn (*fields) (const void *vt);
  uint64_t (*size) (const void *vt);
  void (*setup) (const void *vt, void *instance, lam_setup *s);
} Kind;

#define KIND_READER(T)                                                                             \
  static lam_declare_fields_fn T##_fields_of (const void *vt)                                      \
  {                                                                                                \
    return ((const lam_##T##_vt *)vt)->fields;                                                     \
  }                                                                                                \
  static uint64_t T##_size_of (const void *vt)                                                     \
  {                                                                                                \
    return ((const lam_##T##_vt *)vt)->instance_size;                                              \
  }                                                                                                \
  static void T##_setup_of (const void *vt, void *instance, lam_setup *s)                          \
  {                                                                                                \
    ((const lam_##T##_vt *)vt)->setup (instance, s);                                               \
  }
KIND_READER (layer)
KIND_READER (optimizer)
KIND_READER (schedule)
KIND_READER (learner)
KIND_READER (metric)
#undef KIND_READER

static const Kind kinds[] = {
    {LAM_KIND_LAYER, layer_fields_of, layer_size_of, layer_setup_of},
    {LAM_KIND_OPTIMIZER, optimizer_fields_of, optimizer_size_of, optimizer_setup_of},
    {LAM_KIND_SCHEDULE, schedule_fields_of, schedule_size_of, schedule_setup_of},
    {LAM_KIND_LEARNER, learner_fields_of, learner_size_of, learner_setup_of},
    {LAM_KIND_METRIC, metric_fields_of, metric_size_of, metric_setup_of},
};

static const Kind *
find_kind (const char *kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (kinds[i].kind, kind) == 0)
      return &kinds[i];
  return NULL;
}

void
lm_layer_free (gpointer data)
{
  LmLayer *layer = data;
  for (guint i = layer->on_free->len; i > 0; i--) {
    const LmOnFree *call = &g_array_index (layer->on_free, LmOnFree, i - 1);
    call->fn (call->data);
  }
  g_array_unref (layer->on_free);
  g_clear_pointer (&layer->params, lm_params_free);
  g_clear_pointer (&layer->fields, lm_field_table_free);
  g_clear_pointer (&layer->chain_params, lm_params_free);
  g_clear_pointer (&layer->chain_fields, lm_field_table_free);
  g_free (layer->chain);
  g_clear_pointer (&layer->chain_patterns, g_ptr_array_unref);
  g_free (layer->instance);
  g_ptr_array_unref (layer->children);
  g_ptr_array_unref (layer->var_ids);
  g_ptr_array_unref (layer->configs);
  g_clear_pointer (&layer->weight_split_dims_mapping, json_object_unref);
  g_clear_error (&layer->setup->error);
  g_clear_error (&layer->setup->children);
  g_free (layer->setup);
  g_free (layer->name);
  g_free (layer->path);
  g_free (layer);
}

static LmLayer *
layer_new (LmModel *model, LmLayer *parent, const char *name)
{
  LmLayer *layer = g_new0 (LmLayer, 1);
  layer->model = model;
  layer->parent = parent;
  layer->name = g_strdup (name);
  layer->path = parent != NULL ? g_strdup_printf ("%s.%s", parent->path, name) : g_strdup (name);
  layer->children = g_ptr_array_new ();
  layer->var_ids = g_ptr_array_new ();
  layer->configs = g_ptr_array_new_with_free_func ((GDestroyNotify)json_object_unref);
  layer->on_free = g_array_new (FALSE, FALSE, sizeof (LmOnFree));
  layer->setup = g_new0 (LmSetup, 1);
  *layer->setup = (LmSetup) {{model->tables->setup}, model, layer, NULL, NULL, false};
  lm_common_inherit (layer);
  g_ptr_array_add (model->layers, layer);
  layer->id = model->layers->len;
  return layer;
}

/* The name for error messages of where a child's config stands. */
static const LmProvided *
find_type (LmModel *model, const char *kind, JsonObject *config, const char *path, GError **error)
{
  JsonNode *type = json_object_get_member (config, "type");
  if (type == NULL || !JSON_NODE_HOLDS_VALUE (type)
      || json_node_get_value_type (type) != G_TYPE_STRING) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "%s: the config has no \"type\"; it wants one like \"type\": \"lamina.linear\"",
                 path);
    return NULL;
  }
  const LmProvided *p =
      lm_registry_find (model->registry, kind, json_node_get_string (type), error);
  if (p == NULL)
    g_prefix_error (error, "%s: ", path);
  return p;
}

static bool
check_revision (LmLayer *layer, JsonObject *config, GError **error)
{
  int64_t wanted = json_object_get_int_member_with_default (config, "revision", 0);
  if (wanted <= (int64_t)layer->provided->revision)
    return true;
  g_set_error (error, LM_ERROR, LM_ERROR_PLUGIN,
               "%s: the model needs %s revision %" G_GINT64_FORMAT
               ", the installed plugin provides revision %u (%s %s, %s); install a newer one",
               layer->path, layer->provided->id, wanted, layer->provided->revision,
               layer->provided->plugin_id, layer->provided->plugin_version,
               layer->provided->plugin_path);
  return false;
}

static bool
fill_instance (LmLayer *layer, const Kind *kind, JsonObject *config, GError **error)
{
  static const char *const extra[] = {"type", "name", "revision", NULL};
  const void *vt = layer->provided->vtable;
  uint64_t size = kind->size (vt);
  if (size > (1u << 20)) {
    g_set_error (error, LM_ERROR, LM_ERROR_PLUGIN,
                 "%s: %s wants an instance of %" G_GUINT64_FORMAT " bytes; at most 1 MiB",
                 layer->path, layer->provided->id, size);
    return false;
  }
  layer->fields = lm_field_table_new (layer->provided->id, kind->fields (vt), size, error);
  if (layer->fields == NULL)
    return false;
  layer->params = lm_params_new (layer->fields, config, extra, layer->path, error);
  if (layer->params == NULL)
    return false;
  layer->instance = g_malloc0 (size + 1);
  lm_params_fill (layer->params, layer->instance);
  return true;
}

static bool
run_setup (LmLayer *layer, const Kind *kind, GError **error)
{
  LmSetup *setup = layer->setup;
  setup->open = true;
  kind->setup (layer->provided->vtable, layer->instance, &setup->pub);
  setup->open = false;
  GError *problems = g_steal_pointer (&setup->children);
  lm_error_join (&problems, g_steal_pointer (&setup->error));
  if (problems == NULL)
    return lm_share_check (layer, error) && lm_split_check (layer, error);
  g_propagate_error (error, problems);
  return false;
}

/* The host's keys and the plugin's: what is wrong with any of them, in one error. */
static bool
read_keys (LmLayer *layer, const Kind *kind, JsonObject *config, GError **error)
{
  GError *all = NULL;
  for (guint i = 0; i < 3; i++) {
    GError *problem = NULL;
    if (i == 0)
      lm_common_read (layer, config, &problem);
    else if (i == 1 && strcmp (layer->provided->kind, LAM_KIND_OPTIMIZER) == 0)
      lm_chain_read (layer, config, &problem);
    else if (i == 2)
      fill_instance (layer, kind, config, &problem);
    lm_error_join (&all, problem);
  }
  if (all != NULL)
    g_propagate_error (error, all);
  return all == NULL;
}

LmLayer *
lm_layer_build (LmModel *model, LmLayer *parent, const char *kind_id, const char *name,
                JsonObject *given, GError **error)
{
  const Kind *kind = find_kind (kind_id);
  g_autofree char *path =
      parent != NULL ? g_strdup_printf ("%s.%s", parent->path, name) : g_strdup (name);
  guint depth = 0;
  for (const LmLayer *p = parent; p != NULL; p = p->parent)
    depth++;
  if (kind == NULL || depth > MAX_DEPTH) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s: %s", path,
                 kind == NULL ? "a child of unknown kind" : "layers nest deeper than 64");
    return NULL;
  }
  const LmProvided *provided = find_type (model, kind_id, given, path, error);
  if (provided == NULL)
    return NULL;
  LmLayer *layer = layer_new (model, parent, name);
  layer->provided = provided;
  g_autoptr (JsonObject) config = lm_json_object_copy (given);
  if (!check_revision (layer, config, error) || !read_keys (layer, kind, config, error)
      || !run_setup (layer, kind, error))
    return NULL;
  if (parent != NULL)
    g_ptr_array_add (parent->children, layer);
  return layer;
}
