/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/layers/basic against praxis. */
#include "tests/lib/layer_golden.h"

#include <stdio.h>
#include <string.h>

/* Its config wants the types of its layers named as ours. */
static const char *const later[] = {"sequential", NULL};

/* The name of a class of praxis' activations among the functions of ours. */
static const char *
function_of (const char *praxis)
{
  static char name[64];
  for (const LmLayerRow *r = lm_layer_rows; r->praxis != NULL; r++)
    if (r->member != NULL && strcmp (r->praxis, praxis) == 0
        && sscanf (r->member, "\"function\": \"%63[a-z0-9_]\"", name) == 1)
      return name;
  g_error ("unknown activation %s", praxis);
}

static bool
field (JsonObject *ours, const char *key, JsonNode *value)
{
  if (strcmp (key, "activation_tpl") == 0) {
    const char *type = json_object_get_string_member (json_node_get_object (value), "type");
    json_object_set_string_member (ours, "activation", function_of (type));
    return true;
  }
  if (strcmp (key, "approximate") == 0) {
    json_object_set_string_member (ours, "function",
                                   json_node_get_boolean (value) ? "gelu_approximate" : "gelu");
    return true;
  }
  return false;
}

static const LmLayerSuite suite = {.family = "basic", .later = later, .field = field};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lm_layer_golden_add (&suite);
  return g_test_run ();
}
