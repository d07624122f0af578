/* SPDX-License-Identifier: Apache-2.0 */
/* The optimizers, one shared object. */
#include <lamina/optimizer.h>

LAM_DECLARE (adabelief)
LAM_DECLARE (adadelta)
LAM_DECLARE (adafactor)
LAM_DECLARE (adagrad)
LAM_DECLARE (adam)
LAM_DECLARE (adamax)
LAM_DECLARE (adamw)
LAM_DECLARE (amsgrad)
LAM_DECLARE (lamb)
LAM_DECLARE (lars)
LAM_DECLARE (lion)
LAM_DECLARE (novograd)
LAM_DECLARE (radam)
LAM_DECLARE (rmsprop)
LAM_DECLARE (sgd)
LAM_DECLARE (sharded_adafactor)
LAM_DECLARE (sm3)
LAM_DECLARE (yogi)

LAM_PLUGIN ("lamina.optimizers", "0.1.0", "Apache-2.0",
            LAM_PROVIDES (adabelief, adadelta, adafactor, adagrad, adam, adamax, adamw, amsgrad),
            LAM_PROVIDES (lamb, lars, lion, novograd, radam, rmsprop, sgd, sharded_adafactor),
            LAM_PROVIDES (sm3, yogi))
