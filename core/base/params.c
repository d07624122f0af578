/* SPDX-License-Identifier: Apache-2.0 */
/* Params: a config checked against a field table, all its problems in one report. */
#include "core/base/field.h"

#include <string.h>

struct LmParams {
  const LmFieldTable *table;
  LmValue *values; /* parallel to the table */
};

/* All keys that may stand in the config, NULL-terminated; the strings belong to others. */
static GPtrArray *
allowed_keys (const LmFieldTable *table, const char *const *extra)
{
  GPtrArray *keys = g_ptr_array_new ();

  for (guint i = 0; i < lm_field_table_size (table); i++)
    g_ptr_array_add (keys, lm_field_table_get (table, i)->name);
  for (; extra != NULL && *extra != NULL; extra++)
    g_ptr_array_add (keys, (char *)(uintptr_t)*extra);
  g_ptr_array_add (keys, NULL);
  return keys;
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return strcmp (a, b);
}

static void
check_unknown (const LmFieldTable *table, JsonObject *config, const char *const *extra,
               const char *where, GPtrArray *problems)
{
  g_autoptr (GPtrArray) allowed = allowed_keys (table, extra);
  const char *const *keys = (const char *const *)allowed->pdata;
  g_autoptr (GList) members = g_list_sort (json_object_get_members (config), compare_keys);

  for (GList *l = members; l != NULL; l = l->next) {
    if (g_strv_contains (keys, l->data))
      continue;
    GString *line = g_string_new (NULL);
    g_string_printf (line, "%s.%s: %s has no such key", where, (char *)l->data,
                     lm_field_table_type_id (table));
    lm_append_did_you_mean (line, l->data, keys);
    g_ptr_array_add (problems, g_string_free (line, FALSE));
  }
}

/* A key with the value null counts as not given. */
static void
read_field (LmValue *value, const LmField *field, JsonObject *config, const char *where,
            GPtrArray *problems)
{
  g_autofree char *path = g_strdup_printf ("%s.%s", where, field->name);
  JsonNode *node = json_object_get_member (config, field->name);

  if (node != NULL && !JSON_NODE_HOLDS_NULL (node)) {
    lm_value_read (value, field, node, path, problems);
  } else if (field->required || !lm_value_default (value, field)) {
    g_autofree char *wants = lm_field_wants (field);
    g_ptr_array_add (problems,
                     g_strdup_printf ("%s: missing; wanted %s (%s)", path, wants, field->doc));
  }
}

static void
report (const LmFieldTable *table, GPtrArray *problems, const char *where, GError **error)
{
  const char *type_id = lm_field_table_type_id (table);
  guint n = problems->len;

  g_ptr_array_add (problems, NULL);
  g_autofree char *lines = g_strjoinv ("\n  ", (char **)problems->pdata);
  if (n == 1)
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s; see: lamina params %s", lines, type_id);
  else
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "%s: %u problems in the config of %s; see: lamina params %s\n  %s", where, n,
                 type_id, type_id, lines);
}

LmParams *
lm_params_new (const LmFieldTable *table, JsonObject *config, const char *const *extra,
               const char *where, GError **error)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (LmParams) params = g_new0 (LmParams, 1);
  guint n = lm_field_table_size (table);

  params->table = table;
  params->values = g_new0 (LmValue, MAX (n, 1));
  check_unknown (table, config, extra, where, problems);
  for (guint i = 0; i < n; i++)
    read_field (&params->values[i], lm_field_table_get (table, i), config, where, problems);
  if (problems->len > 0) {
    report (table, problems, where, error);
    return NULL;
  }
  return g_steal_pointer (&params);
}

void
lm_params_free (LmParams *params)
{
  if (params == NULL)
    return;
  for (guint i = 0; i < lm_field_table_size (params->table); i++)
    lm_value_clear (&params->values[i]);
  g_free (params->values);
  g_free (params);
}

void
lm_params_fill (const LmParams *params, void *instance)
{
  for (guint i = 0; i < lm_field_table_size (params->table); i++)
    lm_value_store (&params->values[i], lm_field_table_get (params->table, i), i, instance);
}

guint
lm_params_children (const LmParams *params, guint field)
{
  const LmField *f;

  if (field >= lm_field_table_size (params->table))
    return 0;
  f = lm_field_table_get (params->table, field);
  return f->kind == LAM_FIELD_CHILDREN ? params->values[field].n : 0;
}

JsonObject *
lm_params_child (const LmParams *params, guint field, gint i)
{
  JsonNode *node;

  if (field >= lm_field_table_size (params->table))
    return NULL;
  node = params->values[field].node;
  if (node == NULL)
    return NULL;
  if (JSON_NODE_HOLDS_OBJECT (node))
    return i == -1 ? json_node_get_object (node) : NULL;
  if (i < 0 || (guint)i >= json_array_get_length (json_node_get_array (node)))
    return NULL;
  return json_array_get_object_element (json_node_get_array (node), (guint)i);
}

JsonNode *
lm_params_to_json (const LmParams *params)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();

  for (guint i = 0; i < lm_field_table_size (params->table); i++) {
    const LmField *field = lm_field_table_get (params->table, i);
    json_object_set_member (object, field->name, lm_value_to_json (&params->values[i], field));
  }
  json_node_take_object (node, object);
  return node;
}
