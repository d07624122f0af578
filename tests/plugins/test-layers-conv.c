/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/layers/conv against praxis. */
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lm_layer_golden_add (&suite);
  lm_layer_check_add (checks, G_N_ELEMENTS (checks));
  return g_test_run ();
}
