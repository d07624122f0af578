/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/layers/conv against praxis. */
#include "tests/lib/layer_golden.h"

static const char *const later[] = {NULL};

/* Where a window has padded rows only, upstream's gradient of the paddings is 0 * inf. */
static const char *const nan_grads[] = {"pool.AVG.paddings", NULL};

static const LmLayerSuite suite = {.family = "conv", .later = later, .nan_grads = nan_grads};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lm_layer_golden_add (&suite);
  return g_test_run ();
}
