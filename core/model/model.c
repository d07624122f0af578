/* SPDX-License-Identifier: Apache-2.0 */
/* The model as a whole: reading the top level of a config, the variable tree, calling layers. */
#include "core/model/private.h"

#include <string.h>

JsonObject *
lm_json_object_copy (JsonObject *object)
{
  JsonObject *copy = json_object_new ();
  g_autoptr (GList) members = json_object_get_members (object);
  for (GList *m = members; m != NULL; m = m->next)
    json_object_set_member (copy, m->data, json_object_dup_member (object, m->data));
  return copy;
}

void
lm_var_free (gpointer data)
{
  Var *var = data;
  g_free (var->path);
  g_free (var->name);
  g_free (var);
}

void
lm_model_free (LmModel *model)
{
  if (model == NULL)
    return;
  g_ptr_array_unref (model->learners);
  g_ptr_array_unref (model->metrics);
  g_ptr_array_unref (model->layers);
  g_ptr_array_unref (model->vars);
  g_clear_pointer (&model->config, json_object_unref);
  lm_nest_free (model->tree);
  g_free (model->order);
  g_free (model->infos);
  g_free (model->flat_infos);
  g_free (model->owners);
  g_free (model->groups);
  g_hash_table_unref (model->shared);
  lm_mesh_free (model->mesh);
  g_free (model->name);
  g_free (model);
}

/* --- the top level -------------------------------------------------------------------------------- */

typedef struct Top {
  const char *name, *backend;
  const char *fprop_dtype;
  lam_dtype dtype;
  int64_t seed;
  lam_child_config mesh;
} Top;

static void
declare_top (lam_fields *lam_f_)
{
  typedef Top lam_self_;
  LAM_STRING (name, "model", "What the model is called.");
  LAM_STRING (backend, "", "Backend to run on unless told otherwise; empty: the best one here.");
  LAM_DTYPE (dtype, LAM_F32, "Type of variables and hyper-parameters: f32 or f64.");
  LAM_STRING (fprop_dtype, "float32",
              "Type that a step computes in: float32 (which casts nothing) or bfloat16.");
  LAM_INT (seed, 1234, "Seed of initial variables, dropout and shuffling."), LAM_MIN (0);
  LAM_LAYER_CONFIG (mesh, NULL,
                    "Devices that variables are cut over: {\"axis_names\": [\"data\", \"model\"], "
                    "\"shape\": [2, 4]}; absent: none.");
}

/* Sections that others read; everything else at the top level must be in the table. */
static const char *const sections[] = {"model", "learners", "inputs", "metrics",
                                       "train", "format",   NULL};

LmFieldTable *
lm_model_config_table (GError **error)
{
  return lm_field_table_new ("config", declare_top, sizeof (Top), error);
}

/* 1.4: float32 casts nothing; bfloat16 casts float32 variables and inputs; others are refused. */
static lam_dtype
read_fprop_dtype (const Top *top, GError **error)
{
  bool half = strcmp (top->fprop_dtype, "bfloat16") == 0 || strcmp (top->fprop_dtype, "bf16") == 0;
  bool single = strcmp (top->fprop_dtype, "float32") == 0 || strcmp (top->fprop_dtype, "f32") == 0;
  if (half && top->dtype == LAM_F64)
    g_set_error (
        error, LM_ERROR, LM_ERROR_INVALID,
        "config: fprop_dtype: bfloat16 casts float32 variables, and those of this model are "
        "f64; leave one of dtype and fprop_dtype out");
  else if (!half && !single)
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "config: fprop_dtype: wanted float32 or bfloat16, got \"%s\"", top->fprop_dtype);
  else
    return half ? LAM_BF16 : LAM_F32;
  return LAM_DTYPE_NONE;
}

/* The keys beside the sections; every problem with them goes to `all`. */
static void
read_top (LmModel *model, GError **all)
{
  GError *problems[3] = {NULL, NULL, NULL};
  Top top = {0};
  LmFieldTable *table = lm_model_config_table (all);
  if (table == NULL)
    return;
  LmParams *params = lm_params_new (table, model->config, sections, "config", all);
  if (params != NULL) {
    lm_params_fill (params, &top);
    model->name = g_strdup (top.name);
    model->real = top.dtype;
    model->seed = (uint64_t)top.seed;
    model->fprop = read_fprop_dtype (&top, &problems[0]);
    if (top.mesh.id != 0)
      model->mesh =
          lm_mesh_read (json_object_get_object_member (model->config, "mesh"), &problems[1]);
    if (top.dtype != LAM_F32 && top.dtype != LAM_F64)
      g_set_error (&problems[2], LM_ERROR, LM_ERROR_INVALID,
                   "config: dtype: wanted f32 or f64, got %s", lam_dtype_name (top.dtype));
  }
  g_clear_pointer (&params, lm_params_free); /* it reads the table when it goes */
  lm_field_table_free (table);
  for (guint i = 0; i < G_N_ELEMENTS (problems); i++)
    lm_error_join (all, problems[i]);
}

static JsonObject *
object_member (JsonObject *config, const char *key, GError **error)
{
  JsonNode *node = json_object_get_member (config, key);
  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    return json_node_get_object (node);
  g_set_error (
      error, LM_ERROR, LM_ERROR_INVALID,
      "config: \"%s\" %s; it wants an object such as { \"type\": \"lamina.classification\", ... }",
      key, node == NULL ? "is missing" : "is not an object");
  return NULL;
}

/* Builds one part of the config and adds it to a list; its problems go to `all`. */
static void
build_part (LmModel *model, const char *kind, const char *name, JsonNode *config, GPtrArray *list,
            GError **all)
{
  GError *problem = NULL;
  JsonObject *object = json_node_get_object (config);
  LmLayer *layer = lm_layer_build (model, NULL, kind, name, object, &problem);
  if (layer != NULL)
    g_ptr_array_add (list, layer);
  else if (strcmp (kind, LAM_KIND_METRIC) == 0)
    g_prefix_error (&problem, "metrics.");
  lm_error_join (all, problem);
}

static void
build_learners (LmModel *model, GError **all)
{
  JsonNode *node = json_object_get_member (model->config, "learners");
  if (node == NULL)
    return;
  if (!JSON_NODE_HOLDS_ARRAY (node)) {
    lm_error_join (all,
                   g_error_new (LM_ERROR, LM_ERROR_INVALID, "config: \"learners\" is not a list"));
    return;
  }
  JsonArray *list = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (list); i++) {
    JsonNode *item = json_array_get_element (list, i);
    g_autofree char *name = g_strdup_printf ("learner%s%.0u", i > 0 ? "_" : "", i);
    if (JSON_NODE_HOLDS_OBJECT (item))
      build_part (model, LAM_KIND_LEARNER, name, item, model->learners, all);
    else
      lm_error_join (all, g_error_new (LM_ERROR, LM_ERROR_INVALID,
                                       "config: learners[%u] is not an object", i));
  }
}

static void
build_metrics (LmModel *model, GError **all)
{
  JsonNode *node = json_object_get_member (model->config, "metrics");
  if (node == NULL)
    return;
  if (!JSON_NODE_HOLDS_OBJECT (node)) {
    lm_error_join (all, g_error_new (LM_ERROR, LM_ERROR_INVALID,
                                     "config: \"metrics\" is not an object; it wants names such as "
                                     "{ \"top5\": { \"type\": \"lamina.top_k_accuracy\", \"k\": "
                                     "5 } }"));
    return;
  }
  g_autoptr (GList) names = json_object_get_members (json_node_get_object (node));
  for (GList *n = names; n != NULL; n = n->next) {
    JsonNode *item = json_object_get_member (json_node_get_object (node), n->data);
    if (JSON_NODE_HOLDS_OBJECT (item) && lm_nest_check_key (n->data))
      build_part (model, LAM_KIND_METRIC, n->data, item, model->metrics, all);
    else
      lm_error_join (all, g_error_new (LM_ERROR, LM_ERROR_INVALID,
                                       "config: metrics.%s: wanted an object below a name of "
                                       "letters, digits and _",
                                       (const char *)n->data));
  }
}

/* --- the variable tree ------------------------------------------------------------------------------ */

static bool
build_tree (LmModel *model, GError **error)
{
  guint n = model->vars->len;
  model->tree = lm_nest_new_map ();
  model->infos = g_new0 (const lam_var_info *, n + 1);
  model->flat_infos = g_new0 (const lam_var_info *, n + 1);
  model->owners = g_new0 (uint32_t, n + 1);
  model->order = g_new0 (uint32_t, n + 1);
  for (guint i = 0; i < n; i++) {
    const Var *var = model->vars->pdata[i];
    model->infos[i] = &var->info;
    model->owners[i] = var->layer->id;
    if (!lm_nest_set (model->tree, var->path, lm_nest_new_leaf (i + 1), error))
      return false;
  }
  g_autoptr (GArray) ids = lm_nest_flatten (model->tree);
  for (guint i = 0; i < ids->len; i++) {
    model->order[i] = (uint32_t)g_array_index (ids, uint64_t, i);
    model->flat_infos[i] = model->infos[model->order[i] - 1];
  }
  model->trace_vars =
      (LmTraceVars) {model->epoch, n, model->infos, model->owners, model->tree, NULL};
  return true;
}

/* Once every layer is there. */
static void
build_groups (LmModel *model)
{
  model->groups = g_new0 (uint32_t, model->layers->len + 1);
  for (guint i = 0; i < model->layers->len; i++) {
    const LmLayer *layer = model->layers->pdata[i];
    model->groups[i] = layer->share != NULL ? layer->share->id : layer->id;
  }
  model->trace_vars.groups = model->groups;
}

static bool
build (LmModel *model, GError **error)
{
  GError *all = NULL, *problem = NULL;
  read_top (model, &all);
  JsonObject *root = object_member (model->config, "model", &problem);
  if (model->real != LAM_F64) /* whatever is wrong with it: layers are looked at all the same */
    model->real = LAM_F32;
  /* Without the mesh that the config names every sharding would be wrong. */
  bool has_mesh = model->mesh != NULL || !json_object_has_member (model->config, "mesh");
  if (root != NULL && (has_mesh || all == NULL))
    model->root = lm_layer_build (model, NULL, LAM_KIND_LAYER, "model", root, &problem);
  lm_error_join (&all, problem);
  build_learners (model, &all);
  build_metrics (model, &all);
  if (all != NULL) {
    g_propagate_error (error, all);
    return false;
  }
  if (!build_tree (model, error))
    return false;
  build_groups (model);
  return true;
}

LmModel *
lm_model_new (LmRegistry *registry, const LmHostTables *tables, JsonObject *config, GError **error)
{
  LmModel *model = g_new0 (LmModel, 1);
  model->registry = registry;
  model->tables = tables;
  model->config = json_object_ref (config);
  model->epoch = (uint32_t)(uintptr_t)model ^ (uint32_t)g_get_monotonic_time ();
  model->layers = g_ptr_array_new_with_free_func (lm_layer_free);
  model->learners = g_ptr_array_new ();
  model->metrics = g_ptr_array_new ();
  model->shared = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  model->vars = g_ptr_array_new_with_free_func (lm_var_free);
  if (build (model, error))
    return model;
  lm_model_free (model);
  return NULL;
}

/* --- reading ------------------------------------------------------------------------------------------- */

const char *
lm_model_name (const LmModel *model)
{
  return model->name;
}

JsonObject *
lm_model_config (const LmModel *model)
{
  return model->config;
}

lam_dtype
lm_model_real_dtype (const LmModel *model)
{
  return model->real;
}

lam_dtype
lm_model_fprop_dtype (const LmModel *model)
{
  return model->fprop;
}

uint64_t
lm_model_seed (const LmModel *model)
{
  return model->seed;
}

LmRegistry *
lm_model_registry (const LmModel *model)
{
  return model->registry;
}

const LmHostTables *
lm_model_tables (const LmModel *model)
{
  return model->tables;
}

LmLayer *
lm_model_root (const LmModel *model)
{
  return model->root;
}

guint
lm_model_n_layers (const LmModel *model)
{
  return model->layers->len;
}

LmLayer *
lm_model_layer (const LmModel *model, guint i)
{
  return model->layers->pdata[i];
}

guint
lm_model_n_learners (const LmModel *model)
{
  return model->learners->len;
}

LmLayer *
lm_model_learner (const LmModel *model, guint i)
{
  return model->learners->pdata[i];
}

guint
lm_model_n_metrics (const LmModel *model)
{
  return model->metrics->len;
}

LmLayer *
lm_model_metric (const LmModel *model, guint i)
{
  return model->metrics->pdata[i];
}

LmLayer *
lm_model_resolve_child (const LmModel *model, uint32_t caller, lam_child child)
{
  if (child.id == 0 || child.epoch != model->epoch || child.id > model->layers->len)
    return NULL;
  LmLayer *layer = model->layers->pdata[child.id - 1];
  uint32_t parent = layer->parent != NULL ? layer->parent->id : 0;
  return parent == caller ? layer : NULL;
}

guint
lm_model_n_vars (const LmModel *model)
{
  return model->vars->len;
}

const lam_var_info *
lm_model_var (const LmModel *model, guint i)
{
  return model->infos[i];
}

const lam_var_spec *
lm_model_var_spec (const LmModel *model, guint i)
{
  return &((const Var *)model->vars->pdata[i])->spec;
}

const LmNest *
lm_model_var_tree (const LmModel *model)
{
  return model->tree;
}

const uint32_t *
lm_model_var_order (const LmModel *model)
{
  return model->order;
}

const lam_var_info *const *
lm_model_var_infos (const LmModel *model)
{
  return model->flat_infos;
}

const LmTraceVars *
lm_model_trace_vars (const LmModel *model)
{
  return &model->trace_vars;
}

JsonObject *
lm_model_input_config (const LmModel *model, const char *name)
{
  JsonNode *inputs = json_object_get_member (model->config, "inputs");
  JsonNode *node = inputs != NULL && JSON_NODE_HOLDS_OBJECT (inputs)
                       ? json_object_get_member (json_node_get_object (inputs), name)
                       : NULL;
  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}
