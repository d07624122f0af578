/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations, one shared object. */
#include <lamina/layer.h>

LAM_DECLARE (batch_norm)

LAM_PLUGIN ("lamina.layers.norm", "0.1.0", "Apache-2.0", LAM_PROVIDES (batch_norm))
