/* SPDX-License-Identifier: Apache-2.0 */
/* Embeddings, heads, losses and tasks, one shared object. */
#include <lamina/layer.h>

LAM_DECLARE (full_softmax)
LAM_DECLARE (shared_embedding_softmax)
LAM_DECLARE (nclass_major_shared_embedding_softmax)
LAM_DECLARE (gshard_shared_embedding_softmax)
LAM_DECLARE (sigmoid_cross_entropy)
LAM_DECLARE (embedding)
LAM_DECLARE (positional_embedding)
LAM_DECLARE (trainable_positional_embedding)
LAM_DECLARE (rotary_positional_embedding)
LAM_DECLARE (bi_tempered_loss)
LAM_DECLARE (squared_error)
LAM_DECLARE (absolute_error)
LAM_DECLARE (huber_loss)
LAM_DECLARE (classification)
LAM_DECLARE (multilabel)
LAM_DECLARE (regression)

LAM_PLUGIN ("lamina.layers.model", "0.1.0", "Apache-2.0",
            LAM_PROVIDES (full_softmax, shared_embedding_softmax,
                          nclass_major_shared_embedding_softmax, gshard_shared_embedding_softmax,
                          sigmoid_cross_entropy),
            LAM_PROVIDES (embedding, positional_embedding, trainable_positional_embedding,
                          rotary_positional_embedding),
            LAM_PROVIDES (bi_tempered_loss, squared_error, absolute_error, huber_loss),
            LAM_PROVIDES (classification, multilabel, regression))
