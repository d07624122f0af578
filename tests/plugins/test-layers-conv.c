/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/layers/conv against praxis, differences and bf16; what they refuse. */
#include "tests/lib/layer_check.h"
#include "tests/lib/layer_golden.h"

static const char *const later[] = {NULL};

/* Where a window has padded rows only, upstream's gradient of the paddings is 0 * inf. */
static const char *const nan_grads[] = {"pool.AVG.paddings", NULL};

static const LmLayerSuite suite = {.family = "conv", .later = later, .nan_grads = nan_grads};

/* Shapes and options that the golden cases leave out are here too. */
static const LmLayerCheck checks[] = {
    LM_CHECK_TRAIN ("{'type': 'lamina.conv2d', 'filter_shape': [3, 2, 2, 3], 'bias': true}",
                    "x 2,4,3,2"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.conv2d', 'filter_shape': [2, 3, 1, 4], 'filter_stride': [2, 1], "
        "'dilations': [1, 2], 'tf_equivalent_padding': true}",
        "x 2,5,4,2"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.conv2d', 'filter_shape': [3, 2, 2, 2], 'filter_stride': [1, 2], "
        "'tf_equivalent_padding': true, 'is_causal': true}",
        "x 1,4,4,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.conv2d', 'filter_shape': [2, 2, 2, 3], 'padding': 'VALID', "
                    "'weight_norm_tpl': {'type': 'lamina.weight_norm_l2'}}",
                    "x 2,3,4,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.conv3d', 'filter_shape': [2, 2, 2, 1, 2], 'bias': true, "
                    "'filter_stride': [1, 2, 1], 'dilations': [2, 1, 1]}",
                    "x 1,4,3,3,1"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.conv3d', 'filter_shape': [2, 1, 3, 1, 2], 'tf_equivalent_padding': true, "
        "'is_causal': true}",
        "x 2,3,2,3,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.conv_bn_act', 'filter_shape': [2, 2, 2, 3], 'bias': true, "
                    "'activation_tpl': {'type': 'lamina.activation', 'function': 'tanh'}}",
                    "x 3,3,3,2"),
    LM_CHECK_EVAL ("{'type': 'lamina.conv_bn_act', 'filter_shape': [2, 2, 2, 3]}", "x 2,3,3,2"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.conv_bn_act', 'filter_shape': [2, 2, 2, 3], 'batch_norm': false, "
        "'weight_norm_tpl': {'type': 'lamina.weight_norm_l2'}}",
        "x 2,3,3,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.depthwise_conv1d', 'filter_shape': [3, 2, 2], 'bias': true}",
                    "inputs 2,5,2; paddings 2,5 mask"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.depthwise_conv1d', 'filter_shape': [2, 3, 1], 'is_causal': true, "
        "'rhs_dilation_rate': 2, 'use_2d_conv_weight_shape': true}",
        "x 2,5,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.pooling', 'window_shape': [2, 3], 'window_stride': [2, 1]}",
                    "x 2,5,4,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.pooling', 'window_shape': [3, 2], 'padding': 'VALID', "
                    "'pooling_type': 'AVG'}",
                    "x 2,6,4,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.pooling', 'window_shape': [2, 2], 'window_stride': [1, 2], "
                    "'pooling_type': 'AVG'}",
                    "inputs 2,5,4,2; paddings 2,5 mask"),
    LM_CHECK_TRAIN ("{'type': 'lamina.pooling', 'window_shape': [2, 2]}",
                    "inputs 2,5,4,2; paddings 2,5 mask"),
    LM_CHECK_TRAIN ("{'type': 'lamina.max_pool', 'window_shape': [3, 2], 'window_stride': [1, 2]}",
                    "x 2,4,4,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.global_pooling', 'pooling_dims': [1, 2]}", "x 2,3,4,2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.global_pooling', 'pooling_dims': [2], 'pooling_type': 'MAX', "
                    "'keepdims': true}",
                    "x 2,3,4"),
    LM_CHECK_TRAIN ("{'type': 'lamina.global_pooling', 'pooling_dims': [1, 2]}",
                    "inputs 2,3,2,3; compatible_paddings 2,3,1,1 mask")};

static const LmLayerRefusal refusals[] = {
    {"{'type': 'lamina.conv2d'}", NULL, {"filter_shape", "missing"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2]}",
     NULL,
     {"filter_shape [height, width, in, out]"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2], 'filter_stride': [1]}",
     NULL,
     {"filter_stride [height, width]"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2], 'filter_stride': [0, 1]}",
     NULL,
     {"filter_stride", ">= 1"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2], 'padding': 'FULL'}",
     NULL,
     {"padding", "SAME", "VALID"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2], 'is_causal': true}",
     NULL,
     {"is_causal", "tf_equivalent_padding"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2], 'is_causal': true, "
     "'tf_equivalent_padding': true, 'padding': 'VALID'}",
     NULL,
     {"is_causal", "SAME"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2]}",
     "x 2,4,4",
     {"conv2d input (B, H, W, C)", "(?, ?, ?, 2)", "f32[2,4,4]"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 2]}",
     "x 2,4,4,3",
     {"conv2d input (B, H, W, C)", "(?, ?, ?, 2)", "f32[2,4,4,3]"}},
    {"{'type': 'lamina.conv2d', 'filter_shape': [3, 3, 2, 3]}",
     "x 2,4,4,4",
     {"output channels", "feature groups"}},
    {"{'type': 'lamina.conv3d', 'filter_shape': [3, 3, 2, 2]}",
     NULL,
     {"filter_shape [time, height, width, in, out]"}},
    {"{'type': 'lamina.conv3d', 'filter_shape': [1, 3, 3, 2, 2]}",
     "x 2,4,4,2",
     {"conv3d input (B, T, H, W, C)", "(?, ?, ?, ?, 2)", "f32[2,4,4,2]"}},
    {"{'type': 'lamina.conv_bn_act', 'filter_shape': [3, 3, 2, 2]}",
     "x 2,4,4,3",
     {"conv_bn_act input (B, H, W, C)", "f32[2,4,4,3]"}},
    {"{'type': 'lamina.depthwise_conv1d', 'filter_shape': [3, 2]}",
     NULL,
     {"filter_shape [kernel size, input channels"}},
    {"{'type': 'lamina.depthwise_conv1d', 'filter_shape': [3, 2, 1], 'rhs_dilation_rate': 0}",
     NULL,
     {"rhs_dilation_rate", ">= 1"}},
    {"{'type': 'lamina.depthwise_conv1d', 'filter_shape': [3, 2, 1]}",
     "x 2,4,3",
     {"depthwise_conv1d input (B, T, C)", "(?, ?, 2)", "f32[2,4,3]"}},
    {"{'type': 'lamina.depthwise_conv1d', 'filter_shape': [3, 2, 1]}",
     "inputs 2,4,2; paddings 4,2 mask",
     {"depthwise_conv1d paddings (B, T)", "(2, 4)", "f32[4,2]"}},
    {"{'type': 'lamina.pooling', 'window_shape': [2]}", NULL, {"window_shape", "[height, width]"}},
    {"{'type': 'lamina.pooling', 'pooling_type': 'SUM'}", NULL, {"pooling_type", "MAX", "AVG"}},
    {"{'type': 'lamina.pooling'}",
     "x 2,4,4",
     {"pooling input (B, H, W, C)", "(?, ?, ?, ?)", "f32[2,4,4]"}},
    {"{'type': 'lamina.pooling'}",
     "inputs 2,4,4,1; paddings 2,3 mask",
     {"pooling paddings (B, H)", "(2, 4)", "f32[2,3]"}},
    {"{'type': 'lamina.pooling', 'pooling_type': 'AVG'}",
     "x 2,4,4,1 id 9",
     {"pooling AVG", "float"}},
    {"{'type': 'lamina.max_pool'}", "x 4,4,1", {"max_pool input (B, H, W, C)", "f32[4,4,1]"}},
    {"{'type': 'lamina.global_pooling'}", NULL, {"pooling_dims", "missing"}},
    {"{'type': 'lamina.global_pooling', 'pooling_dims': []}", NULL, {"pooling_dims", "1 to 8"}},
    {"{'type': 'lamina.global_pooling', 'pooling_dims': [-1]}", NULL, {"pooling_dims", ">= 0"}},
    {"{'type': 'lamina.global_pooling', 'pooling_dims': [3]}", "x 2,4,4", {"axis", "rank"}},
    {"{'type': 'lamina.global_pooling', 'pooling_dims': [1]}",
     "x 2,4,4 id 9",
     {"global_pooling AVG", "float"}},
    {"{'type': 'lamina.global_pooling', 'pooling_dims': [1]}",
     "inputs 2,4,4; compatible_paddings 2,4 mask",
     {"global_pooling compatible_paddings", "(2, 4, 4)", "f32[2,4]"}}};

static void
test_refusals (void)
{
  lm_layer_check_refusals (refusals, G_N_ELEMENTS (refusals));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lm_layer_golden_add (&suite);
  lm_layer_check_add (checks, G_N_ELEMENTS (checks));
  g_test_add_func ("/plugins/layers/conv/refusals", test_refusals);
  return g_test_run ();
}
