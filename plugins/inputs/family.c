/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs, one shared object. */
#include <lamina/input.h>

LAM_DECLARE (csv)
LAM_DECLARE (idx)
LAM_DECLARE (npz)
LAM_DECLARE (safetensors)
LAM_DECLARE (text)

LAM_PLUGIN ("lamina.inputs", "0.1.0", "Apache-2.0", LAM_PROVIDES (csv, idx, npz, safetensors, text))
