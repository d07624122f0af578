/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/layers/norm against praxis, differences and bf16; what they refuse. batch_norm point by point:
 * test-batch_norm.c. */
#include "tests/lib/layer_check.h"
#include "tests/lib/layer_golden.h"

#include <string.h>

/* praxis normalises with the moving statistics after their update, we with the old ones as lingvo-jax does
 * (group step_cases, non_learnable, shows that). */
static const char *const later[] = {"batch_norm.moving_in_training", NULL};

static const LmLayerSuite suite = {.family = "norm", .later = later, .keep_inputs = true};

/* Shapes and options that the golden cases leave out are here too. */
static const LmLayerCheck checks[] = {
    LM_CHECK_TRAIN ("{'type': 'lamina.batch_norm', 'dim': 3}", "x 5,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.batch_norm', 'dim': 2}", "x 2,2,3,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.batch_norm', 'dim': 3, 'gamma_one_init': true}",
                    "inputs 2,4,3; paddings 2,4 mask"),
    LM_CHECK_TRAIN ("{'type': 'lamina.batch_norm', 'dim': 3, 'freeze_bn_stats': true}", "x 2,4,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.batch_norm', 'dim': 3, 'use_moving_avg_in_training': true}",
                    "x 2,4,3"),
    LM_CHECK_EVAL ("{'type': 'lamina.batch_norm', 'dim': 3, 'set_padded_output_to_zero': false}",
                   "inputs 2,4,3; paddings 2,4 mask"),
    LM_CHECK_TRAIN ("{'type': 'lamina.layer_norm', 'dim': 4}", "x 4"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.layer_norm', 'dim': 4, 'direct_scale': true, 'reductions_in_fp32': true}",
        "inputs 2,3,4; paddings 2,3 mask"),
    LM_CHECK_EVAL ("{'type': 'lamina.layer_norm', 'dim': 3, 'use_scale': false, 'epsilon': 0.5}",
                   "x 2,2,2,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.rms_norm', 'dim': 4}", "x 4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.rms_norm', 'dim': 3, 'direct_scale': false, 'epsilon': 0.1}",
                    "x 2,3,3"),
    LM_CHECK_EVAL ("{'type': 'lamina.rms_norm', 'dim': 3, 'intermediate_dtype': 'f64'}", "x 2,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.rms_norm_no_scale'}", "x 2,3,4"),
    LM_CHECK_EVAL ("{'type': 'lamina.rms_norm_no_scale', 'dim': 4}", "x 4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.group_norm', 'dim': 4, 'num_groups': 2, 'input_rank': 3}",
                    "inputs 2,4,4; paddings 2,4 mask"),
    LM_CHECK_TRAIN ("{'type': 'lamina.group_norm', 'dim': 4, 'num_groups': 2, 'input_rank': 4, "
                    "'cumulative': true}",
                    "x 2,3,2,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.group_norm', 'dim': 4, 'num_groups': 4, 'min_group_size': 2, "
                    "'input_rank': 5, 'use_bias': false}",
                    "x 1,2,2,2,4"),
    LM_CHECK_EVAL ("{'type': 'lamina.group_norm', 'dim': 4, 'num_groups': 1, 'input_rank': 4, "
                   "'cumulative': true, 'set_padded_output_to_zero': false}",
                   "inputs 2,3,2,4; paddings 2,3 mask"),
    LM_CHECK_TRAIN ("{'type': 'lamina.weight_norm_l2', 'dim': 3}", "w 2,4,3"),
    LM_CHECK_EVAL ("{'type': 'lamina.weight_norm_l2', 'dim': 1}", "w 5,1"),
    /* u and v are held constant: the gradient is that of the value where they have converged. */
    LM_CHECK_TRAIN ("{'type': 'lamina.spectral_norm', 'dim': 3, 'n_power_iteration': 60}",
                    "w 2,2,3"),
    LM_CHECK_EVAL ("{'type': 'lamina.spectral_norm', 'dim': 2, 'n_power_iteration': 60}", "w 4,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.identity_norm', 'dim': 3}", "inputs 2,3; paddings 2 mask")};

static const LmLayerRefusal refusals[] = {
    {"{'type': 'lamina.batch_norm'}", NULL, {"dim", "missing"}},
    {"{'type': 'lamina.batch_norm', 'dim': 0}", NULL, {"dim", ">= 1"}},
    {"{'type': 'lamina.batch_norm', 'dim': 2, 'decay': 1.5}", NULL, {"decay", "<= 1"}},
    {"{'type': 'lamina.batch_norm', 'dim': 2, 'gamma_one_init': true, 'gamma_zero_init': true}",
     NULL,
     {"gamma_zero_init", "gamma_one_init", "set one"}},
    {"{'type': 'lamina.batch_norm', 'dim': 3}",
     "x 5,4",
     {"batch_norm input (batch, ..., dim)", "(?, 3)", "f32[5,4]"}},
    {"{'type': 'lamina.batch_norm', 'dim': 3}", "x 3", {"batch_norm input", "(?, 3)", "f32[3]"}},
    {"{'type': 'lamina.batch_norm', 'dim': 3}",
     "inputs 2,4,3; paddings 2,5 mask",
     {"batch_norm paddings", "(2, 4, 1)", "f32[2,5,1]"}},
    {"{'type': 'lamina.batch_norm', 'dim': 3}",
     "inputs 2,4,3; paddings 2 mask",
     {"batch_norm paddings", "(2, 4, 1)", "f32[2]"}},
    {"{'type': 'lamina.batch_norm', 'dim': 3}", "input 2,4,3; paddings 2,4 mask", {"inputs"}},
    {"{'type': 'lamina.layer_norm', 'dim': 3}",
     "x 5,4",
     {"layer_norm input (..., dim)", "(?, 3)", "f32[5,4]"}},
    {"{'type': 'lamina.layer_norm', 'dim': 3, 'epsilon': -1}", NULL, {"epsilon", ">= 0"}},
    {"{'type': 'lamina.rms_norm', 'dim': 3}",
     "x 2,5,4",
     {"rms_norm input (..., dim)", "(?, ?, 3)", "f32[2,5,4]"}},
    {"{'type': 'lamina.rms_norm', 'dim': 3, 'intermediate_dtype': 'i32'}",
     NULL,
     {"intermediate_dtype", "bf16"}},
    {"{'type': 'lamina.rms_norm_no_scale', 'dim': 3}",
     "x 2,4",
     {"rms_norm_no_scale input", "(?, 3)", "f32[2,4]"}},
    {"{'type': 'lamina.group_norm', 'dim': 6, 'input_rank': 3, 'num_groups': 4}",
     NULL,
     {"multiple of num_groups"}},
    {"{'type': 'lamina.group_norm', 'dim': 6, 'input_rank': 3, 'num_groups': 2, 'min_group_size': "
     "4}",
     NULL,
     {"multiple of min_group_size"}},
    {"{'type': 'lamina.group_norm', 'dim': 6, 'num_groups': 2}", NULL, {"input_rank", "missing"}},
    {"{'type': 'lamina.group_norm', 'dim': 6, 'num_groups': 2, 'input_rank': 2}",
     NULL,
     {"input_rank", ">= 3"}},
    {"{'type': 'lamina.group_norm', 'dim': 6, 'num_groups': 2, 'input_rank': 4}",
     "x 2,3,6",
     {"group_norm input", "(?, ?, ?, 6)", "f32[2,3,6]"}},
    {"{'type': 'lamina.group_norm', 'dim': 6, 'num_groups': 2, 'input_rank': 3}",
     "x 2,3,4",
     {"group_norm input", "6)", "f32[2,3,4]"}},
    {"{'type': 'lamina.group_norm', 'dim': 6, 'num_groups': 2, 'input_rank': 3}",
     "inputs 2,3,6; paddings 3,2 mask",
     {"group_norm paddings (B, T)", "(2, 3)", "f32[3,2]"}},
    {"{'type': 'lamina.weight_norm_l2', 'dim': 3}",
     "w 2,4",
     {"weight_norm_l2 input", "(?, 3)", "f32[2,4]"}},
    {"{'type': 'lamina.spectral_norm', 'dim': 3}",
     "w 2,4",
     {"spectral_norm input", "(?, 3)", "f32[2,4]"}},
    {"{'type': 'lamina.spectral_norm', 'dim': 3, 'n_power_iteration': 0}",
     NULL,
     {"n_power_iteration", ">= 1"}}};

static void
test_refusals (void)
{
  lm_layer_check_refusals (refusals, G_N_ELEMENTS (refusals));
}

/* A map with paddings goes through the norms that do not use them. */
static void
test_paddings_unused (void)
{
  static const char *const types[] = {"layer_norm", "rms_norm", "rms_norm_no_scale",
                                      "identity_norm"};
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    g_autofree char *config = g_strdup_printf ("{'type': 'lamina.%s', 'dim': 3}", types[i]);
    LmLayerCheck with = LM_CHECK_TRAIN (config, "inputs 2,4,3; paddings 2,4 mask");
    LmLayerCheck without = LM_CHECK_TRAIN (config, "x 2,4,3");
    g_autoptr (LmLayerFn) a = lm_layer_check_fn (registry, backend, &with, "f64");
    g_autoptr (LmLayerFn) b = lm_layer_check_fn (registry, backend, &without, "f64");
    g_autoptr (GPtrArray) x = lm_layer_fn_run (a, backend);
    g_autoptr (GPtrArray) y = lm_layer_fn_run (b, backend);
    g_assert_cmpmem (lm_layer_fn_result (a, x, "y")->data, 24 * 8,
                     lm_layer_fn_result (b, y, "y")->data, 24 * 8);
  }
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

/* spectral_norm moves u in training, to a unit vector, and leaves it in evaluation. */
static void
test_spectral_norm_state (void)
{
  LmRegistry *registry = lm_test_registry ();
  LmBackend *backend = lm_test_backend (registry, "reference");
  for (int do_eval = 0; do_eval < 2; do_eval++) {
    LmLayerCheck check = LM_CHECK_TRAIN ("{'type': 'lamina.spectral_norm', 'dim': 3}", "w 2,2,3");
    check.do_eval = do_eval;
    g_autoptr (LmLayerFn) fn = lm_layer_check_fn (registry, backend, &check, "f64");
    g_autoptr (GPtrArray) out = lm_layer_fn_run (fn, backend);
    const LmArray *old = fn->arrays->pdata[lm_layer_fn_find (fn->names, "var:u")];
    const double *u = lm_layer_fn_result (fn, out, "updated:u")->data;
    g_assert_true ((memcmp (old->data, u, 3 * sizeof *u) == 0) == (do_eval != 0));
    if (!do_eval)
      g_assert_cmpfloat_with_epsilon (u[0] * u[0] + u[1] * u[1] + u[2] * u[2], 1, 1e-9);
  }
  lm_backend_unref (backend);
  lm_registry_free (registry);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lm_layer_golden_add (&suite);
  lm_layer_check_add (checks, G_N_ELEMENTS (checks));
  g_test_add_func ("/plugins/layers/norm/refusals", test_refusals);
  g_test_add_func ("/plugins/layers/norm/paddings_unused", test_paddings_unused);
  g_test_add_func ("/plugins/layers/spectral_norm/state", test_spectral_norm_state);
  return g_test_run ();
}
