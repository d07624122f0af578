/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/layers/conv against praxis. */
#include "tests/lib/layer_golden.h"

#include <string.h>

static const char *const later[] = {"pool.MAX.paddings", "pool.AVG.SAME", "pool.AVG.VALID",
                                    "pool.AVG.paddings", NULL};

static bool
field (JsonObject *ours, const char *key, JsonNode *value)
{
  (void)ours;
  (void)value;
  return strcmp (key, "pooling_type") == 0;
}

static const LmLayerSuite suite = {"conv", later, field};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lm_layer_golden_add (&suite);
  return g_test_run ();
}
