/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution and pooling, one shared object. */
#include <lamina/layer.h>

LAM_DECLARE (conv2d)
LAM_DECLARE (conv3d)
LAM_DECLARE (conv_bn_act)
LAM_DECLARE (depthwise_conv1d)
LAM_DECLARE (global_pooling)
LAM_DECLARE (max_pool)
LAM_DECLARE (pooling)

LAM_PLUGIN ("lamina.layers.conv", "0.1.0", "Apache-2.0",
            LAM_PROVIDES (conv2d, conv3d, conv_bn_act, depthwise_conv1d, global_pooling, max_pool,
                          pooling))
