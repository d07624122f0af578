/* SPDX-License-Identifier: Apache-2.0 */
/* Params at run time as the JSON of a config, and back. */
#include "core/base/hyper_private.h"
#include "core/base/hyper_text.h"

#include <string.h>

/* --- to ------------------------------------------------------------------------------------------- */

static JsonNode *
value_to_json (const LmHyperValue *value)
{
  JsonNode *node = json_node_alloc ();

  switch (value->kind) {
  case LM_HYPER_BOOL:
    return json_node_init_boolean (node, value->b);
  case LM_HYPER_INT:
    return json_node_init_int (node, value->i);
  case LM_HYPER_FLOAT:
    return json_node_init_double (node, value->d);
  case LM_HYPER_STRING:
    return json_node_init_string (node, value->text);
  case LM_HYPER_NONE:
    return json_node_init_null (node);
  default:
    json_node_unref (node);
  }
  if (value->kind == LM_HYPER_PARAMS)
    return lm_hyper_to_json (value->params);
  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new ();
  for (guint i = 0; i < value->items->len; i++)
    if (value->keys != NULL)
      json_object_set_member (object, value->keys->pdata[i],
                              value_to_json (value->items->pdata[i]));
    else
      json_array_add_element (array, value_to_json (value->items->pdata[i]));
  node = json_node_new (value->keys != NULL ? JSON_NODE_OBJECT : JSON_NODE_ARRAY);
  if (value->keys != NULL)
    json_node_set_object (node, object);
  else
    json_node_set_array (node, array);
  json_object_unref (object);
  json_array_unref (array);
  return node;
}

JsonNode *
lm_hyper_to_json (const LmHyper *params)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();

  for (guint i = 0; i < params->all->len; i++) {
    const Param *param = params->all->pdata[i];
    const char *key = strcmp (param->name, "cls") == 0 ? "type" : param->name;
    if (param->value->kind != LM_HYPER_NONE)
      json_object_set_member (object, key, value_to_json (param->value));
  }
  json_node_take_object (node, object);
  return node;
}

/* --- from ----------------------------------------------------------------------------------------- */

static bool
all_names (JsonObject *object)
{
  g_autoptr (GList) keys = json_object_get_members (object);

  for (GList *l = keys; l != NULL; l = l->next)
    if (!lm_hyper_check_name (l->data))
      return false;
  return true;
}

static LmHyperValue *
array_from_json (JsonArray *array, GError **error)
{
  g_autoptr (LmHyperValue) list = lm_hyper_sequence (LM_HYPER_LIST);

  for (guint i = 0; i < json_array_get_length (array); i++) {
    LmHyperValue *item = lm_hyper_value_from_json (json_array_get_element (array, i), error);
    if (item == NULL)
      return NULL;
    lm_hyper_append (list, item);
  }
  return g_steal_pointer (&list);
}

static LmHyperValue *
object_from_json (JsonObject *object, GError **error)
{
  if (all_names (object)) {
    LmHyper *params = lm_hyper_from_json (object, error);
    return params != NULL ? lm_hyper_of (params) : NULL;
  }
  g_autoptr (LmHyperValue) dict = lm_hyper_dict ();
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &key, &node)) {
    LmHyperValue *item = lm_hyper_value_from_json (node, error);
    if (item == NULL)
      return NULL;
    lm_hyper_put (dict, key, item);
  }
  return g_steal_pointer (&dict);
}

LmHyperValue *
lm_hyper_value_from_json (JsonNode *node, GError **error)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    return object_from_json (json_node_get_object (node), error);
  if (JSON_NODE_HOLDS_ARRAY (node))
    return array_from_json (json_node_get_array (node), error);
  if (JSON_NODE_HOLDS_NULL (node))
    return lm_hyper_none ();
  switch (json_node_get_value_type (node)) {
  case G_TYPE_BOOLEAN:
    return lm_hyper_bool (json_node_get_boolean (node));
  case G_TYPE_INT64:
    return lm_hyper_int (json_node_get_int (node));
  case G_TYPE_DOUBLE:
    return lm_hyper_float (json_node_get_double (node));
  default:
    return lm_hyper_string (json_node_get_string (node));
  }
}

/* A "type" that is no string stays a parameter like others, for whoever reads the config to refuse. */
static const char *
type_of (JsonObject *config)
{
  JsonNode *node = json_object_get_member (config, "type");
  bool string = node != NULL && JSON_NODE_HOLDS_VALUE (node)
                && json_node_get_value_type (node) == G_TYPE_STRING;

  return string ? json_node_get_string (node) : NULL;
}

LmHyper *
lm_hyper_from_json (JsonObject *config, GError **error)
{
  const char *type = type_of (config);
  g_autoptr (LmHyper) params = lm_hyper_new (type);
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, config);
  while (json_object_iter_next_ordered (&iter, &key, &node)) {
    if (type != NULL && strcmp (key, "type") == 0)
      continue;
    if (strcmp (key, "cls") == 0) {
      g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                   "a config says \"type\"; \"cls\" is its name as a parameter only");
      return NULL;
    }
    LmHyperValue *value = lm_hyper_value_from_json (node, error);
    if (value == NULL || !lm_hyper_define (params, key, value, "", error))
      return NULL;
  }
  return g_steal_pointer (&params);
}
