/* SPDX-License-Identifier: Apache-2.0 */
/* The basic layers, one shared object. */
#include <lamina/layer.h>

LAM_DECLARE (linear)
LAM_DECLARE (bias)
LAM_DECLARE (activation)
LAM_DECLARE (feed_forward)
LAM_DECLARE (mlp_block)
LAM_DECLARE (flatten)
LAM_DECLARE (identity)
LAM_DECLARE (dropout)
LAM_DECLARE (residual)
LAM_DECLARE (stochastic_residual)
LAM_DECLARE (stacking_over_time)
LAM_DECLARE (sequential)

LAM_PLUGIN ("lamina.layers.basic", "0.1.0", "Apache-2.0",
            LAM_PROVIDES (linear, bias, activation, feed_forward, mlp_block, flatten, identity,
                          dropout),
            LAM_PROVIDES (residual, stochastic_residual, stacking_over_time, sequential))
