/* SPDX-License-Identifier: Apache-2.0 */
/* The optimizers, one shared object. */
#include <lamina/optimizer.h>

LAM_DECLARE (adamw)
LAM_DECLARE (sgd)

LAM_PLUGIN ("lamina.optimizers", "0.1.0", "Apache-2.0", LAM_PROVIDES (adamw, sgd))
