/* SPDX-License-Identifier: Apache-2.0 */
/* Small helpers for listings: JSON nodes and columns of text. */
#include "core/api/private.h"

JsonNode *
lm_json_take_object (JsonObject *object)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  json_node_take_object (node, object);
  return node;
}

JsonNode *
lm_json_take_array (JsonArray *array)
{
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);
  json_node_take_array (node, array);
  return node;
}

JsonArray *
lm_json_strings (const char *const *texts)
{
  JsonArray *array = json_array_new ();
  for (guint i = 0; texts != NULL && texts[i] != NULL; i++)
    json_array_add_string_element (array, texts[i]);
  return array;
}

void
lm_append_column (GString *out, const char *text, guint width)
{
  guint n = (guint)g_utf8_strlen (text, -1);
  g_string_append_printf (out, "%s%*s", text, (int)(n < width ? width - n : 0) + 2, "");
}
