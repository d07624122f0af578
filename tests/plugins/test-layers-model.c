/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/layers/model against praxis. */
#include "tests/lib/layer_golden.h"

#include <string.h>

static const char *const later[] = {NULL};

/* Arguments that are no tensors are fields of ours. */
static bool
field (JsonObject *ours, const char *key, JsonNode *value)
{
  if (strcmp (key, "call") != 0)
    return false;
  json_object_set_int_member (
      ours, "seq_length", json_object_get_int_member (json_node_get_object (value), "seq_length"));
  return true;
}

static const LmLayerSuite suite = {.family = "model", .later = later, .field = field};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lm_layer_golden_add (&suite);
  return g_test_run ();
}
