/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/layers/model against praxis. */
#include "tests/lib/layer_golden.h"

/* Options that full_softmax does not have. */
static const char *const later[] = {"softmax.smooth",        "softmax.softcap", "softmax.zloss",
                                    "softmax.smooth_noeval", "softmax.chunked", NULL};

static const LmLayerSuite suite = {.family = "model", .later = later};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lm_layer_golden_add (&suite);
  return g_test_run ();
}
