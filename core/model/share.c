/* SPDX-License-Identifier: Apache-2.0 */
/* Layers that use one set of variables (praxis' shared_weight_layer_id): the first layer with an id creates
 * them, the others of the same type, and what is below them, find theirs by name. */
#include "core/model/private.h"

#include <string.h>

static LmLayer *
child_by_name (const LmLayer *layer, const char *name)
{
  for (guint i = 0; i < layer->children->len; i++)
    if (strcmp (((LmLayer *)layer->children->pdata[i])->name, name) == 0)
      return layer->children->pdata[i];
  return NULL;
}

static bool
is_ancestor (const LmLayer *layer, const LmLayer *of)
{
  while (of != NULL && of != layer)
    of = of->parent;
  return of != NULL;
}

/* The layer with the id so far, or NULL after this one became it. */
static LmLayer *
by_id (LmLayer *layer, const char *id)
{
  LmLayer *first = g_hash_table_lookup (layer->model->shared, id);
  if (first == NULL)
    g_hash_table_insert (layer->model->shared, g_strdup (id), layer);
  return first;
}

bool
lm_share_find (LmLayer *layer, const char *id, GError **error)
{
  const LmLayer *above = layer->parent != NULL ? layer->parent->share : NULL;
  LmLayer *first = above != NULL ? child_by_name (above, layer->name) : NULL;
  if (above != NULL && first == NULL) {
    g_set_error (
        error, LM_ERROR, LM_ERROR_INVALID,
        "%s: the layer above shares the variables of %s, which has no child %s; layers with "
        "one shared_weight_layer_id want the same config",
        layer->path, above->path, layer->name);
    return false;
  }
  if (id != NULL && strcmp (layer->provided->kind, LAM_KIND_LAYER) != 0) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "%s: shared_weight_layer_id is for layers; this is of kind %s", layer->path,
                 layer->provided->kind);
    return false;
  }
  if (first == NULL && id != NULL)
    first = by_id (layer, id);
  if (first == NULL)
    return true;
  if (is_ancestor (first, layer) || first->provided != layer->provided) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "%s (%s) cannot share the variables of %s (%s): %s", layer->path,
                 layer->provided->id, first->path, first->provided->id,
                 first->provided != layer->provided
                     ? "they are of different types; give them different shared_weight_layer_id"
                     : "it stands inside of it");
    return false;
  }
  layer->share = first->share != NULL ? first->share : first;
  return true;
}

const Var *
lm_share_var (const LmLayer *layer, const char *name, guint *out_id)
{
  const LmLayer *first = layer->share;
  for (guint i = 0; i < first->var_ids->len; i++) {
    *out_id = GPOINTER_TO_UINT (first->var_ids->pdata[i]);
    const Var *var = layer->model->vars->pdata[*out_id - 1];
    if (strcmp (var->name, name) == 0)
      return var;
  }
  return NULL;
}

bool
lm_share_check (const LmLayer *layer, GError **error)
{
  const LmLayer *first = layer->share;
  if (first == NULL
      || (first->var_ids->len == layer->var_ids->len
          && first->children->len == layer->children->len))
    return true;
  g_set_error (
      error, LM_ERROR, LM_ERROR_INVALID,
      "%s shares the variables of %s, but has %u variables and %u children where that has %u "
      "and %u; layers with one shared_weight_layer_id want the same config",
      layer->path, first->path, layer->var_ids->len, layer->children->len, first->var_ids->len,
      first->children->len);
  return false;
}
