/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/layers/basic against praxis. */
#include "tests/lib/layer_golden.h"

#include <stdio.h>
#include <string.h>

static const char *const later[] = {NULL};

static const LmLayerRow *
row_of_type (const char *praxis)
{
  const LmLayerRow *r = lm_layer_rows;
  while (r->praxis != NULL && strcmp (r->praxis, praxis) != 0)
    r++;
  if (r->praxis == NULL)
    g_error ("no layer of ours stands for praxis.%s", praxis);
  return r;
}

/* The name of a class of praxis' activations among the functions of ours. */
static const char *
function_of (const char *praxis)
{
  static char name[64];
  const LmLayerRow *r = row_of_type (praxis);
  if (r->member == NULL || sscanf (r->member, "\"function\": \"%63[a-z0-9_]\"", name) != 1)
    g_error ("unknown activation %s", praxis);
  return name;
}

/* Config of a child, from upstream's. */
static JsonNode *
child_of (JsonObject *upstream)
{
  JsonObject *ours = json_object_new ();
  g_autoptr (GList) keys = json_object_get_members (upstream);
  for (GList *k = keys; k != NULL; k = k->next)
    json_object_set_member (ours, k->data,
                            json_node_copy (json_object_get_member (upstream, k->data)));
  json_object_set_string_member (
      ours, "type", row_of_type (json_object_get_string_member (upstream, "type"))->ours);
  return json_node_init_object (json_node_alloc (), ours);
}

static JsonNode *
children_of (JsonArray *upstream)
{
  JsonArray *ours = json_array_new ();
  for (guint i = 0; i < json_array_get_length (upstream); i++)
    json_array_add_element (ours, child_of (json_array_get_object_element (upstream, i)));
  return json_node_init_array (json_node_alloc (), ours);
}

static bool
field (JsonObject *ours, const char *key, JsonNode *value)
{
  if (strcmp (key, "activation_tpl") == 0)
    json_object_set_string_member (
        ours, "activation",
        function_of (json_object_get_string_member (json_node_get_object (value), "type")));
  else if (strcmp (key, "approximate") == 0)
    json_object_set_string_member (ours, "function",
                                   json_node_get_boolean (value) ? "gelu_approximate" : "gelu");
  else if (strcmp (key, "layers") == 0)
    json_object_set_member (ours, key, children_of (json_node_get_array (value)));
  else if (strcmp (key, "ff_tpl") == 0)
    json_object_set_member (ours, "ff", child_of (json_node_get_object (value)));
  else
    return false;
  return true;
}

static const LmLayerSuite suite = {.family = "basic", .later = later, .field = field};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lm_layer_golden_add (&suite);
  return g_test_run ();
}
