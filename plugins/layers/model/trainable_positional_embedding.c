/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.trainable_positional_embedding: a learned vector for each position. Semantics and names:
 * praxis.layers.TrainablePositionalEmbedding; a given position is looked up in the whole table. */
#include "lookup.h"
#include "position.h"

typedef struct {
  int64_t embedding_dims, max_seq_length, seq_length;
  const char *lookup_style;
  lam_var emb_var; /* (max_seq_length, embedding_dims) */
} trainable_positional_embedding;

LAM_FIELDS (trainable_positional_embedding, LAM_INT (embedding_dims, 0, "Depth D of the result."),
            LAM_REQUIRED, LAM_MIN (1), LAM_INT (max_seq_length, 10240, "Number of positions."),
            LAM_MIN (1), LAM_INT (seq_length, 0, "T where no input says it."), LAM_MIN (0),
            LAM_STRING (lookup_style, "matmul", "By index, or by a product with one-hot rows."),
            LAM_CHOICES (LOOKUP_STYLES))

static void
trainable_positional_embedding_setup (trainable_positional_embedding *p, lam_setup *s)
{
  p->emb_var = lam_create_variable (s, "emb_var", LAM_SHAPE (p->max_seq_length, p->embedding_dims),
                                    LAM_DEFAULT_INIT);
  if (p->seq_length > p->max_seq_length)
    lam_setup_fail (s, "seq_length is larger than max_seq_length");
}

/* in: see positions_of -> (B, T, D), or (1, T, D) without position */
static lam_nest
trainable_positional_embedding_fprop (const trainable_positional_embedding *p, lam_trace *t,
                                      lam_nest in)
{
  positions where = positions_of (t, in, p->seq_length);
  lam_tensor table = lam_theta (t, p->emb_var);
  if (!lam_is_nil (where.given))
    return lam_nest_of (t, lookup (t, p->lookup_style, table, where.given));
  if (where.seq_length > p->max_seq_length && lam_is_ok (t))
    lam_fail (t, "trainable_positional_embedding: the sequence is longer than max_seq_length");
  table = lam_slice_axis (t, table, 0, 0, where.seq_length);
  return lam_nest_of (t, lam_expand_dims (t, table, 0));
}

LAM_METHODS (trainable_positional_embedding, LAM_METHOD (trainable_positional_embedding, fprop),
             LAM_USE (trainable_positional_embedding, fprop))
LAM_LAYER_METHODS (trainable_positional_embedding, "lamina.trainable_positional_embedding", 1,
                   "A learned vector for each position.")
