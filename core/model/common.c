/* SPDX-License-Identifier: Apache-2.0 */
/* The config keys that every layer understands, and what a child inherits of them (semantics 1.3). What is
 * not said is kept as not said, so that a child can ask for the default under a parent that differs. */
#include "core/model/private.h"

#include <string.h>

typedef struct Common {
  lam_dtype dtype;
  lam_init params_init;
  bool skip_lp_regularization;
  lam_ints repeat_prefix, repeat_prefix_split_dims_mapping;
  const char *shared_weight_layer_id;
  lam_child_config weight_split_dims_mapping;
} Common;

static void
declare_common (lam_fields *lam_f_)
{
  typedef Common lam_self_;
  LAM_DTYPE (dtype, LAM_DTYPE_NONE, "Type of the variables; absent: the parent's.");
  LAM_INIT (params_init, NULL, "How variables start that do not say; absent: the parent's.");
  LAM_BOOL (skip_lp_regularization, false,
            "No L1, L2 or decoupled decay for the variables; absent: as the parent.");
  LAM_INTS (repeat_prefix, NULL,
            "Leading dims of every variable, which count repeats of the layer; they follow the "
            "parent's. Start values are scaled as for one repeat."),
      LAM_MIN (1);
  LAM_INTS (repeat_prefix_split_dims_mapping, NULL,
            "Mesh axis of each dim of repeat_prefix, -1: unsharded; absent: all unsharded."),
      LAM_MIN (-1);
  LAM_STRING (shared_weight_layer_id, NULL,
              "Layers of one type with the same id use the same variables, those of the first.");
  LAM_LAYER_CONFIG (
      weight_split_dims_mapping, NULL,
      "How own variables are cut over the mesh: {\"w\": [\"data\", null]}; for each dim an "
      "axis by name or number, a list of axes, or null or -1 for unsharded.");
}

LmFieldTable *
lm_layer_config_table (GError **error)
{
  return lm_field_table_new ("layer", declare_common, sizeof (Common), error);
}

JsonObject *
lm_json_object_split (JsonObject *config, const LmFieldTable *table)
{
  JsonObject *taken = json_object_new ();
  g_autoptr (GList) members = json_object_get_members (config);
  for (GList *m = members; m != NULL; m = m->next)
    if (lm_field_table_find (table, m->data) != NULL) {
      json_object_set_member (taken, m->data, json_object_dup_member (config, m->data));
      json_object_remove_member (config, m->data);
    }
  return taken;
}

void
lm_common_inherit (LmLayer *layer)
{
  const LmLayer *parent = layer->parent;
  for (int32_t i = 0; i < LAM_MAX_RANK; i++)
    layer->repeat_sharding[i] = parent != NULL ? parent->repeat_sharding[i] : -1;
  layer->dtype = parent != NULL ? parent->dtype : layer->model->real;
  layer->params_init = parent != NULL ? parent->params_init : LAM_DEFAULT_INIT;
  layer->skip_lp_regularization = parent != NULL && parent->skip_lp_regularization;
  if (parent != NULL)
    layer->repeat_prefix = parent->repeat_prefix;
}

static bool
fail (const LmLayer *layer, GError **error, const char *problem)
{
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s: %s", layer->path, problem);
  return false;
}

static bool
add_prefix (LmLayer *layer, const Common *common, GError **error)
{
  const lam_ints *dims = &common->repeat_prefix, *split = &common->repeat_prefix_split_dims_mapping;
  lam_shape *all = &layer->repeat_prefix;
  if (split->n != 0 && split->n != dims->n)
    return fail (layer, error,
                 "repeat_prefix_split_dims_mapping wants one element for each of repeat_prefix");
  if ((uint64_t)all->rank + dims->n >= LAM_MAX_RANK)
    return fail (layer, error,
                 "repeat_prefix, with those of the parents, leaves variables no dim; "
                 "tensors have at most 8");
  for (uint64_t i = 0; i < dims->n; i++) {
    layer->repeat_sharding[all->rank] = split->n != 0 ? (int32_t)MIN (split->p[i], INT32_MAX) : -1;
    all->dims[all->rank++] = dims->p[i];
  }
  return true;
}

/* True when the key is there and not null. */
static bool
is_given (JsonObject *own, const char *key)
{
  JsonNode *node = json_object_get_member (own, key);
  return node != NULL && !JSON_NODE_HOLDS_NULL (node);
}

static bool
apply (LmLayer *layer, JsonObject *own, const Common *common, GError **error)
{
  if (common->dtype != LAM_DTYPE_NONE)
    layer->dtype = common->dtype;
  if (common->params_init.method != LAM_INIT_DEFAULT)
    layer->params_init = common->params_init;
  if (is_given (own, "skip_lp_regularization"))
    layer->skip_lp_regularization = common->skip_lp_regularization;
  if (common->weight_split_dims_mapping.id != 0)
    layer->weight_split_dims_mapping =
        json_object_ref (json_object_get_object_member (own, "weight_split_dims_mapping"));
  return add_prefix (layer, common, error)
         && lm_share_find (layer, common->shared_weight_layer_id, error);
}

bool
lm_common_read (LmLayer *layer, JsonObject *config, GError **error)
{
  LmFieldTable *table = lm_layer_config_table (error);
  if (table == NULL)
    return false;
  g_autoptr (JsonObject) own = lm_json_object_split (config, table);
  LmParams *params = lm_params_new (table, own, NULL, layer->path, error);
  Common common = {0};
  if (params != NULL)
    lm_params_fill (params, &common);
  bool good = params != NULL && apply (layer, own, &common, error);
  lm_params_free (params); /* it reads the table when it goes */
  lm_field_table_free (table);
  return good;
}
