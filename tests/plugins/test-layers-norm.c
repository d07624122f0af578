/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/layers/norm against praxis. */
#include "tests/lib/layer_golden.h"

/* praxis normalises with the moving statistics after their update, we with the old ones as lingvo-jax does
 * (group step_cases, non_learnable, shows that). */
static const char *const later[] = {"batch_norm.moving_in_training", NULL};

static const LmLayerSuite suite = {.family = "norm", .later = later, .keep_inputs = true};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lm_layer_golden_add (&suite);
  return g_test_run ();
}
