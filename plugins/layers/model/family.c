/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks and heads, one shared object. */
#include <lamina/layer.h>

LAM_DECLARE (full_softmax)
LAM_DECLARE (classification)

LAM_PLUGIN ("lamina.layers.model", "0.1.0", "Apache-2.0",
            LAM_PROVIDES (full_softmax, classification))
