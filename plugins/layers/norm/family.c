/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations, one shared object. */
#include <lamina/layer.h>

LAM_DECLARE (batch_norm)
LAM_DECLARE (group_norm)
LAM_DECLARE (identity_norm)
LAM_DECLARE (layer_norm)
LAM_DECLARE (rms_norm)
LAM_DECLARE (rms_norm_no_scale)
LAM_DECLARE (spectral_norm)
LAM_DECLARE (weight_norm_l2)

LAM_PLUGIN ("lamina.layers.norm", "0.1.0", "Apache-2.0",
            LAM_PROVIDES (batch_norm, group_norm, identity_norm, layer_norm, rms_norm,
                          rms_norm_no_scale, spectral_norm, weight_norm_l2))
