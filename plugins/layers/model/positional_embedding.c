/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.positional_embedding: sines and cosines of a position at geometric frequencies (Vaswani et al.,
 * "Attention Is All You Need", 3.5). Semantics and names: praxis.layers.PositionalEmbedding, which
 * multiplies by min_timescale. */
#include "position.h"

#include <math.h>

typedef struct {
  int64_t min_timescale, max_timescale, embedding_dims, seq_length;
  lam_dtype fprop_dtype;
} positional_embedding;

LAM_FIELDS (positional_embedding, LAM_INT (min_timescale, 1, "Frequencies start at this."),
            LAM_MIN (1),
            LAM_INT (max_timescale, 10000, "The slowest sine has 2 pi times this as its period."),
            LAM_MIN (1), LAM_INT (embedding_dims, 0, "Depth D of the result."), LAM_REQUIRED,
            LAM_MIN (2), LAM_INT (seq_length, 0, "T where no input says it."), LAM_MIN (0),
            LAM_DTYPE (fprop_dtype, LAM_DTYPE_NONE,
                       "Of the result; default: the inputs', else the model's."))

static void
positional_embedding_setup (positional_embedding *p, lam_setup *s)
{
  if (p->fprop_dtype != LAM_DTYPE_NONE && !lam_dtype_is_float (p->fprop_dtype))
    lam_setup_fail (s, "fprop_dtype wants a float dtype");
}

/* (1, 1, D / 2) of the model's real dtype. */
static lam_tensor
frequencies (const positional_embedding *p, lam_trace *t)
{
  int64_t n = p->embedding_dims / 2;
  double step = log ((double)p->max_timescale / (double)p->min_timescale);
  lam_tensor i = lam_iota (t, lam_real_dtype (t), LAM_SHAPE (1, 1, n), 2);
  i = lam_exp (t, lam_mul_scalar (t, i, -step / (n > 2 ? (double)(n - 1) : 1)));
  return lam_mul_scalar (t, i, (double)p->min_timescale);
}

/* in: see positions_of -> (B, T, D), or (1, T, D) without position */
static lam_nest
positional_embedding_fprop (const positional_embedding *p, lam_trace *t, lam_nest in)
{
  positions where = positions_of (t, in, p->seq_length);
  lam_dtype dtype = p->fprop_dtype != LAM_DTYPE_NONE ? p->fprop_dtype
                    : where.dtype != LAM_DTYPE_NONE  ? where.dtype
                                                     : lam_real_dtype (t);
  lam_tensor parts[2], y = lam_nil ();
  if (!lam_is_ok (t))
    return lam_nest_of (t, y);
  y = lam_expand_dims (t, positions_as (t, &where, lam_real_dtype (t)), -1); /* (B, T, 1) */
  y = lam_mul (t, y, frequencies (p, t));
  parts[0] = lam_sin (t, y);
  parts[1] = lam_cos (t, y);
  y = lam_concat (t, parts, 2, 2);
  if (p->embedding_dims % 2 != 0)
    y = lam_pad (t, y, LAM_AXES (0, 0, 0), LAM_AXES (0, 0, 1), 0);
  return lam_nest_of (t, lam_cast (t, y, dtype));
}

LAM_METHODS (positional_embedding, LAM_METHOD (positional_embedding, fprop),
             LAM_USE (positional_embedding, fprop))
LAM_LAYER_METHODS (positional_embedding, "lamina.positional_embedding", 1,
                   "Sines and cosines of each position.")
