/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution and pooling, one shared object. */
#include <lamina/layer.h>

LAM_DECLARE (conv2d)
LAM_DECLARE (max_pool)

LAM_PLUGIN ("lamina.layers.conv", "0.1.0", "Apache-2.0", LAM_PROVIDES (conv2d, max_pool))
